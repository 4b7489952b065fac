import { type SourceBytes, sourceBytes } from '../protocol/json-bytes.ts'
import { numbersIn, numbersOf } from './number-lists.ts'
import type { Sql } from './sql.ts'

/** Serialised HubEvents without their ids, in the order of the ids, one after the other in `bytes`. */
export type EventBodies = {
  readonly ids: readonly number[]
  /** The length of each body in bytes. */
  readonly lengths: readonly number[]
  readonly bytes: SourceBytes
}

export type EventBodyReader = {
  /** The bodies of events with ids from `first` to `last`, which must not be further apart than what may be held at once. */
  range(first: number, last: number): Promise<EventBodies>
}

/** All events come in one row: returning a row for each costs several times as much as finding it. */
const RANGE = `select ${numbersOf('e.id', 'ids')}, ${numbersOf('length(e.body)', 'lengths')},
    cast(string_agg(e.body, cast('' as BYTES)) as BYTES) as packed
  from (select id, body from event
    where id >= OPAQUE(?) and id <= OPAQUE(?) and body is not null IN_ID_ORDER) e`

export const eventBodyReader = (sql: Sql): EventBodyReader => ({
  async range(first, last) {
    const [row] = await sql.all(RANGE, [first, last])
    const { ids, lengths, packed } = row!
    return {
      ids: numbersIn(ids),
      lengths: numbersIn(lengths),
      bytes: sourceBytes((packed ?? NO_BYTES) as Uint8Array),
    }
  },
})

const NO_BYTES = new Uint8Array(0)
