import { useQuery } from '@tanstack/react-query'
import { fetchJson } from '../../shared/request.ts'
import { cleanText } from '../../shared/text.ts'

// What the server says about itself beyond what is written into the page.

type Server = {
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
}

export const useServer = (enabled = true) =>
  useQuery({ queryKey: ['server'], queryFn: () => fetchJson<Server>('/v1/server'), enabled })

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
