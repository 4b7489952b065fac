// How the web client puts notifications together.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noticeRows } from '../web/client/parts/notice-rows.ts'

const likeBy = (fids: readonly number[], at: string, seen = true) => ({
  ...{ object: 'notification', type: 'likes', most_recent_timestamp: at, seen },
  reactions: fids.map((fid) => ({ object: 'likes', user: { fid } })),
})
const rowsOf = (...all: object[]) => noticeRows(all as Parameters<typeof noticeRows>[0])

test('likes of several posts by one person within a day are one row, which is new while one of them is', () => {
  const rows = rowsOf(
    likeBy([1], '2026-01-02T12:00:00Z'),
    likeBy([2], '2026-01-02T11:00:00Z'),
    likeBy([1], '2026-01-02T10:00:00Z', false),
    likeBy([1], '2026-01-01T12:00:00Z'),
  )
  assert.deepEqual(
    rows.map(({ one, count }) => [one.most_recent_timestamp, count, one.seen]),
    [
      ['2026-01-02T12:00:00Z', 2, false],
      ['2026-01-02T11:00:00Z', 1, true],
      // A day later than the first of the row.
      ['2026-01-01T12:00:00Z', 1, true],
    ],
  )
})

test('what several people did to one post, replies and follows stay rows of their own', () => {
  const reply = { type: 'reply', most_recent_timestamp: '2026-01-02T12:00:00Z', seen: true }
  const rows = rowsOf(
    likeBy([1, 2], '2026-01-02T12:00:00Z'),
    likeBy([1, 2], '2026-01-02T11:00:00Z'),
    reply,
    reply,
  )
  assert.deepEqual(
    rows.map(({ count }) => count),
    [1, 1, 1, 1],
  )
})
