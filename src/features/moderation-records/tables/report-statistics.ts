import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { query } from '../../../kernel/storage/tables/table.ts'
import { ENDED_BY, type ModerationAction } from '../actions.ts'
import { type Act, MODERATION_REPORTS, type ReportKind } from './reports.ts'

// Numbers about reports and decisions, by week. Both tables are read from their newest row on.

export const STATISTICS_WEEK_SECONDS = 7 * 24 * 3_600
/** The newest reports that are counted: as many as are kept. */
export const MAX_COUNTED_REPORTS = 20_000
/** The newest entries of the log by people that are counted. */
export const MAX_COUNTED_ENTRIES = 20_000
/** The newest entries that are looked at for them: the server writes some, too. */
export const MAX_SCANNED_ENTRIES = 100_000
/** Of an actor and an action; a client with the token of the operator names actors as it likes. */
export const MAX_ACTOR_ROWS = 1_000

const REPORTS = `(select id, created_at, resolved_at, kind, act, state, resolution, fid, cast_hash, decision
    from moderation_report where fid <> ? order by id desc limit (? + 0)) r`
/** Whole weeks since the first one. */
const WEEK = 'cast((created_at - ?) / (? + 0) as bigint)'

const COUNTS = `select week, kind, act, state, count(*) as n from (
    select ${WEEK} as week, coalesce(kind, '') as kind, coalesce(act, '') as act, state
    from ${REPORTS} where created_at >= ?) c
  group by week, kind, act, state order by week, kind, act, state`

/** Of each week, and of all of them as week -1: the time that half of the answers took at most, and nine in ten. */
const TIMES = `with answered as (
    select ${WEEK} as week, resolved_at - created_at as seconds from ${REPORTS}
    where created_at >= ? and state = 'resolved' and resolution not like 'server: %'),
  placed as (
    select week, seconds, row_number() over (partition by week order by seconds) as place,
      count(*) over (partition by week) as n
    from (select week, seconds from answered union all select -1 as week, seconds from answered) a)
  select week, n, max(case when place = (n + 1) / 2 then seconds end) as median,
    max(case when place = (n * 9 + 9) / 10 then seconds end) as p90
  from placed group by week, n order by week`

/**
 * What of answers was decided, each once however many reports it answered, and what was done once for several cases. Of earlier versions
 * equal words about an account are one decision.
 */
const ACTS_DONE = `select act, count(*) as n from (
    select distinct act, decided, case when decided is null then fid end as fid,
      case when decided is null and act in ('hide', 'remove-poll') then cast_hash end as cast_hash,
      case when decided is null then resolution end as resolution
    from (
      select act, fid, cast_hash, resolution,
        coalesce((select l.goes_with from moderation_log l where l.id = r.decision), decision) as decided
      from ${REPORTS} where created_at >= ? and act is not null and coalesce(kind, '') <> 'held') a) d
  group by act order by act`

const COLUMNS = 'id, actor, action, at, fid, cast_hash, name, goes_with'
const NEWEST = `(select ${COLUMNS} from moderation_log order by id desc limit (? + 0)) s`
const OF_PEOPLE = `(select ${COLUMNS} from ${NEWEST} where actor <> 'server' order by id desc limit (? + 0)) l`

/** An entry of these is not counted once what ends it follows for the same account, cast or warning. */
const UNDONE = (['suspend', 'limit', 'hide', 'warn'] satisfies ModerationAction[]).map(
  (act) => [act, ENDED_BY[act] ?? []] as const,
)
/** What people decide about others: not who gets a role, and not what the server says about itself. */
const DECISIONS = [
  ...[
    'warn',
    'unwarn',
    'limit',
    'suspend',
    'hide',
    'remove-poll',
    'remove-file',
    'remove-app',
    'take-name',
  ],
  ...['erase', 'unlimit', 'restore', 'unhide', 'release', 'restore-app', 'resolve', 'answer'],
  ...['approve-join', 'decline-join', 'start-recovery', 'refuse-recovery'],
] as readonly ModerationAction[]
const listOf = (actions: readonly string[]) => actions.map((one) => `'${one}'`).join(', ')
const FAMILY = `case ${UNDONE.map(([act, by]) => `when action in (${listOf([act, ...by])}) then '${act}'`).join(' ')} else action end`
const WARNING = "case action when 'warn' then cast(id as text) when 'unwarn' then name end"
const TAKEN_BACK = `max(case when action in (${listOf(UNDONE.flatMap(([, by]) => by))}) then id else 0 end)
    over (partition by ${FAMILY}, coalesce(fid, 0), cast_hash, ${WARNING})`
const UNDOABLE = listOf(UNDONE.map(([act]) => act))
/** The answer to a report, or to an appeal, and the act of the same person that it goes with: one decision. */
const IS_SAME =
  'exists (select 1 from moderation_log w where w.id = l.goes_with and w.actor = l.actor)'
const BY_ACTOR = `select actor, action, count(*) as n from (
    select actor, action, at, fid, id, ${TAKEN_BACK} as taken_back,
      case when ${IS_SAME} then 1 else 0 end as is_same
    from ${OF_PEOPLE}) d
  where at >= ? and coalesce(fid, 0) <> ? and action in (${listOf(DECISIONS)}) and is_same = 0
    and not (action in (${UNDOABLE}) and taken_back > id)
  group by actor, action order by n desc, actor, action limit (? + 0)`
/** How many there are, and since when. */
const REACH = (rows: string) => `select count(*) as n, min(at) as oldest from ${rows}`

export type ReportCount = {
  readonly week: number
  readonly kind: ReportKind | ''
  readonly act: Act | ''
  readonly state: 'open' | 'resolved'
  readonly n: number
}
export type AnswerTime = {
  /** -1: of all weeks. */
  readonly week: number
  readonly n: number
  readonly median: number
  readonly p90: number
}
export type ActorCount = {
  readonly actor: string
  readonly action: ModerationAction
  readonly n: number
}

/** `since`: the start of the first week, in Unix seconds; what is about an account is left out for `without`. */
type Window = { readonly since: number; readonly without: number }

const statisticsReader = (sql: Sql) => {
  const weeksOf = ({ since, without }: Window) => [
    ...[since, STATISTICS_WEEK_SECONDS],
    ...[without, MAX_COUNTED_REPORTS, since],
  ]
  return {
    counts: (window: Window) => query<ReportCount>(sql, COUNTS, weeksOf(window)),
    acts: (window: Window) =>
      query<{ readonly act: Act; readonly n: number }>(sql, ACTS_DONE, [
        ...[window.without, MAX_COUNTED_REPORTS, window.since],
      ]),
    times: (window: Window) => query<AnswerTime>(sql, TIMES, weeksOf(window)),
    byActor: ({ since, without }: Window) =>
      query<ActorCount>(sql, BY_ACTOR, [
        ...[MAX_SCANNED_ENTRIES, MAX_COUNTED_ENTRIES, since, without, MAX_ACTOR_ROWS],
      ]),
    /** From when on all entries by people are counted, in Unix seconds; undefined: all that there are. */
    logSince: async (scanned = MAX_SCANNED_ENTRIES, counted = MAX_COUNTED_ENTRIES) => {
      type Reach = { readonly n: number; readonly oldest: number | null }
      const [all] = await query<Reach>(sql, REACH(NEWEST), [scanned])
      const [ofPeople] = await query<Reach>(sql, REACH(OF_PEOPLE), [scanned, counted])
      if (Number(ofPeople!.n) >= counted) return Number(ofPeople!.oldest)
      return Number(all!.n) >= scanned ? Number(all!.oldest) : undefined
    },
    /** When the answered report came, in Unix seconds, that as many newer ones follow as are kept; undefined when there are fewer. */
    oldestKept: async (kept: number) =>
      (
        await MODERATION_REPORTS.first(
          sql,
          "where state = 'resolved' order by id desc limit 1 offset ?",
          [kept - 1],
        )
      )?.created_at,
  }
}

/** `storage.of(reportStatisticRows)` counts reports and decisions. */
export const reportStatisticRows = rowsOf(statisticsReader, ({ sql }) => statisticsReader(sql))
