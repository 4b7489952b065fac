import type { Units } from '../protocol/storage-units.ts'
import type { OnChainEvent } from '../protocol/wire/onchain_event_pb.js'
import type { Page, PageRequest } from '../storage/reads/page.ts'

// Who owns a fid and which keys may sign for it. Callers use `Accounts` and need not know whether accounts are
// kept in the ledger or followed from a chain.

/** Who holds a fid, by the newest confirmed event. */
export type Account = {
  readonly fid: number
  /** The custody address, 20 bytes. */
  readonly address: Uint8Array
  /** 20 bytes, all zero when there is none. */
  readonly recovery: Uint8Array
}

/** Reads of confirmed accounts. */
export interface Accounts {
  custodyOf(fid: number): Promise<Account | undefined>
  /** The fid an address holds. */
  fidOf(address: Uint8Array): Promise<number | undefined>
  /** May this 32-byte Ed25519 key sign messages of this fid? */
  isActiveKey(fid: number, key: Uint8Array): Promise<boolean>
  /** The events that added the active keys of a fid, by key. */
  activeKeys(fid: number, page: PageRequest): Promise<Page<OnChainEvent>>
  /** State and type of a key, as KeyRegistry.keyDataOf answers. */
  keyData(fid: number, key: Uint8Array): Promise<KeyData>
  /** Rented units of each kind that count now. */
  storageUnits(fid: number): Promise<Units>
}

export const KEY_STATES = { none: 0, added: 1, removed: 2 } as const
/** `keyType` is that of the newest event about the key, and 0 unless it added the key. */
export type KeyData = { readonly state: number; readonly keyType: number }

/** The contracts that count nonces, each for itself. */
export type NonceContract = 'idGateway' | 'idRegistry' | 'keyGateway' | 'keyRegistry'
export const NONCE_CONTRACTS = ['idGateway', 'idRegistry', 'keyGateway', 'keyRegistry'] as const

/**
 * Lengths of bytes are those of the contract's types. `deadline` is in Unix seconds; a call at the deadline
 * itself is in time.
 */
export type Signed = { readonly deadline: bigint; readonly signature: Uint8Array }

export type RegisterFor = Signed & {
  readonly to: Uint8Array
  readonly recovery: Uint8Array
  /** Units beyond those granted to every sign-up. */
  readonly extraStorage: number
  /** Code of an invite, where registering needs one. It is not signed. */
  readonly invite?: string | undefined
}

/** A transfer is signed by both sides, the holder and the receiver of the fid. */
export type TransferFor = {
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly fromDeadline: bigint
  readonly fromSignature: Uint8Array
  readonly toDeadline: bigint
  readonly toSignature: Uint8Array
}

export type TransferAndChangeRecoveryFor = TransferFor & { readonly recovery: Uint8Array }

export type ChangeRecoveryAddressFor = Signed & {
  readonly owner: Uint8Array
  readonly recovery: Uint8Array
}

/** The recovery address of `from`'s fid and `to` both sign a Transfer. */
export type RecoverFor = {
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly recoveryDeadline: bigint
  readonly recoverySignature: Uint8Array
  readonly toDeadline: bigint
  readonly toSignature: Uint8Array
}

export type NewKey = Signed & {
  readonly keyType: number
  readonly key: Uint8Array
  readonly metadataType: number
  readonly metadata: Uint8Array
}
export type AddFor = NewKey & { readonly owner: Uint8Array }
export type RemoveFor = Signed & { readonly owner: Uint8Array; readonly key: Uint8Array }
export type RentStorage = { readonly fid: number; readonly units: number }

/** A sign-up in one step: a fid and keys for it, completely or not at all. */
export type Register = RegisterFor & { readonly keys: readonly NewKey[] }

export type CallName =
  | 'registerFor'
  | 'transferFor'
  | 'transferAndChangeRecoveryFor'
  | 'changeRecoveryAddressFor'
  | 'recoverFor'
  | 'addFor'
  | 'removeFor'
  | 'rent'
  | 'register'

/** The result of an accepted call. */
export type CallResult = {
  readonly fid: number
  readonly transactionHash: Uint8Array
  readonly blockNumber: number
  /** True when reads and the hub see its effect already. */
  readonly confirmed: boolean
  /** Unix ms at which it is confirmed. */
  readonly confirmsAt: number
  readonly events: readonly OnChainEvent[]
}

/**
 * Told whose signature a call rests on, as soon as it was verified: the first of a call that has several. What it
 * throws ends the call.
 */
export type OnSigned = (signer: Uint8Array) => Promise<void>

/** The contracts' calls. They throw a `Rejection` whose code is the contract's error name. */
export interface AccountCalls {
  registerFor(call: RegisterFor, onSigned?: OnSigned): Promise<CallResult>
  transferFor(call: TransferFor, onSigned?: OnSigned): Promise<CallResult>
  transferAndChangeRecoveryFor(
    call: TransferAndChangeRecoveryFor,
    onSigned?: OnSigned,
  ): Promise<CallResult>
  changeRecoveryAddressFor(call: ChangeRecoveryAddressFor, onSigned?: OnSigned): Promise<CallResult>
  recoverFor(call: RecoverFor, onSigned?: OnSigned): Promise<CallResult>
  addFor(call: AddFor, onSigned?: OnSigned): Promise<CallResult>
  removeFor(call: RemoveFor, onSigned?: OnSigned): Promise<CallResult>
  rent(call: RentStorage): Promise<CallResult>
  register(call: Register, onSigned?: OnSigned): Promise<CallResult>
  /** The nonce the next signature of this address for this contract must carry. */
  nonce(contract: NonceContract, address: Uint8Array): Promise<number>
}

/** Result of a submitted key call: accepted, or a transaction that the user has to send. */
export type SubmitResult =
  | { readonly outcome: 'accepted'; readonly transactionHash: Uint8Array }
  | { readonly outcome: 'user-must-send'; readonly transaction: UserTransaction }

/** `to` is 20 bytes. */
export type UserTransaction = {
  readonly chainId: number
  readonly to: Uint8Array
  readonly data: Uint8Array
}

/** Submits what users signed about keys to the ledger or the chain. Throws the same refusals as AccountCalls. */
export interface KeyCalls {
  nonce(contract: NonceContract, address: Uint8Array): Promise<number>
  /** Throws what addFor would be refused with now, and changes nothing. */
  simulateAddFor(call: AddFor): Promise<void>
  addFor(call: AddFor): Promise<SubmitResult>
  removeFor(call: RemoveFor): Promise<SubmitResult>
}
