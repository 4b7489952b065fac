import { toHex } from '../../../kernel/protocol/codec/bytes.ts'
import { keyOfSlot } from '../../../kernel/protocol/kinds/gasless-key.ts'
import { MESSAGE_SETS } from '../../../kernel/protocol/slots.ts'
import type { StoredMessage } from '../../../kernel/storage/messages/messages.ts'
import type { Storage } from '../../../kernel/storage/storage.ts'
import type { MirrorContext } from '../context.ts'
import { ownMessages } from '../own-messages.ts'
import type { Source } from '../source/source.ts'

// Gasless keys that were removed at the source while this mirror was not connected. Snapchain sends a removal to connected
// readers only and does not keep it in its event log.

type Parts = {
  readonly storage: Pick<Storage, 'messages'>
  readonly source: Pick<Source, 'gaslessKeys'>
}

/** The stored KEY_ADD messages of a person, and those of them whose keys the source does not list. */
export async function unlistedKeys({ storage, source }: Parts, fid: number) {
  const own: Pick<StoredMessage, 'id' | 'slot' | 'hash'>[] = []
  for await (const rows of ownMessages(storage, fid, MESSAGE_SETS.gaslessKeys)) {
    for (const { id, slot, hash } of rows) own.push({ id, slot: slot.slice(), hash: hash.slice() })
  }
  if (own.length === 0) return { own, unlisted: [] }
  const { keys, areAll } = await source.gaslessKeys(fid)
  const listed = new Set(keys.map(({ key }) => toHex(key)))
  const unlisted = areAll ? own.filter(({ slot }) => !listed.has(toHex(keyOfSlot(slot)))) : []
  return { own, unlisted }
}

/** Removes them, unless an event after `mark` has added them. */
export async function removeUnlistedKeys(
  context: MirrorContext,
  { fid, mark }: { readonly fid: number; readonly mark: number },
): Promise<void> {
  const { unlisted } = await unlistedKeys(context, fid)
  if (unlisted.length === 0) return
  const steps = unlisted.map(({ slot, hash }) => ({
    remove: { fid, slot, hash, reason: 'revoke' as const, maxId: mark },
  }))
  await context.hub.mirror(steps, { lease: context.lease })
}
