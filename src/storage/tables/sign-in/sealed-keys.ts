import type { Sql } from '../../engines/sql.ts'
import { type RowOf, table } from '../table.ts'

/** Custody keys that were made in browsers, sealed there with a password or a passkey. The server cannot open them. */
export const SEALED_KEYS = table('sealed_key', {
  /** The id of the credential of a passkey in base64url; `password:` and the fid for the password of an account. */
  id: { type: 'line', key: true },
  fid: { type: 'fid' },
  /** The address of the key: a copy counts while the account belongs to it. */
  custody: { type: 'bytes' },
  kind: { type: 'line', values: ['password', 'passkey'] },
  /** The relying party of a passkey; empty for a password. */
  site: { type: 'line' },
  salt: { type: 'bytes' },
  /** The hash of what a password derives to, or the public key of a passkey. */
  proof: { type: 'bytes' },
  sealed: { type: 'bytes' },
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
  /** Removes all copies of an account, or those of keys other than `except`. */
  async removeOf(fid: number, except?: Uint8Array): Promise<void> {
    if (except) await SEALED_KEYS.removeWhere(sql, 'fid = ? and custody <> ?', [fid, except])
    else await SEALED_KEYS.removeBy(sql, 'fid', [fid])
  },
})
