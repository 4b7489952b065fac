import { concatBytes, toBase64 } from '../codec/bytes.ts'
import { base64, integer, object, text } from '../json/json-schema.ts'
import { BLOCK_HASH_BYTES } from '../sizes.ts'
import type { VerificationAddAddressBody } from '../wire/message_pb.js'
import { MessageType, Protocol } from '../wire/message_pb.js'
import { addressText, protocolName, protocolSchema } from './json-values.ts'
import { slotKeyOf } from './keys.ts'
import {
  type DataInit,
  dataOf,
  type JsonObject,
  MAX_DATA_BYTES,
  type MessageKind,
  type MessageSet,
  type Origin,
} from './kind.ts'
import { checkAddress, invalid } from './rules.ts'

const BODY = 'verificationAddAddressBody'

/** Verified addresses and their removes. */
export const verificationSet: MessageSet = {
  key: 'verifications',
  number: 5,
  name: 'VERIFICATIONS',
  messagesPerUnit: { legacy: 25, u2024: 25, u2025: 5 },
  announceOrder: 1,
  dependsOnOthers: false,
}

const MAX_CLAIM_SIGNATURE_BYTES = 2048
const SOL_CLAIM_SIGNATURE_BYTES = 64

/** Wire values of `verificationType`: who signed an Ethereum claim. */
export const CLAIM_TYPES = { eoa: 0, contract: 1 } as const

/** Valid chain ids of contract wallets' claims: none, and those that the deployed network has allowed. */
const CLAIM_CHAIN_IDS: ReadonlySet<number> = new Set([0, 1, 5, 10, 420])

const sharedRules = {
  set: verificationSet,
  maxDataBytes: MAX_DATA_BYTES,
  targetFids: (): number[] => [],
} as const

/**
 * A claim of an address, with the address's own signature over it. Its slot is the address: an author
 * claims it once, other authors may claim it too. `checkClaim` verifies the signature.
 */
export const verificationAddKind: MessageKind<'verificationAddAddressBody'> = {
  ...sharedRules,
  type: MessageType.VERIFICATION_ADD_ETH_ADDRESS,
  body: BODY,
  isRemove: false,
  views: 'profile',
  recoveries: 1,
  check: checkVerificationAdd,
  slotKey: ({ address }) => address,
  target: ({ address }) => verificationsByAddressKey(address),
  withoutContent: ({ address, protocol, verificationType, chainId }) => ({
    address,
    protocol,
    verificationType,
    chainId,
  }),
  json: verificationAddJson,
  olderJsonName: 'verificationAddEthAddressBody',
  schema: object(
    {
      address: text({ description: 'Ethereum: 0x hex of 20 bytes; Solana: base58 of 32 bytes' }),
      claimSignature: base64('by the address, over the claim'),
      blockHash: text({ description: '32 bytes, written like the address' }),
      verificationType: integer({ description: '0: by the key of the address, 1: by a contract' }),
      chainId: integer({ description: 'of the contract; 0 for keys' }),
      protocol: protocolSchema,
      ethSignature: base64('the same as claimSignature, for older clients'),
    },
    { id: 'VerificationAddAddressBody' },
  ),
}

/** Gives up an address. No proof is needed. */
export const verificationRemoveKind: MessageKind<'verificationRemoveBody'> = {
  ...sharedRules,
  type: MessageType.VERIFICATION_REMOVE,
  body: 'verificationRemoveBody',
  isRemove: true,
  views: 'profile',
  check: ({ address, protocol }) => checkAddress(address, protocol, 'verificationRemoveBody'),
  slotKey: ({ address }) => address,
  json: ({ address, protocol }) => ({
    address: addressText(address, protocol),
    protocol: protocolName(protocol),
  }),
  schema: object({ address: text(), protocol: protocolSchema }, { id: 'VerificationRemoveBody' }),
}

export type EthClaim = {
  /** 20 bytes. */
  readonly address: Uint8Array
  /** 32 bytes, any value. */
  readonly blockHash: Uint8Array
  readonly claimSignature: Uint8Array
  /** For contract wallets only. */
  readonly verificationType?: number
  readonly chainId?: number
}

/** Data of a VERIFICATION_ADD of an Ethereum address. */
export function verificationAddEth(origin: Origin, claim: EthClaim): DataInit {
  return dataOf(origin, verificationAddKind, { ...claim, protocol: Protocol.ETHEREUM })
}

/** The same of a Solana address: 32-byte address and block hash, 64-byte signature. */
export function verificationAddSol(
  origin: Origin,
  claim: { address: Uint8Array; blockHash: Uint8Array; claimSignature: Uint8Array },
): DataInit {
  return dataOf(origin, verificationAddKind, { ...claim, protocol: Protocol.SOLANA })
}

/** Data of a VERIFICATION_REMOVE. */
export function verificationRemove(
  origin: Origin,
  address: Uint8Array,
  protocol: Protocol = Protocol.ETHEREUM,
): DataInit {
  return dataOf(origin, verificationRemoveKind, { address, protocol })
}

/** The slot of a fid's verification of an address (20 bytes Ethereum, 32 bytes Solana). */
export function verificationSlot(fid: number, address: Uint8Array): Uint8Array {
  return slotKeyOf(verificationSet, fid, address)
}

/** The target key of verifications of an address. */
export function verificationsByAddressKey(address: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(verificationSet.number), address)
}

function verificationAddJson(body: VerificationAddAddressBody): JsonObject {
  const claimSignature = toBase64(body.claimSignature)
  return {
    address: addressText(body.address, body.protocol),
    claimSignature,
    blockHash: addressText(body.blockHash, body.protocol),
    verificationType: body.verificationType,
    chainId: body.chainId,
    protocol: protocolName(body.protocol),
    ethSignature: claimSignature,
  }
}

// All rules of a claim but its signature.
function checkVerificationAdd(body: VerificationAddAddressBody): void {
  checkAddress(body.address, body.protocol, BODY)
  if (body.blockHash.length === 0) throw invalid('blockHash is missing', `${BODY}.blockHash`)
  if (body.blockHash.length !== BLOCK_HASH_BYTES) {
    throw invalid(`blockHash must be ${BLOCK_HASH_BYTES} bytes`, `${BODY}.blockHash`)
  }
  if (body.protocol === Protocol.SOLANA) checkSolanaClaim(body)
  else checkEthereumClaim(body)
}

function checkSolanaClaim(body: VerificationAddAddressBody): void {
  if (body.claimSignature.length !== SOL_CLAIM_SIGNATURE_BYTES) {
    const text = `claimSignature != ${SOL_CLAIM_SIGNATURE_BYTES} bytes`
    throw invalid(text, `${BODY}.claimSignature`)
  }
}

function checkEthereumClaim(body: VerificationAddAddressBody): void {
  if (body.claimSignature.length > MAX_CLAIM_SIGNATURE_BYTES) {
    const text = `claimSignature > ${MAX_CLAIM_SIGNATURE_BYTES} bytes`
    throw invalid(text, `${BODY}.claimSignature`)
  }
  const { verificationType, chainId } = body
  if (verificationType !== CLAIM_TYPES.eoa && verificationType !== CLAIM_TYPES.contract) {
    throw invalid('Invalid verification type', `${BODY}.verificationType`)
  }
  const chainIsFine =
    verificationType === CLAIM_TYPES.eoa ? chainId === 0 : CLAIM_CHAIN_IDS.has(chainId)
  if (!chainIsFine)
    throw invalid('Invalid chain ID', `${BODY}.chainId`, 'bad_request.invalid_param')
}
