import { GASLESS_SCOPES } from '../protocol/kinds/gasless-key.ts'
import { gaslessKeyTerms } from '../storage/reads/gasless-keys.ts'
import type { Reader } from '../storage/storage.ts'

/**
 * Whether the fid has this gasless key, not expired, for every type of message. Calls of this interface are of no type,
 * so a key that was added for some types may make none.
 */
export async function isFullGaslessKey(
  reader: Pick<Reader, 'gaslessKeys' | 'messages'>,
  { fid, key }: { readonly fid: number; readonly key: Uint8Array },
  now: number,
): Promise<boolean> {
  const rows = await reader.gaslessKeys.ofKeys([key])
  const [found] = await gaslessKeyTerms(reader, rows)
  if (found?.row.fid !== fid || found.expiresAt < now) return false
  const scopes = new Set<number>(found.scopes)
  return GASLESS_SCOPES.isSubsetOf(scopes)
}
