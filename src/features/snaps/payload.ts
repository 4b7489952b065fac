import { fromBase64, fromHex, fromUtf8 } from '../../kernel/protocol/codec/bytes.ts'
import { SIGNATURE_BYTES, verifyEd25519 } from '../../kernel/protocol/crypto/ed25519.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { MAX_FID } from '../../kernel/protocol/sizes.ts'

// What a user's key signs for the server of a snap: a JSON Farcaster Signature (JFS) by an app key over the payload.

/** The three parts of a JFS, each in base64url. */
export type Jfs = {
  readonly header: string
  readonly payload: string
  readonly signature: string
}

/** A signature that is that of the key. Whether the key is one of the fid is still to be asked. */
export type SignedPress = {
  readonly fid: number
  readonly key: Uint8Array
  /** What the user has entered, by name. */
  readonly inputs: Readonly<Record<string, unknown>>
}

type Terms = {
  readonly target: URL
  /** Unix seconds. */
  readonly now: number
  /** A payload of version 1 names no audience: whoever has it can send it to another server. */
  readonly mayBeVersion1: boolean
}

/** Servers refuse a time that is further off. */
const MAX_SKEW_SECONDS = 300

/** Reads what a user has signed for a target. Every fault is a Rejection that names the part. */
export function readSigned(jfs: Jfs, terms: Terms): SignedPress {
  const { fid, type, key: hex } = objectIn(jfs, 'header')
  const key = typeof hex === 'string' ? fromHex(hex) : undefined
  if (!isFid(fid) || type !== 'app_key' || key?.length !== 32) {
    throw invalid('header', 'must be {"fid":…,"type":"app_key","key":"0x…"} in base64url')
  }
  const signature = fromBase64(jfs.signature)
  const text = Buffer.from(`${jfs.header}.${jfs.payload}`)
  if (signature?.length !== SIGNATURE_BYTES || !verifyEd25519(signature, text, key)) {
    throw invalid('signature', 'is not that of the key over header.payload')
  }
  const payload = objectIn(jfs, 'payload')
  checkPayload(payload, fid, terms)
  return { fid, key, inputs: isObject(payload.inputs) ? payload.inputs : {} }
}

/** What the server of the snap refuses is refused here first. A payload of version 1 has neither audience nor user. */
function checkPayload(
  payload: Readonly<Record<string, unknown>>,
  fid: number,
  { target, now, mayBeVersion1 }: Terms,
): void {
  const { timestamp, audience, user } = payload
  const { fid: named = payload.fid } = (user ?? {}) as { fid?: unknown }
  if (named !== fid) throw invalid('payload', `must name fid ${fid}, as the header does`)
  if (!Number.isInteger(timestamp) || Math.abs((timestamp as number) - now) > MAX_SKEW_SECONDS) {
    throw invalid('payload', 'must have a timestamp of this moment, in Unix seconds')
  }
  const isVersion1 = mayBeVersion1 && audience === undefined && 'button_index' in payload
  if (audience !== target.origin && !isVersion1) {
    throw invalid('payload', `must have the audience ${target.origin}`)
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isFid = (fid: unknown): fid is number =>
  Number.isInteger(fid) && (fid as number) > 0 && (fid as number) <= MAX_FID

function objectIn(jfs: Jfs, part: 'header' | 'payload'): Readonly<Record<string, unknown>> {
  const bytes = fromBase64(jfs[part])
  try {
    const value: unknown = JSON.parse((bytes && fromUtf8(bytes)) ?? '')
    if (isObject(value)) return value
  } catch {}
  throw invalid(part, 'must be a JSON object in base64url')
}

const invalid = (field: string, what: string) =>
  new Rejection('bad_request.validation_failure', `${field} ${what}`, { field })
