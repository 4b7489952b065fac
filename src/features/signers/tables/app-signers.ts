import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT, WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** Ed25519 keys that apps use for their users. */
export const APP_SIGNERS = table('app_signer', {
  uuid: { type: 'line', words: false, key: true },
  app: { type: 'line', words: false },
  public_key: { type: 'bytes', withheld: false },
  /** 1: the server has the secret; 0: the app. */
  managed: { type: 'flag' },
  status: { type: 'line', values: ['generated', 'pending_approval', 'approved', 'revoked'] },
  /** The account that approved it. */
  fid: { type: 'fid', erasure: KEPT.ownership, exported: true, null: true },
  /** The sealed secret. */
  secret: { type: 'bytes', withheld: WITHHELD.secret, null: true },
  /** Token of the signed key request. */
  request: { type: 'line', words: false, withheld: WITHHELD.secret, null: true },
  created_at: { type: 'seconds' },
  changed_at: { type: 'seconds' },
})
export type AppSigner = RowOf<typeof APP_SIGNERS>

const WAITING = "status in ('generated', 'pending_approval')"

export const appSignerReader = (sql: Sql) => ({
  byUuid: (uuid: string) => APP_SIGNERS.find(sql, uuid),
  byUuids: (uuids: readonly string[]) => APP_SIGNERS.findBy(sql, 'uuid', uuids),
  /** The rows of these keys, of all apps. */
  byKeys: (keys: readonly Uint8Array[]) => APP_SIGNERS.findBy(sql, 'public_key', keys),
  byKey: (app: string, key: Uint8Array) =>
    APP_SIGNERS.first(sql, 'where public_key = ? and app = ?', [key, app]),
  /** A page of those whose secret the server keeps, by uuid. */
  sealed: (after: string, limit: number) =>
    APP_SIGNERS.select(sql, 'where uuid > ? and secret is not null order by uuid limit (? + 0)', [
      after,
      limit,
    ]),
  /** A page of those that wait for an approval, by uuid. */
  waiting: (after: string, limit: number) =>
    APP_SIGNERS.select(
      sql,
      "where uuid > ? and status = 'pending_approval' and request is not null order by uuid limit (? + 0)",
      [after, limit],
    ),
  /** Those of an app that an account has approved, the newest first. */
  ofFid: (app: string, fid: number, limit: number) =>
    APP_SIGNERS.select(
      sql,
      'where app = ? and fid = ? and managed = 1 order by created_at desc, uuid limit (? + 0)',
      [app, fid, limit],
    ),
  count: (app: string) => APP_SIGNERS.count(sql, 'where app = ?', [app]),
})

export const appSignerWriter = (sql: Sql) => ({
  ...appSignerReader(sql),
  insert: (signer: AppSigner) => APP_SIGNERS.insert(sql, [signer]),
  put: (signers: readonly AppSigner[]) => APP_SIGNERS.upsert(sql, signers),
  /** Deletes at most `limit` signers without an approval that were not touched since a time (Unix seconds). */
  async forget(before: number, limit: number): Promise<number> {
    const rows = await APP_SIGNERS.removeWhere(
      sql,
      `uuid in (select uuid from app_signer where ${WAITING} and created_at < ? and changed_at < ?
                 order by created_at limit (? + 0))`,
      [before, before, limit],
    )
    return rows.length
  },
})

/** `storage.of(appSignerRows)` reads these tables, and `tx.of(appSignerRows)` writes them. */
export const appSignerRows = rowsOf(appSignerReader, ({ sql }) => appSignerWriter(sql))
