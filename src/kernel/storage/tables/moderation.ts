import { randomUUID } from 'node:crypto'
import { listStatement, type Sql } from '../engines/sql.ts'
import { hasHash } from '../messages/messages.ts'
import { cursorReader, cursorWriter } from './cursors.ts'
import { KEPT, NOT_EXPORTED } from './duties.ts'
import { countOf, query, queryEach, type RowOf, rowsWith, table } from './table.ts'

// Hidden and erased content. published.ts has the conditions that leave it out of reads.

/** Accounts that the operator has suspended or that were erased. */
export const ACCOUNT_MODERATIONS = table('account_moderation', {
  fid: { type: 'fid', erasure: KEPT.decision, exported: true, key: true },
  suspended: { type: 'flag' },
  /** Its messages are being erased. */
  erasing: { type: 'flag' },
  /** Suspended or being erased: nothing of the account is published. */
  hidden: { type: 'flag' },
  /** Network seconds: messages of the account up to then were erased and are refused for good; 0: none. */
  erased_before: { type: 'integer' },
  /** Deadline of the last signed request for erasure that was accepted; 0: none. */
  erase_deadline: { type: 'seconds' },
  changed_at: { type: 'seconds' },
})
export type AccountModeration = RowOf<typeof ACCOUNT_MODERATIONS>

/** Casts that the operator has hidden, whether they are stored at the moment or not. */
export const HIDDEN_CASTS = table('hidden_cast', {
  hash: { type: 'bytes', withheld: false, key: true },
  fid: { type: 'fid', erasure: KEPT.decision, exported: true },
  hidden_at: { type: 'seconds' },
})

/** Work on all messages of an account, done in batches: announcing them as gone or as back, or erasing them. */
export const MODERATION_TASKS = table('moderation_task', {
  id: { type: 'integer', key: true },
  fid: { type: 'fid', erasure: KEPT.bookkeeping, exported: NOT_EXPORTED.bookkeeping },
  kind: { type: 'line', values: ['revoke', 'merge', 'erase'] },
  /** Which list of messages, or which later step, is being worked on. */
  step: { type: 'integer' },
  /** The page token after the last batch. */
  position: { type: 'bytes', null: true },
})
/**
 * The step of an erasure whose messages are gone from the store. Its position is the id of the last event before. Copies
 * elsewhere are still to be removed.
 */
export const ERASED_STEP = 1_000
export type ModerationTask = RowOf<typeof MODERATION_TASKS>

const HIDDEN_FIDS = listStatement(
  { fid: 'bigint' },
  'select a.fid from input i join account_moderation a on a.fid = i.fid and a.hidden = 1',
)
const HIDDEN_CAST_COUNT = `select count(*) as n from hidden_cast h join message m
  on ${hasHash('h.hash')} where h.fid = ?`
/** The badge list leaves out this many hidden accounts at most. */
const MAX_HIDDEN_FIDS = 100_000

/** Changes whenever an account is hidden or shown: for copies of lists that leave hidden accounts out. */
const VERSION_CURSOR = 'moderation'

/** Erasures that are finished together. */
const MAX_ERASED_TASKS = 100

export const moderationReader = (sql: Sql) => ({
  account: (fid: number) => ACCOUNT_MODERATIONS.find(sql, fid),
  /** Those of the fids that are hidden. */
  async hiddenAmong(fids: readonly number[]): Promise<Set<number>> {
    const rows = rowsWith('fid', [...new Set(fids)])
    const found = await queryEach<{ fid: number }, { fid: 'bigint' }>(sql, HIDDEN_FIDS, rows)
    return new Set(found.map(({ fid }) => fid))
  },
  /** All hidden accounts. */
  async hiddenFids(): Promise<number[]> {
    const text = 'select fid from account_moderation where hidden = 1 order by fid limit (? + 0)'
    return (await query<{ fid: number }>(sql, text, [MAX_HIDDEN_FIDS])).map(({ fid }) => fid)
  },
  /** Random, so that a copy is never taken for current after other data took the place of these. */
  version: async () => (await cursorReader(sql).get(VERSION_CURSOR)) ?? '',
  hiddenCast: (hash: Uint8Array) => HIDDEN_CASTS.find(sql, hash),
  /** The stored casts of an account that are hidden. */
  hiddenCastCount: (fid: number) => countOf(sql, HIDDEN_CAST_COUNT, [fid]),
  /** Those of the hashes that are of hidden casts. */
  hiddenCastsAmong: (hashes: readonly Uint8Array[]) => HIDDEN_CASTS.findBy(sql, 'hash', hashes),
  /** How many accounts there are; `limit` stands for that many or more. */
  suspendedCount: (limit: number) =>
    countOf(
      sql,
      'select count(*) as n from (select 1 as one from account_moderation where suspended = 1 limit (? + 0)) c',
      [limit],
    ),
  /** The oldest task that has messages left. */
  nextTask: () => MODERATION_TASKS.first(sql, 'where step < ? order by id limit 1', [ERASED_STEP]),
  /** The oldest erasures whose messages are gone from the store. */
  erasedTasks: () =>
    MODERATION_TASKS.select(sql, 'where step >= ? order by id limit (? + 0)', [
      ERASED_STEP,
      MAX_ERASED_TASKS,
    ]),
})

/** `onHidden` is called when accounts or casts are hidden or shown. */
export const moderationWriter = (sql: Sql, onHidden: () => void) => ({
  ...moderationReader(sql),
  async putAccount(account: AccountModeration): Promise<void> {
    onHidden()
    await ACCOUNT_MODERATIONS.upsert(sql, [account])
    await cursorWriter(sql).put(VERSION_CURSOR, randomUUID())
  },
  hideCast(cast: RowOf<typeof HIDDEN_CASTS>): Promise<void> {
    onHidden()
    return HIDDEN_CASTS.upsert(sql, [cast])
  },
  async unhideCast(hash: Uint8Array): Promise<void> {
    onHidden()
    await HIDDEN_CASTS.remove(sql, [{ hash }])
  },
  async addTask(task: Pick<ModerationTask, 'fid' | 'kind'>): Promise<ModerationTask> {
    const id = (await MODERATION_TASKS.max(sql, 'id')) + 1
    const added = { ...task, id, step: 0, position: null }
    await MODERATION_TASKS.insert(sql, [added])
    return added
  },
  putTask: (task: ModerationTask) => MODERATION_TASKS.upsert(sql, [task]),
  removeTask: ({ id }: ModerationTask) => MODERATION_TASKS.remove(sql, [{ id }]),
})
