// A test suite with vitest against a network of its own.
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
