import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readClient } from '../limits/client.ts'
import { processUnread, tooManyUnread } from '../limits/concurrency.ts'
import { unitsOfAnswer, unitsOfBytes } from '../limits/cost.ts'
import { type BudgetExceeded, budgetRefusal, type Principal } from '../limits/cost-budget.ts'
import { refusalOf, secondsOf } from '../limits/exceeded.ts'
import type { RateLimit, Usage } from '../limits/window.ts'
import type { Rejection } from '../protocol/rejection.ts'
import type { CachedAnswer } from './answer-cache.ts'
import type { Logger } from './logger.ts'
import { basePathOf } from './mounted.ts'
import type { InterfaceOptions } from './options.ts'
import { PART_BYTES } from './parted-body.ts'
import type { Caller, RequestInfo } from './route.ts'

/** One request while it is served: what its handler may see of it, and what it was charged. */
export class Exchange implements RequestInfo {
  /** Who sent the request, on a route that asks for a key. */
  caller: Caller | undefined
  /** An answer from the cache that is still right. */
  cached: CachedAnswer | undefined
  /** The reason of a refusal, for the log line of the request. */
  rejection: Rejection | undefined
  /** Whether the price of the answer is paid. */
  isPaid = false
  /** Rows that were charged. */
  rows = 0
  /** Units that were charged so far. */
  #units = 0
  #principal: Principal | undefined
  /** The address of the client. */
  readonly ip: string
  readonly #request: FastifyRequest
  readonly #options: InterfaceOptions

  constructor(request: FastifyRequest, options: InterfaceOptions, ip: string) {
    this.ip = ip
    this.#request = request
    this.#options = options
  }

  get id(): string {
    return this.#request.id
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
    this.#checkBudget(this.#options.costs?.tryConsume(this.ip, units))
    this.#units += units
  }

  chargeTo(principal: Principal): void {
    this.#checkBudget(this.#options.costs?.tryConsumeOf(principal, this.ip, this.#units))
    this.#principal = principal
  }

  consume(bytes: number): void {
    this.#options.costs?.consume(this.ip, unitsOfBytes(bytes))
  }

  checkUnread(): void {
    if (!(this.#options.unread ?? processUnread).isFull(readClient(this.ip))) return
    this.charge(unitsOfBytes(PART_BYTES))
    throw tooManyUnread()
  }

  debtMs(): number {
    return this.#options.costs?.debtMs(this.ip) ?? 0
  }

  /** Returns units of bytes that were charged and not read. */
  refund(units: number): void {
    if (units > 0) this.#options.costs?.consume(this.ip, -units)
  }

  /** Charges an answer that exists, also when it cannot be sent, or refunds rows that were not read. */
  chargeAnswer(bytes: number): void {
    if (this.isPaid) return
    this.isPaid = true
    this.#options.costs?.consume(this.ip, unitsOfAnswer(this.rows, bytes), this.#principal)
  }

  /** Refunds the rows that a refused request did not read. */
  chargeRefusal(status: number, bytes: number): void {
    // Refusals of these are asked for again and again, so they keep the price of their request.
    if (status !== 429 && status !== 503) this.chargeAnswer(bytes)
  }

  /** Counts the request against a limit and announces what is left. Throws a Rejection beyond the limit. */
  count(rateLimit: RateLimit, reply: FastifyReply): void {
    const { max, windowSeconds, announced } = rateLimit.limit
    const usage = this.#consumeLimit(rateLimit, 1)
    if (usage) announce(reply, usage)
    else if (announced) announce(reply, { max, left: max, endsInMs: windowSeconds * 1_000 })
    this.#checkLimit(usage)
  }

  /** Counts the request as so many more. Throws a Rejection when they exceed the limit. */
  countMore(rateLimit: RateLimit, amount: number): void {
    if (amount > 0) this.#checkLimit(this.#consumeLimit(rateLimit, amount))
  }

  #consumeLimit(rateLimit: RateLimit, amount: number): Usage | undefined {
    const max = this.caller?.limits[rateLimit.name ?? '']
    const counted = { address: this.ip, callerId: this.caller?.id, max }
    return rateLimit.tryConsume(counted, Date.now(), amount)
  }

  #checkLimit(usage: Usage | undefined): void {
    if (usage?.exceeded) throw refusalOf(usage.exceeded, this.#tooManyRequests)
  }

  #checkBudget(exceeded: BudgetExceeded | undefined): void {
    if (exceeded) throw budgetRefusal(exceeded, this.#tooManyRequests)
  }

  /** In the words that the clients of each interface know. */
  get #tooManyRequests(): string {
    return this.#options.errors === 'platform' ? 'Too many requests' : 'API rate limit exceeded'
  }
}

function announce(reply: FastifyReply, { max, left, endsInMs }: Omit<Usage, 'exceeded'>): void {
  reply.header('x-ratelimit-limit', max)
  reply.header('x-ratelimit-remaining', left)
  reply.header('x-ratelimit-reset', secondsOf(endsInMs))
}
