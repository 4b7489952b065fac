import type { Sql } from '../engines/sql.ts'
import { type RowOf, table } from './table.ts'

/** Invites to register a fid. Only the hash of a code is stored: a reader of the database cannot use it. */
export const INVITES = table('invite', {
  /** 20 bytes. */
  code_hash: { type: 'bytes', key: true, json: 'id' },
  label: { type: 'line', json: 'label' },
  uses: { type: 'integer', json: 'uses' },
  uses_left: { type: 'integer', json: 'usesLeft' },
  created_at: { type: 'millis', json: 'createdAt' },
  expires_at: { type: 'millis', json: 'expiresAt' },
  /** The member who made it; null: the operator. */
  inviter: { type: 'fid', null: true },
  /** Whether who follows the link reads who made it. */
  is_named: { type: 'flag' },
})
export type StoredInvite = RowOf<typeof INVITES>

export const inviteReader = (sql: Sql) => ({
  find: (codeHash: Uint8Array) => INVITES.find(sql, codeHash),
  count: () => INVITES.count(sql),
  /** Those that a member has made, the newest first. */
  by: (inviter: number, limit: number) =>
    INVITES.select(sql, 'where inviter = ? order by created_at desc, code_hash limit (? + 0)', [
      inviter,
      limit,
    ]),
  /** The newest invites, at most `limit`. */
  list: (limit: number) =>
    INVITES.select(sql, 'order by created_at desc, code_hash limit (? + 0)', [limit]),
})

export const inviteWriter = (sql: Sql) => ({
  ...inviteReader(sql),
  insert: (invite: StoredInvite) => INVITES.insert(sql, [invite]),
  /** Uses the invite once. False when it does not exist, is used up or has expired by `now` (Unix ms). */
  async use(codeHash: Uint8Array, now: number): Promise<boolean> {
    const rows = await sql.all(
      `update invite set uses_left = uses_left - 1
       where code_hash = ? and uses_left > 0 and expires_at > ? returning uses_left`,
      [codeHash, now],
    )
    return rows.length > 0
  },
  remove: (codeHash: Uint8Array) => INVITES.remove(sql, [{ code_hash: codeHash }]),
  async removeBy(codeHash: Uint8Array, inviter: number): Promise<number> {
    const where = 'code_hash = ? and inviter = ?'
    return (await INVITES.removeWhere(sql, where, [codeHash, inviter])).length
  },
  removeExpired: (now: number) => INVITES.removeWhere(sql, 'expires_at <= ?', [now]),
})
