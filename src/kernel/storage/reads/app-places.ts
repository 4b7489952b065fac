import { reactionSlot } from '../../protocol/slots.ts'
import { MessageType, ReactionType } from '../../protocol/wire/message_pb.js'
import type { Engine } from '../engines/engine.ts'
import { type Fragment, fragment, joined, listed, raw } from '../engines/fragment.ts'
import { listStatement, type Sql } from '../engines/sql.ts'
import { query, queryEach, rowsWith } from '../tables/table.ts'
import { POST_KINDS } from '../views/views.ts'
import {
  type FeedItem,
  ITEM,
  MAX_SCANNED_ROWS,
  newestFirst,
  type PlaceFeed,
  type PlacePage,
  type PlaceRules,
} from './app-feeds.ts'
import { type Shown, type Viewer, viewerRow } from './shown.ts'

// Lists of casts in places, which are parent urls, and of everybody.

const PLACES = listStatement(
  { target: 'bytea' },
  'select p.id, p.target from input i join view_place p on p.target = i.target',
)

/** The conditions on `view_post p` that follow from the rules of a channel. */
function conditionsOf(
  { dialect: { bytes } }: Engine,
  shown: Shown,
  { channelId, membersOnly, likedBy }: PlaceRules,
): Fragment[] {
  const conditions: Fragment[] = []
  if (channelId !== undefined) {
    conditions.push(shown.inChannel(fragment`${channelId}`))
    if (membersOnly) conditions.push(shown.ofMembers(fragment`${channelId}`))
  }
  if (likedBy) {
    // The slot of a like ends with the key of the cast.
    const beginnings = likedBy.map((fid) => reactionSlot(fid, ReactionType.LIKE, Uint8Array.of(1)))
    const type = raw(bytes)
    const slots = beginnings.map(
      (slot) => fragment`cast(cast(${slot} as ${type}) || p.key as ${type})`,
    )
    conditions.push(fragment`(select 1 from message l where l.slot in (${slots.length > 0 ? joined(slots, ', ') : raw('null')})
      and l.type = ${raw(MessageType.REACTION_ADD)} limit 1) is not null`)
  }
  return conditions
}

/** What a viewer may find new in a place. */
export type NewInPlace = {
  readonly place: number
  /** The channel, of which only what it shows counts. */
  readonly channel: string
  readonly membersOnly: boolean
  /** Casts with this doc or a later one. */
  readonly from: number
}

/** Casts of one place that are counted: more of them are "20+". */
export const MAX_NEW = 21
/** Casts of one place that are looked at: strangers who write where only members are shown leave room for those. */
export const MAX_SCANNED_FOR_NEWS = 200

/** Casts of one place that are named: the viewer does not see those with words that it mutes, and more than MAX_NEW are left to count. */
const MAX_NAMED_NEWS = 2 * MAX_NEW

/** What is new in a place: the ids of messages, and whether there may be older ones that nobody has looked at. */
export type News = { readonly isCut: boolean; readonly ids: readonly number[] }

const NEWEST_IN_PLACE = `select n.doc from view_post n
  where n.place = i.place and n.kind = ${POST_KINDS.cast} and n.doc >= i.from_doc
  order by n.doc desc limit ${MAX_SCANNED_FOR_NEWS}`

const newsStatement = (shown: Shown) =>
  listStatement(
    {
      place: 'bigint',
      channel: 'text',
      members_only: 'bigint',
      from_doc: 'bigint',
      app: 'text',
      viewer: 'bigint',
    },
    `select i.place, (
         select string_agg(cast(y.id as text), ',') from (
           select p.id from (${NEWEST_IN_PLACE}) x
             join view_post p on p.doc = x.doc
            where p.fid <> i.viewer and ${shown.inList('p.fid')}
              and ${shown.inChannel(raw('i.channel')).text}
              and (i.members_only = 0 or ${shown.ofMembers(raw('i.channel')).text})
            limit ${MAX_NAMED_NEWS}) y) as ids,
         (select count(*) from (${NEWEST_IN_PLACE}) z) as scanned
       from input i`,
  )

type Scan = Pick<PlaceFeed, 'viewer' | 'before' | 'limit'> & {
  /** The list: a condition on `view_post n`. */
  readonly list: Fragment
  /** Conditions on `view_post p`. */
  readonly conditions: readonly Fragment[]
}

/** The newest posts of a list that meet conditions, among MAX_SCANNED_ROWS of it. */
async function scan(
  { sql, shown }: { readonly sql: Sql; readonly shown: Shown },
  { list, conditions, viewer, before, limit }: Scan,
): Promise<PlacePage> {
  const scanned = fragment`from view_post n where ${list} and n.doc < ${before} order by n.doc desc`
  const all = joined([shown.here('p.fid', viewer), ...conditions], ' and ')
  const items = await query<FeedItem>(
    sql,
    fragment`select ${raw(ITEM)} from (select n.doc ${scanned} limit ${raw(MAX_SCANNED_ROWS)}) x
       join view_post p on p.doc = x.doc
      where ${all}
      order by x.doc desc limit (${limit + 1} + 0)`,
  )
  if (items.length > limit) return { items, next: items[limit - 1]!.doc }
  const [last] = await query<{ doc: number }>(
    sql,
    fragment`select n.doc ${scanned} limit 1 offset ${raw(MAX_SCANNED_ROWS - 1)}`,
  )
  return { items, next: last?.doc }
}

export const placeReader = (engine: Engine, shown: Shown) => {
  const news = newsStatement(shown)
  return {
    /**
     * Casts of others that begin threads in each place, up to MAX_NAMED_NEWS among the newest MAX_SCANNED_FOR_NEWS, by the ids of
     * their messages.
     */
    async newInPlaces(places: readonly NewInPlace[], viewer: Viewer): Promise<Map<number, News>> {
      const rows = places.map(({ place, channel, membersOnly, from }) => ({
        ...{ place, channel, members_only: Number(membersOnly), from_doc: from },
        ...viewerRow(viewer),
      }))
      const found: { place: number; ids: string | null; scanned: number }[] = await queryEach(
        engine,
        news,
        rows,
      )
      return new Map(
        found.map(({ place, ids: text, scanned }) => {
          const ids = text === null ? [] : text.split(',').map(Number)
          const isCut = ids.length === MAX_NAMED_NEWS || scanned === MAX_SCANNED_FOR_NEWS
          return [place, { isCut, ids }]
        }),
      )
    },
    /** The ids of the places with these targets (`urlTargetKey`), with their targets. */
    places: (targets: readonly Uint8Array[]): Promise<{ id: number; target: Uint8Array }[]> =>
      queryEach(engine, PLACES, rowsWith('target', targets)),
    /**
     * Casts that begin threads in some places, or also the replies to them, newest first. Looks at
     * MAX_SCANNED_ROWS of each list at most, so a page may be short and go on.
     */
    async byPlaces({ places, withReplies, fids, ...page }: PlaceFeed): Promise<PlacePage> {
      const kinds = withReplies ? [POST_KINDS.cast, POST_KINDS.reply] : [POST_KINDS.cast]
      const ofFids = fids ? [fragment`p.fid in (${listed(fids)})`] : []
      const lists = await Promise.all(
        places.flatMap((rules) => {
          const conditions = [...conditionsOf(engine, shown, rules), ...ofFids]
          return kinds.map((kind) => {
            const list = fragment`n.place = ${rules.place} and n.kind = ${kind}`
            return scan({ sql: engine, shown }, { list, conditions, ...page })
          })
        }),
      )
      // Nothing older than where one of the lists goes on may be shown yet.
      const low = Math.max(0, ...lists.map(({ next }) => next ?? 0))
      const merged = lists.flatMap(({ items }) => items).sort(newestFirst)
      const items = merged.filter(({ doc }) => doc >= low).slice(0, page.limit)
      const isCut = items.length === page.limit && merged.length > page.limit
      return { items, next: isCut ? items.at(-1)!.doc : low || undefined }
    },
    /** Casts of everybody that begin threads, newest first. A page may be short and go on. */
    async newest(asked: Pick<PlaceFeed, 'viewer' | 'before' | 'limit'>): Promise<PlacePage> {
      const isCast = raw(`p.kind = ${POST_KINDS.cast}`)
      const page = await scan(
        { sql: engine, shown },
        { list: raw('n.kind <> 2'), conditions: [isCast], ...asked },
      )
      return { ...page, items: page.items.slice(0, asked.limit) }
    },
  }
}
