import { type NewestFirst, readNewestFirst } from './newest-first.ts'
import { listStatement, type Row, type Sql, type SqlValue } from './sql.ts'

/** Acts on a cast, or helps to compose one. */
export type ActionKind = 'cast' | 'composer'

/** What an action's document says of it. */
export type ActionDocument = {
  readonly name: string
  readonly icon: string
  readonly description: string
  readonly about_url: string | null
  readonly image_url: string | null
  readonly post_url: string
}

export type NewAction = ActionDocument & {
  /** Where its document is. */
  readonly url: string
  readonly kind: ActionKind
  /** Unix seconds: when the document was last asked for. */
  readonly looked_at: number
}

export type StoredAction = NewAction & {
  readonly id: number
  /** How many users have it. */
  readonly installs: number
  /** Why the document could not be taken when it was last asked for. */
  readonly fault: string | null
}

export type FeaturedAction = StoredAction & { readonly position: number }
export type InstalledAction = StoredAction & { readonly installed_at: number }

/** The place of an action in a list of those that most users have. */
export type TopPlace = Pick<StoredAction, 'installs' | 'id'>

export interface ActionReader {
  byUrl(url: string): Promise<StoredAction | undefined>
  byUrls(urls: readonly string[]): Promise<StoredAction[]>
  /** Those that most users have first, of as many the older one. */
  listTop(kind: ActionKind, after: TopPlace | undefined, limit: number): Promise<StoredAction[]>
  /** In the operator's order. */
  listFeatured(afterPosition: number, limit: number): Promise<FeaturedAction[]>
  /** By id. */
  list(afterId: number, limit: number): Promise<StoredAction[]>
  /** Newest first. */
  listInstalled(fid: number, limit: number): Promise<InstalledAction[]>
  installedCount(fid: number): Promise<number>
  count(): Promise<number>
}

export interface ActionWriter extends ActionReader {
  insert(action: NewAction): Promise<void>
  /** Takes over what the document says now; who has installed it stays. */
  update(url: string, document: ActionDocument, lookedAt: number): Promise<void>
  putFault(url: string, fault: string, lookedAt: number): Promise<void>
  /** Those not looked at since a time, longest ago first; they count as looked at from now on. */
  takeStale(before: number, now: number, limit: number): Promise<StoredAction[]>
  /** With its installs and its place among the featured. */
  remove(id: number): Promise<void>
  install(fid: number, id: number, installedAt: number): Promise<void>
  uninstall(fid: number, id: number): Promise<void>
  /** The whole list anew, in order. */
  putFeatured(ids: readonly number[]): Promise<void>
}

const BY_URLS = listStatement(
  { url: 'text' },
  'select a.* from input i join action a on a.url = i.url',
)
const INSERT_FEATURED = listStatement(
  { position: 'bigint', action_id: 'bigint' },
  'insert into featured_action (position, action_id) select position, action_id from input',
)

/** A list by number is read as one by time is. */
const TOP: NewestFirst = { table: 'action', columns: '*', time: 'installs', ties: ['id'] }

export function actionReader(sql: Sql): ActionReader {
  const select = async <T = StoredAction>(text: string, parameters: SqlValue[]) =>
    (await sql.all(text, parameters)) as unknown as T[]
  return {
    async byUrl(url) {
      return (await select('select * from action where url = ?', [url]))[0]
    },
    async byUrls(urls) {
      const rows = urls.map((url) => ({ url }))
      return (await sql.each(BY_URLS, rows)) as unknown as StoredAction[]
    },
    async listTop(kind, after, limit) {
      const position = after && [after.installs, after.id]
      return (await readNewestFirst(
        sql,
        TOP,
        { kind },
        position,
        limit,
      )) as unknown as StoredAction[]
    },
    listFeatured: (afterPosition, limit) =>
      select(
        `select a.*, f.position from featured_action f join action a on a.id = f.action_id
          where f.position > ? order by f.position limit ?`,
        [afterPosition, limit],
      ),
    list: (afterId, limit) =>
      select('select * from action where id > ? order by id limit ?', [afterId, limit]),
    listInstalled: (fid, limit) =>
      select(
        `select a.*, i.installed_at from installed_action i join action a on a.id = i.action_id
          where i.fid = ? order by i.installed_at desc, a.id limit ?`,
        [fid, limit],
      ),
    installedCount: async (fid) =>
      countIn(await sql.all('select count(*) as n from installed_action where fid = ?', [fid])),
    count: async () => countIn(await sql.all('select count(*) as n from action')),
  }
}

const countIn = ([row]: Row[]) => Number(row?.n ?? 0)

export function actionWriter(sql: Sql): ActionWriter {
  const addInstalls = (id: number, change: number) =>
    sql.all('update action set installs = installs + ? where id = ?', [change, id])
  return {
    ...actionReader(sql),
    async insert(action) {
      const [row] = await sql.all('select coalesce(max(id), 0) as id from action')
      await sql.all(
        `insert into action (id, installs, ${COLUMNS.join(', ')})
         values (?, 0, ${COLUMNS.map(() => '?').join(', ')})`,
        [(row?.id as number) + 1, ...COLUMNS.map((column) => action[column])],
      )
    },
    async update(url, document, lookedAt) {
      await sql.all(
        `update action set ${DOCUMENT_COLUMNS.map((column) => `${column} = ?`).join(', ')},
                looked_at = ?, fault = null where url = ?`,
        [...DOCUMENT_COLUMNS.map((column) => document[column]), lookedAt, url],
      )
    },
    async putFault(url, fault, lookedAt) {
      await sql.all('update action set fault = ?, looked_at = ? where url = ?', [
        fault,
        lookedAt,
        url,
      ])
    },
    async takeStale(before, now, limit) {
      const rows = await sql.all(
        `update action set looked_at = ? where id in (
           select id from action where looked_at < ? order by looked_at, id limit ?)
         returning *`,
        [now, before, limit],
      )
      return rows as unknown as StoredAction[]
    },
    async remove(id) {
      await sql.all('delete from installed_action where action_id = ?', [id])
      await sql.all('delete from featured_action where action_id = ?', [id])
      await sql.all('delete from action where id = ?', [id])
    },
    async install(fid, id, installedAt) {
      const added = await sql.all(
        `insert into installed_action (fid, action_id, installed_at) values (?, ?, ?)
         on conflict (fid, action_id) do nothing returning fid`,
        [fid, id, installedAt],
      )
      if (added.length > 0) await addInstalls(id, 1)
    },
    async uninstall(fid, id) {
      const removed = await sql.all(
        'delete from installed_action where fid = ? and action_id = ? returning fid',
        [fid, id],
      )
      if (removed.length > 0) await addInstalls(id, -1)
    },
    async putFeatured(ids) {
      await sql.all('delete from featured_action')
      await sql.each(
        INSERT_FEATURED,
        ids.map((id, i) => ({ position: i + 1, action_id: id })),
      )
    },
  }
}

const DOCUMENT_COLUMNS = [
  'name',
  'icon',
  'description',
  'about_url',
  'image_url',
  'post_url',
] as const satisfies readonly (keyof ActionDocument)[]

const COLUMNS = ['url', 'kind', ...DOCUMENT_COLUMNS, 'looked_at'] as const
