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
  const header = { fid, type: 'app_key', key: toHex(publicKeyOf(seed)) }
  const signed = `${part(header)}.${part({ exp: expiresAt, ...(audience && { aud: audience }) })}`
  return `${signed}.${Buffer.from(signEd25519(Buffer.from(signed), seed)).toString('base64url')}`
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
