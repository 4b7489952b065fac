import { POLL_ID } from './limits.ts'

// Addresses of polls.

/** Where the snaps of polls are; an id follows. */
export const POLLS_PATH = '/polls/'

/** Those of the snaps, and of the screens of the web client that show them. */
const PATHS = [POLLS_PATH, '/poll/']

/** The path as this server reads it: characters may be escaped, and a slash may follow. */
export function readPath({ pathname }: URL): string {
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** The id of the poll that an address may lead to, on whatever host: this server may have several names. */
export function pollIdIn(url: URL | null): string | undefined {
  const path = url ? readPath(url) : ''
  const start = path.lastIndexOf('/') + 1
  const id = path.slice(start)
  const isPoll = POLL_ID.test(id) && PATHS.some((one) => path.slice(0, start).endsWith(one))
  return isPoll ? id : undefined
}
