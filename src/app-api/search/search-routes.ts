import { fromBinary } from '@bufbuild/protobuf'
import { limitParam } from '../../http/input/paging.ts'
import {
  described,
  fidParam,
  optional,
  type Param,
  withDefault,
  wordParam,
} from '../../http/input/params.ts'
import type { Route } from '../../http/route.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { urlTargetKey } from '../../protocol/slots.ts'
import { networkTime } from '../../protocol/time.ts'
import { MessageDataSchema } from '../../protocol/wire/message_pb.js'
import type { FeedItem } from '../../storage/reads/app-feeds.ts'
import type { WordItem, WordQuery } from '../../storage/reads/app-search.ts'
import { ageHoursOf, fadedPoints, pointsOf } from '../../views/ranking.ts'
import { authorToken, searchedPartOf, tokensOf, unitsOf } from '../../views/words.ts'
import type { AppContext } from '../context.ts'
import { cursorParam, cursorsParam, nextOf, partsOf } from '../cursor.ts'
import { nameOfKey } from '../keys.ts'
import { viewRoute } from '../kit.ts'
import { hydrate } from '../objects/hydrate.ts'
import { onlookerOf } from '../objects/onlooker.ts'
import { castsOf } from '../pages.ts'
import { channelIdParam, invalid, parentUrlParam, viewerParam } from '../params.ts'
import { CastSearchReply, UserSearchReply } from '../schemas.ts'
import { engineMatch, matches, type Node, parseSearch } from './search-query.ts'

const SEARCH = [{ name: 'Search', description: 'Full-text search of casts and users.' }]

/** Matches that one request looks at, and those whose text it reads to check phrases. */
const MAX_MATCHES = 5_000
const MAX_CHECKED = 500
/** Pages of matches whose text is read first. */
const FIRST_CHECKED_PAGES = 4
/** More than as many as are expected to fill the page are looked at next. */
const CHECKED_RESERVE = 1.3
/** Newest matches that are ranked. */
const MAX_RANKED = 1_000
const MIN_PREFIX_CHARACTERS = 3

const castQueryParam: Param<string> = {
  schema: { type: 'string', minLength: 1 },
  description:
    'Words (all of them), `|` for or, `-` for not, `"phrases"`, `prefixes*`, parentheses, `before:` and `after:` with a date.',
  parse: (text) => text,
}

const userQueryParam: Param<string> = {
  schema: { type: 'string', minLength: 1, maxLength: 64 },
  description: 'The beginning of a username, or words of a name.',
  parse: (text, field) => {
    if (text.length > 64) throw invalid(field, 'must be at most 64 characters')
    return text
  },
}

type Sort = 'desc_chron' | 'chron' | 'algorithmic'

/** Routes of search. */
export function searchRoutes(context: AppContext): Route[] {
  const get = viewRoute(context)
  return [
    get(
      {
        path: '/cast/search',
        summary: 'Casts with words',
        description:
          'By time, or ranked among the newest 1,000 matches. A page may be short and go on.',
        tags: SEARCH,
        limit: 'search',
        query: {
          q: castQueryParam,
          mode: withDefault(
            described(wordParam(['literal', 'semantic', 'hybrid']), '`hybrid` means `literal`.'),
            'literal',
          ) as Param<'literal' | 'semantic' | 'hybrid'>,
          sort_type: withDefault(
            described(wordParam(['desc_chron', 'chron', 'algorithmic']), 'The order.'),
            'desc_chron',
          ) as Param<Sort>,
          author_fid: optional(described(fidParam, 'Only casts of this user.')),
          parent_url: optional(parentUrlParam),
          channel_id: optional(channelIdParam),
          viewer_fid: viewerParam,
          limit: limitParam({ default: 25, max: 100 }),
          cursor: cursorsParam(['search', 'ranked'], ['n']),
        },
        reply: CastSearchReply,
        errors: ['not_supported'],
        cost: { cpu: 'large', rows: 100 },
      },
      async ({ query, caller }) => {
        if (query.mode === 'semantic') {
          throw new Rejection('not_supported', 'mode semantic is not supported')
        }
        const { limit, sortType } = query
        const search = parseSearch(query.q)
        const onlooker = onlookerOf(caller, query.viewerFid)
        const place = await placeOf(context, query)
        if (place === null) return { result: { casts: [], next: { cursor: null } } }
        const words = engineMatch(search.root)
        const author =
          query.authorFid === undefined
            ? []
            : [{ kind: 'token' as const, token: authorToken(query.authorFid), isPrefix: false }]
        const isRanked = sortType === 'algorithmic'
        const at = isRanked ? undefined : partsOf(query.cursor, 'search')?.[0]
        const descending = sortType !== 'chron'
        const asked: WordQuery = {
          match: author.length > 0 ? { kind: 'and', parts: [words, ...author] } : words,
          onlooker,
          place,
          from: !descending && at !== undefined ? Math.max(search.from, at + 1) : search.from,
          before: descending && at !== undefined ? Math.min(search.before, at) : search.before,
          descending,
          limit: isRanked ? MAX_RANKED : limit,
          most: MAX_MATCHES,
        }
        const page = search.needsCheck
          ? await checkedPage(context, asked, search.root)
          : await context.search.castsWithWords(asked)
        if (isRanked) {
          const ranked = await rankedItems(context, page.items)
          const from = partsOf(query.cursor, 'ranked')?.[0] ?? 0
          const end = from + limit
          const keys = ranked.slice(from, end).map(({ key }) => key)
          const casts = await castsOf(context, onlooker, keys)
          return {
            result: { casts, next: nextOf('ranked', end < ranked.length ? [end] : undefined) },
          }
        }
        const casts = await castsOf(
          context,
          onlooker,
          page.items.map(({ key }) => key),
        )
        return {
          result: {
            casts,
            next: nextOf('search', page.next === undefined ? undefined : [page.next]),
          },
        }
      },
    ),
    get(
      {
        path: '/user/search',
        summary: 'Users by the beginning of a username or by words of a name',
        description:
          'The one with exactly this username first, then those with the most followers.',
        tags: SEARCH,
        limit: 'search',
        query: {
          q: userQueryParam,
          viewer_fid: viewerParam,
          limit: limitParam({ default: 5, max: 10 }),
          cursor: cursorParam('userSearch', ['n']),
        },
        reply: UserSearchReply,
        cost: { cpu: 'large', rows: 10 },
      },
      async ({ query, caller }) => {
        const onlooker = onlookerOf(caller, query.viewerFid)
        const name = query.q.trim().replace(/^@/, '').toLowerCase()
        const tokens = tokensOf(query.q)
        const parts = tokens.map((token, i) => ({
          kind: 'token' as const,
          token,
          isPrefix: i === tokens.length - 1 && [...token].length >= MIN_PREFIX_CHARACTERS,
        }))
        const match = parts.length > 0 ? { kind: 'and' as const, parts } : undefined
        const { limit } = query
        const offset = query.cursor?.[0] ?? 0
        const asked = { name, match, onlooker, limit: limit + 1, offset }
        const fids = await context.search.usersWithWords(asked)
        const shown = fids.slice(0, limit)
        const found = await hydrate(context, onlooker, { users: shown })
        return {
          result: {
            users: shown.flatMap((fid) => found.user(fid) ?? []),
            next: nextOf('userSearch', fids.length > limit ? [offset + limit] : undefined),
          },
        }
      },
    ),
  ]
}

/** The place that a search is narrowed to: undefined for none, null for one that no cast is in. */
async function placeOf(
  { storage, channelCache }: AppContext,
  { parentUrl, channelId }: { parentUrl: string | undefined; channelId: string | undefined },
): Promise<number | undefined | null> {
  if (parentUrl === undefined && channelId === undefined) return undefined
  const url = parentUrl ?? (await channelCache.refresh()).byId.get(channelId!)?.url
  if (url === undefined) return null
  const [place] = await storage.appViews.places([urlTargetKey(url)])
  return place?.id ?? null
}

/**
 * A page of casts whose texts were checked again: the word index does not know which words are adjacent. As many
 * matches are looked at as fill the page, if those before them are like the others.
 */
async function checkedPage(context: AppContext, asked: WordQuery, root: Node) {
  const { limit } = asked
  const items: FeedItem[] = []
  let looked = 0
  const wished = () => {
    const expected = ((limit + 1 - items.length) * (looked + 1)) / (items.length + 1)
    const few = Math.max(FIRST_CHECKED_PAGES * limit, CHECKED_RESERVE * expected)
    return Math.min(Math.ceil(few), MAX_CHECKED - looked)
  }
  for (let rest = asked; ; ) {
    const few = wished()
    const ahead = MAX_CHECKED - looked - few
    const page = await context.search.castsWithWords({ ...rest, limit: few, ahead })
    for (let at = 0; at < page.items.length && items.length <= limit; ) {
      const portion = page.items.slice(at, at + wished())
      items.push(...(await fittingOf(context, portion, root)))
      at += portion.length
      looked += portion.length
    }
    if (items.length > limit) {
      return { items: items.slice(0, limit), next: items[limit - 1]!.doc }
    }
    const { next, frequency } = page
    // A search that the engine ended early, for want of time, is not gone on with.
    const isEnded = next === undefined || page.items.length < few
    if (isEnded || looked >= MAX_CHECKED) return { items, next }
    const place = rest.descending ? { before: next } : { from: next + 1 }
    rest = { ...rest, ...place, frequency }
  }
}

async function fittingOf({ storage }: AppContext, found: readonly WordItem[], root: Node) {
  const texts = await storage.appViews.textsOf(found.map(({ id }) => id))
  const fitting = new Set(texts.filter(({ data }) => isMatch(data, root)).map(({ id }) => id))
  return found.filter(({ id }) => fitting.has(id))
}

function isMatch(data: Uint8Array, root: Node): boolean {
  const { body } = fromBinary(MessageDataSchema, data)
  if (body.case !== 'castAddBody') return false
  const { text, embeds, embedsDeprecated } = body.value
  const urls = [
    ...embedsDeprecated,
    ...embeds.flatMap(({ embed }) => (embed.case === 'url' ? [embed.value] : [])),
  ].map(searchedPartOf)
  // A phrase does not reach from the text into a url.
  const units = [text, ...urls].flatMap((part) => [...unitsOf(part), ''])
  let tokens: ReadonlySet<string> | undefined
  const hasToken = (token: string) => {
    tokens ??= new Set(tokensOf(text, ...urls))
    return tokens.has(token)
  }
  return matches(root, units, hasToken)
}

async function rankedItems(
  { storage, nowMs }: AppContext,
  items: readonly FeedItem[],
): Promise<FeedItem[]> {
  const counts = await storage.views.counts(items.map(({ key }) => key))
  const points = new Map(counts.map((count) => [nameOfKey(count.key), pointsOf(count)]))
  const now = networkTime(nowMs())
  const value = ({ key, doc }: FeedItem) =>
    fadedPoints(points.get(nameOfKey(key)) ?? 0, ageHoursOf(doc, now))
  return items.toSorted((a, b) => value(b) - value(a) || b.doc - a.doc)
}
