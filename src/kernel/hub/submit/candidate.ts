import { fromBinary } from '@bufbuild/protobuf'
import type { SignedMessage } from '../../protocol/message.ts'
import { type MessageData, MessageDataSchema } from '../../protocol/wire/message_pb.js'
import { toRow } from '../../storage/messages/message-rows.ts'
import type { NewMessage } from '../../storage/messages/messages.ts'

/** The columns of a checked message; its id is given when it is merged. */
export type CheckedRow = Omit<NewMessage, 'id'>

/**
 * A checked message on its way into the store. Its row is computed once, on the main thread. Most
 * messages are merged by their row alone; the body is decoded only where a rule asks for it.
 */
export class Candidate {
  readonly row: CheckedRow
  /**
   * What only a chain or a signature says: the address that an ENS or base name resolves to now, or the signers of a message
   * about a gasless key (encodeKeySigners).
   */
  readonly answer: Uint8Array | undefined
  #data: MessageData | undefined

  constructor(row: CheckedRow, answer?: Uint8Array) {
    this.row = row
    this.answer = answer
  }

  /** `message` has passed `checkMessage` and is of a storable type. */
  static of(message: SignedMessage, answer?: Uint8Array): Candidate {
    return new Candidate(toRow(message), answer)
  }

  get data(): MessageData {
    this.#data ??= fromBinary(MessageDataSchema, this.row.data, { readUnknownFields: false })
    return this.#data
  }

  get body(): MessageData['body'] {
    return this.data.body
  }
}

/** A byte string as a key of a map. */
export const bytesKey = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
