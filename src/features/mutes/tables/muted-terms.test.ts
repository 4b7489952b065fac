import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../../test/storage-support.ts'
import { ENGINES } from '../../../../test/world.ts'
import { mutedTermRows } from './muted-terms.ts'

for (const engine of ENGINES) {
  test(`muted channels and words are counted by kind and for each user alone, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    await storage.write('fid/1', async (tx) => {
      const terms = tx.of(mutedTermRows)
      const add = (fid: number, kind: 'channel' | 'word', term: string) =>
        terms.add({ fid, kind, term, muted_at: 1 })
      await add(1, 'channel', 'reeds')
      await add(1, 'channel', 'wetlands')
      await add(1, 'word', 'spoiler')
      await add(2, 'word', 'spoiler')
      await add(2, 'channel', 'reeds')
    })
    const count = storage.of(mutedTermRows).count
    assert.deepEqual([await count(1, 'channel'), await count(1, 'word')], [2, 1])
    assert.deepEqual([await count(2, 'channel'), await count(2, 'word')], [1, 1])
    assert.equal(await count(3, 'word'), 0)
  })
}
