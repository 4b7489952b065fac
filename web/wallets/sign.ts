import { LEAST_OWN_CHAIN_ID } from '../../src/kernel/protocol/crypto/account-domains.ts'
import { base64url, bytesOf, hexOf, utf8Of } from '../shared/bytes.ts'
import { t } from '../shared/messages.ts'
import type { Transaction, TypedData } from '../types.ts'
import { type Connection, chainName, isRejectedByUser, switchChain } from './provider.ts'

// Signatures that the pages request from wallets.

/** The account's signature of typed data, in hex. */
export async function signTypedData(
  { wallet: { provider }, address }: Connection,
  typedData: TypedData,
): Promise<string> {
  const { domain } = typedData
  const chainId = domain.chainId === undefined ? undefined : Number(domain.chainId)
  // Some wallets sign for any chain: a refusal shows whether this one has to switch.
  const isThere = chainId === undefined || (await switchChain(provider, chainId))
  try {
    const params = [address, JSON.stringify(typedData)]
    return String(await provider.request({ method: 'eth_signTypedData_v4', params }))
  } catch (error) {
    if (isThere || isRejectedByUser(error)) throw error
    throw new Error(wrongSigningChain(chainId!), { cause: error })
  }
}

/** Sends a transaction that the account pays for; returns its hash. */
export async function sendTransaction(
  { wallet: { provider }, address }: Connection,
  { chainId, to, data }: Transaction,
): Promise<string> {
  if (!(await switchChain(provider, chainId))) throw new Error(wrongChain(chainId))
  const params = [{ from: address, to, data }]
  return String(await provider.request({ method: 'eth_sendTransaction', params }))
}

/** No chain has to know about a signature: accounts may be kept by the server itself, by an id of its own. */
const wrongSigningChain = (chainId: number) =>
  chainId < LEAST_OWN_CHAIN_ID
    ? t(
        'Your wallet is on another chain. Choose {chainName} in your wallet, then try again. Signing costs nothing.',
        { chainName: chainName(chainId) },
      )
    : t(
        'Your wallet signs only for chains that it knows, and signatures here are for this network ({chainId}). Try another wallet, or join without one.',
        { chainId: String(chainId) },
      )

const wrongChain = (chainId: number) =>
  t('Your wallet does not know {chainName} ({chainId}). Add it there, then try again.', {
    chainName: chainName(chainId),
    chainId,
  })

/** Lifetime of a token; it is used at once. */
const TOKEN_SECONDS = 120

/** A token of the account that holds a fid: a JSON Farcaster Signature. */
export async function makeCustodyToken(
  { wallet: { provider }, address }: Connection,
  { fid, now, audience }: { fid: number; now: number; audience: string | undefined },
): Promise<string> {
  const header = base64url(utf8Of(JSON.stringify({ fid, type: 'custody', key: address })))
  const payload = { exp: now + TOKEN_SECONDS, ...(audience && { aud: audience }) }
  const signed = `${header}.${base64url(utf8Of(JSON.stringify(payload)))}`
  const params = [hexOf(utf8Of(signed)), address]
  const signature = String(await provider.request({ method: 'personal_sign', params }))
  return `${signed}.${base64url(bytesOf(signature))}`
}
