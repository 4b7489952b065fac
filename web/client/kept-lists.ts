import type { Query } from '../shared/request.ts'
import { sessionFid } from './session/session-fid.ts'

// The last lists that were read, for when there is no connection: of the account that looks, a few, and none for long. Everything
// that is kept goes when the account signs out or another one takes its place.

type Kept<T> = { readonly answer: T /** Unix milliseconds. */; readonly at: number }

const CACHE = 'lists'
/** Their pictures (kept-pictures.ts). */
const PICTURES_CACHE = 'pictures'
/** Lists that are worth a second look: of Home, notifications, and threads. */
const PATHS =
  /^\/(?:feed\/(?:newest|following|followed_channels|trending)|screen\/(?:notifications|cast))$/
/** A list and a few threads; the oldest go. */
const MAX_LISTS = 10
/** A longer answer is not kept: with MAX_LISTS it bounds the room in a browser. */
const MAX_CHARACTERS = 250_000
const MAX_AGE_MS = 7 * 86_400_000
const AT = 'x-read-at'

const addressOf = (path: string, query: Query): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return `/lists${path}?${new URLSearchParams(given.map(([name, value]) => [name, `${value}`]))}`
}

/** Whether the account that a list is of acts in this browser: another page may have signed it out meanwhile. */
const isOfAccount = ({ viewer_fid: viewer, fid = viewer }: Query): boolean => fid === sessionFid()

/** Keeps an answer. Without storage, as in some private windows, nothing is kept. */
export async function keepList(path: string, query: Query, answer: unknown): Promise<void> {
  try {
    if (!PATHS.test(path) || !isOfAccount(query)) return
    const text = JSON.stringify(answer)
    if (text.length > MAX_CHARACTERS) return
    const cache = await caches.open(CACHE)
    const address = addressOf(path, query)
    // What is put last is the last of the keys.
    await cache.delete(address)
    await cache.put(address, new Response(text, { headers: { [AT]: String(Date.now()) } }))
    if (!isOfAccount(query)) await cache.delete(address)
    const keys = await cache.keys()
    const surplus = keys.slice(0, Math.max(0, keys.length - MAX_LISTS))
    await Promise.all(surplus.map((one) => cache.delete(one)))
    keepPicturesSoon()
  } catch {}
}

const SOON_MS = 2_000
let timer: ReturnType<typeof setTimeout> | undefined

/** After the pictures that are looked at have come. Without a service worker nobody would ask for them. */
function keepPicturesSoon(): void {
  if (timer !== undefined || !navigator.serviceWorker?.controller) return
  timer = setTimeout(async () => {
    timer = undefined
    try {
      const { keepPictures } = await import('./kept-pictures.ts')
      await keepPictures(PICTURES_CACHE, readLists)
    } catch {}
  }, SOON_MS)
}

/** The answers that are kept, the newest first. */
async function readLists(): Promise<unknown[]> {
  if (!(await caches.has(CACHE))) return []
  const cache = await caches.open(CACHE)
  const found = await Promise.all((await cache.keys()).map((key) => cache.match(key)))
  return Promise.all(found.reverse().map((one) => one?.json()))
}

export async function keptList<T>(path: string, query: Query): Promise<Kept<T> | undefined> {
  try {
    await forgetOldLists()
    const found = await caches.match(addressOf(path, query), { cacheName: CACHE })
    return found && { answer: await found.json(), at: readAt(found) }
  } catch {
    return undefined
  }
}

const readAt = ({ headers }: Response): number => Number(headers.get(AT))

/** Forgets one answer, which the server does not give any more. */
export async function forgetList(path: string, query: Query): Promise<void> {
  try {
    const isGone = await (await caches.open(CACHE)).delete(addressOf(path, query))
    if (isGone) keepPicturesSoon()
  } catch {}
}

export async function forgetOldLists(): Promise<void> {
  try {
    if (!(await caches.has(CACHE))) return
    const cache = await caches.open(CACHE)
    for (const key of await cache.keys()) {
      const found = await cache.match(key)
      if (!found || Date.now() - readAt(found) <= MAX_AGE_MS) continue
      await cache.delete(key)
      keepPicturesSoon()
    }
  } catch {}
}

export async function forgetLists(): Promise<void> {
  try {
    await caches.delete(CACHE)
    await caches.delete(PICTURES_CACHE)
  } catch {}
}
