import { KINDS } from '../../../kernel/protocol/kinds/kinds.ts'
import type { Storage } from '../../../kernel/storage/storage.ts'
import { ownMessages } from '../own-messages.ts'
import { rootOf, triePrefix } from '../set-root.ts'
import { homeShard } from '../source/fid-bucket.ts'
import type { Source } from '../source/source.ts'

type TrieParts = {
  readonly storage: Pick<Storage, 'messages'>
  readonly source: Pick<Source, 'trieNode'>
  /** How many tries the source has. */
  readonly shards: number
  /** Waits until what the source has was applied here. */
  readonly settle: () => Promise<void>
}

/** Whether the trie of the source has just these messages of a set: one request for each of its types. */
export async function isSameByTrie(
  { storage, source, shards, settle }: TrieParts,
  { fid, set }: { readonly fid: number; readonly set: number },
): Promise<boolean> {
  const types = KINDS.filter((kind) => kind.set?.number === set).map(({ type }) => type)
  const nodes = await Promise.all(
    types.map(async (type) => {
      const prefix = triePrefix(fid, type)
      return { type, prefix, node: await source.trieNode(homeShard(fid, shards), prefix) }
    }),
  )
  await settle()
  const hashes = new Map<number, Uint8Array[]>(types.map((type) => [type, []]))
  for await (const rows of ownMessages(storage, fid, set)) {
    for (const { type, hash } of rows) hashes.get(type)?.push(hash.slice())
  }
  return nodes.every(({ type, prefix, node }) => {
    const own = hashes.get(type)!
    return node.items === own.length && node.hash === rootOf(prefix, own)
  })
}
