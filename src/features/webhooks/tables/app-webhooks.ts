import { randomUUID } from 'node:crypto'
import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { cursorReader, cursorWriter } from '../../../kernel/storage/tables/cursors.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

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

/** Changes with every change of webhooks: for copies in memory. */
const VERSION_CURSOR = 'webhooks'
/** Webhooks of one app. */
export const MAX_WEBHOOKS_PER_APP = 20

export const appWebhookReader = (sql: Sql) => ({
  byId: (id: string) => APP_WEBHOOKS.find(sql, id),
  byIds: (ids: readonly string[]) => APP_WEBHOOKS.findBy(sql, 'id', ids),
  /** Those of an app, by time of creation. */
  ofApp: (app: string) =>
    APP_WEBHOOKS.select(sql, 'where app = ? order by created_at, id limit (? + 0)', [
      app,
      MAX_WEBHOOKS_PER_APP,
    ]),
  /** A page of those that are active, by id. */
  active: (after: string, limit: number) =>
    APP_WEBHOOKS.select(sql, 'where active = 1 and id > ? order by id limit (? + 0)', [
      after,
      limit,
    ]),
  /** A page of all, by id. */
  list: (after: string, limit: number) =>
    APP_WEBHOOKS.select(sql, 'where id > ? order by id limit (? + 0)', [after, limit]),
  /** A page of those that have a secret, by id. */
  sealed: (after: string, limit: number) =>
    APP_WEBHOOKS.select(sql, 'where id > ? and length(secret) > 0 order by id limit (? + 0)', [
      after,
      limit,
    ]),
  /** Random, so that a copy is never taken for current after the data was deleted. */
  version: async (): Promise<string> => (await cursorReader(sql).get(VERSION_CURSOR)) ?? '',
})

export function appWebhookWriter(sql: Sql) {
  const reader = appWebhookReader(sql)
  const touch = () => cursorWriter(sql).put(VERSION_CURSOR, randomUUID())
  return {
    ...reader,
    async put(webhook: AppWebhook): Promise<void> {
      await APP_WEBHOOKS.upsert(sql, [webhook])
      await touch()
    },
    async remove(id: string): Promise<void> {
      await APP_WEBHOOKS.remove(sql, [{ id }])
      await touch()
    },
  }
}

/** `storage.of(appWebhookRows)` reads these tables, and `tx.of(appWebhookRows)` writes them. */
export const appWebhookRows = rowsOf(appWebhookReader, ({ sql }) => appWebhookWriter(sql))
