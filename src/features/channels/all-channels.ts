import { Buffer } from 'node:buffer'
import { singleFlight } from '../../kernel/base/concurrency.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { MAX_ALL_CHANNELS_BYTES } from './limits.ts'
import { listedChannelJson } from './schemas.ts'
import { type OpenBody, SharedBody } from './shared-body.ts'
import { channelRows } from './tables/channels.ts'

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
 * Reads the list of all channels. Caches the JSON of each channel and reads only what changed; while nothing changed,
 * that is one row. Versions of the list share the JSON of the channels that did not change between them. The newest
 * version is also kept joined, for all its readers; of earlier ones that slow readers hold as many bytes as the list
 * may have.
 *
 * The list has at most `maxBytes`: the channels that are created last are left out then, and stay left out until
 * the server starts again.
 */
export class AllChannelsReader {
  /** Concurrent calls share one read. */
  readonly read = singleFlight(() => this.#read())
  readonly #storage: Pick<Storage, 'of' | 'resets'>
  readonly #maxBytes: number
  readonly #held: { bytes: number; readonly most: number }
  #entries = new Map<string, Entry>()
  #bytes = 0
  /** The first channel that is left out. */
  #end: Entry | undefined
  #seen = { first: -1, newest: 0, resets: 0 }
  #body: SharedBody | undefined

  constructor(storage: Pick<Storage, 'of' | 'resets'>, maxBytes = MAX_ALL_CHANNELS_BYTES) {
    this.#storage = storage
    this.#maxBytes = maxBytes
    this.#held = { bytes: 0, most: maxBytes }
  }

  async #read(): Promise<AllChannels> {
    const resets = this.#storage.resets()
    const versions = { ...(await this.#storage.of(channelRows).versions()), resets }
    // The first version changes when another process has emptied the store.
    const startsAnew = versions.first !== this.#seen.first || resets !== this.#seen.resets
    if (startsAnew) {
      this.#entries = new Map()
      this.#bytes = 0
      this.#end = undefined
    }
    if (startsAnew || versions.newest !== this.#seen.newest) {
      await this.#readChanges(startsAnew ? 0 : this.#seen.newest)
      this.#seen = versions
      this.#body?.replace()
      this.#body = undefined
    }
    this.#body ??= new SharedBody(partsOf(this.#sorted()), this.#held)
    const body = this.#body
    const etag = `W/"${versions.first}-${versions.newest}"`
    return { etag, byteLength: body.byteLength, open: () => body.open() }
  }

  async #readChanges(afterVersion: number): Promise<void> {
    for (let version = afterVersion + 1, id = ''; ; ) {
      const rows = await this.#storage.of(channelRows).changedAfter(version, id, BATCH_ROWS)
      for (const row of rows) {
        const json = Buffer.from(`,${JSON.stringify(listedChannelJson(row))}`)
        this.#put({ id: row.id, createdAt: row.created_at, json })
      }
      if (this.#bytes > this.#maxBytes) this.#leaveOutNewest()
      if (rows.length < BATCH_ROWS) return
      ;({ version, id } = rows.at(-1)!)
    }
  }

  #put(entry: Entry): void {
    if (this.#end && byCreation(entry, this.#end) >= 0) return
    this.#bytes += entry.json.length - (this.#entries.get(entry.id)?.json.length ?? 0)
    this.#entries.set(entry.id, entry)
  }

  #leaveOutNewest(): void {
    const all = this.#sorted()
    while (this.#bytes > this.#maxBytes && all.length > 0) {
      this.#end = all.pop()!
      this.#bytes -= this.#end.json.length
    }
    this.#entries = new Map(all.map((entry) => [entry.id, entry]))
  }

  #sorted(): Entry[] {
    return [...this.#entries.values()].sort(byCreation)
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
