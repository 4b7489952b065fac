import { encodeList } from '../protocol/codec/envelope.ts'
import { MESSAGE_SETS, userDataSlot } from '../protocol/slots.ts'
import { HubEventType } from '../protocol/wire/hub_event_pb.js'
import { UserDataType } from '../protocol/wire/message_pb.js'
import type { EventLog } from '../storage/messages/event-log.ts'
import { encodeStored, envelopeOf, fromStored } from '../storage/messages/message-rows.ts'
import type { StoredMessage } from '../storage/messages/messages.ts'
import { MAX_PAGE_SIZE } from '../storage/reads/page.ts'
import type { Writer } from '../storage/storage.ts'
import { bytesKey } from './submit/candidate.ts'
import { isKeyMessage, keyOfSlot } from './submit/gasless-keys.ts'
import { removeLends } from './submit/storage-lends.ts'
import { primaryAddressOf } from './submit/user-data.ts'

type RemovalReason = 'prune' | 'revoke'

/** Deletes messages, appends an event for each, and revokes profile entries that depended on them. */
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
    removeState(tx, log, rows, reason),
  ])
  await revokeLostClaims(tx, log, rows.flatMap(lossesBy))
}

/** Deletes what is stored beside messages that add keys and lend storage. */
export async function removeState(
  tx: Writer,
  log: EventLog,
  rows: readonly StoredMessage[],
  reason: RemovalReason,
): Promise<void> {
  const keys = rows.filter(isKeyMessage).map(({ slot }) => keyOfSlot(slot))
  if (keys.length > 0) await tx.gaslessKeys.remove(keys)
  await removeLends(
    tx,
    rows,
    reason === 'prune' ? 'pruned' : { now: Math.floor(log.nowMs / 1_000) },
  )
}

/**
 * Revokes all messages of a fid, or only the messages that `signer` signed. Storage that the key lent stays lent, as on
 * deployed nodes: others depend on it.
 */
export async function revokeMessages(
  tx: Writer,
  log: EventLog,
  of: { readonly fid: number; readonly signer?: Uint8Array },
): Promise<void> {
  for (const store of Object.values(MESSAGE_SETS)) {
    if (of.signer && store === MESSAGE_SETS.storageLends) continue
    let token: Uint8Array | undefined
    do {
      const page = await tx.messages.listByFid({ ...of, store }, { size: MAX_PAGE_SIZE, token })
      await removeMessages(tx, log, page.items, 'revoke')
      token = page.next
    } while (token)
  }
}

/**
 * Appends the event of a removal. Username proofs have their own type, which names the deleted proof.
 * `removed` is NOTHING_STORED when the message stays in the store.
 */
export function appendRemoval(
  log: EventLog,
  row: StoredMessage,
  reason: RemovalReason,
  removed = row.id,
): void {
  const id = log.nextId()
  if (row.store === MESSAGE_SETS.usernameProofs) {
    const deleted = encodeList([envelopeOf(row)])
    log.append({ id, type: HubEventType.MERGE_USERNAME_PROOF, deleted, removed })
    return
  }
  const type = reason === 'prune' ? HubEventType.PRUNE_MESSAGE : HubEventType.REVOKE_MESSAGE
  log.append({ id, type, message: encodeStored(row), removed })
}

/** A name or address that a fid no longer holds, and that its profile may still claim. */
export type Loss =
  | { readonly fid: number; readonly name: string }
  | { readonly fid: number; readonly address: Uint8Array }

/** The names and addresses that the author loses with this message. */
export function lossesBy(row: StoredMessage): Loss[] {
  if (row.store !== MESSAGE_SETS.usernameProofs && row.store !== MESSAGE_SETS.verifications)
    return []
  const { body } = fromStored(row).data
  if (body.case === 'usernameProofBody') {
    return [{ fid: row.fid, name: Buffer.from(body.value.name).toString() }]
  }
  if (body.case === 'verificationAddAddressBody') {
    return [{ fid: row.fid, address: body.value.address }]
  }
  return []
}

/** Revokes usernames and primary addresses in profiles whose fid has lost the name or address. */
export async function revokeLostClaims(
  tx: Writer,
  log: EventLog,
  losses: readonly Loss[],
): Promise<void> {
  if (losses.length === 0) return
  const rows = await tx.messages.bySlots(losses.flatMap(claimSlots))
  const lost = new Set(losses.map(lossKey))
  await removeMessages(
    tx,
    log,
    rows.filter((row) => lost.has(claimKey(row))),
    'revoke',
  )
}

function claimSlots(loss: Loss): Uint8Array[] {
  const types =
    'name' in loss
      ? [UserDataType.USER_DATA_TYPE_USERNAME]
      : [
          UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM,
          UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA,
        ]
  return types.map((type) => userDataSlot(loss.fid, type))
}

const lossKey = (loss: Loss) =>
  'name' in loss ? `${loss.fid} ${loss.name}` : `${loss.fid}:${bytesKey(loss.address)}`

/** The name or address that a profile entry claims, written as `lossKey` does. */
function claimKey(row: StoredMessage): string {
  const { body } = fromStored(row).data
  if (body.case !== 'userDataBody') return ''
  const { type, value } = body.value
  const address = primaryAddressOf(type, value)
  return address ? `${row.fid}:${bytesKey(address)}` : `${row.fid} ${value}`
}
