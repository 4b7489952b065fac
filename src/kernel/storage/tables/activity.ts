import {
  KEY_REQUEST_STATES,
  type KeyRequestState,
} from '../../../features/key-requests/tables/key-requests.ts'
import { HOUR_SECONDS } from '../../protocol/time.ts'
import { insertStatement, type Sql } from '../engines/sql.ts'
import { countRows, type KeptCount, rowCount } from './row-counts.ts'

// Numbers about the use of the network, for the operator: read with one statement, periodically.

const HOURS_PER_DAY = 24
const HOURS_PER_WEEK = 7 * HOURS_PER_DAY
/** Rows that one number counts at most: some ten milliseconds. */
export const MAX_COUNTED = 1_000_000

/** The hour of a fid's newest message. */
export type ActiveFid = { readonly fid: number; readonly hour: number }

/** A kept count and how far it is from the number of rows. */
export type Drift = { readonly name: KeptCount; readonly missing: number }

/** How much a network is used. Numbers without a kept count end at MAX_COUNTED. */
export type Activity = {
  readonly accounts: number
  readonly casts: number
  readonly channels: number
  /** Fids whose newest message is dated within the last 24 hours. */
  readonly activeDay: number
  readonly activeWeek: number
  readonly keyRequests: Readonly<Record<KeyRequestState, number>>
  readonly webhooks: { readonly active: number; readonly inactive: number }
}

const counted = (name: string, from: string) =>
  `select '${name}' as name, count(*) as count from (select 1 from ${from} limit ${MAX_COUNTED}) as counted`

const COUNTS = [
  counted('channels', 'channel'),
  counted('activeDay', 'active_fid where hour >= ?'),
  counted('activeWeek', 'active_fid where hour >= ?'),
  ...KEY_REQUEST_STATES.map((state) =>
    counted(state, `signed_key_request where state = '${state}'`),
  ),
  counted('webhooksActive', 'app_webhook where active = 1'),
  counted('webhooksInactive', 'app_webhook where active = 0'),
].join(' union all ')

export const activityReader = (sql: Sql) => ({
  /** `now` in network seconds, as messages are dated. */
  async counts(now: number): Promise<Activity> {
    const hour = Math.floor(now / HOUR_SECONDS)
    const [rows, accounts, casts] = await Promise.all([
      sql.all(COUNTS, [hour - HOURS_PER_DAY, hour - HOURS_PER_WEEK]),
      rowCount(sql, 'custody'),
      rowCount(sql, 'cast'),
    ])
    const found = new Map(rows.map(({ name, count }) => [name, Number(count)]))
    const of = (name: string) => found.get(name) ?? 0
    const states = KEY_REQUEST_STATES.map((state) => [state, of(state)] as const)
    return {
      accounts,
      casts,
      channels: of('channels'),
      activeDay: of('activeDay'),
      activeWeek: of('activeWeek'),
      keyRequests: Object.fromEntries(states) as Record<KeyRequestState, number>,
      webhooks: { active: of('webhooksActive'), inactive: of('webhooksInactive') },
    }
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
