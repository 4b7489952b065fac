import { Rejection } from '../protocol/rejection.ts'

/** The ids of the mirrors that a call has come through, comma separated. */
export const PATH_HEADER = 'x-rookery-path'
/** More mirrors in a row are taken for a loop. */
const MAX_MIRRORS = 16

/** Throws a Rejection when a call has come through this server before. */
export function checkPath(path: string | undefined, ownId: string): void {
  if (path === undefined) return
  const ids = path.split(',').map((id) => id.trim())
  if (!ids.includes(ownId) && ids.length <= MAX_MIRRORS) return
  throw new Rejection(
    'bad_request.mirror_loop',
    'this call has come through this server before, or through too many mirrors: they mirror each other',
  )
}

/** The path of a call that this server makes because of one that it received. */
export const pathThrough = (path: string | undefined, ownId: string): string =>
  path === undefined ? ownId : `${path},${ownId}`
