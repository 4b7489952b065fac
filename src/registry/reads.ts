import { sharedRuns } from '../shared-runs.ts'
import type { NameTransferReader, StoredTransfer } from '../storage/name-transfers.ts'
import { MAX_TRANSFERS_PER_TIMESTAMP, TRANSFERS_PER_PAGE } from './settings.ts'

/** What the history is asked for; a filter that is undefined or 0 does not filter. */
export type HistoryQuery = {
  readonly fromId: number | undefined
  readonly fromTs: number | undefined
  readonly name: string | undefined
  readonly fid: number | undefined
}

/** Makes the reader of the log's pages. */
export function historyReader(transfers: NameTransferReader) {
  // Most requests are polls that find nothing new: however many come at once, one look serves them.
  const newestId = sharedRuns(transfers.newestId)
  return async ({ fromId, fromTs, name, fid }: HistoryQuery): Promise<StoredTransfer[]> => {
    const filter = { afterId: fromId || undefined, username: name, fid: fid || undefined }
    if (filter.afterId !== undefined && filter.afterId >= (await newestId())) return []
    if (!fromTs) return transfers.list(filter, TRANSFERS_PER_PAGE)
    const page = await transfers.listSince(fromTs, filter, TRANSFERS_PER_PAGE)
    if (page.length < TRANSFERS_PER_PAGE) return page
    // Who goes on from the last timestamp misses what else happened in that second: it has to be here.
    const last = page.at(-1)!.timestamp
    const before = page.filter(({ timestamp }) => timestamp !== last)
    return [...before, ...(await transfers.listAt(last, filter, MAX_TRANSFERS_PER_TIMESTAMP))]
  }
}

export type CurrentQuery = { readonly fid: number | undefined; readonly name: string | undefined }

/**
 * The transfer by which a fid or a name is what it is now; of both the fid counts, of neither the log's
 * latest transfer. Undefined when nothing is held.
 */
export async function findCurrent(
  transfers: NameTransferReader,
  { fid, name }: CurrentQuery,
): Promise<StoredTransfer | undefined> {
  if (fid !== undefined) return transfers.heldBy(fid)
  const latest = await (name === undefined ? transfers.latest() : transfers.latestOf(name))
  return latest?.to_fid === 0 ? undefined : latest
}
