import { type OutgoingRules, requestOutgoing } from '../../kernel/http/outgoing.ts'
import type { PushDevice, PushKey, WaitingPush } from './tables/pushes.ts'

/** A push service has this long to answer. */
const TIMEOUT_MS = 10_000
/** Of the endpoint, as refusals name it. */
export const ENDPOINT_FIELD = 'endpoint'

/**
 * `gone`: the push service does not know the device any more. `refused`: it will never take this push. `failed`: it may take it
 * later, after `retryAfterMs` if it says so.
 */
export type PushResult =
  | { readonly outcome: 'sent' | 'gone' | 'refused' }
  | { readonly outcome: 'failed'; readonly retryAfterMs?: number | undefined }

export type PushTerms = {
  readonly key: PushKey
  /** How push services reach who runs this server: an https or mailto URL. */
  readonly subject: string
  readonly rules: Omit<OutgoingRules, 'field'>
  /** Unix milliseconds. */
  readonly now: number
  readonly stop: AbortSignal
}

const GONE = [404, 410]
/** Too many or too late; everything else of 4xx stays as it is. */
const LATER = [408, 425, 429]

/** Encrypts a push for its device (RFC 8291) and sends it. Rejects only when it is stopped. */
export async function sendPush(
  push: Pick<WaitingPush, 'payload' | 'topic' | 'expires_at'>,
  device: Pick<PushDevice, 'endpoint' | 'public_key' | 'secret'>,
  { key, subject, rules, now, stop }: PushTerms,
): Promise<PushResult> {
  const { default: webPush } = await import('web-push')
  const { headers, body } = webPush.generateRequestDetails(
    {
      endpoint: device.endpoint,
      keys: { p256dh: base64url(device.public_key), auth: base64url(device.secret) },
    },
    push.payload,
    {
      vapidDetails: {
        subject,
        publicKey: base64url(key.public_key),
        privateKey: base64url(key.private_key),
      },
      TTL: Math.max(0, Math.ceil((push.expires_at - now) / 1_000)),
      topic: push.topic,
    },
  )
  const signal = AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)])
  try {
    const response = await requestOutgoing(
      new URL(device.endpoint),
      { ...rules, field: ENDPOINT_FIELD },
      { method: 'POST', headers: textsOf(headers), body: body as Uint8Array, signal },
    )
    response.destroy()
    return resultOf(response.statusCode ?? 0, response.headers['retry-after'])
  } catch {
    stop.throwIfAborted()
    return { outcome: 'failed' }
  }
}

function resultOf(status: number, retryAfter: string | undefined): PushResult {
  if (status >= 200 && status < 300) return { outcome: 'sent' }
  if (GONE.includes(status)) return { outcome: 'gone' }
  if (status >= 400 && status < 500 && !LATER.includes(status)) return { outcome: 'refused' }
  const seconds = Number(retryAfter)
  return { outcome: 'failed', retryAfterMs: seconds > 0 ? seconds * 1_000 : undefined }
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

const textsOf = (headers: object): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
