import { Rejection } from '../../protocol/rejection.ts'

/**
 * Refuses a reader that continues above the newest event: it has read events that are no longer there, because the data
 * were reset or restored from a backup. Waiting would not help it: it has to read the lists again.
 */
export function refuseFuture(newest: number, fromId: number, field: string): void {
  if (fromId <= newest + 1) return
  throw new Rejection(
    'bad_request.future_event',
    `${field} is above the newest event, ${newest}: the events were reset or restored from a backup; ` +
      `read the lists again, then follow the events after ${newest}`,
    { field },
  )
}
