import { PACKED_MESSAGE, type StoredMessage, unpackMessage } from './messages.ts'
import { listStatement, type Row, type Sql } from './sql.ts'

/**
 * An event as stored. A merge event has no copy of its message while the message is stored: it is read as
 * `merged`. When the message is deleted, its bytes are kept in `message`.
 */
export type StoredEvent = {
  readonly id: number
  readonly type: number
  /** For events that are not about a message: an encoded HubEvent without its id. */
  readonly body: Uint8Array | null
  /** The message, encoded as it was received. */
  readonly message: Uint8Array | null
  /** The messages that it replaced, encoded as a list. */
  readonly deleted: Uint8Array | null
  readonly merged: StoredMessage | undefined
}

export type NewEvent = {
  readonly id: number
  readonly type: number
  readonly body?: Uint8Array | null
  readonly message?: Uint8Array | null
  readonly deleted?: Uint8Array | null
}

export interface EventReader {
  byId(id: number): Promise<StoredEvent | undefined>
  /**
   * Events with id >= fromId in id order, at most `limit` and, when `maxBytes` is given, about so many
   * bytes of stored data, but at least one. Only an empty list means that there are no more.
   */
  list(fromId: number, limit: number, maxBytes?: number): Promise<StoredEvent[]>
  oldestId(): Promise<number | undefined>
  newestId(): Promise<number>
}

export interface EventWriter extends EventReader {
  append(events: readonly NewEvent[]): Promise<void>
  /** Keeps the bytes of messages that are deleted in the events that reported their merge. */
  keepMessages(messages: readonly { id: number; message: Uint8Array }[]): Promise<void>
  /** Deletes at most `limit` events with id < beforeId. Returns the number deleted. */
  prune(beforeId: number, limit: number): Promise<number>
}

const SELECT = `select e.id as event_id, e.type as event_type, e.body, e.message, e.deleted,
  ${PACKED_MESSAGE} from event e left join message m on m.id = e.id`

/** Bytes of a stored message besides its data: hash, signer, signature and slot. */
const MESSAGE_OVERHEAD_BYTES = 150

/** The same up to the event with which the events' bytes reach a limit. Sizes are read without the bytes. */
const SELECT_WITHIN_BYTES = `with sized as (
    select e.id, coalesce(length(e.body), 0) + coalesce(length(e.message), 0)
        + coalesce(length(e.deleted), 0) + coalesce(length(m.data), 0) + ${MESSAGE_OVERHEAD_BYTES} as size
      from event e left join message m on m.id = e.id where e.id >= ? order by e.id limit ?),
  summed as (select id, size, sum(size) over (order by id) as total from sized)
  ${SELECT} where e.id >= ? and e.id <= (select max(id) from summed where total - size < ?)
  order by e.id`

const APPEND = listStatement(
  { id: 'bigint', type: 'bigint', body: 'bytea', message: 'bytea', deleted: 'bytea' },
  `insert into event (id, type, body, message, deleted)
   select id, type, body, message, deleted from input`,
)
const KEEP = listStatement(
  { id: 'bigint', message: 'bytea' },
  'update event set message = i.message from input i where event.id = i.id',
)

/** Ids of later events continue from the newest one, also when that is pruned too. Seldom changes a row. */
const KEEP_NEWEST_ID = `update lock set value = (select max(id) from event)
  where name = 'hub' and value < (select max(id) from event) and (select max(id) from event) < ?`

export function eventReader(sql: Sql): EventReader {
  return {
    async byId(id) {
      const [row] = await sql.all(`${SELECT} where e.id = ?`, [id])
      return row && storedEvent(row)
    },
    async list(fromId, limit, maxBytes) {
      const rows =
        maxBytes === undefined
          ? await sql.all(`${SELECT} where e.id >= ? order by e.id limit ?`, [fromId, limit])
          : await sql.all(SELECT_WITHIN_BYTES, [fromId, limit, fromId, maxBytes])
      return rows.map(storedEvent)
    },
    async oldestId() {
      const [row] = await sql.all('select id from event order by id limit 1')
      return row?.id as number | undefined
    },
    async newestId() {
      const [row] = await sql.all(
        `select (select max(id) from event) as newest,
           (select value from lock where name = 'hub') as floor`,
      )
      return Math.max(Number(row?.newest ?? 0), Number(row?.floor ?? 0))
    },
  }
}

export function eventWriter(sql: Sql): EventWriter {
  return {
    ...eventReader(sql),
    async append(events) {
      if (events.length === 0) return
      await sql.each(
        APPEND,
        events.map(({ id, type, body = null, message = null, deleted = null }) => ({
          id,
          type,
          body,
          message,
          deleted,
        })),
      )
    },
    async keepMessages(messages) {
      if (messages.length > 0) await sql.each(KEEP, messages)
    },
    async prune(beforeId, limit) {
      await sql.all(KEEP_NEWEST_ID, [beforeId])
      const rows = await sql.all(
        `delete from event where id in (select id from event where id < ? order by id limit ?)
         returning id`,
        [beforeId, limit],
      )
      return rows.length
    },
  }
}

function storedEvent(row: Row): StoredEvent {
  return {
    id: row.event_id as number,
    type: row.event_type as number,
    body: row.body as Uint8Array | null,
    message: row.message as Uint8Array | null,
    deleted: row.deleted as Uint8Array | null,
    merged: row.packed === null ? undefined : unpackMessage(row),
  }
}
