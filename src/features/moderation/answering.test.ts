import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../test/storage-support.ts'
import { ENGINES } from '../../../test/world.ts'
import {
  answerRows,
  type Report,
  type ReportAnswer,
  reportRows,
  UNANSWERED,
} from '../moderation-records/port.ts'
import { takeCase } from './claims.ts'
import { type Answer, resolved } from './resolving.ts'

const idsOf = (reports: readonly Report[]) => reports.map(({ id }) => id)
const HASH = new Uint8Array(20).fill(1)
const REPORT: Omit<Report, 'id' | 'reporter_fid'> = {
  ...{ fid: 2, cast_hash: null, mini_app: null, reason: 'spam', created_at: 1 },
  ...{ kind: null, rule: null },
  ...UNANSWERED,
}
const SUSPENDED = {
  act: 'suspend',
  actor: 'fid 9 (moderator)',
  reason: 'Spam',
  decision: 7,
} as const
const NO_FAULT = { act: 'leave', actor: 'fid 8 (moderator)', reason: 'No fault' } as const

for (const engine of ENGINES) {
  test(`what a decision is answering still cannot be decided otherwise, unless it is taken back, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const add = (reporter_fid: number, about: Partial<Report> = {}) =>
      storage.write('all/reports', (tx) =>
        tx.of(reportRows).add({ ...REPORT, reporter_fid, ...about }),
      )
    const decide = ({ id }: Report, answer: Answer) =>
      storage.write('all/reports', (tx) => resolved(tx, id, answer, 2))
    const take = ({ id }: Report) =>
      takeCase(storage, id, { by: { fid: 8, actor: NO_FAULT.actor }, word: undefined, now: 2 })
    const reports = storage.of(reportRows)
    const casesNow = async () =>
      (await reports.cases({}, 0, 10)).map(({ first, reports: n }) => [first.id, n])
    const decided = await add(3)
    const rest = await add(4)
    const onCast = await add(5, { cast_hash: HASH })
    const elsewhere = await add(5, { fid: 6 })
    const settled: ReportAnswer = {
      ...{ report_id: decided.id, fid: 2, cast_hash: null, mini_app: null, up_to: elsewhere.id },
      ...SUSPENDED,
    }
    await decide(decided, SUSPENDED)
    await storage.write('all/reports', (tx) => tx.of(answerRows).add(settled))
    const later = await add(4)

    const conflict = { code: 'changed_meanwhile', message: /is being answered already, by fid 9/ }
    for (const one of [rest, onCast]) {
      await assert.rejects(decide(one, NO_FAULT), conflict)
      await assert.rejects(take(one), conflict)
    }
    // Who decides the same finds it done.
    assert.equal((await decide(rest, SUSPENDED)).isChanged, false)
    assert.deepEqual(await casesNow(), [
      [elsewhere.id, 1],
      [later.id, 1],
    ])
    assert.equal((await reports.casesNotAbout([])).count, 2)
    assert.deepEqual(idsOf(await reports.waitingOn(rest, 10)), [later.id])
    // A decision about what came later leaves the others to the one before it.
    const next = { report_id: later.id, up_to: later.id }
    assert.deepEqual(idsOf(await reports.settledOn(later, next, 10)), [later.id])
    assert.deepEqual(idsOf(await reports.settledOf(2, next, 10)), [later.id])
    assert.deepEqual(idsOf(await reports.settledOf(2, settled, 10)), [rest.id, onCast.id])
    assert.deepEqual(await reports.answeredBy(SUSPENDED.decision, [3, 4]), new Set([3]))

    await storage.write('all/reports', (tx) =>
      tx.of(answerRows).withdraw({ act: 'suspend', fid: 2 }),
    )
    assert.deepEqual(await casesNow(), [
      [rest.id, 2],
      [onCast.id, 1],
      [elsewhere.id, 1],
    ])
    assert.equal((await take(rest)).report_id, rest.id)
    assert.equal((await decide(rest, NO_FAULT)).result.answer, NO_FAULT.reason)
  })
}
