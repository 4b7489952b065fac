import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import { countOf, type RowOf, table } from '../../../kernel/storage/tables/table.ts'

export const INVITE_ROLES = ['moderator', 'operator'] as const
export type InviteRole = (typeof INVITE_ROLES)[number]

/** Invites to register a fid. Only the hash of a code is stored: a reader of the database cannot use it. */
export const INVITES = table('invite', {
  /** 20 bytes. */
  code_hash: { type: 'bytes', withheld: WITHHELD.secret, key: true, json: 'id' },
  label: { type: 'line', words: true, json: 'label' },
  uses: { type: 'integer', json: 'uses' },
  uses_left: { type: 'integer', json: 'usesLeft' },
  created_at: { type: 'millis', json: 'createdAt' },
  expires_at: { type: 'millis', json: 'expiresAt' },
  /** The member who made it; null: the operator. */
  inviter: { type: 'fid', erasure: 'empty', exported: true, null: true },
  /** Whether who follows the link reads who made it. */
  is_named: { type: 'flag' },
  /** The role that is given to the account which joins with it; null: none. */
  role: { type: 'line', values: INVITE_ROLES, null: true, json: 'role' },
  /** The address that has registered with one that has a role, until its account is made. */
  used_by: { type: 'bytes', withheld: WITHHELD.others, null: true },
})
export type StoredInvite = RowOf<typeof INVITES>

const IN_FORCE = `uses_left > 0 and expires_at > ? and not exists (
  select 1 from account_moderation m where m.fid = invite.inviter and m.hidden = 1)`

const inviteReader = (sql: Sql) => ({
  find: (codeHash: Uint8Array) => INVITES.find(sql, codeHash),
  /** One that may be used at Unix ms `now`. Those of a suspended member may not. */
  inForce: (codeHash: Uint8Array, now: number) =>
    INVITES.first(sql, `where code_hash = ? and ${IN_FORCE}`, [codeHash, now]),
  usedBy: (addresses: readonly Uint8Array[]) => INVITES.findBy(sql, 'used_by', addresses),
  /** Those with a role that nobody has used, expired ones too. */
  withRoleCount: () => INVITES.count(sql, 'where role is not null and uses_left > 0'),
  /** Those of the operator, used up ones too. */
  ofOperatorCount: () => INVITES.count(sql, 'where inviter is null'),
  /** Those of members that can be used still, counted up to `limit`. */
  ofMembersCount: (limit: number) =>
    countOf(
      sql,
      `select count(*) as n from (select 1 as one from invite
         where inviter is not null and uses_left > 0 limit (? + 0)) unused`,
      [limit],
    ),
  /** Those that a member has made, the newest first. */
  by: (inviter: number, limit: number) =>
    INVITES.select(sql, 'where inviter = ? order by created_at desc, code_hash limit (? + 0)', [
      inviter,
      limit,
    ]),
  /** The newest invites of the operator, or of members, at most `limit`. */
  list: (whose: 'operator' | 'members', limit: number) =>
    INVITES.select(
      sql,
      `where inviter is ${whose === 'operator' ? '' : 'not'} null
        order by created_at desc, code_hash limit (? + 0)`,
      [limit],
    ),
})

const inviteWriter = (sql: Sql) => ({
  ...inviteReader(sql),
  insert: (invite: StoredInvite) => INVITES.insert(sql, [invite]),
  /** Uses the invite once. False when it does not exist, is used up or has expired by `now` (Unix ms). */
  async use(codeHash: Uint8Array, by: Uint8Array, now: number): Promise<boolean> {
    const rows = await sql.all(
      `update invite set uses_left = uses_left - 1
       where code_hash = ? and ${IN_FORCE} returning role`,
      [codeHash, now],
    )
    if (rows[0]?.role) {
      await sql.all('update invite set used_by = ? where code_hash = ?', [by, codeHash])
    }
    return rows.length > 0
  },
  remove: (codeHash: Uint8Array) => INVITES.remove(sql, [{ code_hash: codeHash }]),
  async removeBy(codeHash: Uint8Array, inviter: number): Promise<number> {
    const where = 'code_hash = ? and inviter = ?'
    return (await INVITES.removeWhere(sql, where, [codeHash, inviter])).length
  },
  forgetUsers: (invites: readonly StoredInvite[]) =>
    INVITES.upsert(
      sql,
      invites.map((invite) => ({ ...invite, used_by: null })),
    ),
  /** One whose account is being made gives its role still. */
  removeExpired: (now: number) =>
    INVITES.removeWhere(sql, 'expires_at <= ? and used_by is null', [now]),
})

/** `storage.of(inviteRows)` reads these tables, and `tx.of(inviteRows)` writes them. */
export const inviteRows = rowsOf(inviteReader, ({ sql }) => inviteWriter(sql))
