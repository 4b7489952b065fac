import type { SqlValue } from './sql.ts'

// Accounts that a reader of the app API does not want to see. Conditions on statements, so that a page is full and
// costs one statement, whatever is hidden.

/** The app through which somebody reads, and who it is, when that is known. */
export type Onlooker = {
  readonly app: string
  readonly viewer: number | undefined
}

/**
 * A condition on the fid in a column: not banned by the app, not muted by the viewer there, not blocked by the
 * viewer, not blocking the viewer. Its parameters are those of `hiddenValues`. Scalar subqueries keep the
 * order of a list, which joins would lose.
 */
export const isShown = (column: string): string =>
  `(select 1 from app_ban b where b.app = ? and b.fid = ${column}) is null
   and (select 1 from app_mute u where u.app = ? and u.fid = ? and u.muted_fid = ${column}) is null
   and (select 1 from block k where k.blocker = ? and k.blocked = ${column}) is null
   and (select 1 from block k where k.blocker = ${column} and k.blocked = ?) is null`

/** The same in a list statement, whose input has the columns `app` and `viewer`. */
export const isShownTo = (column: string): string =>
  `(select 1 from app_ban b where b.app = i.app and b.fid = ${column}) is null
   and (select 1 from app_mute u
         where u.app = i.app and u.fid = i.viewer and u.muted_fid = ${column}) is null
   and (select 1 from block k where k.blocker = i.viewer and k.blocked = ${column}) is null
   and (select 1 from block k where k.blocker = ${column} and k.blocked = i.viewer) is null`

/** No account has this fid, so it has muted and blocked no one. */
const NO_FID = 0

export const viewerOf = ({ viewer }: Onlooker): number => viewer ?? NO_FID

/** The parameters of `isShown`. */
export function hiddenValues(onlooker: Onlooker): SqlValue[] {
  const viewer = viewerOf(onlooker)
  return [onlooker.app, onlooker.app, viewer, viewer, viewer]
}
