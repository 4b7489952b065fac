import { picturesIn } from './media/pictures-in.ts'

// The small pictures of the lists that are kept, for when there is no connection: the service worker answers with them. What no
// kept list shows any more goes, and so does everything with the lists.

/** Of all lists, the newest first. */
const MAX_PICTURES = 200
/** A larger one is not kept: with MAX_PICTURES and MAX_BYTES it bounds the room in a browser. */
const MAX_PICTURE_BYTES = 150_000
const MAX_BYTES = 8_000_000

/** What this page was refused, or is too large: it is not asked for again. */
const refused = new Set<string>()

declare const navigator: Navigator & { connection?: { saveData?: boolean } }

/** Makes what is kept fit the lists that are kept, which are read newest first. One page at a time does. */
export async function keepPictures(
  name: string,
  readLists: () => Promise<readonly unknown[]>,
): Promise<void> {
  await navigator.locks.request(name, async () => {
    // Opened before the lists are read: who signs out meanwhile empties it.
    const cache = await caches.open(name)
    const wanted = new Set((await readLists()).flatMap((answer) => picturesIn(answer)))
    const kept = new Set<string>()
    let room = MAX_BYTES
    for (const path of [...wanted].slice(0, MAX_PICTURES)) {
      const bytes = (await keptBytes(cache, path)) ?? (await fetchInto(cache, path, room))
      if (bytes === undefined || bytes > room) continue
      room -= bytes
      kept.add(path)
    }
    for (const request of await cache.keys()) {
      const { pathname, search } = new URL(request.url)
      if (!kept.has(pathname + search)) await cache.delete(request)
    }
  })
}

const sizeOf = (response: Response): number | undefined => {
  const length = response.headers.get('content-length')
  return length === null ? undefined : Number(length)
}

async function keptBytes(cache: Cache, path: string): Promise<number | undefined> {
  const found = await cache.match(path, { ignoreVary: true })
  return found && sizeOf(found)
}

/** Returns the bytes that it takes; undefined when it is not kept. Most have just been shown, and come from the cache of the browser. */
async function fetchInto(cache: Cache, path: string, room: number): Promise<number | undefined> {
  if (navigator.connection?.saveData || refused.has(path)) return undefined
  const response = await fetch(path).catch(() => undefined)
  if (!response) return undefined
  const bytes = sizeOf(response)
  if (isPassing(response.status)) {
    // Asked for again with the next list.
  } else if (
    !response.ok ||
    !isOpen(response) ||
    bytes === undefined ||
    bytes > MAX_PICTURE_BYTES
  ) {
    refused.add(path)
  } else if (bytes <= room) {
    const isPut = await cache.put(path, response).then(
      () => true,
      () => false,
    )
    return isPut ? bytes : undefined
  }
  await response.body?.cancel()
  return undefined
}

/** Whether the server has too much to do, or is not there: another time it may answer. */
const isPassing = (status: number): boolean => status === 429 || status >= 500

/** Whether it is a picture that anybody may keep. */
const isOpen = ({ headers }: Response): boolean =>
  /^image\//.test(headers.get('content-type') ?? '') &&
  !/no-store|private/.test(headers.get('cache-control') ?? '')
