import { NETWORK_EPOCH_MS } from './time.ts'

/** Ids reserve this many values for each millisecond: id = (ms since the network epoch) x 4096 + n. */
export const EVENT_IDS_PER_MS = 4096

/**
 * The id of the next event, after `lastId` (0: none yet) at the time `nowMs` (Unix ms). Ids only grow:
 * when the ids of a millisecond are used up, those of the next follow, and when the clock steps back,
 * ids continue from the last one.
 */
export function nextEventId(lastId: number, nowMs: number): number {
  return Math.max(lastId + 1, firstEventIdAt(nowMs))
}

/** The smallest possible id of an event at a time (Unix ms). Retention compares with it. */
export function firstEventIdAt(unixMs: number): number {
  return Math.max(0, Math.floor(unixMs) - NETWORK_EPOCH_MS) * EVENT_IDS_PER_MS
}

/** The time of an event, in Unix milliseconds. */
export function eventTime(id: number): number {
  return Math.floor(id / EVENT_IDS_PER_MS) + NETWORK_EPOCH_MS
}
