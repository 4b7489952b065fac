// Checks what callers give. Each error names the argument, what must be there, and what is.
import { MAX_UINT32 } from '../kernel/protocol/sizes.ts'

/** Of a text in an error. */
const MAX_SHOWN_CHARACTERS = 40
/** When the time of the network began, in Unix seconds: no network time is as large before 2071. */
const NETWORK_EPOCH = 1_609_459_200

/** Throws a TypeError unless the value is as it must be. */
export function must(
  isGood: boolean,
  what: string,
  expected: string,
  value: unknown,
): asserts isGood {
  if (!isGood) throw new TypeError(`${what} must be ${expected}, not ${shown(value)}`)
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, MAX_SHOWN_CHARACTERS))
  if (Array.isArray(value)) return 'an array'
  if (isBytes(value)) return 'bytes'
  if (value instanceof Promise) return 'a promise: write await before the call that returns it'
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return String(value)
  return `an object with ${Object.keys(value).join(', ').slice(0, MAX_SHOWN_CHARACTERS) || 'no fields'}`
}

/** Also bytes of another realm, such as those of a test runner. */
export const isBytes = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && 'BYTES_PER_ELEMENT' in value && value.BYTES_PER_ELEMENT === 1

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isBytes(value)

/** `example` is a right one. */
export const checkObject = (value: unknown, what: string, example: string): void =>
  must(isObject(value) && !(value instanceof Promise), what, `an object such as ${example}`, value)

/** An object with these fields and no others, so that none is misspelt. */
export function checkFields(
  value: unknown,
  what: string,
  names: readonly string[],
  example: string,
): void {
  checkObject(value, what, example)
  const unknown = Object.keys(value as object).find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`${what} has no field "${unknown}": its fields are ${names.join(', ')}`)
}

export const checkText = (value: unknown, what: string): void =>
  must(typeof value === 'string', what, 'a string', value)

/** An integer of 32 bits, as the wire has them. */
export const checkNumber = (value: unknown, what: string, min = 0, max = MAX_UINT32): void =>
  must(
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
    what,
    `an integer from ${min} to ${max}`,
    value,
  )

/** Timers end at once when they are to wait longer. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** Between two requests. */
export const checkPause = (value: unknown, what: string): void =>
  checkNumber(value, what, 1, MAX_TIMER_MS)

/** What somebody waits at most. */
export const checkLimit = (value: unknown, what: string): void =>
  must(
    typeof value === 'number' && value > 0,
    what,
    'a number of milliseconds above 0, or Infinity for no limit',
    value,
  )

export const checkFid = (value: unknown, what: string): void =>
  must(
    Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_UINT32,
    what,
    'a fid, an integer from 1',
    value,
  )

export const checkNetworkTime = (value: unknown, what: string): void =>
  must(
    Number.isInteger(value) && Number(value) >= 0 && Number(value) < NETWORK_EPOCH,
    what,
    'in seconds since 2021-01-01 UTC, as networkTime(Date.now()) gives them',
    value,
  )

/** One of these names. */
export const checkName = (value: unknown, what: string, names: readonly string[]): void =>
  must(typeof value === 'string' && names.includes(value), what, names.join(' or '), value)

export function checkList(
  value: unknown,
  what: string,
  check: (one: unknown, what: string) => void,
): void {
  must(Array.isArray(value), what, 'an array', value)
  for (const [i, one] of value.entries()) check(one, `${what}[${i}]`)
}

/** The options of a client. */
export function checkClientOptions(options: unknown): void {
  checkObject(options, 'the first argument', "{ url: 'https://social.example/hub' }")
  const { url, retries = 0, timeoutMs = 1 } = options as Readonly<Record<string, unknown>>
  const isUrl = typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url)
  must(isUrl, 'url', 'a URL that begins with http:// or https://', url)
  checkNumber(retries, 'retries')
  checkLimit(timeoutMs, 'timeoutMs')
}

/** What signs for an account, at the beginning of a call that asks it. */
export function checkWallet(value: unknown): void {
  const { address, signTypedData } = Object(value)
  const isWallet = typeof address === 'string' && typeof signTypedData === 'function'
  must(isWallet, 'the wallet', 'an account of viem, or what providerWallet returns', value)
}

export const checkNetwork = (value: unknown): void =>
  must(Boolean(Object(value).registry), 'the network', 'what createNetwork returns', value)
