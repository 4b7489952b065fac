import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinStorage } from '../storage/storage.ts'
import { sqlitePlace } from '../storage/test-support.ts'
import { MergeMemory } from './merge-memory.ts'
import { readUsedQuotas } from './quota.ts'

const TERMS = { units: { legacy: 0, u2024: 0, u2025: 1 }, bytes: 100 }

test('the merge thread remembers quotas, writes them once a second, and forgets what others have changed', async (t) => {
  const place = await sqlitePlace()
  const owner = await place.open()
  const joined = joinStorage(owner.settings)
  t.after(async () => {
    await joined.close()
    await owner.close()
    await place.drop()
  })
  const memory = new MergeMemory()
  /** Counts one merge in a transaction of the thread, and returns the count before it. */
  const countOne = (nowMs: number, fails = false) =>
    joined
      .write('hub', async (tx) => {
        await memory.begin(tx, nowMs)
        const quota = await memory.quota(tx, [1, 1])
        quota.take(1, TERMS, nowMs)
        await memory.countQuota(tx, quota.changed)
        if (fails) throw new Error('the disk is full')
        return quota.changed[0]!.count - 1
      })
      .then((count) => {
        memory.end()
        return count
      })
  const stored = async () => (await readUsedQuotas(owner, ['1']))[0]?.count

  assert.deepEqual([await countOne(0), await stored()], [0, 1])
  assert.deepEqual([await countOne(1), await stored()], [1, 1])
  await assert.rejects(countOne(2, true))
  assert.deepEqual([await countOne(3), await stored()], [2, 1])
  assert.deepEqual(
    memory.unwritten.map(({ count }) => count),
    [3],
  )
  // What the thread has counted itself outlives a commit of others.
  await owner.write('hub', (tx) => tx.cursors.put('x', 'y'))
  assert.deepEqual([await countOne(1_000), await stored()], [3, 4])
  assert.deepEqual(memory.unwritten, [])
  // What it has only read does not.
  const [row] = await readUsedQuotas(owner, ['1'])
  await owner.write('hub', (tx) => tx.quotas.put([{ ...row!, count: 40 }]))
  assert.deepEqual([await countOne(1_001), await stored()], [40, 40])
  await assert.rejects(countOne(2_000, true))
  assert.deepEqual([await countOne(2_001), await stored()], [41, 42])
})
