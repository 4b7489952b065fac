import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../../test/storage-support.ts'
import { ENGINES } from '../../../../test/world.ts'
import { channelLookRows } from './channel-looks.ts'

for (const engine of ENGINES) {
  test(`the look that is forgotten is the oldest of the user, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    await storage.write('fid/1', async (tx) => {
      const looks = tx.of(channelLookRows)
      const put = (fid: number, channel_id: string, seen_at: number) =>
        looks.put({ fid, channel_id, seen_at, rules_hash: null })
      await put(1, 'reeds', 5)
      await put(1, 'ponds', 3)
      await put(1, 'lakes', 3)
      await put(2, 'ponds', 1)
      await put(1, 'lakes', 4)
      await looks.removeOldest(1)
    })
    const looks = storage.of(channelLookRows)
    const ids = (await looks.of(1, ['reeds', 'ponds', 'lakes'])).map((one) => one.channel_id)
    assert.deepEqual(ids.toSorted(), ['lakes', 'reeds'])
    assert.deepEqual([await looks.count(1), await looks.count(2)], [2, 1])
  })
}
