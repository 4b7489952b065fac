import { base64url, hexOf, utf8Of } from '../../shared/bytes.ts'
import { fetchJson } from '../../shared/request.ts'
import type { BrowserKey } from './key-store.ts'
import { networkNow } from './network.ts'

// What is no message of the network: calls of the client platform, which the key of the browser signs with a token.

/** Lifetime of a token; it is used at once. */
const TOKEN_SECONDS = 60

/** A token that a key signs. It names this server, so that no other can use it. */
export async function tokenOf(key: BrowserKey): Promise<string> {
  const header = { fid: key.fid, type: 'app_key', key: hexOf(key.publicKey) }
  const payload = { exp: (await networkNow()) + TOKEN_SECONDS, aud: location.origin }
  const signed = [header, payload].map((part) => base64url(utf8Of(JSON.stringify(part)))).join('.')
  return `${signed}.${base64url(await key.sign(utf8Of(signed)))}`
}

/** Follows a channel or stops following it. */
export async function followChannel(key: BrowserKey, id: string, isOn: boolean): Promise<void> {
  await fetchJson('/platform/fc/channel-follows', {
    method: isOn ? 'POST' : 'DELETE',
    body: { channelId: id },
    token: await tokenOf(key),
  })
}

/** Says that the notifications up to now were seen. */
export async function markSeen(key: BrowserKey): Promise<void> {
  await fetchJson('/app/v2/farcaster/notifications/seen', {
    method: 'POST',
    headers: { 'x-api-key': 'web' },
    body: {},
    token: await tokenOf(key),
  })
}

/** Blocks an account on this server, or ends such a block, without a message of the network. */
export async function blockHere(key: BrowserKey, fid: number, isOn: boolean): Promise<void> {
  await fetchJson('/platform/fc/blocked-users', {
    method: isOn ? 'POST' : 'DELETE',
    body: isOn ? { blockFid: fid } : { unblockFid: fid },
    token: await tokenOf(key),
  })
}
