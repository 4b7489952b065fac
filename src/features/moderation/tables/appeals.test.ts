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
}
