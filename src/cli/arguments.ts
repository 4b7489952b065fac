import { InvalidArgumentError } from 'commander'
import type { CastId } from '../protocol/build.ts'
import { fromHex } from '../protocol/bytes.ts'

// How arguments and options are read; what is thrown here ends the command as wrong usage.

const MAX_FID = 2 ** 32 - 1
const HASH_BYTES = 20
const ADDRESS_BYTES = 20

export function fidArgument(text: string): number {
  const fid = Number(text)
  if (/^\d+$/.test(text) && fid >= 1 && fid <= MAX_FID) return fid
  throw new InvalidArgumentError('A fid is a whole number from 1.')
}

export function eventIdArgument(text: string): number {
  const id = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(id)) return id
  throw new InvalidArgumentError('An event id is a whole number.')
}

export function addressArgument(text: string): Uint8Array {
  const address = fromHex(text)
  if (address?.length === ADDRESS_BYTES) return address
  throw new InvalidArgumentError('An address is 0x and 40 hex digits.')
}

/** A signed key request: its token, or any link to it. */
export function keyRequestArgument(text: string): string {
  const token = URL.canParse(text) ? new URL(text).searchParams.get('token') : text
  if (token !== null && /^0x[0-9a-f]{48}$/i.test(token)) return token.toLowerCase()
  throw new InvalidArgumentError('A request is its token, 0x and 48 hex digits, or a link with it.')
}

/** What a reply, reaction or embed points at: a cast as fid/hash, or a URL. */
export function targetArgument(text: string): CastId | { url: string } {
  const [, fid, hash] = /^(\d+)\/(0x[0-9a-fA-F]+)$/.exec(text) ?? []
  const bytes = fromHex(hash ?? '')
  if (fid !== undefined && bytes?.length === HASH_BYTES)
    return { fid: fidArgument(fid), hash: bytes }
  if (URL.canParse(text)) return { url: text }
  throw new InvalidArgumentError('A target is a cast as <fid>/<0x hash>, or a URL.')
}

export const listOf =
  <T>(read: (text: string) => T) =>
  (text: string, previous: T[] = []): T[] => [...previous, read(text)]
