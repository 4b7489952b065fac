import { type OutgoingRules, requestOutgoing } from '../http/outgoing.ts'

/** A receiver has this long to answer. */
const TIMEOUT_MS = 10_000
/** The field that refusals of a target name. */
export const TARGET_FIELD = 'url'

export type Sending = {
  readonly url: URL
  /** JSON. */
  readonly body: string
  /** Besides those of the content. */
  readonly headers?: Readonly<Record<string, string>>
  /** The same for every attempt at one delivery. */
  readonly deliveryId: string
}

/** `status` is undefined when there was no answer. */
export type SendResult =
  | { readonly outcome: 'delivered' | 'gone' | 'refused'; readonly status: number }
  | { readonly outcome: 'failed'; readonly reason: string }

/** Posts a body. Redirects are not followed. Rejects only when it is stopped. */
export async function sendDelivery(
  { url, body, headers, deliveryId }: Sending,
  rules: Omit<OutgoingRules, 'field'>,
  { stop, timeoutMs = TIMEOUT_MS }: { stop: AbortSignal; timeoutMs?: number },
): Promise<SendResult> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const sent = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'x-rookery-delivery': deliveryId,
    ...headers,
  }
  try {
    const signal = AbortSignal.any([stop, timeout])
    const response = await requestOutgoing(
      url,
      { ...rules, field: TARGET_FIELD },
      { method: 'POST', headers: sent, body, signal },
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
