import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuseFuture } from './future-event.ts'

/** Shows `shown`, and confirms `confirmed` in a transaction. */
const logOf = (shown: number, confirmed: number) => ({
  newestId: async () => shown,
  confirmedNewestId: async () => confirmed,
})

test('a reader ahead of what a replaced primary shows is not refused when a confirmed transaction has its position', async () => {
  await refuseFuture(logOf(10, 20), 21, 'from_event_id')
  await assert.rejects(refuseFuture(logOf(10, 20), 22, 'from_event_id'), /newest event, 20:/)
})

test('a reader at the newest event costs no transaction', async () => {
  const log = { ...logOf(10, 10), confirmedNewestId: () => assert.fail('it was asked') }
  await refuseFuture(log, 11, 'from_event_id')
})
