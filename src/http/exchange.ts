import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { Rejection } from '../protocol/rejection.ts'
import type { CachedAnswer } from './answer-cache.ts'
import { unitsOfBytes } from './cost.ts'
import type { Overspent, Principal } from './cost-budget.ts'
import type { Logger } from './logger.ts'
import { basePathOf } from './mounted.ts'
import type { InterfaceOptions } from './options.ts'
import type { Caller, RequestInfo } from './route.ts'

/** One request while it is served: what its handler may see of it, and what it owes. */
export class Exchange implements RequestInfo {
  /** Who sent the request, on a route that asks for a key. */
  caller: Caller | undefined
  /** An answer from the cache that is still right. */
  cached: CachedAnswer | undefined
  /** The reason of a refusal, for the log line of the request. */
  rejection: Rejection | undefined
  /** Length of the answer before it is compressed; undefined for streams. */
  answerBytes: number | undefined
  /** Whether the price of the answer was paid in advance. */
  isPaid = false
  /** Rows that were charged. */
  rows = 0
  /** Units that were charged so far. */
  #units = 0
  #principal: Principal | undefined
  readonly #request: FastifyRequest
  readonly #options: InterfaceOptions

  constructor(request: FastifyRequest, options: InterfaceOptions) {
    this.#request = request
    this.#options = options
  }

  get id(): string {
    return this.#request.id
  }

  get ip(): string {
    return this.#request.ip
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers
  }

  get basePath(): string {
    return basePathOf(this.#request.raw)
  }

  get log(): Logger {
    return this.#options.logger.child({ requestId: this.id })
  }

  /** Whether the client is still there to be answered. */
  get isConnected(): boolean {
    return !this.#request.raw.socket.destroyed
  }

  get units(): number {
    return this.#units
  }

  /** Charges the client. Throws a Rejection when a budget is used up. */
  charge(units: number): void {
    this.#refuseOverspent(this.#options.costs?.charge(this.ip, units))
    this.#units += units
  }

  /** Charges what the request has cost so far to an account or key as well. */
  chargeTo(principal: Principal): void {
    this.#refuseOverspent(this.#options.costs?.chargePrincipal(this.ip, principal, this.#units))
    this.#principal = principal
  }

  spend(bytes: number): number {
    return this.#options.costs?.spend(this.ip, unitsOfBytes(bytes)) ?? 0
  }

  /** Charges what the request turned out to cost beyond its price, or refunds negative units. */
  settle(units: number): void {
    this.#options.costs?.settle(this.ip, units, this.#principal)
  }

  #refuseOverspent(overspent: Overspent | undefined): void {
    if (!overspent) return
    const retryAfterSeconds = Math.max(1, Math.ceil(overspent.retryAfterMs / 1_000))
    if (overspent.by === 'all') {
      throw new Rejection('unavailable.overloaded', 'the server is busy', { retryAfterSeconds })
    }
    throw tooManyRequests(this.#options, retryAfterSeconds)
  }
}

/** In the words that the clients of each interface know. */
export const tooManyRequests = (
  { errors }: Pick<InterfaceOptions, 'errors'>,
  retryAfterSeconds: number,
): Rejection => {
  const text = errors === 'platform' ? 'Too many requests' : 'API rate limit exceeded'
  return new Rejection('rate_limited', text, { retryAfterSeconds })
}
