import { fromBinary } from '@bufbuild/protobuf'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { type CastAddBody, MessageDataSchema } from '../../kernel/protocol/wire/message_pb.js'
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

/** What a cast says and carries. */
export type CastContent = {
  /** Null where there is no cast. */
  readonly text: string | null
  /** The addresses that it carries. */
  readonly urls: readonly string[]
  /** The address that it answers, if it answers one. */
  readonly parentUrls: readonly string[]
  readonly quotes: readonly CastRef[]
  /** The cast that it answers, if it answers one. */
  readonly parent: CastRef | undefined
}
type CastRef = { readonly fid: number; readonly hash: Uint8Array }

/** The content of a cast, hidden or not; nothing where there is no cast. */
export async function castContentOf(
  { messages }: Pick<Reader, 'messages'>,
  hash: Uint8Array | null,
): Promise<CastContent> {
  const cast = hash && (await messages.castByHash(hash))
  const body = cast ? bodyIn(cast.data) : undefined
  return body ? contentIn(body) : NOTHING
}

const NOTHING: CastContent = { text: null, urls: [], parentUrls: [], quotes: [], parent: undefined }

export const contentIn = ({ text, embeds, embedsDeprecated, parent }: CastAddBody) => ({
  text,
  urls: [
    ...embeds.flatMap(({ embed }) => (embed.case === 'url' ? embed.value : [])),
    ...embedsDeprecated,
  ],
  parentUrls: parent.case === 'parentUrl' ? [parent.value] : [],
  quotes: embeds.flatMap(({ embed }) => (embed.case === 'castId' ? refOf(embed.value) : [])),
  parent: parent.case === 'parentCastId' ? refOf(parent.value) : undefined,
})

const refOf = ({ fid, hash }: { fid: bigint; hash: Uint8Array }): CastRef => ({
  fid: Number(fid),
  hash,
})

const textIn = (data: Uint8Array): string | null => bodyIn(data)?.text ?? null

export function bodyIn(data: Uint8Array) {
  const { body } = fromBinary(MessageDataSchema, data)
  return body.case === 'castAddBody' ? body.value : undefined
}
