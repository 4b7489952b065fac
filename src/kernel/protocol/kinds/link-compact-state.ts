import { integer, list, object, text } from '../json/json-schema.ts'
import { FID_BYTES, LINK_TYPE_BYTES } from '../sizes.ts'
import type { LinkCompactStateBody } from '../wire/message_pb.js'
import { LinkCompactStateBodySchema, MessageType } from '../wire/message_pb.js'
import { jsonLayout, writtenBy } from './json-layout.ts'
import { paddedLinkType, slotKeyOf } from './keys.ts'
import { type DataInit, dataOf, type MessageKind, type MessageSet, type Origin } from './kind.ts'
import { checkFid, checkLinkType, invalid } from './rules.ts'

/** Compact states. They are not counted as usage; a fid has at most one for each link type. */
export const linkCompactStateSet: MessageSet = {
  key: 'linkCompactState',
  number: 8,
  name: 'LINK_COMPACT_STATES',
  messagesPerUnit: undefined,
  announceOrder: 5,
  dependsOnOthers: false,
}

/** Data bytes of a compact state: thousands of fids. */
const MAX_COMPACT_STATE_BYTES = 65_536

/** All links of one type that the author has: links up to its time that it does not list are deleted. */
export const linkCompactStateKind: MessageKind<'linkCompactStateBody'> = {
  type: MessageType.LINK_COMPACT_STATE,
  body: 'linkCompactStateBody',
  set: linkCompactStateSet,
  isRemove: false,
  views: 'compactState',
  maxDataBytes: MAX_COMPACT_STATE_BYTES,
  // Too many to choose events by; deployed hubs leave them out, too.
  targetFids: () => [],
  check: checkLinkCompactState,
  slotKey: ({ type }) => paddedLinkType(type),
  withoutContent: ({ type }) => ({ type }),
  ...writtenBy(jsonLayout(LinkCompactStateBodySchema, ['type', 'targetFids'])),
  schema: object(
    { type: text({ examples: ['follow'] }), targetFids: list(integer()) },
    { id: 'LinkCompactStateBody' },
  ),
}

/** Data of a LINK_COMPACT_STATE: the author has links of this type to these fids only. */
export function linkCompactState(
  origin: Origin,
  type: string,
  targetFids: readonly number[],
): DataInit {
  return dataOf(origin, linkCompactStateKind, { type, targetFids: targetFids.map(BigInt) })
}

/** The slot of a fid's compact state of a link type. */
export function compactSlotOf(fid: number, linkType: string): Uint8Array {
  return slotKeyOf(linkCompactStateSet, fid, paddedLinkType(linkType))
}

const SET_BYTES = 1

/** The slot of the compact state that decides about a link, from the slot of the link. */
export function compactSlotOfLink(slot: Uint8Array): Uint8Array {
  const compact = slot.slice(0, SET_BYTES + FID_BYTES + LINK_TYPE_BYTES)
  compact[0] = linkCompactStateSet.number
  return compact
}

// The list must not be empty, may contain a fid twice, and is bounded by the size of the data only.
function checkLinkCompactState(body: LinkCompactStateBody): void {
  checkLinkType(body.type, 'linkCompactStateBody.type')
  if (body.targetFids.length === 0) {
    throw invalid('target is missing', 'linkCompactStateBody.targetFids')
  }
  for (const [i, fid] of body.targetFids.entries()) {
    checkFid(fid, `linkCompactStateBody.targetFids[${i}]`)
  }
}
