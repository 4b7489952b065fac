import type { LocalAccount } from 'viem'
import type { ChainContracts } from '../../kernel/accounts/chain/contracts.ts'
import type { Rpc } from '../../kernel/accounts/chain/rpc.ts'
import type { Clock } from '../../kernel/base/clock.ts'
import type { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Storage, Writer } from '../../kernel/storage/storage.ts'
import type { RelayMetrics } from './metrics.ts'
import type { RelayLimits } from './settings.ts'

/** A call that has failed for good. */
export type FailedCall = {
  readonly owner: Uint8Array
  readonly key: Uint8Array
  readonly error: Rejection
}

export type RelayOptions = {
  readonly storage: Storage
  readonly clock: Clock
  /** For the relayer's own rounds. */
  readonly rpc: Rpc
  /** For user requests, within the RPC budget; `rpc` by default. */
  readonly routeRpc?: Rpc
  readonly chainId: number
  readonly contracts: ChainContracts
  /** Pays for the transactions. */
  readonly payer: LocalAccount
  readonly limits: RelayLimits
  /** Confirmations after which a transaction counts as done. */
  readonly confirmations: number
  /** Called in the transaction that records the failure. */
  readonly onFailed?: (tx: Writer, failed: FailedCall) => void | Promise<void>
  readonly metrics?: RelayMetrics | undefined
  readonly onError?: (error: unknown, what: string) => void
}

export type RelayBalance = { readonly wei: bigint; readonly isLow: boolean }
