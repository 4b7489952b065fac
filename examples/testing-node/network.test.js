// A test suite with Node's own runner against a network of its own.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
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
