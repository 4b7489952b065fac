import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT } from '../../../kernel/storage/tables/duties.ts'
import { query, type RowOf, table } from '../../../kernel/storage/tables/table.ts'

export const ACTIONS = table('action', {
  id: { type: 'integer', key: true },
  name: { type: 'line', words: false, json: 'name' },
  icon: {
    type: 'line',
    words: false,
    json: 'icon',
    description: 'The id of an icon of the Octicons.',
  },
  description: { type: 'line', words: false, json: 'description' },
  about_url: { type: 'link', words: false, json: 'aboutUrl', null: true },
  /** Where its document is; it identifies the action. */
  url: {
    type: 'link',
    words: false,
    json: 'actionUrl',
    description: "Where the action's document is; what the action is known by.",
  },
  post_url: {
    type: 'link',
    words: false,
    json: 'action.postUrl',
    description: 'Where clients post signed messages.',
  },
  /** Only composer actions have one. */
  image_url: { type: 'link', words: false, json: 'imageUrl', null: true, description: 'A logo.' },
  /** A cast action acts on a cast; a composer action helps to compose one. */
  kind: { type: 'line', json: 'kind', values: ['cast', 'composer'], operatorOnly: true },
  /** The number of users who have installed it. */
  installs: {
    type: 'integer',
    json: 'addedCount',
    counter: true,
    operatorOnly: true,
    description: 'How many users have it.',
  },
  looked_at: {
    type: 'seconds',
    json: 'lookedAt',
    operatorOnly: true,
    description: 'When its document was last asked for.',
  },
  fault: {
    type: 'text',
    words: false,
    json: 'fault',
    null: true,
    operatorOnly: true,
    description: 'What was wrong with the document then.',
  },
})
export type StoredAction = RowOf<typeof ACTIONS>
export type ActionKind = StoredAction['kind']
/** The fields that come from an action's document. */
export type ActionDocument = Pick<StoredAction, (typeof DOCUMENT_COLUMNS)[number]>
type NewAction = Omit<StoredAction, 'id' | 'installs' | 'fault'>
export type FeaturedAction = StoredAction & { readonly position: number }
export type InstalledAction = StoredAction & { readonly installed_at: number }
/** The position of an action in a list by number of installs. */
export type TopPlace = Pick<StoredAction, 'installs' | 'id'>

const DOCUMENT_COLUMNS = [
  'name',
  'icon',
  'description',
  'about_url',
  'image_url',
  'post_url',
] as const

export const INSTALLED_ACTIONS = table(
  'installed_action',
  {
    fid: { type: 'fid', erasure: KEPT.choice, exported: true, key: true },
    action_id: { type: 'integer', key: true },
    installed_at: { type: 'seconds' },
  },
  { exportedWith: { action_url: '(select url from action where id = action_id)' } },
)

/** The composer actions that the operator recommends, in order from 1. */
export const FEATURED_ACTIONS = table('featured_action', {
  position: { type: 'integer', key: true },
  action_id: { type: 'integer' },
})

/** A list by number is read like one by time. */
const TOP = ACTIONS.newestFirst({ time: 'installs', ties: ['id'] })

export type ActionReader = ReturnType<typeof actionReader>

/** The stored number of installs of an action and the actual number of rows. */
type ActionCounts = { readonly url: string; readonly installs: number; readonly users: number }
const MISCOUNTED = `select * from (
    select a.id, a.url, a.installs,
      (select count(*) from installed_action i where i.action_id = a.id) as users
    from action a) as counted
  where installs <> users order by id limit (? + 0)`

export const actionReader = (sql: Sql) => ({
  /** Actions whose number of installs differs from their rows. */
  miscounted: (limit: number) => query<ActionCounts>(sql, MISCOUNTED, [limit]),
  byUrl: (url: string) => ACTIONS.first(sql, 'where url = ?', [url]),
  byUrls: (urls: readonly string[]) => ACTIONS.findBy(sql, 'url', urls),
  /** By number of installs, greatest first, then by id. */
  listTop: (kind: ActionKind, after: TopPlace | undefined, limit: number) =>
    TOP(sql, { kind }, after && [after.installs, after.id], limit),
  /** In the operator's order. */
  listFeatured: (afterPosition: number, limit: number) =>
    query<FeaturedAction>(
      sql,
      `select a.*, f.position from featured_action f join action a on a.id = f.action_id
        where f.position > ? order by f.position limit (? + 0)`,
      [afterPosition, limit],
    ),
  /** By id. */
  list: (afterId: number, limit: number) => ACTIONS.pageByKey(sql, [afterId], limit),
  /** Newest first. */
  listInstalled: (fid: number, limit: number) =>
    query<InstalledAction>(
      sql,
      `select a.*, i.installed_at from installed_action i join action a on a.id = i.action_id
        where i.fid = ? order by i.installed_at desc, a.id limit (? + 0)`,
      [fid, limit],
    ),
  installedCount: (fid: number) => INSTALLED_ACTIONS.count(sql, 'where fid = ?', [fid]),
  count: () => ACTIONS.count(sql),
})

export function actionWriter(sql: Sql) {
  const addInstalls = (id: number, installs: number) =>
    ACTIONS.add(sql, ['installs'], [], [{ id, installs }])
  return {
    ...actionReader(sql),
    async insert(action: NewAction): Promise<void> {
      const id = (await ACTIONS.max(sql, 'id')) + 1
      await ACTIONS.insert(sql, [{ ...action, id, fault: null }])
    },
    /** Replaces the fields of the document. Installs stay. */
    update: (id: number, document: ActionDocument, looked_at: number) =>
      ACTIONS.update(
        sql,
        [...DOCUMENT_COLUMNS, 'looked_at', 'fault'],
        [{ ...document, id, looked_at, fault: null }],
      ),
    async putFault(url: string, fault: string, lookedAt: number): Promise<void> {
      const text = 'update action set fault = ?, looked_at = ? where url = ?'
      await sql.all(text, [fault, lookedAt, url])
    },
    /** Returns the actions not looked at since `before`, longest ago first, and marks them as looked at now. */
    takeStale: (before: number, now: number, limit: number) =>
      query<StoredAction>(
        sql,
        `update action set looked_at = ? where id in (
           select id from action where looked_at < ? order by looked_at, id limit (? + 0))
         returning *`,
        [now, before, limit],
      ),
    /** Deletes an action with its installs and its place among the featured ones. */
    async remove(id: number): Promise<void> {
      await INSTALLED_ACTIONS.removeBy(sql, 'action_id', [id])
      await FEATURED_ACTIONS.removeBy(sql, 'action_id', [id])
      await ACTIONS.remove(sql, [{ id }])
    },
    async install(fid: number, action_id: number, installed_at: number): Promise<void> {
      const added = await INSTALLED_ACTIONS.insertNew(sql, [{ fid, action_id, installed_at }])
      if (added.length > 0) await addInstalls(action_id, 1)
    },
    async uninstall(fid: number, action_id: number): Promise<void> {
      const removed = await INSTALLED_ACTIONS.remove(sql, [{ fid, action_id }])
      if (removed > 0) await addInstalls(action_id, -1)
    },
    /** Replaces the whole list, in this order. */
    async putFeatured(ids: readonly number[]): Promise<void> {
      await sql.all('delete from featured_action')
      const rows = ids.map((action_id, i) => ({ position: i + 1, action_id }))
      await FEATURED_ACTIONS.insert(sql, rows)
    },
  }
}

/** `storage.of(actionRows)` reads these tables, and `tx.of(actionRows)` writes them. */
export const actionRows = rowsOf(actionReader, ({ sql }) => actionWriter(sql))
