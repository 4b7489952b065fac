// A test suite with Node's own runner against a network of its own.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { castAdd, createNetwork, keySigner, signMessage } from 'rookery/client'
import { startNetwork } from 'rookery/testing'

let network
before(async () => {
  network = await startNetwork()
})
after(() => network?.stop())

test('the ten accounts have names and casts', async () => {
  const [rook] = network.accounts
  const answer = await fetch(`${network.urls.hub}/v1/castsByFid?fid=${rook.fid}`)
  const { messages } = await answer.json()
  assert.ok(messages.length > 0)
  assert.equal(network.accounts.length, 10)
})

test('a cast is published and read', async () => {
  const [author] = network.accounts
  const { hub } = createNetwork({ url: network.urls.web })
  const signer = await keySigner(author.appPrivateKey)
  const from = { fid: author.fid, network: 'devnet' }
  const { bytes, hash } = await signMessage(castAdd({ text: 'Hello' }), from, signer)
  await hub.post('/v1/submitMessage', bytes)
  const cast = await hub.get('/v1/castById', { fid: author.fid, hash })
  assert.equal(cast.data.castAddBody.text, 'Hello')
})

test('the clock moves by 28 days in a moment', async () => {
  const before = await network.now()
  const after = await network.advance(28 * 86_400)
  assert.ok(after - before >= 28 * 86_400)
})

test('a reset removes accounts that a test made', async () => {
  const { fid } = await network.createAccount()
  assert.ok(fid > 10)
  await network.reset()
  const { fids } = await (await fetch(`${network.urls.hub}/v1/fids`)).json()
  assert.deepEqual(
    fids,
    network.accounts.map((account) => account.fid),
  )
})
