// A test suite with the runner of Deno, by the names of node:test.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { castAdd, createNetwork, keySigner, signMessage } from 'rookery/client'
import { startNetwork } from 'rookery/testing'

let network
before(async () => {
  network = await startNetwork()
})
after(() => network?.stop())

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
