import type { AppContext } from '../../kernel/app-api/context.ts'
import {
  boundedParam,
  channelIdParam,
  invalid,
  missing,
  parentUrlParam,
} from '../../kernel/app-api/params.ts'
import { placeOf } from '../../kernel/app-api/places.ts'
import {
  anyTextParam,
  described,
  fidParam,
  optional,
  type Param,
  type ParsedParams,
  wordParam,
} from '../../kernel/http/input/params.ts'
import { MAX_FID } from '../../kernel/protocol/sizes.ts'
import { networkTime } from '../../kernel/protocol/time.ts'
import type { Match } from '../../kernel/storage/engines/word-index.ts'
import type { WordQuery } from '../../kernel/storage/reads/app-search.ts'
import { firstDocAt } from '../../kernel/storage/views/views.ts'
import { ONE_TAG } from '../../kernel/views/tags.ts'
import { authorToken, carriedToken, MAX_WORD_LENGTH, tagToken } from '../../kernel/views/words.ts'
import {
  authorsIn,
  engineMatch,
  isDay,
  type Node,
  parseSearch,
  timeOfDate,
} from './search-query.ts'

// What a search of casts is narrowed by: parameters of the routes, and the same as operators in the query.

export const castQueryParam = described(
  anyTextParam,
  'Words (all of them), `#tags`, `|` for or, `-` for not, `"phrases"`, `prefixes*`, parentheses; `from:` a username or ' +
    '`!` and a fid, `has:pictures`, `has:videos`, `has:links`, `in:` a channel; `since:` and `until:` a day in UTC that ' +
    'counts, `after:` and `before:` a time. Other words with a colon are words.',
)

const dayParam = (description: string): Param<string> => ({
  schema: { type: 'string', format: 'date' },
  description,
  parse: (text, field) => {
    if (isDay(text)) return text
    throw invalid(field, 'must be a day such as 2026-01-31')
  },
})

const tagParam: Param<string> = {
  ...boundedParam(MAX_WORD_LENGTH, 'Only casts with this tag, with or without its sign.'),
  parse: (text, field) => {
    const tag = text.replace(/^#/, '')
    if (text.length <= MAX_WORD_LENGTH && ONE_TAG.test(`#${tag}`)) return tag
    throw invalid(field, `must be letters and digits, at most ${MAX_WORD_LENGTH}`)
  },
}

export const filterParams = {
  author_fid: optional(described(fidParam, 'Only casts of this user.')),
  parent_url: optional(parentUrlParam),
  channel_id: optional(channelIdParam),
  since: optional(dayParam('Only casts of this day and later, UTC.')),
  until: optional(dayParam('Only casts of this day and earlier, UTC.')),
  has: optional(
    described(wordParam(['pictures', 'videos', 'links']), 'Only casts that carry some.'),
  ),
  tag: optional(tagParam),
}
type Filters = ParsedParams<typeof filterParams>

/** What is searched, without its reader and page. */
export type Asked = Pick<WordQuery, 'match' | 'place' | 'channelId' | 'from' | 'before'> & {
  /** Matches whose texts have to be checked against this; undefined when the index knows enough. */
  readonly checked: Node | undefined
}

/** Null when nothing can match: no cast is in the channel or below the url. */
export async function readSearch(
  context: AppContext,
  { q, ...filters }: { q?: string | undefined } & Partial<Filters>,
): Promise<Asked | null> {
  const tokens = tokensOfFilters(filters)
  const parsed = q === undefined ? undefined : parseSearch(q, await authorsOf(context, q), tokens)
  const root = parsed?.root
  const { since, until, parentUrl } = filters
  const isNarrowed = [since, until, parentUrl, filters.channelId].some((one) => one !== undefined)
  if (!parsed && tokens.length === 0 && !isNarrowed) throw missing('q', 'q or a filter')
  const channelId = await channelOf(context, parsed?.channelId, filters.channelId)
  const place = await placeOf(context, { parentUrl, channelId })
  if (place === null) return null
  const parts = root ? [engineMatch(root)] : tokens.map((token) => tokenMatch(token))
  return {
    match: parts.length > 1 ? { kind: 'and', parts } : parts[0],
    place,
    channelId,
    from: Math.max(parsed?.from ?? 0, since === undefined ? 0 : docAt(since, false)),
    before: Math.min(
      parsed?.before ?? Number.MAX_SAFE_INTEGER,
      until === undefined ? Number.MAX_SAFE_INTEGER : docAt(until, true),
    ),
    checked: parsed?.needsCheck ? root : undefined,
  }
}

export const tokenMatch = (token: string, isPrefix = false): Match => ({
  kind: 'token',
  token,
  isPrefix,
})

const docAt = (day: string, isEnd: boolean) =>
  firstDocAt(Math.max(0, networkTime(timeOfDate(day, isEnd))))

const tokensOfFilters = ({ authorFid, has, tag }: Partial<Filters>): string[] => [
  ...(authorFid === undefined ? [] : [authorToken(authorFid)]),
  ...(has === undefined ? [] : [carriedToken(has)]),
  ...(tag === undefined ? [] : [tagToken(tag)]),
]

/** Throws a Rejection for a name that nobody has. */
async function authorsOf(context: AppContext, q: string): Promise<Map<string, number>> {
  const found = await Promise.all(
    authorsIn(q).map(async (name) => {
      const fid = await fidOf(context, name)
      if (fid === undefined) throw invalid('q', `has from:${name}, and nobody is called so`)
      return [name, fid] as const
    }),
  )
  return new Map(found)
}

function fidOf({ storage }: AppContext, name: string): Promise<number | undefined> | number {
  const [, number] = /^!(\d{1,10})$/.exec(name) ?? []
  if (number === undefined) return storage.appViews.fidByName(name)
  return Math.min(Number(number), MAX_FID)
}

/** The id as it is stored. Throws a Rejection for one of `in:` that no channel has. */
async function channelOf(
  { channelCache }: AppContext,
  asked: string | undefined,
  filter: string | undefined,
): Promise<string | undefined> {
  if (asked === undefined) return filter
  const { byId } = await channelCache.refresh()
  const id = byId.has(asked) ? asked : asked.toLowerCase()
  if (!byId.has(id)) throw invalid('q', `has in:${asked}, and there is no such channel`)
  if (filter !== undefined && filter !== id)
    throw invalid('q', 'has another channel than channel_id')
  return id
}
