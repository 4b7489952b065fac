import type { ChannelRow, Channels } from '../../../kernel/app-api/channels.ts'
import { orLastKnown } from '../../../kernel/app-api/last-known.ts'
import { singleFlight } from '../../../kernel/base/concurrency.ts'
import type { Storage } from '../../../kernel/storage/storage.ts'
import { channelRows } from '../../channels/port.ts'

/** Channels read by one query. */
const BATCH_ROWS = 1_000

/** The order of lists of channels. */
export const compareByFollowers = (
  a: Pick<ChannelRow, 'follower_count' | 'id'>,
  b: Pick<ChannelRow, 'follower_count' | 'id'>,
): number => b.follower_count - a.follower_count || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

const byIdAndUrl = () => ({
  byId: new Map<string, ChannelRow>(),
  byUrl: new Map<string, ChannelRow>(),
})

/** All channels, in the memory of this process. */
export class ChannelCache {
  /** Reads one row while nothing has changed, and otherwise the channels that have. */
  readonly refresh = orLastKnown(singleFlight(() => this.#refresh()))
  readonly #storage: Pick<Storage, 'of' | 'resets'>
  #maps = byIdAndUrl()
  #channels: Channels = { ...this.#maps, byFollowers: [] }
  #seen = { first: -1, newest: 0, resets: 0 }

  constructor(storage: Pick<Storage, 'of' | 'resets'>) {
    this.#storage = storage
  }

  async #refresh(): Promise<Channels> {
    const resets = this.#storage.resets()
    const versions = { ...(await this.#storage.of(channelRows).versions()), resets }
    // The first version changes when another process has emptied the store.
    const isSame = versions.first === this.#seen.first && resets === this.#seen.resets
    if (isSame && versions.newest === this.#seen.newest) return this.#channels
    if (!isSame) this.#maps = byIdAndUrl()
    const { byId, byUrl } = this.#maps
    for (let version = isSame ? this.#seen.newest + 1 : 1, id = ''; ; ) {
      const rows = await this.#storage.of(channelRows).changedAfter(version, id, BATCH_ROWS)
      for (const row of rows) {
        byId.set(row.id, row)
        byUrl.set(row.url, row)
      }
      if (rows.length < BATCH_ROWS) break
      ;({ version, id } = rows.at(-1)!)
    }
    this.#seen = versions
    this.#channels = { byId, byUrl, byFollowers: [...byId.values()].sort(compareByFollowers) }
    return this.#channels
  }
}
