import { InvalidArgumentError } from 'commander'
import type { CastId } from '../kernel/protocol/build.ts'
import { fromHex, toHex } from '../kernel/protocol/codec/bytes.ts'
import { ADDRESS_BYTES, HASH_BYTES, KEY_BYTES, MAX_FID } from '../kernel/protocol/sizes.ts'
import { DAY_SECONDS } from '../kernel/protocol/time.ts'
import { CastHash, PersonName } from './commands/people.ts'

// Parsers of arguments and options. An InvalidArgumentError ends the command with the exit code of wrong usage.

/** Help of --fid. */
export const ACT_AS =
  'act as this account, a fid or a name (default: that of `account use`, otherwise fid 1 of a development network)'

/** Help of a cast. */
export const CAST_HELP = 'its hash, a link to its page, or <fid>/<0x hash>'

const NAME = /^[a-z0-9][a-z0-9-]{0,19}(\.base)?(\.eth)?$/
const CHANNEL_ID = /^[0-9a-z][0-9a-z-]{0,15}$/

/** Parses a whole number in these bounds. */
export const wholeNumber =
  (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text)
    if (/^-?\d+$/.test(text) && value >= minimum && value <= maximum) return value
    const most = maximum === Number.MAX_SAFE_INTEGER ? '' : ` to ${maximum}`
    throw new InvalidArgumentError(`It is a whole number from ${minimum}${most}.`)
  }

export const fidArgument = wholeNumber(1, MAX_FID)
/** More are as many lists to read. */
const MAX_FIDS = 10_000

/** Parses fids with commas between them, each once. */
export function fidListArgument(text: string): number[] {
  const fids = [...new Set(text.split(',').map((fid) => fidArgument(fid.trim())))]
  if (fids.length <= MAX_FIDS) return fids
  throw new InvalidArgumentError(`It has at most ${MAX_FIDS} fids.`)
}
export const eventIdArgument = wholeNumber(0)

/** Parses an event id, or a moment such as 2026-01-31T12:00:00Z: a Date. */
export function sinceArgument(text: string): number | Date {
  if (/^\d+$/.test(text)) return eventIdArgument(text)
  const moment = momentOf(text)
  if (moment) return moment
  throw new InvalidArgumentError(
    'It is the id of an event, or a time with its zone such as 2026-01-31T12:00:00Z.',
  )
}

/** A time without a zone means a different moment on each machine. */
function momentOf(text: string): Date | undefined {
  const moment = new Date(text)
  const hasZone = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text)
  return hasZone && !Number.isNaN(moment.getTime()) ? moment : undefined
}

/** Parses a moment of the past. */
export function momentArgument(text: string): Date {
  const moment = momentOf(text)
  if (moment && moment.getTime() <= Date.now()) return moment
  throw new InvalidArgumentError('It is a past time with its zone, such as 2026-01-31T12:00:00Z.')
}

/**
 * Parses an account: a fid, or a name with or without `@`. A name is looked up before the command runs, which
 * therefore receives a fid.
 */
export function personArgument(text: string): number | PersonName {
  if (/^\d+$/.test(text)) return fidArgument(text)
  const name = text.replace(/^@/, '')
  if (NAME.test(name)) return new PersonName(name)
  throw new InvalidArgumentError('An account is a fid (a whole number) or a name such as alice.')
}

export function addressArgument(text: string): Uint8Array {
  const address = fromHex(text)
  if (address?.length === ADDRESS_BYTES) return address
  throw new InvalidArgumentError('An address is 0x and 40 hex digits.')
}

/** An Ed25519 public key, in lower case. */
export function publicKeyArgument(text: string): string {
  if (fromHex(text)?.length === KEY_BYTES) return text.toLowerCase()
  throw new InvalidArgumentError('A key is 0x and 64 hex digits.')
}

/** Parses a signed key request: its token, or any link that contains the token. */
export function keyRequestArgument(text: string): string {
  const token = URL.canParse(text) ? new URL(text).searchParams.get('token') : text
  if (token !== null && /^0x[0-9a-f]{48}$/i.test(token)) return token.toLowerCase()
  throw new InvalidArgumentError(
    'A request is a token (0x and 48 hex digits) or a link that contains one.',
  )
}

/** Parses a cast of the acting account, or one that is named by its hash alone. */
export function ownCastArgument(text: string): Partial<CastId> & { hash: Uint8Array } {
  const cast = parseCast(text) ?? readHash(text)
  if (cast) return cast
  throw new InvalidArgumentError(`A cast is ${CAST_FORMS}.`)
}

/** The hash of a cast that is named in any form, in lower case. */
export const castHashArgument = (text: string): string => toHex(ownCastArgument(text).hash)

/**
 * Parses the target of a reply, reaction or embed: a cast, or a URL. The author of a hash or link is looked up before the
 * command runs.
 */
export function targetArgument(text: string): CastId | { url: string } {
  const cast = parseCast(text)
  if (cast) return cast
  const known = readHash(text)
  if (known) return new CastHash(known.hash, URL.canParse(text) ? text : undefined) as never
  if (URL.canParse(text)) return { url: text }
  throw new InvalidArgumentError(`A target is a cast (${CAST_FORMS}), or a URL.`)
}

const CAST_FORMS = '<fid>/<0x hash>, <name>/<0x hash>, <0x hash> or a link to its page'

/** The hash in `<0x hash>`, or in a link to a page of the web client. */
function readHash(text: string): { hash: Uint8Array } | undefined {
  const [, linked] =
    (URL.canParse(text) && /^\/cast\/(0x[0-9a-f]+)\/?$/i.exec(new URL(text).pathname)) || []
  const hash = fromHex((linked ?? text).toLowerCase())
  return hash?.length === HASH_BYTES ? { hash } : undefined
}

function parseCast(text: string): CastId | undefined {
  const [, author, hash = ''] = /^([^/]+)\/(0x[0-9a-fA-F]+)$/.exec(text) ?? []
  const bytes = fromHex(hash)
  if (author === undefined || bytes?.length !== HASH_BYTES) return undefined
  // A name is replaced by its fid before the command runs.
  return { fid: personArgument(author) as number, hash: bytes }
}

export function channelIdArgument(text: string): string {
  if (CHANNEL_ID.test(text)) return text
  throw new InvalidArgumentError('A channel id is 1 to 16 characters of a-z, 0-9 and -.')
}

const SECONDS_IN: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3_600,
  d: DAY_SECONDS,
  w: 7 * DAY_SECONDS,
}

/** Parses a length of time: seconds. */
export function durationArgument(text: string): number {
  const [, count, unit] = /^\+?(\d{1,9})([smhdw])$/.exec(text) ?? []
  if (unit !== undefined && Number(count) > 0) return Number(count) * SECONDS_IN[unit]!
  throw new InvalidArgumentError('It is a number with s, m, h, d or w, such as 28d.')
}

/** Parses each value of an option that may be repeated. */
export const listOf =
  <T>(read: (text: string) => T) =>
  (text: string, previous: T[] = []): T[] => [...previous, read(text)]
