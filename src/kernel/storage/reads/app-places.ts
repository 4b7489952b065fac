import { reactionSlot } from '../../protocol/slots.ts'
import { MessageType, ReactionType } from '../../protocol/wire/message_pb.js'
import type { Engine } from '../engines/engine.ts'
import { listStatement, type Sql } from '../engines/sql.ts'
import { query, queryEach, rowsWith } from '../tables/table.ts'
import { POST_KINDS } from '../views/views.ts'
import {
  type Condition,
  type FeedItem,
  ITEM,
  MAX_SCANNED_ROWS,
  newestFirst,
  type PlaceFeed,
  type PlacePage,
  type PlaceRules,
} from './app-feeds.ts'
import { hiddenValues, isAllowedIn, isShown } from './app-hidden.ts'
import { isPublishedFid } from './published.ts'

// Lists of casts in places, which are parent urls, and of everybody.

const PLACES = listStatement(
  { target: 'bytea' },
  'select p.id, p.target from input i join view_place p on p.target = i.target',
)

/** The conditions on `view_post p` that follow from the rules of a channel. */
function conditionsOf(
  { dialect: { bytes } }: Engine,
  { channelId, membersOnly, likedBy }: PlaceRules,
): Condition[] {
  const conditions: Condition[] = []
  if (channelId !== undefined) {
    conditions.push([isAllowedIn('?'), [channelId, channelId]])
    if (membersOnly) {
      const member = `(select 1 from channel_standing s
        where s.channel_id = ? and s.fid = p.fid and s.standing = 'member')`
      conditions.push([`${member} is not null`, [channelId]])
    }
  }
  if (likedBy) {
    // The slot of a like ends with the key of the cast.
    const beginnings = likedBy.map((fid) => reactionSlot(fid, ReactionType.LIKE, Uint8Array.of(1)))
    const slots = likedBy.map(() => `cast(cast(? as ${bytes}) || p.key as ${bytes})`)
    const liked = `(select 1 from message l where l.slot in (${slots.join(', ') || 'null'})
      and l.type = ${MessageType.REACTION_ADD} limit 1) is not null`
    conditions.push([liked, beginnings])
  }
  return conditions
}

type Scan = Pick<PlaceFeed, 'onlooker' | 'before' | 'limit'> & {
  /** The list: a condition on `view_post n`. */
  readonly list: Condition
  /** Conditions on `view_post p`. */
  readonly conditions: readonly Condition[]
}

/** The newest posts of a list that meet conditions, among MAX_SCANNED_ROWS of it. */
async function scan(
  sql: Sql,
  { list: [list, listValues], conditions, onlooker, before, limit }: Scan,
): Promise<PlacePage> {
  const scanned = `from view_post n where ${list} and n.doc < ? order by n.doc desc`
  const scannedValues = [...listValues, before]
  const all: Condition[] = [
    [`${isShown('p.fid')} and ${isPublishedFid('p.fid')}`, hiddenValues(onlooker)],
    ...conditions,
  ]
  const items = await query<FeedItem>(
    sql,
    `select ${ITEM} from (select n.doc ${scanned} limit ${MAX_SCANNED_ROWS}) x
       join view_post p on p.doc = x.doc
      where ${all.map(([text]) => text).join(' and ')}
      order by x.doc desc limit (? + 0)`,
    [...scannedValues, ...all.flatMap(([, values]) => values), limit + 1],
  )
  if (items.length > limit) return { items, next: items[limit - 1]!.doc }
  const [last] = await query<{ doc: number }>(
    sql,
    `select n.doc ${scanned} limit 1 offset ${MAX_SCANNED_ROWS - 1}`,
    scannedValues,
  )
  return { items, next: last?.doc }
}

export const placeReader = (engine: Engine) => ({
  /** The ids of the places with these targets (`urlTargetKey`), with their targets. */
  places: (targets: readonly Uint8Array[]): Promise<{ id: number; target: Uint8Array }[]> =>
    queryEach(engine, PLACES, rowsWith('target', targets)),
  /**
   * Casts that begin threads in some places, or also the replies to them, newest first. Looks at
   * MAX_SCANNED_ROWS of each list at most, so a page may be short and go on.
   */
  async byPlaces({ places, withReplies, fids, ...page }: PlaceFeed): Promise<PlacePage> {
    const kinds = withReplies ? [POST_KINDS.cast, POST_KINDS.reply] : [POST_KINDS.cast]
    const ofFids: Condition[] = fids ? [[`p.fid in (${fids.map(() => '?').join(', ')})`, fids]] : []
    const lists = await Promise.all(
      places.flatMap((rules) => {
        const conditions = [...conditionsOf(engine, rules), ...ofFids]
        return kinds.map((kind) => {
          const list: Condition = ['n.place = ? and n.kind = ?', [rules.place, kind]]
          return scan(engine, { list, conditions, ...page })
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
  async newest(asked: Pick<PlaceFeed, 'onlooker' | 'before' | 'limit'>): Promise<PlacePage> {
    const isCast: Condition = [`p.kind = ${POST_KINDS.cast}`, []]
    const page = await scan(engine, { list: ['n.kind <> 2', []], conditions: [isCast], ...asked })
    return { ...page, items: page.items.slice(0, asked.limit) }
  },
})
