import { domainToUnicode } from 'node:url'
import { readDomain } from '../../kernel/base/web-domain.ts'
import { unitsOf } from '../../kernel/views/words.ts'
import type { HeldTerm } from './tables/held.ts'

// Whether a text or an address has a word or a domain of the list, in one pass over it whatever the list has.

/** Words of one term. */
export const MAX_TERM_WORDS = 8
/** What is not seen and may stand between letters. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu

type Term = Pick<HeldTerm, 'kind' | 'term'>

/** A tree of the words of all terms: below each word those that may follow it. */
type Node = { readonly next: Map<string, Node>; term?: string }

export type TermMatcher = {
  /** The first term that a cast has; `urls` are the addresses that it carries. */
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
    else {
      domains.add(term)
      for (const written of [term, domainToUnicode(term)]) add(root, unitsOf(written), term)
    }
  }
  return {
    find: (text, urls) =>
      urls.map((url) => domainIn(domains, url)).find((term) => term !== undefined) ??
      wordIn(root, wordsOf(text)),
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

/** The domain of an address, or one above it. */
function domainIn(domains: ReadonlySet<string>, url: string): string | undefined {
  let host = URL.parse(url)?.hostname.replace(/\.$/, '') ?? ''
  for (;;) {
    if (domains.has(host)) return host
    const dot = host.indexOf('.')
    if (dot < 0) return undefined
    host = host.slice(dot + 1)
  }
}
