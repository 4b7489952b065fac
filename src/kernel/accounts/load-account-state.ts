import { OnChainEventType, SignerEventType } from '../protocol/wire/onchain_event_pb.js'
import type { Reader } from '../storage/storage.ts'
import type { Custody, SignerState } from '../storage/tables/accounts.ts'
import { AccountState, type KeyState } from './account-state.ts'
import { type AccountEvent, comparePlaces, decodeOnChainEvent } from './events.ts'
import { newestGivenFid } from './fid-floor.ts'
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

/** Reads the account state that a call needs, in a constant number of statements. */
export async function loadAccountState(
  reader: Reader,
  wanted: Wanted,
  maxPendingEvents: number,
): Promise<AccountState> {
  const state = new AccountState(wanted.rentFids)
  // Read first: an event that is confirmed meanwhile is then seen twice, which is harmless.
  const pending = await loadPending(reader, state, maxPendingEvents)
  await loadAccounts(reader, state, wanted, pending)
  await Promise.all([
    loadNonces(reader, state, wanted),
    loadKeys(reader, state, wanted, pending),
    loadRents(reader, state, pending),
  ])
  return state
}

async function loadPending(reader: Reader, state: AccountState, limit: number): Promise<Pending[]> {
  const [rows, confirmedBlock] = await Promise.all([
    reader.ledger.pending(limit),
    newestBlock(reader),
  ])
  const events = rows.map(({ body }) => decodeOnChainEvent(body))
  state.block = Math.max(confirmedBlock, events.at(-1)?.blockNumber ?? 0)
  state.pendingEvents = rows.length
  state.pendingUntil = rows.at(-1)?.confirm_at ?? 0
  return events.map((event) => ({
    type: event.type,
    body: event.body,
    fid: Number(event.fid),
    rentedAt: Number(event.blockTimestamp),
  }))
}

async function loadAccounts(
  reader: Reader,
  state: AccountState,
  wanted: Wanted,
  pending: Pending[],
) {
  const moved = ofType(pending, OnChainEventType.EVENT_TYPE_ID_REGISTER)
  const [byFid, byAddress, newestFid] = await Promise.all([
    reader.accounts.custodies(moved.map(({ fid }) => fid)),
    reader.accounts.byAddresses(wanted.addresses),
    newestGivenFid(reader),
  ])
  const inOrder = [...byFid, ...byAddress].sort((a: Custody, b: Custody) => comparePlaces(a, b))
  for (const custody of inOrder) state.putAccount(custody)
  state.newestFid = newestFid
  for (const event of moved) state.apply(event, event.rentedAt)
}

async function loadNonces(reader: Reader, state: AccountState, wanted: Wanted): Promise<void> {
  const recoveries = wanted.addresses.flatMap((address) => state.account(address)?.recovery ?? [])
  const of = wanted.contracts.flatMap((contract) =>
    [...wanted.addresses, ...recoveries].map((address) => ({ contract, address })),
  )
  for (const nonce of await reader.ledger.nonces(of)) state.putNonce(nonce)
}

async function loadKeys(reader: Reader, state: AccountState, wanted: Wanted, pending: Pending[]) {
  if (!wanted.keyOwner) return
  const fid = state.fidOf(wanted.keyOwner) ?? state.newestFid + 1
  const changed = ofType(pending, OnChainEventType.EVENT_TYPE_SIGNER).filter((e) => e.fid === fid)
  const keys = [
    ...(wanted.keys ?? []),
    ...changed.flatMap(({ body }) => (body.case === 'signerEventBody' ? body.value.key : [])),
  ]
  const [signers, count, addresses] = await Promise.all([
    reader.accounts.signers(keys.map((key) => ({ fid, key }))),
    reader.accounts.activeSignerCount(fid),
    reader.accounts.authAddressEvents([fid]),
  ])
  for (const signer of signers) state.putKey(fid, signer.key, await keyStateOf(reader, signer))
  state.putKeyCount(fid, count + addresses.filter(({ body }) => isAdded(body)).length)
  for (const event of changed) state.apply(event, event.rentedAt)
}

function isAdded(event: Uint8Array): boolean {
  const { body } = decodeOnChainEvent(event)
  return body.case === 'signerEventBody' && body.value.eventType === SignerEventType.ADD
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

async function loadRents(reader: Reader, state: AccountState, pending: Pending[]): Promise<void> {
  if (state.rentFids.length === 0) return
  state.rents.push(...(await reader.accounts.rents(state.rentFids)))
  const rented = ofType(pending, OnChainEventType.EVENT_TYPE_STORAGE_RENT)
  for (const event of rented) state.apply(event, event.rentedAt)
}

const ofType = (pending: readonly Pending[], type: OnChainEventType) =>
  pending.filter((event) => event.type === type)
