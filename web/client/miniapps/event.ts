import { base64url, hexOf, utf8Of } from '../../shared/bytes.ts'
import type { BrowserKey } from '../act/key-store.ts'
import { type EventName, type EventOutcome, getTerms, platform } from './calls.ts'

// Adding an app, removing it, and switching its notifications. The server writes an event, the key of this browser signs it,
// and the server passes it to the app, which can verify that the user has done so.

type Unsigned = { readonly id: string; readonly payload: string }

export async function makeEvent(
  key: BrowserKey,
  domain: string,
  event: EventName,
  notifications?: boolean,
): Promise<EventOutcome> {
  const path = '/fc/mini-app-events'
  const wanted = { domain, event, ...(notifications !== undefined && { notifications }) }
  const { id, payload } = await platform<Unsigned>(path, { method: 'POST', body: wanted }, key)
  const { notificationsUrl } = await getTerms()
  checkPayload(payload, event, [location.origin, new URL(notificationsUrl).origin])
  const header = base64url(
    utf8Of(JSON.stringify({ fid: key.fid, type: 'app_key', key: hexOf(key.publicKey) })),
  )
  const signature = base64url(await key.sign(utf8Of(`${header}.${payload}`)))
  return platform(path, { method: 'PUT', body: { id, header, signature } }, key)
}

/**
 * Throws unless a payload is that of the event and nothing else. With the same key the browser signs bearer tokens, whose
 * payload has an end: a server that could have one signed here could act in the name of the account elsewhere.
 */
export function checkPayload(payload: string, event: EventName, origins: readonly string[]): void {
  const fields = readPayload(payload)
  const { event: found, notificationDetails: details, ...others } = fields
  const isOther = found !== event || Object.keys(others).length > 0
  if (isOther || !isDetails(details, origins)) {
    throw new Error(
      'The server asked for a signature that is not about this app. Nothing was signed.',
    )
  }
}

function readPayload(payload: string): Record<string, unknown> {
  try {
    const bytes = Uint8Array.from(
      atob(payload.replaceAll('-', '+').replaceAll('_', '/')),
      (letter) => letter.charCodeAt(0),
    )
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return {}
  }
}

function isDetails(details: unknown, origins: readonly string[]): boolean {
  if (details === undefined) return true
  const { url, token, ...others } = (details ?? {}) as Record<string, unknown>
  return (
    typeof url === 'string' &&
    URL.canParse(url) &&
    origins.includes(new URL(url).origin) &&
    typeof token === 'string' &&
    Object.keys(others).length === 0
  )
}
