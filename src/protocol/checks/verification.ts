import { base58 } from '@scure/base'
import { equalBytes, toUtf8 } from '../bytes.ts'
import { verifyEd25519 } from '../ed25519.ts'
import { recoverVerificationClaim } from '../eip712.ts'
import type {
  MessageData,
  VerificationAddAddressBody,
  VerificationRemoveBody,
} from '../wire/message_pb.js'
import { Protocol } from '../wire/message_pb.js'
import { checkAddress, invalid } from './rules.ts'

const BODY = 'verificationAddAddressBody'
export const BLOCK_HASH_BYTES = 32
export const MAX_CLAIM_SIGNATURE_BYTES = 2048
export const SOL_CLAIM_SIGNATURE_BYTES = 64

/** Wire values of `verificationType`: who made an Ethereum claim. */
export const CLAIM_TYPES = { eoa: 0, contract: 1 } as const

/** Chains a claim may name: none, and those the deployed network once allowed. */
export const CLAIM_CHAIN_IDS: ReadonlySet<number> = new Set([0, 1, 5, 10, 420])

/** Everything about an address claim but its signature. */
export function checkVerificationAdd(body: VerificationAddAddressBody): void {
  checkAddress(body.address, body.protocol, BODY)
  if (body.blockHash.length === 0) throw invalid('blockHash is missing', `${BODY}.blockHash`)
  if (body.blockHash.length !== BLOCK_HASH_BYTES) {
    throw invalid(`blockHash must be ${BLOCK_HASH_BYTES} bytes`, `${BODY}.blockHash`)
  }
  if (body.protocol === Protocol.SOLANA) checkSolanaClaim(body)
  else checkEthereumClaim(body)
}

/** Proof is not asked for: an author may always give up an address. */
export function checkVerificationRemove(body: VerificationRemoveBody): void {
  checkAddress(body.address, body.protocol, 'verificationRemoveBody')
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

/**
 * The signature of a checked claim, by an account's own key. Claims of contract wallets pass: only
 * their chain can answer.
 */
export function checkClaimSignature(body: VerificationAddAddressBody, data: MessageData): void {
  const valid =
    body.protocol === Protocol.SOLANA
      ? verifyEd25519(body.claimSignature, solanaClaim(body, data), body.address)
      : body.verificationType === CLAIM_TYPES.contract || isSignedByAddress(body, data)
  if (!valid) throw invalid('invalid claimSignature', `${BODY}.claimSignature`)
}

function isSignedByAddress(body: VerificationAddAddressBody, data: MessageData): boolean {
  const { fid, network } = data
  const { address, blockHash, claimSignature } = body
  const signer = recoverVerificationClaim({ fid, address, blockHash, network }, claimSignature)
  return signer !== undefined && equalBytes(signer, address)
}

/** The text a Solana wallet signs, spaces exactly so and no newline. */
export function solanaClaim(
  body: Pick<VerificationAddAddressBody, 'address' | 'blockHash'>,
  data: Pick<MessageData, 'fid' | 'network'>,
): Uint8Array {
  const address = base58.encode(body.address)
  const blockHash = base58.encode(body.blockHash)
  return toUtf8(
    `fid: ${data.fid} address: ${address} network: ${data.network} blockHash: ${blockHash} protocol: 1`,
  )
}
