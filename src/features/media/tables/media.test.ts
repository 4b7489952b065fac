import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../../test/storage-support.ts'
import { ENGINES } from '../../../../test/world.ts'
import { mediaRows } from './media.ts'

for (const engine of ENGINES) {
  test(`objects to delete are read from the oldest on, those of the asked second too, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    await storage.write('all/media', async (tx) => {
      for (const since of [30, 10, 20]) {
        await tx.of(mediaRows).putGarbage({ object: `of ${since}`, since })
      }
    })
    const objects = async (since: number, limit: number) =>
      (await storage.of(mediaRows).garbage(since, limit)).map(({ object }) => object)
    assert.deepEqual(await objects(20, 10), ['of 10', 'of 20'])
    assert.deepEqual(await objects(19, 10), ['of 10'])
    assert.deepEqual(await objects(30, 2), ['of 10', 'of 20'])
  })
}
