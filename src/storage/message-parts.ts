import { type PartsOfMessages, partsOfPacked } from '../protocol/message-json.ts'
import { numbersIn, numbersOf } from './number-lists.ts'
import { listStatement, type Row, type Sql } from './sql.ts'

/** The bytes of messages, those of one after those of the other. */
export type PackedMessages = PartsOfMessages & {
  readonly forms: readonly number[]
  /** Bytes of the data of each. */
  readonly lengths: readonly number[]
}

/** Messages in the order of their ids. */
export type MessageParts = PackedMessages & { readonly ids: readonly number[] }

export type MessagePartsReader = {
  /** The messages with ids from `first` to `last`, which must not be further apart than what may be held at once. */
  range(first: number, last: number): Promise<MessageParts>
  /** Those of these messages that are stored, in any order. */
  byIds(ids: readonly number[]): Promise<MessageParts>
}

/** The form of a message is below this. */
const FORMS = 4

/** One row: to hand over a row for each message costs several times as much as to find it. So does a list of numbers. */
export const PACKED_MESSAGES = [
  numbersOf(`length(m.data) * ${FORMS} + m.form`, 'sizes'),
  `cast(string_agg(m.hash || JOINED_SIGNER(m) || m.signature || m.data, cast('' as BYTES)) as BYTES) as packed`,
].join(', ')

/** From a row of PACKED_MESSAGES. */
export function packedIn({ sizes, packed }: Row): PackedMessages {
  const numbers = numbersIn(sizes)
  return {
    forms: numbers.map((number) => number % FORMS),
    lengths: numbers.map((number) => Math.floor(number / FORMS)),
    ...partsOfPacked((packed ?? NO_BYTES) as Uint8Array),
  }
}

const PARTS = `${numbersOf('m.id', 'ids')}, ${PACKED_MESSAGES}`

const RANGE = `select ${PARTS}
  from (select id, form, hash, signer, signature, data from message where id >= OPAQUE(?) and id <= OPAQUE(?) IN_ID_ORDER) m
  WITH_SIGNERS(m)`

const BY_IDS = listStatement(
  { id: 'bigint' },
  `select ${PARTS} from input i join message m on m.id = i.id WITH_SIGNERS(m)`,
)

const NO_BYTES = new Uint8Array(0)

export const messagePartsReader = (sql: Sql): MessagePartsReader => ({
  async range(first, last) {
    const [row] = await sql.all(RANGE, [first, last])
    return partsIn(row!)
  },
  async byIds(ids) {
    const [row] = await sql.each(
      BY_IDS,
      ids.map((id) => ({ id })),
    )
    return partsIn(row!)
  },
})

const partsIn = (row: Row): MessageParts => ({ ids: numbersIn(row.ids), ...packedIn(row) })
