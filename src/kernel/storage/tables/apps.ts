import { randomUUID } from 'node:crypto'
import type { Sql } from '../engines/sql.ts'
import { cursorReader, cursorWriter } from './cursors.ts'
import { KEPT } from './duties.ts'
import { type RowOf, table } from './table.ts'

// Apps that use the app API.

/** An app, which has keys. */
export const APPS = table('app', {
  uuid: { type: 'line', words: false, key: true },
  name: { type: 'line', words: false },
  /** The account that the app acts for. */
  fid: { type: 'fid', erasure: KEPT.bookkeeping, exported: true },
  /** Requests a minute; null: the limits of the server. */
  read_limit: { type: 'integer', null: true },
  write_limit: { type: 'integer', null: true },
  search_limit: { type: 'integer', null: true },
  created_at: { type: 'seconds' },
})
export type StoredApp = RowOf<typeof APPS>

/** The keys with which apps identify themselves. */
export const APP_KEYS = table('app_key', {
  /** SHA-256 of the key. */
  hash: { type: 'bytes', key: true },
  app: { type: 'line', words: false },
  created_at: { type: 'seconds' },
  revoked_at: { type: 'seconds', null: true },
})
export type AppKey = RowOf<typeof APP_KEYS>

/** Changes with every change of apps and keys: for copies in memory. */
const VERSION_CURSOR = 'apps'
/** Apps that a server has at most. */
export const MAX_APPS = 10_000
const MAX_KEYS_LISTED = 10_000

export const appReader = (sql: Sql) => ({
  app: (uuid: string) => APPS.find(sql, uuid),
  /** By time of creation. */
  list: () => APPS.select(sql, 'order by created_at, uuid limit (? + 0)', [MAX_APPS]),
  count: () => APPS.count(sql),
  key: (hash: Uint8Array) => APP_KEYS.find(sql, hash),
  keys: () =>
    APP_KEYS.select(sql, 'order by app, created_at, hash limit (? + 0)', [MAX_KEYS_LISTED]),
  /** Of apps and keys. Random, so that a copy is never taken for current after other data took the place of these. */
  version: async () => (await cursorReader(sql).get(VERSION_CURSOR)) ?? '',
})

export function appWriter(sql: Sql) {
  /** Tells all processes that their copies are old. */
  const touch = () => cursorWriter(sql).put(VERSION_CURSOR, randomUUID())
  return {
    ...appReader(sql),
    async put(app: StoredApp): Promise<void> {
      await APPS.upsert(sql, [app])
      await touch()
    },
    async putKey(key: AppKey): Promise<void> {
      await APP_KEYS.upsert(sql, [key])
      await touch()
    },
  }
}
