import { equalBytes, toHex } from '../../protocol/codec/bytes.ts'
import { isCanonicalSignature, isZeroAddress } from '../../protocol/crypto/secp256k1.ts'
import type { OnSigned } from '../port.ts'
import { ecdsa } from './ecdsa.ts'
import { askWallet, type EvmClients } from './evm.ts'

/**
 * Whether the account at this 20-byte address signed this 32-byte digest. Always false for the zero address,
 * which `ecrecover` returns for invalid signatures on chains.
 */
export type VerifySignature = (
  address: Uint8Array,
  digest: Uint8Array,
  signature: Uint8Array,
) => Promise<boolean>

/** Verifies plain accounts in the one form that the contracts accept: 65 bytes, low s, v 27 or 28. */
export const verifySignature: VerifySignature = async (address, digest, signature) =>
  isCanonicalSignature(signature) && (await verifyAnyForm(address, digest, signature))

/** Verifies plain accounts in every form, also with high s and a v of 0 or 1, as wallet libraries do. */
const verifyAnyForm: VerifySignature = async (address, digest, signature) => {
  if (isZeroAddress(address)) return false
  const signer = await ecdsa.recover(digest, signature)
  return signer !== undefined && equalBytes(signer, address)
}

/** Whether the chain may be asked about the signature of an address. */
export type MayAsk = (address: Uint8Array) => Promise<boolean>

/**
 * For plain accounts and, when the chain has an RPC URL, for contract wallets on it. `verify` decides which
 * forms of signatures of plain accounts are accepted.
 */
export function walletSignatures(
  clients: EvmClients,
  chainId: number,
  {
    verify = verifyAnyForm,
    mayAsk = async () => true,
  }: { readonly verify?: VerifySignature; readonly mayAsk?: MayAsk } = {},
): VerifySignature {
  return async (address, digest, signature) => {
    if (isZeroAddress(address)) return false
    // A signature of a plain account: the chain would accept it in every form.
    if (await verifyAnyForm(address, digest, signature)) {
      return verify === verifyAnyForm || verify(address, digest, signature)
    }
    if (!clients.has(chainId) || !(await mayAsk(address))) return false
    const client = await clients.get(chainId, 'the signature of a contract wallet')
    return askWallet(client, address, digest, signature)
  }
}

/** Whether the signature holds for one of the digests, such as those of one struct in several domains. */
export async function verifyOneOf(
  verify: VerifySignature,
  address: Uint8Array,
  digests: readonly Uint8Array[],
  signature: Uint8Array,
): Promise<boolean> {
  for (const digest of digests) if (await verify(address, digest, signature)) return true
  return false
}

/** Tells the signer of the first signature that holds: calls check that of who makes them first. */
export function tellingFirst(verify: VerifySignature, onSigned: OnSigned): VerifySignature {
  let isTold = false
  return async (address, digest, signature) => {
    if (!(await verify(address, digest, signature))) return false
    if (!isTold) {
      isTold = true
      await onSigned(address)
    }
    return true
  }
}

/**
 * For a call that is decided twice, first without and then under the lock: `ask` verifies, and `recall` returns
 * only remembered results. An unknown signature was made for another nonce than the present one.
 */
export function remembering(verify: VerifySignature): {
  readonly ask: VerifySignature
  readonly recall: VerifySignature
} {
  const answers = new Map<string, boolean>()
  const textOf = (...question: readonly Uint8Array[]) => question.map(toHex).join()
  return {
    async ask(...question) {
      const answer = await verify(...question)
      answers.set(textOf(...question), answer)
      return answer
    },
    recall: async (...question) => answers.get(textOf(...question)) ?? false,
  }
}
