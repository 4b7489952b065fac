// Making messages, for the command line, the development network, tests and the bench.

import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { toUtf8 } from './bytes.ts'
import { publicKeyOf, signEd25519 } from './ed25519.ts'
import { signTypedData, verificationClaimTypedData } from './eip712.ts'
import { hashOf } from './hash.ts'
import { MESSAGE_FORMS, type SignedMessage } from './message.ts'
import { unixMsOf } from './time.ts'
import type {
  CastAddBodySchema,
  FrameActionBodySchema,
  ReactionType,
  UserDataType,
  UserNameType,
} from './wire/message_pb.js'
import {
  HashScheme,
  MessageDataSchema,
  MessageType,
  Protocol,
  SignatureScheme,
} from './wire/message_pb.js'

export type DataInit = MessageInitShape<typeof MessageDataSchema>

/** What every message says: author, network seconds, network number. */
export type Origin = {
  readonly fid: number
  readonly timestamp: number
  readonly network: number
}

export type CastId = { readonly fid: number; readonly hash: Uint8Array }
export type ReactionTarget = CastId | { readonly url: string }

/** Encodes the data, hashes it and signs the hash with a 32-byte Ed25519 seed. Nothing is checked. */
export function buildMessage(init: DataInit, seed: Uint8Array): SignedMessage {
  const data = create(MessageDataSchema, init)
  return signedMessage(data, toBinary(MessageDataSchema, data), seed)
}

function signedMessage(
  data: SignedMessage['data'],
  dataBytes: Uint8Array,
  seed: Uint8Array,
): SignedMessage {
  const hash = hashOf(dataBytes)
  return {
    data,
    fid: Number(data.fid),
    dataBytes,
    form: MESSAGE_FORMS.both,
    hash,
    hashScheme: HashScheme.BLAKE3,
    signature: signEd25519(hash, seed),
    signatureScheme: SignatureScheme.ED25519,
    signer: publicKeyOf(seed),
  }
}

export function castAdd(
  origin: Origin,
  cast: string | MessageInitShape<typeof CastAddBodySchema>,
): DataInit {
  const value = typeof cast === 'string' ? { text: cast } : cast
  return dataOf(origin, MessageType.CAST_ADD, { case: 'castAddBody', value })
}

export function castRemove(origin: Origin, targetHash: Uint8Array): DataInit {
  return dataOf(origin, MessageType.CAST_REMOVE, { case: 'castRemoveBody', value: { targetHash } })
}

export function reactionAdd(origin: Origin, type: ReactionType, target: ReactionTarget): DataInit {
  return reaction(origin, MessageType.REACTION_ADD, type, target)
}

export function reactionRemove(
  origin: Origin,
  type: ReactionType,
  target: ReactionTarget,
): DataInit {
  return reaction(origin, MessageType.REACTION_REMOVE, type, target)
}

function reaction(
  origin: Origin,
  messageType: MessageType,
  type: ReactionType,
  target: ReactionTarget,
): DataInit {
  const value = {
    type,
    target:
      'url' in target
        ? ({ case: 'targetUrl', value: target.url } as const)
        : ({ case: 'targetCastId', value: castIdInit(target) } as const),
  }
  return dataOf(origin, messageType, { case: 'reactionBody', value })
}

export function linkAdd(origin: Origin, type: string, targetFid: number): DataInit {
  return link(origin, MessageType.LINK_ADD, type, targetFid)
}

export function linkRemove(origin: Origin, type: string, targetFid: number): DataInit {
  return link(origin, MessageType.LINK_REMOVE, type, targetFid)
}

function link(origin: Origin, messageType: MessageType, type: string, targetFid: number): DataInit {
  const target = { case: 'targetFid', value: BigInt(targetFid) } as const
  return dataOf(origin, messageType, { case: 'linkBody', value: { type, target } })
}

export function linkCompactState(
  origin: Origin,
  type: string,
  targetFids: readonly number[],
): DataInit {
  const value = { type, targetFids: targetFids.map(BigInt) }
  return dataOf(origin, MessageType.LINK_COMPACT_STATE, { case: 'linkCompactStateBody', value })
}

export function userDataAdd(origin: Origin, type: UserDataType, value: string): DataInit {
  const body = { case: 'userDataBody', value: { type, value } } as const
  return dataOf(origin, MessageType.USER_DATA_ADD, body)
}

export type EthClaim = {
  /** 20 bytes. */
  readonly address: Uint8Array
  /** 32 bytes, any value. */
  readonly blockHash: Uint8Array
  readonly claimSignature: Uint8Array
  /** Both only for contract wallets. */
  readonly verificationType?: number
  readonly chainId?: number
}

export function verificationAddEth(origin: Origin, claim: EthClaim): DataInit {
  const value = { ...claim, protocol: Protocol.ETHEREUM }
  const body = { case: 'verificationAddAddressBody', value } as const
  return dataOf(origin, MessageType.VERIFICATION_ADD_ETH_ADDRESS, body)
}

/** The 65-byte claim signature of a plain account, by its 32-byte private key. */
export function signEthClaim(
  origin: Origin,
  claim: { address: Uint8Array; blockHash: Uint8Array },
  privateKey: Uint8Array,
): Uint8Array {
  const { fid, network } = origin
  return signTypedData(verificationClaimTypedData({ fid, network, ...claim }), privateKey)
}

/** A Solana claim: 32-byte address and block hash, 64-byte signature over `solanaClaim`'s text. */
export function verificationAddSol(
  origin: Origin,
  value: { address: Uint8Array; blockHash: Uint8Array; claimSignature: Uint8Array },
): DataInit {
  const body = {
    case: 'verificationAddAddressBody',
    value: { ...value, protocol: Protocol.SOLANA },
  } as const
  return dataOf(origin, MessageType.VERIFICATION_ADD_ETH_ADDRESS, body)
}

export function verificationRemove(
  origin: Origin,
  address: Uint8Array,
  protocol: Protocol = Protocol.ETHEREUM,
): DataInit {
  const body = { case: 'verificationRemoveBody', value: { address, protocol } } as const
  return dataOf(origin, MessageType.VERIFICATION_REMOVE, body)
}

/** A proof message: its own fid and time are the message's, as the rules ask. */
export function usernameProof(
  origin: Origin,
  proof: { name: string; owner: Uint8Array; signature: Uint8Array; type: UserNameType },
): DataInit {
  const value = {
    timestamp: BigInt(unixMsOf(origin.timestamp) / 1000),
    name: toUtf8(proof.name),
    owner: proof.owner,
    signature: proof.signature,
    fid: BigInt(origin.fid),
    type: proof.type,
  }
  return dataOf(origin, MessageType.USERNAME_PROOF, { case: 'usernameProofBody', value })
}

export function frameAction(
  origin: Origin,
  value: MessageInitShape<typeof FrameActionBodySchema>,
): DataInit {
  return dataOf(origin, MessageType.FRAME_ACTION, { case: 'frameActionBody', value })
}

type BodyInit = NonNullable<DataInit['body']>

function dataOf({ fid, timestamp, network }: Origin, type: MessageType, body: BodyInit): DataInit {
  return { type, fid: BigInt(fid), timestamp, network, body }
}

function castIdInit({ fid, hash }: CastId) {
  return { fid: BigInt(fid), hash }
}
