import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresPlace, sqlitePlace } from '../../../test/storage-support.ts'
import { ERASED_STEP } from '../../kernel/storage/tables/moderation.ts'
import { erasureJob } from './erasures.ts'

for (const [engine, placeOf] of [
  ['SQLite', sqlitePlace],
  ['PostgreSQL', postgresPlace],
] as const) {
  test(`an erasure that cannot be finished keeps no other waiting on ${engine}`, async () => {
    const place = await placeOf()
    const storage = await place.open()
    await storage.write('hub', async (tx) => {
      for (const fid of [1, 2, 3]) {
        const task = await tx.moderation.addTask({ fid, kind: 'erase' })
        await tx.moderation.putTask({ ...task, step: ERASED_STEP, position: Buffer.from('0') })
      }
    })
    const job = erasureJob({
      storage,
      erasers: () => [
        async (fid) => {
          if (fid === 1) throw new Error('the bucket does not answer')
          return true
        },
        async (fid) => fid !== 2,
      ],
      log: { info: () => {} },
    })
    const { signal } = new AbortController()
    const run = job.run({ signal, lease: undefined, repeatAfter: () => {} })
    await assert.rejects(run, /the bucket/)
    const left = await storage.moderation.erasedTasks()
    assert.deepEqual(
      left.map(({ fid }) => fid),
      [1, 2],
    )
    await storage.close()
    await place.drop()
  })
}
