import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_UINT32 } from '../../kernel/protocol/sizes.ts'
import { chunksOf, failuresOf, readRecord, type ScoreRecord } from './records.ts'

const COUNT = 5_000

test('records of thousands of accounts are found again by their fids', async () => {
  const records = Array.from({ length: COUNT }, (_, i): ScoreRecord => {
    const fid = i === COUNT - 1 ? MAX_UINT32 : 10 + 3 * i
    const score = Math.fround(1 / (i + 1))
    return { fid, rank: i + 1, score, supporters: MAX_UINT32, failed: i % 32 }
  })
  const chunks = [...chunksOf(records)]
  assert.ok(chunks.length > 2)
  const store = {
    chunkStarts: async () => chunks.map(({ firstFid }) => firstFid),
    chunks: async (_run: number, firstFids: readonly number[]) =>
      chunks.filter(({ firstFid }) => firstFids.includes(firstFid)),
  }
  for (let i = 0; i < COUNT; i += 511) {
    assert.deepEqual(await readRecord(store, 1, records[i]!.fid), records[i])
  }
  assert.deepEqual(await readRecord(store, 1, MAX_UINT32), records.at(-1))
  for (const { firstFid } of chunks) {
    assert.equal((await readRecord(store, 1, firstFid))?.fid, firstFid)
  }
  for (const fid of [1, 11, 12]) assert.equal(await readRecord(store, 1, fid), undefined)
  assert.deepEqual([...chunksOf([])], [])
})

test('the requirements that an account lacks are named in words', () => {
  assert.deepEqual(failuresOf(0), [])
  assert.deepEqual(failuresOf(2 + 8), ['not active', 'profile incomplete'])
})
