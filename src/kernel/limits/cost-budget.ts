// The budgets of clients, of accounts and keys, and of all together, in the units of cost.ts.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Mode } from '../base/setting.ts'
import { type Rate, SharedBucket, TokenBuckets } from './bucket.ts'
import { clientOf, isLoopback, readClient } from './client.ts'
import { UNITS_PER_CPU_SECOND } from './cost.ts'
import { type Exceeded, refusalOf } from './exceeded.ts'
import { FixedWindow } from './window.ts'

/** Whose budget is used up, and when a request of this cost may come again. */
export type BudgetExceeded = Exceeded & { readonly by: 'client' | 'principal' | 'all' }

/** The proven account or key of a request, such as `fid:12`. */
export type Principal = string

/** Buckets in memory, about 300 bytes each. */
export const MAX_CLIENTS = 20_000
const MAX_PRINCIPALS = 20_000
/** A refusal costs about a tenth of a millisecond. Those of a client beyond this number are answered late. */
const PROMPT_REFUSALS = 40
const REFUSAL_WINDOW_MS = 2_000

export type CostLimits = {
  /** Units that one client earns in a second, one account or key, and all together. */
  readonly unitsPerSecond: number
  readonly principalUnitsPerSecond: number
  readonly totalUnitsPerSecond: number
  /** Seconds for which one may save its units, to consume them at once, and for which all together may. */
  readonly burstSeconds: number
  readonly totalBurstSeconds: number
  /** Whether requests from this machine are free: in development. */
  readonly exemptLoopback: boolean
}

/**
 * The budgets of clients, of accounts and keys, and of all together: token buckets in the memory of this process.
 */
export class CostBudget {
  readonly limits: CostLimits
  readonly #nowMs: () => number
  readonly #clients: TokenBuckets
  readonly #principals: TokenBuckets
  /** By network: the many /64 of one site are not many clients. */
  readonly #all: SharedBucket
  #totalShare = 1
  readonly #refusals = new FixedWindow({ windowMs: REFUSAL_WINDOW_MS, maxKeys: MAX_CLIENTS })

  constructor(limits: CostLimits, nowMs: () => number = () => performance.now()) {
    const { burstSeconds, unitsPerSecond, principalUnitsPerSecond } = limits
    this.limits = limits
    this.#nowMs = nowMs
    this.#clients = new TokenBuckets({ perSecond: unitsPerSecond, burstSeconds }, MAX_CLIENTS)
    const ofPrincipals = { perSecond: principalUnitsPerSecond, burstSeconds }
    this.#principals = new TokenBuckets(ofPrincipals, MAX_PRINCIPALS)
    this.#all = new SharedBucket(totalRateOf(limits, 1), MAX_CLIENTS, nowMs())
  }

  /** The share of the limit of all together that they get now. */
  get totalShare(): number {
    return this.#totalShare
  }

  setTotalShare(share: number): void {
    this.#totalShare = share
    this.#all.setRate(totalRateOf(this.limits, share), this.#nowMs())
  }

  /** Consumes the units of a request, or consumes nothing and returns the budget that is used up. */
  tryConsume(address: string, units: number): BudgetExceeded | undefined {
    if (this.#isFree(address)) return undefined
    const { name, network } = readClient(address)
    const now = this.#nowMs()
    const missing = this.#clients.deficit(name, units, now)
    if (missing > 0) return exceeded('client', missing, this.#clients.rate)
    const missingInAll = this.#all.deficit(network, units, now)
    if (missingInAll > 0) return exceeded('all', missingInAll, this.#all.rate)
    this.#clients.consume(name, units, now)
    this.#all.consume(network, units, now)
    return undefined
  }

  /**
   * Consumes the units of a request of the account or API key, besides those of its address, so that an account with many
   * addresses has one budget. Addresses that are not charged do not charge their account.
   */
  tryConsumeOf(principal: Principal, address: string, units: number): BudgetExceeded | undefined {
    if (this.#isFree(address)) return undefined
    const now = this.#nowMs()
    const missing = this.#principals.deficit(principal, units, now)
    if (missing > 0) return exceeded('principal', missing, this.#principals.rate)
    this.#principals.consume(principal, units, now)
    return undefined
  }

  /** Consumes units of work that is done, which may lead to debt. Negative units are refunded. */
  consume(address: string, units: number, principal?: Principal): void {
    if (this.#isFree(address)) return
    const { name, network } = readClient(address)
    const now = this.#nowMs()
    this.#clients.consume(name, units, now)
    if (units < 0) this.#all.refund(network, -units)
    else this.#all.consume(network, units, now)
    if (principal !== undefined) this.#principals.consume(principal, units, now)
  }

  /** For how many milliseconds a client is in debt: a stream waits as long before it sends more. */
  debtMs(address: string): number {
    if (this.#isFree(address)) return 0
    const { name, network } = readClient(address)
    const now = this.#nowMs()
    return Math.max(
      0,
      msToEarn(this.#clients.deficit(name, 0, now), this.#clients.rate),
      msToEarn(this.#all.deficit(network, 0, now), this.#all.rate),
    )
  }

  /**
   * For how many milliseconds the refusal of a request is held back. Refusals are not charged, so a client that repeats
   * its requests without a pause waits, and its connections bound how many refusals it gets.
   */
  refusalDelayMs(address: string): number {
    if (this.#isFree(address)) return 0
    const exceeded = this.#refusals.tryConsume(clientOf(address), PROMPT_REFUSALS, this.#nowMs())
    return exceeded?.retryAfterMs ?? 0
  }

  /** Number of clients in memory. */
  get size(): number {
    return this.#clients.size
  }

  #isFree(address: string): boolean {
    return this.limits.exemptLoopback && isLoopback(address)
  }
}

const totalRateOf = (limits: CostLimits, share: number): Rate => ({
  perSecond: limits.totalUnitsPerSecond * share,
  burstSeconds: limits.totalBurstSeconds,
})

const msToEarn = (units: number, { perSecond }: Rate): number => (units / perSecond) * 1_000

const exceeded = (by: BudgetExceeded['by'], units: number, rate: Rate): BudgetExceeded => ({
  by,
  retryAfterMs: msToEarn(units, rate),
})

/** The refusal of a request whose budget is used up; `text` says that it is the client's own. */
export const budgetRefusal = (exceeded: BudgetExceeded, text = 'API rate limit exceeded') =>
  exceeded.by === 'all'
    ? refusalOf(exceeded, 'the server is busy', 'unavailable.overloaded')
    : refusalOf(exceeded, text)

/** How often a stream looks whether its client is still in debt: others change what is left for all. */
const MAX_PAUSE_MS = 2_000

/** Waits as long as `debtMs` says. Ends early with the stream. */
export async function waitForBudget(debtMs: () => number, signal: AbortSignal): Promise<void> {
  for (let ms = debtMs(); ms > 0 && !signal.aborted; ms = debtMs()) {
    const pauseMs = Math.min(ms, MAX_PAUSE_MS)
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** Seconds of CPU time that a client may save: pages of a minute may come at once. */
const CLIENT_BURST_SECONDS = 60
const TOTAL_BURST_SECONDS = 5

/** The budgets of the settings. */
export function costLimitsOf(
  percents: {
    readonly clientCpuPercent: number
    readonly totalCpuPercent: number
  },
  mode: Mode,
): CostLimits {
  const unitsOfPercent = (percent: number) => (percent / 100) * UNITS_PER_CPU_SECOND
  return {
    unitsPerSecond: unitsOfPercent(percents.clientCpuPercent),
    principalUnitsPerSecond: unitsOfPercent(percents.clientCpuPercent),
    totalUnitsPerSecond: unitsOfPercent(percents.totalCpuPercent),
    burstSeconds: CLIENT_BURST_SECONDS,
    totalBurstSeconds: TOTAL_BURST_SECONDS,
    exemptLoopback: mode === 'development',
  }
}
