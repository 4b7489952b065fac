import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chunksOf, failuresOf, readRecords, type ScoreRecord } from './records.ts'

const COUNT = 5_000
const MAX_U32 = 2 ** 32 - 1

test('records of thousands of accounts are found again by their fids', async () => {
  const records = Array.from({ length: COUNT }, (_, i): ScoreRecord => {
    const fid = i === COUNT - 1 ? MAX_U32 : 10 + 3 * i
    const score = Math.fround(1 / (i + 1))
    return {
      fid,
      rank: i + 1,
      score,
      mass: 1 / 3 / (i + 1),
      budget: i,
      supporters: MAX_U32,
      failed: i % 32,
    }
  })
  const chunks = [...chunksOf(records)]
  assert.ok(chunks.length > 2)
  const asked: number[] = []
  const store = {
    chunkStarts: async () => chunks.map(({ firstFid }) => firstFid),
    chunks: async (_run: number, firstFids: readonly number[]) => {
      asked.push(...firstFids)
      return chunks.filter(({ firstFid }) => firstFids.includes(firstFid))
    },
  }
  const all = await readRecords(
    store,
    1,
    records.map(({ fid }) => fid),
  )
  assert.deepEqual([...all.values()], records)
  asked.length = 0
  assert.deepEqual([...(await readRecords(store, 1, [1, 11, 12])).values()], [])
  assert.deepEqual(asked, [10], 'only the chunk that could hold them is read')
  for (const { firstFid } of chunks) {
    assert.deepEqual([...(await readRecords(store, 1, [firstFid])).keys()], [firstFid])
  }
  assert.deepEqual([...chunksOf([])], [])
})

test('the requirements that an account lacks are named in words', () => {
  assert.deepEqual(failuresOf(0), [])
  assert.deepEqual(failuresOf(2 + 8), ['not active', 'profile incomplete'])
})
