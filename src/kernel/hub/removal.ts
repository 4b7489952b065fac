import { encodeList } from '../protocol/codec/envelope.ts'
import { ALL_MESSAGE_SETS } from '../protocol/kinds/kinds.ts'
import { HubEventType } from '../protocol/wire/hub_event_pb.js'
import type { EventLog } from '../storage/messages/event-log.ts'
import { encodeStored, envelopeOf } from '../storage/messages/message-rows.ts'
import type { StoredMessage } from '../storage/messages/messages.ts'
import { MAX_PAGE_SIZE } from '../storage/reads/page.ts'
import type { Writer } from '../storage/storage.ts'
import type { Loss, Removed } from './kinds/effects.ts'
import { ALL_CLAIMS, byEffects, effectsOf, lossesBy } from './kinds/kinds.ts'

type RemovalReason = Removed['reason']

/** Deletes messages, appends an event for each, and revokes claims that depended on them. */
export async function removeMessages(
  tx: Writer,
  log: EventLog,
  rows: readonly StoredMessage[],
  reason: RemovalReason,
): Promise<void> {
  if (rows.length === 0) return
  for (const row of rows) appendRemoval(log, row, reason)
  await Promise.all([
    tx.events.keepMessages(rows.map((row) => ({ id: row.id, message: encodeStored(row) }))),
    tx.messages.remove(rows),
    removeEffects(tx, log, rows, reason),
  ])
  await revokeLostClaims(tx, log, rows.flatMap(lossesBy))
}

/** Undoes what is stored beside messages that are deleted. */
export async function removeEffects(
  tx: Writer,
  log: EventLog,
  rows: readonly StoredMessage[],
  reason: RemovalReason,
): Promise<void> {
  const removal = { reason, now: Math.floor(log.nowMs / 1_000) }
  for (const [effects, own] of byEffects(rows, ({ store }) => store)) {
    await effects.removed?.(tx, own, removal)
  }
}

/**
 * Revokes all messages of a fid, or only the messages that `signer` signed. Some of those stay, as on deployed nodes.
 */
export async function revokeMessages(
  tx: Writer,
  log: EventLog,
  of: { readonly fid: number; readonly signer?: Uint8Array },
): Promise<void> {
  for (const { number: store } of ALL_MESSAGE_SETS) {
    if (of.signer && effectsOf(store).outlivesKey) continue
    let token: Uint8Array | undefined
    do {
      const page = await tx.messages.listByFid({ ...of, store }, { size: MAX_PAGE_SIZE, token })
      await removeMessages(tx, log, page.items, 'revoke')
      token = page.next
    } while (token)
  }
}

/**
 * Appends the event of a removal. A set whose events have a type of their own reports the deleted message in such an event.
 * `removed` is NOTHING_STORED when the message stays in the store.
 */
export function appendRemoval(
  log: EventLog,
  row: StoredMessage,
  reason: RemovalReason,
  removed = row.id,
): void {
  const id = log.nextId()
  const { eventType } = effectsOf(row.store)
  if (eventType !== undefined) {
    const deleted = encodeList([envelopeOf(row)])
    log.append({ id, type: eventType, deleted, removed })
    return
  }
  const type = reason === 'prune' ? HubEventType.PRUNE_MESSAGE : HubEventType.REVOKE_MESSAGE
  log.append({ id, type, message: encodeStored(row), removed })
}

/** Revokes messages that claim names and addresses which their author has lost, such as the username of a profile. */
export async function revokeLostClaims(
  tx: Writer,
  log: EventLog,
  losses: readonly Loss[],
): Promise<void> {
  if (losses.length === 0) return
  for (const claims of ALL_CLAIMS) {
    const rows = await tx.messages.bySlots(losses.flatMap(claims.slots))
    const lost = rows.filter((row) => claims.isLost(row, losses))
    await removeMessages(tx, log, lost, 'revoke')
  }
}
