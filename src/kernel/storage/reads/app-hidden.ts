import { type Fragment, fragment, raw } from '../engines/fragment.ts'
import { EVERY_APP } from '../tables/apps.ts'
import { isPublishedFid } from './published.ts'

// Accounts that are hidden from a viewer of the app API. Conditions on statements, so that a page is full and
// costs one statement, whatever is hidden.

/** The app that reads, and its user when that is known. */
export type Viewer = {
  readonly app: string
  readonly viewer: number | undefined
}

/**
 * A condition on the fid in a column: not banned by the app, not muted by the viewer there or in every app, not blocked by the
 * viewer, not blocking the viewer. Scalar subqueries keep the order of a list, which joins would lose.
 */
export function isShown(column: string, onlooker: Viewer): Fragment {
  const { app } = onlooker
  const [fid, viewer] = [raw(column), viewerOf(onlooker)]
  return fragment`(select 1 from app_ban ban where ban.app = ${app} and ban.fid = ${fid}) is null
   and (select 1 from app_mute mute
         where mute.app in (${app}, '${raw(EVERY_APP)}') and mute.fid = ${viewer} and mute.muted_fid = ${fid}) is null
   and (select 1 from block one where one.blocker = ${viewer} and one.blocked = ${fid}) is null
   and (select 1 from block one where one.blocker = ${fid} and one.blocked = ${viewer}) is null`
}

/** The same, and published by the operator. */
export const isShownHere = (column: string, onlooker: Viewer): Fragment =>
  fragment`${isShown(column, onlooker)} and ${raw(isPublishedFid(column))}`

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
 * What the moderators of a channel leave in it, of `view_post p`: no cast that they hide, and nothing of people whom they ban. No
 * channel has an empty id.
 */
export const isAllowedIn = (channel: Fragment | string): Fragment =>
  fragment`coalesce((select a.action from channel_moderation a
     where a.channel_id = ${channel} and a.cast_hash = substr(p.key, 5)
     order by a.id desc limit 1), '') <> 'hide'
   and (select 1 from channel_standing s
         where s.channel_id = ${channel} and s.fid = p.fid and s.standing = 'banned') is null`

/** No account has this fid, so it has muted and blocked no one. */
const NO_FID = 0

export const viewerOf = ({ viewer }: Viewer): number => viewer ?? NO_FID
