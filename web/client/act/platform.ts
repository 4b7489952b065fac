import { fetchJson } from '../../shared/request.ts'
import { signJfs } from './jfs.ts'
import type { BrowserKey } from './key-store.ts'
import { networkNow } from './network.ts'

// What is no message of the network: calls of the client platform, which the key of the browser signs with a token.

/** Lifetime of a token; it is used at once. */
const TOKEN_SECONDS = 60

/** A token that a key signs. It names this server, so that no other can use it. */
export async function tokenOf(key: BrowserKey): Promise<string> {
  const claims = { exp: (await networkNow()) + TOKEN_SECONDS, aud: location.origin }
  const { header, payload, signature } = await signJfs(key, JSON.stringify(claims))
  return `${header}.${payload}.${signature}`
}

/** A call of the client platform in the name of the account. */
export const callPlatform = async (
  key: BrowserKey,
  path: string,
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  body: object,
): Promise<unknown> => fetchJson(`/platform${path}`, { method, body, token: await tokenOf(key) })

/** Follows a channel or stops following it. */
export async function followChannel(key: BrowserKey, id: string, isOn: boolean): Promise<void> {
  await callPlatform(key, '/fc/channel-follows', isOn ? 'POST' : 'DELETE', { channelId: id })
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
  const body = isOn ? { blockFid: fid } : { unblockFid: fid }
  await callPlatform(key, '/fc/blocked-users', isOn ? 'POST' : 'DELETE', body)
}
