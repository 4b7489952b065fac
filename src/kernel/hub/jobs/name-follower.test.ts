import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { NameFeed, NameTransfer, ReadTransfers } from '../names.ts'
import { NameFeedError, NameFollower } from './name-follower.ts'

const transfer = (id: number): NameTransfer => ({
  id,
  timestamp: 1_700_000_000 + id,
  username: `name${id}`,
  owner: new Uint8Array(20),
  from: 0,
  to: id,
  serverSignature: new Uint8Array(65),
})

/** A follower over a feed that can fail, a stored cursor and a clock that the test moves. */
function following(pause?: (ms: number) => Promise<void>) {
  const published: NameTransfer[] = []
  const merged: number[] = []
  const batches: number[] = []
  const log: string[] = []
  const state = { silent: false, asked: 0, nowMs: 0, position: 0, disk: true }
  const feed: NameFeed = {
    async transfersAfter(id) {
      state.asked++
      if (state.silent) throw new Error('connection refused')
      return published.filter((one) => one.id > id)
    },
  }
  const follower = new NameFollower({
    reader: { cursors: { get: async () => String(state.position) } },
    merger: {
      async mergeNames({ transfers }: ReadTransfers) {
        if (!state.disk) throw new Error('disk I/O error')
        merged.push(...transfers.map(({ id }) => id))
        batches.push(transfers.length)
        state.position = transfers.at(-1)!.id
      },
    },
    feed,
    now: () => 0,
    onOutageBegin: (error) => log.push(`begin: ${(error as Error).message}`),
    onOutageEnd: (seconds) => log.push(`end after ${seconds} s`),
    onError: (error) => log.push(`error: ${(error as Error).message}`),
    monotonicMs: () => state.nowMs,
    random: () => 1,
    ...(pause && { pause }),
  })
  return { follower, published, merged, batches, log, state }
}

test('an outage of the feed is reported once when it begins and once when it ends', async () => {
  const { follower, published, merged, log, state } = following()
  state.silent = true
  for (let second = 0; second < 600; second += 5) {
    state.nowMs = second * 1_000
    await follower.poll()
  }
  assert.deepEqual(log, ['begin: connection refused'])
  published.push(transfer(1))
  state.silent = false
  state.nowMs = 1_000_000
  await follower.poll()
  assert.deepEqual(log, ['begin: connection refused', 'end after 1000 s'])
  assert.deepEqual(merged, [1])
})

test('polls of a feed that cannot be read back off, and start over when it can be read', async () => {
  const { follower, state } = following()
  state.silent = true
  const askedAt: number[] = []
  const pollUntil = async (endSecond: number) => {
    for (; state.nowMs < endSecond * 1_000; state.nowMs += 5_000) {
      const before = state.asked
      await follower.poll()
      if (state.asked > before) askedAt.push(state.nowMs / 1_000)
    }
  }
  await pollUntil(1_300)
  assert.deepEqual(askedAt, [0, 5, 15, 35, 75, 155, 315, 615, 915, 1215])
  state.silent = false
  await follower.catchUp()
  askedAt.length = 0
  await pollUntil(1_320)
  assert.deepEqual(askedAt, [1_300, 1_305, 1_310, 1_315])
})

test('a caller that needs a name asks the feed even while polls back off', async () => {
  const { follower, published, merged, state } = following()
  state.silent = true
  await assert.rejects(follower.catchUp(), new NameFeedError(new Error('connection refused')))
  state.silent = false
  published.push(transfer(1), transfer(2))
  await follower.poll()
  assert.deepEqual(merged, [], 'the poll waits')
  await follower.catchUp()
  assert.deepEqual(merged, [1, 2])
})

test('a read of an unknown name asks the feed while polls back off, once a second for all readers', async () => {
  const { follower, published, merged, state } = following(() => new Promise(() => {}))
  state.silent = true
  for (; state.nowMs < 600_000; state.nowMs += 5_000) await follower.poll()
  state.silent = false
  published.push(transfer(1))
  const before = state.asked
  await follower.poll()
  assert.equal(state.asked, before, 'the poll waits')
  await Promise.all(Array.from({ length: 20 }, () => follower.catchUpForRead()))
  assert.deepEqual(merged, [1])
  const asked = state.asked
  state.nowMs += 999
  await follower.catchUpForRead()
  assert.equal(state.asked, asked)
  state.nowMs += 1
  published.push(transfer(2))
  await follower.catchUpForRead()
  assert.deepEqual(merged, [1, 2])
})

test('a read of an unknown name does not wait for a feed that hangs, and fails by none', async () => {
  const pauses: number[] = []
  const { follower, state } = following(async (ms) => void pauses.push(ms))
  state.silent = true
  await follower.catchUpForRead()
  assert.deepEqual(pauses, [1_000])
})

test('a failure to merge is thrown by polls and is no outage of the feed', async () => {
  const { follower, published, log, state } = following()
  published.push(transfer(1))
  state.disk = false
  await assert.rejects(follower.poll(), /disk I\/O error/)
  follower.wake(1)
  await follower.close()
  assert.deepEqual(log, ['error: disk I/O error'])
})

test('a closed follower does not ask the feed again', async () => {
  const { follower, state } = following()
  await follower.close()
  follower.wake(1)
  await follower.poll()
  assert.equal(state.asked, 0)
})

test('a transfer is merged at once, and those that are stored soon after it are merged together', async () => {
  let endPause = () => {}
  const pauses: number[] = []
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      pauses.push(ms)
      endPause = resolve
    })
  const { follower, published, merged, batches } = following(pause)
  const store = async (id: number) => {
    published.push(transfer(id))
    follower.wake(1)
    for (let turn = 0; turn < 5; turn++) await setImmediate()
  }
  await store(1)
  assert.deepEqual(merged, [1])
  for (const id of [2, 3, 4]) await store(id)
  assert.deepEqual(merged, [1])
  endPause()
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  assert.deepEqual(merged, [1, 2, 3, 4])
  assert.deepEqual(batches, [1, 3])
  // After many of them the next ones wait longer.
  follower.wake(100)
  endPause()
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  assert.deepEqual(pauses, [25, 25, 250])
})
