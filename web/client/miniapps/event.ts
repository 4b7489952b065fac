import { signEncoded } from '../act/jfs.ts'
import type { BrowserKey } from '../act/key-store.ts'
import { type EventOutcome, getTerms, platform } from './calls.ts'
import { checkPayload, type EventName } from './payload.ts'

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
  const { header, signature } = await signEncoded(key, payload)
  return platform(path, { method: 'PUT', body: { id, header, signature } }, key)
}
