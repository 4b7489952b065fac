import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openStore } from '../../../test/storage-support.ts'
import { ENGINES } from '../../../test/world.ts'
import type { Said } from '../../kernel/http/translator.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { equalBytes } from '../../kernel/protocol/codec/bytes.ts'
import type { Mails } from '../mail/port.ts'
import {
  answerRows,
  type ModerationAction,
  type ModerationEntry,
  moderationLogRows,
  reportRows,
  UNANSWERED,
} from '../moderation-records/port.ts'
import { ANSWERED_AT_ONCE, Answering } from './answering.ts'
import { Appeals } from './appeals.ts'
import { MemberMails } from './mails.ts'
import { Moderation, type ModerationOptions } from './moderation.ts'
import { createReports } from './reports.ts'
import { appealRows } from './tables/appeals.ts'

const FID = 7
const CAST = new Uint8Array(20).fill(1)
const NOW_MS = 1_767_225_600_000
const BACK = { actor: 'fid 3 (moderator)', reason: 'It was about boats' }

for (const engine of ENGINES) {
  const start = async (t: TestContext) => {
    const storage = await openStore(t, engine)
    const told: string[] = []
    const mails: Pick<Mails, 'tellAll' | 'publicUrl'> = {
      publicUrl: 'https://club.example',
      tellAll: async (_, { content }) => {
        const say = ((text: string) => text as Said) as Parameters<typeof content>[0]
        told.push(content(say).subject)
      },
    }
    const moderation = new Moderation({
      ...{ storage, clock: { now: () => NOW_MS }, metrics: { acted() {} } },
      mails: new MemberMails(
        () => mails,
        () => NOW_MS,
      ),
      runJob: async () => {},
    } as Partial<ModerationOptions> as ModerationOptions)
    const appeals = new Appeals(storage, moderation, () => NOW_MS / 1_000)
    const decide = (action: ModerationAction, more: Partial<ModerationEntry> = {}) =>
      storage.write('hub', (tx) =>
        tx.of(moderationLogRows).add({
          ...{ at: 1, actor: 'operator', action, fid: FID, reason: 'boats' },
          ...{ cast_hash: CAST, name: null, ...more },
        }),
      )
    return { storage, told, moderation, appeals, decide }
  }

  test(`a warning is taken back once by its id, with an appeal or without one, and nothing else is, on ${engine}`, async (t) => {
    const { storage, told, moderation, appeals, decide } = await start(t)
    const [first, second] = [await decide('warn'), await decide('warn')]
    const hidden = await decide('hide')
    /** The ids of the warnings that were taken back, the newest first. */
    const takenBack = async () => {
      const filter = { fid: FID, actions: ['unwarn'] as const }
      const all = await storage.of(moderationLogRows).list(filter, Number.MAX_SAFE_INTEGER, 10)
      for (const { actor, reason, cast_hash } of all) {
        assert.deepEqual({ actor, reason }, BACK)
        assert.ok(equalBytes(cast_hash!, first.cast_hash!))
      }
      return all.map(({ name }) => Number(name))
    }
    for (let i = 0; i < 2; i++) await moderation.unwarn(first.id, BACK)
    assert.deepEqual(await takenBack(), [first.id])
    assert.deepEqual(told.splice(0), ['A warning of yours was taken back'])
    await assert.rejects(appeals.add(FID, first.id, 'why?'), { code: 'changed_meanwhile' })
    for (const id of [hidden.id, 1_000_000]) {
      await assert.rejects(moderation.unwarn(id, BACK), { code: 'not_found', field: 'id' })
    }
    // An appeal that waits is answered with that, and no other answer is taken.
    const third = await decide('warn')
    const [appeal, other] = [
      await appeals.add(FID, second.id, 'why?'),
      await appeals.add(FID, third.id, 'why?'),
    ]
    await moderation.unwarn(second.id, BACK)
    assert.deepEqual(told.splice(0), ['A warning of yours was taken back'])
    const { state, outcome, answer, answered_by } = (await storage.of(appealRows).find(appeal.id))!
    assert.deepEqual([state, outcome, answer], ['answered', 'reversed', BACK.reason])
    assert.equal(answered_by, BACK.actor)
    assert.equal((await storage.of(appealRows).find(other.id))!.state, 'open')
    const again = await appeals.answer(appeal.id, 'reversed', BACK)
    assert.equal(again.outcome, 'reversed')
    const kept = appeals.answer(appeal.id, 'upheld', { ...BACK, reason: 'It stands' })
    await assert.rejects(kept, { code: 'changed_meanwhile' })
    assert.deepEqual(await takenBack(), [second.id, first.id])
    assert.deepEqual(told, [])
  })

  test(`an appeal that an earlier version left open is not told that its warning stands, on ${engine}`, async (t) => {
    const { storage, appeals, decide } = await start(t)
    const { id: decision } = await decide('warn')
    const { id } = await appeals.add(FID, decision, 'why?')
    await decide('unwarn', { name: String(decision) })
    const kept = appeals.answer(id, 'upheld', BACK)
    await assert.rejects(kept, { code: 'changed_meanwhile', field: 'outcome' })
    assert.equal((await appeals.answer(id, 'reversed', BACK)).outcome, 'reversed')
    assert.equal((await storage.of(appealRows).find(id))!.answer, BACK.reason)
  })

  test(`what ends a decision answers the appeals against it, but not when its time is over or a held cast is hidden, on ${engine}`, async (t) => {
    const { storage, moderation, appeals, decide } = await start(t)
    const actions = ['hide', 'hold', 'limit', 'suspend'] as const
    const cast_hash = new Uint8Array(20).fill(2)
    const stateOf: Record<string, () => Promise<string>> = {}
    for (const action of actions) {
      const onCast = action === 'hide' || action === 'hold'
      const { id: entry } = await decide(action, onCast ? {} : { cast_hash: null })
      const { id } = await appeals.add(FID, entry, 'why?')
      stateOf[action] = async () => {
        const { outcome } = (await storage.of(appealRows).find(id))!
        return outcome ?? 'open'
      }
    }
    const states = async () => {
      const found: string[] = []
      for (const action of actions) found.push(await stateOf[action]!())
      return found.join()
    }
    const ended = (action: ModerationAction, more: object = {}, actor = BACK.actor) =>
      storage.write(['hub', 'all/reports'], (tx) =>
        moderation.log(tx, { ...BACK, actor }, { action, fid: FID, ...more }),
      )
    await ended('unhide', { cast_hash })
    await ended('restore', {}, 'server')
    await ended('hide', { cast_hash: CAST })
    await ended('unlimit', { fid: FID + 1 })
    assert.equal(await states(), 'open,open,open,open')
    await ended('unhide', { cast_hash: CAST })
    assert.equal(await states(), 'reversed,open,open,open')
    await ended('unlimit')
    await ended('restore')
    await ended('release', { cast_hash: CAST })
    assert.equal(await states(), 'reversed,reversed,reversed,reversed')
  })

  test(`a warning that is taken back answers no further reports of its cases, which wait for another decision, on ${engine}`, async (t) => {
    const { storage, moderation } = await start(t)
    const answering = new Answering({
      ...{ storage, moderation, now: () => NOW_MS / 1_000, runJob: async () => {} },
      onError: (error) => assert.ifError(error),
    })
    const reports = createReports({
      ...{ storage, moderation, answering, now: () => NOW_MS / 1_000, polls: undefined },
    })
    const add = (cast_hash: Uint8Array | null, reporter_fid: number) =>
      storage.write('all/reports', (tx) =>
        tx.of(reportRows).add({
          ...{ reporter_fid, fid: FID, cast_hash, mini_app: null, reason: 'rude', created_at: 1 },
          ...{ kind: null, rule: null },
          ...UNANSWERED,
        }),
      )
    const cases: number[] = []
    for (const hash of [CAST, null]) {
      const [first] = [await add(hash, 1_000)]
      cases.push(first.id)
      for (let i = 1; i <= 2 * ANSWERED_AT_ONCE; i++) await add(hash, 1_000 + i)
    }
    const deed = { act: 'warn', once: true } as const
    const by = { actor: 'operator', reason: 'Be kind' }
    const [onCast, onAccount] = [
      await reports.decide(cases[0]!, deed, by),
      await reports.decide(cases[1]!, deed, by),
    ]
    assert.equal(typeof onCast.entry, 'number')
    assert.deepEqual([onCast.changed, onCast.count], [true, 2 * ANSWERED_AT_ONCE + 1])
    // The other case is answered with the same warning.
    assert.deepEqual([onAccount.changed, onAccount.entry], [false, undefined])
    // A call that is repeated reads what it has done, and not what was done before it.
    assert.equal((await reports.decide(cases[0]!, deed, by)).entry, onCast.entry)
    await moderation.unwarn(onCast.entry!, BACK)
    assert.equal((await reports.decide(cases[0]!, deed, by)).entry, undefined)
    const run = { signal: new AbortController().signal, lease: undefined }
    await answering.job.run(run as unknown as Parameters<Job['run']>[0])
    assert.equal(await storage.of(answerRows).next(0), undefined)
    const answered = await storage.of(reportRows).count('resolved')
    assert.equal(answered, 2 * (ANSWERED_AT_ONCE + 1))
    const waiting = await storage.of(reportRows).cases({}, 0, 10)
    assert.deepEqual(
      waiting.map(({ first, reports: n }) => [first.reporter_fid, n]),
      [
        [1_000 + ANSWERED_AT_ONCE + 1, ANSWERED_AT_ONCE],
        [1_000 + ANSWERED_AT_ONCE + 1, ANSWERED_AT_ONCE],
      ],
    )
  })
}
