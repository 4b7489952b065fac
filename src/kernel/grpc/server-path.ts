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

/** Ids of servers by commas: what a source says of itself is stored and passed on. */
const PATH_PATTERN = /^[0-9a-f]{1,64}(,[0-9a-f]{1,64})*$/

/** The path that a source says its data have come through; empty when it says none. */
export const pathOf = (text: string | undefined): string =>
  text !== undefined && PATH_PATTERN.test(text) ? text : ''

/** Whether data that have come through these servers are those of this one. */
export function isCircle(path: string, ownId: string): boolean {
  const ids = path === '' ? [] : path.split(',')
  return ids.includes(ownId) || ids.length > MAX_MIRRORS
}

/** The path of the data of this server: itself, and what its source says. */
export const pathFrom = (ownId: string, source: string): string =>
  source === '' ? ownId : `${ownId},${source}`

/** The path of a call that this server makes because of one that it received. */
export const pathThrough = (path: string | undefined, ownId: string): string =>
  path === undefined ? ownId : `${path},${ownId}`
