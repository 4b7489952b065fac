// What narrows a search stands in its query as operators, so that an address has all of it.

export type FilterName = 'from' | 'in' | 'since' | 'until' | 'has'
export type Filter = { readonly name: FilterName; readonly value: string }

/** An operator outside of quotation marks. */
const OPERATOR = /(?<=^|\s)(from|in|since|until|has):([^\s"()|]+)(?=\s|$)/gi

/** The words of a query, and its operators. */
export function readQuery(q: string): { words: string; filters: Filter[] } {
  const filters: Filter[] = []
  const words = q.replace(OPERATOR, (_, name: string, value: string) => {
    filters.push({ name: name.toLowerCase() as FilterName, value })
    return ''
  })
  return { words: words.replace(/\s+/g, ' ').trim(), filters }
}

export const queryOf = (words: string, filters: readonly Filter[]): string =>
  [words, ...filters.map(({ name, value }) => `${name}:${value}`)].filter(Boolean).join(' ')

export const searchPath = (q: string): string => `/search?${new URLSearchParams({ q })}`

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

function dayText(date: string): string {
  const ms = Date.parse(date)
  return Number.isNaN(ms) ? date : DAY.format(ms)
}

/** A filter in words. */
export function filterText({ name, value }: Filter): string {
  switch (name) {
    case 'from':
      return `from @${value.replace(/^@/, '')}`
    case 'in':
      return `in /${value.replace(/^\//, '')}`
    case 'since':
      return `since ${dayText(value)}`
    case 'until':
      return `until ${dayText(value)}`
    case 'has':
      return `with ${value}`
  }
}
