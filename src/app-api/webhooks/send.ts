import { createHmac } from 'node:crypto'
import { type OutgoingRules, requestOutgoing } from '../../http/outgoing.ts'

/** A receiver has this long to answer. */
export const WEBHOOK_TIMEOUT_MS = 10_000
/** The field that refusals of a target name. */
export const TARGET_FIELD = 'url'

export type Sending = {
  readonly url: URL
  readonly body: string
  /** In the form that its owner knows. */
  readonly secret: string
  /** The same for every attempt at one delivery. */
  readonly deliveryId: string
}

/** `status` is undefined when there was no answer. */
export type SendResult =
  | { readonly outcome: 'delivered' | 'gone' | 'refused'; readonly status: number }
  | { readonly outcome: 'failed'; readonly reason: string }

/** The lower-case hex HMAC-SHA512 of a body, as `X-Neynar-Signature` has it. */
export const signBody = (body: string, secret: string): string =>
  createHmac('sha512', secret).update(body).digest('hex')

/** Posts a payload. Rejects only when it is stopped. */
export async function sendWebhook(
  { url, body, secret, deliveryId }: Sending,
  rules: Omit<OutgoingRules, 'field'>,
  { stop, timeoutMs = WEBHOOK_TIMEOUT_MS }: { stop: AbortSignal; timeoutMs?: number },
): Promise<SendResult> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'x-neynar-signature': signBody(body, secret),
    'x-rookery-delivery': deliveryId,
  }
  try {
    const signal = AbortSignal.any([stop, timeout])
    const response = await requestOutgoing(
      url,
      { ...rules, field: TARGET_FIELD },
      { method: 'POST', headers, body, signal },
    )
    response.destroy()
    const status = response.statusCode ?? 0
    if (status >= 200 && status < 300) return { outcome: 'delivered', status }
    return { outcome: status === 410 ? 'gone' : 'refused', status }
  } catch (error) {
    stop.throwIfAborted()
    return { outcome: 'failed', reason: error instanceof Error ? error.message : String(error) }
  }
}
