import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresPlace, sqlitePlace } from '../../../../test/storage-support.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { DAY_MS } from '../../protocol/time.ts'
import { DAILY_BYTES_PER_UNIT, DAILY_MERGES_PER_UNIT, FidQuota, readUsedQuotas } from './quota.ts'

const UNITS = 2
const SMALL = { units: UNITS, bytes: 100 }
const SHARE = 2 * DAILY_MERGES_PER_UNIT

const isRefused = (act: () => void) => {
  try {
    act()
    return undefined
  } catch (error) {
    if (error instanceof Rejection) return [error.code, error.message, error.retryAfterSeconds]
    throw error
  }
}

test('a fid merges its daily quota and no more, whatever other fids do', () => {
  const quota = new FidQuota()
  for (let i = 0; i < SHARE; i++) quota.consume(1, SMALL, 0)
  const refusal = ['rate_limited', 'rate limit exceeded for FID 1', 43_200]
  assert.deepEqual(
    isRefused(() => quota.consume(1, SMALL, DAY_MS / 2)),
    refusal,
  )
  quota.consume(2, SMALL, 0)
})

test('a new day starts a new quota', () => {
  const quota = new FidQuota()
  for (let i = 0; i < SHARE; i++) quota.consume(1, SMALL, 0)
  assert.ok(isRefused(() => quota.consume(1, SMALL, DAY_MS - 1)))
  quota.consume(1, SMALL, DAY_MS)
})

test('additional storage units raise the quota at once', () => {
  const quota = new FidQuota()
  for (let i = 0; i < SHARE; i++) quota.consume(1, SMALL, 0)
  quota.consume(1, { ...SMALL, units: 3 }, 0)
})

test('security finding 3: the quota of a day weighs bytes, and a refused message uses none of it', () => {
  const quota = new FidQuota()
  const large = { units: UNITS, bytes: 65_536 }
  const count = (2 * DAILY_BYTES_PER_UNIT) / 65_536
  for (let i = 0; i < count - 1; i++) quota.consume(1, large, 0)
  const refusal = ['rate_limited', 'rate limit exceeded for FID 1', 86_400]
  assert.deepEqual(
    isRefused(() => quota.consume(1, { units: UNITS, bytes: 65_537 }, 0)),
    refusal,
  )
  quota.consume(1, large, 0)
  assert.deepEqual(
    isRefused(() => quota.consume(1, { units: UNITS, bytes: 1 }, 0)),
    refusal,
  )
  quota.consume(2, large, 0)
  quota.consume(1, large, DAY_MS)
})

for (const [engine, placeOf] of [
  ['SQLite', sqlitePlace],
  ['PostgreSQL', postgresPlace],
] as const) {
  test(`processes and restarts on ${engine} share the quota of a fid, and windows that ended are forgotten`, async () => {
    const place = await placeOf()
    let storage = await place.open()
    const take = (bytes: number, now: number) =>
      storage.write('hub', async (tx) => {
        const quota = new FidQuota(await readUsedQuotas(tx, ['1', '2']))
        quota.consume(1, { units: UNITS, bytes }, now)
        await tx.quotas.put(quota.changed)
      })
    await take(DAILY_BYTES_PER_UNIT, 0)
    if (engine === 'SQLite') await storage.close()
    const other = storage
    storage = await place.open()
    await take(DAILY_BYTES_PER_UNIT - 1, 1)
    await assert.rejects(take(2, 2), Rejection)
    await take(1, 2)
    await assert.rejects(take(1, 3), Rejection)
    const forget = (now: number) => storage.write('hub', (tx) => tx.quotas.forget(now, 10))
    assert.equal(await forget(DAY_MS - 1), 0)
    assert.equal(await forget(DAY_MS), 1)
    await take(1, 3)
    await storage.close()
    if (engine !== 'SQLite') await other.close()
    await place.drop()
  })
}
