import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

// Nonces of Quick Auth. A nonce carries its end and a seal, so handing one out writes nothing: only nonces that a user
// has signed are stored, until they end.

const NONCE_MS = 5 * 60_000
const RANDOM_BYTES = 16
const END_DIGITS = 12
const SEAL_BYTES = 16
const NONCE = new RegExp(
  `^(?<sealed>[0-9a-f]{${2 * RANDOM_BYTES}}(?<end>[0-9a-f]{${END_DIGITS}}))(?<seal>[0-9a-f]{${2 * SEAL_BYTES}})$`,
)

/** A nonce that ends in five minutes unless said otherwise; `now` in Unix ms. */
export function makeNonce(secret: string, now: number, lifetimeMs = NONCE_MS): string {
  const end = (now + lifetimeMs).toString(16).padStart(END_DIGITS, '0')
  const sealed = randomBytes(RANDOM_BYTES).toString('hex') + end
  return sealed + sealOf(secret, sealed).toString('hex')
}

/** When a nonce of this network ends, in Unix ms; undefined for one that has ended, or is not from here. */
export function endOfNonce(
  secret: string,
  nonce: string,
  now: number,
  lifetimeMs = NONCE_MS,
): number | undefined {
  const { sealed, end, seal } = NONCE.exec(nonce)?.groups ?? {}
  if (!sealed || !end || !seal) return undefined
  if (!timingSafeEqual(sealOf(secret, sealed), Buffer.from(seal, 'hex'))) return undefined
  const endsAt = Number.parseInt(end, 16)
  // One that ends later was made before the clock was put back.
  return now < endsAt && endsAt <= now + lifetimeMs ? endsAt : undefined
}

const sealOf = (secret: string, sealed: string): Buffer =>
  createHmac('sha256', secret).update(`quick auth nonce ${sealed}`).digest().subarray(0, SEAL_BYTES)
