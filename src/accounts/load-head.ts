import { OnChainEventType, SignerEventType } from '../protocol/wire/onchain_event_pb.js'
import type { Reader } from '../storage/storage.ts'
import type { Custody, SignerState } from '../storage/tables/accounts.ts'
import { type AccountEvent, comparePlaces, decodeOnChainEvent } from './events.ts'
import { Head, type KeyState } from './head.ts'
import { newestBlock } from './on-chain-events.ts'
import type { NonceContract } from './port.ts'

/** The parts of the state that a call needs. */
export type Wanted = {
  /** Addresses whose fids are read, and contracts whose nonces are read. */
  readonly addresses: readonly Uint8Array[]
  readonly contracts: readonly NonceContract[]
  /** Keys of the fid that `keyOwner` has or is about to get. */
  readonly keyOwner?: Uint8Array
  readonly keys?: readonly Uint8Array[]
  /** The fids whose storage is read. */
  readonly rentFids?: readonly number[]
}

type Pending = AccountEvent & { readonly rentedAt: number }

/** Reads the head, as far as a call needs it, in a constant number of statements. */
export async function loadHead(
  reader: Reader,
  wanted: Wanted,
  maxPendingEvents: number,
): Promise<Head> {
  const head = new Head(wanted.rentFids)
  // Read first: an event that is confirmed meanwhile is then seen twice, which is harmless.
  const pending = await loadPending(reader, head, maxPendingEvents)
  await loadAccounts(reader, head, wanted, pending)
  await Promise.all([
    loadNonces(reader, head, wanted),
    loadKeys(reader, head, wanted, pending),
    loadRents(reader, head, pending),
  ])
  return head
}

async function loadPending(reader: Reader, head: Head, limit: number): Promise<Pending[]> {
  const [rows, confirmedBlock] = await Promise.all([
    reader.ledger.pending(limit),
    newestBlock(reader),
  ])
  const events = rows.map(({ body }) => decodeOnChainEvent(body))
  head.block = Math.max(confirmedBlock, events.at(-1)?.blockNumber ?? 0)
  head.pendingEvents = rows.length
  head.pendingUntil = rows.at(-1)?.confirm_at ?? 0
  return events.map((event) => ({
    type: event.type,
    body: event.body,
    fid: Number(event.fid),
    rentedAt: Number(event.blockTimestamp),
  }))
}

async function loadAccounts(reader: Reader, head: Head, wanted: Wanted, pending: Pending[]) {
  const moved = ofType(pending, OnChainEventType.EVENT_TYPE_ID_REGISTER)
  const [byFid, byAddress, newestFid] = await Promise.all([
    reader.accounts.custodies(moved.map(({ fid }) => fid)),
    reader.accounts.byAddresses(wanted.addresses),
    reader.accounts.newestFid(),
  ])
  const inOrder = [...byFid, ...byAddress].sort((a: Custody, b: Custody) => comparePlaces(a, b))
  for (const custody of inOrder) head.putAccount(custody)
  head.newestFid = newestFid
  for (const event of moved) head.apply(event, event.rentedAt)
}

async function loadNonces(reader: Reader, head: Head, wanted: Wanted): Promise<void> {
  const recoveries = wanted.addresses.flatMap((address) => head.account(address)?.recovery ?? [])
  const of = wanted.contracts.flatMap((contract) =>
    [...wanted.addresses, ...recoveries].map((address) => ({ contract, address })),
  )
  for (const nonce of await reader.ledger.nonces(of)) head.putNonce(nonce)
}

async function loadKeys(reader: Reader, head: Head, wanted: Wanted, pending: Pending[]) {
  if (!wanted.keyOwner) return
  const fid = head.fidOf(wanted.keyOwner) ?? head.newestFid + 1
  const changed = ofType(pending, OnChainEventType.EVENT_TYPE_SIGNER).filter((e) => e.fid === fid)
  const keys = [
    ...(wanted.keys ?? []),
    ...changed.flatMap(({ body }) => (body.case === 'signerEventBody' ? body.value.key : [])),
  ]
  const [signers, count] = await Promise.all([
    reader.accounts.signers(keys.map((key) => ({ fid, key }))),
    reader.accounts.activeSignerCount(fid),
  ])
  for (const signer of signers) head.putKey(fid, signer.key, await keyStateOf(reader, signer))
  head.putKeyCount(fid, count)
  for (const event of changed) head.apply(event, event.rentedAt)
}

/** An inactive key was removed, reset by the contract's owner, or has a type that signs no messages. */
async function keyStateOf(reader: Reader, signer: SignerState): Promise<KeyState> {
  if (signer.active) return 'added'
  const type = OnChainEventType.EVENT_TYPE_SIGNER
  const row = await reader.accounts.event({ ...signer, type })
  const body = row && decodeOnChainEvent(row.body).body
  if (body?.case !== 'signerEventBody') return 'removed'
  if (body.value.eventType === SignerEventType.ADD) return 'added'
  return body.value.eventType === SignerEventType.ADMIN_RESET ? 'none' : 'removed'
}

async function loadRents(reader: Reader, head: Head, pending: Pending[]): Promise<void> {
  if (head.rentFids.length === 0) return
  head.rents.push(...(await reader.accounts.rents(head.rentFids)))
  const rented = ofType(pending, OnChainEventType.EVENT_TYPE_STORAGE_RENT)
  for (const event of rented) head.apply(event, event.rentedAt)
}

const ofType = (pending: readonly Pending[], type: OnChainEventType) =>
  pending.filter((event) => event.type === type)
