import { concatBytes, u32be } from '../codec/bytes.ts'
import { integer, object, text } from '../json/json-schema.ts'
import { FID_BYTES } from '../sizes.ts'
import type { LinkBody } from '../wire/message_pb.js'
import { LinkBodySchema, MessageType } from '../wire/message_pb.js'
import { jsonLayout, writtenBy } from './json-layout.ts'
import { paddedLinkType, slotKeyOf } from './keys.ts'
import {
  type DataInit,
  dataOf,
  MAX_DATA_BYTES,
  type MessageKind,
  type MessageSet,
  type Origin,
} from './kind.ts'
import { checkFid, checkLinkType, invalid } from './rules.ts'

/** Links and their removes. */
export const linkSet: MessageSet = {
  key: 'links',
  number: 2,
  name: 'LINKS',
  messagesPerUnit: { legacy: 2500, u2024: 1000, u2025: 200 },
  announceOrder: 6,
  dependsOnOthers: false,
}

// Adding and removing differ in type and in `isRemove` only: both bodies follow the same rules.
const linkRules = {
  body: 'linkBody',
  set: linkSet,
  maxDataBytes: MAX_DATA_BYTES,
  check: checkLink,
  targetFids: ({ target }: LinkBody) => (target.case === 'targetFid' ? [Number(target.value)] : []),
  slotKey: ({ type, target }: LinkBody) =>
    concatBytes(paddedLinkType(type), u32be(Number(target.value ?? 0n))),
  ...writtenBy(jsonLayout(LinkBodySchema, ['type', 'displayTimestamp', 'targetFid'])),
  schema: object(
    { type: text({ description: '1 to 8 bytes', examples: ['follow'] }) },
    {
      id: 'LinkBody',
      optional: {
        displayTimestamp: integer({ description: 'Seconds since 2021-01-01T00:00:00Z' }),
        targetFid: integer(),
      },
    },
  ),
} as const

/** A relation to another fid, such as following it. Its slot is its type and target. */
export const linkAddKind: MessageKind<'linkBody'> = {
  ...linkRules,
  type: MessageType.LINK_ADD,
  isRemove: false,
  views: 'link',
  target: ({ type, target }) => linksByTargetKey(Number(target.value ?? 0n), type),
}

/** The end of a link. */
export const linkRemoveKind: MessageKind<'linkBody'> = {
  ...linkRules,
  type: MessageType.LINK_REMOVE,
  isRemove: true,
  views: undefined,
}

/** Data of a LINK_ADD; types have 1 to 8 bytes. */
export function linkAdd(origin: Origin, type: string, targetFid: number): DataInit {
  return dataOf(origin, linkAddKind, linkInit(type, targetFid))
}

/** Data of a LINK_REMOVE. */
export function linkRemove(origin: Origin, type: string, targetFid: number): DataInit {
  return dataOf(origin, linkRemoveKind, linkInit(type, targetFid))
}

function linkInit(type: string, targetFid: number) {
  return { type, target: { case: 'targetFid', value: BigInt(targetFid) } as const }
}

/** The slot of a fid's link of one type to another fid. */
export function linkSlot(fid: number, linkType: string, targetFid: number): Uint8Array {
  return slotKeyOf(linkSet, fid, paddedLinkType(linkType), u32be(targetFid))
}

/** The fid that a link or its remove points at, from its slot. */
export function targetFidOfSlot(slot: Uint8Array): number {
  return new DataView(slot.buffer, slot.byteOffset).getUint32(slot.length - FID_BYTES)
}

/** The target key of links of one type to a fid. */
export function linksByTargetKey(fid: number, linkType: string): Uint8Array {
  return concatBytes(linksByTargetPrefix(fid), paddedLinkType(linkType))
}

/** The first bytes of the target key of every link to a fid, whatever its type. */
export function linksByTargetPrefix(fid: number): Uint8Array {
  return concatBytes(Uint8Array.of(linkSet.number), u32be(fid))
}

// Links to oneself are valid; the display timestamp may be anything.
function checkLink(body: LinkBody): void {
  checkLinkType(body.type, 'linkBody.type')
  if (body.target.case === undefined) throw invalid('target is missing', 'linkBody.targetFid')
  checkFid(body.target.value, 'linkBody.targetFid')
}
