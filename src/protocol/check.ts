// Everything that can be said about a message without asking who its author is, except the Ed25519
// signature itself, which is verified in worker threads.

import { equalBytes, toHex } from './bytes.ts'
import { checkCastAdd, checkCastRemove } from './checks/cast.ts'
import { checkFrameAction } from './checks/frame-action.ts'
import { checkLink, checkLinkCompactState } from './checks/link.ts'
import { checkReaction } from './checks/reaction.ts'
import { checkFid, invalid } from './checks/rules.ts'
import { checkUserData } from './checks/user-data.ts'
import { checkUsernameProof } from './checks/username-proof.ts'
import {
  CLAIM_TYPES,
  checkClaimSignature,
  checkVerificationAdd,
  checkVerificationRemove,
} from './checks/verification.ts'
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from './ed25519.ts'
import { hashOf } from './hash.ts'
import type { SignedMessage } from './message.ts'
import { Rejection } from './rejection.ts'
import { FUTURE_TOLERANCE_SECONDS } from './time.ts'
import { HashScheme, MessageType, Network, Protocol, SignatureScheme } from './wire/message_pb.js'
import { fieldBytes, scanFields, type WireField } from './wire-scan.ts'

export { isStorable } from './slots.ts'

export type CheckContext = {
  /** The checking clock, network seconds. */
  readonly now: number
  /** Number of the network this hub serves. */
  readonly network: number
  /** Whether the author has the paid tier; false when not given. */
  readonly pro?: boolean
}

/** Data bytes: two kilobytes, but for the types that carry lists, long texts or long signatures. */
export const MAX_DATA_BYTES = 2048
export const MAX_COMPACT_STATE_BYTES = 65_536
export const MAX_PRO_CAST_BYTES = 16_384
export const MAX_USERNAME_PROOF_BYTES = 16_384

type BodyCase = SignedMessage['data']['body']['case']

const BODIES: Readonly<Record<number, BodyCase>> = {
  [MessageType.CAST_ADD]: 'castAddBody',
  [MessageType.CAST_REMOVE]: 'castRemoveBody',
  [MessageType.REACTION_ADD]: 'reactionBody',
  [MessageType.REACTION_REMOVE]: 'reactionBody',
  [MessageType.LINK_ADD]: 'linkBody',
  [MessageType.LINK_REMOVE]: 'linkBody',
  [MessageType.VERIFICATION_ADD_ETH_ADDRESS]: 'verificationAddAddressBody',
  [MessageType.VERIFICATION_REMOVE]: 'verificationRemoveBody',
  [MessageType.USER_DATA_ADD]: 'userDataBody',
  [MessageType.USERNAME_PROOF]: 'usernameProofBody',
  [MessageType.FRAME_ACTION]: 'frameActionBody',
  [MessageType.LINK_COMPACT_STATE]: 'linkCompactStateBody',
}

/** Known types of other hubs that this one does not take. */
const UNSUPPORTED: ReadonlySet<number> = new Set([
  MessageType.LEND_STORAGE,
  MessageType.KEY_ADD,
  MessageType.KEY_REMOVE,
  MessageType.CHANNEL_UPDATE,
  MessageType.CHANNEL_MEMBER,
  MessageType.CHANNEL_PIN,
  MessageType.CHANNEL_MODERATE,
])

/** MessageData's oneof of bodies spans these field numbers. */
const FIRST_BODY_FIELD = 5
const LAST_BODY_FIELD = 24

/**
 * All stateless rules of a message but its Ed25519 signature. Throws the Rejection of the first rule
 * it breaks. Frame actions pass; claims of contract wallets are left to the caller (isContractClaim).
 */
export function checkMessage(message: SignedMessage, context: CheckContext): void {
  checkData(message, context)
  checkBody(message, context.pro ?? false)
  checkSize(message, context.pro ?? false)
  checkEnvelope(message)
  checkClaim(message)
}

/** True for an Ethereum claim by a contract wallet, whose signature only its chain can judge. */
export function isContractClaim(message: SignedMessage): boolean {
  const { body } = message.data
  return (
    body.case === 'verificationAddAddressBody' &&
    body.value.protocol === Protocol.ETHEREUM &&
    body.value.verificationType === CLAIM_TYPES.contract
  )
}

/**
 * The bytes the Ed25519 signature may be over: the hash, which is what every real client signs, and,
 * when the setting allows it, the data bytes, which is what some documents say.
 */
export function signaturePayloads(message: SignedMessage, acceptDataBytes: boolean): Uint8Array[] {
  return acceptDataBytes ? [message.hash, message.dataBytes] : [message.hash]
}

function checkData({ data }: SignedMessage, context: CheckContext): void {
  if (Network[data.network] === undefined || data.network === Network.NONE) {
    throw invalid('invalid network', 'data.network')
  }
  if (data.network !== context.network) {
    throw invalid(incorrectNetwork(data.network, context.network), 'data.network')
  }
  checkFid(data.fid, 'data.fid')
  if (data.timestamp - context.now > FUTURE_TOLERANCE_SECONDS) {
    throw invalid('timestamp more than 10 mins in the future', 'data.timestamp')
  }
}

/** The words of the deployed hubs, and what a developer has to change: published clients sign for mainnet. */
function incorrectNetwork(network: Network, expected: Network): string {
  const asDeployed = network === Network.MAINNET ? ', or with --as-deployed' : ''
  return (
    `incorrect network: ${network} (expected: ${expected}); sign for ${networkName(expected)}, or start the ` +
    `server with ROOKERY_NETWORK=${networkName(network)}${asDeployed}`
  )
}

/** The network's name as settings write it: mainnet, testnet or devnet. */
export const networkName = (network: Network): string => Network[network].toLowerCase()

function checkBody(message: SignedMessage, pro: boolean): void {
  const { data } = message
  if (UNSUPPORTED.has(data.type)) {
    const text = `messages of type ${MessageType[data.type]} are not supported`
    throw new Rejection('not_supported', text, { field: 'data.type' })
  }
  if (data.type !== MessageType.NONE && BODIES[data.type] === undefined) {
    throw invalid('invalid message type', 'data.type')
  }
  const bytes = soleBodyOf(message)
  if (data.body.case !== BODIES[data.type]) {
    throw invalid('bodyType is invalid', 'data.type', 'bad_request.invalid_param')
  }
  checkBodyRules(message, bytes, pro)
}

// Exactly one body, once: decoders keep the last of several, so two peers could differ about which.
function soleBodyOf({ dataBytes }: SignedMessage): Uint8Array {
  const bodies = (scanFields(dataBytes) ?? []).filter(isBodyField)
  const [body] = bodies
  if (!body || bodies.length > 1) throw invalid('only one body can be set', 'data')
  return fieldBytes(dataBytes, body)
}

function isBodyField({ number }: WireField): boolean {
  return number >= FIRST_BODY_FIELD && number <= LAST_BODY_FIELD
}

function checkBodyRules({ data }: SignedMessage, bytes: Uint8Array, pro: boolean): void {
  const { body } = data
  switch (body.case) {
    case 'castAddBody':
      checkCastAdd(body.value, { timestamp: data.timestamp, pro, bytes })
      break
    case 'castRemoveBody':
      checkCastRemove(body.value)
      break
    case 'reactionBody':
      checkReaction(body.value, bytes)
      break
    case 'linkBody':
      checkLink(body.value)
      break
    case 'linkCompactStateBody':
      checkLinkCompactState(body.value)
      break
    case 'verificationAddAddressBody':
      checkVerificationAdd(body.value)
      break
    case 'verificationRemoveBody':
      checkVerificationRemove(body.value)
      break
    case 'userDataBody':
      checkUserData(body.value, pro)
      break
    case 'usernameProofBody':
      checkUsernameProof(body.value, data)
      break
    case 'frameActionBody':
      checkFrameAction(body.value)
      break
  }
}

function checkSize({ data, dataBytes }: SignedMessage, pro: boolean): void {
  const max = maxDataBytes(data.type, pro)
  if (dataBytes.length > max) throw invalid(`dataBytes > ${max} bytes`, 'dataBytes')
}

function maxDataBytes(type: MessageType, pro: boolean): number {
  if (type === MessageType.LINK_COMPACT_STATE) return MAX_COMPACT_STATE_BYTES
  if (type === MessageType.USERNAME_PROOF) return MAX_USERNAME_PROOF_BYTES
  return pro && type === MessageType.CAST_ADD ? MAX_PRO_CAST_BYTES : MAX_DATA_BYTES
}

function checkEnvelope(message: SignedMessage): void {
  if (message.hash.length === 0) throw invalid('hash is missing', 'hash')
  if (message.hashScheme !== HashScheme.BLAKE3) throw invalid('invalid hashScheme', 'hashScheme')
  checkHashOfData(message)
  if (message.signature.length === 0) throw invalid('signature is missing', 'signature')
  if (message.signer.length === 0) throw invalid('signer is missing', 'signer')
  if (message.signatureScheme !== SignatureScheme.ED25519) {
    throw invalid('invalid signatureScheme', 'signatureScheme')
  }
  if (message.signature.length !== SIGNATURE_BYTES) throw invalid('invalid signature', 'signature')
  if (message.signer.length !== PUBLIC_KEY_BYTES) {
    throw invalid(`signer must be ${PUBLIC_KEY_BYTES} bytes`, 'signer')
  }
}

function checkHashOfData({ hash, dataBytes }: SignedMessage): void {
  const computed = hashOf(dataBytes)
  if (equalBytes(hash, computed)) return
  throw invalid(`invalid hash. Expected=${toHex(hash)}, computed=${toHex(computed)}`, 'hash')
}

// Last, because recovering an Ethereum signer costs more than all other checks together.
function checkClaim({ data }: SignedMessage): void {
  if (data.body.case === 'verificationAddAddressBody') {
    checkClaimSignature(data.body.value, data)
  }
}
