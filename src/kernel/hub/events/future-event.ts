import { Rejection } from '../../protocol/rejection.ts'
import type { Storage } from '../../storage/storage.ts'

/** The greatest id that an event has or had. */
export type LogEnd = {
  newestId(): Promise<number>
  /**
   * The same from a transaction that the database has confirmed. A primary that was replaced and does not know it yet
   * shows its past, but confirms nothing.
   */
  confirmedNewestId(): Promise<number>
}

export const logEndOf = ({ events, writeShared }: Storage): LogEnd => ({
  newestId: events.newestId,
  confirmedNewestId: () => writeShared('hub', async (tx) => tx.newestId),
})

/**
 * Refuses a reader that continues above the newest event: it has read events that are no longer there, because the data
 * were reset or restored from a backup. Waiting would not help it: it has to read the lists again.
 */
export async function refuseFuture(log: LogEnd, fromId: number, field: string): Promise<void> {
  if (fromId <= (await log.newestId()) + 1) return
  const newest = await log.confirmedNewestId()
  if (fromId <= newest + 1) return
  throw new Rejection(
    'bad_request.future_event',
    `${field} is above the newest event, ${newest}: the events were reset or restored from a backup; ` +
      `read the lists again, then follow the events after ${newest}`,
    { field },
  )
}
