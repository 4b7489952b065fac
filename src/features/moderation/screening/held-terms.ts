import { domainToASCII } from 'node:url'
import { readDomain } from '../../../kernel/base/web-domain.ts'
import { addressesIn } from '../../../kernel/views/addresses.ts'
import { unitsOf } from '../../../kernel/views/words.ts'
import type { HeldTerm } from '../tables/held.ts'

// Whether a text or an address has a word or a domain of the list, in one pass over it whatever the list has.
// A domain is one where it is written with its dots: with or without a scheme, as part of a longer name, in mail addresses and in
// the addresses of redirections. What is written with spaces is prose.

/** Words of one term. */
export const MAX_TERM_WORDS = 8
/** What is not seen and may stand between letters. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu

type Term = Pick<HeldTerm, 'kind' | 'term'>

/** A tree of the words of all terms: below each word those that may follow it. */
type Node = { readonly next: Map<string, Node>; term?: string }

export type TermMatcher = {
  /** The first term that a text has, or one of the addresses that stand beside it. */
  find(text: string, urls: readonly string[]): string | undefined
}

export const wordsOf = (text: string): string[] => unitsOf(text.replace(UNSEEN, ''))

/** A domain as it is kept, from what a person has written; undefined when it is none. */
export const domainOf = (text: string): string | undefined =>
  readDomain(text.trim().toLowerCase(), false)

export function termMatcher(terms: readonly Term[]): TermMatcher {
  const root: Node = { next: new Map() }
  const domains = new Set<string>()
  for (const { kind, term } of terms) {
    if (kind === 'word') add(root, term.split(' '), term)
    else domains.add(term)
  }
  const depth = Math.max(0, ...[...domains].map((domain) => domain.split('.').length))
  return {
    find(text, urls) {
      const domain =
        depth > 0 && hostsOf([text, ...urls].join('\n'), depth).find((host) => domains.has(host))
      return domain || wordIn(root, wordsOf(text))
    },
  }
}

function add(root: Node, words: readonly string[], term: string): void {
  let node = root
  for (const word of words) {
    const next = node.next.get(word) ?? { next: new Map() }
    node.next.set(word, next)
    node = next
  }
  node.term ??= term
}

/** From each word at most MAX_TERM_WORDS further ones are looked at. */
function wordIn(root: Node, words: readonly string[]): string | undefined {
  for (let start = 0; start < words.length; start++) {
    let node: Node | undefined = root
    for (let at = start; node; at++) {
      if (node.term !== undefined) return node.term
      node = at < words.length ? node.next.get(words[at]!) : undefined
    }
  }
  return undefined
}

/** Names are written with these; the last three stand for dots in names of other scripts. */
const DOTS = /[.。．｡]/u
const NAMES = /[\p{L}\p{N}\p{M}.。．｡-]+/gu

/** The hosts that a text names, and the domains above them, with up to `depth` labels: in ASCII. */
function hostsOf(text: string, depth: number): string[] {
  const seen = text.replace(UNSEEN, '')
  // Parts of a host may be escaped.
  const linked = addressesIn(seen).map(({ address }) => URL.parse(address)?.hostname ?? '')
  return [...linked, ...(seen.match(NAMES) ?? [])].flatMap((name) => domainsOf(name, depth))
}

function domainsOf(name: string, depth: number): string[] {
  // Letters of other scripts, such as full-width ones, may stand for a dot.
  const labels = name.normalize('NFKC').split(DOTS).filter(Boolean).slice(-depth)
  const ascii = labels.map((label) =>
    ASCII.test(label) ? label.toLowerCase() : domainToASCII(label),
  )
  return ascii.map((_, i) => ascii.slice(i).join('.'))
}

const ASCII = /^[\0-\x7f]*$/
