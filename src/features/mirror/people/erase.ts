import { ALL_MESSAGE_SETS } from '../../../kernel/protocol/kinds/kinds.ts'
import { castSlot } from '../../../kernel/protocol/slots.ts'
import type { Writer } from '../../../kernel/storage/storage.ts'
import { type MirrorContext, writeAsLeader } from '../context.ts'
import { ownMessages } from '../own-messages.ts'
import { mirrorRows } from '../tables/mirror.ts'
import { type MirrorContextRow, mirrorContextRows } from '../tables/mirror-context.ts'
import { mirrorNameRows } from '../tables/mirror-names.ts'
import { newPerson } from './new-person.ts'

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
  await eraseContext(context, fid)
  await writeAsLeader(context, async (tx) => {
    await tx.of(mirrorRows).removeFid(fid)
    // Whoever somebody else's casts refer to is context from now on.
    const isNamed = (await tx.of(mirrorContextRows).namedOf([fid])).has(fid)
    const person = newPerson(fid, context.clock.now())
    if (isNamed) await tx.of(mirrorRows).putFids([{ ...person, state: 'context' }])
    await tx.of(mirrorRows).removeQuarantineOf(fid)
    await tx.of(mirrorNameRows).setNames(fid, [])
    await tx.of(mirrorRows).putWithheld(fid, 0)
  })
}

/** Removes what only casts of this person referred to: those casts, and people with all that is kept of them. */
async function eraseContext(context: MirrorContext, whose: number): Promise<void> {
  const { storage, hub, lease, clock, signal } = context
  for (;;) {
    const rows = await storage.of(mirrorContextRows).ofWhom(whose, REMOVED_AT_ONCE)
    if (rows.length === 0) return
    const others = await storage.of(mirrorContextRows).whoseOf(rows)
    const orphans = rows.filter((row) => row.hash.length > 0 && isOnly(row, others))
    const known = await storage.of(mirrorRows).fids(orphans.map(({ fid }) => fid))
    const isContext = new Set(known.flatMap(({ fid, state }) => (state === 'context' ? fid : [])))
    const steps = orphans
      .filter(({ fid }) => isContext.has(fid))
      .map(({ fid, hash }) => ({
        remove: { fid, slot: castSlot(fid, hash), hash, reason: 'revoke' as const },
      }))
    if (steps.length > 0) await hub.mirror(steps, { lease })
    await writeAsLeader(context, (tx) => forget(tx, rows, clock.now()))
    signal.throwIfAborted()
  }
}

/** Ends that these are context. What somebody else's casts have begun to refer to meanwhile is read again. */
async function forget(tx: Writer, rows: readonly MirrorContextRow[], now: number): Promise<void> {
  await tx.of(mirrorContextRows).remove(rows)
  const left = await tx.of(mirrorContextRows).whoseOf(rows)
  const isLeft = (row: MirrorContextRow) => left.some((one) => isSame(one, row))
  await tx.of(mirrorContextRows).removeCasts(rows.filter((row) => !isLeft(row)))
  await tx.of(mirrorRows).setDue(
    rows.filter(isLeft).map(({ fid }) => fid),
    now,
  )
  const fids = [...new Set(rows.map(({ fid }) => fid))]
  const named = await tx.of(mirrorContextRows).namedOf(fids)
  await tx.of(mirrorRows).eraseContext(
    fids.filter((fid) => !named.has(fid)),
    now,
  )
}

const isSame = (a: MirrorContextRow, b: MirrorContextRow): boolean =>
  a.fid === b.fid && Buffer.compare(a.hash, b.hash) === 0

const isOnly = (row: MirrorContextRow, all: readonly MirrorContextRow[]): boolean =>
  all.every((one) => one.whose === row.whose || !isSame(one, row))
