import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../../test/storage-support.ts'
import { ENGINES } from '../../../../test/world.ts'
import type { ModerationAction } from '../actions.ts'
import { moderationLogRows } from './log.ts'
import { reportStatisticRows, STATISTICS_WEEK_SECONDS } from './report-statistics.ts'
import { type Report, reportRows, UNANSWERED } from './reports.ts'

const SINCE = 10 * STATISTICS_WEEK_SECONDS
const NOBODY = -1
const REPORT = {
  ...{ reporter_fid: 1, fid: 2, cast_hash: null, mini_app: null, reason: 'x', rule: null },
}

for (const engine of ENGINES) {
  test(`reports are counted by week and kind, with the time until they were answered, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const answered = (created_at: number, seconds: number, more: Partial<Report> = {}) => ({
      ...{ ...REPORT, kind: 'spam', created_at, resolved_at: created_at + seconds, act: 'hide' },
      ...{ state: 'resolved', resolution: 'fid 7 (moderator): no', answer: 'no', ...more },
    })
    await storage.write('all/reports', async (tx) => {
      const rows = [
        answered(SINCE - 1, 5),
        // Ten in the first week: 1 to 10 minutes.
        ...Array.from({ length: 10 }, (_, i) => answered(SINCE + i, (10 - i) * 60)),
        answered(SINCE + STATISTICS_WEEK_SECONDS - 1, 11 * 60, { kind: null, act: 'leave' }),
        answered(SINCE + STATISTICS_WEEK_SECONDS, 2, { kind: 'hate', fid: 3 }),
        // Nobody has decided about it.
        answered(SINCE + STATISTICS_WEEK_SECONDS, 1, { resolution: 'server: gone', act: null }),
        { ...REPORT, ...UNANSWERED, kind: 'hate' as const, created_at: SINCE + 1 },
      ]
      for (const row of rows) await tx.of(reportRows).add(row as Omit<Report, 'id'>)
    })
    const statistics = storage.of(reportStatisticRows)
    const window = { since: SINCE, without: NOBODY }
    const counts = (await statistics.counts(window)).map(({ week, kind, act, state, n }) => [
      ...[week, kind, act, state, n],
    ])
    assert.deepEqual(counts, [
      [0, '', 'leave', 'resolved', 1],
      [0, 'hate', '', 'open', 1],
      [0, 'spam', 'hide', 'resolved', 10],
      [1, 'hate', 'hide', 'resolved', 1],
      [1, 'spam', '', 'resolved', 1],
    ])
    const times = (await statistics.times(window)).map(({ week, n, median, p90 }) => [
      ...[week, n, median, p90],
    ])
    assert.deepEqual(times, [
      [-1, 12, 300, 600],
      [0, 11, 360, 600],
      [1, 1, 2, 2],
    ])
    const withoutThree = await statistics.times({ since: SINCE, without: 3 })
    assert.deepEqual(
      withoutThree.map(({ week, n }) => [week, n]),
      [
        [-1, 11],
        [0, 11],
      ],
    )
    assert.equal(await statistics.oldestKept(14), SINCE - 1)
    assert.equal(await statistics.oldestKept(15), undefined)
  })

  test(`a decision counts once with the answer to its reports, and not once it is taken back, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const by = { actor: 'fid 7 (moderator)', at: SINCE, name: null, reason: 'x' }
    const hash = new Uint8Array(20).fill(7)
    await storage.write('hub', async (tx) => {
      const log = tx.of(moderationLogRows)
      const add = (action: ModerationAction, fid: number, more: object = {}) =>
        log.add({ ...by, fid, cast_hash: null, action, ...more })
      const hidden = await add('hide', 5, { cast_hash: hash })
      await add('resolve', 5, { cast_hash: hash, goes_with: hidden.id })
      // Left as they were, twice with the same words.
      await add('resolve', 6, { at: SINCE + 1, reason: 'ok' })
      await add('resolve', 6, { at: SINCE + 1, reason: 'ok' })
      await add('suspend', 5)
      await add('suspend', 6)
      const other = { actor: 'fid 8 (operator)', at: SINCE + 2, reason: 'wrong' }
      const restored = await add('restore', 6, other)
      await add('answer', 6, { ...other, goes_with: restored.id })
      // What stood so already by somebody else.
      await add('resolve', 5, { ...other, goes_with: hidden.id })
      await add('suspend', 6, { at: SINCE + 3, reason: 'again' })
      await add('warn', 7)
      const { id } = await add('warn', 7)
      await add('unwarn', 7, { actor: 'fid 8 (operator)', at: SINCE + 4, name: String(id) })
      for (const action of ['appoint', 'describe', 'set', 'export'] as const) await add(action, 3)
      for (const fid of [5, 5, 5]) {
        const answered = { state: 'resolved', resolved_at: SINCE, answer: 'x' } as const
        const report = { ...REPORT, ...answered, kind: 'spam' as const, created_at: SINCE }
        // Of an earlier version.
        const decision = null
        await tx
          .of(reportRows)
          .add({ ...report, fid, decision, resolution: 'fid 7: x', act: 'suspend' })
      }
    })
    const statistics = storage.of(reportStatisticRows)
    const window = { since: SINCE, without: NOBODY }
    const counted = (await statistics.byActor(window)).map(({ actor, action, n }) => [
      ...[actor.slice(0, 5), action, n],
    ])
    assert.deepEqual(counted, [
      ['fid 7', 'resolve', 2],
      ['fid 7', 'suspend', 2],
      ['fid 7', 'hide', 1],
      ['fid 7', 'warn', 1],
      ['fid 8', 'resolve', 1],
      ['fid 8', 'restore', 1],
      ['fid 8', 'unwarn', 1],
    ])
    const acts = (await statistics.acts(window)).map(({ act, n }) => [act, n])
    assert.deepEqual(acts, [['suspend', 1]])
  })

  test(`two warnings with the same words are two acts, one for several cases is one, and so is each case that was left, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const entry = { at: SINCE, actor: 'fid 7 (moderator)', fid: 2, cast_hash: null, name: null }
    await storage.write(['hub', 'all/reports'], async (tx) => {
      const add = (action: ModerationAction, goes_with: number | null = null) =>
        tx.of(moderationLogRows).add({ ...entry, action, reason: 'x', goes_with })
      const [first, second] = [await add('warn'), await add('warn')]
      for (const [act, warning, reports] of [
        ['warn', first, 2],
        ['warn', first, 1],
        ['warn', second, 1],
        ['leave', undefined, 2],
        ['leave', undefined, 1],
      ] as const) {
        const { id: decision } = await add('resolve', warning?.id ?? null)
        const answer = { ...{ state: 'resolved', resolved_at: SINCE, answer: 'x' }, act, decision }
        const report = { ...REPORT, kind: 'spam', created_at: SINCE, resolution: 'fid 7: x' }
        for (let i = 0; i < reports; i++) {
          await tx.of(reportRows).add({ ...report, ...answer } as Omit<Report, 'id'>)
        }
      }
    })
    const statistics = storage.of(reportStatisticRows)
    const window = { since: SINCE, without: NOBODY }
    const acts = (await statistics.acts(window)).map(({ act, n }) => [act, n])
    assert.deepEqual(acts, [
      ['leave', 2],
      ['warn', 2],
    ])
    const counted = (await statistics.byActor(window)).map(({ action, n }) => [action, n])
    assert.deepEqual(counted, [
      ['resolve', 2],
      ['warn', 2],
    ])
  })

  test(`decisions are counted by who made them, without what is about the reader, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const entry = { at: SINCE, cast_hash: null, name: null, reason: 'x', fid: 5 }
    await storage.write('hub', async (tx) => {
      const log = tx.of(moderationLogRows)
      for (const action of ['resolve', 'resolve', 'hide'] as const) {
        await log.add({ ...entry, actor: 'fid 7 (moderator)', action })
      }
      for (const action of ['resolve', 'warn', 'hide', 'suspend', 'limit'] as const) {
        await log.add({ ...entry, fid: 9, actor: 'fid 7 (moderator)', action })
      }
      await log.add({ ...entry, fid: null, actor: 'fid 7 (moderator)', action: 'list-term' })
      await log.add({ ...entry, at: SINCE - 1, actor: 'fid 8 (moderator)', action: 'warn' })
      await log.add({ ...entry, actor: 'fid 8 (moderator)', action: 'warn' })
      await log.add({ ...entry, actor: 'server', action: 'hold' })
    })
    const counted = await storage.of(reportStatisticRows).byActor({ since: SINCE, without: 9 })
    assert.deepEqual(
      counted.map(({ actor, action, n }) => [actor, action, n]),
      [
        ['fid 7 (moderator)', 'resolve', 2],
        ['fid 7 (moderator)', 'hide', 1],
        ['fid 8 (moderator)', 'warn', 1],
      ],
    )
    const statistics = storage.of(reportStatisticRows)
    assert.equal(await statistics.logSince(), undefined)
    // The newest entry is of the server: it is none of those by people that are counted.
    assert.equal(await statistics.logSince(12, 1), SINCE)
    assert.equal(await statistics.logSince(12, 2), SINCE - 1)
    assert.equal(await statistics.logSince(1, 5), SINCE)
  })
}
