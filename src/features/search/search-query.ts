import { STORED_CHANNEL_ID } from '../../kernel/app-api/channel-id.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_MS, networkTime } from '../../kernel/protocol/time.ts'
import type { Match } from '../../kernel/storage/engines/word-index.ts'
import { firstDocAt } from '../../kernel/storage/views/views.ts'
import { ONE_TAG } from '../../kernel/views/tags.ts'
import {
  authorToken,
  type Carried,
  carriedToken,
  runsOf,
  tagToken,
  tokensOf,
} from '../../kernel/views/words.ts'

// Parses search queries: words, phrases, prefixes and operators. Only tokens reach an engine.

/** A word, a tag, or a phrase: adjacent units of a text. */
export type Term = {
  readonly kind: 'term'
  readonly tokens: readonly string[]
  /** The adjacent units in order; empty for a single one. */
  readonly phrase: readonly string[]
  /** The last token is the beginning of a word. */
  readonly isPrefix: boolean
}
export type Node =
  | Term
  | { readonly kind: 'and' | 'or'; readonly nodes: readonly Node[] }
  | { readonly kind: 'not'; readonly node: Node }

export type SearchQuery = {
  /** Undefined when only bounds are asked for. */
  readonly root: Node | undefined
  /** The channel of the result. */
  readonly channelId: string | undefined
  /** Docs of the result: this one and later, and earlier than that one. */
  readonly from: number
  readonly before: number
  /** Whether the texts of matches have to be checked: engines do not know which words are adjacent. */
  readonly needsCheck: boolean
}

const MAX_CHARACTERS = 500
const MAX_TERMS = 16
const MAX_DEPTH = 5
/** A shorter prefix matches too many words and counts as a word. */
export const MIN_PREFIX_CHARACTERS = 3

const invalid = (what: string) =>
  new Rejection('bad_request.invalid_param', `q ${what}`, { field: 'q' })

const OPERATOR = /^(from|has|in|since|until|before|after):(.+)$/is
const OPERATORS = /(?:^|[\s|+(-])(?:from|has|in|since|until|before|after):[^\s|+()"]/iu
const CARRIED_NAMES: Readonly<Record<string, Carried>> = {
  ...{ pictures: 'pictures', picture: 'pictures', videos: 'videos', video: 'videos' },
  ...{ links: 'links', link: 'links' },
}
const DAY = /^\d{4}-\d{2}-\d{2}$/
const BOUNDS = new Set(['since', 'until', 'before', 'after'])
const QUOTED = /"[^"]*"/g

/** The names behind `from:`, in lower case. Throws a Rejection when the query is too long or too deep. */
export function authorsIn(text: string): string[] {
  const parser = new Parser(text, undefined)
  parser.expression(0)
  return [...parser.names]
}

/** Whether a query asks for casts: names of people and channels have no operators. */
export const hasOperators = (text: string): boolean => OPERATORS.test(text.replace(QUOTED, ' '))

/**
 * Throws a Rejection when the query is too long, too deep, or has neither a required term nor a bound. `authors` has the fids of
 * `authorsIn`. Tokens that a match must have, too, stand beside the words: what these exclude is then excluded among their matches.
 */
export function parseSearch(
  text: string,
  authors: ReadonlyMap<string, number> = new Map(),
  tokens: readonly string[] = [],
): SearchQuery {
  const parser = new Parser(text, authors)
  const read = parser.expression(0)
  const root = read && flattened(joinedWith(read, tokens.map(tokenNode)))
  if (root ? !isSearchable(root) : parser.bounds === 0) {
    throw invalid('must have a word that is searched for')
  }
  const { from, before, channelId } = parser
  return { root, from, before, channelId, needsCheck: root !== undefined && hasPhrase(root) }
}

/** Whether a text is a day of the calendar: `Date` takes the 31st of February for the 3rd of March. */
export function isDay(text: string): boolean {
  const ms = DAY.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

/** The time of a date in Unix milliseconds; the one after it for the end of a day. NaN when it is no date. */
export function timeOfDate(date: string, isEnd: boolean): number {
  const ms = isDay(date.slice(0, 10)) ? Date.parse(date) : Number.NaN
  return isEnd && DAY.test(date) ? ms + DAY_MS : ms
}

class Parser {
  from = 0
  before = Number.MAX_SAFE_INTEGER
  channelId: string | undefined
  /** How many bounds were read. */
  bounds = 0
  readonly #text: string
  readonly #authors: ReadonlyMap<string, number> | undefined
  /** The names behind `from:`, in lower case. */
  readonly names = new Set<string>()
  #at = 0
  #terms = 0
  #open = 0

  /** Without authors it reads their names alone. */
  constructor(text: string, authors: ReadonlyMap<string, number> | undefined) {
    if (text.length > MAX_CHARACTERS) throw invalid(`must be at most ${MAX_CHARACTERS} characters`)
    this.#text = text
    this.#authors = authors
  }

  /** Terms joined by `|`, up to the end or a closing parenthesis. */
  expression(depth: number): Node | undefined {
    if (depth > MAX_DEPTH) throw invalid(`must have parentheses ${MAX_DEPTH} deep at most`)
    const nodes: Node[] = []
    for (;;) {
      const node = this.#all(depth)
      if (node) nodes.push(node)
      if (this.#text[this.#at] !== '|') break
      this.#at += 1
    }
    return nodes.length > 1 ? { kind: 'or', nodes } : nodes[0]
  }

  #all(depth: number): Node | undefined {
    const nodes: Node[] = []
    while (this.#at < this.#text.length) {
      const sign = this.#text[this.#at]!
      if (sign === '|') break
      if (sign === ')') {
        if (this.#open > 0) break
        this.#at += 1
      } else if (sign === '+' || /\s/.test(sign)) this.#at += 1
      else {
        const node = this.#one(depth)
        if (node) nodes.push(node)
      }
    }
    return nodes.length > 1 ? { kind: 'and', nodes } : nodes[0]
  }

  #one(depth: number): Node | undefined {
    const sign = this.#text[this.#at]
    if (sign === '-') {
      this.#at += 1
      const next = this.#text[this.#at]
      if (next === undefined || /[\s|+)]/.test(next)) return undefined
      const { bounds } = this
      const node = this.#one(depth)
      if (this.bounds > bounds) throw invalid('must not have `-` before in: or a date')
      if (!node) return undefined
      return node.kind === 'not' ? node.node : { kind: 'not', node }
    }
    if (sign === '(' && this.#text.indexOf(')', this.#at) > 0) {
      this.#at += 1
      this.#open += 1
      const node = this.expression(depth + 1)
      this.#open -= 1
      if (this.#text[this.#at] === ')') this.#at += 1
      return node
    }
    if (sign === '"') {
      const end = this.#text.indexOf('"', this.#at + 1)
      if (end > 0) {
        const phrase = this.#text.slice(this.#at + 1, end)
        this.#at = end + 1
        // The maximum distance of words (`~5`) is ignored.
        const distance = /^~\d+/.exec(this.#text.slice(this.#at))
        this.#at += distance?.[0].length ?? 0
        return this.#term(phrase, false)
      }
    }
    const [word = ''] = /^[^\s|+()"]+/.exec(this.#text.slice(this.#at)) ?? []
    // A character that is no operator here is skipped.
    this.#at += Math.max(1, word.length)
    const [, operator, value] = OPERATOR.exec(word) ?? []
    if (operator !== undefined) {
      const name = operator.toLowerCase()
      const token = this.#filter(name, value!)
      if (token !== undefined) return this.#token(token)
      if (name === 'in' && this.#channel(value!)) return undefined
      if (BOUNDS.has(name) && this.#bound(name, value!)) return undefined
    }
    const plain = word.replace(/~\d+$/, '')
    return this.#term(plain, plain.endsWith('*'))
  }

  /** The token of an author or of what a cast carries; undefined when the operator has no such value. */
  #filter(operator: string, value: string): string | undefined {
    if (operator === 'from') {
      const name = value.replace(/^@/, '').toLowerCase()
      if (name !== '') this.names.add(name)
      const fid = this.#authors?.get(name)
      return fid === undefined ? undefined : authorToken(fid)
    }
    const carried = operator === 'has' ? CARRIED_NAMES[value.toLowerCase()] : undefined
    return carried && carriedToken(carried)
  }

  /** Sets the channel; false when no channel has such an id. */
  #channel(value: string): boolean {
    const id = value.replace(/^\//, '')
    if (!STORED_CHANNEL_ID.test(id)) return false
    if (this.channelId !== undefined && this.channelId !== id) {
      throw invalid('must have one in: at most')
    }
    this.channelId = id
    this.bounds += 1
    return true
  }

  /** Sets a bound on the time; false when it is no date. */
  #bound(bound: string, date: string): boolean {
    const ms = timeOfDate(date, bound === 'until')
    if (Number.isNaN(ms)) return false
    const doc = firstDocAt(Math.max(0, networkTime(ms)))
    if (bound === 'before' || bound === 'until') this.before = Math.min(this.before, doc)
    else this.from = Math.max(this.from, doc)
    this.bounds += 1
    return true
  }

  #token(token: string): Node {
    this.#count()
    return tokenNode(token)
  }

  #count(): void {
    this.#terms += 1
    if (this.#terms > MAX_TERMS) throw invalid(`must have at most ${MAX_TERMS} terms`)
  }

  #term(text: string, isPrefix: boolean): Node | undefined {
    const units = runsOf(text).flat()
    if (units.length === 0) return undefined
    const [, tag] = ONE_TAG.exec(text) ?? []
    if (tag !== undefined) return this.#token(tagToken(tag))
    this.#count()
    const last = units.at(-1)!
    return {
      kind: 'term',
      tokens: tokensOf(text),
      phrase: units.length > 1 ? units : [],
      isPrefix: isPrefix && units.length === 1 && [...last].length >= MIN_PREFIX_CHARACTERS,
    }
  }
}

const tokenNode = (token: string): Term => ({
  kind: 'term',
  tokens: [token],
  phrase: [],
  isPrefix: false,
})

const joinedWith = (node: Node, others: readonly Node[]): Node =>
  others.length === 0 ? node : { kind: 'and', nodes: [node, ...others] }

/** Without redundant parentheses: `a (b c)` is `a b c`. */
function flattened(node: Node): Node {
  if (node.kind === 'term') return node
  if (node.kind === 'not') {
    const inner = flattened(node.node)
    return inner.kind === 'not' ? inner.node : { kind: 'not', node: inner }
  }
  const nodes = node.nodes.map(flattened)
  return {
    kind: node.kind,
    nodes: nodes.flatMap((one) => (one.kind === node.kind ? one.nodes : one)),
  }
}

/** Whether every alternative has a required term: engines cannot search by negations alone. */
function isSearchable(node: Node): boolean {
  switch (node.kind) {
    case 'term':
      return true
    case 'not':
      return false
    case 'or':
      return node.nodes.every(isSearchable)
    case 'and':
      return (
        node.nodes.some(({ kind }) => kind !== 'not') &&
        node.nodes.every((one) => isSearchable(one.kind === 'not' ? one.node : one))
      )
  }
}

function hasPhrase(node: Node): boolean {
  if (node.kind === 'term') return node.phrase.length > 0
  return node.kind === 'not' ? hasPhrase(node.node) : node.nodes.some(hasPhrase)
}

/** Whether a text matches, given its units in order. Checks phrases, which engines cannot. */
export function matches(
  node: Node,
  units: readonly string[],
  hasToken: (token: string) => boolean,
): boolean {
  switch (node.kind) {
    case 'not':
      return !matches(node.node, units, hasToken)
    case 'and':
      return node.nodes.every((one) => matches(one, units, hasToken))
    case 'or':
      return node.nodes.some((one) => matches(one, units, hasToken))
    case 'term':
      if (node.isPrefix) return units.some((unit) => unit.startsWith(node.tokens[0]!))
      if (node.phrase.length === 0) return hasToken(node.tokens[0]!)
      return units.some((_, at) => node.phrase.every((unit, i) => units[at + i] === unit))
  }
}

/** The query for an engine, without adjacency. It finds a superset of what `matches` accepts. */
export function engineMatch(node: Node): Match {
  switch (node.kind) {
    case 'term': {
      const { tokens, isPrefix } = node
      const parts = tokens.map((token): Match => ({ kind: 'token', token, isPrefix }))
      return parts.length === 1 ? parts[0]! : { kind: 'and', parts }
    }
    case 'not':
      return { kind: 'not', part: engineMatch(node.node) }
    default: {
      // A text may have all words of a negated phrase without having the phrase.
      const kept = node.nodes.filter((one) => one.kind !== 'not' || !hasPhrase(one.node))
      return { kind: node.kind, parts: kept.map(engineMatch) }
    }
  }
}
