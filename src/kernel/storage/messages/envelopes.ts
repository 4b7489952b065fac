import { PACKED_AT, type PackedEnvelope } from '../../protocol/codec/packed-envelope.ts'
import { listStatement, type Row, type Sql } from '../engines/sql.ts'
import { type ListReader, listReader } from '../reads/list-reader.ts'
import { IS_PUBLISHED } from '../reads/published.ts'
import type { StoredMessage } from './messages.ts'

/** The fields of a stored message that are sent. */
export type SentMessage = Pick<
  StoredMessage,
  'fid' | 'type' | 'timestamp' | 'form' | 'hash' | 'signer' | 'signature' | 'data'
>

/** The columns of an `Envelope`, and their types. */
export const ENVELOPE_TYPES = {
  fid: 'bigint',
  type: 'bigint',
  timestamp: 'bigint',
  form: 'bigint',
  envelope: 'bytea',
} as const
/** The columns of an `Envelope`, as `stored_message m`. */
export const ENVELOPE = Object.keys(ENVELOPE_TYPES)
  .map((column) => `m.${column}`)
  .join(', ')

/** A stored message with its bytes in one column: separate columns cost more to read than the row costs to find. */
export class Envelope implements SentMessage {
  readonly fid: number
  readonly type: number
  readonly timestamp: number
  readonly form: number
  readonly bytes: PackedEnvelope

  constructor({ fid, type, timestamp, form, envelope }: Row) {
    this.fid = fid as number
    this.type = type as number
    this.timestamp = timestamp as number
    this.form = form as number
    this.bytes = envelope as PackedEnvelope
  }

  get hash(): Uint8Array {
    return this.bytes.subarray(PACKED_AT.hash, PACKED_AT.signer)
  }

  get signer(): Uint8Array {
    return this.bytes.subarray(PACKED_AT.signer, PACKED_AT.signature)
  }

  get signature(): Uint8Array {
    return this.bytes.subarray(PACKED_AT.signature, PACKED_AT.data)
  }

  get data(): Uint8Array {
    return this.bytes.subarray(PACKED_AT.data)
  }
}

const BY_SLOTS = listStatement(
  { slot: 'bytea', place: 'bigint' },
  `select i.place, ${ENVELOPE} from input i join stored_message m on m.slot = i.slot
   where true ${IS_PUBLISHED}`,
)

export type EnvelopeReader = ListReader<Envelope> & {
  /** The messages in these slots, in their order; undefined where there is none. */
  bySlots(slots: readonly Uint8Array[]): Promise<(Envelope | undefined)[]>
}

/** Published messages as they are sent. */
export const publishedEnvelopes = (sql: Sql): EnvelopeReader => ({
  ...listReader(
    sql,
    {
      columns: ENVELOPE,
      types: ENVELOPE_TYPES,
      unpack: (row) => new Envelope(row),
      bytesOf: ({ bytes }) => bytes.length,
    },
    true,
  ),
  async bySlots(slots) {
    const rows = await sql.each(
      BY_SLOTS,
      slots.map((slot, place) => ({ slot, place })),
    )
    const found = slots.map((): Envelope | undefined => undefined)
    for (const row of rows) found[row.place as number] = new Envelope(row)
    return found
  },
})
