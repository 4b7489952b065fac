import { InvalidArgumentError } from 'commander'
import type { CastId } from '../protocol/build.ts'
import { fromHex } from '../protocol/bytes.ts'

// Parsers of arguments and options. An InvalidArgumentError ends the command with the exit code of wrong usage.

/** Help of --fid. */
export const ACT_AS =
  'act as this account (default: your newest, otherwise fid 1 of a development network)'

const MAX_FID = 2 ** 32 - 1
const HASH_BYTES = 20
const ADDRESS_BYTES = 20
const CHANNEL_ID = /^[0-9a-z][0-9a-z-]{0,15}$/

export function fidArgument(text: string): number {
  const fid = Number(text)
  if (/^\d+$/.test(text) && fid >= 1 && fid <= MAX_FID) return fid
  throw new InvalidArgumentError('A fid is a whole number from 1 to 4294967295.')
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

/** Parses a signed key request: its token, or any link that contains the token. */
export function keyRequestArgument(text: string): string {
  const token = URL.canParse(text) ? new URL(text).searchParams.get('token') : text
  if (token !== null && /^0x[0-9a-f]{48}$/i.test(token)) return token.toLowerCase()
  throw new InvalidArgumentError(
    'A request is a token (0x and 48 hex digits) or a link that contains one.',
  )
}

/** Parses the target of a reply, reaction or embed: a cast as fid/hash, or a URL. */
export function targetArgument(text: string): CastId | { url: string } {
  const [, fid, hash] = /^(\d+)\/(0x[0-9a-fA-F]+)$/.exec(text) ?? []
  const bytes = fromHex(hash ?? '')
  if (fid !== undefined && bytes?.length === HASH_BYTES)
    return { fid: fidArgument(fid), hash: bytes }
  if (URL.canParse(text)) return { url: text }
  throw new InvalidArgumentError('A target is a cast as <fid>/<0x hash>, or a URL.')
}

export function channelIdArgument(text: string): string {
  if (CHANNEL_ID.test(text)) return text
  throw new InvalidArgumentError('A channel id is 1 to 16 characters of a-z, 0-9 and -.')
}

/** Parses each value of an option that may be repeated. */
export const listOf =
  <T>(read: (text: string) => T) =>
  (text: string, previous: T[] = []): T[] => [...previous, read(text)]
