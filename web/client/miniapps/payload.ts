import { t } from '../../shared/messages.ts'

// What the key of the browser signs about a mini app.

export type EventName =
  | 'miniapp_added'
  | 'miniapp_removed'
  | 'notifications_enabled'
  | 'notifications_disabled'

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
      t('The server asked for a signature that is not about this app. Nothing was signed.'),
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
