/** @jest-environment node */
// A test suite with jest in a project of ECMAScript modules.
import { castAdd, createNetwork, keySigner, signMessage } from 'rookery/client'
import { startNetwork } from 'rookery/testing'

let network
beforeAll(async () => {
  network = await startNetwork()
}, 120_000)
afterAll(() => network?.stop())

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
