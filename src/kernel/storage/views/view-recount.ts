import { castsByParentKey, MESSAGE_SETS, reactionsByTargetKey } from '../../protocol/slots.ts'
import { MessageType, ReactionType } from '../../protocol/wire/message_pb.js'
import type { Sql, SqlValue } from '../engines/sql.ts'
import { query } from '../tables/table.ts'

// The views counted again from the stored messages. Each check compares every row with the messages,
// and the numbers of rows in all: so a row too few, a row too many and a wrong row are all found.

/** How many rows of a table are wrong, or how far its number of rows is off. */
export type ViewDifference = { readonly what: string; readonly count: number }

type Check = {
  readonly what: string
  /** A statement with one number `n`, which is 0 when all is well. */
  readonly text: string
  readonly values: readonly SqlValue[]
}

const OF_CASTS = Uint8Array.of(1)
const { CAST_ADD, LINK_ADD, REACTION_ADD } = MessageType
const { casts, links, reactions } = MESSAGE_SETS

/** The first key after all that begin with a prefix. */
const endOf = (prefix: Uint8Array): Uint8Array =>
  prefix.with(prefix.length - 1, prefix[prefix.length - 1]! + 1)

/** Counts of a column of `view_count` against the messages whose targets begin with a prefix. */
function countChecks(column: 'likes' | 'recasts' | 'replies', prefix: Uint8Array): Check[] {
  const range = 'm.target >= ? and m.target < ?'
  const values = [prefix, endOf(prefix)]
  const recount = `select m.target, count(*) as n from message m where ${range} group by m.target`
  return [
    {
      what: `${column} of a cast`,
      text: `select count(*) as n from (${recount}) r
        left join view_count c on c.key = substr(r.target, ${prefix.length + 1})
        where coalesce(c.${column}, 0) <> r.n`,
      values,
    },
    {
      what: `${column} in all`,
      text: `select abs((select count(*) from message m where ${range})
        - (select cast(coalesce(sum(${column}), 0) as bigint) from view_count)) as n`,
      values,
    },
  ]
}

/** Rows of a table without their message, and the difference between the numbers of rows and messages. */
function rowChecks(
  [what, table]: readonly [what: string, table: string],
  fits: string,
  messages: readonly [condition: string, values: readonly SqlValue[]],
): Check[] {
  return [
    {
      what: `${what} without its message`,
      text: `select count(*) as n from ${table} v left join message m on m.id = v.id
        where m.id is null or not (${fits})`,
      values: [],
    },
    {
      what: `number of rows of ${what}s`,
      text: `select abs((select count(distinct v.id) from ${table} v)
        - (select count(*) from message m where ${messages[0]})) as n`,
      values: messages[1],
    },
  ]
}

const LIKES = reactionsByTargetKey(ReactionType.LIKE, OF_CASTS)
const RECASTS = reactionsByTargetKey(ReactionType.RECAST, OF_CASTS)
const REPLIES = castsByParentKey(OF_CASTS)
const PADDED_FOLLOW = Buffer.from('follow\0\0')
/** Where the padded type begins in the target of a link, after the set and the fid. */
const LINK_TYPE_AT = 6

const CHECKS: readonly Check[] = [
  ...countChecks('likes', LIKES),
  ...countChecks('recasts', RECASTS),
  ...countChecks('replies', REPLIES),
  {
    what: 'quotes of a cast',
    text: `select count(*) as n from (select key, count(*) as n from view_quote group by key) q
      left join view_count c on c.key = q.key where coalesce(c.quotes, 0) <> q.n`,
    values: [],
  },
  {
    what: 'quotes in all',
    text: `select abs((select count(*) from view_quote)
      - (select cast(coalesce(sum(quotes), 0) as bigint) from view_count)) as n`,
    values: [],
  },
  ...rowChecks(
    ['cast', '(select doc, id, fid, kind, key from view_post where kind <> 3)'],
    `m.fid = v.fid and m.type = ${CAST_ADD} and m.hash = substr(v.key, 5)`,
    [`m.store = ${casts} and m.type = ${CAST_ADD}`, []],
  ),
  ...rowChecks(
    ['recast', '(select id, fid, target from view_post where kind = 3)'],
    `m.fid = v.fid and m.store = ${reactions} and m.type = ${REACTION_ADD}
     and substr(m.target, ${RECASTS.length + 1}) = v.target`,
    ['m.target >= ? and m.target < ?', [RECASTS, endOf(RECASTS)]],
  ),
  ...rowChecks(
    ['follow', 'view_follow'],
    `m.fid = v.fid and m.timestamp = v.at and m.store = ${links} and m.type = ${LINK_ADD}`,
    [
      `m.store = ${links} and m.type = ${LINK_ADD}
       and substr(m.target, ${LINK_TYPE_AT}) = ?`,
      [PADDED_FOLLOW],
    ],
  ),
  {
    what: 'notification without its message',
    text: `select count(*) as n from view_notice v left join message m on m.id = v.id
      where m.id is null or m.fid <> v.actor or m.timestamp <> v.at
        or case when m.store = ${links} then v.key is not null
                when m.store = ${reactions} then v.key <> substr(m.target, ${LIKES.length + 1})
                else v.key <> substr(m.slot, 2) end`,
    values: [],
  },
  {
    what: 'words of a cast',
    text: `select abs((select count(*) from view_words)
      - (select count(*) from view_post where kind <> 3)) as n`,
    values: [],
  },
  {
    what: 'thread of a cast',
    text: `select count(*) as n from view_post r left join view_post p on p.key = r.target
      where r.kind <> 3 and (r.root <> coalesce(p.root, r.doc)
        or (p.doc is not null and coalesce(r.place, -1) <> coalesce(p.place, -1)))`,
    values: [],
  },
  ...(['following', 'followers'] as const).map((column) => ({
    what: `${column} of a user`,
    text: `select count(*) as n from view_user u left join (
        select ${column === 'following' ? 'fid' : 'target'} as fid, count(*) as n
          from view_follow group by 1) f on f.fid = u.fid
      where u.${column} <> coalesce(f.n, 0)`,
    values: [],
  })),
  {
    what: 'follow of a user without a row',
    text: `select count(*) as n from view_follow f
      where (select 1 from view_user u where u.fid = f.fid) is null
         or (select 1 from view_user u where u.fid = f.target) is null`,
    values: [],
  },
]

/** Every check of the views that finds something. Nothing may write meanwhile, and no event may be unread. */
export async function recountViews(sql: Sql): Promise<ViewDifference[]> {
  const found: ViewDifference[] = []
  for (const { what, text, values } of CHECKS) {
    const [row] = await query<{ n: number }>(sql, text, values)
    if (Number(row!.n) !== 0) found.push({ what, count: Number(row!.n) })
  }
  return found
}
