import { singleFlight } from '../base/concurrency.ts'
import type { Storage } from '../storage/storage.ts'
import type { StoredChannel } from '../storage/tables/channels.ts'

/** All channels, in the memory of this process. */
export type ChannelCache = {
  /** Reads what has changed. */
  refresh(): Promise<Channels>
}

/** The channels of one version. */
export type Channels = {
  readonly byId: ReadonlyMap<string, StoredChannel>
  readonly byUrl: ReadonlyMap<string, StoredChannel>
  /** Those with the most followers first, then by id. */
  readonly byFollowers: readonly StoredChannel[]
}

/** Channels read by one query. */
const BATCH_ROWS = 1_000

/** The order of lists of channels. */
export const compareByFollowers = (
  a: Pick<StoredChannel, 'follower_count' | 'id'>,
  b: Pick<StoredChannel, 'follower_count' | 'id'>,
): number => b.follower_count - a.follower_count || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** Reads one row while nothing has changed, and otherwise the channels that have. */
export function createChannelCache(storage: Pick<Storage, 'channels'>): ChannelCache {
  let byId = new Map<string, StoredChannel>()
  let byUrl = new Map<string, StoredChannel>()
  let channels: Channels = { byId, byUrl, byFollowers: [] }
  let seen = { first: -1, newest: 0 }
  const refresh = singleFlight(async (): Promise<Channels> => {
    const versions = await storage.channels.versions()
    if (versions.first === seen.first && versions.newest === seen.newest) return channels
    // The first version changes when the store was emptied.
    const startsAnew = versions.first !== seen.first
    if (startsAnew) {
      byId = new Map()
      byUrl = new Map()
    }
    for (let version = startsAnew ? 1 : seen.newest + 1, id = ''; ; ) {
      const rows = await storage.channels.changedAfter(version, id, BATCH_ROWS)
      for (const row of rows) {
        byId.set(row.id, row)
        byUrl.set(row.url, row)
      }
      if (rows.length < BATCH_ROWS) break
      ;({ version, id } = rows.at(-1)!)
    }
    seen = versions
    channels = { byId, byUrl, byFollowers: [...byId.values()].sort(compareByFollowers) }
    return channels
  })
  return { refresh }
}
