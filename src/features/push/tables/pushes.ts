import { NETWORK_EPOCH_MS } from '../../../kernel/protocol/time.ts'
import { listStatement, type Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { NOT_EXPORTED, WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import {
  query,
  queryEach,
  type RowOf,
  rowsWith,
  table,
} from '../../../kernel/storage/tables/table.ts'
import { NOTICE_GROUPS } from '../../../kernel/storage/views/notice-kinds.ts'

/** What a device may be told of: the kinds of notifications, and what mini apps send. */
export const PUSH_KINDS = [...NOTICE_GROUPS, 'apps'] as const
export type PushKind = (typeof PUSH_KINDS)[number]

/** Devices (subscriptions of the Push API) that people want to be told on. */
export const PUSH_DEVICES = table('push_device', {
  /** SHA-256 of the endpoint in base64url. */
  id: { type: 'line', words: false, key: true },
  fid: { type: 'fid', erasure: 'delete', exported: true },
  /** The key of the account that asked for it: the device is told nothing once the key is removed. */
  signer: { type: 'bytes', withheld: false },
  endpoint: { type: 'link', words: true },
  /** P-256, 65 bytes. */
  public_key: { type: 'bytes', withheld: false },
  /** 16 bytes. */
  secret: { type: 'bytes', withheld: WITHHELD.secret },
  /** PushKinds, separated by commas. */
  kinds: { type: 'line', words: false },
  name: { type: 'line', words: true },
  /** Pushes that were given up, one after another. */
  failures: { type: 'integer' },
  created_at: { type: 'seconds' },
  pushed_at: { type: 'seconds', null: true },
})
export type PushDevice = RowOf<typeof PUSH_DEVICES>

/** SQL for the network second of the first device of the account `n.fid`; null without one. */
export const TOLD_SINCE = `select min(d.created_at) - ${NETWORK_EPOCH_MS / 1_000} from push_device d where d.fid = n.fid`

/** Pushes that wait to be sent, or to be sent again. */
export const PUSH_WAITING = table('push_waiting', {
  id: { type: 'line', words: false, key: true },
  device: { type: 'line', words: false },
  fid: { type: 'fid', erasure: 'delete', exported: NOT_EXPORTED.transit },
  /** Whose content the payload has. */
  actor: { type: 'fid', erasure: 'delete', exported: NOT_EXPORTED.others, null: true },
  /** JSON. */
  payload: { type: 'text', words: true },
  /** A later push with the same topic takes the place of one that the push service still has. */
  topic: { type: 'line', words: false },
  attempts: { type: 'integer' },
  due: { type: 'millis' },
  expires_at: { type: 'millis' },
})
export type WaitingPush = RowOf<typeof PUSH_WAITING>

/** Messages that were hidden when they were stored, and are shown now: their notices have yet to be pushed. */
export const PUSH_SHOWN = table('push_shown', {
  /** Id of the message. */
  id: { type: 'integer', key: true },
})

/** The key by which push services know this server (VAPID). */
export const PUSH_KEYS = table('push_key', {
  name: { type: 'line', words: false, key: true },
  public_key: { type: 'bytes' },
  private_key: { type: 'bytes' },
  created_at: { type: 'seconds' },
})
export type PushKey = RowOf<typeof PUSH_KEYS>

/** Devices of one account. */
export const MAX_DEVICES_PER_FID = 20
const KEY = 'vapid'
/** Waiting pushes among which the first of each account are found. */
const MAX_DUE_READ = 10_000

const POSTPONE = listStatement(
  { device: 'text', due: 'bigint' },
  `update push_waiting set due = i.due from input i
    where push_waiting.device = i.device and push_waiting.due < i.due`,
)

export const pushReader = (sql: Sql) => ({
  key: () => PUSH_KEYS.find(sql, KEY),
  devicesOf: (fid: number) =>
    PUSH_DEVICES.select(sql, 'where fid = ? order by created_at, id limit (? + 0)', [
      fid,
      MAX_DEVICES_PER_FID + 1,
    ]),
  /** Those of the accounts that have a device. */
  async fidsWithDevices(fids: readonly number[]): Promise<Set<number>> {
    const rows = await PUSH_DEVICES.findBy(sql, 'fid', [...new Set(fids)])
    return new Set(rows.map(({ fid }) => fid))
  },
  /** Messages that are shown now, up to this one, the oldest first. */
  shown: (upTo: number, limit: number) =>
    PUSH_SHOWN.select(sql, 'where id <= ? order by id limit (? + 0)', [upTo, limit]),
  devices: (ids: readonly string[]) => PUSH_DEVICES.findBy(sql, 'id', ids),
  /** The first of each account that is due at Unix ms `now`, the earliest first. */
  firstDue: (now: number, limit: number) =>
    query<WaitingPush>(
      sql,
      `select ${PUSH_WAITING.columns.join(', ')} from (
         select due_push.*, row_number() over (partition by fid order by due, id) as place from (
           select * from push_waiting where due <= ? order by due, id limit (? + 0)) due_push) placed
        where place = 1 order by due, id limit (? + 0)`,
      [now, MAX_DUE_READ, limit],
    ),
  /** How many wait for each of these devices; those without any are missing. */
  async waiting(ids: readonly string[]): Promise<Map<string, number>> {
    const marks = ids.map(() => '?').join(', ') || 'null'
    const rows = await query<{ device: string; n: number }>(
      sql,
      `select device, count(*) as n from push_waiting where device in (${marks}) group by device`,
      ids,
    )
    return new Map(rows.map(({ device, n }) => [device, Number(n)]))
  },
  /** How many wait, counted up to `limit`. */
  waitingCount: (limit: number) =>
    query<{ n: number }>(
      sql,
      'select count(*) as n from (select 1 as one from push_waiting limit (? + 0)) waiting',
      [limit],
    ).then(([row]) => Number(row?.n ?? 0)),
})

export const pushWriter = (sql: Sql) => ({
  ...pushReader(sql),
  /** Keeps the key unless there is one already, and returns the one that counts. */
  async keepKey(key: Omit<PushKey, 'name'>): Promise<PushKey> {
    await PUSH_KEYS.insertNew(sql, [{ name: KEY, ...key }])
    return (await PUSH_KEYS.find(sql, KEY))!
  },
  putDevices: (devices: readonly PushDevice[]) => PUSH_DEVICES.upsert(sql, devices),
  /** Removes devices, with what waits for them. */
  async removeDevices(ids: readonly string[]): Promise<void> {
    await PUSH_WAITING.removeBy(sql, 'device', ids)
    await PUSH_DEVICES.removeBy(sql, 'id', ids)
  },
  /** Notes how sending to devices went; those that are gone stay gone. */
  noteSent: (rows: readonly Pick<PushDevice, 'id' | 'failures' | 'pushed_at'>[]) =>
    PUSH_DEVICES.update(sql, ['failures', 'pushed_at'], rows),
  addShown: (id: number) => PUSH_SHOWN.upsert(sql, [{ id }]),
  removeShown: (id: number) => PUSH_SHOWN.remove(sql, [{ id }]),
  addWaiting: (pushes: readonly WaitingPush[]) => PUSH_WAITING.insert(sql, pushes),
  removeWaiting: (ids: readonly string[]) => PUSH_WAITING.remove(sql, rowsWith('id', ids)),
  /** Lets everything that waits for devices wait until a time, if it would not for longer. */
  async postponeDevices(rows: readonly Pick<WaitingPush, 'device' | 'due'>[]): Promise<void> {
    await queryEach(sql, POSTPONE, rows)
  },
  postpone: (rows: readonly Pick<WaitingPush, 'id' | 'attempts' | 'due'>[]) =>
    PUSH_WAITING.update(sql, ['attempts', 'due'], rows),
})

/** `storage.of(pushRows)` reads these tables, and `tx.of(pushRows)` writes them. */
export const pushRows = rowsOf(pushReader, ({ sql }) => pushWriter(sql))
