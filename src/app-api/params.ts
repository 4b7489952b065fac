import { base58 } from '@scure/base'
import { missingFault } from '../http/faults.ts'
import { fidParam, type JsonSchema, ofPage, optional, type Param } from '../http/input/params.ts'
import { fromHex, toHex } from '../protocol/codec/bytes.ts'
import { Rejection } from '../protocol/rejection.ts'
import { STORED_CHANNEL_ID } from '../storage/tables/channels.ts'

// Parameters that only the app API has. Lists come separated by commas or as a repeated parameter.

const HASH_BYTES = 20
const ADDRESS_BYTES = 20
const SOLANA_BYTES = 32

export const invalid = (field: string, message: string): Rejection =>
  new Rejection('bad_request.invalid_param', `${field} ${message}`, { field })

/** The refusal of a request that lacks a parameter; `text` names the choice when one of several is needed. */
export const missing = (field: string, text = field): Rejection =>
  new Rejection('bad_request.validation_failure', `${text} is missing`, {
    field,
    fault: missingFault(field),
  })

/** The hash of a cast in hex of any case, with or without 0x. */
export const hashParam: Param<Uint8Array> = {
  schema: { type: 'string', pattern: '^(?:0[xX])?[0-9a-fA-F]{40}$' },
  description: 'The hash of a cast: 0x and 40 hex digits.',
  parse: readHash,
}

export function readHash(text: string, field: string): Uint8Array {
  const bytes = fromHex(text)
  if (bytes?.length !== HASH_BYTES) throw invalid(field, 'must be 0x and 40 hex digits')
  return bytes
}

/** A list of 1 to `max` values. Empty ones are refused. */
export const listParam = <T>(
  item: Param<T>,
  { max, split = splitAtCommas }: { max: number; split?: (text: string) => string[] },
): Param<T[]> => ({
  schema: listSchema(item.schema),
  description: `${item.description ?? 'Values'} 1 to ${max} of them, separated by commas.`,
  repeats: true,
  parse: (text, field) => {
    const parts = split(text)
    if (parts.length > max) throw invalid(field, `must have at most ${max} values`)
    return parts.map((part) => {
      if (part === '') throw invalid(field, 'must not have empty values')
      return item.parse(part, field)
    })
  },
})

/** Fids have ten digits at most. */
const FID_DIGITS = '[1-9][0-9]{0,9}'

/** The document shows a list as one text, with a pattern where its items have one. */
function listSchema({ type, pattern }: JsonSchema): JsonSchema {
  const item =
    type === 'integer' ? FID_DIGITS : (pattern as string | undefined)?.replace(/^\^|\$$/g, '')
  const list = { type: 'string', minLength: 1 }
  return item === undefined ? list : { ...list, pattern: `^ *(?:${item}) *(?:, *(?:${item}) *)*$` }
}

const splitAtCommas = (text: string): string[] => text.split(',').map((part) => part.trim())

/** Commas may be part of a url, but not before the scheme of the next one. */
const splitUrls = (text: string): string[] => text.split(/,(?=[A-Za-z][A-Za-z0-9+.-]*:)/)

/** The parent url of a cast, as stored: any text. */
export const parentUrlParam: Param<string> = {
  schema: { type: 'string', minLength: 1, maxLength: 256 },
  description: 'The parent url of casts.',
  parse: (text, field) => {
    if (Buffer.byteLength(text) > 256) throw invalid(field, 'must be at most 256 bytes')
    return text
  },
}

export const parentUrlsParam = (max: number): Param<string[]> =>
  listParam(parentUrlParam, { max, split: splitUrls })

export const fidsParam = (max: number): Param<number[]> => listParam(fidParam, { max })

/** An id that no channel can have is refused. */
export const channelIdParam: Param<string> = {
  schema: { type: 'string', pattern: STORED_CHANNEL_ID.source },
  description: 'The id of a channel.',
  parse: (text, field) => {
    if (!STORED_CHANNEL_ID.test(text)) throw invalid(field, 'must be the id of a channel')
    return text
  },
}

/** The user who looks: adds `viewer_context`, and hides who they do not want to see. */
export const viewerParam: Param<number | undefined> = {
  ...ofPage(optional(fidParam)),
  description:
    'The user who looks: adds viewer_context, and leaves out accounts that the user has muted or blocked.',
}

/** A boolean with a default. */
export const flagParam = (value: boolean, description: string): Param<boolean> => ({
  schema: { type: 'boolean', default: value },
  description,
  absent: () => value,
  parse: (text, field) => {
    if (text === 'true' || text === '1') return true
    if (text === 'false' || text === '0') return false
    throw invalid(field, 'must be true or false')
  },
})

/** An address of Ethereum or Solana: its bytes, and how answers write it. */
export type Address = { readonly text: string; readonly bytes: Uint8Array }

/** 0x and 40 hex digits in any case, or 32 bytes in base58. */
export const addressParam: Param<Address> = {
  schema: {
    type: 'string',
    pattern: '^(?:0[xX][0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$',
  },
  description: 'Ethereum or Solana addresses.',
  parse: (text, field) => {
    const bytes = /^0x/i.test(text) ? fromHex(text) : readBase58(text)
    if (bytes?.length === ADDRESS_BYTES) return { text: toHex(bytes), bytes }
    if (bytes?.length === SOLANA_BYTES) return { text: base58.encode(bytes), bytes }
    throw invalid(field, 'must be addresses of Ethereum or Solana')
  },
}

/** An Ethereum address. */
export const ethAddressParam: Param<Uint8Array> = {
  schema: { type: 'string', pattern: '^(?:0[xX])?[0-9a-fA-F]{40}$' },
  description: 'An Ethereum address: 0x and 40 hex digits.',
  parse: (text, field) => {
    const bytes = fromHex(text)
    if (bytes?.length !== ADDRESS_BYTES) throw invalid(field, 'must be 0x and 40 hex digits')
    return bytes
  },
}

/** Longer texts are no addresses; decoding takes quadratic time. */
const MAX_BASE58_CHARACTERS = 64

function readBase58(text: string): Uint8Array | undefined {
  if (text.length > MAX_BASE58_CHARACTERS) return undefined
  try {
    return base58.decode(text)
  } catch {
    return undefined
  }
}

/** A text that is one of some words, each with its value in `words`. */
export const wordsParam = <const W extends string>(
  words: readonly W[],
  description: string,
): Param<W[]> => ({
  schema: {
    type: 'string',
    pattern: `^ *(?:${words.join('|')}) *(?:, *(?:${words.join('|')}) *)*$`,
  },
  description: `${description} Of ${words.join(', ')}; separated by commas.`,
  repeats: true,
  parse: (text, field) =>
    splitAtCommas(text).map((part) => {
      const word = words.find((one) => one === part)
      if (word === undefined) throw invalid(field, `must be of ${words.join(', ')}`)
      return word
    }),
})
