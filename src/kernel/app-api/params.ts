import { base58 } from '@scure/base'
import { missingFault } from '../http/faults.ts'
import {
  boolParam,
  described,
  fidParam,
  listParam,
  ofPage,
  optional,
  type Param,
  splitAtCommas,
  textParam,
  withDefault,
  wordParam,
} from '../http/input/params.ts'
import { fromHex, toHex } from '../protocol/codec/bytes.ts'
import { Rejection } from '../protocol/rejection.ts'
import { ADDRESS_BYTES, HASH_BYTES, KEY_BYTES, SOL_ADDRESS_BYTES } from '../protocol/sizes.ts'
import { STORED_CHANNEL_ID } from './channel-id.ts'

// Parameters that only the app API has. Lists come separated by commas or as a repeated parameter.

export const invalid = (field: string, message: string): Rejection =>
  new Rejection('bad_request.invalid_param', `${field} ${message}`, { field })

/** The refusal of a request that lacks a parameter; `choice` names the parameters of which one is needed. */
export const missing = (field: string, choice = field): Rejection =>
  new Rejection('bad_request.validation_failure', `${choice} is missing`, {
    field,
    fault: missingFault(field),
  })

/** Hex of any case, with or without 0x, of a fixed length. */
const hexParam = (length: number, what: string): Param<Uint8Array> => ({
  schema: { type: 'string', pattern: `^(?:0[xX])?[0-9a-fA-F]{${2 * length}}$` },
  description: `${what}: 0x and ${2 * length} hex digits.`,
  parse: (text, field) => {
    const bytes = fromHex(text)
    if (bytes?.length === length) return bytes
    throw invalid(field, `must be 0x and ${2 * length} hex digits`)
  },
})

export const hashParam = hexParam(HASH_BYTES, 'The hash of a cast')
export const ethAddressParam = hexParam(ADDRESS_BYTES, 'An Ethereum address')
export const publicKeyParam = hexParam(KEY_BYTES, 'The public key')

/** A string of at most so many characters. */
export const boundedParam = (max: number, description: string): Param<string> => ({
  schema: { type: 'string', minLength: 1, maxLength: max },
  description,
  parse: (text, field) => {
    if (text.length <= max) return text
    throw invalid(field, `must be at most ${max} characters`)
  },
})

/** Commas may be part of a url, but not before the scheme of the next one. */
const splitUrls = (text: string): string[] => text.split(/,(?=[A-Za-z][A-Za-z0-9+.-]*:)/)

/** As stored: any string. */
export const parentUrlParam = described(textParam({ maxBytes: 256 }), 'The parent url of casts.')

export const parentUrlsParam = (max: number): Param<string[]> =>
  listParam(parentUrlParam, { max, split: splitUrls })

/** Degrees with decimals, of one sign or the other. */
const degreesParam = (pattern: RegExp, max: number, description: string): Param<number> => ({
  schema: { type: 'string', pattern: pattern.source },
  description,
  parse: (text, field) => {
    if (pattern.test(text)) return Number(text)
    throw invalid(field, `must be a number from -${max} to ${max}`)
  },
})
export const latitudeParam = degreesParam(
  /^-?(?:90|[0-8]?[0-9](?:\.[0-9]{1,20})?)$/,
  90,
  'Degrees, north of the equator.',
)
export const longitudeParam = degreesParam(
  /^-?(?:180|(?:1[0-7][0-9]|[0-9]{1,2})(?:\.[0-9]{1,20})?)$/,
  180,
  'Degrees, east of Greenwich.',
)

/** An id that no channel can have is refused. */
export const channelIdParam: Param<string> = {
  schema: { type: 'string', pattern: STORED_CHANNEL_ID.source },
  description: 'The id of a channel.',
  parse: (text, field) => {
    if (!STORED_CHANNEL_ID.test(text)) throw invalid(field, 'must be the id of a channel')
    return text
  },
}

export const viewerParam: Param<number | undefined> = {
  ...ofPage(optional(fidParam)),
  description:
    'The user who looks: adds viewer_context, and leaves out accounts that the user has muted or blocked.',
}

/** One of some words; the first by default. */
export const choiceParam = <const W extends string>(
  words: readonly [W, ...W[]],
  description: string,
  value: NoInfer<W> = words[0],
): Param<W> => withDefault(described(wordParam(words), description), value)

export const flagParam = (value: boolean, description: string): Param<boolean> =>
  described(withDefault(boolParam, value), description)

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
    const bytes = readAddress(text)
    if (!bytes) throw invalid(field, 'must be addresses of Ethereum or Solana')
    return { text: bytes.length === ADDRESS_BYTES ? toHex(bytes) : base58.encode(bytes), bytes }
  },
}

/** The 20 bytes of an Ethereum address in hex or the 32 bytes of a Solana address in base58. */
export function readAddress(text: string): Uint8Array | undefined {
  const bytes = /^0x/i.test(text) ? fromHex(text) : readBase58(text)
  return bytes?.length === ADDRESS_BYTES || bytes?.length === SOL_ADDRESS_BYTES ? bytes : undefined
}

/** Longer strings are no addresses; decoding takes quadratic time. */
const MAX_BASE58_CHARACTERS = 64

function readBase58(text: string): Uint8Array | undefined {
  if (text.length > MAX_BASE58_CHARACTERS) return undefined
  try {
    return base58.decode(text)
  } catch {
    return undefined
  }
}

/** A list of words. */
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
