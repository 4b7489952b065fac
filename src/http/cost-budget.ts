// The budgets of clients, of accounts and keys, and of all together, in the units of cost.ts.

import { setTimeout as sleep } from 'node:timers/promises'
import { FixedWindow } from '../base/fixed-window.ts'
import type { Mode } from '../base/setting.ts'
import { clientOf, networkOf } from './client-budget.ts'
import { CommonBudget, deleteFirst, mostOf, type Rate } from './common-budget.ts'
import { UNITS_PER_CPU_SECOND } from './cost.ts'

/** Whose budget is used up, and when a request of this cost may come again. */
export type Overspent = {
  readonly by: 'client' | 'principal' | 'all'
  readonly retryAfterMs: number
}

/** In whose name a request was made, once that is proven: an account or a key, such as `fid:12`. */
export type Principal = string

type Balance = { units: number; atMs: number }

/** Clients that are remembered, about 300 bytes each. The least recently seen is evicted. */
export const MAX_CLIENTS = 20_000
/** A refusal costs about a tenth of a millisecond. Those of a client beyond this number are answered late. */
const PROMPT_REFUSALS = 40
const REFUSAL_WINDOW_MS = 2_000
/** The same of accounts and keys. */
const MAX_PRINCIPALS = 20_000

export type CostLimits = {
  /** Units that one client gets in a second, that one account or key gets, and that all together get. */
  readonly unitsPerSecond: number
  readonly principalUnitsPerSecond: number
  readonly totalUnitsPerSecond: number
  /** Seconds for which one may save its units, to spend them at once, and for which all together may. */
  readonly burstSeconds: number
  readonly totalBurstSeconds: number
  /** Whether requests from this machine are free: in development. */
  readonly exemptLoopback: boolean
}

/**
 * The budgets of all clients of a process, and of the accounts and keys in whose names they ask: token buckets
 * in the memory of this process. A client is an IPv4 address or the /64 of an IPv6 address.
 */
export class CostBudget {
  readonly limits: CostLimits
  readonly #nowMs: () => number
  readonly #clients: Balances
  readonly #principals: Balances
  readonly #all: CommonBudget
  #totalShare = 1
  readonly #refusals = new FixedWindow({ windowMs: REFUSAL_WINDOW_MS, maxKeys: MAX_CLIENTS })
  /** Parsing an address costs more than all the rest. */
  readonly #payers = new Map<string, Payer | undefined>()

  constructor(limits: CostLimits, nowMs: () => number = () => performance.now()) {
    const { burstSeconds } = limits
    this.limits = limits
    this.#nowMs = nowMs
    this.#clients = new Balances({ perSecond: limits.unitsPerSecond, burstSeconds }, MAX_CLIENTS)
    this.#principals = new Balances(
      { perSecond: limits.principalUnitsPerSecond, burstSeconds },
      MAX_PRINCIPALS,
    )
    this.#all = new CommonBudget(totalRateOf(limits), MAX_CLIENTS, nowMs())
  }

  /** The share of the limit of all together that they get now. */
  get totalShare(): number {
    return this.#totalShare
  }

  /** Whether little is left for all together. */
  get isShort(): boolean {
    return this.#all.isShort(this.#nowMs())
  }

  setTotalShare(share: number): void {
    this.#totalShare = share
    this.#all.setRate(totalRateOf(this.limits, share), this.#nowMs())
  }

  /** Charges the units of a request, or charges nothing and returns the budget that is used up. */
  charge(address: string, units: number): Overspent | undefined {
    const payer = this.#payerOf(address)
    if (payer === undefined) return undefined
    const now = this.#nowMs()
    const missing = this.#clients.missing(payer.client, now, units)
    if (missing > 0) return { by: 'client', retryAfterMs: this.#clients.msToEarn(missing) }
    const missingInAll = this.#all.missing(payer.network, units, now)
    if (missingInAll > 0) return { by: 'all', retryAfterMs: this.#all.msToEarn(missingInAll) }
    this.#clients.add(payer.client, -units)
    this.#all.take(payer.network, units, now)
    return undefined
  }

  /**
   * Charges the units of a request to the account or API key as well as to its address, so that an account with many
   * addresses has one budget. Addresses that are not charged do not charge their account.
   */
  chargePrincipal(address: string, principal: Principal, units: number): Overspent | undefined {
    if (this.#payerOf(address) === undefined) return undefined
    const missing = this.#principals.missing(principal, this.#nowMs(), units)
    if (missing > 0) return { by: 'principal', retryAfterMs: this.#principals.msToEarn(missing) }
    this.#principals.add(principal, -units)
    return undefined
  }

  /**
   * Takes the units of what a stream has sent, whether they are there or not. Returns for how many
   * milliseconds the stream has to wait before it sends more.
   */
  spend(address: string, units: number): number {
    const payer = this.#payerOf(address)
    if (payer === undefined) return 0
    const now = this.#nowMs()
    const missing = this.#clients.missing(payer.client, now, units)
    const missingInAll = this.#all.missing(payer.network, units, now)
    this.#clients.add(payer.client, -units)
    this.#all.take(payer.network, units, now)
    return Math.max(0, this.#clients.msToEarn(missing), this.#all.msToEarn(missingInAll))
  }

  /** The units that a client could spend now; negative when it is in debt, infinite when it pays nothing. */
  left(address: string): number {
    const payer = this.#payerOf(address)
    if (payer === undefined) return Number.POSITIVE_INFINITY
    const now = this.#nowMs()
    const missing = this.#clients.missing(payer.client, now, 0)
    return -Math.max(missing, this.#all.missing(payer.network, 0, now))
  }

  /** Takes the units of a request that turned out to cost more than it was charged, or gives back negative ones. */
  settle(address: string, units: number, principal?: Principal): void {
    const payer = this.#payerOf(address)
    if (payer === undefined) return
    this.#clients.add(payer.client, -units)
    if (units < 0) this.#all.giveBack(payer.network, -units)
    else this.#all.take(payer.network, units, this.#nowMs())
    if (principal !== undefined) this.#principals.add(principal, -units)
  }

  /**
   * For how many milliseconds the refusal of a request is held back. Refusals are not charged, so a client that repeats
   * its requests without a pause waits, and its connections bound how many refusals it gets.
   */
  refusalDelayMs(address: string): number {
    const client = this.#payerOf(address)?.client
    if (client === undefined) return 0
    return this.#refusals.take(client, PROMPT_REFUSALS, this.#nowMs())?.retryAfterMs ?? 0
  }

  /** Clients that are remembered. */
  get size(): number {
    return this.#clients.size
  }

  /** Undefined for addresses that pay nothing. */
  #payerOf(address: string): Payer | undefined {
    const payers = this.#payers
    const known = payers.get(address)
    if (known !== undefined || payers.has(address)) return known
    const isFree = this.limits.exemptLoopback && LOOPBACK.test(address)
    const payer = isFree ? undefined : readPayer(address)
    if (payers.size >= MAX_CLIENTS) deleteFirst(payers)
    payers.set(address, payer)
    return payer
  }
}

const totalRateOf = (limits: CostLimits, share = 1): Rate => ({
  perSecond: limits.totalUnitsPerSecond * share,
  burstSeconds: limits.totalBurstSeconds,
})

/** Who pays for the requests of an address. */
type Payer = {
  /** The IPv4 address, or the /64 of the IPv6 address. */
  readonly client: string
  /** Shares the common budget. */
  readonly network: string
}

function readPayer(address: string): Payer {
  const client = clientOf(address)
  return { client, network: networkOf(client) }
}

/** Balances of one kind, at most so many; the one that was not charged for longest is forgotten. */
class Balances {
  readonly #rate: Rate
  readonly #max: number
  // In the order in which they were last charged.
  readonly #balances = new Map<string, Balance>()

  constructor(rate: Rate, max: number) {
    this.#rate = rate
    this.#max = max
  }

  /** How many units are missing for a request. */
  missing(name: string, now: number, units: number): number {
    const known = this.#balances.get(name)
    if (known) this.#balances.delete(name)
    else if (this.#balances.size >= this.#max) deleteFirst(this.#balances)
    const balance = known ?? { units: mostOf(this.#rate), atMs: now }
    this.#balances.set(name, balance)
    return refill(balance, this.#rate, now, units)
  }

  /** Adds to a balance that is remembered. */
  add(name: string, units: number): void {
    const balance = this.#balances.get(name)
    if (balance) balance.units += units
  }

  msToEarn(units: number): number {
    return (units / this.#rate.perSecond) * 1_000
  }

  get size(): number {
    return this.#balances.size
  }
}

/** Adds what was earned since the last time. Returns how many units are missing for a request. */
function refill(balance: Balance, rate: Rate, now: number, units: number): number {
  const most = mostOf(rate)
  const earned = (Math.max(0, now - balance.atMs) / 1_000) * rate.perSecond
  balance.units = Math.min(most, balance.units + earned)
  balance.atMs = now
  // A request that costs more than can be saved is allowed when everything is saved.
  return Math.min(units, most) - balance.units
}

/** How often a stream looks whether its client is still in debt: others change what is left for all. */
const MAX_PAUSE_MS = 2_000

/**
 * Waits until a client is out of debt: as long as `spend` said, and as `owed` says from then on. Ends early with the
 * stream.
 */
export async function waitForBudget(
  waitMs: number,
  owed: () => number,
  signal: AbortSignal,
): Promise<void> {
  for (let ms = waitMs; ms > 0 && !signal.aborted; ms = owed()) {
    const pauseMs = Math.min(ms, MAX_PAUSE_MS)
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {})
  }
}

export const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/i

/** Seconds of CPU time that a client may save: pages of a minute may come at once. */
const CLIENT_BURST_SECONDS = 60
const TOTAL_BURST_SECONDS = 5

/** The budgets of the settings. */
export function costLimitsOf(
  {
    clientCpuPercent,
    accountCpuPercent,
    totalCpuPercent,
  }: {
    readonly clientCpuPercent: number
    readonly accountCpuPercent: number
    readonly totalCpuPercent: number
  },
  mode: Mode,
): CostLimits {
  return {
    unitsPerSecond: (clientCpuPercent / 100) * UNITS_PER_CPU_SECOND,
    principalUnitsPerSecond: (accountCpuPercent / 100) * UNITS_PER_CPU_SECOND,
    totalUnitsPerSecond: (totalCpuPercent / 100) * UNITS_PER_CPU_SECOND,
    burstSeconds: CLIENT_BURST_SECONDS,
    totalBurstSeconds: TOTAL_BURST_SECONDS,
    exemptLoopback: mode === 'development',
  }
}
