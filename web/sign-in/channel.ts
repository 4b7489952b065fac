import { hexOf, utf8Of } from '../shared/bytes.ts'
import { openable } from '../shared/links.ts'
import { t } from '../shared/messages.ts'
import { fetchJson } from '../shared/request.ts'
import type { Person } from '../types.ts'
import type { Connection } from '../wallets/provider.ts'

// What the page asks of the relay, which is one level above it.

export type Channel = {
  readonly state: 'pending' | 'completed'
  readonly url: string
  readonly signatureParams: {
    readonly domain: string
    readonly siweUri: string
    readonly redirectUrl?: string
  }
  /** Who opened the channel. */
  readonly metadata: { readonly ip: string; readonly userAgent: string; readonly origin?: string }
  readonly acceptAuthAddress: boolean
  /** Both in Unix seconds of the network. */
  readonly now: number
  readonly expiresAt: number
  readonly deeplinkUrl: string
  /** The account of the address that was asked for, and what the address signs. */
  readonly user?: Person
  readonly message?: string
}

export const getChannel = (
  token: string,
  signer: { address?: string; fid?: number | undefined } = {},
): Promise<Channel> => fetchJson('../v1/channel/request', { query: signer, token })

/** Signs in: the wallet signs the message, and the app takes the signature from the relay. */
export async function approve(
  token: string,
  { wallet: { provider }, address }: Connection,
  fid: number,
): Promise<void> {
  // Fetched again: the request may have expired, or be completed.
  const { message } = await getChannel(token, { address, fid })
  if (message === undefined) throw new Error(t('This account can no longer sign in here.'))
  const params = [hexOf(utf8Of(message)), address]
  const signature = String(await provider.request({ method: 'personal_sign', params }))
  const body = { message, signature, fid }
  await fetchJson('../v1/channel/authenticate', { method: 'POST', body, token })
}

export const decline = (token: string): Promise<unknown> =>
  fetchJson('../v1/channel/decline', { method: 'POST', token })

/** How far the server knows that the domain itself asks. */
export type Asker = 'domain' | 'server' | 'other'

export function askerOf({ signatureParams, metadata }: Channel): Asker {
  const { origin } = metadata
  if (origin === undefined) return 'server'
  const host = URL.canParse(origin) ? new URL(origin).host : origin
  return host === signatureParams.domain.toLowerCase() ? 'domain' : 'other'
}

/** Where the app wants its user back: a page of its own domain, or an installed app. */
export function wayBack({ signatureParams }: Channel): URL | undefined {
  const url = openable(signatureParams.redirectUrl)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  return isWeb && url.host !== signatureParams.domain.toLowerCase() ? undefined : url
}
