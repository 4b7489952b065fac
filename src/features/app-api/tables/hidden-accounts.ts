import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import type { ShownConditions } from '../../../kernel/storage/reads/shown.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT, NOT_EXPORTED } from '../../../kernel/storage/tables/duties.ts'
import { type After, type RowOf, table } from '../../../kernel/storage/tables/table.ts'

// Whom users and apps hide.

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

/** Shows nobody whom the app bans or the viewer mutes. */
export const HIDDEN_ACCOUNTS: ShownConditions = {
  account: `(select 1 from app_ban ban where ban.app = :app and ban.fid = :fid) is null
   and (select 1 from app_mute mute
         where mute.app in (:app, '${EVERY_APP}') and mute.fid = :viewer and mute.muted_fid = :fid) is null`,
}

/** Accounts that one app may ban. */
export const MAX_BANS_PER_APP = 100_000
/** Accounts that one user may mute in one app. */
export const MAX_MUTES_PER_FID = 10_000

const MUTES = APP_MUTES.newestFirst({ time: 'muted_at', ties: ['app', 'fid', 'muted_fid'] })
const BANS = APP_BANS.newestFirst({ time: 'banned_at', ties: ['app', 'fid'] })

export const hiddenAccountReader = (sql: Sql) => ({
  /** The mutes of a user in an app, newest first. */
  mutes: (app: string, fid: number, after: After, limit: number) =>
    MUTES(sql, { app, fid }, after, limit),
  muteCount: (app: string, fid: number) =>
    APP_MUTES.count(sql, 'where app = ? and fid = ?', [app, fid]),
  /** The bans of an app, newest first. */
  bans: (app: string, after: After, limit: number) => BANS(sql, { app }, after, limit),
  banCount: (app: string) => APP_BANS.count(sql, 'where app = ?', [app]),
})

export const hiddenAccountWriter = (sql: Sql) => ({
  ...hiddenAccountReader(sql),
  /** Adds mutes; existing ones keep their time. */
  addMutes: (mutes: readonly AppMute[]) => APP_MUTES.insertNew(sql, mutes),
  removeMutes: (mutes: readonly Omit<AppMute, 'muted_at'>[]) => APP_MUTES.remove(sql, mutes),
  /** Adds bans; existing ones keep their time. */
  addBans: (bans: readonly AppBan[]) => APP_BANS.insertNew(sql, bans),
  removeBans: (bans: readonly Omit<AppBan, 'banned_at'>[]) => APP_BANS.remove(sql, bans),
})

/** `storage.of(hiddenAccountRows)` reads these tables, and `tx.of(hiddenAccountRows)` writes them. */
export const hiddenAccountRows = rowsOf(hiddenAccountReader, ({ sql }) => hiddenAccountWriter(sql))
