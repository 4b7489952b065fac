import { KEY_BYTES } from '../../protocol/sizes.ts'
import { MessageType } from '../../protocol/wire/message_pb.js'

import type { Sql } from '../engines/sql.ts'
import { keyOfToken } from '../reads/list-key.ts'
import { type Page, type PageRequest, pageOf } from '../reads/page.ts'
import { KEPT } from './duties.ts'
import { query, type RowOf, table } from './table.ts'

/** What the KEY_ADD message of a gasless key does not say. The message is the key: without it there is none. */
export const GASLESS_KEYS = table('gasless_key', {
  /** 32 bytes. */
  key: { type: 'bytes', withheld: false, key: true },
  fid: { type: 'fid', erasure: KEPT.ownership, exported: true },
  /** The fid of the app that asked for the key. */
  request_fid: {
    type: 'fid',
    erasure: KEPT.ownership,
    exported: { not: 'A key of somebody else, which this app has asked for.' },
  },
  /** Network seconds: the time of the KEY_ADD, or of a message that the key signed since. */
  last_used_at: { type: 'integer' },
})
export type GaslessKey = RowOf<typeof GASLESS_KEYS>

/** The largest nonces used for gasless keys. They outlive the keys, so that no message is used twice. */
export const GASLESS_KEY_NONCES = table('gasless_key_nonce', {
  fid: { type: 'fid', erasure: KEPT.ownership, exported: true, key: true },
  /** Of the fid's custody address, for its own keys. */
  user_nonce: { type: 'integer' },
  /** Of keys that this fid has asked for, each of which may remove itself. */
  app_nonce: { type: 'integer' },
})
export type GaslessKeyNonces = RowOf<typeof GASLESS_KEY_NONCES>

const ADDED = `select id from message where id > ? and id <= ? and type = ${MessageType.KEY_ADD} order by id limit (? + 0)`

export const gaslessKeyReader = (sql: Sql) => ({
  /** A fid's keys in the order of their bytes; the page token is the 32-byte key. */
  async list(fid: number, { size, token, reverse }: PageRequest): Promise<Page<GaslessKey>> {
    const compare = token ? `and key ${reverse ? '<' : '>'} ?` : ''
    const rows = await GASLESS_KEYS.select(
      sql,
      `where fid = ? ${compare} order by key ${reverse ? 'desc' : 'asc'} limit (? + 0)`,
      [fid, ...(token ? [keyOfToken(token, KEY_BYTES)] : []), size + 1],
    )
    return pageOf(rows, size, ({ key }) => key)
  },
  /** All keys above this one, in the order of their bytes. */
  after: (key: Uint8Array, limit: number) =>
    GASLESS_KEYS.select(sql, 'where key > ? order by key limit (? + 0)', [key, limit]),
  /** The ids of the KEY_ADD messages after an id, up to another one, oldest first. */
  added: async (after: number, upTo: number, limit: number): Promise<number[]> => {
    const rows = await query<{ id: number }>(sql, ADDED, [after, upTo, limit])
    return rows.map(({ id }) => id)
  },
  ofKeys: (keys: readonly Uint8Array[]) => GASLESS_KEYS.findBy(sql, 'key', keys),
  nonces: (fids: readonly number[]) => GASLESS_KEY_NONCES.findBy(sql, 'fid', fids),
})

export const gaslessKeyWriter = (sql: Sql) => ({
  ...gaslessKeyReader(sql),
  put: (keys: readonly GaslessKey[]) => GASLESS_KEYS.upsert(sql, keys),
  putNonces: (nonces: readonly GaslessKeyNonces[]) => GASLESS_KEY_NONCES.upsert(sql, nonces),
  remove: (keys: readonly Uint8Array[]) => GASLESS_KEYS.removeBy(sql, 'key', keys),
  /** Deletes the rows of a fid's keys. The nonces stay. */
  removeOf: (fid: number) => GASLESS_KEYS.removeBy(sql, 'fid', [fid]),
})
