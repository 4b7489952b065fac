import { listStatement, type Sql, type SqlValue } from '../../../kernel/storage/engines/sql.ts'
import { isListedFid } from '../../../kernel/storage/reads/published.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { type After, query, queryEach } from '../../../kernel/storage/tables/table.ts'
import { MINI_APP_TOKENS, type MiniAppToken } from './mini-app-notices.ts'
import { MINI_APPS, type StoredMiniApp } from './mini-apps.ts'

// Mini apps by what people have done lately, for the app API: joined with the views.

const COLUMNS = MINI_APPS.columns.map((column) => `a.${column}`).join(', ')
const IS_SHOWN = `a.state = 'listed' and a.noindex = 0 and ${isListedFid('a.author_fid')}`
/** The newest follows of a viewer that are looked at. */
const MAX_FOLLOWS = 5_000
/** Apps of followed people, with who opened them. */
const MAX_RELEVANT = 1_000

export type CatalogueFilter = {
  readonly categories: readonly string[]
  /** CAIP-2 ids: apps that need one of them, or none at all. */
  readonly chains: readonly string[]
  readonly words: readonly string[]
}
type ActiveMiniApp = StoredMiniApp & { readonly recent: number }

const patternOf = (text: string) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`

function conditionsOf({ categories, chains, words }: CatalogueFilter) {
  const like = (column: string) => `${column} like ? escape '\\'`
  const parameters: SqlValue[] = [...words.map(patternOf), ...categories]
  const conditions = [IS_SHOWN, ...words.map(() => like('a.words'))]
  if (categories.length > 0) {
    conditions.push(`a.category in (${categories.map(() => '?').join(', ')})`)
  }
  if (chains.length > 0) {
    conditions.push(`(a.chains = '' or ${chains.map(() => like('a.chains')).join(' or ')})`)
    parameters.push(...chains.map((chain) => patternOf(`,${chain},`)))
  }
  return { text: conditions.join(' and '), parameters }
}

type OpenedByFollowed = { readonly app_id: number; readonly fid: number }

const TOKENS_OF = listStatement(
  { app_id: 'bigint', fid: 'bigint' },
  `select ${MINI_APP_TOKENS.columns.map((column) => `t.${column}`).join(', ')}
     from input i join mini_app_token t on t.app_id = i.app_id and t.fid = i.fid`,
)

const miniAppReads = (sql: Sql) => ({
  /** By how many people opened them since a time, then the newest. */
  active(
    since: number,
    filter: CatalogueFilter,
    after: After,
    limit: number,
  ): Promise<ActiveMiniApp[]> {
    const { text, parameters } = conditionsOf(filter)
    return query(
      sql,
      `select ${COLUMNS}, coalesce(u.n, 0) as recent from mini_app a left join (
         select app_id, count(*) as n from mini_app_use where opened_at > ? group by app_id) u on u.app_id = a.id
        where ${text} ${after ? 'and (coalesce(u.n, 0), a.id) < (?, ?)' : ''}
        order by recent desc, a.id desc limit (? + 0)`,
      [since, ...parameters, ...(after ?? []), limit],
    )
  },
  /** What people whom a viewer follows have opened since a time, unless they hide it. */
  openedByFollowed: (viewer: number, since: number): Promise<OpenedByFollowed[]> =>
    query(
      sql,
      `select u.app_id, u.fid from (
         select f.target from view_follow f where f.fid = ? order by f.at desc limit (? + 0)) v
         join mini_app_use u on u.fid = v.target and u.opened_at > ?
         join mini_app a on a.id = u.app_id
        where ${IS_SHOWN} and ${isListedFid('u.fid')}
          and (select 1 from mini_app_person p where p.fid = u.fid and p.hides_use = 1) is null
        order by u.opened_at desc limit (? + 0)`,
      [viewer, MAX_FOLLOWS, since, MAX_RELEVANT],
    ),
  /** All tokens of these users for an app. */
  tokensOf: (app_id: number, fids: readonly number[]) =>
    queryEach<MiniAppToken, typeof TOKENS_OF.columns>(
      sql,
      TOKENS_OF,
      [...new Set(fids)].map((fid) => ({ app_id, fid })),
    ),
})

/** `storage.of(miniAppReadRows)` reads these lists. */
export const miniAppReadRows = rowsOf(miniAppReads, ({ sql }) => miniAppReads(sql))
