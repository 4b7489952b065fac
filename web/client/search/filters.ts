import { t } from '../../shared/messages.ts'
import { locale } from '../../shared/meta.ts'

// What narrows a search stands in its query as operators, so that an address has all of it.

export type FilterName = 'from' | 'in' | 'since' | 'until' | 'has'
export type Filter = { readonly name: FilterName; readonly value: string }

/** A phrase, or an operator: what stands in quotation marks is none. */
const PART = /"[^"]*"|(?<=^|\s)(from|in|since|until|has):([^\s"()|]+)(?=\s|$)/gi
const PHRASE = /"[^"]*"/g

/** The words of a query, and its operators. Those of alternatives stay where they are: they do not hold for the whole query. */
export function readQuery(q: string): { words: string; filters: Filter[] } {
  if (/[|()]/.test(q.replace(PHRASE, ''))) return { words: q.trim(), filters: [] }
  const filters: Filter[] = []
  const words = q.replace(PART, (part, name: string | undefined, value: string) => {
    if (name === undefined) return part
    filters.push({ name: name.toLowerCase() as FilterName, value })
    return ''
  })
  return { words: words.replace(/\s+/g, ' ').trim(), filters }
}

/** A filter holds for all alternatives. */
const grouped = (words: string): string =>
  words.replace(PHRASE, '').includes('|') ? `(${words})` : words

export const queryOf = (words: string, filters: readonly Filter[]): string =>
  [
    filters.length > 0 ? grouped(words) : words,
    ...filters.map(({ name, value }) => `${name}:${value}`),
  ]
    .filter(Boolean)
    .join(' ')

export const searchPath = (q: string): string => `/search?${new URLSearchParams({ q })}`

const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

function dayText(date: string): string {
  const ms = Date.parse(date)
  return Number.isNaN(ms) ? date : DAY.format(ms)
}

/** What a post may carry, by what stands behind `has:`: alone, and behind a post. */
export const CARRIED: Readonly<Record<string, readonly [alone: string, behind: string]>> = {
  pictures: [t('pictures'), t('with pictures')],
  videos: [t('videos'), t('with videos')],
  links: [t('links'), t('with links')],
}

/** A filter in words. */
export function filterText({ name, value }: Filter): string {
  switch (name) {
    case 'from':
      return t('from @{replace}', { replace: value.replace(/^@/, '') })
    case 'in':
      return t('in /{replace}', { replace: value.replace(/^\//, '') })
    case 'since':
      return t('since {day}', { day: dayText(value) })
    case 'until':
      return t('until {day}', { day: dayText(value) })
    case 'has':
      return CARRIED[value.toLowerCase()]?.[1] ?? t('with {value}', { value })
  }
}
