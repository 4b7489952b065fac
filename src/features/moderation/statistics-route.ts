import Type from 'typebox'
import { route } from '../../kernel/http/route.ts'
import {
  type Act,
  MAX_ACTOR_ROWS,
  MAX_COUNTED_ENTRIES,
  MAX_COUNTED_REPORTS,
  MAX_SCANNED_ENTRIES,
  reportStatisticRows,
  STATISTICS_WEEK_SECONDS,
} from '../moderation-records/port.ts'
import { memberIn, type OperatorContext, TAGS, usernamesOf } from './decisions.ts'
import { MAX_RESOLVED_REPORTS } from './resolving.ts'
import { appealRows } from './tables/appeals.ts'
import { heldRows } from './tables/held.ts'
import { limitRows } from './tables/limits.ts'
import { fidOfActor, isDecidedBy } from './tables/staff.ts'

// How much is reported, how fast it is answered and by whom: for moderators and the operator.

const WEEKS = 26
/** 5 January 1970 was a Monday. */
const FIRST_MONDAY_SECONDS = 4 * 24 * 3_600
/** Accounts, and held casts, that are counted: more is many. */
const MAX_COUNTED = 10_000
/** No account has it: nothing is left out. */
const NO_FID = -1

const Counts = Type.Record(Type.String(), Type.Integer())
const seconds = (description: string) => Type.Union([Type.Integer({ description }), Type.Null()])
const timeFields = {
  answered: Type.Integer({ description: 'Reports that were answered, by people.' }),
  medianSeconds: seconds('Half of them were answered within this time; null: none was.'),
  p90Seconds: seconds('Nine in ten were answered within this time.'),
}
const OutcomeFields = {
  open: Type.Integer(),
  upheld: Type.Integer({ description: 'Something was done: every act but `leave`.' }),
  rejected: Type.Integer({ description: 'Left as it was.' }),
  otherwise: Type.Integer({ description: 'Answered without an act, or by an earlier version.' }),
}

const Statistics = Type.Object(
  {
    since: Type.Integer({ description: 'The start of the first week, in Unix seconds: a Monday.' }),
    completeSince: Type.Integer({
      description: 'Unix seconds. Before it, answered reports may be counted no more.',
    }),
    decisionsCompleteSince: Type.Integer({
      description: 'Unix seconds. Before it, decisions in `team` and `moderators` are not counted.',
    }),
    weeks: Type.Array(
      Type.Object({
        start: Type.Integer({ description: 'Unix seconds.' }),
        reports: Type.Record(Type.String(), Type.Integer(), {
          description: 'By kind; `held` by the server, `none` without a kind.',
        }),
        ...timeFields,
      }),
      { description: 'By the week in which a report came, the oldest first.' },
    ),
    ...timeFields,
    reports: Type.Object(OutcomeFields, { description: 'Of members.' }),
    acts: Type.Record(Type.String(), Type.Integer(), {
      description:
        'Decisions that answered reports of members, each once however many reports it answered: `leave`, `warn`, `hide` and so on.',
    }),
    held: Type.Object(
      {
        open: Type.Integer(),
        hidden: Type.Integer(),
        shown: Type.Integer(),
        otherwise: Type.Integer({ description: 'Deleted by their authors, for example.' }),
      },
      { description: 'Casts that came into the queue for a word or a domain.' },
    ),
    appeals: Type.Array(
      Type.Object({
        action: Type.String({ description: 'What the appeal is about.' }),
        open: Type.Integer(),
        upheld: Type.Integer({ description: 'The decision stands.' }),
        reversed: Type.Integer({ description: 'The decision was taken back.' }),
      }),
    ),
    team: Type.Record(Type.String(), Type.Integer(), {
      description: `Decisions of people about others, by action, without those that were taken back; an act that answers reports or an appeal is one. Among the newest ${MAX_COUNTED_ENTRIES} entries by people, of the newest ${MAX_SCANNED_ENTRIES} entries of the log.`,
    }),
    moderators: Type.Array(
      Type.Object({
        actor: Type.String({ description: 'As the log names them.' }),
        username: Type.Optional(Type.String({ description: 'Of an account with a role.' })),
        total: Type.Integer(),
        actions: Counts,
      }),
      {
        description: 'The most decisions first; for who has the role moderator the own ones alone.',
      },
    ),
    now: Type.Object({
      suspended: Type.Integer({ description: `Accounts, counted up to ${MAX_COUNTED}.` }),
      limited: Type.Integer({ description: 'Accounts.' }),
      held: Type.Integer({ description: 'Casts that nobody sees until they are decided about.' }),
    }),
  },
  { $id: 'ModerationStatistics' },
)

export const statisticsRoute = route('GET /moderation/statistics', {
  callers: 'operator',
  summary: `Reports, decisions and appeals of ${WEEKS} weeks`,
  description:
    'The role operator sees what each moderator has decided, the role moderator the team and the own decisions: others are not ranked. It is no secret, though: the log, which every moderator reads, names who has decided what. Nobody sees numbers of reports and decisions about themselves.',
  tags: TAGS,
  reply: Type.Object({ result: Statistics }),
  errors: [],
  cost: {
    cpu: 'moderate',
    scanned: 3 * MAX_COUNTED_REPORTS + 3 * MAX_SCANNED_ENTRIES + 3 * MAX_COUNTED,
    rows: MAX_ACTOR_ROWS,
  },
  handler: async ({ storage, now }: OperatorContext, { body }) => {
    const member = memberIn(body)
    const window = { since: firstWeek(now()), without: member?.fid ?? NO_FID }
    const rows = storage.of(reportStatisticRows)
    const [counts, acts, times, actors, logSince, oldest, appeals, suspended, limited, held] =
      await Promise.all([
        rows.counts(window),
        rows.acts(window),
        rows.times(window),
        rows.byActor(window),
        rows.logSince(),
        rows.oldestKept(MAX_RESOLVED_REPORTS),
        storage.of(appealRows).countsSince(window.since, window.without),
        storage.moderation.suspendedCount(MAX_COUNTED),
        storage.of(limitRows).limitedCount(MAX_COUNTED),
        storage.of(heldRows).castCount(MAX_COUNTED),
      ])
    const fids = new Set(actors.flatMap(({ actor }) => fidOfActor(actor) ?? []))
    const names = await usernamesOf(storage, [...fids])
    const nameOf = (actor: string) => names.get(fidOfActor(actor) ?? NO_FID)
    const timesOf = (week: number) => {
      const found = times.find((one) => one.week === week)
      return {
        answered: found?.n ?? 0,
        medianSeconds: found?.median ?? null,
        p90Seconds: found?.p90 ?? null,
      }
    }
    const ofMembers = counts.filter(({ kind }) => kind !== 'held')
    const ofServer = counts.filter(({ kind }) => kind === 'held')
    const isOwn = ({ actor }: { actor: string }) =>
      member?.role !== 'moderator' || isDecidedBy(actor, member.fid)
    return {
      result: {
        since: window.since,
        completeSince: Math.max(window.since, oldest ?? window.since),
        decisionsCompleteSince: Math.max(window.since, logSince ?? window.since),
        weeks: Array.from({ length: WEEKS }, (_, week) => ({
          start: window.since + week * STATISTICS_WEEK_SECONDS,
          reports: sums(
            counts.filter((one) => one.week === week),
            ({ kind }) => kind || 'none',
          ),
          ...timesOf(week),
        })),
        ...timesOf(-1),
        reports: {
          open: sumOf(ofMembers, ({ state }) => state === 'open'),
          upheld: sumOf(ofMembers, ({ act }) => act !== '' && act !== 'leave'),
          rejected: sumOf(ofMembers, ({ act }) => act === 'leave'),
          otherwise: sumOf(ofMembers, ({ act, state }) => act === '' && state === 'resolved'),
        },
        acts: sums(acts, ({ act }) => act),
        held: {
          open: sumOf(ofServer, ({ state }) => state === 'open'),
          hidden: sumOf(ofServer, ({ act }) => KEEPS.has(act)),
          shown: sumOf(ofServer, ({ act }) => act !== '' && !KEEPS.has(act)),
          otherwise: sumOf(ofServer, ({ act, state }) => act === '' && state === 'resolved'),
        },
        appeals: [...Map.groupBy(appeals, ({ action }) => action)].map(([action, of]) => ({
          action,
          open: sumOf(of, ({ outcome }) => outcome === ''),
          upheld: sumOf(of, ({ outcome }) => outcome === 'upheld'),
          reversed: sumOf(of, ({ outcome }) => outcome === 'reversed'),
        })),
        team: sums(actors, ({ action }) => action),
        moderators: [...Map.groupBy(actors.filter(isOwn), ({ actor }) => actor)]
          .map(([actor, of]) => ({
            actor,
            ...(nameOf(actor) && { username: nameOf(actor)! }),
            total: sumOf(of, () => true),
            actions: sums(of, ({ action }) => action),
          }))
          .sort((a, b) => b.total - a.total),
        now: { suspended, limited, held },
      },
    }
  },
})

/** After these a held cast stays hidden. */
const KEEPS: ReadonlySet<Act | ''> = new Set(['hide', 'suspend'])

/** The Monday with which the first week begins, in Unix seconds. */
function firstWeek(now: number): number {
  const sinceMonday = (now - FIRST_MONDAY_SECONDS) % STATISTICS_WEEK_SECONDS
  return now - sinceMonday - (WEEKS - 1) * STATISTICS_WEEK_SECONDS
}

type Counted = { readonly n: number }

const sumOf = <T extends Counted>(rows: readonly T[], isCounted: (row: T) => boolean): number =>
  rows.reduce((sum, row) => sum + (isCounted(row) ? row.n : 0), 0)

function sums<T extends Counted>(rows: readonly T[], keyOf: (row: T) => string) {
  const found: Record<string, number> = {}
  for (const row of rows) found[keyOf(row)] = (found[keyOf(row)] ?? 0) + row.n
  return found
}
