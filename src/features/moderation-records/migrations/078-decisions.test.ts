import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../../test/storage-support.ts'
import { ENGINES } from '../../../../test/world.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { query } from '../../../kernel/storage/tables/table.ts'
import type { ModerationAction } from '../actions.ts'
import { moderationLogRows } from '../tables/log.ts'
import { type Report, reportRows } from '../tables/reports.ts'
import { MATCH_DECISIONS } from './078-decisions.ts'

const migrationRows = rowsOf(
  () => ({}),
  ({ sql }) => ({
    match: async () => {
      for (const statement of MATCH_DECISIONS) await query(sql, `${statement} returning 1 as n`)
    },
  }),
)
const [ONE, OTHER] = [new Uint8Array(20).fill(1), new Uint8Array(20).fill(2)]

for (const engine of ENGINES) {
  test(`answers of earlier versions get the act that they went with, by words and times, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const { goesWith, decisions } = await storage.write(['hub', 'all/reports'], async (tx) => {
      const entry = { at: 1_000, actor: 'operator', fid: 2, cast_hash: ONE, name: null }
      const add = async (action: ModerationAction, more: object = {}) =>
        (await tx.of(moderationLogRows).add({ ...entry, action, reason: 'rude', ...more })).id
      const answered = async (more: Partial<Report> = {}) =>
        (
          await tx.of(reportRows).add({
            ...{ reporter_fid: 1, fid: 2, cast_hash: ONE, mini_app: null, reason: 'x', rule: null },
            ...{ state: 'resolved', created_at: 900, resolved_at: 1_000, answer: 'rude' },
            ...{ resolution: 'operator: rude', act: 'warn', kind: null, decision: null, ...more },
          })
        ).id
      const warned = await add('warn')
      const first = await add('resolve')
      // Another case about the account, half an hour later, which was the same warning.
      const further = await add('resolve', { at: 2_800, cast_hash: OTHER })
      // Who made the poll is somebody else.
      const removed = await add('remove-poll', { fid: 3, reason: 'poll' })
      const withPoll = await add('resolve', { reason: 'poll' })
      const left = await add('resolve', { reason: 'it is fine' })
      const late = await add('resolve', { at: 5_000 })
      const reports = [
        await answered(),
        await answered({ cast_hash: OTHER, resolved_at: 2_810 }),
        await answered({ resolution: 'operator: another' }),
        await answered({ act: 'leave' }),
      ]
      await tx.of(migrationRows).match()
      const log = await tx.of(moderationLogRows).findAll([first, further, withPoll, left, late])
      const found = await Promise.all(reports.map((id) => tx.of(reportRows).find(id)))
      assert.deepEqual(
        found.map((one) => one!.decision),
        [first, further, null, null],
      )
      return {
        goesWith: log.toSorted((a, b) => a.id - b.id).map(({ goes_with }) => goes_with),
        decisions: [warned, warned, removed, null, null],
      }
    })
    assert.deepEqual(goesWith, decisions)
  })
}
