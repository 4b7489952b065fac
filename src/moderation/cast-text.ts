import { fromBinary } from '@bufbuild/protobuf'
import { MessageDataSchema } from '../protocol/wire/message_pb.js'
import type { Reader } from '../storage/storage.ts'

/** The text of a cast, hidden or not; null when it is not stored. For its author and for who decides about it. */
export async function castTextOf(
  { messages }: Pick<Reader, 'messages'>,
  hash: Uint8Array | null,
): Promise<string | null> {
  const row = hash && (await messages.castByHash(hash))
  if (!row) return null
  const { body } = fromBinary(MessageDataSchema, row.data)
  return body.case === 'castAddBody' ? body.value.text : null
}
