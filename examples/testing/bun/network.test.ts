// A test suite with the runner of Bun, in TypeScript.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { castAdd, createNetwork, keySigner, signMessage } from 'rookery/client'
import { type Network, startNetwork } from 'rookery/testing'

let network: Network
beforeAll(async () => {
  network = await startNetwork()
}, 120_000)
afterAll(() => network?.stop())

test('a cast is published and read', async () => {
  const author = await network.createAccount()
  const { hub } = createNetwork({ url: network.urls.web })
  const signer = await keySigner(author.appPrivateKey)
  const from = { fid: author.fid, network: 'devnet' } as const
  const { bytes, hash } = await signMessage(castAdd({ text: 'Hello' }), from, signer)
  await hub.post('/v1/submitMessage', bytes)
  const cast = await hub.get('/v1/castById', { fid: author.fid, hash })
  // The type says which body the message has.
  if (cast.data?.type !== 'MESSAGE_TYPE_CAST_ADD') throw new Error('no cast')
  expect(cast.data.castAddBody.text).toBe('Hello')
})
