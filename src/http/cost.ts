// The price of work: every route declares what a request may cost, and each client and all clients together
// have a budget in the same unit. So no request is free, and none is cheaper to send than to answer.

import type { Mode } from '../setting.ts'
import { clientOf } from './client-budget.ts'

/** One unit is a tenth of a millisecond of CPU time on the reference machine (one core at about 3 GHz). */
export const UNITS_PER_CPU_SECOND = 10_000

/**
 * What one request may cause at most. Everything is counted in addition to BASE_UNITS.
 * A part that is not named is none.
 */
export type Cost = {
  /** CPU time of work that nothing below describes. */
  readonly cpu?: keyof typeof CPU_CLASSES
  /** Ed25519 signatures that it may verify. */
  readonly signatures?: number
  /** secp256k1 signatures that it may verify or make: accounts, names, wallets. */
  readonly recoveries?: number
  /** Rows that it may read and write out as an answer. What was not read is given back. */
  readonly rows?: number
  /** Rows that it may write and flush. */
  readonly writes?: number
  /** Requests to a node of a chain that it may cause. */
  readonly chainCalls?: number
}

/** Small: some look-ups by key. Medium: parsing of an unusual body. Large: an answer of many megabytes. */
export const CPU_CLASSES = { small: 1, medium: 20, large: 400 } as const

/** Receiving, parsing and answering anything at all, also what is refused. */
export const BASE_UNITS = 1
/** About 0.05 ms each: verified in a thread, but by the same cores. */
const SIGNATURE_UNITS = 0.5
/** About 1 ms each, in a thread as well. */
const RECOVERY_UNITS = 10
/** A full page of 1,000 messages takes about 20 ms from the store to JSON. */
const ROW_UNITS = 0.2
/** A merged message takes about 0.05 ms; the flush is shared by all that wait for it. */
const WRITE_UNITS = 0.5
/** It is mostly waiting, but what it waits for costs the operator money. */
const CHAIN_CALL_UNITS = 50
/** Bytes of a page that cost as much as one unit: what was read is measured by what is answered. */
const BYTES_PER_UNIT = 4_096

/** What a request costs at most, in units. */
export function unitsOf(cost: Cost): number {
  return (
    (cost.cpu ? CPU_CLASSES[cost.cpu] : 0) +
    (cost.signatures ?? 0) * SIGNATURE_UNITS +
    (cost.recoveries ?? 0) * RECOVERY_UNITS +
    (cost.rows ?? 0) * ROW_UNITS +
    (cost.writes ?? 0) * WRITE_UNITS +
    (cost.chainCalls ?? 0) * CHAIN_CALL_UNITS
  )
}

/** Rows of a page that is asked for without its size. */
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

/** Who has used up a budget, and when a request of this cost may come again. */
export type Overspent = { readonly by: 'client' | 'all'; readonly retryAfterMs: number }

type Account = { units: number; atMs: number }

/** Clients that are remembered, about 150 bytes each. The one that was not seen for longest is forgotten. */
const MAX_CLIENTS = 20_000

export type CostLimits = {
  /** Units that one client gets in a second, and that all together get. */
  readonly unitsPerSecond: number
  readonly totalUnitsPerSecond: number
  /** Seconds for which a client may save its units, to spend them at once, and for which all together may. */
  readonly burstSeconds: number
  readonly totalBurstSeconds: number
  /** Whether requests from this machine are free: in development. */
  readonly exemptLoopback: boolean
}

/**
 * The budgets of all clients of a process: token buckets in the memory of this process. A client is an IPv4
 * address or the /64 of an IPv6 address.
 */
export class CostBudget {
  readonly #limits: CostLimits
  readonly #nowMs: () => number
  // In the order in which they were last charged.
  readonly #accounts = new Map<string, Account>()
  readonly #all: Account
  /** Parsing an address costs more than all the rest. */
  readonly #clients = new Map<string, string | undefined>()

  constructor(limits: CostLimits, nowMs: () => number = () => performance.now()) {
    this.#limits = limits
    this.#nowMs = nowMs
    this.#all = { units: limits.totalUnitsPerSecond * limits.totalBurstSeconds, atMs: nowMs() }
  }

  /** Takes the units of a request, or takes nothing and says who has used up a budget. */
  charge(address: string, units: number): Overspent | undefined {
    const client = this.#clientOf(address)
    if (client === undefined) return undefined
    const { unitsPerSecond, totalUnitsPerSecond, burstSeconds, totalBurstSeconds } = this.#limits
    const now = this.#nowMs()
    const account = this.#account(client, now)
    const missing = refill(account, { perSecond: unitsPerSecond, burstSeconds }, now, units)
    if (missing > 0) return { by: 'client', retryAfterMs: (missing / unitsPerSecond) * 1_000 }
    const missingInAll = refill(
      this.#all,
      { perSecond: totalUnitsPerSecond, burstSeconds: totalBurstSeconds },
      now,
      units,
    )
    if (missingInAll > 0) {
      return { by: 'all', retryAfterMs: (missingInAll / totalUnitsPerSecond) * 1_000 }
    }
    account.units -= units
    this.#all.units -= units
    return undefined
  }

  /** Gives units back that a request was charged for and did not use. */
  refund(address: string, units: number): void {
    const client = this.#clientOf(address)
    const account = client === undefined ? undefined : this.#accounts.get(client)
    if (!account) return
    account.units += units
    this.#all.units += units
  }

  /** Clients that are remembered. */
  get size(): number {
    return this.#accounts.size
  }

  #account(client: string, now: number): Account {
    const known = this.#accounts.get(client)
    if (known) this.#accounts.delete(client)
    else if (this.#accounts.size >= MAX_CLIENTS) deleteFirst(this.#accounts)
    const { unitsPerSecond, burstSeconds } = this.#limits
    const account = known ?? { units: unitsPerSecond * burstSeconds, atMs: now }
    this.#accounts.set(client, account)
    return account
  }

  /** Undefined for addresses that pay nothing. */
  #clientOf(address: string): string | undefined {
    if (this.#clients.has(address)) return this.#clients.get(address)
    const isFree = this.#limits.exemptLoopback && LOOPBACK.test(address)
    const client = isFree ? undefined : clientOf(address)
    if (this.#clients.size >= MAX_CLIENTS) deleteFirst(this.#clients)
    this.#clients.set(address, client)
    return client
  }
}

/** Adds what was earned since the last time. Returns how many units are missing for a request. */
function refill(
  account: Account,
  { perSecond, burstSeconds }: { perSecond: number; burstSeconds: number },
  now: number,
  units: number,
): number {
  const most = perSecond * burstSeconds
  const earned = (Math.max(0, now - account.atMs) / 1_000) * perSecond
  account.units = Math.min(most, account.units + earned)
  account.atMs = now
  // A request that costs more than can be saved is allowed when everything is saved.
  return Math.min(units, most) - account.units
}

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
    totalCpuPercent,
  }: { readonly clientCpuPercent: number; readonly totalCpuPercent: number },
  mode: Mode,
): CostLimits {
  return {
    unitsPerSecond: (clientCpuPercent / 100) * UNITS_PER_CPU_SECOND,
    totalUnitsPerSecond: (totalCpuPercent / 100) * UNITS_PER_CPU_SECOND,
    burstSeconds: CLIENT_BURST_SECONDS,
    totalBurstSeconds: TOTAL_BURST_SECONDS,
    exemptLoopback: mode === 'development',
  }
}
