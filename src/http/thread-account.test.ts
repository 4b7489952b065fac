import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_BEYOND_UNITS, ThreadAccount } from './thread-account.ts'

const CLIENT = '192.0.2.1'

/** Charges so often with this until it is refused. */
function chargeAll(account: ThreadAccount, units: number): number {
  let times = 0
  while (!account.charge(CLIENT, units)) times += 1
  return times * units
}

const newAccount = () => new ThreadAccount({ routes: [], logsAnswers: false, post() {} })

test('a thread answers a client for as many units as it was told, not only those that may be beyond its budget', () => {
  const account = newAccount()
  assert.equal(chargeAll(account, 1_000), MAX_BEYOND_UNITS + 1_000)
  account.report()
  assert.ok(account.charge(CLIENT, 1_000), 'until the report is answered, what it owes counts')
  account.settled({ allowances: [[CLIENT, 0, 100_000]], isShort: false })
  assert.equal(chargeAll(account, 1_000), 101_000)
  account.report()
  account.settled({ allowances: [[CLIENT, 0, 10]], isShort: true })
  assert.equal(chargeAll(account, 1_000), MAX_BEYOND_UNITS + 1_000)
})

test('a client that has to wait is answered by no thread', () => {
  const account = newAccount()
  assert.equal(account.charge(CLIENT, 1), undefined)
  account.report()
  account.settled({ allowances: [[CLIENT, 60_000, 100_000]], isShort: false })
  assert.ok(account.charge(CLIENT, 1))
})
