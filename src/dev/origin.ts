import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { AccountCalls } from '../accounts/port.ts'
import type { Services } from '../app.ts'

/** Where the accounts of a development network come from. */
export type AccountOrigin = {
  readonly calls: AccountCalls
  /** Makes it ready, at this time (Unix ms), for what the store knows. */
  begin(services: Services, nowMs: number): Promise<void>
  /** Waits until all that was called counts. */
  settle(services: Services): Promise<void>
  /** Goes with the network to another time. */
  moveTo(services: Services, nowMs: number): Promise<void>
  /** Forgets everything; the store will do so next. */
  reset(): Promise<void>
}

const CONFIRM_POLL_MS = 20

/** The ledger, which forgets with the store and asks for the time. */
export function ledgerOrigin({ ledger, storage }: Services): AccountOrigin {
  assert(ledger, 'a development network without a chain has a ledger')
  return {
    calls: ledger,
    async begin() {},
    async settle() {
      while ((await storage.ledger.pendingCount()) > 0) {
        if ((await ledger.confirmDue()) === 0) await delay(CONFIRM_POLL_MS)
      }
    },
    async moveTo() {
      await ledger.confirmDue()
    },
    async reset() {},
  }
}
