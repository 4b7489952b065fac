import {
  dataWithoutContent,
  listWithout,
  type MessageName,
  messageNames,
  messageWithout,
} from '../../protocol/codec/without-content.ts'
import { MESSAGE_FORMS } from '../../protocol/message.ts'
import {
  type BundledColumns,
  type BundledSelect,
  insertStatement,
  listStatement,
  type Row,
  type Sql,
  type SqlValue,
  updateStatement,
} from '../engines/sql.ts'
import { IS_ANYTHING_HIDDEN } from '../reads/published.ts'
import { cursorWriter } from '../tables/cursors.ts'
import { moderationReader } from '../tables/moderation.ts'
import { queryEach, rowsWith } from '../tables/table.ts'
import { ENVELOPE, ENVELOPE_TYPES, Envelope, type SentMessage } from './envelopes.ts'

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
  /**
   * Id of the message that left the store in the event's transaction: replaced, pruned or revoked. Null: none
   * did. NOTHING_STORED and FIRST_SHOWN: nothing was stored or removed; moderation announces hidden and shown messages.
   */
  readonly removed: number | null
  readonly merged: SentMessage | undefined
}

export type NewEvent = {
  readonly id: number
  readonly type: number
  readonly body?: Uint8Array | null
  readonly message?: Uint8Array | null
  readonly deleted?: Uint8Array | null
  readonly removed?: number | null
}

/** `StoredEvent.removed` of events that only announce. */
export const NOTHING_STORED = 0
/** That of events which announce a message that was hidden when it was stored: nobody has seen it before. */
export const FIRST_SHOWN = -1

export type EventRange = {
  /** The smallest id, inclusive. */
  from: number
  /** Above the largest id; undefined: no end. */
  before?: number | undefined
  /** In descending order. */
  readonly reverse?: boolean | undefined
}

/** The state of the log, for a follower. */
export type LogState = {
  readonly newestId: number
  /** Whether the event at the follower's position is still there. */
  readonly hasCursor: boolean
  /** The greatest id of an event that was pruned; 0: none was. */
  readonly prunedId: number
  /** The newest id when all data were last deleted; 0: they never were. */
  readonly startId: number
}

/** Name of the cursor that holds `LogState.startId`. */
export const LOG_START_CURSOR = 'events-start'

const EVENT_TYPES = {
  event_id: 'bigint',
  event_type: 'bigint',
  body: 'bytea',
  message: 'bytea',
  deleted: 'bytea',
  removed: 'bigint',
  ...ENVELOPE_TYPES,
} as const

/** `more` and their `types` are columns that are read besides those of an event. */
function statements(more = '', types: BundledColumns = {}) {
  const select = `select e.id as event_id, e.type as event_type, e.body, e.message, e.deleted, e.removed,
    ${ENVELOPE}${more}`
  const columns = { ...EVENT_TYPES, ...types }
  const messages = 'left join stored_message m on m.id = e.id'
  const range = `${select} from event e ${messages} where e.id >= ? and e.id < ?`
  return {
    byId: `${select} from event e ${messages} where e.id = ?`,
    byIds: listStatement(
      { id: 'bigint' },
      `${select} from input i join event e on e.id = i.id ${messages}`,
    ),
    list: {
      columns,
      text: `${select} from event e ${messages} where e.id >= ? order by e.id limit (? + 0)`,
    },
    ascending: { columns, text: `${range} order by e.id limit (? + 0)` },
    descending: { columns, text: `${range} order by e.id desc limit (? + 0)` },
  }
}

type Statements = ReturnType<typeof statements>

const ALL = statements()
const PUBLISHED = statements(`, ${IS_ANYTHING_HIDDEN} as hides`, { hides: 'bigint' })

/** Events of one statement where their bytes are bounded: one that holds a compact state may have some 64 KiB. */
const ROWS_PER_STATEMENT = 250
/** Overhead of a row. */
const ROW_BYTES = 50

async function listRows(
  sql: Sql,
  list: BundledSelect,
  [fromId, limit, maxBytes]: ListArguments,
): Promise<Row[]> {
  if (maxBytes === undefined) return sql.bundled(list, [fromId, limit])
  const rows: Row[] = []
  for (let from = fromId, bytes = 0; ; ) {
    const wanted = Math.min(limit - rows.length, ROWS_PER_STATEMENT)
    const found = await sql.bundled(list, [from, wanted])
    for (const row of found) {
      rows.push(row)
      bytes += bytesOfRow(row)
      if (bytes >= maxBytes) return rows
    }
    if (found.length < wanted || rows.length === limit) return rows
    from = (rows.at(-1)!.event_id as number) + 1
  }
}

const bytesOfRow = ({ body, message, deleted, envelope }: Row): number =>
  ROW_BYTES + lengthOf(body) + lengthOf(message) + lengthOf(deleted) + lengthOf(envelope)

const lengthOf = (value: SqlValue | undefined): number => (value as Uint8Array | null)?.length ?? 0

const APPEND = insertStatement('event', {
  id: 'bigint',
  type: 'bigint',
  body: 'bytea',
  message: 'bytea',
  deleted: 'bytea',
  removed: 'bigint',
})
const KEEP = updateStatement(
  'event',
  { id: 'bigint', message: 'bytea' },
  ({ message }) => `message = ${message}`,
  ({ id }) => `event.id = ${id}`,
)

/** Ids of later events continue from the newest one, also when that is pruned too. Seldom changes a row. */
const KEEP_NEWEST_ID = `update lock set value = (select max(id) from event)
  where name = 'hub' and value < (select max(id) from event) and (select max(id) from event) < ?`

/** The id of the newest event that was pruned; without one, no event ever was. */
const PRUNED_CURSOR = 'events-pruned'

const REWRITE = updateStatement(
  'event',
  { id: 'bigint', message: 'bytea', deleted: 'bytea' },
  ({ message, deleted }) => `message = ${message}, deleted = ${deleted}`,
  ({ id }) => `event.id = ${id}`,
)

type ListArguments = [fromId: number, limit: number, maxBytes?: number]
type EventsOf = (rows: readonly Row[]) => StoredEvent[] | Promise<StoredEvent[]>

const eventReads = (sql: Sql, statements: Statements, eventsOf: EventsOf) => ({
  async byId(id: number): Promise<StoredEvent | undefined> {
    return (await eventsOf(await sql.all(statements.byId, [id])))[0]
  },
  /** Those of these events that are stored, in any order. */
  byIds: async (ids: readonly number[]) =>
    eventsOf(await sql.each(statements.byIds, rowsWith('id', ids))),
  /**
   * Events with id >= fromId in id order, at most `limit` and, when `maxBytes` is given, about so many
   * bytes of stored data, but at least one. Only an empty list means that there are no more.
   */
  list: async (...range: ListArguments) => eventsOf(await listRows(sql, statements.list, range)),
  /** Events of a range of ids, at most `limit`, from its beginning or, in reverse, from its end. */
  async range({ from, before, reverse }: EventRange, limit: number): Promise<StoredEvent[]> {
    const select = reverse ? statements.descending : statements.ascending
    return eventsOf(await sql.bundled(select, [from, before ?? Number.MAX_SAFE_INTEGER, limit]))
  },
  async oldestId(): Promise<number | undefined> {
    const [row] = await sql.all('select id from event order by id limit 1')
    return row?.id as number | undefined
  },
  /** The greatest id that an event has or had. */
  async newestId(): Promise<number> {
    const [row] = await sql.all(
      `select (select max(id) from event) as newest,
         (select value from lock where name = 'hub') as floor`,
    )
    return Math.max(Number(row?.newest ?? 0), Number(row?.floor ?? 0))
  },
})

export type EventReader = ReturnType<typeof eventReader>
export const eventReader = (sql: Sql) => ({
  ...eventReads(sql, ALL, (rows) => rows.map(storedEvent)),
  /** The state of the log for a follower at this position. */
  async logState(cursor: number): Promise<LogState> {
    const [row] = await sql.all(
      `select (select max(id) from event) as newest,
         (select id from event where id = ?) as at_cursor,
         (select value from cursor where name = '${PRUNED_CURSOR}') as pruned,
         (select value from cursor where name = '${LOG_START_CURSOR}') as start`,
      [cursor],
    )
    const prunedId = Number(row?.pruned ?? 0)
    const startId = Number(row?.start ?? 0)
    return {
      newestId: Math.max(Number(row?.newest ?? 0), prunedId, startId),
      hasCursor: row?.at_cursor !== null,
      prunedId,
      startId,
    }
  },
})

export type PublishedEvents = ReturnType<typeof publishedEventReader>
/**
 * The same events with the same ids; messages that moderation hides are without their content. No event is
 * left out: a follower that reads late would otherwise keep the message that a missing event had replaced or removed.
 */
export const publishedEventReader = (sql: Sql) =>
  eventReads(sql, PUBLISHED, (rows) => publishedEvents(sql, rows))

async function publishedEvents(sql: Sql, rows: readonly Row[]): Promise<StoredEvent[]> {
  const events = rows.map(storedEvent)
  if (!rows.some(({ hides }) => hides === 1)) return events
  const moderation = moderationReader(sql)
  const names = events.flatMap(namesIn)
  const [fids, casts] = await Promise.all([
    moderation.hiddenAmong(names.map(({ fid }) => fid)),
    moderation.hiddenCastsAmong(names.map(({ hash }) => hash)),
  ])
  const hashes = new Set(casts.map(({ hash }) => textOf(hash)))
  const isHidden = ({ fid, hash }: MessageName) => fids.has(fid) || hashes.has(textOf(hash))
  return events.map((event) => eventWithout(event, isHidden))
}

/** Authors and hashes of the messages that an event contains. */
export const namesIn = ({ merged, message, deleted }: StoredEvent): MessageName[] => [
  ...(merged ? [merged] : []),
  ...messageNames(message, deleted),
]

/** The event without the content of the messages that `isHidden` names. */
export function eventWithout(
  event: StoredEvent,
  isHidden: (name: MessageName) => boolean,
): StoredEvent {
  const { merged, message, deleted } = event
  return {
    ...event,
    merged: merged && isHidden(merged) ? rowWithoutContent(merged) : merged,
    message: message && messageWithout(message, isHidden),
    deleted: deleted && listWithout(deleted, isHidden),
  }
}

const rowWithoutContent = (row: SentMessage): SentMessage => ({
  fid: row.fid,
  type: row.type,
  timestamp: row.timestamp,
  hash: row.hash,
  signer: row.signer,
  data: dataWithoutContent(row.data),
  form: MESSAGE_FORMS.data,
  signature: new Uint8Array(0),
})

const textOf = (hash: Uint8Array) => Buffer.from(hash).toString('latin1')

export const eventWriter = (sql: Sql, onAppend: () => void) => ({
  ...eventReader(sql),
  async append(events: readonly NewEvent[]): Promise<void> {
    if (events.length === 0) return
    onAppend()
    await sql.each(
      APPEND,
      events.map(({ id, type, body = null, message = null, deleted = null, removed = null }) => ({
        id,
        type,
        body,
        message,
        deleted,
        removed,
      })),
    )
  },
  /** Keeps the bytes of messages that are deleted in the events that reported their merge. */
  async keepMessages(messages: readonly { id: number; message: Uint8Array }[]): Promise<void> {
    await queryEach(sql, KEEP, messages)
  },
  /** Replaces the messages that events contain: for erasing them. */
  async rewrite(events: readonly Pick<StoredEvent, 'id' | 'message' | 'deleted'>[]): Promise<void> {
    const rows = events.map(({ id, message, deleted }) => ({ id, message, deleted }))
    await queryEach(sql, REWRITE, rows)
  },
  /** Deletes at most `limit` events with id < beforeId. Returns the number deleted. */
  async prune(beforeId: number, limit: number): Promise<number> {
    await sql.all(KEEP_NEWEST_ID, [beforeId])
    const rows = await sql.all(
      `delete from event where id in (select id from event where id < ? order by id limit (? + 0))
       returning id`,
      [beforeId, limit],
    )
    if (rows.length > 0) {
      const newest = rows.reduce((id, row) => Math.max(id, row.id as number), 0)
      await cursorWriter(sql).put(PRUNED_CURSOR, String(newest))
    }
    return rows.length
  },
})

const storedEvent = (row: Row): StoredEvent => ({
  id: row.event_id as number,
  type: row.event_type as number,
  body: row.body as Uint8Array | null,
  message: row.message as Uint8Array | null,
  deleted: row.deleted as Uint8Array | null,
  removed: row.removed as number | null,
  merged: row.envelope === null ? undefined : new Envelope(row),
})
