import { Rejection } from '../../kernel/protocol/rejection.ts'
import { networkTime } from '../../kernel/protocol/time.ts'
import type { Match } from '../../kernel/storage/engines/word-index.ts'
import { firstDocAt } from '../../kernel/storage/views/views.ts'
import { ONE_TAG } from '../../kernel/views/tags.ts'
import { runsOf, tagToken, tokensOf } from '../../kernel/views/words.ts'

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
  readonly root: Node
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

/** Throws a Rejection when the query is too long, too deep or has no required term. */
export function parseSearch(text: string): SearchQuery {
  if (text.length > MAX_CHARACTERS) throw invalid(`must be at most ${MAX_CHARACTERS} characters`)
  const parser = new Parser(text)
  const read = parser.expression(0)
  const root = read && flattened(read)
  if (!root || !isSearchable(root)) throw invalid('must have a word that is searched for')
  return { root, from: parser.from, before: parser.before, needsCheck: hasPhrase(root) }
}

class Parser {
  from = 0
  before = Number.MAX_SAFE_INTEGER
  readonly #text: string
  #at = 0
  #terms = 0
  #open = 0

  constructor(text: string) {
    this.#text = text
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
      const node = this.#one(depth)
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
    const [, bound, date] = /^(before|after):(.+)$/.exec(word) ?? []
    if (bound !== undefined && this.#bound(bound, date!)) return undefined
    const plain = word.replace(/~\d+$/, '')
    return this.#term(plain, plain.endsWith('*'))
  }

  /** Sets a bound on the time; false when it is no date. */
  #bound(bound: string, date: string): boolean {
    const ms = /^\d{4}-\d{2}-\d{2}/.test(date) ? Date.parse(date) : Number.NaN
    if (Number.isNaN(ms)) return false
    const doc = firstDocAt(Math.max(0, networkTime(ms)))
    if (bound === 'before') this.before = Math.min(this.before, doc)
    else this.from = Math.max(this.from, doc)
    return true
  }

  #term(text: string, isPrefix: boolean): Node | undefined {
    const units = runsOf(text).flat()
    if (units.length === 0) return undefined
    this.#terms += 1
    if (this.#terms > MAX_TERMS) throw invalid(`must have at most ${MAX_TERMS} terms`)
    const [, tag] = ONE_TAG.exec(text) ?? []
    if (tag !== undefined) {
      return { kind: 'term', tokens: [tagToken(tag)], phrase: [], isPrefix: false }
    }
    const last = units.at(-1)!
    return {
      kind: 'term',
      tokens: tokensOf(text),
      phrase: units.length > 1 ? units : [],
      isPrefix: isPrefix && units.length === 1 && [...last].length >= MIN_PREFIX_CHARACTERS,
    }
  }
}

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
