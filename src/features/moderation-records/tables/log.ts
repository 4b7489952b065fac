import type { Sql, SqlValue } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT } from '../../../kernel/storage/tables/duties.ts'
import { query, type RowOf, table } from '../../../kernel/storage/tables/table.ts'

export const MODERATION_ACTIONS = [
  'suspend',
  'restore',
  'limit',
  'unlimit',
  'warn',
  'hold',
  'hide',
  'unhide',
  /** A cast that was held is shown for the first time. */
  'release',
  'take-name',
  'resolve',
  'erase',
  'export',
  'answer',
  'appoint',
  'dismiss',
  'describe',
  'set',
  'remove-file',
  'remove-poll',
  'remove-app',
  'restore-app',
  'start-recovery',
  'refuse-recovery',
  'approve-join',
  'decline-join',
  'list-term',
  'unlist-term',
  'limit-newcomers',
] as const
export type ModerationAction = (typeof MODERATION_ACTIONS)[number]

/** An audit log of the operator's actions. */
export const MODERATION_LOG = table('moderation_log', {
  id: { type: 'integer', key: true },
  at: { type: 'seconds' },
  actor: { type: 'line', words: false },
  action: { type: 'line', values: MODERATION_ACTIONS },
  fid: {
    type: 'fid',
    erasure: KEPT.decision,
    exported: {
      not: 'Has notes of moderators and what others reported; own-moderation tells what the account may know.',
    },
    null: true,
  },
  cast_hash: { type: 'bytes', null: true },
  name: { type: 'line', words: false, null: true },
  reason: { type: 'text', words: false },
})
export type ModerationEntry = RowOf<typeof MODERATION_LOG>

/** `withoutReportsAbout` is an account that learns nothing of the reports about it. */
type LogFilter = {
  readonly fid?: number | undefined
  /** All unless given. */
  readonly actions?: readonly ModerationAction[]
  readonly withoutReportsAbout?: number | undefined
}
/** No account has it: nothing is left out. */
const NO_FID = -1

export const moderationLogReader = (sql: Sql) => ({
  /** Newest first, before this id. */
  list: (
    { fid, actions = [], withoutReportsAbout = NO_FID }: LogFilter,
    beforeId: number,
    limit: number,
  ) => {
    const whose = fid === undefined ? '' : 'and fid = ?'
    const of = fid === undefined ? [] : [fid]
    const which = actions.length > 0 ? `and action in (${actions.map(() => '?').join()})` : ''
    const parameters: SqlValue[] = [beforeId, withoutReportsAbout, ...of, ...actions, limit]
    return MODERATION_LOG.select(
      sql,
      `where id < ? and not (action = 'resolve' and coalesce(fid, 0) = ?) ${whose} ${which} order by id desc limit (? + 0)`,
      parameters,
    )
  },
  find: (id: number) => MODERATION_LOG.find(sql, id),
  findAll: (ids: readonly number[]) =>
    MODERATION_LOG.findAll(
      sql,
      ids.map((id) => ({ id })),
    ),
})

export const moderationLogWriter = (sql: Sql) => ({
  ...moderationLogReader(sql),
  async add(entry: Omit<ModerationEntry, 'id'>): Promise<ModerationEntry> {
    const added = { ...entry, id: (await MODERATION_LOG.max(sql, 'id')) + 1 }
    await MODERATION_LOG.insert(sql, [added])
    return added
  },
  /** Takes what people who asked to join were called, and what they were told, out of entries from before a time. */
  async forgetJoins(before: number): Promise<void> {
    // They are about no account, which an index knows.
    await query(
      sql,
      `update moderation_log set name = null, reason = '-'
        where fid is null and at < ? and action in ('approve-join', 'decline-join')
          and (name is not null or reason <> '-')
        returning id`,
      [before],
    )
  },
})

/** `storage.of(moderationLogRows)` reads this table, and `tx.of(moderationLogRows)` writes it. */
export const moderationLogRows = rowsOf(moderationLogReader, ({ sql }) => moderationLogWriter(sql))
