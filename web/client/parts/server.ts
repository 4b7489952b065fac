import { useQuery } from '@tanstack/react-query'
import { language } from '../../shared/meta.ts'
import { fetchJson } from '../../shared/request.ts'
import { cleanText } from '../../shared/text.ts'

// What the server says about itself beyond what is written into the page.

export type Server = {
  readonly name: string
  readonly description: string
  readonly contact: string
  readonly rules: string
  readonly privacy: string
  /** Years, or empty. */
  readonly minimumAge: string
  /** Of the rules; empty without rules. */
  readonly rulesVersion: string
  /** `required` where pictures and videos must be described. */
  readonly descriptions: string
  /** Its language; empty: English. */
  readonly language: string
  /** What is shown in a translation, in its own language. */
  readonly originals: Readonly<Partial<Record<Translated, string>>>
}
type Translated = 'name' | 'description' | 'rules' | 'privacy'

/** In the language of the page. */
export const useServer = (enabled = true) =>
  useQuery({
    queryKey: ['server'],
    queryFn: () => fetchJson<Server>(`/v1/server?lang=${language}`),
    enabled,
  })

/** Of a text of the server, for `lang`. */
export const langOf = ({ originals, language: own }: Server, field: Translated): string =>
  originals[field] === undefined ? own || 'en' : language

/** Rules that are named one by one, each with as many characters as a decision may have. */
const MAX_RULES = 30
const MAX_RULE_CHARACTERS = 200

/** The items of the lists in the rules, as text of one line. */
export const rulesIn = (markdown: string): string[] =>
  [...markdown.matchAll(/^\s*(?:[-*+]|\d+[.)])\s+(.+)$/gm)]
    .map(([, item]) => {
      const plain = item!.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[*_`]/g, '')
      const characters = [...cleanText(plain).replace(/\s+/g, ' ').trim()]
      return characters.slice(0, MAX_RULE_CHARACTERS).join('').trim()
    })
    .slice(0, MAX_RULES)

/** The rules as who reads has them, and as reports and decisions name them: in the language of the server, which all read. */
export function rulesOf(server: Server | undefined): { shown: string; rule: string }[] {
  const { rules = '', originals = {} } = server ?? {}
  const own = rulesIn(originals.rules ?? rules)
  const read = rulesIn(rules)
  // A translation may have them in other lists.
  return own.map((rule, i) => ({ rule, shown: read.length === own.length ? read[i]! : rule }))
}
