import { type Fragment, fragment, joined, listed, raw } from '../engines/fragment.ts'
import type { Sql } from '../engines/sql.ts'
import { countOf, query } from '../tables/table.ts'
import { noticeKindOf } from '../views/notice-kinds.ts'
import { isPublishedKey } from './published.ts'
import type { Shown, Viewer } from './shown.ts'

// Notifications of users.

/** A place in the list of a user's notifications: network seconds, and the id of the message. */
export type NoticePosition = { readonly at: number; readonly id: number }

export type Notice = NoticePosition & {
  /** Its number: see NOTICE_KINDS of the views. */
  readonly kind: number
  readonly actor: number
  /** The cast that replies, quotes or mentions, or that was liked or recast; null for follows. */
  readonly key: Uint8Array | null
  /** 1 when the notice is hidden, or not of those that are wanted. */
  readonly skipped: number
}

export type NoticeQuery = {
  readonly fid: number
  readonly kinds: readonly number[]
  /** Only casts whose thread is in one of these places. */
  readonly places?: readonly number[] | undefined
  /** Only what these users did. */
  readonly actors?: readonly number[] | undefined
  readonly viewer: Viewer
  /** Network seconds; older ones are not served. */
  readonly since: number
}

/** Names what is shown as one: see `bundle` of the kinds. */
export function bundleOf({ kind, id, key }: Pick<Notice, 'kind' | 'id' | 'key'>): string {
  const { bundle, group } = noticeKindOf(kind)
  if (bundle === 'cast') return `${id}`
  return bundle === 'reactions' ? `${group} ${Buffer.from(key!).toString('latin1')}` : group
}

/** The SQL condition for the notices that the query asks for, as `n`. */
function wanted(shown: Shown, { kinds, places, actors, viewer }: NoticeQuery): Fragment {
  const inPlace = places
    ? fragment`and (select 1 from view_post p
               where p.key = n.key and p.place in (${listed(places)})) is not null`
    : raw('')
  const byActor = actors ? fragment`and n.actor in (${listed(actors)})` : raw('')
  return fragment`n.kind in (${listed(kinds)}) and ${shown.here('n.actor', viewer)}
      and ${shown.toStrangers('n.actor', viewer)}
      and ${raw(isPublishedKey('n.key'))} ${inPlace} ${byActor}`
}

/** A notice for an account. */
export type NewNotice = Omit<Notice, 'skipped'> & {
  /** Who is notified. */
  readonly fid: number
}

export type NewNoticeQuery = {
  /** Ids of messages: after the first, up to the other. */
  readonly after: number
  readonly upTo: number
  /** Network seconds; older ones are not asked for. */
  readonly since: number
  /** SQL for the network second from which the account `n.fid` is told; null: it is not told. */
  readonly toldSince: string
}

export const appNoticeReader = (sql: Sql, shown: Shown) => ({
  /** The notices of new messages, by the id of their message, without those that are hidden from the account, in every app. */
  newNotices: (
    { after, upTo, since, toldSince }: NewNoticeQuery,
    limit: number,
  ): Promise<NewNotice[]> =>
    query(
      sql,
      `select i.id, i.viewer as fid, i.at, i.kind, i.actor, i.key
         from (select n.id, n.fid as viewer, '' as app, n.at, n.kind, n.actor, n.key, (${toldSince}) as told_since
                 from view_notice n where n.id > ? and n.id <= ? and n.at >= ?) i
        where i.at >= i.told_since and ${shown.inList('i.actor')} and ${shown.toStrangersInList('i.actor')}
          and ${isPublishedKey('i.key')}
        order by i.id, i.viewer limit (? + 0)`,
      [after, upTo, since, limit],
    ),
  /** The next rows of a user's notices, newest first; unwanted ones are marked as skipped. */
  notices(
    asked: NoticeQuery,
    before: NoticePosition | undefined,
    limit: number,
  ): Promise<Notice[]> {
    const { fid, since } = asked
    const from = before ? fragment`and (x.at, x.id) < (${before.at}, ${before.id})` : raw('')
    return query(
      sql,
      fragment`select n.at, n.id, n.kind, n.actor, n.key, case when ${wanted(shown, asked)} then 0 else 1 end as skipped
         from (select x.at, x.id, x.kind, x.actor, x.key from view_notice x
                where x.fid = ${fid} and x.at >= ${since} ${from} order by x.at desc, x.id desc limit (${limit} + 0)) n
        order by n.at desc, n.id desc`,
    )
  },
  /** How many of the newest `most` notices are wanted and newer than the mark of their kind. */
  unseenCount(
    asked: NoticeQuery,
    seen: ReadonlyMap<number, number>,
    most: number,
  ): Promise<number> {
    const { kinds, since, fid } = asked
    const markOf = (kind: number) => Math.max(since - 1, seen.get(kind) ?? 0)
    const oldest = Math.min(...kinds.map(markOf))
    const cases = joined(
      kinds.map((kind) => fragment`when ${kind} then cast(${markOf(kind)} as bigint)`),
      ' ',
    )
    const { text, values } = fragment`select count(*) as n from (
         select 1 as one
           from (select x.at, x.id, x.kind, x.actor, x.key from view_notice x
                  where x.fid = ${fid} and x.at > ${oldest} order by x.at desc, x.id desc limit (${most} + 0)) n
          where n.at > (case n.kind ${cases} else n.at end) and ${wanted(shown, asked)}) counted`
    return countOf(sql, text, values)
  },
})
