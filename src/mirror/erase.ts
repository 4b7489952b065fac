import { ALL_MESSAGE_SETS } from '../protocol/kinds/kinds.ts'
import { type MirrorContext, writeAsLeader } from './context.ts'
import { ownMessages } from './verify.ts'

const REMOVED_AT_ONCE = 500

/** Removes the messages of somebody who is not mirrored any more, with an event for each, and what was noted about them. */
export async function erasePerson(context: MirrorContext, fid: number): Promise<void> {
  const { storage, hub, lease, signal } = context
  for (const { number } of ALL_MESSAGE_SETS) {
    for (;;) {
      const { value: rows } = await ownMessages(storage, fid, number).next()
      if (!rows || rows.length === 0) break
      const steps = rows.slice(0, REMOVED_AT_ONCE).map(({ slot, hash }) => ({
        remove: { fid, slot: slot.slice(), hash: hash.slice(), reason: 'revoke' as const },
      }))
      await hub.mirror(steps, { lease })
      signal.throwIfAborted()
    }
  }
  await writeAsLeader(context, async (tx) => {
    await tx.mirror.removeFid(fid)
    await tx.mirror.removeQuarantineOf(fid)
    await tx.mirror.putWithheld(fid, 0)
  })
}
