import {
  type AsymmetricKeyDetails,
  createPublicKey,
  hash,
  type KeyObject,
  verify,
} from 'node:crypto'

// What a browser answers when a passkey signs in (WebAuthn level 3, 7.2), as far as it matters here: the passkey that was
// named has signed this challenge now, for this site, with its user present and verified.

export type Assertion = {
  readonly clientData: Uint8Array
  readonly authenticatorData: Uint8Array
  readonly signature: Uint8Array
}

const RP_HASH_BYTES = 32
const MIN_AUTHENTICATOR_BYTES = 37
const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const MAX_RSA_BITS = 4_096
const MAX_RSA_EXPONENT = 65_537n
const LOOPBACK = /^(?:localhost|.*\.localhost)$/

/** A public key that passkeys sign with: P-256, RSA or Ed25519. Undefined for anything else. */
export function readPublicKey(spki: Uint8Array): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
    if (type === 'ec') return details?.namedCurve === 'prime256v1' ? key : undefined
    if (type === 'rsa') return isUsualRsa(details) ? key : undefined
    return type === 'ed25519' ? key : undefined
  } catch {
    return undefined
  }
}

/** RSA keys with a larger exponent take up to a hundred times as long to verify. Passkeys use 65,537. */
const isUsualRsa = ({ modulusLength, publicExponent }: AsymmetricKeyDetails = {}): boolean =>
  (modulusLength ?? Infinity) <= MAX_RSA_BITS && (publicExponent ?? 0n) <= MAX_RSA_EXPONENT

/** The challenge that a browser says it was given; undefined when there is none. */
export function challengeOf(clientData: Uint8Array): string | undefined {
  const challenge = readClientData(clientData)?.challenge
  return typeof challenge === 'string'
    ? Buffer.from(challenge, 'base64url').toString('utf8')
    : undefined
}

/** Whether the passkey of this public key has signed for this site. The challenge is compared by the caller. */
export function isSignedBy(
  spki: Uint8Array,
  site: string,
  { clientData, authenticatorData, signature }: Assertion,
): boolean {
  const told = readClientData(clientData)
  if (told?.type !== 'webauthn.get' || told.crossOrigin === true) return false
  if (!isOriginOf(site, told.origin)) return false
  if (authenticatorData.length < MIN_AUTHENTICATOR_BYTES) return false
  const rpHash = hash('sha256', site, 'buffer')
  if (!rpHash.equals(authenticatorData.subarray(0, RP_HASH_BYTES))) return false
  const flags = authenticatorData[RP_HASH_BYTES]!
  if ((flags & USER_PRESENT) === 0 || (flags & USER_VERIFIED) === 0) return false
  const key = readPublicKey(spki)
  if (!key) return false
  const signed = Buffer.concat([authenticatorData, hash('sha256', clientData, 'buffer')])
  try {
    return verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', signed, key, signature)
  } catch {
    return false
  }
}

type ClientData = { type?: unknown; challenge?: unknown; origin?: unknown; crossOrigin?: unknown }

function readClientData(bytes: Uint8Array): ClientData | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Browsers let a page use the passkeys of its host and of the domains above it. */
function isOriginOf(site: string, origin: unknown): boolean {
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false
  const { protocol, hostname } = new URL(origin)
  if (hostname !== site && !hostname.endsWith(`.${site}`)) return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
}
