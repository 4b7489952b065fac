import type { MessageReader } from '../storage/messages.ts'
import { inTurnBatches } from '../turn-batches.ts'
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

function batchesOf({ bySlots }: Source): BySlot {
  const find = inTurnBatches(MAX_SLOTS, async (slots: readonly Uint8Array[]) => {
    const rows = await bySlots(slots)
    return new Map(rows.map((row) => [bytesKey(row.slot), row]))
  })
  return (slot) => find(bytesKey(slot), slot)
}
