import { KINDS } from '../protocol/kinds/kinds.ts'
import type { Storage } from '../storage/storage.ts'
import { homeShard } from './fid-bucket.ts'
import { rootOf, triePrefix } from './set-root.ts'
import type { Source } from './source.ts'
import { ownMessages } from './verify.ts'

type TrieParts = {
  readonly storage: Pick<Storage, 'messages'>
  readonly source: Pick<Source, 'trieNode'>
}

/** Whether the trie of the source has the same messages of a set: one request for each of its types. */
export async function isSameByTrie(
  { storage, source }: TrieParts,
  { fid, set, shards }: { readonly fid: number; readonly set: number; readonly shards: number },
): Promise<boolean> {
  const hashes = new Map<number, Uint8Array[]>()
  for (const kind of KINDS) if (kind.set?.number === set) hashes.set(kind.type, [])
  for await (const rows of ownMessages(storage, fid, set)) {
    for (const { type, hash } of rows) hashes.get(type)?.push(hash.slice())
  }
  for (const [type, own] of hashes) {
    const prefix = triePrefix(fid, type)
    const { items, hash } = await source.trieNode(homeShard(fid, shards), prefix)
    if (items !== own.length || hash !== rootOf(prefix, own)) return false
  }
  return true
}
