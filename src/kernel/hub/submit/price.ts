import type { Cost } from '../../limits/cost.ts'
import { MAX_BULK_MESSAGES } from '../../protocol/codec/decode.ts'
import { FieldScan, WIRE_BYTES } from '../../protocol/codec/wire-scan.ts'
import { KINDS } from '../../protocol/kinds/kinds.ts'
import { MessageDataSchema, MessageSchema } from '../../protocol/wire/message_pb.js'

// What a submit may cost besides being received, from its bytes alone: it is paid before they are decoded. A message that
// is refused later has paid the same.

/** Ethereum signatures of which a signer may be recovered, by the field of the body that has them. */
const RECOVERIES: ReadonlyMap<number, number> = new Map(
  KINDS.map(({ body, recoveries = 0 }) => [MessageDataSchema.field[body].number, recoveries]),
)
const MOST_RECOVERIES = Math.max(...RECOVERIES.values())
const DATA_FIELDS: readonly number[] = [
  MessageSchema.field.data.number,
  MessageSchema.field.dataBytes.number,
]
/** Fields that are looked at; a message has fewer, and one with more pays the most. */
const MAX_FIELDS = 64
/** Of a bulk request: its messages, and as many unknown ones. */
const MAX_BULK_FIELDS = 2 * MAX_BULK_MESSAGES
const MESSAGES_FIELD = 1

/** The cost of submitting or validating a serialised message. */
export const costOfMessage = (bytes: Uint8Array): Cost => ({ recoveries: recoveriesIn(bytes) })

/** The cost of a bulk submit, as far as it depends on its messages. */
export function costOfBulk(bytes: Uint8Array): Cost {
  let [messages, recoveries] = [0, 0]
  const scan = new FieldScan(bytes)
  for (let fields = 0; fields < MAX_BULK_FIELDS && scan.next(); fields++) {
    const { number, wireType, start, end } = scan
    if (number !== MESSAGES_FIELD || wireType !== WIRE_BYTES || messages === MAX_BULK_MESSAGES) {
      continue
    }
    messages++
    recoveries += recoveriesIn(bytes, start, end)
  }
  // One that cannot be read counts as one message, as it does for the limit on submits.
  const count = Math.max(1, messages)
  return { signatures: count, writes: count, recoveries }
}

function recoveriesIn(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let most = 0
  const envelope = new FieldScan(bytes, from, to)
  for (let fields = 0; envelope.next(); fields++) {
    if (fields === MAX_FIELDS) return MOST_RECOVERIES
    if (envelope.wireType !== WIRE_BYTES || !DATA_FIELDS.includes(envelope.number)) continue
    most = Math.max(most, recoveriesOfData(bytes, envelope.start, envelope.end))
  }
  return most
}

/** Decoders take the last of several bodies; the dearest is paid. */
function recoveriesOfData(bytes: Uint8Array, from: number, to: number): number {
  let most = 0
  const data = new FieldScan(bytes, from, to)
  for (let fields = 0; data.next(); fields++) {
    if (fields === MAX_FIELDS) return MOST_RECOVERIES
    most = Math.max(most, RECOVERIES.get(data.number) ?? 0)
  }
  return most
}
