import { type EngineName, listStatement, type Sql, type SqlValue } from '../engines/sql.ts'
import { query, queryEach } from '../tables/table.ts'
import { DOCS_PER_SECOND } from '../views/views.ts'
import type { FeedItem } from './app-feeds.ts'
import { hiddenValues, isShown, type Onlooker } from './app-hidden.ts'
import { IS_PUBLISHED, isPublishedFid } from './published.ts'

// Full-text search: the one place where the SQL of the engines differs. They are asked for tokens only, and
// answer in the order of time.

/** What an engine is asked for. A negated part stands beside others that must be there. */
export type Match =
  | { readonly kind: 'token'; readonly token: string; readonly isPrefix: boolean }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Match[] }
  | { readonly kind: 'not'; readonly part: Match }

export type UserQuery = {
  /** The beginning of a username. */
  readonly name: string
  readonly match: Match | undefined
  readonly onlooker: Onlooker
  readonly limit: number
  readonly offset: number
}

export type WordQuery = {
  readonly match: Match
  readonly onlooker: Onlooker
  readonly place?: number | undefined
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
const FIRST_WINDOW = 7 * 86_400 * DOCS_PER_SECOND
/** After this time a search on SQLite answers what it has found, with a cursor. */
const MAX_SEARCH_MS = 150
/** The next window is larger after one that took less, and smaller after one that took more. */
const QUICK_WINDOW_MS = 10
const SLOW_WINDOW_MS = 40
/** Users who are ranked. */
const MAX_USERS = 5_000

/** The texts of casts, for a second look at what the index of words has found. */
const TEXTS = listStatement(
  { id: 'bigint' },
  `select m.id, m.data from input i join message m on m.id = i.id where true ${IS_PUBLISHED}`,
)

export function appSearchReader(sql: Sql, kind: EngineName) {
  const isSqlite = kind === 'sqlite'
  const textOf = isSqlite ? ftsOf : tsqueryOf
  const matched = isSqlite ? 'view_words match ?' : 'w.words @@ cast(? as tsquery)'
  const doc = isSqlite ? 'w.rowid' : 'w.doc'

  /** A subquery of docs in order, and its parameters. */
  const docs = (
    { match, from, before, descending }: WordQuery,
    most: number,
    newest = 0,
  ): [text: string, values: SqlValue[]] => {
    const direction = descending ? 'desc' : 'asc'
    if (newest > 0) {
      return [
        `select w.doc, w.doc as place from (select n.doc, n.words from view_words n where n.doc >= ? and n.doc < ?
            order by n.doc ${direction} limit ${newest}) w
          where ${matched} order by w.doc ${direction}`,
        [from, before, textOf(match)],
      ]
    }
    // With an expression in its place PostgreSQL uses the index of words: it does not know how many docs lie in
    // a range that is a parameter, guesses few, and would look at the words of every cast. A page is read in the
    // order of the same expression, so that PostgreSQL looks up as many posts as the page has.
    const place = isSqlite ? doc : `${doc} + 0`
    const range = `${place} >= ? and ${place} < ?`
    return [
      `select ${doc} as doc, ${place} as place from view_words ${isSqlite ? 'as w' : 'w'} where ${isSqlite ? 'w.view_words match ?' : matched} and ${range}
        order by ${place} ${direction} limit ${most}`,
      [textOf(match), from, before],
    ]
  }

  /** The casts with words between two docs. */
  const castsBetween = async (asked: WordQuery): Promise<WordPage> => {
    const { onlooker, place, descending, limit, most, ahead = 0 } = asked
    const direction = descending ? 'desc' : 'asc'
    // SQLite stops at the last cast of a page. PostgreSQL reads every match, for each page again.
    const longest = isSqlite ? limit : limit + ahead
    const read = async (newest?: number): Promise<WordItem[]> => {
      const [text, values] = docs(asked, most, newest)
      const inPlace = place === undefined ? '' : 'and p.place = ?'
      return query(
        sql,
        `select p.doc, p.fid, p.kind, p.key, p.id from (${text}) s join view_post p on p.doc = s.doc
            where ${isShown('p.fid')} and ${isPublishedFid('p.fid')} ${inPlace}
            order by s.place ${direction} limit ?`,
        [
          ...values,
          ...hiddenValues(onlooker),
          ...(place === undefined ? [] : [place]),
          longest + 1,
        ],
      )
    }
    let { frequency } = asked
    let items: WordItem[] = []
    if (!isSqlite && descending && frequency === undefined) {
      items = await read(NEWEST)
      frequency = items.length / NEWEST
    }
    const enough = items.length > limit ? undefined : newestWithEnough(frequency, limit)
    if (enough !== undefined) items = await read(enough)
    if (items.length <= limit) items = await read()
    if (items.length > limit) {
      items = items.slice(0, longest)
      return { items, next: items.at(-1)!.doc, frequency }
    }
    const [text, values] = docs(asked, most)
    const [last] = await query<{ doc: number }>(
      sql,
      `select doc from (${text}) s order by doc ${direction} limit 1 offset ${most - 1}`,
      values,
    )
    return { items, next: last?.doc }
  }

  /**
   * The same on SQLite, in one statement for each range of documents. A statement cannot be stopped on SQLite, and
   * one over all documents would read every entry of two frequent words that no cast contains together. When the
   * time is used up, the page is shorter.
   */
  const castsInWindows = async (asked: WordQuery): Promise<WordPage> => {
    // Two subqueries, because `min` and `max` in one would read the whole index.
    const [stored] = await query<{ low: number | null; high: number | null }>(
      sql,
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
      const page = await castsBetween({ ...asked, ...window, limit })
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

  return {
    /** The casts with words, by time. */
    castsWithWords: (asked: WordQuery): Promise<WordPage> =>
      isSqlite ? castsInWindows(asked) : castsBetween(asked),

    /** The data of these messages, in no order; those that are not published are missing. */
    textsOf: (ids: readonly number[]): Promise<{ id: number; data: Uint8Array }[]> =>
      queryEach(
        sql,
        TEXTS,
        ids.map((id) => ({ id })),
      ),

    /**
     * Users whose username begins with a text, or whose names have words; those with most followers first.
     * Of each, MAX_USERS are looked at.
     */
    async usersWithWords({ name, match, onlooker, limit, offset }: UserQuery): Promise<number[]> {
      const words = isSqlite
        ? 'select w.rowid as fid from view_user_words as w where w.view_user_words match ? limit ?'
        : 'select w.fid from view_user_words w where w.words @@ cast(? as tsquery) limit ?'
      const rows = await query<{ fid: number }>(
        sql,
        // The limit of the candidates keeps PostgreSQL from testing all users before it joins them.
        `select c.fid from (
           select u.fid, u.name, u.followers from (
             select fid from (select n.fid from view_user n where n.name >= ? and n.name < ? limit ?) a
             ${match ? `union select fid from (${words}) b` : ''}) s
           join view_user u on u.fid = s.fid where u.card is not null limit ${2 * MAX_USERS}) c
         where ${isShown('c.fid')} and ${isPublishedFid('c.fid')}
         order by case when c.name = ? then 0 else 1 end, c.followers desc, c.fid limit ? offset ?`,
        [
          name,
          `${name}\uffff`,
          MAX_USERS,
          ...(match ? [textOf(match), MAX_USERS] : []),
          ...hiddenValues(onlooker),
          name,
          limit,
          offset,
        ],
      )
      return rows.map(({ fid }) => fid)
    },
  }
}

/** How many newest casts fill a page when this share of them match; undefined when the index of words is better. */
function newestWithEnough(frequency: number | undefined, limit: number): number | undefined {
  if (!frequency) return undefined
  for (let newest = NEWEST; newest <= MOST_NEWEST; newest *= 2) {
    if (newest * frequency > 1.3 * (limit + 1)) return newest
  }
  return undefined
}

/** An expression of FTS5. Tokens have no quotes, and its tokenizer keeps them whole. */
function ftsOf(match: Match): string {
  switch (match.kind) {
    case 'token':
      return `"${match.token.replaceAll('"', '""')}"${match.isPrefix ? '*' : ''}`
    case 'or':
      return `(${match.parts.map(ftsOf).join(' OR ')})`
    case 'and': {
      const positive = match.parts.filter(({ kind }) => kind !== 'not').map(ftsOf)
      const negative = match.parts.flatMap((part) => (part.kind === 'not' ? [part.part] : []))
      const all = `(${positive.join(' AND ')})`
      return negative.length > 0 ? `(${all} NOT (${negative.map(ftsOf).join(' OR ')}))` : all
    }
    case 'not':
      throw new TypeError('a negated part stands beside others')
  }
}

/** A tsquery of quoted lexemes: PostgreSQL does not cut them. */
function tsqueryOf(match: Match): string {
  switch (match.kind) {
    case 'token':
      return `'${match.token.replaceAll('\\', '\\\\').replaceAll("'", "''")}'${match.isPrefix ? ':*' : ''}`
    case 'not':
      return `!(${tsqueryOf(match.part)})`
    default:
      return `(${match.parts.map(tsqueryOf).join(match.kind === 'and' ? ' & ' : ' | ')})`
  }
}
