import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Services } from '../app.ts'
import { fidFloor } from '../kernel/accounts/fid-floor.ts'
import type { AccountCalls } from '../kernel/accounts/port.ts'

/** Where the accounts of a development network are kept: in the ledger or on a chain. */
export type AccountOrigin = {
  readonly calls: AccountCalls
  /** The index of the first account of the phrase that this network has. */
  readonly firstIndex: number
  /** The hub whose accounts this network has, too. */
  readonly forkedFrom?: string
  /** Whether all of its state is in the store, which a snapshot keeps. */
  readonly isStored: boolean
  /** Prepares it, at this time (Unix ms), for the data in the store. */
  begin(services: Services, nowMs: number): Promise<void>
  /** Waits until all calls are confirmed. */
  settle(services: Services): Promise<void>
  /** Follows the network's clock to another time. */
  moveTo(services: Services, nowMs: number): Promise<void>
  /** Lets calls wait so long until they are confirmed; as usual again without a time. */
  lag(services: Services, ms: number | undefined): Promise<void>
  /** Deletes its state; the store is deleted next. */
  reset(): Promise<void>
}

/** These data are not those of a fork, or they are, and the network is none. */
export class ForkedDataError extends Error {}

const CONFIRM_POLL_MS = 20

/** The ledger, which is deleted with the store and reads the clock itself. */
export function ledgerOrigin({ ledger, storage }: Services, firstIndex = 0): AccountOrigin {
  assert(ledger, 'a development network without a chain has a ledger')
  const usualMs = ledger.settings.confirmationMs
  return {
    calls: ledger,
    firstIndex,
    isStored: true,
    async begin() {
      if ((await fidFloor(storage)) === 0) return
      throw new ForkedDataError(
        'these data are those of a fork: start it with --fork and the address of its hub',
      )
    },
    async settle() {
      while ((await storage.ledger.pendingCount()) > 0) {
        if ((await ledger.confirmDue()) === 0) await delay(CONFIRM_POLL_MS)
      }
    },
    async moveTo() {
      await ledger.confirmDue()
    },
    async lag(_, ms = usualMs) {
      ledger.confirmAfter(ms)
    },
    async reset() {},
  }
}
