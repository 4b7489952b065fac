// The price of work: every route declares what a request may cost, and each client and all clients together
// have a budget in the same unit. So no request is free, and a request that is cheap to send but
// expensive to answer is paid for.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Mode } from '../setting.ts'
import { clientOf } from './client-budget.ts'

/** One unit is a tenth of a millisecond of CPU time on the reference machine (one core at about 3 GHz). */
const UNITS_PER_CPU_SECOND = 10_000

/**
 * The most that one request may cause, in addition to BASE_UNITS. A missing part counts as zero.
 */
export type Cost = {
  /** CPU time of work that no other part describes. */
  readonly cpu?: keyof typeof CPU_CLASSES
  /** Ed25519 signatures that it may verify. */
  readonly signatures?: number
  /** secp256k1 signatures that it may verify or make: accounts, names, wallets. */
  readonly recoveries?: number
  /** Rows that it may read and answer with. Rows that were not read are refunded. */
  readonly rows?: number
  /** Rows that it may write and flush. */
  readonly writes?: number
  /** Rows that a filter may look at without answering them. Paid whatever is answered. */
  readonly scanned?: number
  /** The same of messages and events that are read whole before the filter decides. */
  readonly decoded?: number
  /** Requests to a node of a chain that it may cause. */
  readonly chainCalls?: number
}

/** Small: some look-ups by key. Medium: parsing of an unusual body. Large: an answer of many megabytes. */
const CPU_CLASSES = { small: 1, medium: 20, large: 400 } as const

/** Receiving, parsing and answering any request, also a refused one. */
export const BASE_UNITS = 1
/** About 0.05 ms each: verified in a thread, but by the same cores. */
const SIGNATURE_UNITS = 0.5
/** About 1 ms each, in a thread as well. */
const RECOVERY_UNITS = 10
/** A full page of 1,000 messages takes about 20 ms from the store to JSON. */
const ROW_UNITS = 0.2
/** A merged message takes about 0.05 ms; the flush is shared by all that wait for it. */
const WRITE_UNITS = 0.5
/** A scan of 4,000 rows of an index takes about a millisecond. */
const SCANNED_UNITS = 0.0025
/** A message or an event is read from the store and decoded in a few microseconds. */
const DECODED_UNITS = 0.02
/** It is mostly waiting, but what it waits for costs the operator money. */
const CHAIN_CALL_UNITS = 50
/** Bytes of a page that cost as much as one unit: what was read is measured by what is answered. */
const BYTES_PER_UNIT = 4_096

/** The most that a request costs, in units. */
export function unitsOf(cost: Cost): number {
  return (
    (cost.cpu ? CPU_CLASSES[cost.cpu] : 0) +
    (cost.signatures ?? 0) * SIGNATURE_UNITS +
    (cost.recoveries ?? 0) * RECOVERY_UNITS +
    (cost.rows ?? 0) * ROW_UNITS +
    (cost.writes ?? 0) * WRITE_UNITS +
    (cost.scanned ?? 0) * SCANNED_UNITS +
    (cost.decoded ?? 0) * DECODED_UNITS +
    (cost.chainCalls ?? 0) * CHAIN_CALL_UNITS
  )
}

/** Rows of a page whose size is not given. */
const PAGE_ROWS = 1_000

/**
 * The cost of a route: as declared, or what follows from the rest of its declaration. A list has a page of
 * rows, a route with tokens checks one, and a route with a body writes.
 */
export function costOf({ cost, method, query = {}, errors = [] }: Priced): Cost {
  if (cost) return cost
  const isList = 'pageSize' in query || 'limit' in query || 'cursor' in query
  return {
    cpu: 'small',
    ...(isList && { rows: PAGE_ROWS }),
    ...(method !== 'GET' && { writes: 2 }),
    ...(errors.includes('unauthenticated') && { signatures: 1 }),
    ...(errors.includes('InvalidSignature') && { recoveries: 2 }),
  }
}

type Priced = {
  readonly cost?: Cost | undefined
  readonly method: string
  readonly query?: object | undefined
  readonly errors?: readonly string[] | undefined
}

/** What is given back of the declared rows of a request that was answered with so many bytes. */
export function unreadUnits({ rows = 0 }: Cost, answeredBytes: number): number {
  return Math.max(0, rows * ROW_UNITS - answeredBytes / BYTES_PER_UNIT)
}

/** What a stream is charged for bytes that it sends. */
export const unitsOfBytes = (bytes: number): number => bytes / BYTES_PER_UNIT

/** Whose budget is used up, and when a request of this cost may come again. */
export type Overspent = {
  readonly by: 'client' | 'principal' | 'all'
  readonly retryAfterMs: number
}

/** In whose name a request was made, once that is proven: an account or a key, such as `fid:12`. */
export type Principal = string

type Balance = { units: number; atMs: number }
type Rate = { readonly perSecond: number; readonly burstSeconds: number }

/** A client with more than this part of its savings is served while others have used up the budget of all. */
const FRUGAL_SHARE = 0.5
/** Clients that are remembered, about 150 bytes each. The least recently seen is evicted. */
const MAX_CLIENTS = 20_000
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
  readonly #limits: CostLimits
  readonly #nowMs: () => number
  readonly #clients: Balances
  readonly #principals: Balances
  readonly #all: Balance
  /** Parsing an address costs more than all the rest. */
  readonly #clientNames = new Map<string, string | undefined>()

  constructor(limits: CostLimits, nowMs: () => number = () => performance.now()) {
    const { burstSeconds } = limits
    this.#limits = limits
    this.#nowMs = nowMs
    this.#clients = new Balances({ perSecond: limits.unitsPerSecond, burstSeconds }, MAX_CLIENTS)
    this.#principals = new Balances(
      { perSecond: limits.principalUnitsPerSecond, burstSeconds },
      MAX_PRINCIPALS,
    )
    this.#all = { units: limits.totalUnitsPerSecond * limits.totalBurstSeconds, atMs: nowMs() }
  }

  /** Charges the units of a request, or charges nothing and returns the budget that is used up. */
  charge(address: string, units: number): Overspent | undefined {
    const client = this.#clientOf(address)
    if (client === undefined) return undefined
    const { totalUnitsPerSecond, totalBurstSeconds } = this.#limits
    const now = this.#nowMs()
    const missing = this.#clients.missing(client, now, units)
    if (missing > 0) return { by: 'client', retryAfterMs: this.#clients.msToEarn(missing) }
    const total = { perSecond: totalUnitsPerSecond, burstSeconds: totalBurstSeconds }
    const missingInAll = refill(this.#all, total, now, units)
    if (missingInAll > 0 && !this.#mayOverdraw(client, units)) {
      return { by: 'all', retryAfterMs: (missingInAll / totalUnitsPerSecond) * 1_000 }
    }
    this.#clients.add(client, -units)
    this.#all.units -= units
    return undefined
  }

  /**
   * Whether a client may go on although all together have used up their budget: it has spent less than half of its
   * own, so it is not one of those that did. All of these together may use the common budget once more.
   */
  #mayOverdraw(client: string, units: number): boolean {
    const { totalUnitsPerSecond, totalBurstSeconds } = this.#limits
    if (this.#clients.share(client) <= FRUGAL_SHARE) return false
    return this.#all.units - units >= -totalUnitsPerSecond * totalBurstSeconds
  }

  /**
   * Takes the units of a request that its address has paid from the account or key that it proved to be, too,
   * so that one account with many addresses has one budget. Free where the address is.
   */
  chargePrincipal(address: string, principal: Principal, units: number): Overspent | undefined {
    if (this.#clientOf(address) === undefined) return undefined
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
    const client = this.#clientOf(address)
    if (client === undefined) return 0
    const missing = this.#clients.missing(client, this.#nowMs(), units)
    this.#clients.add(client, -units)
    this.#all.units -= units
    return missing > 0 ? this.#clients.msToEarn(missing) : 0
  }

  /** Gives units back that a request was charged for and did not use. */
  refund(address: string, units: number, principal?: Principal): void {
    const client = this.#clientOf(address)
    if (client === undefined) return
    if (this.#clients.add(client, units)) this.#all.units += units
    if (principal !== undefined) this.#principals.add(principal, units)
  }

  /** Clients that are remembered. */
  get size(): number {
    return this.#clients.size
  }

  /** Undefined for addresses that pay nothing. */
  #clientOf(address: string): string | undefined {
    const names = this.#clientNames
    if (names.has(address)) return names.get(address)
    const isFree = this.#limits.exemptLoopback && LOOPBACK.test(address)
    const client = isFree ? undefined : clientOf(address)
    if (names.size >= MAX_CLIENTS) deleteFirst(names)
    names.set(address, client)
    return client
  }
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
    const { perSecond, burstSeconds } = this.#rate
    const balance = known ?? { units: perSecond * burstSeconds, atMs: now }
    this.#balances.set(name, balance)
    return refill(balance, this.#rate, now, units)
  }

  /** The part of its savings that one still has, 0 to 1. */
  share(name: string): number {
    const { perSecond, burstSeconds } = this.#rate
    return (this.#balances.get(name)?.units ?? 0) / (perSecond * burstSeconds)
  }

  /** Adds to a balance that is remembered. Returns whether it is. */
  add(name: string, units: number): boolean {
    const balance = this.#balances.get(name)
    if (balance) balance.units += units
    return balance !== undefined
  }

  msToEarn(units: number): number {
    return (units / this.#rate.perSecond) * 1_000
  }

  get size(): number {
    return this.#balances.size
  }
}

/** Adds what was earned since the last time. Returns how many units are missing for a request. */
function refill(
  balance: Balance,
  { perSecond, burstSeconds }: Rate,
  now: number,
  units: number,
): number {
  const most = perSecond * burstSeconds
  const earned = (Math.max(0, now - balance.atMs) / 1_000) * perSecond
  balance.units = Math.min(most, balance.units + earned)
  balance.atMs = now
  // A request that costs more than can be saved is allowed when everything is saved.
  return Math.min(units, most) - balance.units
}

/** A longer debt is noticed again at the next piece of the stream. */
const MAX_PAUSE_MS = 2_000

/** The wait of a stream that `spend` asks for. Ends early with the stream. */
export const pauseInDebt = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(Math.min(ms, MAX_PAUSE_MS), undefined, { signal, ref: false }).catch(() => {})

export const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/i

function deleteFirst(map: Map<string, unknown>): void {
  map.delete(map.keys().next().value!)
}

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
