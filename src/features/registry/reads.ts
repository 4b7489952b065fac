import { singleFlight } from '../../kernel/base/concurrency.ts'
import { MAX_TRANSFERS_PER_TIMESTAMP, TRANSFERS_PER_PAGE } from './settings.ts'
import type { NameTransferReader, StoredTransfer } from './tables/name-transfers.ts'

/** A query of the history; a filter that is undefined or 0 is ignored. */
type HistoryQuery = {
  readonly fromId: number | undefined
  readonly fromTs: number | undefined
  readonly name: string | undefined
  readonly fid: number | undefined
}

/** Makes the reader of the log's pages. */
export function historyReader(transfers: NameTransferReader) {
  // Most requests are polls without new rows: concurrent ones share one read.
  const newestId = singleFlight(transfers.newestId)
  return async ({ fromId, fromTs, name, fid }: HistoryQuery): Promise<StoredTransfer[]> => {
    const filter = { afterId: fromId || undefined, username: name, fid: fid || undefined }
    if (filter.afterId !== undefined && filter.afterId >= (await newestId())) return []
    if (!fromTs) return transfers.list(filter, TRANSFERS_PER_PAGE)
    const page = await transfers.listSince(fromTs, filter, TRANSFERS_PER_PAGE)
    if (page.length < TRANSFERS_PER_PAGE) return page
    // A reader that continues from the last timestamp would miss further rows of that second, so they are
    // added.
    const last = page.at(-1)!.timestamp
    const before = page.filter(({ timestamp }) => timestamp !== last)
    return [...before, ...(await transfers.listAt(last, filter, MAX_TRANSFERS_PER_TIMESTAMP))]
  }
}

type CurrentQuery = { readonly fid: number | undefined; readonly name: string | undefined }

/**
 * The transfer that gave a fid or a name its present state; when both are given both must match, when neither
 * is given the log's latest transfer. Undefined when the fid or name holds nothing.
 */
export async function findCurrent(
  transfers: NameTransferReader,
  { fid, name }: CurrentQuery,
): Promise<StoredTransfer | undefined> {
  if (fid !== undefined) return transfers.heldBy(fid)
  const latest = await (name === undefined ? transfers.latest() : transfers.latestOf(name))
  return latest?.to_fid === 0 ? undefined : latest
}
