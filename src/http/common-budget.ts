/** The units that all together get in a second, and how many seconds of them can be saved. */
export type Rate = { readonly perSecond: number; readonly burstSeconds: number }

/**
 * The budget of all clients together, shared fairly when it is short. A client may spend when what it spent lately is
 * at most what is left for all ("dynamic thresholds", Choudhury and Hahne 1998, with a factor of 1). The more clients
 * compete, the less is left and the less each may have spent, so greedy clients hold each other at equal shares. A
 * client that asks for less than such a share is not refused, however many requests of others are.
 */
export class CommonBudget {
  #rate: Rate
  readonly #maxClients: number
  // In the order in which they last asked.
  readonly #spentBy = new Map<string, Spent>()
  #left: number
  #atMs: number

  constructor(rate: Rate, maxClients: number, nowMs: number) {
    this.#rate = rate
    this.#maxClients = maxClients
    this.#left = mostOf(rate)
    this.#atMs = nowMs
  }

  /** Changes the rate. What is saved beyond the most that the new one allows is lost. */
  setRate(rate: Rate, nowMs: number): void {
    this.#earn(nowMs)
    this.#rate = rate
    this.#left = Math.min(mostOf(rate), this.#left)
  }

  /** Whether less is left than half of what can be saved. */
  isShort(nowMs: number): boolean {
    this.#earn(nowMs)
    return this.#left < mostOf(this.#rate) / 2
  }

  /** How many units have to be earned before a client may spend `units`. */
  missing(client: string, units: number, nowMs: number): number {
    this.#earn(nowMs)
    // A request that costs more than can be saved is allowed when everything is saved.
    return Math.min(this.#spentLately(client, nowMs) + units, mostOf(this.#rate)) - this.#left
  }

  /** Takes units, whether they are left or not. */
  take(client: string, units: number, nowMs: number): void {
    this.#earn(nowMs)
    const spent = this.#spentLately(client, nowMs) + units
    this.#spentBy.delete(client)
    if (this.#spentBy.size >= this.#maxClients) deleteFirst(this.#spentBy)
    this.#spentBy.set(client, { units: spent, atMs: nowMs })
    this.#left -= units
  }

  /** Gives units back that a client took and did not use. */
  giveBack(client: string, units: number): void {
    const spent = this.#spentBy.get(client)
    if (!spent) return
    spent.units = Math.max(0, spent.units - units)
    this.#left += units
  }

  msToEarn(units: number): number {
    return (units / this.#rate.perSecond) * 1_000
  }

  /** What a client spent, which is forgotten as fast as everything that can be saved is earned. */
  #spentLately(client: string, nowMs: number): number {
    const spent = this.#spentBy.get(client)
    if (!spent) return 0
    const seconds = Math.max(0, nowMs - spent.atMs) / 1_000
    return spent.units * Math.exp(-seconds / this.#rate.burstSeconds)
  }

  #earn(nowMs: number): void {
    const earned = (Math.max(0, nowMs - this.#atMs) / 1_000) * this.#rate.perSecond
    this.#left = Math.min(mostOf(this.#rate), this.#left + earned)
    this.#atMs = nowMs
  }
}

type Spent = { units: number; readonly atMs: number }

export const mostOf = ({ perSecond, burstSeconds }: Rate): number => perSecond * burstSeconds

export function deleteFirst(map: Map<string, unknown>): void {
  map.delete(map.keys().next().value!)
}
