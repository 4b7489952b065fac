import { Buffer } from 'node:buffer'
import { hashMessage } from 'viem/utils'
import type { Accounts } from '../accounts/port.ts'
import type { VerifySignature } from '../accounts/signatures/signature.ts'
import { equalBytes, fromBase64, fromHex, fromUtf8 } from '../protocol/codec/bytes.ts'
import { SIGNATURE_BYTES, verifyEd25519 } from '../protocol/crypto/ed25519.ts'
import { Rejection } from '../protocol/rejection.ts'
import { MAX_FID } from '../protocol/sizes.ts'

// A JSON Farcaster Signature: header, payload and signature in base64url, joined by dots. The caller signs it
// with a key of the fid, so that no sessions are stored.

/** The caller named by a token and proven by its signature. */
export type Actor = {
  readonly fid: number
  /** An app's Ed25519 key, or the custody address itself. */
  readonly by: 'app_key' | 'custody'
  /** 32 bytes of the app's key, or 20 of the address. */
  readonly key: Uint8Array
}

export type TokenTerms = {
  readonly accounts: Pick<Accounts, 'isActiveKey' | 'custodyOf'>
  /** Whether the fid has a gasless key that may sign everything. */
  readonly isFullGaslessKey: (fid: number, key: Uint8Array) => Promise<boolean>
  readonly verify: VerifySignature
  /** Unix seconds. */
  readonly now: number
  /** How far ahead a token may expire. */
  readonly maxLifetimeSeconds: number
  /** Addresses of this server. A token with an audience must name one of them, in any letter case. */
  readonly audiences: readonly string[]
  /** Whether a token without an audience is refused. */
  readonly needsAudience?: boolean
  /** Who may sign; only app keys by default. */
  readonly accept?: readonly Actor['by'][]
}

/** An expired token is still accepted for this time, because clocks differ. */
const CLOCK_SKEW_SECONDS = 30
/** Three short parts; a contract wallet's signature is the longest of them. */
const MAX_TOKEN_CHARACTERS = 8_192
const BEARER = /^bearer +(\S+) *$/i

/** The caller of an Authorization header. Every fault is `unauthenticated`, with its reason. */
export async function checkToken(header: string | undefined, terms: TokenTerms): Promise<Actor> {
  const token = BEARER.exec(header ?? '')?.[1]
  if (token === undefined) {
    throw refused('an Authorization header with a bearer token is required')
  }
  const { signed, header: head, payload, signature } = takeApart(token)
  const actor = readActor(head, terms.accept ?? ['app_key'])
  checkPayload(payload, terms)
  // Before the signature, for which a contract wallet is asked on its chain: anybody can name one.
  if (actor.by === 'custody' && !(await mayActNow(actor, terms))) {
    throw refused(`the address does not hold FID ${actor.fid}`)
  }
  if (!(await isSignedBy(actor, signed, signature, terms.verify))) {
    throw refused('the signature does not match')
  }
  if (actor.by === 'app_key' && !(await mayActNow(actor, terms))) {
    throw refused(`the key is not an active key of FID ${actor.fid}`)
  }
  return actor
}

function takeApart(token: string) {
  if (token.length > MAX_TOKEN_CHARACTERS) throw refused('the token is too long')
  const parts = token.split('.')
  const [head = '', body = '', end = ''] = parts
  if (parts.length !== 3 || parts.includes('')) throw refused('it must have three parts')
  const signature = decode(end, 'signature')
  return {
    signed: Buffer.from(`${head}.${body}`),
    header: readObject(head, 'header'),
    payload: readObject(body, 'payload'),
    signature,
  }
}

function decode(part: string, name: string): Uint8Array {
  const bytes = /[ +/]/.test(part) ? undefined : fromBase64(part)
  if (!bytes) throw refused(`the ${name} is not base64url`)
  return bytes
}

function readObject(part: string, name: string): Record<string, unknown> {
  const text = fromUtf8(decode(part, name))
  try {
    const value: unknown = JSON.parse(text ?? '')
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>
    }
  } catch {}
  throw refused(`the ${name} is not a JSON object`)
}

function readActor(header: Record<string, unknown>, accept: readonly Actor['by'][]): Actor {
  const by = accept.find((type) => type === header.type)
  if (!by) throw refused(`the header's type must be ${accept.join(' or ')}`)
  const { fid, key } = header
  if (!Number.isInteger(fid) || (fid as number) < 1 || (fid as number) > MAX_FID) {
    throw refused("the header's fid must be a positive integer")
  }
  const size = by === 'app_key' ? 32 : 20
  const bytes = typeof key === 'string' ? fromHex(key) : undefined
  if (bytes?.length !== size) throw refused(`the header's key must be ${size} bytes in hex`)
  return { fid: fid as number, by, key: bytes }
}

function checkPayload(payload: Record<string, unknown>, terms: TokenTerms): void {
  const { exp, aud, event } = payload
  // Users sign events for mini apps with the same key: neither may stand for the other.
  if (event !== undefined) throw refused('the payload is an event for a mini app')
  if (!Number.isInteger(exp)) throw refused('the payload needs exp, in Unix seconds')
  const left = (exp as number) - terms.now
  if (left <= -CLOCK_SKEW_SECONDS) throw refused('the token has expired')
  if (left > terms.maxLifetimeSeconds + CLOCK_SKEW_SECONDS) {
    throw refused(`exp must be at most ${terms.maxLifetimeSeconds} s ahead`)
  }
  if (aud === undefined && !terms.needsAudience) return
  if (aud === undefined) throw refused('the payload needs aud, the address of this server')
  if (typeof aud === 'string' && terms.audiences.some((one) => sameOrigin(aud, one))) return
  throw refused('the token is for another server')
}

const sameOrigin = (a: string, b: string) => originOf(a) === originOf(b)
/** All names of the loopback address name this machine: browsers are often given `localhost`. */
function originOf(url: string): string {
  if (!URL.canParse(url)) return url.toLowerCase()
  const { protocol, hostname, port } = new URL(url)
  const host = ['localhost', '[::1]'].includes(hostname) ? '127.0.0.1' : hostname
  return `${protocol}//${host}:${port}`
}

async function isSignedBy(
  { by, key }: Actor,
  signed: Uint8Array,
  signature: Uint8Array,
  verify: VerifySignature,
): Promise<boolean> {
  if (by === 'app_key') {
    return signature.length === SIGNATURE_BYTES && verifyEd25519(signature, signed, key)
  }
  return verify(key, fromHex(hashMessage({ raw: signed }))!, signature)
}

async function mayActNow({ fid, by, key }: Actor, { accounts, isFullGaslessKey }: TokenTerms) {
  if (by === 'app_key') {
    return (await accounts.isActiveKey(fid, key)) || isFullGaslessKey(fid, key)
  }
  const account = await accounts.custodyOf(fid)
  return account !== undefined && equalBytes(account.address, key)
}

const refused = (message: string) =>
  new Rejection('unauthenticated', `invalid token: ${message}`, { reason: 'invalid_auth_token' })
