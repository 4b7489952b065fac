import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT, WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

export const STAFF_ROLES = ['moderator', 'operator'] as const
export type StaffRole = (typeof STAFF_ROLES)[number]

/** Accounts that moderate, beside who holds the token of the operator. */
export const STAFF = table('staff', {
  fid: { type: 'fid', erasure: KEPT.decision, exported: true, key: true },
  role: { type: 'line', values: STAFF_ROLES },
  since: { type: 'seconds' },
  appointed_by: { type: 'line', words: false, withheld: WITHHELD.private },
})
export type StaffMember = RowOf<typeof STAFF>

/** Who decides about whom: a greater one about a lesser one. */
export const RANKS: Readonly<Record<StaffRole, number>> = { moderator: 1, operator: 2 }

/** Accounts with a role. */
export const MAX_STAFF = 100

export const staffReader = (sql: Sql) => ({
  find: (fid: number) => STAFF.find(sql, fid),
  /** Those of the fids that have a role. */
  ofFids: (fids: readonly number[]) => STAFF.findBy(sql, 'fid', fids),
  list: () => STAFF.select(sql, 'order by fid limit (? + 0)', [MAX_STAFF]),
  count: () => STAFF.count(sql),
})

export const staffWriter = (sql: Sql) => ({
  ...staffReader(sql),
  put: (member: StaffMember) => STAFF.upsert(sql, [member]),
  remove: (fid: number) => STAFF.remove(sql, [{ fid }]),
})

/** `storage.of(staffRows)` reads these tables, and `tx.of(staffRows)` writes them. */
export const staffRows = rowsOf(staffReader, ({ sql }) => staffWriter(sql))

/** The actor of what an account with a role decides, as the log names it. */
export const actorName = ({ fid, role }: Pick<StaffMember, 'fid' | 'role'>): string =>
  `fid ${fid} (${role})`
/** Whether an account with a role, this one or an earlier one, has decided it. */
export const isDecidedBy = (actor: string, fid: number): boolean => actor.startsWith(`fid ${fid} (`)

/** The actors that a text means: an account by its fid with each role, or the actor of this name. */
export const actorsNamed = (text: string): string[] =>
  /^\d{1,10}$/.test(text)
    ? STAFF_ROLES.map((role) => actorName({ fid: Number(text), role }))
    : [text]

/** The account that has decided it, if one with a role has. */
export function fidOfActor(actor: string): number | undefined {
  const fid = /^fid (\d{1,10}) \(/.exec(actor)?.[1]
  return fid === undefined ? undefined : Number(fid)
}
