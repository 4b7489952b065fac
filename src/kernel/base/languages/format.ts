// Formats a message in the form that icu-minify compiles ICU MessageFormat to. Values may be elements of a page, which its own
// formatter turns into text, and the text of a value is never read as a part of the message.

export type Compiled = string | readonly Node[]
type Node = string | 0 | readonly unknown[]

const SELECT = 1
const PLURAL = 2
const ORDINAL = 3
/** Begins a text with a direction of its own. */
const APART = '\u2068'

/** A text, a number (written as the language does), an element, or what an element makes of the text inside it. */
export type Value<T> = string | number | T | ((inner: (string | T)[]) => T)
export type Values<T = never> = Readonly<Record<string, Value<T>>>

/** Formats a message: its texts and elements, in the order in which the language has them. */
export function partsOf<T = never>(
  message: Compiled,
  language: string,
  values: Values<T>,
): (string | T)[] {
  const signed = (parts: (string | T)[]) => (isRightToLeft(language) ? parts.map(withSign) : parts)
  const read = (compiled: unknown, count?: number): (string | T)[] =>
    typeof compiled === 'string'
      ? [compiled]
      : compiled === 0
        ? [numberText(language, count!)]
        : signed((compiled as Node[]).flatMap((node) => part(node, count))).map(withOneStop)
  const part = (node: Node, count?: number): (string | T)[] => {
    if (typeof node === 'string' || node === 0) return read(node, count)
    const [name, type, ...rest] = node as [string, unknown, ...unknown[]]
    const value = values[name]
    if (node.length === 1) {
      if (typeof value === 'number') return [numberText(language, value)]
      return [typeof value === 'string' ? apart(language, value) : (value as T)]
    }
    if (type === SELECT) {
      const branches = rest[0] as Readonly<Record<string, unknown>>
      const branch = String(value)
      return read(branches[Object.hasOwn(branches, branch) ? branch : 'other'], count)
    }
    if (type === PLURAL || type === ORDINAL) {
      const branches = rest[0] as Readonly<Record<string, unknown>>
      const number = value as number
      const category = rulesOf(language, type).select(number)
      return read(branches[`=${number}`] ?? branches[category] ?? branches.other, number)
    }
    return [(value as (inner: (string | T)[]) => T)(read([type, ...rest], count))]
  }
  return read(message)
}

/** Whether lines run from right to left. A pattern, so that the first load does not carry the list of languages; a test compares both. */
export const isRightToLeft = (language: string): boolean => /^(?:ar|fa|he|ur)\b/.test(language)

/**
 * Without marks around it a name such as `@kim` is turned by letters of the other direction beside it, and turns them. A number stays
 * behind the word that it belongs to, as in `fid 7`.
 */
const apart = (language: string, value: string): string =>
  /\D/.test(value) && isRightToLeft(language) ? `${APART}${value}\u2069` : value

/** The sign of a name, as in `@kim`, `/wetlands` and `#tag`, also behind the mark of a line that it begins. Two slashes are of an address. */
const SIGN = /(?:@|(?<=^|[\s\u200F])[/#])$/

/** A text with marks around it, or a name of digits alone, which has them only with a sign. */
const NAME = /^(?:\u2068.*\u2069|\d+)$/s

/** The sign of a message stands within the marks of its name: before them it would come behind the name. */
function withSign<T>(one: string | T, at: number, all: readonly (string | T)[]): string | T {
  if (typeof one !== 'string') return one
  const [before, next] = [all[at - 1], all[at + 1]]
  const signOf = (text: unknown, name: unknown) =>
    typeof text === 'string' && typeof name === 'string' && NAME.test(name)
      ? (SIGN.exec(text)?.[0] ?? '')
      : ''
  const sign = signOf(before, one)
  const named = sign && `${APART}${sign}${one.startsWith(APART) ? one.slice(1, -1) : one}\u2069`
  return signOf(one, next) ? one.slice(0, -1) : named || one
}

/** A date or an abbreviation may end with a full stop: then it is that of the sentence, too. */
function withOneStop<T>(one: string | T, at: number, all: readonly (string | T)[]): string | T {
  const isSecond =
    typeof one === 'string' && /^\.(?!\.)/.test(one) && /\.\u2069?$/.test(String(all[at - 1]))
  return isSecond ? one.slice(1) : one
}

const kept = new Map<string, Intl.NumberFormat | Intl.PluralRules>()
function keptOf<F extends Intl.NumberFormat | Intl.PluralRules>(key: string, make: () => F): F {
  const found = (kept.get(key) as F | undefined) ?? make()
  kept.set(key, found)
  return found
}

const numberText = (language: string, value: number): string =>
  keptOf(`number ${language}`, () => new Intl.NumberFormat(language)).format(value)

const rulesOf = (language: string, type: number): Intl.PluralRules =>
  keptOf(
    `${type} ${language}`,
    () => new Intl.PluralRules(language, { type: type === ORDINAL ? 'ordinal' : 'cardinal' }),
  )
