import { type DescField, type DescMessage, ScalarType, toBinary } from '@bufbuild/protobuf'
import type { MessageData } from '../wire/message_pb.js'
import { MessageDataSchema } from '../wire/message_pb.js'
import { concatBytes } from './bytes.ts'
import { fieldBytes, scanFields } from './wire-scan.ts'
import { bytesField } from './wire-write.ts'

/**
 * The bytes that deployed hubs hash when a message comes with `data` alone. Both of their encoders write
 * fields in the order of declaration, which is the order of numbers except for the parent url of casts.
 * The first (ts-proto) writes empty lists of numbers as entries of length 0, the second (prost) leaves
 * them out. Data bytes in these forms hold everything that decoding found.
 */
export function* deployedEncodings(data: MessageData): Generator<Uint8Array> {
  const bytes = toBinary(MessageDataSchema, data, { writeUnknownFields: false })
  yield reencoded(MessageDataSchema, bytes, true)
  yield reencoded(MessageDataSchema, bytes, false)
}

function reencoded(type: DescMessage, bytes: Uint8Array, withEmptyLists: boolean): Uint8Array {
  const fields = scanFields(bytes) ?? []
  const spans = fields.map((field, i) => ({ field, tagStart: fields[i - 1]?.end ?? 0 }))
  const parts = type.fields.flatMap((declared) => {
    const own = spans.filter(({ field }) => field.number === declared.number)
    if (own.length === 0 && withEmptyLists && isNumberList(declared)) {
      return [bytesField(declared.number, new Uint8Array(0))]
    }
    return own.map(({ field, tagStart }) => {
      if (!declared.message) return bytes.subarray(tagStart, field.end)
      const inner = reencoded(declared.message, fieldBytes(bytes, field), withEmptyLists)
      return bytesField(declared.number, inner)
    })
  })
  return concatBytes(...parts)
}

const NOT_PACKED: ReadonlySet<ScalarType> = new Set([ScalarType.STRING, ScalarType.BYTES])

function isNumberList(field: DescField): boolean {
  if (field.fieldKind !== 'list') return false
  return field.listKind === 'enum' || (field.listKind === 'scalar' && !NOT_PACKED.has(field.scalar))
}
