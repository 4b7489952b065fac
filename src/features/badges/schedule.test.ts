import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { WEEK_MS } from '../../kernel/protocol/time.ts'
import { lastDue, nextDue } from './schedule.ts'

const at = (text: string) => Date.parse(text)

describe('the last Tuesday at noon UTC', () => {
  const TUESDAY = '2026-01-06T12:00:00.000Z'
  for (const [now, due] of [
    ['2026-01-06T11:59:59.999Z', '2025-12-30T12:00:00.000Z'],
    [TUESDAY, TUESDAY],
    ['2026-01-06T12:00:00.001Z', TUESDAY],
    ['2026-01-13T11:59:59.999Z', TUESDAY],
    ['2025-12-31T23:59:59.999Z', '2025-12-30T12:00:00.000Z'],
    ['2026-01-01T00:00:00.000Z', '2025-12-30T12:00:00.000Z'],
    // 29 February is a Tuesday.
    ['2028-02-29T12:00:00.000Z', '2028-02-29T12:00:00.000Z'],
    ['2028-03-01T00:00:00.000Z', '2028-02-29T12:00:00.000Z'],
    // Summer time begins and ends in Europe and America within these weeks.
    ['2026-03-31T11:59:59.000Z', '2026-03-24T12:00:00.000Z'],
    ['2026-03-31T12:00:00.000Z', '2026-03-31T12:00:00.000Z'],
    ['2026-11-03T11:59:59.000Z', '2026-10-27T12:00:00.000Z'],
    ['2026-11-03T12:00:00.000Z', '2026-11-03T12:00:00.000Z'],
    ['1969-12-31T00:00:00.000Z', '1969-12-30T12:00:00.000Z'],
  ] as const) {
    test(`the last scheduled run at ${now} was ${due}`, () => {
      assert.equal(new Date(lastDue(at(now))).toISOString(), due)
      assert.equal(nextDue(at(now)), at(due) + WEEK_MS)
    })
  }

  test('the last scheduled run is a Tuesday at noon less than a week ago, at any time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: at('2090-01-01T00:00:00Z') }), (now) => {
        const due = new Date(lastDue(now))
        assert.equal(due.getUTCDay(), 2)
        assert.equal(due.toISOString().slice(10), 'T12:00:00.000Z')
        assert.ok(due.getTime() <= now && now - due.getTime() < WEEK_MS)
      }),
      { seed: 7 },
    )
  })
})
