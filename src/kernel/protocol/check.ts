// Every rule of a message that needs no stored state. The Ed25519 signature is verified elsewhere, in
// worker threads.

import { equalBytes, toHex } from './codec/bytes.ts'
import { FieldScan, fieldBytes, type WireField } from './codec/wire-scan.ts'
import { SIGNATURE_BYTES } from './crypto/ed25519.ts'
import { hashOf } from './crypto/hash.ts'
import { checkClaim } from './crypto/verification-claim.ts'
import { MAX_DATA_BYTES, type MessageKind } from './kinds/kind.ts'
import { kindOf, UNSUPPORTED_TYPES } from './kinds/kinds.ts'
import { checkFid, invalid } from './kinds/rules.ts'
import type { SignedMessage } from './message.ts'
import { networkName } from './network-name.ts'
import { Rejection } from './rejection.ts'
import { KEY_BYTES } from './sizes.ts'
import { FUTURE_TOLERANCE_SECONDS } from './time.ts'
import {
  HashScheme,
  MessageDataSchema,
  MessageType,
  Network,
  SignatureScheme,
} from './wire/message_pb.js'

export { isContractClaim } from './crypto/verification-claim.ts'

export type CheckContext = {
  /** The checking clock, network seconds. */
  readonly now: number
  /** Number of the only network whose messages are valid; undefined: any, as on development networks. */
  readonly network: number | undefined
  /** Whether the author has an active pro subscription; false when not given. */
  readonly pro?: boolean
  /** Takes messages that may only be sent for some time: another hub took them in time. */
  readonly anyAge?: boolean
}

const UNSUPPORTED: ReadonlySet<MessageType> = new Set(UNSUPPORTED_TYPES)

/** Numbers of the bodies that MessageData may have. Between the first and the last are those of earlier versions of the wire. */
const BODY_FIELDS = MessageDataSchema.oneofs.flatMap(({ fields }) =>
  fields.map(({ number }) => number),
)
const FIRST_BODY_FIELD = Math.min(...BODY_FIELDS)
const LAST_BODY_FIELD = Math.max(...BODY_FIELDS)

/**
 * Checks all stateless rules of a message but its Ed25519 signature. Throws the Rejection of the first
 * rule it breaks, in the order of deployed hubs. Frame actions pass; whether a contract wallet's claim
 * is signed is left to the caller (isContractClaim).
 */
export function checkMessage(message: SignedMessage, context: CheckContext): void {
  const pro = context.pro ?? false
  checkData(message, context)
  const kind = checkBody(message, context)
  checkSize(message, kind, pro)
  checkEnvelope(message)
  // Last, because recovering an Ethereum signer costs more than all other checks together.
  checkClaim(message)
}

/**
 * Whether the checks of a message come out differently for authors with a pro subscription: for those
 * and only those messages the caller has to find out.
 */
export function dependsOnPro({ data, dataBytes }: SignedMessage): boolean {
  const kind = kindOf(data.type)
  if (!kind || data.body.case !== kind.body) return false
  if (kind.maxProDataBytes !== undefined && dataBytes.length > kind.maxDataBytes) return true
  return kind.needsPro?.(data.body.value) === true
}

function checkData({ data }: SignedMessage, context: CheckContext): void {
  if (Network[data.network] === undefined || data.network === Network.NONE) {
    throw invalid('invalid network', 'data.network')
  }
  if (context.network !== undefined && data.network !== context.network) {
    throw invalid(incorrectNetwork(data.network, context.network), 'data.network')
  }
  checkFid(data.fid, 'data.fid')
  if (data.timestamp - context.now > FUTURE_TOLERANCE_SECONDS) {
    throw invalid('timestamp more than 10 mins in the future', 'data.timestamp')
  }
}

/** The message of the deployed hubs, and what a developer has to change: published clients sign for mainnet. */
function incorrectNetwork(network: Network, expected: Network): string {
  const asDeployed = network === Network.MAINNET ? ', or with --as-deployed' : ''
  return (
    `incorrect network: ${network} (expected: ${expected}); sign for ${networkName(expected)}, or start the ` +
    `server with ROOKERY_NETWORK=${networkName(network)}${asDeployed}`
  )
}

function checkBody(message: SignedMessage, context: CheckContext): MessageKind | undefined {
  const { data } = message
  if (UNSUPPORTED.has(data.type)) {
    const text = `messages of type ${MessageType[data.type]} are not supported`
    throw new Rejection('not_supported', text, { field: 'data.type' })
  }
  const kind = kindOf(data.type)
  if (data.type !== MessageType.NONE && !kind) {
    throw invalid('invalid message type', 'data.type')
  }
  const mayBeOld = context.anyAge ?? false
  if (kind?.maxAgeSeconds && !mayBeOld && context.now - data.timestamp > kind.maxAgeSeconds) {
    const minutes = kind.maxAgeSeconds / 60
    throw invalid(`timestamp more than ${minutes} mins in the past`, 'data.timestamp')
  }
  const bytes = onlyBodyOf(message)
  if (data.body.case !== kind?.body) {
    throw invalid('bodyType is invalid', 'data.type', 'bad_request.invalid_param')
  }
  if (data.body.value) kind?.check(data.body.value, { data, bytes, pro: context.pro ?? false })
  return kind
}

// Exactly one body, once: decoders keep the last of several, so hubs could disagree about which.
function onlyBodyOf({ dataBytes }: SignedMessage): Uint8Array {
  let only: Uint8Array | undefined
  const scan = new FieldScan(dataBytes)
  while (scan.next()) {
    if (!isBodyField(scan)) continue
    if (only) throw invalid('only one body can be set', 'data')
    only = fieldBytes(dataBytes, scan)
  }
  if (!only) throw invalid('only one body can be set', 'data')
  return only
}

function isBodyField({ number }: WireField): boolean {
  return number >= FIRST_BODY_FIELD && number <= LAST_BODY_FIELD
}

function checkSize(
  { dataBytes }: SignedMessage,
  kind: MessageKind | undefined,
  pro: boolean,
): void {
  const max = (pro ? kind?.maxProDataBytes : undefined) ?? kind?.maxDataBytes ?? MAX_DATA_BYTES
  if (dataBytes.length > max) throw invalid(`dataBytes > ${max} bytes`, 'dataBytes')
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
  if (message.signer.length !== KEY_BYTES) {
    throw invalid(`signer must be ${KEY_BYTES} bytes`, 'signer')
  }
}

function checkHashOfData({ hash, dataBytes }: SignedMessage): void {
  const computed = hashOf(dataBytes)
  if (equalBytes(hash, computed)) return
  throw invalid(`invalid hash. Expected=${toHex(hash)}, computed=${toHex(computed)}`, 'hash')
}
