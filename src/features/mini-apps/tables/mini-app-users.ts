import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { type After, query, type RowOf, table } from '../../../kernel/storage/tables/table.ts'
import { MINI_APPS, type StoredMiniApp, WITH_DOMAIN } from './mini-apps.ts'

/** Which user has added which app. */
export const ADDED_MINI_APPS = table(
  'added_mini_app',
  {
    fid: { type: 'fid', erasure: { by: 'platform' }, exported: true, key: true },
    app_id: { type: 'integer', key: true },
    added_at: { type: 'seconds' },
    notifies: { type: 'flag' },
    /** When `notifies` last changed. */
    changed_at: { type: 'seconds' },
  },
  WITH_DOMAIN,
)
export type AddedMiniApp = RowOf<typeof ADDED_MINI_APPS>
export type AddedApp = StoredMiniApp &
  Pick<AddedMiniApp, 'added_at' | 'notifies' | 'changed_at'> & { readonly token: string | null }

/** When a user last opened an app; kept for 30 days. */
export const MINI_APP_USES = table(
  'mini_app_use',
  {
    fid: { type: 'fid', erasure: { by: 'platform' }, exported: true, key: true },
    app_id: { type: 'integer', key: true },
    opened_at: { type: 'seconds' },
  },
  WITH_DOMAIN,
)
export type MiniAppUse = RowOf<typeof MINI_APP_USES>
export type OpenedApp = StoredMiniApp & Pick<MiniAppUse, 'opened_at'>

/** Choices of a user that concern all apps. */
export const MINI_APP_PEOPLE = table('mini_app_person', {
  fid: { type: 'fid', erasure: { by: 'platform' }, exported: true, key: true },
  /** Whether the apps that the user opens are hidden from friends. */
  hides_use: { type: 'flag' },
})

/** Uses that one clean-up deletes. */
const MAX_FORGOTTEN_USES = 1_000

const COLUMNS = MINI_APPS.columns.map((column) => `a.${column}`).join(', ')

export const miniAppUserReader = (sql: Sql) => ({
  added: (fid: number, appId: number) => ADDED_MINI_APPS.find(sql, fid, appId),
  addedCount: (fid: number) => ADDED_MINI_APPS.count(sql, 'where fid = ?', [fid]),
  /** Newest first, each with the token for its notifications. */
  listAdded: (fid: number, limit: number) =>
    query<AddedApp>(
      sql,
      `select ${COLUMNS}, i.added_at, i.notifies, i.changed_at, t.token
         from added_mini_app i join mini_app a on a.id = i.app_id
         left join mini_app_token t on t.app_id = i.app_id and t.fid = i.fid and t.state = 'enabled'
        where i.fid = ? order by i.added_at desc, a.id limit (? + 0)`,
      [fid, limit],
    ),
  /** Who has added an app, by fid. */
  listPeople: (appId: number, afterFid: number, limit: number) =>
    ADDED_MINI_APPS.select(sql, 'where app_id = ? and fid > ? order by fid limit (? + 0)', [
      appId,
      afterFid,
      limit,
    ]),
  use: (fid: number, appId: number) => MINI_APP_USES.find(sql, fid, appId),
  /** The apps that a user opened last. */
  recent: (fid: number, after: After, limit: number) =>
    query<OpenedApp>(
      sql,
      `select ${COLUMNS}, u.opened_at from mini_app_use u join mini_app a on a.id = u.app_id
        where u.fid = ? and a.state = 'listed' ${after ? 'and (u.opened_at, a.id) < (?, ?)' : ''}
        order by u.opened_at desc, a.id desc limit (? + 0)`,
      [fid, ...(after ?? []), limit],
    ),
  hidesUse: async (fid: number) => (await MINI_APP_PEOPLE.find(sql, fid))?.hides_use === 1,
})

export const miniAppUserWriter = (sql: Sql) => ({
  ...miniAppUserReader(sql),
  put: (added: AddedMiniApp) => ADDED_MINI_APPS.upsert(sql, [added]),
  remove: (fid: number, app_id: number) => ADDED_MINI_APPS.remove(sql, [{ fid, app_id }]),
  putUse: (use: MiniAppUse) => MINI_APP_USES.upsert(sql, [use]),
  setHidesUse: (fid: number, hides: boolean) =>
    MINI_APP_PEOPLE.upsert(sql, [{ fid, hides_use: hides ? 1 : 0 }]),
  /** Moves the users of an app to another one, with their tokens. Who has added both keeps what the other one may do. */
  async move(from: number, to: number, now: number): Promise<void> {
    await sql.all(
      `update mini_app_token set app_id = ? where app_id = ? and (
         select 1 from added_mini_app b where b.app_id = ? and b.fid = mini_app_token.fid) is null`,
      [to, from, to],
    )
    await sql.all(
      `insert into added_mini_app (fid, app_id, added_at, notifies, changed_at)
         select fid, cast(? as bigint), added_at, notifies, changed_at from added_mini_app where app_id = ?
         on conflict (fid, app_id) do nothing`,
      [to, from],
    )
    await sql.all('delete from added_mini_app where app_id = ?', [from])
    // Nobody has added the app any more, so nobody could take back what is left.
    await sql.all(
      "update mini_app_token set state = 'disabled', changed_at = ? where app_id = ? and state = 'enabled'",
      [now, from],
    )
    await sql.all(
      `update mini_app set people = (
         select count(*) from added_mini_app b where b.app_id = mini_app.id) where id in (?, ?)`,
      [from, to],
    )
  },
  /** Deletes some uses up to a time and updates the counters of their apps. Returns how many. */
  async forgetUses(upTo: number): Promise<number> {
    const uses = await MINI_APP_USES.removeWhere(
      sql,
      `opened_at <= ? and (fid, app_id) in (
         select fid, app_id from mini_app_use where opened_at <= ? limit (? + 0))`,
      [upTo, upTo, MAX_FORGOTTEN_USES],
    )
    await countOut(sql, 'openers', uses)
    return uses.length
  },
  /** Deletes what an account has added, opened and chosen, and updates the counters of the apps. */
  async erase(fid: number): Promise<void> {
    await MINI_APP_PEOPLE.remove(sql, [{ fid }])
    await countOut(sql, 'people', await ADDED_MINI_APPS.removeWhere(sql, 'fid = ?', [fid]))
    await countOut(sql, 'openers', await MINI_APP_USES.removeWhere(sql, 'fid = ?', [fid]))
  },
})

/** Subtracts deleted rows from a counter of their apps. */
async function countOut(
  sql: Sql,
  counter: 'people' | 'openers',
  removed: readonly { readonly app_id: number }[],
): Promise<void> {
  const counts = new Map<number, number>()
  for (const { app_id } of removed) counts.set(app_id, (counts.get(app_id) ?? 0) - 1)
  const rows = [...counts].map(([id, n]) => ({ id, people: n, openers: n }))
  await MINI_APPS.add(sql, [counter], [], rows)
}

/** `storage.of(miniAppUserRows)` reads these tables, and `tx.of(miniAppUserRows)` writes them. */
export const miniAppUserRows = rowsOf(miniAppUserReader, ({ sql }) => miniAppUserWriter(sql))
