import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT, NOT_EXPORTED, WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** Custody keys that were made in browsers, sealed there with a password or a passkey. The server cannot open them. */
export const SEALED_KEYS = table('sealed_key', {
  /** The id of the credential of a passkey in base64url; `password:` and the fid for the password of an account. */
  id: { type: 'line', words: false, key: true },
  fid: { type: 'fid', erasure: 'delete', exported: true },
  /** The address of the key: a copy counts while the account belongs to it. */
  custody: { type: 'bytes', withheld: false },
  kind: { type: 'line', values: ['password', 'passkey'] },
  /** The relying party of a passkey; empty for a password. */
  site: { type: 'line', words: false },
  salt: { type: 'bytes', withheld: WITHHELD.secret },
  /** The hash of what a password derives to, or the public key of a passkey. */
  proof: { type: 'bytes', words: true, withheld: WITHHELD.secret },
  sealed: { type: 'bytes', words: true, withheld: WITHHELD.secret },
  created_at: { type: 'millis' },
  used_at: { type: 'millis', null: true },
})
export type StoredSealedKey = RowOf<typeof SEALED_KEYS>

/**
 * Signed requests that have changed the copies of an account, until their deadlines pass: each counts once, and none that is
 * older than another. They stay when a copy is removed, so that an earlier request cannot bring it back.
 */
export const SEALED_KEY_REQUESTS = table('sealed_key_request', {
  fid: { type: 'fid', key: true, erasure: KEPT.bookkeeping, exported: NOT_EXPORTED.bookkeeping },
  /** The hash of action and deadline. */
  digest: { type: 'bytes', key: true },
  /** The address that has signed: requests of an earlier one say nothing about those of its successor. */
  custody: { type: 'bytes' },
  deadline: { type: 'seconds' },
})
export type SealedKeyRequest = RowOf<typeof SEALED_KEY_REQUESTS>

export const sealedKeyReader = (sql: Sql) => ({
  /** The latest deadline first. */
  requestsOf: (fid: number, custody: Uint8Array, limit: number) =>
    SEALED_KEY_REQUESTS.select(
      sql,
      'where fid = ? and custody = ? order by deadline desc limit (? + 0)',
      [fid, custody, limit],
    ),
  byId: (id: string) => SEALED_KEYS.find(sql, id),
  /** The oldest first. */
  ofFid: (fid: number, limit: number) =>
    SEALED_KEYS.select(sql, 'where fid = ? order by created_at, id limit (? + 0)', [fid, limit]),
})

export const sealedKeyWriter = (sql: Sql) => ({
  ...sealedKeyReader(sql),
  addRequest: (request: SealedKeyRequest) => SEALED_KEY_REQUESTS.insert(sql, [request]),
  /** Forgets requests whose deadlines have passed: they are refused for that. */
  async collect(now: number): Promise<void> {
    await sql.all('delete from sealed_key_request where deadline < ?', [now])
  },
  put: (row: StoredSealedKey) => SEALED_KEYS.upsert(sql, [row]),
  async used(id: string, now: number): Promise<void> {
    await sql.all('update sealed_key set used_at = ? where id = ?', [now, id])
  },
  /** Whether this call has removed it. */
  async remove(fid: number, id: string): Promise<boolean> {
    return (await SEALED_KEYS.removeWhere(sql, 'fid = ? and id = ?', [fid, id])).length > 0
  },
  /** Removes the copies of an account that are of keys other than this one. */
  async removeOthers(fid: number, custody: Uint8Array): Promise<void> {
    await SEALED_KEYS.removeWhere(sql, 'fid = ? and custody <> ?', [fid, custody])
  },
})

/** `storage.of(sealedKeyRows)` reads these tables, and `tx.of(sealedKeyRows)` writes them. */
export const sealedKeyRows = rowsOf(sealedKeyReader, ({ sql }) => sealedKeyWriter(sql))
