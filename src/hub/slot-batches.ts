import type { EnvelopeReader } from '../storage/envelopes.ts'
import type { MessageReader } from '../storage/messages.ts'
import { inTurnBatches, inTurnLists } from '../turn-batches.ts'
import { bytesKey } from './candidate.ts'

/** Messages of one statement: each may have some kilobytes. */
const MAX_SLOTS = 128

type Source = Pick<MessageReader, 'bySlots'>
type BySlot = MessageReader['bySlot']

/**
 * Messages by their slots, where all that are asked for in one turn of the event loop are read with one statement. What
 * the first source does not have is read from the next one: a standby is behind its primary.
 */
export function inBatches(sources: readonly Source[]): { readonly bySlot: BySlot } {
  const readers = sources.map(batchesOf)
  return {
    async bySlot(slot) {
      for (const read of readers) {
        const found = await read(slot)
        if (found) return found
      }
      return undefined
    },
  }
}

/**
 * The same for the embedded store, to which one read of many messages costs less than a read of each. Each is found where
 * it was asked for: what is asked for again is answered before it comes here.
 */
export function inTurns({ bySlots }: Pick<EnvelopeReader, 'bySlots'>) {
  return { bySlot: inTurnLists(MAX_SLOTS, bySlots) }
}

function batchesOf({ bySlots }: Source): BySlot {
  const find = inTurnBatches(MAX_SLOTS, async (slots: readonly Uint8Array[]) => {
    const rows = await bySlots(slots)
    return new Map(rows.map((row) => [bytesKey(row.slot), row]))
  })
  return (slot) => find(bytesKey(slot), slot)
}
