import { HubEventType } from '../protocol/wire/hub_event_pb.js'
import { numbersIn, numbersOf } from './number-lists.ts'
import { IS_ANYTHING_HIDDEN, IS_PUBLISHED } from './published.ts'
import { listStatement, type Sql } from './sql.ts'

/**
 * The id of an event as a list has it, without an object for each. It is negative when the event is the merge of a stored
 * message, replaced nothing, and moderation hides nothing of it for certain: then its message is all that has to be read.
 */
export type MarkedId = number

export const idOfMarked = (marked: MarkedId): number => Math.abs(marked)
export const isPlainMerge = (marked: MarkedId): boolean => marked < 0

/** What a reader needs to know of an event that it has read before, to know whether it is still the same. */
export type EventHeader = {
  readonly id: number
  /** The lengths of `message` and `deleted` in bytes. They change when the event's messages are deleted or erased. */
  readonly messageLength: number | null
  readonly deletedLength: number | null
  /** 1 when moderation hides nothing of it for certain; otherwise it has to be read as published. */
  readonly isPlain: 0 | 1
}

export type PublishedEventHeaders = {
  /** The published events with id >= fromId in id order, at most `limit`. */
  list(fromId: number, limit: number): Promise<MarkedId[]>
  /** The headers of those of these events that are stored, in any order. */
  byIds(ids: readonly number[]): Promise<EventHeader[]>
}

/** No `exists`: for many events PostgreSQL would read all messages into a table in memory. */
const HAS_PUBLISHED_MESSAGE = `(select 1 from message m where m.id = e.id ${IS_PUBLISHED}) is not null`

/** As one text, because to hand over a row costs more than to find it. */
const LIST = `select ${numbersOf('l.marked', 'ids')} from (
  select case when e.type = ${HubEventType.MERGE_MESSAGE} and e.message is null and e.deleted is null
      and (${IS_ANYTHING_HIDDEN} = 0 or ${HAS_PUBLISHED_MESSAGE}) then -e.id else e.id end as marked
    from event e where e.id >= OPAQUE(?) order by e.id limit OPAQUE(?)) l`

/**
 * An event is plain when nothing at all is hidden, when it is about no message, or when its only message is stored
 * and published. Others are decided by what is in them.
 */
const BY_IDS = listStatement(
  { id: 'bigint' },
  `select e.id, length(e.message) as "messageLength", length(e.deleted) as "deletedLength",
     case when ${IS_ANYTHING_HIDDEN} = 0 then 1
          when e.body is not null then 1
          when e.message is not null or e.deleted is not null then 0
          when ${HAS_PUBLISHED_MESSAGE} then 1
          else 0 end as "isPlain"
   from input i join event e on e.id = i.id`,
)

export function publishedEventHeaders(sql: Sql): PublishedEventHeaders {
  return {
    async list(fromId, limit) {
      const [row] = await sql.all(LIST, [fromId, limit])
      return numbersIn(row!.ids)
    },
    async byIds(ids) {
      const rows = ids.map((id) => ({ id }))
      return (await sql.each(BY_IDS, rows)) as unknown as EventHeader[]
    },
  }
}
