import type { Clock } from '../clock.ts'
import type { AccountDomains } from '../protocol/eip712.ts'
import type { OnChainEvent } from '../protocol/wire/onchain_event_pb.js'
import type { Storage } from '../storage/storage.ts'
import type { AccountCalls, Accounts, OnMerged } from './port.ts'

export type LedgerSettings = {
  /** In every event and, unless `domains` says otherwise, in what is signed. */
  readonly chainId: number
  readonly domains: AccountDomains
  /** The number of the messages' network (1 is mainnet); unit kinds change at its dates. */
  readonly network: number
  /** Units that come with a fid. */
  readonly signupUnits: number
  /** Units a fid may hold at one time; more are refused. */
  readonly maxUnitsPerFid: number
  /** Keys a fid may have at one time. */
  readonly maxKeysPerFid: number
  /** How long accepted calls wait before they count; 0 is not at all. */
  readonly confirmationMs: number
  /** Events that may wait for their confirmation; more calls are refused. */
  readonly maxPendingEvents: number
}

export type LedgerOptions = {
  storage: Storage
  clock: Clock
  settings?: Partial<LedgerSettings>
  onMerged?: OnMerged
}

export interface Ledger extends Accounts, AccountCalls {
  readonly settings: LedgerSettings
  /** Takes on-chain events of elsewhere as they are, checked for form only. Operators only. */
  importEvents(events: readonly OnChainEvent[]): Promise<{ merged: number; duplicates: number }>
  /** Makes state of the calls whose time has come; how many events that were. */
  confirmDue(): Promise<number>
  /** Calls `confirmDue` when something is due; stop with what it returns. */
  startConfirming(onError?: (error: unknown) => void): () => Promise<void>
}

export function createLedger(_options: LedgerOptions): Ledger {
  throw new Error('not written yet')
}
