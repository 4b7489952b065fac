import { fromHex } from '../protocol/codec/bytes.ts'
import { readPrivateKey } from '../protocol/crypto/secp256k1.ts'

// How a module declares its settings. Each module lists its own in its settings.ts; config.ts joins the
// lists, reads the environment once and reports every fault at once. docs/configuration.md is generated
// from the same lists.

export type Mode = 'development' | 'production'

/** One environment variable. */
export type Setting<T> = {
  readonly variable: string
  /** One sentence for docs/configuration.md and for the message when a required one is missing. */
  readonly what: string
  /** Text to parse when the variable is not set, by mode. Without one the value is undefined. */
  readonly defaults: { readonly development?: string; readonly production?: string }
  /** Turns the text into the value. Throws an Error whose message continues "VARIABLE must be ...". */
  parse(text: string): T
  /** Secret values are never shown. */
  readonly secret?: boolean
  readonly requiredIn?: Mode
  /** A TCP port to listen on: no two settings may name the same one. */
  readonly isPort?: boolean
  /** The operator may change it while the server runs, unless the environment locks it. */
  readonly live?: LiveTerms
}

/** How a setting that may be changed while the server runs is shown to who changes it. */
export type LiveTerms = {
  /** What it decides, in a few words. */
  readonly title: string
  /** What who decides has to know besides. */
  readonly help: string
  /** The texts that may be chosen, in words; none: a number. */
  readonly choices?: Readonly<Record<string, string>>
  /** What the number counts, such as `days`. */
  readonly unit?: string
  /** The text that turns it off, if one does. */
  readonly off?: string
  /** What is proposed to who turns it on. */
  readonly proposed?: string
  /** Throws an Error, whose message continues "VARIABLE must be ...", where the text may not stand beside what the environment says. */
  readonly checkWritten?: (text: string, given: string) => void
  /** The variable of another number that it may not be above, unless that one is off. */
  readonly notAbove?: string
  /** Only who has the token of the operator changes it, and no account with a role. */
  readonly needsToken?: true
}

/** Behind the text of a setting that may be changed while the server runs: the environment alone decides. */
const LOCK = /,locked$/

/** What the environment says of a setting; undefined where it says nothing. */
export function givenText(env: Environment, { variable, live }: Setting<unknown>) {
  const text = env[variable]
  const isLocked = live !== undefined && LOCK.test(text ?? '')
  return { text: (isLocked ? text?.replace(LOCK, '') : text) || undefined, isLocked }
}

// biome-ignore lint/suspicious/noExplicitAny: a list holds settings of any type
export type Settings = Readonly<Record<string, Setting<any>>>

/** The parsed values of a list of settings. */
export type SettingValues<S extends Settings> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never
}

export type Environment = Readonly<Record<string, string | undefined>>

/** The settings of one module, as config.ts joins them. */
export type SettingGroup<S extends Settings = Settings> = {
  /** Heading in docs/configuration.md. */
  readonly title: string
  readonly settings: S
  /** What no operator decides. It is part of the configuration, so that tests can start a server with other values. */
  readonly constants?: Readonly<Record<string, unknown>>
  /** Rules between settings. Returns one line for each fault. */
  check?(given: GivenSettings): string[]
}

/** What a check between settings may look at. */
export type GivenSettings = {
  readonly mode: Mode
  /** Whether the variable is set to something. */
  isGiven(setting: Setting<unknown>): boolean
  /** The text of the variable or of its default. */
  textOf(setting: Setting<unknown>): string | undefined
  /** The values that could be parsed, by the key of their setting. */
  readonly values: Readonly<Record<string, unknown>>
}

/** A setting as the operator may see it. */
export type ShownSetting = {
  readonly variable: string
  /** The heading of its group. */
  readonly group: string
  readonly what: string
  readonly source: 'environment' | 'default' | 'unset'
  /** Undefined when nothing is set, and for secrets. */
  readonly value?: string
  readonly isSecret: boolean
  /** It may not be changed while the server runs, although it is one that could. */
  readonly isLocked: boolean
}

/** Declares one setting; its type follows from `parse`. */
export const setting = <T>(declared: Setting<T>): Setting<T> => declared

/** Declares a setting that may be missing. */
export const optionalSetting = <T>(
  declared: Omit<Setting<T>, 'defaults'> & Partial<Setting<T>>,
): Setting<T | undefined> => ({ defaults: {}, ...declared })

export const portSetting = (variable: string, who: string, port: number): Setting<number> => ({
  variable,
  what: `Port of ${who}.`,
  defaults: inBothModes(String(port)),
  parse: (text) => parseInteger(text, 0, 65_535),
  isPort: true,
})

/** The same default in both modes. */
export const inBothModes = <T>(value: T) => ({ development: value, production: value })

/** Faults for settings that are given although the setting they depend on is not. */
export function requireSetting(
  { isGiven }: GivenSettings,
  needed: Setting<unknown>,
  dependents: readonly Setting<unknown>[],
): string[] {
  if (isGiven(needed)) return []
  return dependents
    .filter(isGiven)
    .map(({ variable }) => `${variable} means nothing without ${needed.variable}`)
}

// Parsers. Each throws an Error whose message follows the variable's name.

export function parseNonEmpty(text: string): string {
  if (text.trim() === '') throw new Error('must not be empty')
  return text
}

export function parseMatching(text: string, pattern: RegExp, words: string): string {
  if (!pattern.test(text)) throw new Error(`must be ${words}, not "${text}"`)
  return text
}

export function parseInteger(text: string, min: number, max: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new Error(`must be a whole number from ${min} to ${max}, not "${text}"`)
  }
  return value
}

/** The value that stands for the text in `values`. */
export function parseChoice<T>(text: string, values: Readonly<Record<string, T>>): T {
  const value = Object.hasOwn(values, text) ? values[text] : undefined
  if (value === undefined) {
    throw new Error(`must be one of ${Object.keys(values).join(', ')}, not "${text}"`)
  }
  return value
}

/** The parts between commas, trimmed, without empty ones. */
export function parseList(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim())
  return parts.filter((part) => part !== '')
}

/** A 20-byte Ethereum address. */
export function parseAddress(text: string): Uint8Array {
  if (!/^0x[0-9a-f]{40}$/i.test(text)) {
    throw new Error(`must be addresses: 0x and 40 hex digits, not "${text}"`)
  }
  return fromHex(text)!
}

/** A 32-byte secp256k1 private key. The message does not show the text. */
export function parsePrivateKey(text: string): Uint8Array {
  const key = readPrivateKey(text)
  if (!key) throw new Error('must be a private key: 0x and 64 hex digits')
  return key
}

/** An http or https URL, without slashes at its end. */
export function parseHttpUrl(text: string): string {
  if (!isHttpUrl(text)) {
    throw new Error(`must be a URL like https://registry.example.org, not "${text}"`)
  }
  return text.replace(/(?<!\/)\/+$/, '')
}

/** Http or https URLs, comma separated. They may hold keys, so the message does not show them. */
export function parseHttpUrls(text: string): string[] {
  if (!parseList(text).every(isHttpUrl)) {
    throw new Error('must be http or https URLs, comma separated')
  }
  return parseList(text)
}

export const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
