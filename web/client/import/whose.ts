import { BinaryReader } from '@bufbuild/protobuf/wire'
import { findFid, signerKeys } from '../act/account-calls.ts'
import type { Archive } from './read-archive.ts'

// Whose archive it is. Every server with a ledger of its own counts accounts from 1, so the same number may be somebody else, and the
// people whom an archive names by their numbers, too.

/** Field of a signed message. */
const SIGNER = 6
/** Messages whose signers are looked at, from either end. */
const LOOKED_AT = 200

/**
 * Whether it is of this account on this server, or on one with the same accounts: its holder is the same, and a key that signed in it is
 * a key of the account here.
 */
export async function isOfAccount(
  { account: { fid: archived, custodyAddress }, signed }: Archive,
  fid: number,
): Promise<boolean> {
  if (archived !== fid || !custodyAddress) return false
  if ((await findFid(custodyAddress)) !== fid) return false
  const keys = new Set(await signerKeys(fid))
  return [...signed.slice(0, LOOKED_AT), ...signed.slice(-LOOKED_AT)].some((line) =>
    keys.has(signerOf(line) ?? ''),
  )
}

/** In hexadecimal; undefined: it is no signed message. */
export function signerOf(line: string): string | undefined {
  try {
    const reader = new BinaryReader(Uint8Array.from(atob(line), (char) => char.charCodeAt(0)))
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag()
      if (field !== SIGNER) reader.skip(type, field)
      else
        return `0x${Array.from(reader.bytes(), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
    }
  } catch {}
  return undefined
}
