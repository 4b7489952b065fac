import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstEventIdAt } from '../protocol/event-id.ts'
import { AskedLately } from './asked-lately.ts'

const idsFrom = (ms: number, count: number) =>
  Array.from({ length: count }, (_, i) => firstEventIdAt(ms + i))

test('ids are known when they are asked for again, and forgotten after many others', () => {
  const asked = new AskedLately(1_000)
  const known = (ids: readonly number[]) => ids.filter((id) => asked.again(id)).length
  const ids = idsFrom(1_800_000_000_000, 200)
  assert.equal(known(ids), 0)
  assert.ok(known(ids) > 150, 'few share a place with another')
  known(idsFrom(1_800_000_100_000, 20_000))
  assert.ok(known(ids) < 50, 'most are forgotten')
})
