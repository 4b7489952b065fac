import { HOUR_SECONDS } from '../../protocol/time.ts'
import { insertStatement, type Sql } from '../engines/sql.ts'
import { countRows, rowCount } from './row-counts.ts'

// Numbers about the use of the network, for the operator: read with one statement, periodically.

const HOURS_PER_DAY = 24
const HOURS_PER_WEEK = 7 * HOURS_PER_DAY
/** Rows that one number counts at most: some ten milliseconds. */
export const MAX_COUNTED = 1_000_000

/** The hour of a fid's newest message. */
export type ActiveFid = { readonly fid: number; readonly hour: number }

/** A kept count and how far it is from the number of rows. */
export type Drift = { readonly name: string; readonly missing: number }

/** How much a network is used. Numbers without a kept count end at MAX_COUNTED. */
export type Activity = {
  readonly accounts: number
  readonly casts: number
  /** Fids whose newest message is dated within the last 24 hours. */
  readonly activeDay: number
  readonly activeWeek: number
  /** Of each of the rows that were asked for. */
  readonly rows: readonly number[]
}

/** A metric of how many rows a feature has. */
export type RowGauge = {
  readonly name: string
  readonly help: string
  readonly label?: string
  /** SQL of the rows of each value of the label: a table, and a condition. */
  readonly rows: Readonly<Record<string, string>>
}

const ACTIVE = 'active_fid where hour >= ?'

const counted = (from: string, n: number) =>
  `select ${n} as n, count(*) as count from (select 1 from ${from} limit ${MAX_COUNTED}) as counted`

export const activityReader = (sql: Sql) => ({
  /** `now` in network seconds, as messages are dated; `others` as in a RowGauge. */
  async counts(now: number, others: readonly string[]): Promise<Activity> {
    const hour = Math.floor(now / HOUR_SECONDS)
    const text = [ACTIVE, ACTIVE, ...others].map(counted).join(' union all ')
    const [found, accounts, casts] = await Promise.all([
      sql.all(text, [hour - HOURS_PER_DAY, hour - HOURS_PER_WEEK]),
      rowCount(sql, 'custody'),
      rowCount(sql, 'cast'),
    ])
    const byNumber = new Map(found.map(({ n, count }) => [Number(n), Number(count)]))
    const [activeDay, activeWeek, ...rows] = [ACTIVE, ACTIVE, ...others].map(
      (_, n) => byNumber.get(n) ?? 0,
    )
    return { accounts, casts, activeDay: activeDay!, activeWeek: activeWeek!, rows }
  },
})

export const activityWriter = (sql: Sql) => ({
  ...activityReader(sql),
  /** Corrects kept counts. Changes by other transactions since the drift was read are kept. */
  async correct(drifts: readonly Drift[], active: readonly ActiveFid[]): Promise<void> {
    for (const { name, missing } of drifts) await countRows(sql, name, missing)
    await sql.each(PUT_ACTIVE, active)
  },
})

const PUT_ACTIVE = insertStatement(
  'active_fid',
  { fid: 'bigint', hour: 'bigint' },
  {
    rest: 'on conflict (fid) do update set hour = excluded.hour where active_fid.hour < excluded.hour',
  },
)

/** Records the hour of the newest message of each author. A row changes once an hour. */
export async function recordActivity(
  sql: Sql,
  messages: readonly { readonly fid: number; readonly timestamp: number }[],
): Promise<void> {
  const hours = new Map<number, number>()
  for (const { fid, timestamp } of messages) {
    const hour = Math.floor(timestamp / HOUR_SECONDS)
    if (hour > (hours.get(fid) ?? -1)) hours.set(fid, hour)
  }
  const rows = [...hours].map(([fid, hour]) => ({ fid, hour })).sort((a, b) => a.fid - b.fid)
  await sql.each(PUT_ACTIVE, rows)
}
