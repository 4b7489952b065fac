import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sqlitePlace } from '../../test/storage-support.ts'
import { MINUTE_MS } from '../kernel/protocol/time.ts'
import { withLease } from './lease.ts'

test('work that takes longer than a lease keeps its turn until it ends', async (t) => {
  const place = await sqlitePlace()
  const storage = await place.open()
  t.after(async () => {
    await storage.close()
    await place.drop()
  })
  t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: MINUTE_MS })
  const expiry = async () => (await storage.leases.get('work'))?.expiresAt ?? 0
  const done: string[] = []
  const first = withLease(storage, 'work', async () => {
    while (Date.now() < 3 * MINUTE_MS) {
      const before = await expiry()
      t.mock.timers.tick(10_000)
      for (let tries = 0; (await expiry()) === before; tries++) {
        assert.ok(tries < 10_000, 'the lease is renewed')
        await delay(1)
      }
    }
    done.push('long')
  })
  while ((await expiry()) === 0) await delay(1)
  await withLease(storage, 'work', async () => void done.push('next'))
  await first
  assert.deepEqual(done, ['long', 'next'])
})
