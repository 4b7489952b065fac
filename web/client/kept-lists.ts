import type { Query } from '../shared/request.ts'

// The last lists that were read, for when there is no connection: of the account that looks, a few, and none for long. Everything
// that is kept goes when the account signs out or another one takes its place.

type Kept<T> = { readonly answer: T /** Unix milliseconds. */; readonly at: number }

const CACHE = 'lists'
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

// Grows with each account that signs out: what was asked for before is not kept after it.
let generation = 0

/** Called when a list is asked for; the result keeps what comes. Without storage, as in some private windows, nothing is kept. */
export function listKeeper(path: string, query: Query): (answer: unknown) => Promise<void> {
  const askedIn = generation
  return async (answer) => {
    try {
      if (!PATHS.test(path) || askedIn !== generation) return
      const text = JSON.stringify(answer)
      if (text.length > MAX_CHARACTERS) return
      const cache = await caches.open(CACHE)
      const address = addressOf(path, query)
      // What is put last is the last of the keys.
      await cache.delete(address)
      await cache.put(address, new Response(text, { headers: { [AT]: String(Date.now()) } }))
      const keys = await cache.keys()
      const surplus = keys.slice(0, Math.max(0, keys.length - MAX_LISTS))
      await Promise.all(surplus.map((one) => cache.delete(one)))
    } catch {}
  }
}

export async function keptList<T>(path: string, query: Query): Promise<Kept<T> | undefined> {
  try {
    const found = await caches.match(addressOf(path, query), { cacheName: CACHE })
    const at = Number(found?.headers.get(AT))
    if (!found || Date.now() - at > MAX_AGE_MS) return undefined
    return { answer: await found.json(), at }
  } catch {
    return undefined
  }
}

export async function forgetLists(): Promise<void> {
  generation += 1
  try {
    await caches.delete(CACHE)
  } catch {}
}
