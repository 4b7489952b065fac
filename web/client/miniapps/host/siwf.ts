import type { Address } from 'viem'
import { createSiweMessage } from 'viem/siwe'
import { getAddress } from 'viem/utils'
import { t } from '../../../shared/messages.ts'
import type { SignInOptions } from './prompts.ts'

// The message of Sign In With Farcaster, a message of EIP-4361 whose statement, chain and resource are fixed (FIP-11).

const STATEMENT = t('Farcaster Auth')
/** OP mainnet on every network: published verifiers accept no other. */
const CHAIN_ID = 10

type Signer = { readonly address: string; readonly fid: number; readonly now: number }

/** The domain is that of the frame. Of the app come the nonce and the times. */
export function signInMessage(
  url: string,
  { nonce, notBefore, expirationTime }: SignInOptions,
  { address, fid, now }: Signer,
): string {
  const { host, origin } = new URL(url)
  return createSiweMessage({
    domain: host,
    uri: `${origin}/`,
    address: getAddress(address as Address),
    statement: STATEMENT,
    version: '1',
    chainId: CHAIN_ID,
    nonce,
    issuedAt: new Date(now),
    ...(notBefore !== undefined && { notBefore: new Date(notBefore) }),
    ...(expirationTime !== undefined && { expirationTime: new Date(expirationTime) }),
    resources: [`farcaster://fid/${fid}`],
  })
}
