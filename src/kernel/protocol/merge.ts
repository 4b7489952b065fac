// Decides which of two messages keeps a slot. The caller reads the present holder and applies the decision.

import { compareBytes, equalBytes } from './codec/bytes.ts'
import { Rejection } from './rejection.ts'
import { isRemove, MESSAGE_SETS, messageSetOf } from './slots.ts'
import { MessageType } from './wire/message_pb.js'

/** The parts of a message that decide who wins a slot. */
export type Contender = {
  /** Message type number. */
  readonly type: number
  /** Network seconds. */
  readonly timestamp: number
  readonly hash: Uint8Array
  /** Links only. */
  readonly targetFid?: number
}

/** The compact state in force for one (fid, link type). */
export type CompactState = {
  /** Network seconds. */
  readonly timestamp: number
  readonly targets: ReadonlySet<number>
}

/** 'merged': the message is stored and the slot's holder, if any, is deleted. */
export type Decision =
  | { readonly outcome: 'merged' }
  | { readonly outcome: 'refused'; readonly rejection: Rejection }

const MERGED: Decision = { outcome: 'merged' }

/**
 * Whether a checked message takes its slot from the present holder. For links, `compact` is the
 * compact state of the same fid and link type; other types ignore it.
 */
export function decideMerge(
  incoming: Contender,
  holder: Contender | undefined,
  compact: CompactState | undefined,
): Decision {
  const tooOld = compact && refusedByCompactState(incoming, compact)
  if (tooOld) return { outcome: 'refused', rejection: tooOld }
  if (!holder) return MERGED
  if (incoming.type === MessageType.LINK_COMPACT_STATE) return decideCompactState(incoming, holder)
  if (equalBytes(incoming.hash, holder.hash)) return duplicate('message has already been merged')
  if (compareContenders(incoming, holder) > 0) return MERGED
  const kind = isRemove(holder.type) ? 'remove' : 'add'
  return conflict(`message conflicts with a more recent ${kind}`)
}

/**
 * Positive when `a` wins over `b` for the slot they share: the later timestamp wins, then a remove over an
 * add, then the higher hash. For casts a remove always wins over an add.
 */
function compareContenders(a: Contender, b: Contender): number {
  const removes = Number(isRemove(a.type)) - Number(isRemove(b.type))
  if (messageSetOf(a.type) === MESSAGE_SETS.casts && removes !== 0) return removes
  return a.timestamp - b.timestamp || removes || compareBytes(a.hash, b.hash)
}

// A link add older than the compact state is valid only when its target is listed. A remove older than it
// would be pruned at once. Links of the same second are not affected.
function refusedByCompactState(link: Contender, compact: CompactState): Rejection | undefined {
  if (link.timestamp >= compact.timestamp) return undefined
  if (link.type === MessageType.LINK_REMOVE) {
    const text = 'Remove message earlier than the compact state message will be immediately pruned'
    return new Rejection('bad_request.prunable', text)
  }
  if (link.type !== MessageType.LINK_ADD || compact.targets.has(link.targetFid ?? 0)) {
    return undefined
  }
  const text = `Target fid ${link.targetFid} not in the compact state target fids`
  return new Rejection('bad_request.conflict', text)
}

// A compact state replaces another only when it is strictly later: there is no tie-break.
function decideCompactState(incoming: Contender, holder: Contender): Decision {
  if (incoming.timestamp > holder.timestamp) return MERGED
  return conflict('A newer Compact State message is already merged')
}

/**
 * Whether merging this compact state deletes a stored link of the same fid and type. It deletes all links
 * up to its own second, except adds whose target it lists.
 */
export function compacts(state: CompactState, link: Contender & { targetFid: number }): boolean {
  if (link.timestamp > state.timestamp) return false
  return isRemove(link.type) || !state.targets.has(link.targetFid)
}

/** A name proof issued by the registry; fid 0 says the name is free again. */
export type NameProof = {
  /** Unix seconds. */
  readonly timestamp: number
  readonly signature: Uint8Array
  readonly fid: number
}

/**
 * Whether a registry proof replaces the one held for the same name: later timestamp, then higher
 * signature bytes. A release (fid 0) of a name that is not registered is refused.
 */
export function decideNameProof(existing: NameProof | undefined, incoming: NameProof): Decision {
  if (!existing) return incoming.fid === 0 ? conflict('proof does not exist') : MERGED
  const order =
    incoming.timestamp - existing.timestamp || compareBytes(incoming.signature, existing.signature)
  if (order === 0) return duplicate('username proof already exists')
  return order > 0 ? MERGED : conflict('event conflicts with a more recent UserNameProof')
}

function conflict(text: string): Decision {
  return { outcome: 'refused', rejection: new Rejection('bad_request.conflict', text) }
}

function duplicate(text: string): Decision {
  return { outcome: 'refused', rejection: new Rejection('bad_request.duplicate', text) }
}
