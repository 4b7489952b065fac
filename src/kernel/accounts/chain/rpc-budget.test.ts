import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { postgresPlace, sqlitePlace } from '../../../../test/storage-support.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { createRpcBudget } from './rpc-budget.ts'

const MAX = 50

for (const [engine, placeOf] of [
  ['SQLite', sqlitePlace],
  ['PostgreSQL', postgresPlace],
] as const) {
  test(`processes on ${engine} together make as many RPC requests a minute as one may`, async () => {
    const place = await placeOf()
    const storage = await place.open()
    const other = engine === 'SQLite' ? storage : await place.open()
    let nowMs = 1_000
    const budgets = [storage, other].map((one) =>
      createRpcBudget(MAX, new Registry(), one, () => nowMs),
    )
    const spend = (count: number) =>
      Promise.allSettled(Array.from({ length: count }, (_, i) => budgets[i % 2]!.consume()))
    const spent = await spend(2 * MAX)
    const granted = spent.filter(({ status }) => status === 'fulfilled').length
    assert.equal(granted, MAX)
    for (const result of spent) {
      if (result.status === 'fulfilled') continue
      assert.ok(result.reason instanceof Rejection)
      const { code, retryAfterSeconds } = result.reason
      assert.deepEqual([code, retryAfterSeconds], ['unavailable.overloaded', 60])
    }
    nowMs += 60_000
    assert.equal((await spend(2))[1]!.status, 'fulfilled')
    await storage.close()
    if (other !== storage) await other.close()
    await place.drop()
  })
}
