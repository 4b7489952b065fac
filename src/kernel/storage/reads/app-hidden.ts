import type { SqlValue } from '../engines/sql.ts'
import { EVERY_APP } from '../tables/apps.ts'

// Accounts that are hidden from a viewer of the app API. Conditions on statements, so that a page is full and
// costs one statement, whatever is hidden.

/** The app that reads, and its user when that is known. */
export type Onlooker = {
  readonly app: string
  readonly viewer: number | undefined
}

/**
 * A condition on the fid in a column: not banned by the app, not muted by the viewer there or in every app, not blocked by the
 * viewer, not blocking the viewer. Its parameters are those of `hiddenValues`. Scalar subqueries keep the
 * order of a list, which joins would lose.
 */
export const isShown = (column: string): string =>
  `(select 1 from app_ban ban where ban.app = ? and ban.fid = ${column}) is null
   and (select 1 from app_mute mute
         where mute.app in (?, '${EVERY_APP}') and mute.fid = ? and mute.muted_fid = ${column}) is null
   and (select 1 from block one where one.blocker = ? and one.blocked = ${column}) is null
   and (select 1 from block one where one.blocker = ${column} and one.blocked = ?) is null`

/** The same in a list statement, whose input has the columns `app` and `viewer`. */
export const isShownTo = (column: string): string =>
  `(select 1 from app_ban ban where ban.app = i.app and ban.fid = ${column}) is null
   and (select 1 from app_mute mute
         where mute.app in (i.app, '${EVERY_APP}') and mute.fid = i.viewer and mute.muted_fid = ${column}) is null
   and (select 1 from block one
         where one.blocker = i.viewer and one.blocked = ${column}) is null
   and (select 1 from block one
         where one.blocker = ${column} and one.blocked = i.viewer) is null`

/**
 * What the moderators of a channel leave in it, of `view_post p`: no cast that they hide, and nothing of people whom they ban. The
 * channel is an expression that is used twice; no channel has an empty id.
 */
export const isAllowedIn = (channel: string): string =>
  `coalesce((select a.action from channel_moderation a
     where a.channel_id = ${channel} and a.cast_hash = substr(p.key, 5)
     order by a.id desc limit 1), '') <> 'hide'
   and (select 1 from channel_standing s
         where s.channel_id = ${channel} and s.fid = p.fid and s.standing = 'banned') is null`

/** No account has this fid, so it has muted and blocked no one. */
const NO_FID = 0

export const viewerOf = ({ viewer }: Onlooker): number => viewer ?? NO_FID

/** The parameters of `isShown`. */
export function hiddenValues(onlooker: Onlooker): SqlValue[] {
  const viewer = viewerOf(onlooker)
  return [onlooker.app, onlooker.app, viewer, viewer, viewer]
}
