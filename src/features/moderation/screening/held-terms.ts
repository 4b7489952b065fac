import { domainToASCII } from 'node:url'
import { isLoopbackHost, readDomain } from '../../../kernel/base/web-domain.ts'
import { addressesIn } from '../../../kernel/views/addresses.ts'
import { unitsOf } from '../../../kernel/views/words.ts'
import { type PollTexts, pollIdsIn } from '../../polls/port.ts'
import type { CastContent } from '../cast-text.ts'
import type { HeldTerm } from '../tables/held.ts'

// Finds listed words and domains in a text and in addresses, in one pass whatever the length of the list.
// A listed domain is found wherever it is written with its dots: with or without a scheme, as part of a longer domain, in an e-mail
// address, and in an address that redirects to it. A domain whose labels are separated by spaces is not found.

/** Words of one term. */
export const MAX_TERM_WORDS = 8

type Term = Pick<HeldTerm, 'kind' | 'term'>

/** A tree of all terms: below each word of them, or label of a domain, those that may follow it. */
type Node = { readonly next: Map<string, Node>; term?: string }

export type TermMatcher = {
  /** The first term that a text has, or one of the addresses that stand beside it. */
  find(text: string, urls: readonly string[]): string | undefined
}

export const wordsOf = (text: string): string[] => unitsOf(seenText(text))

/** How people write that all below a domain is meant: it always is. */
const ALL_BELOW = /^(?:\*\.|www\.)+(?=.*\..)/
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/

/** A domain as it is kept, or an IPv4 address, from what a person has written; undefined when it is none. */
export function domainOf(text: string): string | undefined {
  const given = text.trim().toLowerCase().replace(ALL_BELOW, '').replace(/\.$/, '')
  const host = URL.parse(given.includes('://') ? given : `https://${given}`)?.hostname ?? ''
  if (IPV4.test(host)) return isLoopbackHost(host) ? undefined : host
  return readDomain(given, false)?.replace(ALL_BELOW, '')
}

export function termMatcher(terms: readonly Term[]): TermMatcher {
  const words: Node = { next: new Map() }
  const domains: Node = { next: new Map() }
  for (const { kind, term } of terms) {
    // An earlier version may have kept words of which search now tells fewer letters apart.
    if (kind === 'word') add(words, wordsOf(term), term)
    else add(domains, term.split('.'), term)
  }
  return {
    find(text, urls) {
      return (
        (domains.next.size > 0 ? domainIn(domains, text, urls) : undefined) ??
        termIn(words, wordsOf(text))
      )
    },
  }
}

/** Gives the matcher of a list, and makes it anew when the list has changed: that takes longer than to compare two lists. */
export function matcherOfList(): (terms: readonly Term[]) => TermMatcher {
  let known: { readonly terms: readonly Term[]; readonly matcher: TermMatcher } | undefined
  return (terms) => {
    if (!known || !isSameList(known.terms, terms)) known = { terms, matcher: termMatcher(terms) }
    return known.matcher
  }
}

const isSameList = (one: readonly Term[], other: readonly Term[]): boolean =>
  one.length === other.length &&
  one.every(({ kind, term }, i) => kind === other[i]!.kind && term === other[i]!.term)

/** The first term that a cast has: in what it says, carries or answers, or in the polls that it carries, by their ids. */
export function termInCast(
  { text, urls, parentUrls }: Pick<CastContent, 'urls' | 'parentUrls'> & { readonly text: string },
  matcher: TermMatcher,
  polls: PollTexts | undefined,
): string | undefined {
  const carried = polls ? pollIdsIn(urls).flatMap((id) => polls.get(id) ?? []) : []
  const found = matcher.find(text, [...urls, ...parentUrls])
  if (found !== undefined) return found
  // Each by itself: nobody has written what stands across two of them.
  for (const one of carried) {
    const inPoll = matcher.find(one, [])
    if (inPoll !== undefined) return inPoll
  }
  return undefined
}

function add(root: Node, parts: readonly string[], term: string): void {
  // What every text has would hold every text.
  if (parts.length === 0) return
  let node = root
  for (const part of parts) {
    const next = node.next.get(part) ?? { next: new Map() }
    node.next.set(part, next)
    node = next
  }
  node.term ??= term
}

/** From each part at most as many are looked at as the longest term has. */
function termIn(root: Node, parts: readonly string[]): string | undefined {
  for (let start = 0; start < parts.length; start++) {
    let node: Node | undefined = root
    for (let at = start; node; at++) {
      if (node.term !== undefined) return node.term
      node = at < parts.length ? node.next.get(parts[at]!) : undefined
    }
  }
  return undefined
}

function domainIn(root: Node, text: string, urls: readonly string[]): string | undefined {
  const linked = addressesIn(seenText(text)).map(({ address }) => address)
  const texts = [
    ...unescapedForms(text).map(seenText),
    ...urls.flatMap((url) => unescapedForms(url).map(seenAddress)),
    // What else the parser of URLs understands, such as addresses of the Internet written as one number.
    ...[...linked, ...urls].map((url) => URL.parse(url)?.hostname ?? ''),
  ]
  for (const one of texts) {
    for (const labels of namesIn(one)) {
      const found = termIn(root, labels)
      if (found !== undefined) return found
    }
  }
  return undefined
}

/** What is not seen and may stand between letters: all that pages leave out of a text, and marks around letters. */
const UNSEEN = /(?![\n\r\t])[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]|(?<![#*\d])\p{Me}/gu

const seenText = (text: string): string => text.replace(UNSEEN, '')
/** Browsers leave line breaks and tabs out of addresses. */
const seenAddress = (url: string): string => seenText(url).replace(/[\n\r\t]/g, '')

/** An address in the query of another one is escaped, and once more behind a second redirection. */
const MAX_ESCAPED = 3
const ESCAPES = /(?:%[0-9a-f]{2})+/gi
const unescaped = (text: string): string =>
  text.replace(ESCAPES, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())

/** A text as it is written, and without its escapes as often as it has some. */
function unescapedForms(text: string): string[] {
  const forms = [text]
  while (forms.length <= MAX_ESCAPED) {
    const next = unescaped(forms.at(-1)!)
    if (next === forms.at(-1)) break
    forms.push(next)
  }
  return forms
}

/** Names are written with these; the last two stand for dots in names of other scripts. */
const NAMES = /[\p{L}\p{N}\p{M}.。｡-]+/gu
const DOTS = /[.。｡]/u
/** Marks without a letter of their own: a name with them reads like one without. */
const MARKS = /(?<=[\p{Script=Latin}\p{N}.])\p{Mn}+/gu

/** The names that a text has, as their labels in ASCII. */
const namesIn = (text: string): string[][] =>
  (text.normalize('NFKC').replace(MARKS, '').match(NAMES) ?? []).flatMap((run) => {
    const labels = run.split(DOTS).map(labelOf)
    // Behind a hyphen prose may go on, as in spam.example-look.
    return [labels, [...labels.slice(0, -1), labels.at(-1)!.split('-')[0]!]]
  })

const ASCII = /^[\0-\x7f]*$/

function labelOf(written: string): string {
  let [start, end] = [0, written.length]
  // No pattern: it would begin anew at each of many hyphens.
  while (written[start] === '-') start++
  while (end > start && written[end - 1] === '-') end--
  const label = written.slice(start, end)
  return ASCII.test(label) ? label.toLowerCase() : domainToASCII(label)
}
