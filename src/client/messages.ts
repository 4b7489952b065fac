// What messages say. Each function makes the data of one kind of message; `signMessage` signs it.
import {
  ADDRESS_BYTES,
  HASH_BYTES,
  KEY_BYTES,
  LINK_TYPE_BYTES,
  SOL_ADDRESS_BYTES,
} from '../kernel/protocol/sizes.ts'
import {
  type CastId,
  type CastInit,
  checkCast,
  checkCastId,
  checkTarget,
  type Target,
} from './check-cast.ts'
import {
  checkFid,
  checkFields,
  checkList,
  checkName,
  checkNetworkTime,
  checkNumber,
  checkText,
  must,
} from './checks.ts'
import type { Fields, Values } from './fields.ts'
import { type Bytes, bytesOf } from './hex.ts'
import { type KeyScope, scopeNumbers } from './scopes.ts'

export type { CastId, CastInit, Target }

/** What a message says, without its author, its time and its network. */
export type MessageBody = {
  /** The number of its type on the wire. */
  readonly type: number
  /** The field of MessageData that holds it. */
  readonly number: number
  readonly fields: Fields
  readonly values: Values
}

const SIZES = { ethereum: ADDRESS_BYTES, solana: SOL_ADDRESS_BYTES } as const
const MAX_BUTTON_INDEX = 5
/** 90 days. */
const MAX_KEY_TTL_SECONDS = 7_776_000

const CAST_ID: Fields = { fid: [1, 'number'], hash: [2, 'bytes'] }
const EMBED: Fields = { url: [1, 'choice'], castId: [2, { fields: CAST_ID }] }
const CAST: Fields = {
  embedsDeprecated: [1, 'texts'],
  mentions: [2, 'packed'],
  parentCastId: [3, { fields: CAST_ID }],
  parentUrl: [7, 'choice'],
  text: [4, 'text'],
  mentionsPositions: [5, 'packed'],
  embeds: [6, { fields: EMBED, isList: true }],
  type: [8, 'number'],
}
const CAST_REMOVE: Fields = { targetHash: [1, 'bytes'] }
const REACTION: Fields = {
  type: [1, 'number'],
  targetCastId: [2, { fields: CAST_ID }],
  targetUrl: [3, 'choice'],
}
const LINK: Fields = {
  type: [1, 'text'],
  displayTimestamp: [2, 'optional'],
  targetFid: [3, 'optional'],
}
const LEND_STORAGE: Fields = {
  toFid: [1, 'number'],
  numUnits: [2, 'number'],
  unitType: [3, 'number'],
}
const LINK_COMPACT_STATE: Fields = { type: [1, 'text'], targetFids: [2, 'packed'] }
const VERIFICATION: Fields = {
  address: [1, 'bytes'],
  claimSignature: [2, 'bytes'],
  blockHash: [3, 'bytes'],
  verificationType: [4, 'number'],
  chainId: [5, 'number'],
  protocol: [7, 'number'],
}
const VERIFICATION_REMOVE: Fields = { address: [1, 'bytes'], protocol: [2, 'number'] }
const USER_DATA: Fields = { type: [1, 'number'], value: [2, 'text'] }
const USERNAME_PROOF: Fields = {
  timestamp: [1, 'number'],
  name: [2, 'bytes'],
  owner: [3, 'bytes'],
  signature: [4, 'bytes'],
  fid: [5, 'number'],
  type: [6, 'number'],
}
const FRAME_ACTION: Fields = {
  url: [1, 'bytes'],
  buttonIndex: [2, 'number'],
  castId: [3, { fields: CAST_ID }],
  inputText: [4, 'bytes'],
  state: [5, 'bytes'],
  transactionId: [6, 'bytes'],
  address: [7, 'bytes'],
}
const KEY_ADD: Fields = {
  key: [1, 'bytes'],
  keyType: [2, 'number'],
  custodySignature: [3, 'bytes'],
  deadline: [4, 'number'],
  nonce: [5, 'number'],
  metadata: [6, 'bytes'],
  metadataType: [7, 'number'],
  registrationTxHash: [8, 'bytes'],
  scopes: [9, 'packed'],
  ttl: [10, 'number'],
}
const KEY_REMOVE: Fields = {
  key: [1, 'bytes'],
  signature: [2, 'bytes'],
  signatureType: [3, 'number'],
  deadline: [4, 'number'],
  nonce: [5, 'number'],
}

/** A new cast. */
export function castAdd(cast: CastInit): MessageBody {
  checkCast(cast)
  const { parent, embeds = [], length = 'short', ...rest } = cast
  const values = {
    ...rest,
    ...(parent && targetValues(parent, 'parentCastId', 'parentUrl')),
    embeds: embeds.map((one) => ('url' in one ? one : { castId: castId(one.castId) })),
    type: ['short', 'long', 'pro'].indexOf(length),
  }
  return { type: 1, number: 5, fields: CAST, values }
}

/** Deletes a cast of the author. */
export function castRemove(hash: Bytes): MessageBody {
  const targetHash = bytesOf(hash, 'the hash of a cast', HASH_BYTES)
  return { type: 2, number: 6, fields: CAST_REMOVE, values: { targetHash } }
}

export type ReactionName = 'like' | 'recast'

/** Likes or recasts a cast or a URL. */
export const reactionAdd = (name: ReactionName, target: Target): MessageBody =>
  reaction(3, name, target)

/** Takes a reaction back. */
export const reactionRemove = (name: ReactionName, target: Target): MessageBody =>
  reaction(4, name, target)

function reaction(messageType: number, name: ReactionName, target: Target): MessageBody {
  const names = ['like', 'recast']
  checkName(name, 'the kind of a reaction', names)
  checkTarget(target, 'the target of a reaction')
  const type = names.indexOf(name) + 1
  const values = { type, ...targetValues(target, 'targetCastId', 'targetUrl') }
  return { type: messageType, number: 7, fields: REACTION, values }
}

/** Links the author to another account, as `follow` does. `displayTimestamp`: network seconds. */
export function linkAdd(type: string, targetFid: number, displayTimestamp?: number): MessageBody {
  checkLink(type, targetFid)
  if (displayTimestamp !== undefined) checkNetworkTime(displayTimestamp, 'displayTimestamp')
  return { type: 5, number: 14, fields: LINK, values: { type, targetFid, displayTimestamp } }
}

/** Ends a link. */
export function linkRemove(type: string, targetFid: number): MessageBody {
  checkLink(type, targetFid)
  return { type: 6, number: 14, fields: LINK, values: { type, targetFid } }
}

function checkLink(type: unknown, targetFid: unknown): void {
  checkLinkType(type)
  checkFid(targetFid, 'targetFid')
}

function checkLinkType(type: unknown): void {
  const length = typeof type === 'string' ? new TextEncoder().encode(type).length : 0
  const isType = length > 0 && length <= LINK_TYPE_BYTES
  must(isType, 'type', `a text of 1-${LINK_TYPE_BYTES} bytes such as 'follow'`, type)
}

/** Replaces all links of a type by these. */
export function linkCompactState(type: string, targetFids: readonly number[]): MessageBody {
  checkLinkType(type)
  checkList(targetFids, 'targetFids', checkFid)
  return { type: 14, number: 17, fields: LINK_COMPACT_STATE, values: { type, targetFids } }
}

/** Lends storage units of the newest type to an account, in place of those lent to it before; 0 units end that. */
export function lendStorage(toFid: number, numUnits: number): MessageBody {
  checkFid(toFid, 'toFid')
  checkNumber(numUnits, 'numUnits')
  const values = { toFid, numUnits, unitType: 2 }
  return { type: 15, number: 18, fields: LEND_STORAGE, values }
}

/** Fields of a profile by their number. */
const USER_DATA_TYPES = {
  pfp: 1,
  display: 2,
  bio: 3,
  url: 5,
  username: 6,
  location: 7,
  twitter: 8,
  github: 9,
  banner: 10,
  primaryAddressEthereum: 11,
  primaryAddressSolana: 12,
  profileToken: 13,
} as const
export type UserDataName = keyof typeof USER_DATA_TYPES

/** Sets a field of the author's profile; an empty value clears it. */
export function userData(name: UserDataName, value: string): MessageBody {
  checkName(name, 'the field of a profile', Object.keys(USER_DATA_TYPES))
  checkText(value, 'the value of a profile field')
  return { type: 11, number: 12, fields: USER_DATA, values: { type: USER_DATA_TYPES[name], value } }
}

export type Verification = {
  /** Ethereum: 20 bytes. Solana: 32 bytes. */
  readonly address: Bytes
  /** By the address, over the claim; docs/client.md shows what a wallet signs. */
  readonly claimSignature: Bytes
  /** 32 bytes of any value. */
  readonly blockHash: Bytes
  readonly protocol?: 'ethereum' | 'solana'
  /** Only for contract wallets: type 1, and the chain of the contract. */
  readonly verificationType?: number
  readonly chainId?: number
}

const VERIFICATION_FIELDS = [
  ...['address', 'claimSignature', 'blockHash', 'protocol', 'verificationType', 'chainId'],
]

/** Shows that an address belongs to the author. */
export function verificationAdd(verification: Verification): MessageBody {
  checkFields(
    verification,
    'the verification',
    VERIFICATION_FIELDS,
    '{ address, claimSignature, … }',
  )
  const { protocol, verificationType = 0, chainId = 0, ...claim } = verification
  checkNumber(verificationType, 'verificationType', 0, 1)
  checkNumber(chainId, 'chainId')
  const values = {
    ...claim,
    verificationType,
    chainId,
    address: addressOf(claim.address, protocol),
    claimSignature: bytesOf(claim.claimSignature, 'the signature of the claim'),
    blockHash: bytesOf(claim.blockHash, 'the block hash', 32),
    protocol: protocolNumber(protocol),
  }
  return { type: 7, number: 9, fields: VERIFICATION, values }
}

/** Gives an address up. */
export function verificationRemove(
  address: Bytes,
  protocol?: Verification['protocol'],
): MessageBody {
  const values = { address: addressOf(address, protocol), protocol: protocolNumber(protocol) }
  return { type: 8, number: 10, fields: VERIFICATION_REMOVE, values }
}

const PROTOCOLS = ['ethereum', 'solana'] as const

function protocolNumber(protocol: Verification['protocol'] = 'ethereum'): number {
  checkName(protocol, 'protocol', PROTOCOLS)
  return PROTOCOLS.indexOf(protocol)
}

function addressOf(address: Bytes, protocol: Verification['protocol'] = 'ethereum'): Uint8Array {
  checkName(protocol, 'protocol', PROTOCOLS)
  return bytesOf(address, `the ${protocol} address`, SIZES[protocol])
}

export type UsernameProof = {
  readonly name: string
  /** The address that the name belongs to. */
  readonly owner: Bytes
  /** By the owner, over the proof. */
  readonly signature: Bytes
  readonly fid: number
  /** Unix seconds, as signed. */
  readonly timestamp: number
  readonly type?: 'ens' | 'basename'
}

/** Shows that a name of ENS belongs to the author. Names of the registry need no message. */
export function usernameProof(init: UsernameProof): MessageBody {
  const names = ['name', 'owner', 'signature', 'fid', 'timestamp', 'type']
  checkFields(init, 'the proof', names, "{ name: 'a.eth', owner, signature, fid, timestamp }")
  const { type = 'ens', ...proof } = init
  checkName(type, 'type', ['ens', 'basename'])
  checkText(proof.name, 'name')
  checkFid(proof.fid, 'fid')
  checkNumber(proof.timestamp, 'timestamp, Unix seconds as signed,')
  const values = {
    ...proof,
    name: new TextEncoder().encode(proof.name),
    owner: bytesOf(proof.owner, 'the owner', 20),
    signature: bytesOf(proof.signature, 'the signature of the proof'),
    type: type === 'ens' ? 2 : 3,
  }
  return { type: 12, number: 15, fields: USERNAME_PROOF, values }
}

export type FrameAction = {
  readonly url: string
  /** From 1. */
  readonly buttonIndex: number
  readonly castId?: CastId
  readonly inputText?: string
  readonly state?: string
  readonly transactionId?: Bytes
  readonly address?: Bytes
}

/** A button pressed in a frame. It is validated, not stored. */
export function frameAction(action: FrameAction): MessageBody {
  const names = ['url', 'buttonIndex', 'castId', 'inputText', 'state', 'transactionId', 'address']
  checkFields(action, 'the action', names, "{ url: 'https://a.example', buttonIndex: 1 }")
  checkText(action.url, 'url')
  checkNumber(action.buttonIndex, 'buttonIndex', 0, MAX_BUTTON_INDEX)
  checkText(action.inputText ?? '', 'inputText')
  checkText(action.state ?? '', 'state')
  if (action.castId !== undefined) checkCastId(action.castId, 'castId')
  const utf8 = (text = '') => new TextEncoder().encode(text)
  const values = {
    buttonIndex: action.buttonIndex,
    url: utf8(action.url),
    inputText: utf8(action.inputText),
    state: utf8(action.state),
    castId: action.castId && castId(action.castId),
    transactionId: bytesOf(action.transactionId ?? '', 'the transaction id'),
    address: bytesOf(action.address ?? '', 'the address'),
  }
  return { type: 13, number: 16, fields: FRAME_ACTION, values }
}

export type KeyAdd = {
  /** 32 bytes of Ed25519. */
  readonly key: Bytes
  /** By the custody address, over `keyAddTypedData`. */
  readonly custodySignature: Bytes
  /** The request of the app: `keyRequestMetadata`. */
  readonly metadata: Bytes
  readonly scopes: readonly KeyScope[]
  /** Seconds without use after which the key expires; 90 days at most. */
  readonly ttl: number
  /** As signed. */
  readonly nonce: number
  readonly deadline: number
}

/** Adds a key to the account by this message alone. Any key may sign the message, also the new one. */
export function keyAdd(init: KeyAdd): MessageBody {
  const names = ['key', 'custodySignature', 'metadata', 'scopes', 'ttl', 'nonce', 'deadline']
  checkFields(init, 'the key', names, '{ key, custodySignature, metadata, scopes, … }')
  const { scopes, ...rest } = init
  checkNumber(rest.ttl, 'ttl', 1, MAX_KEY_TTL_SECONDS)
  if (scopes?.length === 0) {
    throw new TypeError('scopes must be non-empty: name what the key may sign')
  }
  checkNumber(rest.nonce, 'nonce')
  checkNumber(rest.deadline, 'deadline', 1)
  const values = {
    ...rest,
    key: bytesOf(rest.key, 'the key', KEY_BYTES),
    keyType: 1,
    custodySignature: bytesOf(rest.custodySignature, 'the custody signature'),
    metadata: bytesOf(rest.metadata, 'the metadata'),
    metadataType: 1,
    scopes: scopeNumbers(scopes),
  }
  return { type: 16, number: 19, fields: KEY_ADD, values }
}

export type KeyRemove = {
  /** 32 bytes. */
  readonly key: Bytes
  /** By the custody address, over `keyRemoveTypedData`; left out where the key itself signs the message. */
  readonly signature?: Bytes
  /** Of the custody address; without its signature, of the app that asked for the key. */
  readonly nonce: number
  readonly deadline: number
}

/** Removes a key that a message has added. Its messages stay. */
export function keyRemove(init: KeyRemove): MessageBody {
  const names = ['key', 'signature', 'nonce', 'deadline']
  checkFields(init, 'the removal', names, '{ key, signature, nonce, deadline }')
  const { signature, ...rest } = init
  checkNumber(rest.nonce, 'nonce')
  checkNumber(rest.deadline, 'deadline', 1)
  const values = {
    ...rest,
    key: bytesOf(rest.key, 'the key', KEY_BYTES),
    signature: signature && bytesOf(signature, 'the custody signature'),
    signatureType: signature === undefined ? 2 : 1,
  }
  return { type: 17, number: 20, fields: KEY_REMOVE, values }
}

function targetValues(target: Target, castName: string, urlName: string): Values {
  return 'url' in target ? { [urlName]: target.url } : { [castName]: castId(target) }
}

const castId = ({ fid, hash }: CastId) => ({
  fid,
  hash: bytesOf(hash, 'the hash of a cast', HASH_BYTES),
})
