import { fromBinary } from '@bufbuild/protobuf'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { MessageDataSchema } from '../../kernel/protocol/wire/message_pb.js'
import type { Reader } from '../../kernel/storage/storage.ts'

/**
 * The texts of casts, hidden or not; null for those that are not stored, and where there is no hash. For their authors and for who
 * decides about them.
 */
export async function castTextsOf(
  { messages }: Pick<Reader, 'messages'>,
  hashes: readonly (Uint8Array | null)[],
): Promise<(string | null)[]> {
  const known = hashes.filter((hash) => hash !== null)
  const rows = await messages.castsByHashes(known)
  const texts = new Map(rows.map(({ hash, data }) => [toHex(hash), textIn(data)]))
  return hashes.map((hash) => (hash && texts.get(toHex(hash))) ?? null)
}

/** The text of a cast and the addresses that it carries, hidden or not; null and none where there is no cast. */
export async function castContentOf(
  { messages }: Pick<Reader, 'messages'>,
  hash: Uint8Array | null,
): Promise<{ text: string | null; urls: string[] }> {
  const cast = hash && (await messages.castByHash(hash))
  const body = cast ? bodyIn(cast.data) : undefined
  const urls = (body?.embeds ?? []).flatMap(({ embed }) =>
    embed.case === 'url' ? embed.value : [],
  )
  return { text: body?.text ?? null, urls }
}

const textIn = (data: Uint8Array): string | null => bodyIn(data)?.text ?? null

function bodyIn(data: Uint8Array) {
  const { body } = fromBinary(MessageDataSchema, data)
  return body.case === 'castAddBody' ? body.value : undefined
}
