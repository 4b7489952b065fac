import { fromBinary } from '@bufbuild/protobuf'
import { VIEWS } from '../../kernel/app-api/app-route.ts'
import type { AppContext } from '../../kernel/app-api/context.ts'
import { nextOf, paged } from '../../kernel/app-api/cursor.ts'
import { castsPage, NO_CASTS, pageOf, sliceOf, usersOf } from '../../kernel/app-api/pages.ts'
import { boundedParam, choiceParam, viewerParam } from '../../kernel/app-api/params.ts'
import { pointsOfCasts } from '../../kernel/app-api/ranking.ts'
import { CastSearchReply, UserSearchReply } from '../../kernel/app-api/schemas.ts'
import { optional } from '../../kernel/http/input/params.ts'
import { bind, type Route, route } from '../../kernel/http/route.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { networkTime } from '../../kernel/protocol/time.ts'
import { MessageDataSchema } from '../../kernel/protocol/wire/message_pb.js'
import type { FeedItem } from '../../kernel/storage/reads/app-feeds.ts'
import type { UserQuery, WordItem, WordQuery } from '../../kernel/storage/reads/app-search.ts'
import { ageHoursOf, fadedPoints } from '../../kernel/views/ranking.ts'
import {
  authorToken,
  castTokens,
  searchedPartOf,
  tokensOf,
  unitsOf,
} from '../../kernel/views/words.ts'
import { castQueryParam, filterParams, readSearch, tokenMatch } from './search-filters.ts'
import { MIN_PREFIX_CHARACTERS, matches, type Node } from './search-query.ts'

export const SEARCH = [{ name: 'Search', description: 'Full-text search of casts and users.' }]

/** Matches that one request reads, and those whose text it reads to check phrases. */
const MAX_MATCHES = 5_000
const MAX_CHECKED = 500
/** The texts of so many pages of matches are read first. */
const FIRST_CHECKED_PAGES = 4
/** Matches that are checked next, as a factor of the number that is expected to fill the page. */
const CHECKED_RESERVE = 1.3
/** The newest matches, which are ranked. */
const MAX_RANKED = 1_000

/** Routes of search. */
export const searchRoutes = (context: AppContext): Route[] =>
  bind(context, [castSearch, userSearch])

export const castSearch = route('GET /v2/farcaster/cast/search', {
  callers: 'app',
  summary: 'Casts with words, of a person, in a channel, of a time, or with pictures',
  description:
    'By time, or ranked among the newest 1,000 matches. A page may be short and go on. Needs `q` or a filter; all of them count.',
  tags: SEARCH,
  limit: 'search',
  query: {
    q: optional(castQueryParam),
    mode: choiceParam(['literal', 'semantic', 'hybrid'], '`hybrid` means `literal`.'),
    sort_type: choiceParam(['desc_chron', 'chron', 'algorithmic'], 'The order.'),
    ...filterParams,
    viewer_fid: viewerParam,
    ...paged({ default: 25, max: 100 }, 'n'),
  },
  reply: CastSearchReply,
  errors: ['not_supported'],
  cost: { cpu: 'large', rows: 100 },
  from: VIEWS,
  handler: async (context, { viewer, query }) => {
    if (query.mode === 'semantic') {
      throw new Rejection('not_supported', 'mode semantic is not supported')
    }
    const { limit, sortType } = query
    const search = await readSearch(context, query)
    if (search === null) return { result: NO_CASTS }
    const isRanked = sortType === 'algorithmic'
    const descending = sortType !== 'chron'
    const at = isRanked ? undefined : query.cursor?.[0]
    const wanted: WordQuery = {
      ...search,
      viewer,
      from: !descending && at !== undefined ? Math.max(search.from, at + 1) : search.from,
      before: descending && at !== undefined ? Math.min(search.before, at) : search.before,
      descending,
      limit: isRanked ? MAX_RANKED : limit,
      most: MAX_MATCHES,
    }
    const page = search.checked
      ? await checkedPage(context, wanted, search.checked)
      : await context.search.castsWithWords(wanted)
    if (!isRanked) return { result: await castsPage(context, viewer, page) }
    const ranked = await rankedItems(context, page.items)
    const slice = sliceOf(ranked, query.cursor?.[0] ?? 0, limit)
    return { result: await castsPage(context, viewer, slice) }
  },
})

/** What a text asks of names: the beginning of a username, or words of names, the last of them perhaps not to its end. */
export function namesAsked(q: string): Pick<UserQuery, 'name' | 'match'> {
  const name = q.trim().replace(/^@/, '').toLowerCase()
  const tokens = tokensOf(q)
  const parts = tokens.map((token, i) => {
    const isLast = i === tokens.length - 1
    return tokenMatch(token, isLast && [...token].length >= MIN_PREFIX_CHARACTERS)
  })
  return { name, match: parts.length > 0 ? { kind: 'and', parts } : undefined }
}

export const userSearch = route('GET /v2/farcaster/user/search', {
  callers: 'app',
  summary: 'Users by the beginning of a username or by words of a name',
  description: 'The one with exactly this username first, then those with the most followers.',
  tags: SEARCH,
  limit: 'search',
  query: {
    q: boundedParam(64, 'The beginning of a username, or words of a name.'),
    viewer_fid: viewerParam,
    ...paged({ default: 5, max: 10 }, 'n'),
  },
  reply: UserSearchReply,
  cost: { cpu: 'large', rows: 10 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { q, limit, cursor: [offset] = [0] } }) => {
    const page = { ...namesAsked(q), viewer, limit: limit + 1, offset }
    const { items, last } = pageOf(await context.search.usersWithWords(page), limit)
    const users = await usersOf(context, viewer, items)
    return { result: { users, next: nextOf(last === undefined ? undefined : [offset + limit]) } }
  },
})

/**
 * A page of casts whose texts were checked again: the word index does not know which words are adjacent. The number of
 * matches that are checked next follows from the share of those before that did match.
 */
export async function checkedPage(context: AppContext, query: WordQuery, root: Node) {
  const { limit } = query
  const items: FeedItem[] = []
  let checked = 0
  const batchSize = () => {
    const expected = ((limit + 1 - items.length) * (checked + 1)) / (items.length + 1)
    const size = Math.max(FIRST_CHECKED_PAGES * limit, CHECKED_RESERVE * expected)
    return Math.min(Math.ceil(size), MAX_CHECKED - checked)
  }
  for (let rest = query; ; ) {
    const size = batchSize()
    const ahead = MAX_CHECKED - checked - size
    const page = await context.search.castsWithWords({ ...rest, limit: size, ahead })
    for (let at = 0; at < page.items.length && items.length <= limit; ) {
      const batch = page.items.slice(at, at + batchSize())
      items.push(...(await matchesAmong(context, batch, root)))
      at += batch.length
      checked += batch.length
    }
    if (items.length > limit) {
      return { items: items.slice(0, limit), next: items[limit - 1]!.doc }
    }
    const { next, frequency } = page
    // A search that the engine ended early because it took too long is not continued.
    const isEnded = next === undefined || page.items.length < size
    if (isEnded || checked >= MAX_CHECKED) return { items, next }
    const place = rest.descending ? { before: next } : { from: next + 1 }
    rest = { ...rest, ...place, frequency }
  }
}

async function matchesAmong({ storage }: AppContext, found: readonly WordItem[], root: Node) {
  const texts = await storage.appViews.textsOf(found.map(({ id }) => id))
  const matching = new Set(texts.filter(({ data }) => isMatch(data, root)).map(({ id }) => id))
  return found.filter(({ id }) => matching.has(id))
}

function isMatch(data: Uint8Array, root: Node): boolean {
  const { body, fid } = fromBinary(MessageDataSchema, data)
  if (body.case !== 'castAddBody') return false
  const { text, embeds, embedsDeprecated } = body.value
  const urls = [
    ...embedsDeprecated,
    ...embeds.flatMap(({ embed }) => (embed.case === 'url' ? [embed.value] : [])),
  ]
  // A phrase does not reach from the text into a url.
  const units = [text, ...urls.map(searchedPartOf)].flatMap((part) => [...unitsOf(part), ''])
  let tokens: ReadonlySet<string> | undefined
  const hasToken = (token: string) => {
    tokens ??= new Set([authorToken(Number(fid)), ...castTokens(text, urls)])
    return tokens.has(token)
  }
  return matches(root, units, hasToken)
}

async function rankedItems(context: AppContext, items: readonly FeedItem[]): Promise<FeedItem[]> {
  const keys = items.map(({ key }) => key)
  const points = await pointsOfCasts(context, keys)
  const now = networkTime(context.nowMs())
  const value = ({ key, doc }: FeedItem) => fadedPoints(points(key), ageHoursOf(doc, now))
  return items.toSorted((a, b) => value(b) - value(a) || b.doc - a.doc)
}
