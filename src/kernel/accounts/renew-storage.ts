import { type Clock, unixSeconds } from '../base/clock.ts'
import type { Job } from '../jobs/job.ts'
import { STORAGE_NOTICE_SECONDS } from '../protocol/storage-units.ts'
import type { Storage, Writer } from '../storage/storage.ts'
import { AccountState } from './account-state.ts'
import type { AccountEvent } from './events.ts'
import { loadAccountState } from './load-account-state.ts'
import { decideRenewals } from './rent-rules.ts'
import type { LedgerSettings } from './settings.ts'

/** The most accounts that one transaction renews, so that submits wait only briefly for the lock. */
const ACCOUNTS_PER_TRANSACTION = 200
const RENEW_INTERVAL_MS = 3_600_000

type RenewOptions = {
  readonly storage: Storage
  readonly clock: Clock
  readonly settings: LedgerSettings
  /** Merges the events as the next block. */
  merge(
    tx: Writer,
    state: AccountState,
    accountEvents: readonly AccountEvent[],
    nowMs: number,
  ): Promise<unknown>
}

/**
 * On a ledger whose storage does not end: gives accounts units without an end before those end that an earlier version
 * or an earlier setting gave them. Here these count in any case; the events say so to everybody else, and the units
 * stay when the operator sets an end later. Decided under the lock, so each account is renewed once.
 */
export const renewStorageJob = (options: RenewOptions): Job => ({
  name: 'renew storage',
  scope: 'leader',
  everyMs: RENEW_INTERVAL_MS,
  run: ({ signal }) => renewAll(options, signal),
})

async function renewAll(options: RenewOptions, signal: AbortSignal): Promise<void> {
  const { storage, clock, settings } = options
  for (let after: number | undefined = 0; after !== undefined; ) {
    signal.throwIfAborted()
    const fids: number[] = await storage.accounts.fidsAfter(after, ACCOUNTS_PER_TRANSACTION)
    after = fids.at(-1)
    const seen = new AccountState(fids)
    seen.rents.push(...(await storage.accounts.rents(fids)))
    if (
      decideRenewals(seen, noticeUntil(clock), { settings, now: unixSeconds(clock) }).length > 0
    ) {
      await storage.write('hub', (tx) => renew(tx, fids, options))
    }
  }
}

async function renew(tx: Writer, fids: readonly number[], options: RenewOptions): Promise<void> {
  const { clock, settings, merge } = options
  const nowMs = clock.now()
  const wanted = { addresses: [], contracts: [], rentFids: fids }
  const state = await loadAccountState(tx, wanted, settings.maxPendingEvents)
  const now = Math.floor(nowMs / 1_000)
  const events = decideRenewals(state, noticeUntil(clock), { settings, now })
  if (events.length > 0) await merge(tx, state, events, nowMs)
}

const noticeUntil = (clock: Clock): number => unixSeconds(clock) + STORAGE_NOTICE_SECONDS
