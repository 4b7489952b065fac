import { equalBytes, toHex } from '../protocol/bytes.ts'
import { recoverDigestSigner } from '../protocol/eip712.ts'
import { askWallet, type EthereumUrls, ethereumClients } from './evm.ts'

/** Did the account at this 20-byte address sign this 32-byte digest? */
export type VerifySignature = (
  address: Uint8Array,
  digest: Uint8Array,
  signature: Uint8Array,
) => Promise<boolean>

/** For plain accounts, as the contracts have it: 65 bytes, low s, v 27 or 28. */
export const verifySignature: VerifySignature = async (address, digest, signature) => {
  const signer = recoverDigestSigner(digest, signature, { lowS: true })
  return signer !== undefined && equalBytes(signer, address)
}

/** Every form of a plain signature counts, also the high twin of s and a v of 0 or 1, as in wallets' libraries. */
const verifyAnyForm: VerifySignature = async (address, digest, signature) => {
  const signer = recoverDigestSigner(digest, signature)
  return signer !== undefined && equalBytes(signer, address)
}

/**
 * For plain accounts and, when there is an address to ask the chain, for contract wallets on it. `verify` says
 * which signatures of plain accounts count.
 */
export function walletSignatures(
  urls: EthereumUrls,
  chainId: number,
  verify: VerifySignature = verifyAnyForm,
): VerifySignature {
  const clientOf = ethereumClients(urls)
  return async (address, digest, signature) => {
    if (await verify(address, digest, signature)) return true
    // A plain account's, in a form that does not count here: the chain would take it all the same.
    if (await verifyAnyForm(address, digest, signature)) return false
    if (!urls[chainId]) return false
    const client = await clientOf(chainId, 'the signature of a contract wallet')
    return askWallet(client, address, digest, signature)
  }
}

/** Asks once for each signature: the second look at a call, under the lock, then costs nothing. */
export function remembering(verify: VerifySignature): VerifySignature {
  const answers = new Map<string, Promise<boolean>>()
  return (address, digest, signature) => {
    const question = [address, digest, signature].map(toHex).join()
    const answer = answers.get(question) ?? verify(address, digest, signature)
    answers.set(question, answer)
    return answer
  }
}
