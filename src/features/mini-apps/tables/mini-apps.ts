import type { Sql, SqlValue } from '../../../kernel/storage/engines/sql.ts'
import { isListedFid } from '../../../kernel/storage/reads/published.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { cursorReader, cursorWriter } from '../../../kernel/storage/tables/cursors.ts'
import { type After, query, type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** In exports the domain of an app stands beside its number. */
export const WITH_DOMAIN = {
  exportedWith: { domain: '(select domain from mini_app where id = app_id)' },
} as const

/** The catalogue of mini apps. An app is its domain. */
export const MINI_APPS = table('mini_app', {
  id: { type: 'integer', key: true },
  /** Host, with the port if there is one. */
  domain: { type: 'line', words: false },
  /** Who has signed the domain; 0: nobody that this server could verify. */
  author_fid: { type: 'integer', erasure: { by: 'platform' }, exported: true },
  /** `removed` by the operator; `faulty` when its manifest has not been valid for days, or has another author. */
  state: { type: 'line', values: ['listed', 'faulty', 'removed'] },
  name: { type: 'line', words: true },
  category: { type: 'line', words: false, null: true },
  /** It is in no list and no search. */
  noindex: { type: 'flag' },
  /** What a search looks in, in lower case. */
  words: { type: 'text', words: true, withheld: 'What the manifest says, in lower case.' },
  /** JSON: the checked fields of its manifest. */
  manifest: { type: 'text', words: true },
  /** CAIP-2 ids of the chains that it needs, such as `,eip155:10,eip155:8453,`; empty: none. */
  chains: { type: 'line', words: false },
  /** JSON: the signature of its author over the domain. */
  association: { type: 'text', words: true, null: true },
  /** The number of users who have added it, and who have opened it in the last 30 days. */
  people: { type: 'integer', counter: true },
  openers: { type: 'integer', counter: true },
  created_at: { type: 'seconds' },
  /** When its manifest was last asked for, and when it was last valid. */
  looked_at: { type: 'seconds' },
  good_at: { type: 'seconds' },
  /** JSON: what was wrong with the manifest then. */
  fault: { type: 'text', words: false, null: true },
})
export type StoredMiniApp = RowOf<typeof MINI_APPS>
/** What follows from a valid manifest. */
type ManifestColumn = (typeof MANIFEST_COLUMNS)[number]
export type MiniAppManifest = Pick<StoredMiniApp, ManifestColumn>

const MANIFEST_COLUMNS = [
  'author_fid',
  'state',
  'name',
  'category',
  'noindex',
  'words',
  'manifest',
  'chains',
  'association',
  'looked_at',
  'good_at',
  'fault',
] as const

const EMPTIED = {
  category: null,
  words: '',
  manifest: '{}',
  chains: '',
  association: null,
  fault: null,
}
const EMPTIED_COLUMNS = [
  'name',
  'category',
  'words',
  'manifest',
  'chains',
  'association',
  'fault',
] as const

/** The greatest id that was ever given: what was begun with an app that is gone must not meet another one. */
const LAST_ID = 'last mini app'

/** The apps that the operator recommends, in order from 1. */
export const FEATURED_MINI_APPS = table('featured_mini_app', {
  position: { type: 'integer', key: true },
  app_id: { type: 'integer' },
})
export type FeaturedMiniApp = StoredMiniApp & { readonly position: number }

/** Which apps of the catalogue a list has. */
export type MiniAppFilter = {
  readonly category?: string | undefined
  /** Words that an app must have, in lower case. */
  readonly words?: readonly string[]
}

const COLUMNS = MINI_APPS.columns.map((column) => `a.${column}`).join(', ')
const IS_SHOWN = `a.state = 'listed' and a.noindex = 0 and ${isListedFid('a.author_fid')}`

/** Escapes what has a meaning in a pattern of `like`. */
const patternOf = (word: string) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`

function shown({ category, words = [] }: MiniAppFilter): { text: string; parameters: SqlValue[] } {
  const conditions = words.map(() => "a.words like ? escape '\\'")
  if (category !== undefined) conditions.push('a.category = ?')
  return {
    text: [IS_SHOWN, ...conditions].join(' and '),
    parameters: [...words.map(patternOf), ...(category === undefined ? [] : [category])],
  }
}

/** A page of shown apps by descending columns. */
function descending(
  sql: Sql,
  columns: readonly string[],
  filter: MiniAppFilter,
  after: After,
  limit: number,
): Promise<StoredMiniApp[]> {
  const { text, parameters } = shown(filter)
  const beyond = after && `and (${columns.join(', ')}) < (${columns.map(() => '?').join(', ')})`
  return query(
    sql,
    `select ${COLUMNS} from mini_app a where ${text} ${beyond ?? ''}
      order by ${columns.map((column) => `${column} desc`).join(', ')} limit (? + 0)`,
    [...parameters, ...(after ?? []), limit],
  )
}

export const miniAppReader = (sql: Sql) => ({
  byDomain: (domain: string) => MINI_APPS.first(sql, 'where domain = ?', [domain]),
  byId: (id: number) => MINI_APPS.find(sql, id),
  byIds: (ids: readonly number[]) => MINI_APPS.findBy(sql, 'id', ids),
  byDomains: (domains: readonly string[]) => MINI_APPS.findBy(sql, 'domain', domains),
  /** By the people who opened it in the last 30 days, then by those who have added it. */
  top: (filter: MiniAppFilter, after: After, limit: number) =>
    descending(sql, ['a.openers', 'a.people', 'a.id'], filter, after, limit),
  newest: (filter: MiniAppFilter, after: After, limit: number) =>
    descending(sql, ['a.created_at', 'a.id'], filter, after, limit),
  /** In the operator's order. */
  featured: (afterPosition: number, limit: number) =>
    query<FeaturedMiniApp>(
      sql,
      `select ${COLUMNS}, f.position from featured_mini_app f join mini_app a on a.id = f.app_id
        where f.position > ? and ${IS_SHOWN} order by f.position limit (? + 0)`,
      [afterPosition, limit],
    ),
  /** The same for the operator, with those that are not shown. */
  allFeatured: () =>
    query<FeaturedMiniApp>(
      sql,
      `select ${COLUMNS}, f.position from featured_mini_app f join mini_app a on a.id = f.app_id
        order by f.position`,
    ),
  /** All of them, by id. */
  list: (afterId: number, limit: number) => MINI_APPS.pageByKey(sql, [afterId], limit),
  ofAuthor: (fid: number, limit: number) =>
    MINI_APPS.select(sql, 'where author_fid = ? order by id limit (? + 0)', [fid, limit]),
  count: () => MINI_APPS.count(sql),
})

export function miniAppWriter(sql: Sql) {
  return {
    ...miniAppReader(sql),
    async insert(
      app: MiniAppManifest & Pick<StoredMiniApp, 'domain' | 'created_at'>,
    ): Promise<void> {
      const last = Number((await cursorReader(sql).get(LAST_ID)) ?? 0)
      const id = Math.max(last, await MINI_APPS.max(sql, 'id')) + 1
      await cursorWriter(sql).put(LAST_ID, String(id))
      await MINI_APPS.insert(sql, [{ ...app, id }])
    },
    update: (id: number, manifest: MiniAppManifest) =>
      MINI_APPS.update(sql, MANIFEST_COLUMNS, [{ ...manifest, id }]),
    setState: (
      id: number,
      { state, fault, looked_at }: Pick<StoredMiniApp, 'state' | 'fault' | 'looked_at'>,
    ) => MINI_APPS.update(sql, ['state', 'fault', 'looked_at'], [{ id, state, fault, looked_at }]),
    /** Returns the apps not looked at since `before`, longest ago first, and marks them as looked at now. */
    takeStale: (before: number, now: number, limit: number) =>
      query<StoredMiniApp>(
        sql,
        `update mini_app set looked_at = ? where id in (
           select id from mini_app where looked_at < ? and state <> 'removed'
            order by looked_at, id limit (? + 0))
         returning *`,
        [now, before, limit],
      ),
    /** Deletes an app with everything about it. */
    async remove(id: number): Promise<void> {
      for (const name of TABLES_BY_APP) await sql.all(`delete from ${name} where app_id = ?`, [id])
      await MINI_APPS.remove(sql, [{ id }])
    },
    /** Deletes the apps of an author. Of those that the operator has removed the domain stays known, without a word. */
    async eraseOf(fid: number): Promise<void> {
      for (const { id, domain, state } of await MINI_APPS.findBy(sql, 'author_fid', [fid])) {
        if (state !== 'removed') await this.remove(id)
        else await MINI_APPS.update(sql, EMPTIED_COLUMNS, [{ ...EMPTIED, id, name: domain }])
      }
    },
    /** Replaces the whole list, in this order. */
    async putFeatured(ids: readonly number[]): Promise<void> {
      await sql.all('delete from featured_mini_app')
      const rows = ids.map((app_id, i) => ({ position: i + 1, app_id }))
      await FEATURED_MINI_APPS.insert(sql, rows)
    },
    addPeople: (id: number, people: number) => MINI_APPS.add(sql, ['people'], [], [{ id, people }]),
    addOpeners: (rows: readonly Pick<StoredMiniApp, 'id' | 'openers'>[]) =>
      MINI_APPS.add(sql, ['openers'], [], rows),
  }
}

const TABLES_BY_APP = [
  'featured_mini_app',
  'added_mini_app',
  'mini_app_use',
  'mini_app_token',
  'mini_app_notice',
  'mini_app_event',
  'mini_app_delivery',
  'mini_app_campaign',
] as const

/** `storage.of(miniAppRows)` reads these tables, and `tx.of(miniAppRows)` writes them. */
export const miniAppRows = rowsOf(miniAppReader, ({ sql }) => miniAppWriter(sql))
