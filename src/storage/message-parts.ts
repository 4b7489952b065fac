import { type PartsOfMessages, partsOfPacked } from '../protocol/message-json.ts'
import { numbersIn, numbersOf } from './number-lists.ts'
import { listStatement, type Row, type Sql } from './sql.ts'

/** Messages in the order of their ids: numbers of each, and the bytes of one after those of the other. */
export type MessageParts = PartsOfMessages & {
  readonly ids: readonly number[]
  readonly forms: readonly number[]
  /** Bytes of the data of each. */
  readonly lengths: readonly number[]
}

/** The same in any order, with what lists need to know of each. */
export type ListedMessageParts = MessageParts & {
  readonly fids: readonly number[]
  readonly types: readonly number[]
  readonly timestamps: readonly number[]
}

export type MessagePartsReader = {
  /** The messages with ids from `first` to `last`, which must not be further apart than what may be held at once. */
  range(first: number, last: number): Promise<MessageParts>
  /** Those of these messages that are stored. */
  byIds(ids: readonly number[]): Promise<ListedMessageParts>
}

/** One row: to hand over a row for each message costs several times as much as to find it. */
const PARTS = [
  numbersOf('m.id', 'ids'),
  numbersOf('m.form', 'forms'),
  numbersOf('length(m.data)', 'lengths'),
  `cast(string_agg(m.hash || JOINED_SIGNER(m) || m.signature || m.data, cast('' as BYTES)) as BYTES) as packed`,
].join(', ')

const RANGE = `select ${PARTS}
  from (select id, form, hash, signer, signature, data from message where id >= ? and id <= ? order by id) m
  WITH_SIGNERS(m)`

const BY_IDS = listStatement(
  { id: 'bigint' },
  `select ${PARTS}, ${numbersOf('m.fid', 'fids')}, ${numbersOf('m.type', 'types')},
     ${numbersOf('m.timestamp', 'timestamps')}
   from input i join message m on m.id = i.id /*and shard m*/ WITH_SIGNERS(m)`,
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
    const { fids, types, timestamps } = row!
    return {
      ...partsIn(row!),
      fids: numbersIn(fids),
      types: numbersIn(types),
      timestamps: numbersIn(timestamps),
    }
  },
})

const partsIn = ({ ids, forms, lengths, packed }: Row): MessageParts => ({
  ids: numbersIn(ids),
  forms: numbersIn(forms),
  lengths: numbersIn(lengths),
  ...partsOfPacked((packed ?? NO_BYTES) as Uint8Array),
})
