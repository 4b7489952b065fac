// A test suite with vitest against a network of its own.
import { castAdd, createNetwork, keySigner, signMessage } from 'rookery/client'
import { startNetwork } from 'rookery/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

let network
beforeAll(async () => {
  network = await startNetwork()
}, 120_000)
afterAll(() => network?.stop())

test('a new account has a name and can be looked up', async () => {
  const account = await network.createAccount()
  const path = `/v1/userNameProofByName?name=${account.name}`
  const answer = await fetch(`${network.urls.hub}${path}`)
  expect(answer.status).toBe(200)
  expect((await answer.json()).fid).toBe(account.fid)
})

test('a cast is published and read', async () => {
  const [author] = network.accounts
  const { hub } = createNetwork({ url: network.urls.web })
  const signer = await keySigner(author.appPrivateKey)
  const from = { fid: author.fid, network: 'devnet' }
  const { bytes, hash } = await signMessage(castAdd({ text: 'Hello' }), from, signer)
  await hub.post('/v1/submitMessage', bytes)
  const cast = await hub.get('/v1/castById', { fid: author.fid, hash })
  expect(cast.data.castAddBody.text).toBe('Hello')
})
