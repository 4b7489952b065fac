import type { Sql } from '../engines/sql.ts'
import { NOTICE_GROUPS } from '../views/notice-kinds.ts'
import { cursorReader, cursorWriter } from './cursors.ts'
import { KEPT } from './duties.ts'
import { type After, type RowOf, table } from './table.ts'

// Apps that use the app API, with everything about them that is not derived from messages.

/** An app, which has keys, signers, mutes, bans and webhooks. */
export const APPS = table('app', {
  uuid: { type: 'line', words: false, key: true },
  name: { type: 'line', words: false },
  /** The account that the app acts for. */
  fid: { type: 'fid', erasure: KEPT.bookkeeping },
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

/** Ed25519 keys that apps use for their users. */
export const APP_SIGNERS = table('app_signer', {
  uuid: { type: 'line', words: false, key: true },
  app: { type: 'line', words: false },
  public_key: { type: 'bytes' },
  /** 1: the server has the secret; 0: the app. */
  managed: { type: 'flag' },
  status: { type: 'line', values: ['generated', 'pending_approval', 'approved', 'revoked'] },
  /** The account that approved it. */
  fid: { type: 'fid', erasure: KEPT.ownership, null: true },
  /** The sealed secret. */
  secret: { type: 'bytes', null: true },
  /** Token of the signed key request. */
  request: { type: 'line', words: false, null: true },
  created_at: { type: 'seconds' },
  changed_at: { type: 'seconds' },
})
export type AppSigner = RowOf<typeof APP_SIGNERS>

/** The `app` of mutes that a user has made with an own token: they count in every app. */
export const EVERY_APP = '*'

/** Accounts that a user of an app does not want to see there. */
export const APP_MUTES = table('app_mute', {
  app: { type: 'line', words: false, key: true },
  fid: { type: 'fid', erasure: 'delete', key: true },
  muted_fid: { type: 'fid', erasure: KEPT.others, key: true },
  muted_at: { type: 'seconds' },
})
export type AppMute = RowOf<typeof APP_MUTES>

/** Accounts that an app shows to no user. */
export const APP_BANS = table('app_ban', {
  app: { type: 'line', words: false, key: true },
  fid: { type: 'fid', erasure: KEPT.decision, key: true },
  banned_at: { type: 'seconds' },
})
export type AppBan = RowOf<typeof APP_BANS>

/** Up to when a user has seen the notifications of a kind in an app. */
export const APP_SEEN = table('app_seen', {
  app: { type: 'line', words: false, key: true },
  fid: { type: 'fid', erasure: KEPT.bookkeeping, key: true },
  kind: { type: 'line', key: true, values: NOTICE_GROUPS },
  /** Network seconds. */
  seen_at: { type: 'integer' },
})
export type AppSeen = RowOf<typeof APP_SEEN>

/** Requests that must have one result however often they are sent. */
export const APP_IDEMS = table('app_idem', {
  app: { type: 'line', words: false, key: true },
  idem: { type: 'line', words: false, key: true },
  fid: { type: 'fid', erasure: KEPT.bookkeeping },
  /** Of the message that the request stored. */
  hash: { type: 'bytes' },
  slot: { type: 'bytes' },
  created_at: { type: 'seconds' },
})
export type AppIdem = RowOf<typeof APP_IDEMS>

export const APP_WEBHOOKS = table('app_webhook', {
  id: { type: 'line', words: false, key: true },
  app: { type: 'line', words: false },
  title: { type: 'line', words: false },
  target_url: { type: 'link', words: false },
  active: { type: 'flag' },
  /** JSON. */
  filters: { type: 'text', words: false },
  subscription_id: { type: 'line', words: false },
  secret_id: { type: 'line', words: false },
  /** The sealed secret; empty after its key was given up as lost. */
  secret: { type: 'bytes' },
  /** Why the server switched it off. */
  fault: { type: 'line', words: false, null: true },
  created_at: { type: 'seconds' },
  updated_at: { type: 'seconds' },
})
export type AppWebhook = RowOf<typeof APP_WEBHOOKS>

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
  /** Up to when a user has seen each kind of notification in an app. */
  seen: (app: string, fid: number) => APP_SEEN.select(sql, 'where app = ? and fid = ?', [app, fid]),
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
    putSeen: (marks: readonly AppSeen[]) => APP_SEEN.upsert(sql, marks),
  }
}
