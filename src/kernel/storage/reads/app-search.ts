import { DAY_SECONDS } from '../../protocol/time.ts'
import type { Engine } from '../engines/engine.ts'
import { Fragment, fragment, joined, raw } from '../engines/fragment.ts'
import { listStatement, type Sql } from '../engines/sql.ts'
import type { Match, WordIndex } from '../engines/word-index.ts'
import { query, queryEach, rowsWith } from '../tables/table.ts'
import { DOCS_PER_SECOND, POST_KINDS } from '../views/views.ts'
import type { FeedItem } from './app-feeds.ts'
import { IS_PUBLISHED, isPublishedKey } from './published.ts'
import type { Shown, Viewer } from './shown.ts'

// Full-text search, in the order of time. `Engine.words` says what the engines call differently.

export type UserQuery = {
  /** The beginning of a username. */
  readonly name: string
  readonly match: Match | undefined
  readonly viewer: Viewer
  readonly limit: number
  readonly offset: number
}

export type WordQuery = {
  /** Undefined for all casts of a place or time. */
  readonly match: Match | undefined
  readonly viewer: Viewer
  readonly place?: number | undefined
  /** Only what this channel shows. */
  readonly channelId?: string | undefined
  /** Docs from this one on, and before that one. */
  readonly from: number
  readonly before: number
  readonly descending: boolean
  readonly limit: number
  /** Matches that are looked at, at most. */
  readonly most: number
  /** That of the page before this one. */
  readonly frequency?: number | undefined
  /** An engine that finds more casts than a page holds may return up to this many of them, too. */
  readonly ahead?: number
}

/** A cast, with the id of its message. */
export type WordItem = FeedItem & { readonly id: number }

export type WordPage = {
  readonly items: WordItem[]
  /** Where the list goes on; undefined when nothing is left. */
  readonly next: number | undefined
  /** The share of the newest casts that match, where it was seen. */
  readonly frequency?: number | undefined
}

/**
 * Newest casts that PostgreSQL looks at one by one before it uses the index of words, which reads every match there
 * is. When the page needs more of them, at the rate of matches among the first, so many at most.
 */
const NEWEST = 2_000
const MOST_NEWEST = 64_000
/** A week of docs. */
const FIRST_WINDOW = 7 * DAY_SECONDS * DOCS_PER_SECOND
/** After this time a search on SQLite ends its page, with a cursor. */
const MAX_SEARCH_MS = 150
/** The next window is larger after one that took less, and smaller after one that took more. */
const QUICK_WINDOW_MS = 10
const SLOW_WINDOW_MS = 40
/** Of these the newest with a name are shown: fids without one are rare. */
const MAX_NEWEST_USERS = 200
/** Users who are ranked. */
const MAX_USERS = 5_000

/** The texts of casts, to check the matches of the index of words. */
const TEXTS = listStatement(
  { id: 'bigint' },
  `select m.id, m.data from input i join message m on m.id = i.id where true ${IS_PUBLISHED}`,
)

/** `words.matches` has one place, for the words. */
function hasWords(words: WordIndex, table: 'view_words' | 'view_user_words', match: Match) {
  return new Fragment(words.matches(table), [words.expression(match)])
}

/** A subquery of the docs of casts in a place, or of all posts, in order. */
function docsOfTime({ place, from, before, descending, most }: WordQuery): Fragment {
  const order = raw(`order by n.doc ${descending ? 'desc' : 'asc'} limit ${most}`)
  const among = (list: Fragment) =>
    fragment`select doc, doc as place from (select n.doc from view_post n
        where ${list} and n.doc >= ${from} and n.doc < ${before} ${order}) a`
  if (place === undefined) return among(raw('true'))
  // One range of the index for each kind.
  const kinds = [POST_KINDS.cast, POST_KINDS.reply].map((kind) =>
    among(fragment`n.place = ${place} and n.kind = ${raw(kind)}`),
  )
  return fragment`select n.doc, n.doc as place from (${joined(kinds, ' union all ')}) n ${order}`
}

/** A subquery of the docs of casts with words, in order. */
function docsWithWords(words: WordIndex, asked: WordQuery): Fragment {
  const { match, from, before, descending, most } = asked
  if (!match) return docsOfTime(asked)
  const key = raw(`w.${words.keys.view_words}`)
  // With an expression in its place PostgreSQL uses the index of words: it does not know how many docs lie in
  // a range that is a parameter, guesses few, and would look at the words of every cast. A page is read in the
  // order of the same expression, so that PostgreSQL looks up as many posts as the page has.
  const place = words.isOrdered ? key : fragment`${key} + 0`
  return fragment`select ${key} as doc, ${place} as place from view_words as w
      where ${hasWords(words, 'view_words', match)} and ${place} >= ${from} and ${place} < ${before}
      order by ${place} ${raw(`${descending ? 'desc' : 'asc'} limit ${most}`)}`
}

/** The same among so many of the newest casts, without the index of words. */
function newestDocsWithWords(words: WordIndex, asked: WordQuery, newest: number): Fragment {
  const { from, before } = asked
  const match = asked.match!
  return fragment`select w.doc, w.doc as place from (
        select n.doc, n.words from view_words n where n.doc >= ${from} and n.doc < ${before}
         order by n.doc desc limit ${raw(newest)}) w
      where ${hasWords(words, 'view_words', match)} order by w.doc desc`
}

type Reads = { readonly engine: Engine; readonly shown: Shown }

/** The casts with these docs that are shown, at most `limit`. */
function shownCasts(
  { engine, shown }: Reads,
  docs: Fragment,
  asked: WordQuery,
  limit: number,
): Promise<WordItem[]> {
  const { viewer, place, channelId, descending } = asked
  return query(
    engine,
    fragment`select p.doc, p.fid, p.kind, p.key, p.id from (${docs}) s join view_post p on p.doc = s.doc
      where ${shown.here('p.fid', viewer)} and ${shown.toStrangers('p.fid', viewer)}
        and p.kind <> ${raw(POST_KINDS.recast)} and ${raw(isPublishedKey('p.key'))}
        ${place === undefined ? raw('') : fragment`and p.place = ${place}`}
        ${channelId === undefined ? raw('') : fragment`and ${shown.inChannel(fragment`${channelId}`)}`}
      order by s.place ${raw(descending ? 'desc' : 'asc')} limit (${limit} + 0)`,
  )
}

/** Where a list goes on that has less than a page: after the last match that was looked at. */
async function nextOfDocs(sql: Sql, docs: Fragment, { descending, most }: WordQuery) {
  const [last] = await query<{ doc: number }>(
    sql,
    fragment`select doc from (${docs}) s order by doc ${raw(`${descending ? 'desc' : 'asc'} limit 1 offset ${most - 1}`)}`,
  )
  return last?.doc
}

/** The casts with words between two docs, where the index stops at the last cast of a page. */
async function castsBetween(reads: Reads, asked: WordQuery): Promise<WordPage> {
  const { engine } = reads
  const { limit } = asked
  const docs = docsWithWords(engine.words, asked)
  const items = await shownCasts(reads, docs, asked, limit + 1)
  if (items.length <= limit) return { items, next: await nextOfDocs(engine, docs, asked) }
  return { items: items.slice(0, limit), next: items[limit - 1]!.doc }
}

/**
 * The same in one statement for each range of docs. A statement cannot be stopped on SQLite, and one over all docs would
 * read every entry of two frequent words that no cast contains together. When the time is used up, the page is shorter.
 */
async function castsInWindows(reads: Reads, asked: WordQuery): Promise<WordPage> {
  // Two subqueries, because `min` and `max` in one would read the whole index.
  const [stored] = await query<{ low: number | null; high: number | null }>(
    reads.engine,
    'select (select min(doc) from view_post) as low, (select max(doc) from view_post) as high',
  )
  let from = Math.max(asked.from, stored?.low ?? 0)
  let before = Math.min(asked.before, (stored?.high ?? -1) + 1)
  const items: WordItem[] = []
  const startedAt = performance.now()
  for (let span = FIRST_WINDOW; from < before; ) {
    const windowStartedAt = performance.now()
    const window = asked.descending
      ? { from: Math.max(from, before - span), before }
      : { from, before: Math.min(before, from + span) }
    const limit = asked.limit - items.length
    const page = await castsBetween(reads, { ...asked, ...window, limit })
    items.push(...page.items)
    if (page.next !== undefined) return { items, next: page.next }
    if (asked.descending) before = window.from
    else from = window.before
    const isLeft = from < before
    const isOver = performance.now() - startedAt > MAX_SEARCH_MS
    if (isLeft && (isOver || items.length === asked.limit)) {
      return { items, next: asked.descending ? before : from - 1 }
    }
    const tookMs = performance.now() - windowStartedAt
    span *= tookMs < QUICK_WINDOW_MS ? 4 : tookMs > SLOW_WINDOW_MS ? 0.5 : 1
    span = Math.ceil(span)
  }
  return { items, next: undefined }
}

/** The casts with words where the index reads every match: first among the newest casts, without the index. */
async function castsNewestFirst(reads: Reads, asked: WordQuery): Promise<WordPage> {
  const { engine } = reads
  const { limit, descending, ahead = 0 } = asked
  // Every match is read for each page again, so a page may be longer than it has to be.
  const longest = limit + ahead
  const among = (newest: number) =>
    shownCasts(reads, newestDocsWithWords(engine.words, asked, newest), asked, longest + 1)
  let { frequency } = asked
  let items: WordItem[] = []
  if (descending && frequency === undefined) {
    items = await among(NEWEST)
    frequency = items.length / NEWEST
  }
  const enough = items.length > limit ? undefined : newestWithEnough(frequency, limit)
  if (enough !== undefined) items = await among(enough)
  const docs = docsWithWords(engine.words, asked)
  if (items.length <= limit) items = await shownCasts(reads, docs, asked, longest + 1)
  if (items.length <= limit) return { items, next: await nextOfDocs(engine, docs, asked) }
  items = items.slice(0, longest)
  return { items, next: items.at(-1)!.doc, frequency }
}

/**
 * Users whose username begins with a text, or whose names have words; those with most followers first.
 * Of each, MAX_USERS are looked at.
 */
async function usersWithWords(
  { engine, shown }: Reads,
  { name, match, viewer, limit, offset }: UserQuery,
): Promise<number[]> {
  const { words } = engine
  const withWords = match
    ? fragment`union select fid from (
    select w.${raw(words.keys.view_user_words)} as fid from view_user_words as w
     where ${hasWords(words, 'view_user_words', match)} limit (${MAX_USERS} + 0)) b`
    : raw('')
  const rows = await query<{ fid: number }>(
    engine,
    // The limit of the candidates keeps PostgreSQL from testing all users before it joins them.
    fragment`select c.fid from (
       select u.fid, u.name, u.followers from (
         select fid from (select n.fid from view_user n where n.name >= ${name} and n.name < ${`${name}\uffff`} limit (${MAX_USERS} + 0)) a
         ${withWords}) s
       join view_user u on u.fid = s.fid where u.card is not null limit ${raw(2 * MAX_USERS)}) c
     where ${shown.here('c.fid', viewer)} and ${shown.toStrangers('c.fid', viewer)}
     order by case when c.name = ${name} then 0 else 1 end, c.followers desc, c.fid limit (${limit} + 0) offset ${offset}`,
  )
  return rows.map(({ fid }) => fid)
}

/** The newest accounts with a username, of the MAX_NEWEST_USERS newest fids. */
async function newestUsers(
  { engine, shown }: Reads,
  { viewer, limit }: { readonly viewer: Viewer; readonly limit: number },
): Promise<number[]> {
  const rows = await query<{ fid: number }>(
    engine,
    fragment`select c.fid from (
       select u.fid, u.name, u.card from view_user u order by u.fid desc limit ${raw(MAX_NEWEST_USERS)}) c
     where c.name is not null and c.card is not null
       and ${shown.here('c.fid', viewer)} and ${shown.toStrangers('c.fid', viewer)}
     order by c.fid desc limit (${limit} + 0)`,
  )
  return rows.map(({ fid }) => fid)
}

export const appSearchReader = (engine: Engine, shown: Shown) => ({
  /** The casts with words, by time. */
  castsWithWords(asked: WordQuery): Promise<WordPage> {
    const reads = { engine, shown }
    if (!asked.match) return castsBetween(reads, asked)
    return engine.words.isOrdered ? castsInWindows(reads, asked) : castsNewestFirst(reads, asked)
  },
  /** The data of these messages, in no order; those that are not published are missing. */
  textsOf: (ids: readonly number[]): Promise<{ id: number; data: Uint8Array }[]> =>
    queryEach(engine, TEXTS, rowsWith('id', ids)),
  newestUsers: (asked: { readonly viewer: Viewer; readonly limit: number }) =>
    newestUsers({ engine, shown }, asked),
  usersWithWords: (asked: UserQuery) => usersWithWords({ engine, shown }, asked),
})

/** How many newest casts fill a page when this share of them match; undefined when the index of words is better. */
function newestWithEnough(frequency: number | undefined, limit: number): number | undefined {
  if (!frequency) return undefined
  for (let newest = NEWEST; newest <= MOST_NEWEST; newest *= 2) {
    if (newest * frequency > 1.3 * (limit + 1)) return newest
  }
  return undefined
}
