import { listStatement, type Sql, type SqlValue } from '../engines/sql.ts'
import { hasHash } from '../messages/messages.ts'
import { cursorReader, cursorWriter } from './cursors.ts'
import { KEPT } from './duties.ts'
import { countOf, query, queryEach, type RowOf, rowsWith, table } from './table.ts'

// Hidden and erased content. published.ts has the conditions that leave it out of reads.

/** Accounts that the operator has suspended or that were erased. */
export const ACCOUNT_MODERATIONS = table('account_moderation', {
  fid: { type: 'fid', erasure: KEPT.decision, key: true },
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
  hash: { type: 'bytes', key: true },
  fid: { type: 'fid', erasure: KEPT.decision },
  hidden_at: { type: 'seconds' },
})

/** Work on all messages of an account, done in batches: announcing them as gone or as back, or erasing them. */
export const MODERATION_TASKS = table('moderation_task', {
  id: { type: 'integer', key: true },
  fid: { type: 'fid', erasure: KEPT.bookkeeping },
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

export const MODERATION_ACTIONS = [
  'suspend',
  'restore',
  'hide',
  'unhide',
  'take-name',
  'resolve',
  'erase',
  'export',
  'answer',
  'appoint',
  'dismiss',
  'describe',
  'remove-file',
  'remove-app',
  'restore-app',
  'start-recovery',
  'refuse-recovery',
] as const
export type ModerationAction = (typeof MODERATION_ACTIONS)[number]

/** An audit log of the operator's actions. */
export const MODERATION_LOG = table('moderation_log', {
  id: { type: 'integer', key: true },
  at: { type: 'seconds' },
  actor: { type: 'line', words: false },
  action: { type: 'line', values: MODERATION_ACTIONS },
  fid: { type: 'fid', erasure: KEPT.decision, null: true },
  cast_hash: { type: 'bytes', null: true },
  name: { type: 'line', words: false, null: true },
  reason: { type: 'text', words: false },
})
export type ModerationEntry = RowOf<typeof MODERATION_LOG>

/** Reports of users about an account, a cast or a mini app. */
export const MODERATION_REPORTS = table('moderation_report', {
  id: { type: 'integer', key: true },
  reporter_fid: { type: 'fid', erasure: 'empty' },
  /** Whose it is that is reported; 0: a mini app that nobody has signed. */
  fid: { type: 'integer', erasure: 'empty' },
  cast_hash: { type: 'bytes', null: true },
  reason: { type: 'text', words: true },
  state: { type: 'line', values: ['open', 'resolved'] },
  created_at: { type: 'seconds' },
  resolved_at: { type: 'seconds', null: true },
  /** A note of the operator. */
  resolution: { type: 'text', words: false, null: true },
  /** What the reporter is told. */
  answer: { type: 'text', words: false, null: true },
  /** The domain of a mini app. */
  mini_app: { type: 'line', words: false, null: true },
})
export type Report = RowOf<typeof MODERATION_REPORTS>

/** What members say against decisions about them. */
export const MODERATION_APPEALS = table('moderation_appeal', {
  id: { type: 'integer', key: true },
  fid: { type: 'fid', erasure: 'empty' },
  /** The entry of the log. */
  decision: { type: 'integer' },
  /** What was decided, about which cast: the log may be longer than a reader wants to search. */
  action: { type: 'line', values: MODERATION_ACTIONS },
  cast_hash: { type: 'bytes', null: true },
  text: { type: 'text', words: true },
  state: { type: 'line', values: ['open', 'answered'] },
  created_at: { type: 'seconds' },
  answered_at: { type: 'seconds', null: true },
  outcome: { type: 'line', null: true, values: ['upheld', 'reversed'] },
  answer: { type: 'text', words: false, null: true },
  answered_by: { type: 'line', words: false, null: true },
})
export type Appeal = RowOf<typeof MODERATION_APPEALS>

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

/** `withoutReportsAbout` is an account that learns nothing of the reports about it. */
type Unseen = { readonly withoutReportsAbout?: number | undefined }
type LogFilter = Unseen & { readonly fid?: number | undefined }
/** No account has it: nothing is left out. */
const NOBODY = -1

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
  version: async () => Number((await cursorReader(sql).get(VERSION_CURSOR)) ?? 0),
  hiddenCast: (hash: Uint8Array) => HIDDEN_CASTS.find(sql, hash),
  /** The stored casts of an account that are hidden. */
  hiddenCastCount: (fid: number) => countOf(sql, HIDDEN_CAST_COUNT, [fid]),
  /** Those of the hashes that are of hidden casts. */
  hiddenCastsAmong: (hashes: readonly Uint8Array[]) => HIDDEN_CASTS.findBy(sql, 'hash', hashes),
  suspendedCount: () =>
    countOf(sql, 'select count(*) as n from account_moderation where suspended = 1'),
  /** The oldest task that has messages left. */
  nextTask: () => MODERATION_TASKS.first(sql, 'where step < ? order by id limit 1', [ERASED_STEP]),
  /** The oldest erasures whose messages are gone from the store. */
  erasedTasks: () =>
    MODERATION_TASKS.select(sql, 'where step >= ? order by id limit (? + 0)', [
      ERASED_STEP,
      MAX_ERASED_TASKS,
    ]),
  /** Newest first, before this id. */
  log: ({ fid, withoutReportsAbout = NOBODY }: LogFilter, beforeId: number, limit: number) => {
    const whose = fid === undefined ? '' : 'and fid = ?'
    const of = fid === undefined ? [] : [fid]
    const parameters: SqlValue[] = [beforeId, withoutReportsAbout, ...of, limit]
    return MODERATION_LOG.select(
      sql,
      `where id < ? and not (action = 'resolve' and coalesce(fid, 0) = ?) ${whose} order by id desc limit (? + 0)`,
      parameters,
    )
  },
  entry: (id: number) => MODERATION_LOG.find(sql, id),
  report: (id: number) => MODERATION_REPORTS.find(sql, id),
  /** The newest reports of a user. */
  ownReports: (reporter: number, limit: number) =>
    MODERATION_REPORTS.select(
      sql,
      'where reporter_fid = ? order by created_at desc, id desc limit (? + 0)',
      [reporter, limit],
    ),
  appeal: (id: number) => MODERATION_APPEALS.find(sql, id),
  /** Oldest first, after this id. */
  appeals: (state: Appeal['state'], afterId: number, limit: number) =>
    MODERATION_APPEALS.select(sql, 'where state = ? and id > ? order by id limit (? + 0)', [
      state,
      afterId,
      limit,
    ]),
  /** The newest appeals of a user. */
  ownAppeals: (fid: number, limit: number) =>
    MODERATION_APPEALS.select(sql, 'where fid = ? order by id desc limit (? + 0)', [fid, limit]),
  appealCount: (state: Appeal['state']) =>
    MODERATION_APPEALS.count(sql, 'where state = ?', [state]),
  /** Oldest first, after this id. */
  reports: (
    { state, withoutReportsAbout = NOBODY }: Unseen & Pick<Report, 'state'>,
    afterId: number,
    limit: number,
  ) =>
    MODERATION_REPORTS.select(
      sql,
      'where state = ? and id > ? and fid <> ? order by id limit (? + 0)',
      [state, afterId, withoutReportsAbout, limit],
    ),
  /** Whether a report about a cast is open that was made after a time in Unix seconds. */
  async isReported(
    { fid, hash }: { fid: number; hash: Uint8Array },
    after: number,
  ): Promise<boolean> {
    const rest = "where state = 'open' and fid = ? and cast_hash = ? and created_at > ? limit 1"
    return (await MODERATION_REPORTS.first(sql, rest, [fid, hash, after])) !== undefined
  },
  reportCount: (state: Report['state']) =>
    MODERATION_REPORTS.count(sql, 'where state = ?', [state]),
  /** Reports of a user since a time, in Unix seconds. */
  reportsBy: (reporter: number, since: number, limit: number) =>
    MODERATION_REPORTS.select(
      sql,
      'where reporter_fid = ? and created_at >= ? order by created_at desc limit (? + 0)',
      [reporter, since, limit],
    ),
})

/** `onHidden` is called when accounts or casts are hidden or shown. */
export const moderationWriter = (sql: Sql, onHidden: () => void) => ({
  ...moderationReader(sql),
  async putAccount(account: AccountModeration): Promise<void> {
    onHidden()
    await ACCOUNT_MODERATIONS.upsert(sql, [account])
    const version = (await moderationReader(sql).version()) + 1
    await cursorWriter(sql).put(VERSION_CURSOR, String(version))
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
  async addEntry(entry: Omit<ModerationEntry, 'id'>): Promise<ModerationEntry> {
    const added = { ...entry, id: (await MODERATION_LOG.max(sql, 'id')) + 1 }
    await MODERATION_LOG.insert(sql, [added])
    return added
  },
  async addReport(report: Omit<Report, 'id'>): Promise<Report> {
    const added = { ...report, id: (await MODERATION_REPORTS.max(sql, 'id')) + 1 }
    await MODERATION_REPORTS.insert(sql, [added])
    return added
  },
  async addAppeal(appeal: Omit<Appeal, 'id'>): Promise<Appeal> {
    const added = { ...appeal, id: (await MODERATION_APPEALS.max(sql, 'id')) + 1 }
    await MODERATION_APPEALS.insert(sql, [added])
    return added
  },
  putAppeal: (appeal: Appeal) => MODERATION_APPEALS.upsert(sql, [appeal]),
  /** Deletes the oldest answered appeals beyond this number. */
  async trimAppeals(kept: number): Promise<void> {
    const [row] = await query<{ id: number }>(
      sql,
      "select id from moderation_appeal where state = 'answered' order by id desc limit 1 offset ?",
      [kept],
    )
    if (row) {
      await MODERATION_APPEALS.removeWhere(sql, "state = 'answered' and id <= ?", [row.id])
    }
  },
  putReport: (report: Report) => MODERATION_REPORTS.upsert(sql, [report]),
  /** Deletes the oldest resolved reports beyond this number. */
  async trimReports(kept: number): Promise<void> {
    const [row] = await query<{ id: number }>(
      sql,
      "select id from moderation_report where state = 'resolved' order by id desc limit 1 offset ?",
      [kept],
    )
    if (row) {
      await MODERATION_REPORTS.removeWhere(sql, "state = 'resolved' and id <= ?", [row.id])
    }
  },
})
