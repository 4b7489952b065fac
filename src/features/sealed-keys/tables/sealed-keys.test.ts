import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../../test/storage-support.ts'
import { ENGINES } from '../../../../test/world.ts'
import { sealedKeyRows } from './sealed-keys.ts'

const BYTES = new Uint8Array(20)

for (const engine of ENGINES) {
  test(`who removes a sealed key removes that one alone, and none of another account, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    await storage.write('fid/1', async (tx) => {
      const keys = tx.of(sealedKeyRows)
      for (const [fid, id] of [
        [1, 'phone'],
        [1, 'desk'],
        [2, 'tablet'],
      ] as const) {
        await keys.put({
          ...{ id, fid, kind: 'passkey', site: 'rookery.example', created_at: 1, used_at: null },
          ...{ custody: BYTES, salt: BYTES, proof: BYTES, sealed: BYTES },
        })
      }
      assert.equal(await keys.remove(1, 'tablet'), false)
      assert.equal(await keys.remove(1, 'phone'), true)
      assert.equal(await keys.remove(1, 'phone'), false)
    })
    const keys = storage.of(sealedKeyRows)
    const left = [...(await keys.ofFid(1, 10)), ...(await keys.ofFid(2, 10))]
    assert.deepEqual(
      left.map(({ id }) => id),
      ['desk', 'tablet'],
    )
  })
}
