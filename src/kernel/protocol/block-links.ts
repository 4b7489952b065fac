import { paddedLinkType } from './kinds/keys.ts'
import { linkSet, targetFidOfSlot } from './kinds/link.ts'
import { MessageType } from './wire/message_pb.js'

/** The type of a link by which its author blocks its target (FIP-263). */
export const BLOCK_LINK_TYPE = 'block'
const PADDED = paddedLinkType(BLOCK_LINK_TYPE)
/** Where the type of a link begins in its slot: after the set and the fid. */
const TYPE_AT = 5

type Link = {
  readonly fid: number
  readonly store: number
  readonly type: number
  readonly slot: Uint8Array
}

/** Whom the author of a message blocks by it. Undefined when it is no such link, or one to its own author. */
export function linkBlockOf({
  fid,
  store,
  type,
  slot,
}: Link): { readonly blocker: number; readonly blocked: number } | undefined {
  if (store !== linkSet.number || type !== MessageType.LINK_ADD) return undefined
  if (!PADDED.every((byte, i) => byte === slot[TYPE_AT + i])) return undefined
  const blocked = targetFidOfSlot(slot)
  return blocked === fid ? undefined : { blocker: fid, blocked }
}
