import type { PartsOfMessages } from '../protocol/message-json.ts'
import type { Row, Sql } from './sql.ts'

/** Messages of a range of ids, in order: numbers of each, and all byte strings of one kind one after the other. */
export type MessageParts = PartsOfMessages & {
  readonly ids: readonly number[]
  readonly forms: readonly number[]
  /** Bytes of the data of each. */
  readonly lengths: readonly number[]
}

export type MessagePartsReader = {
  /** The messages with ids from `first` to `last`, which must not be further apart than what may be held at once. */
  range(first: number, last: number): Promise<MessageParts>
}

const bytesOf = (column: string, name: string) =>
  `cast(string_agg(m.${column}, cast('' as BYTES)) as BYTES) as ${name}`

/** One row: to hand over a row for each message costs ten times as much as to find it. */
const RANGE = `select string_agg(cast(m.id as text), ',') as ids, string_agg(cast(m.form as text), ',') as forms,
    string_agg(cast(length(m.data) as text), ',') as lengths, ${bytesOf('hash', 'hashes')},
    ${bytesOf('signer', 'signers')}, ${bytesOf('signature', 'signatures')}, ${bytesOf('data', 'data')}
  from (select id, form, hash, signer, signature, data from message where id >= ? and id <= ? order by id) m`

const NO_BYTES = new Uint8Array(0)

export const messagePartsReader = (sql: Sql): MessagePartsReader => ({
  async range(first, last) {
    const [row] = await sql.all(RANGE, [first, last])
    return partsIn(row!)
  },
})

const partsIn = ({
  ids,
  forms,
  lengths,
  hashes,
  signers,
  signatures,
  data,
}: Row): MessageParts => ({
  ids: numbersIn(ids as string | null),
  forms: numbersIn(forms as string | null),
  lengths: numbersIn(lengths as string | null),
  hashes: (hashes ?? NO_BYTES) as Uint8Array,
  signers: (signers ?? NO_BYTES) as Uint8Array,
  signatures: (signatures ?? NO_BYTES) as Uint8Array,
  data: (data ?? NO_BYTES) as Uint8Array,
})

const numbersIn = (list: string | null): readonly number[] => JSON.parse(`[${list ?? ''}]`)
