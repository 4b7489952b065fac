// Slots: of all messages that replace each other, one is stored. They share a slot key, which is unique
// over all message sets and fids. Lists find messages by target keys.

import { concatBytes, u32be } from './codec/bytes.ts'
import { slotKeyOf } from './kinds/keys.ts'
import type { MessageKind } from './kinds/kind.ts'
import { kindOf } from './kinds/kinds.ts'
import type { SignedMessage } from './message.ts'
import type { MessageType } from './wire/message_pb.js'

export { castSlot, castsByParentKey } from './kinds/cast-add.ts'
export { gaslessKeySlot } from './kinds/gasless-key.ts'
export { castTargetKey, paddedLinkType, urlTargetKey } from './kinds/keys.ts'
export { MESSAGE_SETS } from './kinds/kinds.ts'
export { linkSlot, linksByTargetKey, linksByTargetPrefix, targetFidOfSlot } from './kinds/link.ts'
export { compactSlotOf, compactSlotOfLink } from './kinds/link-compact-state.ts'
export { reactionSlot, reactionsByTargetKey } from './kinds/reaction.ts'
export { userDataSlot } from './kinds/user-data.ts'
export { usernameProofSlot } from './kinds/username-proof.ts'
export { verificationSlot, verificationsByAddressKey } from './kinds/verification.ts'

/** The number of the message set of a type; 0 for types that are never stored. */
export function messageSetOf(type: MessageType): number {
  return kindOf(type)?.set?.number ?? 0
}

/** True for types that add something to a message set (a compact state counts as an add). */
export function isAdd(type: MessageType): boolean {
  const kind = kindOf(type)
  return kind?.set !== undefined && !kind.isRemove
}

/** True for types that delete something and stay behind as a tombstone. */
export function isRemove(type: MessageType): boolean {
  return kindOf(type)?.isRemove === true
}

/** True for types that hubs store; false for frame actions and types that are not known. */
export function isStorable(type: MessageType): boolean {
  return kindOf(type)?.set !== undefined
}

/**
 * The key of the one slot that a checked, storable message competes for, unique in the whole hub: set
 * (1 byte), author's fid (4 bytes; 0 for names, which are global), then the key within the set.
 * Throws a TypeError for messages that are not stored.
 */
export function slotOf(message: SignedMessage): Uint8Array {
  const { data, fid, hash } = message
  const kind = kindOf(data.type)
  const { value } = data.body
  if (!kind?.set || !kind.slotKey || !value) {
    throw new TypeError(`messages of type ${data.type} have no slot`)
  }
  return slotKeyOf(kind.set, kind.isSlotShared ? 0 : fid, kind.slotKey(value, hash))
}

/**
 * The key under which lists find an add by what it points at (parent, reaction target, link target,
 * verified address); undefined for removes and for adds that point at nothing.
 */
export function targetOf({ data }: SignedMessage): Uint8Array | undefined {
  const kind: MessageKind | undefined = kindOf(data.type)
  return data.body.value && kind?.target?.(data.body.value)
}

/** The fids that a cast mentions, each once; empty for all other messages. */
export function mentionsOf({ data }: SignedMessage): number[] {
  return (data.body.value && kindOf(data.type)?.mentions?.(data.body.value)) ?? []
}

/** The 24-byte order of all lists and of pruning: timestamp (4 bytes big-endian), then hash. */
export function tsHashOf(message: { timestamp: number; hash: Uint8Array }): Uint8Array {
  return concatBytes(u32be(message.timestamp), message.hash)
}
