import type { Sql } from '../../engines/sql.ts'
import { type RowOf, table } from '../table.ts'

/** Custody keys that were made in browsers, sealed there with a password or a passkey. The server cannot open them. */
export const SEALED_KEYS = table('sealed_key', {
  /** The id of the credential of a passkey in base64url; `password:` and the fid for the password of an account. */
  id: { type: 'line', words: false, key: true },
  fid: { type: 'fid', erasure: 'delete' },
  /** The address of the key: a copy counts while the account belongs to it. */
  custody: { type: 'bytes' },
  kind: { type: 'line', values: ['password', 'passkey'] },
  /** The relying party of a passkey; empty for a password. */
  site: { type: 'line', words: false },
  salt: { type: 'bytes' },
  /** The hash of what a password derives to, or the public key of a passkey. */
  proof: { type: 'bytes', words: true },
  sealed: { type: 'bytes', words: true },
  created_at: { type: 'millis' },
  used_at: { type: 'millis', null: true },
})
export type StoredSealedKey = RowOf<typeof SEALED_KEYS>

export const sealedKeyReader = (sql: Sql) => ({
  byId: (id: string) => SEALED_KEYS.find(sql, id),
  /** The oldest first. */
  ofFid: (fid: number, limit: number) =>
    SEALED_KEYS.select(sql, 'where fid = ? order by created_at, id limit (? + 0)', [fid, limit]),
})

export const sealedKeyWriter = (sql: Sql) => ({
  ...sealedKeyReader(sql),
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
