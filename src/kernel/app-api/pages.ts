import type { AppContext, Viewer } from './context.ts'
import { type Next, nextOf } from './cursor.ts'
import { hydrate } from './objects/hydrate.ts'
import type { Cast, Follower, User } from './schemas.ts'

/** A page of rows, of which one more than fits was read. `last` is the last item if there are more. */
export function pageOf<T>(rows: readonly T[], limit: number): { items: T[]; last: T | undefined } {
  const items = rows.slice(0, limit)
  return { items, last: rows.length > limit ? items.at(-1) : undefined }
}

/** A page of a list in memory, which begins at the index `from`. `next` is the index of the next page. */
export function sliceOf<T>(
  list: readonly T[],
  from: number,
  limit: number,
): { items: T[]; next: number | undefined } {
  const end = from + limit
  return { items: list.slice(from, end), next: end < list.length ? end : undefined }
}

/** The items of accounts that are neither banned by the app nor muted or blocked by the viewer, nor block the viewer. */
export async function visibleTo<T>(
  { storage }: AppContext,
  viewer: Viewer,
  items: readonly T[],
  fidOf: (item: T) => number,
): Promise<T[]> {
  const visible = await storage.appViews.shownAmong(viewer, items.map(fidOf))
  return items.filter((item) => visible.has(fidOf(item)))
}

/** The same for a list that shows the viewer strangers. */
export async function recommendedTo<T>(
  { storage }: AppContext,
  viewer: Viewer,
  items: readonly T[],
  fidOf: (item: T) => number,
): Promise<T[]> {
  const found = await storage.appViews.recommendedAmong(viewer, items.map(fidOf))
  return items.filter((item) => found.has(fidOf(item)))
}

/** Users in the order of the fids; unregistered ones are missing. */
export async function usersOf(
  context: AppContext,
  viewer: Viewer,
  fids: readonly number[],
): Promise<User[]> {
  const found = await hydrate(context, viewer, { users: fids })
  return fids.flatMap((fid) => found.user(fid) ?? [])
}

export const followerOf = (user: User): Follower => ({ object: 'follower', user })

/** Casts in the order of their keys; casts that are not stored any more, or that the viewer mutes, are missing. */
export async function castsOf(
  context: AppContext,
  viewer: Viewer,
  keys: readonly Uint8Array[],
  isInPlace = false,
): Promise<Cast[]> {
  const found = await hydrate(context, viewer, { casts: keys })
  return keys.flatMap((key) => found.unmutedCast(key, isInPlace) ?? [])
}

export type CastsPage = { casts: Cast[]; next: Next }

export const NO_CASTS: CastsPage = { casts: [], next: nextOf(undefined) }

/** A page of casts whose next page begins after the number `next`. */
export const castsPage = async (
  context: AppContext,
  viewer: Viewer,
  { items, next }: { items: readonly { readonly key: Uint8Array }[]; next: number | undefined },
  isInPlace = false,
): Promise<CastsPage> => ({
  casts: await castsOf(
    context,
    viewer,
    items.map(({ key }) => key),
    isInPlace,
  ),
  next: nextOf(next === undefined ? undefined : [next]),
})
