import type { Sql } from '../engines/sql.ts'
import { cursorReader, cursorWriter } from './cursors.ts'
import { KEPT, NOT_EXPORTED } from './duties.ts'
import { type After, type RowOf, table } from './table.ts'

// Apps that use the app API, and whom they and their users hide: conditions of every list of the app API.

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

/** The `app` of mutes that a user has made with an own token: they count in every app. */
export const EVERY_APP = '*'

/** Accounts that a user of an app does not want to see there. */
export const APP_MUTES = table('app_mute', {
  app: { type: 'line', words: false, key: true },
  fid: { type: 'fid', erasure: 'delete', exported: true, key: true },
  muted_fid: { type: 'fid', erasure: KEPT.others, exported: NOT_EXPORTED.others, key: true },
  muted_at: { type: 'seconds' },
})
export type AppMute = RowOf<typeof APP_MUTES>

/** Accounts that an app shows to no user. */
export const APP_BANS = table('app_ban', {
  app: { type: 'line', words: false, key: true },
  fid: { type: 'fid', erasure: KEPT.decision, exported: NOT_EXPORTED.others, key: true },
  banned_at: { type: 'seconds' },
})
export type AppBan = RowOf<typeof APP_BANS>

/** Changes with every change of apps, keys and bans: for copies in memory. */
const VERSION_CURSOR = 'apps'
/** Apps that a server has at most. */
export const MAX_APPS = 10_000
/** Accounts that one app may ban. */
export const MAX_BANS_PER_APP = 100_000
/** Accounts that one user may mute in one app. */
export const MAX_MUTES_PER_FID = 10_000
const MAX_KEYS_LISTED = 10_000

const MUTES = APP_MUTES.newestFirst({ time: 'muted_at', ties: ['app', 'fid', 'muted_fid'] })
const BANS = APP_BANS.newestFirst({ time: 'banned_at', ties: ['app', 'fid'] })

export const appReader = (sql: Sql) => ({
  app: (uuid: string) => APPS.find(sql, uuid),
  /** By time of creation. */
  list: () => APPS.select(sql, 'order by created_at, uuid limit (? + 0)', [MAX_APPS]),
  count: () => APPS.count(sql),
  key: (hash: Uint8Array) => APP_KEYS.find(sql, hash),
  keys: () =>
    APP_KEYS.select(sql, 'order by app, created_at, hash limit (? + 0)', [MAX_KEYS_LISTED]),
  /** Of apps, keys and bans. */
  version: async () => Number((await cursorReader(sql).get(VERSION_CURSOR)) ?? 0),

  /** The mutes of a user in an app, newest first. */
  mutes: (app: string, fid: number, after: After, limit: number) =>
    MUTES(sql, { app, fid }, after, limit),
  mutedFids: async (app: string, fid: number): Promise<number[]> => {
    const rest = 'where app = ? and fid = ? limit (? + 0)'
    const rows = await APP_MUTES.select(sql, rest, [app, fid, MAX_MUTES_PER_FID])
    return rows.map(({ muted_fid }) => muted_fid)
  },
  muteCount: (app: string, fid: number) =>
    APP_MUTES.count(sql, 'where app = ? and fid = ?', [app, fid]),
  /** The bans of an app, newest first. */
  bans: (app: string, after: After, limit: number) => BANS(sql, { app }, after, limit),
  banCount: (app: string) => APP_BANS.count(sql, 'where app = ?', [app]),
})

export function appWriter(sql: Sql) {
  /** Tells all processes that their copies are old. */
  const touch = async () => {
    const version = (await appReader(sql).version()) + 1
    await cursorWriter(sql).put(VERSION_CURSOR, String(version))
  }
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
    /** Adds mutes; existing ones keep their time. */
    addMutes: (mutes: readonly AppMute[]) => APP_MUTES.insertNew(sql, mutes),
    removeMutes: (mutes: readonly Pick<AppMute, 'app' | 'fid' | 'muted_fid'>[]) =>
      APP_MUTES.remove(sql, mutes),
    /** Adds bans; existing ones keep their time. */
    async addBans(bans: readonly AppBan[]): Promise<void> {
      await APP_BANS.insertNew(sql, bans)
      await touch()
    },
    async removeBans(bans: readonly Pick<AppBan, 'app' | 'fid'>[]): Promise<void> {
      await APP_BANS.remove(sql, bans)
      await touch()
    },
  }
}
