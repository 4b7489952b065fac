import { encodeEnvelope } from '../protocol/codec/envelope.ts'
import { withoutContent } from '../protocol/codec/without-content.ts'
import type { EventLog } from '../storage/messages/event-log.ts'
import { FIRST_SHOWN, NOTHING_STORED } from '../storage/messages/events.ts'
import { encodeStored, fromStored } from '../storage/messages/message-rows.ts'
import type { StoredMessage } from '../storage/messages/messages.ts'
import type { Writer } from '../storage/storage.ts'
import { mergeEventOf } from './kinds/kinds.ts'
import { appendRemoval, removeEffects } from './removal.ts'

/** Reports what moderation hides, shows and erases, in events that existing clients understand. */
export const moderationEvents = {
  /** Appends an event for each message that is hidden now: as if it had been revoked. */
  hide(log: EventLog, rows: readonly StoredMessage[]): void {
    for (const row of rows) appendRemoval(log, row, 'revoke', NOTHING_STORED)
  },
  /** Appends an event for each message that is shown again: as if it had just been merged. */
  show(log: EventLog, rows: readonly StoredMessage[]): void {
    for (const row of rows) appendMerge(log, row, NOTHING_STORED)
  },
  /** Appends an event for a message that was hidden when it was stored: webhooks are told of it as of a new one. */
  publish(log: EventLog, row: StoredMessage): void {
    appendMerge(log, row, FIRST_SHOWN)
  },
  /** Deletes messages for good: what remains in events tells only which messages were deleted. */
  async erase(tx: Writer, log: EventLog, rows: readonly StoredMessage[]): Promise<void> {
    const emptied = rows.map((row) => ({ ...row, ...withoutContent(fromStored(row)), id: row.id }))
    for (const row of emptied) appendRemoval(log, { ...row, data: row.dataBytes }, 'revoke')
    await tx.events.keepMessages(
      emptied.map((row) => ({ id: row.id, message: encodeEnvelope(row) })),
    )
    await tx.messages.remove(rows)
    await removeEffects(tx, log, rows, 'revoke')
  },
}

function appendMerge(log: EventLog, row: StoredMessage, removed: number): void {
  const message = encodeStored(row)
  log.append({ id: log.nextId(), type: mergeEventOf(row.store), message, removed })
}
