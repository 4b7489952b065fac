import { Rejection } from '../../protocol/rejection.ts'
import { MAX_FID } from '../../protocol/sizes.ts'
import { type ErrorStyle, plainStyle } from '../faults.ts'

/** A JSON Schema as OpenAPI 3.1 prints it. */
export type JsonSchema = { [key: string]: unknown }

/**
 * How one parameter is read from text. An empty value counts as a missing one.
 * A bare `Param` is required; `optional` and `withDefault` give the value of a missing one.
 * The schema documents the parameter; `parse` decides. The test of all boundaries compares the two.
 */
export type Param<T> = {
  schema: JsonSchema
  /** Returns the value of a text that is not empty; throws a `Rejection` that names the field. */
  parse(text: string, field: string): T
  /** The value when the parameter is missing; without it a missing parameter is refused. */
  absent?: () => T
  /** The message or the refusal for a missing required parameter; "<field> is missing" by default. */
  missing?: (field: string) => string | Rejection
  /** Further names under which the parameter is accepted. */
  aliases?: readonly string[]
  /** Whether it is a list: the values of a repeated parameter are joined by commas. */
  repeats?: boolean
  /**
   * Whether it may be another one on each page of a list: how many items the page has, how much of them is shown, who
   * looks at them. It does not choose the list.
   */
  isOfPage?: boolean
  /** Of a cursor: the refusal of one that is of another list. */
  refuseOther?: (field: string) => Rejection
  description?: string
}

/** Parameters by the names under which they are documented. */
// biome-ignore lint/suspicious/noExplicitAny: a list of parameters has values of many types
export type ParamSpecs = Record<string, Param<any>>

/**
 * Whether the place of a page is that of the first one. Some clients write a missing value as `undefined` or `null`. Any
 * other text has to be a place in the list.
 */
export const isNoPlace = (
  text: string | undefined,
): text is '' | 'undefined' | 'null' | undefined =>
  text === undefined || text === '' || text === 'undefined' || text === 'null'

type Camel<S> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S

/** The values a handler receives: `target_fid` in a spec is `targetFid` here. */
export type ParsedParams<S> = {
  [K in keyof S as Camel<K>]: S[K] extends Param<infer T> ? T : never
}

/** A required parameter, optionally with its own message for a missing value. */
export const required = <T>(param: Param<T>, message?: string): Param<T> => {
  const { absent: _, ...rest } = param
  return message === undefined ? rest : { ...rest, missing: () => message }
}

/** A parameter that may be missing; its value is then undefined. */
export const optional = <T>(param: Param<T>): Param<T | undefined> => ({
  ...param,
  absent: () => undefined,
})

/** A parameter with a default value. */
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

/** The same parameter, which does not choose the list of which a page is asked for. */
export const ofPage = <T>(param: Param<T>): Param<T> => ({ ...param, isOfPage: true })

/** The same parameter with a description for the API reference. */
export const described = <T>(param: Param<T>, description: string): Param<T> => ({
  ...param,
  description,
})

const invalid = (field: string, message: string): Rejection =>
  new Rejection('bad_request.invalid_param', `${field} ${message}`, { field })

const failed = (field: string, message: string): Rejection =>
  new Rejection('bad_request.validation_failure', `${field} ${message}`, { field })

const DECIMAL = /^-?[0-9]{1,20}$/

/** A user's number: 1 to 2³²−1, in decimal digits. The words are those of the deployed hubs. */
export const fidParam: Param<number> = {
  schema: { type: 'integer', minimum: 1, maximum: MAX_FID },
  description: 'The fid of a user.',
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

type Styled = {
  /** How a refusal is worded; `plainStyle` by default. */
  style?: ErrorStyle
}

/** A whole number between two bounds, both included. */
export const intParam = ({
  min,
  max,
  style = plainStyle,
}: { min: number; max: number } & Styled): Param<number> => ({
  schema: { type: 'integer', minimum: min, maximum: max },
  parse: (text, field) => {
    if (!DECIMAL.test(text)) throw style(field, { keyword: 'type', type: 'integer' })
    const value = Number(text)
    if (value < min) throw style(field, { keyword: 'minimum', limit: min })
    if (value > max) throw style(field, { keyword: 'maximum', limit: max })
    return value
  },
})

const HEX_DIGITS = /^[0-9a-fA-F]*$/

/**
 * Bytes in hex, with or without 0x; of any length when `bytes` is not given. `label` names them in
 * messages about their length.
 */
export const hexParam = (options: { bytes?: number; label?: string } = {}): Param<Uint8Array> => {
  const { bytes, label } = options
  const digits = bytes === undefined ? '(?:[0-9a-fA-F]{2})*' : `[0-9a-fA-F]{${bytes * 2}}`
  return {
    schema: { type: 'string', pattern: `^(?:0[xX])?${digits}$` },
    description: `Hex, with or without 0x${bytes === undefined ? '' : `; ${bytes} bytes`}.`,
    missing: (field) => `${label ?? field} is missing`,
    parse: (text, field) => {
      const digits = text.startsWith('0x') || text.startsWith('0X') ? text.slice(2) : text
      if (digits.length % 2 !== 0 || !HEX_DIGITS.test(digits)) throw invalid(field, 'must be hex')
      const value = Buffer.from(digits, 'hex')
      if (bytes !== undefined && value.length !== bytes) {
        const message = `${label ?? field} must be ${bytes} bytes`
        throw new Rejection('bad_request.validation_failure', message, { field })
      }
      return value
    },
  }
}

/** Text of 1 to `maxBytes` UTF-8 bytes, unchanged. */
export const textParam = ({ maxBytes }: { maxBytes: number }): Param<string> => ({
  schema: { type: 'string', minLength: 1, maxLength: maxBytes },
  parse: (text, field) => {
    if (Buffer.byteLength(text) > maxBytes)
      throw invalid(field, `must be at most ${maxBytes} bytes`)
    return text
  },
})

/** Any text. Its only bound is that of the request line, 16 KiB. */
export const anyTextParam: Param<string> = {
  schema: { type: 'string', minLength: 1 },
  parse: (text) => text,
}

/** Text that matches a pattern, which must run in linear time. */
export const patternParam = (
  pattern: RegExp,
  { style = plainStyle }: Styled = {},
): Param<string> => ({
  schema: { type: 'string', pattern: pattern.source },
  parse: (text, field) => {
    if (!pattern.test(text)) throw style(field, { keyword: 'pattern', pattern: pattern.source })
    return text
  },
})

/** One of a list of words, in any letter case with `ignoreCase`. */
export const wordParam = <const W extends string>(
  words: readonly W[],
  { ignoreCase = false, style = plainStyle }: { ignoreCase?: boolean } & Styled = {},
): Param<W> => {
  const fold = (word: string) => (ignoreCase ? word.toLowerCase() : word)
  const byText = new Map(words.map((word) => [fold(word), word]))
  return {
    schema: { type: 'string', enum: words },
    parse: (text, field) => {
      const word = byText.get(fold(text))
      if (word === undefined) throw style(field, { keyword: 'enum', allowedValues: words })
      return word
    },
  }
}

/** A boolean, false by default: `true` or `1`, `false` or `0`. */
export const boolParam: Param<boolean> = {
  schema: { type: 'boolean', default: false },
  absent: () => false,
  parse: (text, field) => {
    if (text === 'true' || text === '1') return true
    if (text === 'false' || text === '0') return false
    throw invalid(field, 'must be true or false')
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
  const longWords: string[] = []
  const numbers: number[] = []
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'number') continue // the reverse half of a TypeScript enum
    const shortWord = name.startsWith(prefix) ? name.slice(prefix.length) : name
    for (const word of [name, shortWord, prefix + name, String(value)]) {
      byWord.set(word.toLowerCase(), value as NumberOf<V>)
    }
    shortWords.push(shortWord)
    longWords.push(prefix + shortWord)
    numbers.push(value)
  }
  const choices = shortWords.join(', ')
  return {
    schema: {
      anyOf: [
        { type: 'integer', enum: numbers },
        { type: 'string', enum: [...new Set([...shortWords, ...longWords])] },
      ],
    },
    description: `A number, or one of ${choices} (full name or short, in any case).`,
    parse: (text, field) => {
      const value = byWord.get(text.toLowerCase())
      if (value === undefined) throw invalid(field, `must be one of ${choices}`)
      return value
    },
  }
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

export const splitAtCommas = (text: string): string[] => text.split(',').map((part) => part.trim())

/** 1 to `max` fids. */
export const fidsParam = (max: number): Param<number[]> => listParam(fidParam, { max })
