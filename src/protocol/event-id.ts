import { NETWORK_EPOCH_MS } from './time.ts'

/** Ids reserve this many values for each millisecond: id = (ms since the network epoch) x 4096 + n. */
export const EVENT_IDS_PER_MS = 4096

/**
 * The id of the next event. Ids only grow: when a millisecond is full the next one is borrowed, and
 * when the clock (Unix ms) steps back counting goes on from the last id (0 for none yet).
 */
export function nextEventId(lastId: number, nowMs: number): number {
  return Math.max(lastId + 1, firstEventIdAt(nowMs))
}

/** The smallest id an event of this Unix millisecond can have; what retention compares with. */
export function firstEventIdAt(unixMs: number): number {
  return Math.max(0, Math.floor(unixMs) - NETWORK_EPOCH_MS) * EVENT_IDS_PER_MS
}

/** Unix milliseconds of an event. */
export function eventTime(id: number): number {
  return Math.floor(id / EVENT_IDS_PER_MS) + NETWORK_EPOCH_MS
}
