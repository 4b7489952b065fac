import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { countOf, type RowOf, table } from '../../../kernel/storage/tables/table.ts'
import { WITH_DOMAIN } from './mini-apps.ts'

/** Ids of events that somebody else has asked for begin with it; random ids never have a dot. */
export const ASKED_BY_OTHERS = 'others.'

/** What a user is about to sign for an app. */
export const MINI_APP_EVENTS = table(
  'mini_app_event',
  {
    id: { type: 'line', words: false, key: true },
    fid: { type: 'fid', erasure: { by: 'platform' }, exported: true },
    app_id: { type: 'integer' },
    event: {
      type: 'line',
      values: [
        'miniapp_added',
        'miniapp_removed',
        'notifications_enabled',
        'notifications_disabled',
      ],
    },
    /** JSON, as it is signed. */
    payload: { type: 'text', words: true },
    expires_at: { type: 'seconds' },
  },
  WITH_DOMAIN,
)
export type MiniAppEvent = RowOf<typeof MINI_APP_EVENTS>
export type MiniAppEventName = MiniAppEvent['event']

/** Signed events for the server of an app, in the order of `n`. Those that have ended are the log of the app. */
export const MINI_APP_DELIVERIES = table(
  'mini_app_delivery',
  {
    app_id: { type: 'integer', key: true },
    n: { type: 'integer', key: true },
    fid: { type: 'fid', erasure: { by: 'platform' }, exported: true },
    event: { type: 'line', words: false },
    /** JSON, as it is sent. */
    body: { type: 'text', words: true },
    state: { type: 'line', values: ['waiting', 'delivered', 'dropped'] },
    attempts: { type: 'integer' },
    due: { type: 'millis' },
    queued_at: { type: 'millis' },
    /** What the server of the app answered last, or why there was no answer. */
    answer: { type: 'text', words: true, null: true },
    ended_at: { type: 'millis', null: true },
  },
  WITH_DOMAIN,
)
export type MiniAppDelivery = RowOf<typeof MINI_APP_DELIVERIES>
type DeliveryKey = Pick<MiniAppDelivery, 'app_id' | 'n'>

/** Rows that one clean-up forgets. */
const MAX_FORGOTTEN = 1_000

export const miniAppDeliveryReader = (sql: Sql) => ({
  event: (id: string) => MINI_APP_EVENTS.find(sql, id),
  /** The newest events of a user that wait for a signature. */
  eventsOf: (fid: number, limit: number) =>
    MINI_APP_EVENTS.select(sql, 'where fid = ? order by expires_at desc, id limit (? + 0)', [
      fid,
      limit,
    ]),
  find: (appId: number, n: number) => MINI_APP_DELIVERIES.find(sql, appId, n),
  /** The first waiting delivery of an app. */
  head: (appId: number) =>
    MINI_APP_DELIVERIES.first(sql, "where state = 'waiting' and app_id = ? order by n limit 1", [
      appId,
    ]),
  /** The first waiting delivery of each of the apps after one, by app. */
  async heads(afterApp: number, limit: number): Promise<MiniAppDelivery[]> {
    const rows: MiniAppDelivery[] = []
    for (let after = afterApp; rows.length < limit; ) {
      const row = await MINI_APP_DELIVERIES.first(
        sql,
        "where state = 'waiting' and app_id > ? order by app_id, n limit 1",
        [after],
      )
      if (!row) break
      rows.push(row)
      after = row.app_id
    }
    return rows
  },
  waitingCount: (appId: number, limit: number) =>
    countOf(
      sql,
      `select count(*) as n from (select 1 from mini_app_delivery
         where state = 'waiting' and app_id = ? limit (? + 0)) waiting`,
      [appId, limit],
    ),
  /** The log of an app, newest first. */
  ofApp: (appId: number, beforeN: number, limit: number) =>
    MINI_APP_DELIVERIES.select(sql, 'where app_id = ? and n < ? order by n desc limit (? + 0)', [
      appId,
      beforeN,
      limit,
    ]),
})

export const miniAppDeliveryWriter = (sql: Sql) => ({
  ...miniAppDeliveryReader(sql),
  /**
   * Adds an event, and drops the oldest ones of its user beyond `max`. Those that others have asked for are counted apart, so
   * that they never push out what the user has begun.
   */
  async addEvent(event: MiniAppEvent, max: number): Promise<void> {
    await MINI_APP_EVENTS.insert(sql, [event])
    const which = `fid = ? and id ${event.id.startsWith(ASKED_BY_OTHERS) ? '' : 'not '}like ?`
    const newest = `select id from mini_app_event where ${which} order by expires_at desc, id limit (? + 0)`
    const of = [event.fid, `${ASKED_BY_OTHERS}%`]
    await MINI_APP_EVENTS.removeWhere(sql, `${which} and id not in (${newest})`, [
      ...of,
      ...of,
      max,
    ])
  },
  removeEvent: (id: string) => MINI_APP_EVENTS.remove(sql, [{ id }]),
  /** Appends to the queue of an app, whose lock the transaction holds. */
  async add(delivery: Omit<MiniAppDelivery, 'n'>): Promise<number> {
    const text = 'select max(n) as n from mini_app_delivery where app_id = ?'
    const n = (await countOf(sql, text, [delivery.app_id])) + 1
    await MINI_APP_DELIVERIES.insert(sql, [{ ...delivery, n }])
    return n
  },
  postpone: (
    row: DeliveryKey & Pick<MiniAppDelivery, 'attempts' | 'due' | 'answer'>,
  ): Promise<void> => MINI_APP_DELIVERIES.update(sql, ['attempts', 'due', 'answer'], [row]),
  end: (
    row: DeliveryKey & Pick<MiniAppDelivery, 'state' | 'attempts' | 'answer' | 'ended_at'>,
  ): Promise<void> =>
    MINI_APP_DELIVERIES.update(sql, ['state', 'attempts', 'answer', 'ended_at'], [row]),
  /** Ends everything that waits for an app. */
  async drop(appId: number, answer: string, now: number): Promise<void> {
    const text = `update mini_app_delivery set state = 'dropped', answer = ?, ended_at = ?
      where app_id = ? and state = 'waiting'`
    await sql.all(text, [answer, now, appId])
  },
  /** Forgets unsigned events and some ended deliveries up to these times. Returns how many deliveries. */
  async forget(times: { events: number; deliveries: number }): Promise<number> {
    await sql.all('delete from mini_app_event where expires_at <= ?', [times.events])
    const removed = await MINI_APP_DELIVERIES.removeWhere(
      sql,
      `(app_id, n) in (select app_id, n from mini_app_delivery
         where ended_at <= ? limit (? + 0))`,
      [times.deliveries, MAX_FORGOTTEN],
    )
    return removed.length
  },
  async erase(fid: number): Promise<void> {
    await MINI_APP_EVENTS.removeBy(sql, 'fid', [fid])
    await MINI_APP_DELIVERIES.removeBy(sql, 'fid', [fid])
  },
})

/** `storage.of(miniAppDeliveryRows)` reads these tables, and `tx.of(miniAppDeliveryRows)` writes them. */
export const miniAppDeliveryRows = rowsOf(miniAppDeliveryReader, ({ sql }) =>
  miniAppDeliveryWriter(sql),
)
