import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MessageReader, StoredMessage } from '../storage/messages.ts'
import { bytesKey } from './candidate.ts'

/** Messages of one statement: each may have some kilobytes. */
const MAX_SLOTS = 128

type Batch = {
  readonly slots: Map<string, Uint8Array>
  /** By the keys of their slots. */
  readonly found: Promise<ReadonlyMap<string, StoredMessage>>
}

type Source = Pick<MessageReader, 'bySlots'>
type BySlot = MessageReader['bySlot']

/**
 * Messages by their slots, where all that are asked for in one turn of the event loop are read with one statement. For a
 * database behind a socket, to which each statement costs several times what a message in it does. What the first source
 * does not have is read from the next one: a standby is behind its primary.
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
  let open: Batch | undefined
  const read = async (slots: ReadonlyMap<string, Uint8Array>) => {
    await nextTurn()
    if (open?.slots === slots) open = undefined
    const rows = await bySlots([...slots.values()])
    return new Map(rows.map((row) => [bytesKey(row.slot), row]))
  }
  const begin = (): Batch => {
    const slots = new Map<string, Uint8Array>()
    return { slots, found: read(slots) }
  }
  return async (slot) => {
    if (!open || open.slots.size >= MAX_SLOTS) open = begin()
    const { slots, found } = open
    const key = bytesKey(slot)
    slots.set(key, slot)
    return (await found).get(key)
  }
}
