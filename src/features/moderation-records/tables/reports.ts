import { listStatement, type Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { NOT_EXPORTED, WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import { query, queryEach, type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** What members may say is wrong; `rule`: a rule of the server, by its words. */
export const COMPLAINTS = [
  'spam',
  'harassment',
  'hate',
  'violence',
  'sexual',
  'child-safety',
  'impersonation',
  'illegal',
  'rule',
  'other',
] as const
/** `held`: the server holds the cast for review. */
export const REPORT_KINDS = [...COMPLAINTS, 'held'] as const
export type ReportKind = (typeof REPORT_KINDS)[number]

/** What is done about something that is reported. */
export const ACTS = ['leave', 'warn', 'hide', 'remove-poll', 'limit', 'suspend'] as const
export type Act = (typeof ACTS)[number]

/** Reports of users about an account, a cast or a mini app. */
export const MODERATION_REPORTS = table('moderation_report', {
  id: { type: 'integer', key: true },
  reporter_fid: { type: 'fid', erasure: 'empty', exported: true },
  /** Whose it is that is reported; 0: a mini app that nobody has signed. */
  fid: { type: 'integer', erasure: 'empty', exported: NOT_EXPORTED.others },
  cast_hash: { type: 'bytes', withheld: false, null: true },
  reason: { type: 'text', words: true, withheld: false },
  state: { type: 'line', values: ['open', 'resolved'] },
  created_at: { type: 'seconds' },
  resolved_at: { type: 'seconds', null: true },
  /** A note of the operator. */
  resolution: { type: 'text', words: false, withheld: WITHHELD.private, null: true },
  /** What the reporter is told. */
  answer: { type: 'text', words: false, null: true },
  /** The domain of a mini app. */
  mini_app: { type: 'line', words: false, null: true },
  /** Null for who does not say it, and of earlier versions. */
  kind: { type: 'line', values: REPORT_KINDS, null: true },
  /** Which rule of the server was broken, in the words that the reporter saw. */
  rule: { type: 'line', words: true, withheld: false, null: true },
  /** What was done; null when it was answered without an act, and of earlier versions. */
  act: { type: 'line', values: ACTS, null: true },
  /** The entry of the log that says with which act it was answered; null like the act, and of earlier versions. */
  decision: { type: 'integer', withheld: WITHHELD.private, null: true },
})
export type Report = RowOf<typeof MODERATION_REPORTS>
/** What a report has before anybody answers it. */
export const UNANSWERED = {
  state: 'open',
  resolved_at: null,
  resolution: null,
  answer: null,
  act: null,
  decision: null,
} as const

/** What reports are about. */
type Subject = Pick<Report, 'fid' | 'cast_hash' | 'mini_app'>

type CaseFilter = {
  readonly withoutReportsAbout?: number | undefined
  readonly kind?: ReportKind | undefined
}

/**
 * Reports that a decision settles which is answering them still. Of several decisions each report is answered by the earliest, so a
 * decision leaves to those before it what they settle: parameters say before which.
 */
const SETTLED = `exists (select 1 from report_answer a
  where a.fid = moderation_report.fid and a.up_to >= moderation_report.id
    and (a.act = 'suspend' or (a.cast_hash is not distinct from moderation_report.cast_hash
      and a.mini_app is not distinct from moderation_report.mini_app))`
const WAITING = `state = 'open' and not ${SETTLED})`
const LEFT_TO = `state = 'open' and id <= ? and not ${SETTLED}
  and (a.up_to < ? or (a.up_to = ? and a.report_id < ?)))`

/** A decision about reports up to an id, by the report that was decided about. */
type Settling = { readonly up_to: number; readonly report_id: number }
const placeOf = ({ up_to, report_id }: Settling) => [up_to, up_to, up_to, report_id]

const CASES = `select min(id) as id, count(*) as reports from moderation_report
  where ${WAITING} and fid <> ? group by fid, cast_hash, mini_app
  having min(id) > ? and (? = '' or max(case when kind = ? then 1 else 0 end) = 1) order by min(id) limit (? + 0)`

/** No account has it: nothing is left out. */
const NO_FID = -1

/** Which reports are about one thing. */
const on = ({ fid, cast_hash, mini_app }: Subject) => ({
  text: `fid = ? and ${cast_hash ? 'cast_hash = ?' : 'cast_hash is null'}
    and ${mini_app ? 'mini_app = ?' : 'mini_app is null'}`,
  parameters: [fid, cast_hash, mini_app].filter((value) => value !== null),
})

/** Those who have a report that this decision has answered. */
const ANSWERED_BY = listStatement(
  { reporter_fid: 'bigint', decision: 'bigint' },
  `select i.reporter_fid from input i where exists (select 1 from moderation_report r
     where r.reporter_fid = i.reporter_fid and r.decision = i.decision)`,
)

/**
 * How many reports of each kind wait about what the reports with these ids are the first about, the most first. All that waits about
 * their accounts is read once: there are 50 cases of one account perhaps.
 */
const KINDS = listStatement(
  { id: 'bigint' },
  `select case_id, kind, n from (
     select kind, count(*) as n, min(min(id)) over (partition by fid, cast_hash, mini_app) as case_id
     from moderation_report
     where ${WAITING} and fid in (select f.fid from input i join moderation_report f on f.id = i.id)
     group by fid, cast_hash, mini_app, kind) k
   where kind is not null and case_id in (select id from input)
   order by case_id, n desc, kind`,
)
type KindCount = { readonly kind: ReportKind; readonly n: number }

export const reportReader = (sql: Sql) => ({
  find: (id: number) => MODERATION_REPORTS.find(sql, id),
  /** The newest reports of a user. */
  ofReporter: (reporter: number, limit: number) =>
    MODERATION_REPORTS.select(
      sql,
      'where reporter_fid = ? order by created_at desc, id desc limit (? + 0)',
      [reporter, limit],
    ),
  /** Oldest first, after this id. */
  list: (
    {
      state,
      withoutReportsAbout = NO_FID,
    }: { withoutReportsAbout?: number | undefined } & Pick<Report, 'state'>,
    afterId: number,
    limit: number,
  ) =>
    MODERATION_REPORTS.select(
      sql,
      'where state = ? and id > ? and fid <> ? order by id limit (? + 0)',
      [state, afterId, withoutReportsAbout, limit],
    ),
  /**
   * The first of the reports about each thing that wait for a decision, and how many there are; the longest waiting first, after this id. With a kind
   * only what somebody has reported as that.
   */
  async cases({ withoutReportsAbout = NO_FID, kind }: CaseFilter, afterId: number, limit: number) {
    const parameters = [withoutReportsAbout, afterId, kind ?? '', kind ?? '', limit]
    const groups = await query<{ id: number; reports: number }>(sql, CASES, parameters)
    const rows = await MODERATION_REPORTS.findAll(
      sql,
      groups.map(({ id }) => ({ id })),
    )
    const byId = new Map(rows.map((row) => [row.id, row]))
    return groups.map(({ id, reports }) => ({ first: byId.get(id)!, reports }))
  },
  /** Of what all reports of these cases are, by the id of the case: how many of each kind, the most first. One statement for all of them. */
  async kindsOf(ids: readonly number[]): Promise<Map<number, KindCount[]>> {
    const rows: (KindCount & { readonly case_id: number })[] = await queryEach(
      sql,
      KINDS,
      ids.map((id) => ({ id })),
    )
    return Map.groupBy(rows, ({ case_id }) => case_id)
  },
  /** Reports about one thing that wait for a decision, the oldest first. */
  waitingOn(subject: Subject, limit: number) {
    const { text, parameters } = on(subject)
    const rest = `where ${WAITING} and ${text} order by id limit (? + 0)`
    return MODERATION_REPORTS.select(sql, rest, [...parameters, limit])
  },
  /** What a decision about one thing has to answer still, the oldest first. */
  settledOn(subject: Subject, by: Settling, limit: number) {
    const { text, parameters } = on(subject)
    const rest = `where ${LEFT_TO} and ${text} order by id limit (? + 0)`
    return MODERATION_REPORTS.select(sql, rest, [...placeOf(by), ...parameters, limit])
  },
  /** What a decision about an account and all that it wrote has to answer still, the oldest first. */
  settledOf: (fid: number, by: Settling, limit: number) =>
    MODERATION_REPORTS.select(sql, `where ${LEFT_TO} and fid = ? order by id limit (? + 0)`, [
      ...placeOf(by),
      fid,
      limit,
    ]),
  /** How many these are, of all about an account or of those about one subject. */
  settledCount(subject: Subject, by: Settling, isOfAll: boolean) {
    const { text, parameters } = isOfAll
      ? { text: 'fid = ?', parameters: [subject.fid] }
      : on(subject)
    const rest = `where ${LEFT_TO} and ${text}`
    return MODERATION_REPORTS.count(sql, rest, [...placeOf(by), ...parameters])
  },
  /** Open reports about a cast, the oldest first; `isOfServer`: only what the server itself has reported. */
  openOnCast: (
    { fid, cast_hash, isOfServer }: { fid: number; cast_hash: Uint8Array; isOfServer: boolean },
    limit: number,
  ) =>
    MODERATION_REPORTS.select(
      sql,
      `where state = 'open' and fid = ? and cast_hash = ? ${isOfServer ? 'and reporter_fid = 0' : ''} order by id limit (? + 0)`,
      [fid, cast_hash, limit],
    ),
  /** Those of the accounts who have a report that a decision has answered. */
  async answeredBy(decision: number, reporters: readonly number[]): Promise<Set<number>> {
    const asked = reporters.map((reporter_fid) => ({ reporter_fid, decision }))
    const rows: { reporter_fid: number }[] = await queryEach(sql, ANSWERED_BY, asked)
    return new Set(rows.map(({ reporter_fid }) => reporter_fid))
  },
  /** The id of the newest report; 0 without any. */
  newestId: () => MODERATION_REPORTS.max(sql, 'id'),
  /** How many cases wait for a decision that are about others than these accounts, and when the newest report of them came, in Unix seconds; 0 without any. */
  async casesNotAbout(
    fids: readonly number[],
    before: number = Number.MAX_SAFE_INTEGER,
  ): Promise<{ count: number; newestAt: number }> {
    const others = fids.length > 0 ? `and fid not in (${fids.map(() => '?').join()})` : ''
    const [row] = await query<{ n: number; newest: number | null }>(
      sql,
      `select count(*) as n, max(newest) as newest from (
         select max(case when created_at < ? then created_at end) as newest
           from moderation_report where ${WAITING} ${others}
         group by fid, cast_hash, mini_app) as cases`,
      [before, ...fids],
    )
    return { count: Number(row?.n ?? 0), newestAt: Number(row?.newest ?? 0) }
  },
  /** Whether a report of a member about a cast is open that was made after a time in Unix seconds. */
  async isReported(
    { fid, hash }: { fid: number; hash: Uint8Array },
    after: number,
  ): Promise<boolean> {
    const rest =
      "where state = 'open' and reporter_fid <> 0 and fid = ? and cast_hash = ? and created_at > ? limit 1"
    return (await MODERATION_REPORTS.first(sql, rest, [fid, hash, after])) !== undefined
  },
  /** Open reports of an account. */
  openBy: (reporter: number) =>
    MODERATION_REPORTS.count(sql, "where state = 'open' and reporter_fid = ?", [reporter]),
  count: (state: Report['state']) => MODERATION_REPORTS.count(sql, 'where state = ?', [state]),
  /** Reports of a user since a time, in Unix seconds. */
  since: (reporter: number, since: number, limit: number) =>
    MODERATION_REPORTS.select(
      sql,
      'where reporter_fid = ? and created_at >= ? order by created_at desc limit (? + 0)',
      [reporter, since, limit],
    ),
})

export const reportWriter = (sql: Sql) => ({
  ...reportReader(sql),
  async add(report: Omit<Report, 'id'>): Promise<Report> {
    const added = { ...report, id: (await MODERATION_REPORTS.max(sql, 'id')) + 1 }
    await MODERATION_REPORTS.insert(sql, [added])
    return added
  },
  put: (reports: readonly Report[]) => MODERATION_REPORTS.upsert(sql, reports),
  /** Deletes the oldest resolved reports beyond this number. */
  async trim(kept: number): Promise<void> {
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

/** `storage.of(reportRows)` reads this table, and `tx.of(reportRows)` writes it. */
export const reportRows = rowsOf(reportReader, ({ sql }) => reportWriter(sql))
