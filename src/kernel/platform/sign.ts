import { toHex } from '../protocol/codec/bytes.ts'
import { publicKeyOf, signEd25519 } from '../protocol/crypto/ed25519.ts'

export type TokenTerms = {
  /** Unix seconds. */
  readonly expiresAt: number
  /** The one server that may accept it; any when omitted. */
  readonly audience?: string
}

/** A token with which an app acts for its user, signed with the private half of one of the fid's keys. */
export function signToken(
  { fid, seed }: { fid: number; seed: Uint8Array },
  { expiresAt, audience }: TokenTerms,
): string {
  const payload = { exp: expiresAt, ...(audience && { aud: audience }) }
  const { header, payload: signed, signature } = signJfs({ fid, seed }, payload)
  return `${header}.${signed}.${signature}`
}

/** A JSON Farcaster Signature (JFS) by an app key: its three parts in base64url. */
export function signJfs(
  { fid, seed }: { fid: number; seed: Uint8Array },
  value: object,
): { header: string; payload: string; signature: string } {
  const header = part({ fid, type: 'app_key', key: toHex(publicKeyOf(seed)) })
  const payload = part(value)
  const signature = signEd25519(Buffer.from(`${header}.${payload}`), seed)
  return { header, payload, signature: Buffer.from(signature).toString('base64url') }
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
