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
    // A plain account's: the chain would take it in every form.
    if (await verifyAnyForm(address, digest, signature)) {
      return verify === verifyAnyForm || verify(address, digest, signature)
    }
    if (!urls[chainId]) return false
    const client = await clientOf(chainId, 'the signature of a contract wallet')
    return askWallet(client, address, digest, signature)
  }
}

/**
 * For two looks at a call: the first one asks, and the second, under the lock, only remembers. What it does not
 * remember is signed for another nonce than the one that is due by now.
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
