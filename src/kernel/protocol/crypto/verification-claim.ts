// The signatures of address claims. Apart from kinds/verification.ts because they need secp256k1, and threads that merge
// never verify a claim.

import { base58 } from '@scure/base'
import { equalBytes, toUtf8 } from '../codec/bytes.ts'
import { invalid } from '../kinds/rules.ts'
import { CLAIM_TYPES } from '../kinds/verification.ts'
import type { SignedMessage } from '../message.ts'
import type { MessageData, VerificationAddAddressBody } from '../wire/message_pb.js'
import { Protocol } from '../wire/message_pb.js'
import { verifyEd25519 } from './ed25519.ts'
import { recoverVerificationClaim } from './eip712.ts'

/** True for an Ethereum claim by a contract wallet, whose signature only its chain can verify. */
export function isContractClaim(body: MessageData['body']): boolean {
  return (
    body.case === 'verificationAddAddressBody' &&
    body.value.protocol === Protocol.ETHEREUM &&
    body.value.verificationType === CLAIM_TYPES.contract
  )
}

/**
 * Throws a Rejection when a checked message claims an address with a signature that is not of that
 * address. Claims by contract wallets pass (isContractClaim), as do messages that claim no address.
 */
export function checkClaim({ data }: SignedMessage): void {
  if (data.body.case !== 'verificationAddAddressBody') return
  const body = data.body.value
  const valid =
    body.protocol === Protocol.SOLANA
      ? verifyEd25519(body.claimSignature, solanaClaim(body, data), body.address)
      : body.verificationType === CLAIM_TYPES.contract || isSignedByAddress(body, data)
  if (!valid) throw invalid('invalid claimSignature', 'verificationAddAddressBody.claimSignature')
}

function isSignedByAddress(body: VerificationAddAddressBody, data: MessageData): boolean {
  const { fid, network } = data
  const { address, blockHash, claimSignature } = body
  const signer = recoverVerificationClaim({ fid, address, blockHash, network }, claimSignature)
  return signer !== undefined && equalBytes(signer, address)
}

/** The UTF-8 text that a Solana wallet signs to claim its address. Spaces count; there is no newline. */
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
