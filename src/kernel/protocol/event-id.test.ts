import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_IDS_PER_MS, eventTime, firstEventIdAt, nextEventId } from './event-id.ts'
import { NETWORK_EPOCH_MS, networkTime, unixMsOf } from './time.ts'

const NOW = NETWORK_EPOCH_MS + 85_671_180_530

test('an event id contains its time in the deployed layout', () => {
  assert.equal(eventTime(350_909_155_450_880), NOW)
  assert.equal(new Date(eventTime(350_909_155_450_880)).toISOString(), '2023-09-19T13:33:00.530Z')
  assert.equal(nextEventId(0, NOW), 350_909_155_450_880)
})

test('event ids grow by one within a millisecond and use the next one when it is full', () => {
  let id = nextEventId(0, NOW)
  for (let i = 1; i <= EVENT_IDS_PER_MS; i++) assert.equal(nextEventId(id, NOW), ++id)
  assert.equal(eventTime(id), NOW + 1)
  assert.equal(nextEventId(id, NOW + 1), id + 1)
  assert.equal(nextEventId(id, NOW + 2), id + EVENT_IDS_PER_MS)
})

test('event ids keep growing when the clock steps back', () => {
  const id = nextEventId(0, NOW)
  assert.equal(nextEventId(id, NOW - 60_000), id + 1)
  assert.equal(nextEventId(5, NETWORK_EPOCH_MS - 1), 6)
})

test('event ids stay exact integers for seventy years', () => {
  const far = NETWORK_EPOCH_MS + 2 ** 41 - 1
  assert.ok(Number.isSafeInteger(firstEventIdAt(far) + EVENT_IDS_PER_MS - 1))
})

test('network time is rounded down to seconds', () => {
  assert.equal(networkTime(NETWORK_EPOCH_MS + 999), 0)
  assert.equal(networkTime(NETWORK_EPOCH_MS + 1000), 1)
  assert.equal(networkTime(NETWORK_EPOCH_MS - 1), -1)
  assert.equal(unixMsOf(networkTime(NOW)), NOW - 530)
})
