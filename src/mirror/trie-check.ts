import { KINDS } from '../protocol/kinds/kinds.ts'
import type { StoredMessage } from '../storage/messages/stored-message.ts'
import { homeShard } from './fid-bucket.ts'
import { rootOf, triePrefix } from './set-root.ts'
import type { Source } from './source.ts'

type Pages = AsyncIterable<readonly Pick<StoredMessage, 'type' | 'hash'>[]>

/** Whether the trie of the source has just these messages of a set: one request for each of its types. */
export async function isSameByTrie(
  { source, shards }: { readonly source: Pick<Source, 'trieNode'>; readonly shards: number },
  { fid, set }: { readonly fid: number; readonly set: number },
  pages: Pages,
): Promise<boolean> {
  const hashes = new Map<number, Uint8Array[]>()
  for (const kind of KINDS) if (kind.set?.number === set) hashes.set(kind.type, [])
  for await (const rows of pages) {
    for (const { type, hash } of rows) hashes.get(type)?.push(hash.slice())
  }
  for (const [type, own] of hashes) {
    const prefix = triePrefix(fid, type)
    const { items, hash } = await source.trieNode(homeShard(fid, shards), prefix)
    if (items !== own.length || hash !== rootOf(prefix, own)) return false
  }
  return true
}
