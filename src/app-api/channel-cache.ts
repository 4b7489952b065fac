import { sharedRuns } from '../shared-runs.ts'
import type { StoredChannel } from '../storage/channels.ts'
import type { Storage } from '../storage/storage.ts'

/** All channels, in the memory of this process. */
export type ChannelCache = {
  /** Reads what has changed. */
  refresh(): Promise<Channels>
}

/** The channels of one version. */
export type Channels = {
  readonly byId: ReadonlyMap<string, StoredChannel>
  readonly byUrl: ReadonlyMap<string, StoredChannel>
}

/** Channels read by one query. */
const BATCH_ROWS = 1_000

/** Reads one row while nothing has changed, and otherwise the channels that have. */
export function createChannelCache(storage: Pick<Storage, 'channels'>): ChannelCache {
  let byId = new Map<string, StoredChannel>()
  let byUrl = new Map<string, StoredChannel>()
  let seen = { first: -1, newest: 0 }
  const refresh = sharedRuns(async (): Promise<Channels> => {
    const versions = await storage.channels.versions()
    if (versions.first === seen.first && versions.newest === seen.newest) return { byId, byUrl }
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
    return { byId, byUrl }
  })
  return { refresh }
}
