import { listStatement, type Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import {
  type After,
  query,
  queryEach,
  type RowOf,
  table,
} from '../../../kernel/storage/tables/table.ts'
import { WITH_DOMAIN } from './mini-apps.ts'

/** The right of an app to notify a user. The user's client tells it to the app, again each time the app is opened. */
export const MINI_APP_TOKENS = table(
  'mini_app_token',
  {
    token: { type: 'line', words: false, withheld: WITHHELD.secret, key: true },
    fid: { type: 'fid', erasure: { by: 'platform' }, exported: true },
    app_id: { type: 'integer' },
    /** A disabled token is never enabled again: enabling notifications makes another one. */
    state: { type: 'line', values: ['enabled', 'disabled'] },
    changed_at: { type: 'seconds' },
  },
  WITH_DOMAIN,
)
export type MiniAppToken = RowOf<typeof MINI_APP_TOKENS>

export const MINI_APP_NOTICES = table(
  'mini_app_notice',
  {
    fid: { type: 'fid', erasure: { by: 'platform' }, exported: true, key: true },
    app_id: { type: 'integer', key: true },
    notification_id: { type: 'line', words: false, key: true },
    title: { type: 'line', words: true },
    body: { type: 'line', words: true },
    target_url: { type: 'link', words: true },
    created_at: { type: 'seconds' },
    seen_at: { type: 'seconds', null: true },
  },
  WITH_DOMAIN,
)
export type MiniAppNotice = RowOf<typeof MINI_APP_NOTICES>
type NoticeKey = Pick<MiniAppNotice, 'fid' | 'app_id' | 'notification_id'>

/** Unseen notices are counted up to this number. */
export const MAX_UNSEEN = 1_000
/** Notices of one app that are kept for a user. */
const MAX_NOTICES_KEPT = 200
/** Rows that one clean-up forgets. */
const MAX_FORGOTTEN = 1_000

const TRIM = listStatement(
  { fid: 'bigint', app_id: 'bigint' },
  `delete from mini_app_notice where (fid, app_id, notification_id) in (
     select fid, app_id, notification_id from (
       select n.fid, n.app_id, n.notification_id, row_number() over (
                partition by n.fid, n.app_id order by n.created_at desc, n.notification_id) as place
         from input i join mini_app_notice n on n.fid = i.fid and n.app_id = i.app_id) placed
      where place > ${MAX_NOTICES_KEPT})
   returning fid`,
)

export const miniAppNoticeReader = (sql: Sql) => ({
  tokens: (tokens: readonly string[]) => MINI_APP_TOKENS.findBy(sql, 'token', tokens),
  /** The token with which an app may notify a user now. */
  tokenOf: (fid: number, appId: number) =>
    MINI_APP_TOKENS.first(sql, "where app_id = ? and fid = ? and state = 'enabled'", [appId, fid]),
  /** The enabled ones of an app, by user. */
  enabledOf: (appId: number, limit: number) =>
    MINI_APP_TOKENS.select(
      sql,
      "where app_id = ? and state = 'enabled' order by fid, token limit (? + 0)",
      [appId, limit],
    ),
  /** Those of some apps, by user, app and token; of some users only when `fids` is given. */
  async tokensOfApps(
    appIds: readonly number[],
    fids: readonly number[] | undefined,
    after: After,
    limit: number,
  ): Promise<MiniAppToken[]> {
    if (appIds.length === 0) return []
    const marks = (values: readonly unknown[]) => values.map(() => '?').join(', ')
    const whose = fids ? `and fid in (${marks(fids)})` : ''
    const beyond = after ? 'and (fid, app_id, token) > (?, ?, ?)' : ''
    return MINI_APP_TOKENS.select(
      sql,
      `where app_id in (${marks(appIds)}) ${whose} ${beyond}
        order by fid, app_id, token limit (? + 0)`,
      [...appIds, ...(fids ?? []), ...(after ?? []), limit],
    )
  },
  known: (keys: readonly NoticeKey[]) => MINI_APP_NOTICES.findAll(sql, keys),
  /** Newest first. */
  notices: (fid: number, after: After, limit: number) =>
    MINI_APP_NOTICES.select(
      sql,
      `where fid = ? ${after ? 'and (created_at, app_id, notification_id) < (?, ?, ?)' : ''}
        order by created_at desc, app_id desc, notification_id desc limit (? + 0)`,
      [fid, ...(after ?? []), limit],
    ),
  async unseenCount(fid: number): Promise<number> {
    const [row] = await query<{ n: number }>(
      sql,
      `select count(*) as n from (
         select 1 from mini_app_notice where fid = ? and seen_at is null limit (? + 0)) unseen`,
      [fid, MAX_UNSEEN],
    )
    return Number(row!.n)
  },
})

export const miniAppNoticeWriter = (sql: Sql) => ({
  ...miniAppNoticeReader(sql),
  addToken: (token: MiniAppToken) => MINI_APP_TOKENS.insert(sql, [token]),
  async disableTokens(fid: number, appId: number, now: number): Promise<void> {
    const text = `update mini_app_token set state = 'disabled', changed_at = ?
      where app_id = ? and fid = ? and state = 'enabled'`
    await sql.all(text, [now, appId, fid])
  },
  /** Adds notices; those with the same id are replaced. */
  put: (notices: readonly MiniAppNotice[]) => MINI_APP_NOTICES.upsert(sql, notices),
  async see(fid: number, until: number, now: number): Promise<void> {
    const text = `update mini_app_notice set seen_at = ?
      where fid = ? and seen_at is null and created_at <= ?`
    await sql.all(text, [now, fid, until])
  },
  /** Deletes the oldest notices of these users and apps beyond MAX_NOTICES_KEPT of each pair. */
  async trim(pairs: readonly Pick<MiniAppNotice, 'fid' | 'app_id'>[]): Promise<void> {
    await queryEach(sql, TRIM, pairs)
  },
  /** Forgets some notices and disabled tokens up to these times. Returns how many. */
  async forget(times: { notices: number; tokens: number }): Promise<number> {
    const notices = await MINI_APP_NOTICES.removeWhere(
      sql,
      `(fid, app_id, notification_id) in (
         select fid, app_id, notification_id from mini_app_notice where created_at <= ? limit (? + 0))`,
      [times.notices, MAX_FORGOTTEN],
    )
    const tokens = await MINI_APP_TOKENS.removeWhere(
      sql,
      `token in (select token from mini_app_token
         where state = 'disabled' and changed_at <= ? limit (? + 0))`,
      [times.tokens, MAX_FORGOTTEN],
    )
    return notices.length + tokens.length
  },
  async erase(fid: number): Promise<void> {
    await MINI_APP_NOTICES.removeBy(sql, 'fid', [fid])
    await MINI_APP_TOKENS.removeBy(sql, 'fid', [fid])
  },
})

/** `storage.of(miniAppNoticeRows)` reads these tables, and `tx.of(miniAppNoticeRows)` writes them. */
export const miniAppNoticeRows = rowsOf(miniAppNoticeReader, ({ sql }) => miniAppNoticeWriter(sql))
