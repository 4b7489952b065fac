import { randomUUID } from 'node:crypto'
import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { APP_WEBHOOKS, type AppWebhook } from '../../../kernel/storage/tables/apps.ts'
import { cursorReader, cursorWriter } from '../../../kernel/storage/tables/cursors.ts'

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
