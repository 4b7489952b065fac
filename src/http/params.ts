import { Rejection } from '../protocol/rejection.ts'

/** A JSON Schema as OpenAPI 3.1 prints it. */
export type JsonSchema = { [key: string]: unknown }

/**
 * How one query parameter is read from text. An empty value counts as a missing one.
 * A bare `Param` is required; `optional` and `withDefault` say what stands in for a missing one.
 */
export type Param<T> = {
  schema: JsonSchema
  /** The value of a text that is not empty, or a `Rejection` naming the field. */
  parse(text: string, field: string): T
  /** The value when the parameter is missing; without it a missing parameter is refused. */
  absent?: () => T
  /** What to say of a missing required parameter, or how to refuse it; "<field> is missing" unless given. */
  missing?: (field: string) => string | Rejection
  /** Further names under which the parameter is accepted. */
  aliases?: readonly string[]
  description?: string
}

/** Parameters by the names under which they are documented. */
// biome-ignore lint/suspicious/noExplicitAny: a list of parameters has values of many types
export type ParamSpecs = Record<string, Param<any>>

type Camel<S> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S

/** The values a handler receives: `target_fid` in a spec is `targetFid` here. */
export type ParsedParams<S> = {
  [K in keyof S as Camel<K>]: S[K] extends Param<infer T> ? T : never
}

/** A parameter that must be there, optionally with other words for its absence. */
export const required = <T>(param: Param<T>, message?: string): Param<T> => {
  const { absent: _, ...rest } = param
  return message === undefined ? rest : { ...rest, missing: () => message }
}

/** A parameter that may be missing. */
export const optional = <T>(param: Param<T>): Param<T | undefined> => ({
  ...param,
  absent: () => undefined,
})

/** A parameter that has a value even when missing. */
export const withDefault = <T>(param: Param<T>, value: T): Param<T> => ({
  ...param,
  schema: { ...param.schema, default: value },
  absent: () => value,
})

/** The same parameter under further names; `event_id` also as `id`. */
export const alias = <T>(param: Param<T>, ...names: string[]): Param<T> => ({
  ...param,
  aliases: [...(param.aliases ?? []), ...names],
})

/** The same parameter with a sentence for its readers. */
export const described = <T>(param: Param<T>, description: string): Param<T> => ({
  ...param,
  description,
})

const invalid = (field: string, message: string): Rejection =>
  new Rejection('bad_request.invalid_param', `${field} ${message}`, { field })

const failed = (field: string, message: string): Rejection =>
  new Rejection('bad_request.validation_failure', `${field} ${message}`, { field })

/** Fids go over the wire and into event keys as 32 bits. */
export const MAX_FID = 2 ** 32 - 1

const DECIMAL = /^-?[0-9]{1,20}$/

/** A user's number: 1 to 2³²−1, in decimal digits. The words are those of the deployed hubs. */
export const fidParam: Param<number> = {
  schema: { type: 'integer', minimum: 1, maximum: MAX_FID },
  missing: (field) => `${field} must be an integer`,
  parse: (text, field) => {
    if (!DECIMAL.test(text)) throw failed(field, 'must be an integer')
    const fid = Number(text)
    if (fid < 0) throw failed(field, 'must be positive')
    if (fid === 0) throw failed(field, 'is missing')
    if (fid > MAX_FID) throw failed(field, `must be at most ${MAX_FID}`)
    return fid
  },
}

/** A whole number between two bounds, both included. */
export const intParam = ({ min, max }: { min: number; max: number }): Param<number> => ({
  schema: { type: 'integer', minimum: min, maximum: max },
  parse: (text, field) => {
    if (!DECIMAL.test(text)) throw invalid(field, 'must be an integer')
    const value = Number(text)
    if (value < min) throw invalid(field, `must be at least ${min}`)
    if (value > max) throw invalid(field, `must be at most ${max}`)
    return value
  },
})

const HEX = /^(?:0[xX])?((?:[0-9a-fA-F]{2})*)$/

/** Bytes in hex, with or without 0x; `label` is the word for them in complaints about their length. */
export const hexParam = (options: { bytes?: number; label?: string } = {}): Param<Uint8Array> => {
  const { bytes, label } = options
  const digits = bytes === undefined ? '*' : `{${bytes * 2}}`
  return {
    schema: { type: 'string', pattern: `^(0[xX])?[0-9a-fA-F]${digits}$` },
    missing: (field) => `${label ?? field} is missing`,
    parse: (text, field) => {
      const match = HEX.exec(text)
      if (match === null) throw invalid(field, 'must be hex')
      const value = Buffer.from(match[1]!, 'hex')
      if (bytes !== undefined && value.length !== bytes) {
        const message = `${label ?? field} must be ${bytes} bytes`
        throw new Rejection('bad_request.validation_failure', message, { field })
      }
      return value
    },
  }
}

/** Text of at most so many UTF-8 bytes, taken as it is. */
export const textParam = ({ maxBytes }: { maxBytes: number }): Param<string> => ({
  schema: { type: 'string', maxLength: maxBytes },
  parse: (text, field) => {
    if (Buffer.byteLength(text) > maxBytes)
      throw invalid(field, `must be at most ${maxBytes} bytes`)
    return text
  },
})

/** A switch that is off unless turned on: `true` or `1`, `false` or `0`. */
export const boolParam: Param<boolean> = {
  schema: { type: 'boolean', default: false },
  absent: () => false,
  parse: (text, field) => {
    if (text === 'true' || text === '1') return true
    if (text === 'false' || text === '0') return false
    throw invalid(field, 'must be true or false')
  },
}

export const DEFAULT_PAGE_SIZE = 1000
export const MAX_PAGE_SIZE = 1000

/** How many items a page holds at most. More than the cap is the cap, as the deployed hubs have it. */
export const pageSizeParam: Param<number> = {
  schema: { type: 'integer', minimum: 1, default: DEFAULT_PAGE_SIZE },
  description: `Items on a page; more than ${MAX_PAGE_SIZE} is taken as ${MAX_PAGE_SIZE}.`,
  absent: () => DEFAULT_PAGE_SIZE,
  parse: (text, field) => {
    if (!DECIMAL.test(text)) throw invalid(field, 'must be an integer')
    const size = Number(text)
    if (size < 1) throw invalid(field, 'must be at least 1')
    return Math.min(size, MAX_PAGE_SIZE)
  },
}

/** A position is a key of a list, and none of those is longer. */
const MAX_PAGE_TOKEN_BYTES = 512
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/**
 * Where the previous page ended; undefined is the first page. Clients are known to paste it unescaped (a plus
 * arrives as a space), to send it back as `nextPageToken`, and to write a missing one as `undefined` or `null`.
 */
export const pageTokenParam: Param<Uint8Array | undefined> = {
  schema: { type: 'string' },
  description: 'The nextPageToken of the previous page; empty for the first page.',
  aliases: ['nextPageToken'],
  absent: () => undefined,
  parse: (text, field) => {
    if (text === 'undefined' || text === 'null') return undefined
    const token = text.replaceAll(' ', '+')
    const digits = token.replace(/=+$/, '').length
    if (!BASE64.test(token) || digits % 4 === 1) throw invalid(field, 'must be base64')
    const bytes = Buffer.from(token, 'base64')
    if (bytes.length > MAX_PAGE_TOKEN_BYTES) throw invalid(field, 'is too long')
    return bytes.length === 0 ? undefined : bytes
  },
}

type NumberOf<V> = Extract<V[keyof V], number>

/** One of some numbers, by number, by full name, or by the short word, in any case: `1`, `Like`. */
export const enumParam = <const V extends Record<string, string | number>>(
  values: V,
  { prefix = '' }: { prefix?: string } = {},
): Param<NumberOf<V>> => {
  const byWord = new Map<string, NumberOf<V>>()
  const shortWords: string[] = []
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'number') continue // the reverse half of a TypeScript enum
    const shortWord = name.startsWith(prefix) ? name.slice(prefix.length) : name
    for (const word of [name, shortWord, prefix + name, String(value)]) {
      byWord.set(word.toLowerCase(), value as NumberOf<V>)
    }
    shortWords.push(shortWord)
  }
  const choices = shortWords.join(', ')
  return {
    schema: { type: ['string', 'integer'] },
    description: `A number, or one of ${choices} (full name or short, in any case).`,
    parse: (text, field) => {
      const value = byWord.get(text.toLowerCase())
      if (value === undefined) throw invalid(field, `must be one of ${choices}`)
      return value
    },
  }
}
