// One slot, one winner: everything that replaces each other shares one slot key. The keys are unique
// over all stores and fids, because each part in front of the last has a fixed length.

import { concatBytes, toUtf8, u32be } from './bytes.ts'
import { hashOf } from './hash.ts'
import type { SignedMessage } from './message.ts'
import type { CastId, MessageData } from './wire/message_pb.js'
import { MessageType } from './wire/message_pb.js'

/**
 * The sets a message can live in. The first six are the wire's StoreType numbers; compact states live
 * beside the links they summarise and do not count as usage.
 */
export const STORES = {
  casts: 1,
  links: 2,
  reactions: 3,
  userData: 4,
  verifications: 5,
  usernameProofs: 6,
  linkCompactState: 8,
} as const

/** Link types are at most this long, and padded with zero bytes to it in keys. */
export const LINK_TYPE_BYTES = 8

const KINDS: Readonly<Record<number, { store: number; add: boolean }>> = {
  [MessageType.CAST_ADD]: { store: STORES.casts, add: true },
  [MessageType.CAST_REMOVE]: { store: STORES.casts, add: false },
  [MessageType.REACTION_ADD]: { store: STORES.reactions, add: true },
  [MessageType.REACTION_REMOVE]: { store: STORES.reactions, add: false },
  [MessageType.LINK_ADD]: { store: STORES.links, add: true },
  [MessageType.LINK_REMOVE]: { store: STORES.links, add: false },
  [MessageType.VERIFICATION_ADD_ETH_ADDRESS]: { store: STORES.verifications, add: true },
  [MessageType.VERIFICATION_REMOVE]: { store: STORES.verifications, add: false },
  [MessageType.USER_DATA_ADD]: { store: STORES.userData, add: true },
  [MessageType.USERNAME_PROOF]: { store: STORES.usernameProofs, add: true },
  [MessageType.LINK_COMPACT_STATE]: { store: STORES.linkCompactState, add: true },
}

/** The store of a message type; 0 for types that are never stored. */
export function storeOf(type: MessageType): number {
  return KINDS[type]?.store ?? 0
}

/** True for types that put something into a store (a compact state counts as an add). */
export function isAdd(type: MessageType): boolean {
  return KINDS[type]?.add === true
}

/** True for types that take something out and stay behind as a tombstone. */
export function isRemove(type: MessageType): boolean {
  return KINDS[type]?.add === false
}

/** True for types a hub keeps; frame actions and unsupported types are not. */
export function isStorable(type: MessageType): boolean {
  return KINDS[type] !== undefined
}

/**
 * The key of the one slot a checked, storable message competes for, unique in the whole hub:
 * store (1 byte), author fid (4 bytes; 0 for names, which are global), then the key inside the set.
 */
export function slotOf(message: SignedMessage): Uint8Array {
  const { data } = message
  const store = storeOf(data.type)
  const owner = store === STORES.usernameProofs ? 0 : message.fid
  return concatBytes(Uint8Array.of(store), u32be(owner), keyInSet(data, message.hash))
}

function keyInSet(data: MessageData, hash: Uint8Array): Uint8Array {
  const { body } = data
  switch (body.case) {
    case 'castAddBody':
      return hash
    case 'castRemoveBody':
      return body.value.targetHash
    case 'reactionBody':
      return concatBytes(Uint8Array.of(body.value.type), reactionTargetKey(body.value.target))
    case 'linkBody':
      return concatBytes(paddedLinkType(body.value.type), fidKey(body.value.target.value ?? 0n))
    case 'linkCompactStateBody':
      return paddedLinkType(body.value.type)
    case 'userDataBody':
      return Uint8Array.of(body.value.type)
    case 'verificationAddAddressBody':
    case 'verificationRemoveBody':
      return body.value.address
    case 'usernameProofBody':
      return body.value.name
    default:
      throw new TypeError(`messages of type ${data.type} have no slot`)
  }
}

/** The slot of a cast, and of its remove. */
export function castSlot(fid: number, hash: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(STORES.casts), u32be(fid), hash)
}

/** The slot of a fid's reaction of one type to a target key. */
export function reactionSlot(fid: number, type: number, targetKey: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(STORES.reactions), u32be(fid), Uint8Array.of(type), targetKey)
}

/** The slot of a fid's link of one type to another fid. */
export function linkSlot(fid: number, linkType: string, targetFid: number): Uint8Array {
  const store = Uint8Array.of(STORES.links)
  return concatBytes(store, u32be(fid), paddedLinkType(linkType), u32be(targetFid))
}

/** The slot of the proof of an ENS or base name, whoever gave it. */
export function usernameProofSlot(name: string): Uint8Array {
  return concatBytes(Uint8Array.of(STORES.usernameProofs), u32be(0), toUtf8(name))
}

/** The slot of a fid's verification of an address (20 bytes Ethereum, 32 bytes Solana). */
export function verificationSlot(fid: number, address: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(STORES.verifications), u32be(fid), address)
}

/** The slot of one entry of a fid's profile. */
export function userDataSlot(fid: number, type: number): Uint8Array {
  return concatBytes(Uint8Array.of(STORES.userData), u32be(fid), Uint8Array.of(type))
}

/** The slot of a fid's compact state for a link type. */
export function compactSlotOf(fid: number, linkType: string): Uint8Array {
  return concatBytes(Uint8Array.of(STORES.linkCompactState), u32be(fid), paddedLinkType(linkType))
}

const CAST_TARGET = 1
const URL_TARGET = 2

/** Key of a cast as parent or reaction target: 25 bytes. */
export function castTargetKey(fid: number, hash: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(CAST_TARGET), u32be(fid), hash)
}

/** Key of a url as parent or reaction target: 21 bytes. Two spellings are two targets. */
export function urlTargetKey(url: string): Uint8Array {
  return concatBytes(Uint8Array.of(URL_TARGET), hashOf(toUtf8(url)))
}

/**
 * The key under which an add is found by what it points at (parent, reaction target, link target,
 * verified address); undefined for removes and for adds that point at nothing.
 */
export function targetOf(message: SignedMessage): Uint8Array | undefined {
  const { type, body } = message.data
  if (!isAdd(type)) return undefined
  switch (body.case) {
    case 'castAddBody': {
      const { parent } = body.value
      return parent.case === undefined ? undefined : castsByParentKey(parentKey(parent))
    }
    case 'reactionBody':
      return reactionsByTargetKey(body.value.type, reactionTargetKey(body.value.target))
    case 'linkBody':
      return linksByTargetKey(Number(body.value.target.value ?? 0n), body.value.type)
    case 'verificationAddAddressBody':
      return verificationsByAddressKey(body.value.address)
    default:
      return undefined
  }
}

export function castsByParentKey(targetKey: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(STORES.casts), targetKey)
}

export function reactionsByTargetKey(reactionType: number, targetKey: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(STORES.reactions, reactionType), targetKey)
}

export function linksByTargetKey(fid: number, linkType: string): Uint8Array {
  return concatBytes(linksByTargetPrefix(fid), paddedLinkType(linkType))
}

/** What all keys of links to a fid begin with, whatever their type. */
export function linksByTargetPrefix(fid: number): Uint8Array {
  return concatBytes(Uint8Array.of(STORES.links), u32be(fid))
}

export function verificationsByAddressKey(address: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(STORES.verifications), address)
}

/** The fids a cast mentions, each once; empty for everything else. */
export function mentionsOf(message: SignedMessage): number[] {
  const { body } = message.data
  if (body.case !== 'castAddBody' || body.value.mentions.length === 0) return []
  return [...new Set(body.value.mentions.map(Number))]
}

/** The 24-byte order of all lists and pruning: timestamp (4 bytes big-endian), then hash. */
export function tsHashOf(message: { timestamp: number; hash: Uint8Array }): Uint8Array {
  return concatBytes(u32be(message.timestamp), message.hash)
}

/** A link type in 8 bytes, zeros behind it; no checked type contains a zero byte. */
export function paddedLinkType(linkType: string): Uint8Array {
  const padded = new Uint8Array(LINK_TYPE_BYTES)
  padded.set(toUtf8(linkType).subarray(0, LINK_TYPE_BYTES))
  return padded
}

type Parent = { case: 'parentCastId'; value: CastId } | { case: 'parentUrl'; value: string }
type ReactionTarget =
  | { case: 'targetCastId'; value: CastId }
  | { case: 'targetUrl'; value: string }
  | { case: undefined; value?: undefined }

function parentKey(parent: Parent): Uint8Array {
  return parent.case === 'parentCastId' ? castIdKey(parent.value) : urlTargetKey(parent.value)
}

function reactionTargetKey(target: ReactionTarget): Uint8Array {
  if (target.case === undefined) throw new TypeError('a checked reaction has a target')
  return target.case === 'targetCastId' ? castIdKey(target.value) : urlTargetKey(target.value)
}

function castIdKey(castId: CastId): Uint8Array {
  return castTargetKey(Number(castId.fid), castId.hash)
}

function fidKey(fid: bigint): Uint8Array {
  return u32be(Number(fid))
}
