import { BytesMap } from '../../base/bytes-map.ts'
import { type CompactState, compacts } from '../../protocol/merge.ts'
import { compactSlotOfLink, MESSAGE_SETS, targetFidOfSlot } from '../../protocol/slots.ts'
import { unitCount } from '../../protocol/storage-units.ts'
import { type MessageData, MessageType } from '../../protocol/wire/message_pb.js'
import { encodeStored, fromStored } from '../../storage/messages/message-rows.ts'
import type { StoredMessage } from '../../storage/messages/messages.ts'
import { MAX_PAGE_SIZE } from '../../storage/reads/page.ts'
import type { Writer } from '../../storage/storage.ts'
import type { Candidate } from '../submit/candidate.ts'
import { type Effects, type MergeState, Part, type PartOf } from './effects.ts'

/** A fid may have compact states for this many link types; each can hold 64 KiB of targets. */
const MAX_COMPACT_STATES_PER_FID = 16
/** The same for each storage unit, so that what a fid keeps grows with the storage that it has. */
const COMPACT_STATES_PER_UNIT = 4

/** A compact state deletes its author's links that it does not list. */
export const compactStateEffects: Effects = {
  // It may delete any number of links, including those of its batch.
  isAlone: true,
  limit(units) {
    const count = Math.min(MAX_COMPACT_STATES_PER_FID, COMPACT_STATES_PER_UNIT * unitCount(units))
    return { count, what: `compact states for more than ${count} link types` }
  },
  // The feed lists nothing for a compact state, which may replace 64 KiB, so nothing is kept for it.
  listsReplaced: false,
  afterMerge: compactLinks,
}

/** The compact states that decide about the links of a batch, each decoded once. */
class CompactStates extends Part {
  readonly #bySlot = new BytesMap<{ readonly state: CompactState | undefined }>()

  /** The compact state of a link's fid and link type, by the link's slot. */
  ofLink(linkSlot: Uint8Array, { holder }: Pick<MergeState, 'holder'>): CompactState | undefined {
    const slot = compactSlotOfLink(linkSlot)
    const known = this.#bySlot.get(slot)
    if (known) return known.state
    const message = holder(slot)
    const state = message && compactStateOf(fromStored(message).data)
    this.#bySlot.set(slot, { state })
    return state
  }
}

export const COMPACT_STATES: PartOf<CompactStates> = { read: async () => new CompactStates() }

/** The compact state that a LINK_COMPACT_STATE message declares; undefined for other messages. */
export function compactStateOf({
  timestamp,
  body,
}: Pick<MessageData, 'timestamp' | 'body'>): CompactState | undefined {
  if (body.case !== 'linkCompactStateBody') return undefined
  return { timestamp, targets: new Set(body.value.targetFids.map(Number)) }
}

/**
 * Deletes the author's links that a merged compact state does not list. The deployed hubs emit no
 * event for them: the compact state's own event implies their removal.
 */
async function compactLinks(tx: Writer, { row, body }: Candidate): Promise<void> {
  const compact = compactStateOf({ timestamp: row.timestamp, body })
  if (!compact) return
  const slotPrefix = row.slot.subarray(5)
  let token: Uint8Array | undefined
  do {
    const page = await tx.messages.listByFid(
      {
        fid: row.fid,
        store: MESSAGE_SETS.links,
        types: [MessageType.LINK_ADD, MessageType.LINK_REMOVE],
        slotPrefix,
        to: compact.timestamp,
      },
      { size: MAX_PAGE_SIZE, token },
    )
    const unlisted = page.items.filter((link) =>
      compacts(compact, { ...link, targetFid: targetFidOfSlot(link.slot) }),
    )
    await removeWithoutEvents(tx, unlisted)
    token = page.next
  } while (token)
}

async function removeWithoutEvents(tx: Writer, rows: readonly StoredMessage[]): Promise<void> {
  if (rows.length === 0) return
  await tx.events.keepMessages(rows.map((row) => ({ id: row.id, message: encodeStored(row) })))
  await tx.messages.remove(rows)
}
