import { Buffer } from 'node:buffer'
import { singleFlight } from '../../base/concurrency.ts'
import type { Storage } from '../../storage/storage.ts'
import { MAX_ALL_CHANNELS_BYTES } from './limits.ts'
import { channelJson } from './schemas.ts'
import { type OpenBody, SharedBody } from './shared-body.ts'

/** One version of the list of all channels. */
export type AllChannels = {
  readonly etag: string
  /** Bytes of the JSON of the answer. */
  readonly byteLength: number
  /** The JSON of the answer for one reader. */
  open(): OpenBody
}

/** Channels read by one query. */
const BATCH_ROWS = 1_000
/** Its JSON begins with the comma that parts it from the one before. */
type Entry = { readonly id: string; readonly createdAt: number; readonly json: Buffer }

/**
 * Creates the reader of the list of all channels. It caches the JSON of each channel and reads only what changed.
 * While nothing changed, it reads one row. Concurrent calls share one read. Versions of the list share the JSON of
 * the channels that did not change between them. The newest version is kept joined as well, for all its readers; of
 * earlier ones that slow readers hold as many bytes as the list may have.
 *
 * The list has at most `maxBytes`: the channels that are created last are left out then, and stay left out until
 * the server starts again.
 */
export function allChannelsReader(
  storage: Pick<Storage, 'channels' | 'cursors'>,
  maxBytes = MAX_ALL_CHANNELS_BYTES,
): () => Promise<AllChannels> {
  let entries = new Map<string, Entry>()
  let bytes = 0
  /** The first channel that is left out. */
  let end: Entry | undefined
  let seen = { first: -1, newest: 0 }
  let list: AllChannels
  const held = { bytes: 0, most: maxBytes }
  let body: SharedBody | undefined

  return singleFlight(async () => {
    const versions = await storage.channels.versions()
    if (versions.first === seen.first && versions.newest === seen.newest) return list
    // The first version changes when the store was emptied.
    const startsAnew = versions.first !== seen.first
    if (startsAnew) {
      entries = new Map()
      bytes = 0
      end = undefined
    }
    await readChanges(startsAnew ? 0 : seen.newest)
    seen = versions
    body?.replace()
    const newest = new SharedBody(partsOf(sorted()), held)
    body = newest
    const etag = `W/"${versions.first}-${versions.newest}"`
    list = { etag, byteLength: newest.byteLength, open: () => newest.open() }
    return list
  })

  async function readChanges(afterVersion: number): Promise<void> {
    for (let version = afterVersion + 1, id = ''; ; ) {
      const rows = await storage.channels.changedAfter(version, id, BATCH_ROWS)
      for (const row of rows) {
        const json = Buffer.from(`,${JSON.stringify(channelJson(row))}`)
        put({ id: row.id, createdAt: row.created_at, json })
      }
      if (bytes > maxBytes) leaveOutNewest()
      if (rows.length < BATCH_ROWS) return
      ;({ version, id } = rows.at(-1)!)
    }
  }

  function put(entry: Entry): void {
    if (end && byCreation(entry, end) >= 0) return
    bytes += entry.json.length - (entries.get(entry.id)?.json.length ?? 0)
    entries.set(entry.id, entry)
  }

  function leaveOutNewest(): void {
    const all = sorted()
    while (bytes > maxBytes && all.length > 0) {
      end = all.pop()!
      bytes -= end.json.length
    }
    entries = new Map(all.map((entry) => [entry.id, entry]))
  }

  function sorted(): Entry[] {
    return [...entries.values()].sort(byCreation)
  }
}

const byCreation = (a: Entry, b: Entry): number =>
  a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

const HEAD = Buffer.from('{"result":{"channels":[')
const TAIL = Buffer.from(']}}')

/** The answer around the channels. The first one has no comma. */
const partsOf = (entries: readonly Entry[]): Buffer[] => [
  HEAD,
  ...entries.map(({ json }, i) => (i === 0 ? json.subarray(1) : json)),
  TAIL,
]
