import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../../test/storage-support.ts'
import { ENGINES } from '../../../../test/world.ts'
import { type Appeal, appealRows } from './appeals.ts'

const APPEAL: Omit<Appeal, 'id' | 'state'> = {
  ...{ fid: 2, decision: 1, action: 'hide', cast_hash: null, text: 'why?', created_at: 1 },
  ...{ answered_at: null, outcome: null, answer: null, answered_by: null },
}

for (const engine of ENGINES) {
  test(`of answered appeals the newest are kept, and every open one, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const states: Appeal['state'][] = ['open', 'answered', 'open', 'answered', 'answered', 'open']
    const left = await storage.write('all/reports', async (tx) => {
      const appeals = tx.of(appealRows)
      const made = []
      for (const state of states) made.push(await appeals.add({ ...APPEAL, state }))
      await appeals.trim(3)
      assert.equal(await appeals.count('answered'), 3, 'three are not too many')
      await appeals.trim(1)
      const found = await Promise.all(made.map(({ id }) => appeals.find(id)))
      return found.flatMap((one, i) => (one ? [i] : []))
    })
    assert.deepEqual(left, [0, 2, 4, 5])
  })
  test(`of open appeals the newest are read first, and when the newest came before a time, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    await storage.write('all/reports', async (tx) => {
      for (const created_at of [5, 7, 9])
        await tx.of(appealRows).add({ ...APPEAL, state: 'open', created_at })
      await tx.of(appealRows).add({ ...APPEAL, state: 'answered', created_at: 8 })
    })
    const appeals = storage.of(appealRows)
    assert.deepEqual(
      (await appeals.newestOpen(2)).map(({ created_at }) => created_at),
      [9, 7],
    )
    assert.deepEqual([await appeals.newestOpenAt(10), await appeals.newestOpenAt(9)], [9, 7])
    assert.equal(await appeals.newestOpenAt(5), 0)
  })
}
