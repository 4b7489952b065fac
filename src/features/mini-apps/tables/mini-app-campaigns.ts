import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { type After, type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** Notifications that an app of the app API has sent; kept for 30 days. */
export const MINI_APP_CAMPAIGNS = table('mini_app_campaign', {
  id: { type: 'line', words: false, key: true },
  /** Uuid of the app of the app API. */
  app: { type: 'line', words: false },
  app_id: { type: 'integer' },
  title: { type: 'line', words: false },
  body: { type: 'line', words: false },
  target_url: { type: 'link', words: false },
  /** How many tokens were used, and what became of them. */
  tokens: { type: 'integer' },
  sent: { type: 'integer' },
  failed: { type: 'integer' },
  limited: { type: 'integer' },
  created_at: { type: 'seconds' },
})
export type MiniAppCampaign = RowOf<typeof MINI_APP_CAMPAIGNS>

const NEWEST = MINI_APP_CAMPAIGNS.newestFirst({ time: 'created_at', ties: ['id'] })

export const miniAppCampaignReader = (sql: Sql) => ({
  find: (id: string) => MINI_APP_CAMPAIGNS.find(sql, id),
  newest: (app: string, after: After, limit: number) => NEWEST(sql, { app }, after, limit),
})

export const miniAppCampaignWriter = (sql: Sql) => ({
  ...miniAppCampaignReader(sql),
  put: (campaign: MiniAppCampaign) => MINI_APP_CAMPAIGNS.upsert(sql, [campaign]),
  /** Forgets those up to a time. */
  async forget(upTo: number): Promise<void> {
    await sql.all('delete from mini_app_campaign where created_at <= ?', [upTo])
  },
})

/** `storage.of(miniAppCampaignRows)` reads these tables, and `tx.of(miniAppCampaignRows)` writes them. */
export const miniAppCampaignRows = rowsOf(miniAppCampaignReader, ({ sql }) =>
  miniAppCampaignWriter(sql),
)
