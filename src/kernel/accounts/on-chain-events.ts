import { create, toBinary } from '@bufbuild/protobuf'
import type { OnMerged } from '../module.ts'
import { toHex } from '../protocol/codec/bytes.ts'
import { declaredEnd } from '../protocol/storage-units.ts'
import { HubEventSchema, HubEventType } from '../protocol/wire/hub_event_pb.js'
import {
  IdRegisterEventType,
  type OnChainEvent,
  OnChainEventType,
  type SignerEventBody,
  SignerEventType,
} from '../protocol/wire/onchain_event_pb.js'
import type { EventLog } from '../storage/messages/event-log.ts'
import type { Reader, Writer } from '../storage/storage.ts'
import type { Custody, EventKey, Rent, SignerState } from '../storage/tables/accounts.ts'
import { comparePlaces, decodeOnChainEvent, encodeOnChainEvent, placeOf } from './events.ts'

export type MergeOptions = {
  /**
   * What an ADMIN_RESET does to a key. The contract makes it unknown again (the default); deployed hubs make it
   * active as it was first added, which matters only when their chain is replayed.
   */
  readonly resetActivates?: boolean
}

const { EVENT_TYPE_ID_REGISTER, EVENT_TYPE_SIGNER, EVENT_TYPE_STORAGE_RENT } = OnChainEventType
/** The types of the events that make up an account. */
export const FID_EVENT_TYPES = [
  EVENT_TYPE_ID_REGISTER,
  EVENT_TYPE_SIGNER,
  EVENT_TYPE_STORAGE_RENT,
] as const
const NO_ADDRESS = new Uint8Array(20)
const UNKNOWN_PLACE = { block_number: -1, log_index: -1 }
const NEWEST_BLOCK = 'chain.newest_block'

/** The highest block that any merged event is in; 0 before the first. */
export async function newestBlock(reader: Reader): Promise<number> {
  return Number((await reader.cursors.get(NEWEST_BLOCK)) ?? 0)
}

/**
 * The one place where on-chain events become account state: their rows, what they change, and one hub event
 * each. Known events change nothing. Events may arrive in any order: the state after all of them is the same.
 * Returns the new events in chain order.
 */
export async function mergeOnChainEvents(
  tx: Writer,
  log: EventLog,
  events: readonly OnChainEvent[],
  { resetActivates = false }: MergeOptions = {},
): Promise<readonly OnChainEvent[]> {
  const added = await withoutKnown(tx, events)
  if (added.length === 0) return added
  const rows = added.map((event) => ({ ...keyOf(event), body: encodeOnChainEvent(event) }))
  await tx.accounts.insertEvents(rows)
  await tx.accounts.insertRents(added.flatMap(rentOf))
  await mergeCustodies(tx, added)
  await mergeSigners(tx, added, resetActivates)
  await raiseNewestBlock(tx, added)
  for (const event of added) log.append(hubEvent(log.nextId(), event))
  return added
}

/** Merges events and calls the listeners in the same transaction. Returns the new events. */
export async function mergeAndTell(
  tx: Writer,
  log: EventLog,
  events: readonly OnChainEvent[],
  onMerged: OnMerged | undefined,
  options?: MergeOptions,
): Promise<readonly OnChainEvent[]> {
  const merged = await mergeOnChainEvents(tx, log, events, options)
  if (merged.length > 0) await onMerged?.(tx, log, merged)
  return merged
}

async function withoutKnown(tx: Writer, events: readonly OnChainEvent[]): Promise<OnChainEvent[]> {
  const byKey = new Map(events.toReversed().map((event) => [textOf(keyOf(event)), event]))
  const keys = [...byKey.values()].map(keyOf)
  for (const known of await tx.accounts.hasEvents(keys)) byKey.delete(textOf(known))
  return [...byKey.values()].sort((a, b) => comparePlaces(placeOf(a), placeOf(b)))
}

const keyOf = (event: OnChainEvent): EventKey => ({
  fid: Number(event.fid),
  type: event.type,
  ...placeOf(event),
})

const textOf = (key: EventKey) => `${key.fid}:${key.type}:${key.block_number}:${key.log_index}`

export function rentOf(event: OnChainEvent): Rent[] {
  if (event.body.case !== 'storageRentEventBody') return []
  const { units, expiry } = event.body.value
  const rented_at = Number(event.blockTimestamp)
  const ends_at = declaredEnd(rented_at, expiry)
  return [{ fid: Number(event.fid), ...placeOf(event), rented_at, units, ends_at }]
}

async function mergeCustodies(tx: Writer, added: readonly OnChainEvent[]): Promise<void> {
  const events = byFid(added, EVENT_TYPE_ID_REGISTER)
  if (events.size === 0) return
  const held = new Map((await tx.accounts.custodies([...events.keys()])).map((c) => [c.fid, c]))
  // A change of the recovery address may have arrived before the registration.
  const unknown = [...events.keys()].filter((fid) => !held.has(fid))
  const earlier = await tx.accounts.eventsOf(
    unknown.map((fid) => ({ fid, type: EVENT_TYPE_ID_REGISTER })),
  )
  for (const row of earlier) events.get(row.fid)!.push(decodeOnChainEvent(row.body))
  const custodies = [...events].map(([fid, of]) => decideCustody(fid, held.get(fid), of))
  await tx.accounts.putCustodies(custodies.filter((custody) => custody !== undefined))
}

/**
 * The custody address is the `to` of the newest REGISTER or TRANSFER. The recovery address is that of the
 * newest REGISTER or CHANGE_RECOVERY: a transfer does not change it.
 */
export function decideCustody(
  fid: number,
  held: Custody | undefined,
  events: readonly OnChainEvent[],
): Custody | undefined {
  let owner = held && {
    address: held.address,
    block_number: held.block_number,
    log_index: held.log_index,
  }
  let recovery = held
    ? { address: held.recovery, block_number: held.recovery_block, log_index: held.recovery_log }
    : { address: NO_ADDRESS, ...UNKNOWN_PLACE }
  for (const event of events) {
    if (event.body.case !== 'idRegisterEventBody') continue
    const { eventType, to, recoveryAddress } = event.body.value
    const place = placeOf(event)
    const isNew = (than: { block_number: number; log_index: number } | undefined) =>
      than === undefined || comparePlaces(place, than) > 0
    if (eventType !== IdRegisterEventType.CHANGE_RECOVERY && isNew(owner)) {
      owner = { address: to, ...place }
    }
    if (eventType !== IdRegisterEventType.TRANSFER && isNew(recovery)) {
      recovery = { address: recoveryAddress.length > 0 ? recoveryAddress : NO_ADDRESS, ...place }
    }
  }
  return (
    owner && {
      fid,
      ...owner,
      recovery: recovery.address,
      recovery_block: recovery.block_number,
      recovery_log: recovery.log_index,
    }
  )
}

type SignerEvent = OnChainEvent & { body: { case: 'signerEventBody'; value: SignerEventBody } }

async function mergeSigners(
  tx: Writer,
  added: readonly OnChainEvent[],
  resetActivates: boolean,
): Promise<void> {
  const events = bySigner(added)
  if (events.size === 0) return
  const signers = [...events.values()].map(([first]) => signerOf(first!))
  const changed: SignerState[] = []
  if (resetActivates) {
    // A reset depends on earlier events of the key, so all events of the keys are read.
    const fids = [...new Set(signers.map(({ fid }) => fid))]
    const rows = await tx.accounts.eventsOf(fids.map((fid) => ({ fid, type: EVENT_TYPE_SIGNER })))
    const all = bySigner(rows.map((row) => decodeOnChainEvent(row.body)))
    for (const text of events.keys()) changed.push(decideSigner(all.get(text)!, true))
  } else {
    const held = new Map((await tx.accounts.signers(signers)).map((s) => [signerText(s), s]))
    for (const [text, of] of events) {
      const decided = decideSigner(of, false)
      const before = held.get(text)
      if (!before || comparePlaces(decided, before) > 0) changed.push(decided)
    }
  }
  await tx.accounts.putSigners(changed)
}

/** The newest event of a key decides: the key is active when that event added it as an Ed25519 signing key. */
export function decideSigner(events: readonly SignerEvent[], resetActivates: boolean): SignerState {
  const inOrder = events.toSorted((a, b) => comparePlaces(placeOf(a), placeOf(b)))
  const newest = inOrder.at(-1)!
  if (resetActivates && newest.body.value.eventType === SignerEventType.ADMIN_RESET) {
    const first = inOrder.find((event) => event.body.value.eventType === SignerEventType.ADD)
    return stateBy(first ?? newest)
  }
  return stateBy(newest)
}

/** The key type of keys that sign messages. */
export const ED25519_KEY_TYPE = 1

function stateBy(event: SignerEvent): SignerState {
  const { eventType, keyType } = event.body.value
  const active = eventType === SignerEventType.ADD && keyType === ED25519_KEY_TYPE ? 1 : 0
  return { ...signerOf(event), active, ...placeOf(event) }
}

const signerOf = (event: SignerEvent) => ({ fid: Number(event.fid), key: event.body.value.key })
const signerText = (of: { fid: number; key: Uint8Array }) => `${of.fid}:${toHex(of.key)}`

/** Events about keys by (fid, key). */
export function bySigner(events: readonly OnChainEvent[]): Map<string, SignerEvent[]> {
  const signerEvents = events.filter((event) => event.body.case === 'signerEventBody')
  return Map.groupBy(signerEvents as SignerEvent[], (event) => signerText(signerOf(event)))
}

function byFid(
  events: readonly OnChainEvent[],
  type: OnChainEventType,
): Map<number, OnChainEvent[]> {
  return Map.groupBy(
    events.filter((event) => event.type === type),
    (event) => Number(event.fid),
  )
}

async function raiseNewestBlock(tx: Writer, added: readonly OnChainEvent[]): Promise<void> {
  const newest = added.at(-1)!.blockNumber
  if (newest > (await newestBlock(tx))) await tx.cursors.put(NEWEST_BLOCK, String(newest))
}

function hubEvent(id: number, event: OnChainEvent) {
  const type = HubEventType.MERGE_ON_CHAIN_EVENT
  const value = { onChainEvent: event }
  const body = toBinary(
    HubEventSchema,
    create(HubEventSchema, { type, body: { case: 'mergeOnChainEventBody', value } }),
  )
  return { id, type, body, message: null }
}
