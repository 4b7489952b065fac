import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { MessageSet } from '../../kernel/protocol/kinds/kind.ts'
import { ALL_MESSAGE_SETS } from '../../kernel/protocol/kinds/kinds.ts'
import type { EventLog } from '../../kernel/storage/messages/event-log.ts'
import { eventWithout, namesIn } from '../../kernel/storage/messages/events.ts'
import type { StoredMessage } from '../../kernel/storage/messages/messages.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import { ERASED_STEP, type ModerationTask } from '../../kernel/storage/tables/moderation.ts'
import { heldRows } from './tables/held.ts'

// Announcing or erasing all messages of an account, in batches. A task is a row with a position, changed in the
// transaction that does the work, so that any process can continue it after a crash. Reads do not wait for it:
// they follow the account's row at once.

/** Messages or events in one transaction: other writers wait no longer than for a batch of messages. */
export const TASK_BATCH = 500

const IN_ORDER = ALL_MESSAGE_SETS.toSorted((a, b) => a.announceOrder - b.announceOrder)
const numberOf = ({ number }: MessageSet) => number
/** Messages are announced after those that they depend on, and erased before them. */
export const ANNOUNCED = IN_ORDER.map(numberOf)
export const ERASED = [
  ...IN_ORDER.filter((set) => set.dependsOnOthers),
  ...IN_ORDER.filter((set) => !set.dependsOnOthers),
].map(numberOf)

/** How the hub announces and erases messages and events for moderation. */
export type ModerationEvents = {
  hide(log: EventLog, rows: readonly StoredMessage[]): void
  show(log: EventLog, rows: readonly StoredMessage[]): void
  publish(log: EventLog, row: StoredMessage): void
  /** Has those told whom a cast concerns that nobody has seen before. */
  announce(tx: Writer, row: StoredMessage): Promise<void>
  erase(tx: Writer, log: EventLog, rows: readonly StoredMessage[]): Promise<void>
}

/** Does one batch of the oldest task, under the hub's lock. Returns whether there was one. */
export async function runBatch(
  tx: Writer,
  log: EventLog,
  events: ModerationEvents,
): Promise<boolean> {
  const task = await tx.moderation.nextTask()
  if (!task) return false
  await advance(tx, log, events, task)
  await log.flush()
  return true
}

async function advance(
  tx: Writer,
  log: EventLog,
  events: ModerationEvents,
  task: ModerationTask,
): Promise<void> {
  let { step, position } = task
  const sets = task.kind === 'erase' ? ERASED : ANNOUNCED
  for (let room = TASK_BATCH; room > 0 && step < sets.length; ) {
    const { items, next } = await pageOf(tx, task, sets[step]!, position, room)
    if (task.kind === 'revoke') events.hide(log, items)
    else if (task.kind === 'merge') await showAgain(tx, log, items, events)
    else await events.erase(tx, log, items)
    room -= items.length
    position = next ?? null
    if (!next) step++
  }
  if (step < sets.length) {
    await tx.moderation.putTask({ ...task, step, position })
  } else if (task.kind !== 'erase') {
    await tx.moderation.removeTask(task)
  } else {
    await eraseFromEvents(tx, log, {
      ...task,
      step,
      position: step === task.step ? position : null,
    })
  }
}

/** Casts that were held, and that a moderator has decided to show while their account was hidden, are new to everybody. */
async function showAgain(
  tx: Writer,
  log: EventLog,
  rows: readonly StoredMessage[],
  events: ModerationEvents,
): Promise<void> {
  const held = await tx.of(heldRows).castsAmong(rows.map(({ hash }) => hash))
  const isNew = new Set(held.flatMap(({ hash, state }) => (state === 'shown' ? [toHex(hash)] : [])))
  for (const row of rows) {
    if (isNew.has(toHex(row.hash))) await publishHeld(tx, log, row, events)
    else events.show(log, [row])
  }
}

/** Tells of a cast that was held as of a new one. */
export async function publishHeld(
  tx: Writer,
  log: EventLog,
  row: StoredMessage,
  events: ModerationEvents,
): Promise<void> {
  await tx.of(heldRows).removeCast(row.hash)
  events.publish(log, row)
  await events.announce(tx, row)
}

/**
 * The next messages of a task. Messages that are hidden for another reason are not announced when
 * the account is restored.
 */
async function pageOf(
  tx: Writer,
  { fid, kind }: ModerationTask,
  store: number,
  position: Uint8Array | null,
  size: number,
) {
  if (kind === 'erase') {
    // Erased messages are deleted, so every batch begins at the start.
    const to = (await tx.moderation.account(fid))?.erased_before
    const page = await tx.messages.listByFid({ fid, store, to }, { size })
    return page
  }
  const messages = kind === 'merge' ? tx.published.messages : tx.messages
  return messages.listByFid({ fid, store }, { size, token: position ?? undefined })
}

/**
 * Removes the content of the account's messages from the next events, and after the last ones what the tables declare of the
 * account. erasures.ts then finishes the task.
 */
async function eraseFromEvents(tx: Writer, log: EventLog, task: ModerationTask): Promise<void> {
  const fromId = task.position ? Number(Buffer.from(task.position).toString()) : 0
  const events = await tx.events.list(fromId, TASK_BATCH)
  const isErased = ({ fid }: { fid: number }) => fid === task.fid
  const changed = events
    .filter((event) => !event.merged && namesIn(event).some(isErased))
    .map((event) => eventWithout(event, isErased))
  await tx.events.rewrite(changed)
  if (events.length === TASK_BATCH) {
    const position = Buffer.from(String(events.at(-1)!.id + 1))
    await tx.moderation.putTask({ ...task, position })
    return
  }
  if (!(await tx.eraseRows(task.fid, TASK_BATCH))) {
    await tx.moderation.putTask(task)
    return
  }
  const account = await tx.moderation.account(task.fid)
  if (account) {
    await tx.moderation.putAccount({ ...account, erasing: 0, hidden: account.suspended })
  }
  const position = Buffer.from(String(log.lastId))
  await tx.moderation.putTask({ ...task, step: ERASED_STEP, position })
}
