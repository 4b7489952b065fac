import type { FastifyReply } from 'fastify'
import { FixedWindow } from '../base/fixed-window.ts'
import { clientOf } from './client-budget.ts'
import { LOOPBACK } from './cost-budget.ts'
import { type Exchange, tooManyRequests } from './exchange.ts'
import type { InterfaceOptions, Limit } from './options.ts'

/** Above this number of clients in a window the oldest is evicted and starts anew. */
const MAX_COUNTED_CLIENTS = 10_000

/** A named limit of an interface, shared by all routes that name it. */
export class RateLimit {
  readonly #name: string
  readonly #limit: Limit
  readonly #options: Pick<InterfaceOptions, 'errors'>
  readonly #window: FixedWindow

  constructor(name: string, limit: Limit, options: Pick<InterfaceOptions, 'errors'>) {
    this.#name = name
    this.#limit = limit
    this.#options = options
    const windowMs = limit.windowSeconds * 1_000
    this.#window = new FixedWindow({ windowMs, maxKeys: MAX_COUNTED_CLIENTS })
  }

  /** Counts a request and announces what is left. Throws a Rejection beyond the limit. */
  take(exchange: Exchange, reply: FastifyReply): void {
    if (this.#isExempt(exchange)) {
      const { max, windowSeconds, announced } = this.#limit
      if (announced) announce(reply, max, max, windowSeconds)
      return
    }
    const now = Date.now()
    const max = this.#maxOf(exchange)
    const client = countedAs(exchange)
    const exceeded = this.#window.take(client, max, now)
    const { count, endsAtMs } = this.#window.count(client, now, 0)
    announce(reply, max, max - count, Math.ceil((endsAtMs - now) / 1_000))
    if (exceeded) throw this.#refusal(exceeded.retryAfterMs)
  }

  /** Counts the request as so many more. Throws a Rejection when they exceed the limit. */
  takeMore(exchange: Exchange, amount: number): void {
    if (amount < 1 || this.#isExempt(exchange)) return
    const client = countedAs(exchange)
    const exceeded = this.#window.take(client, this.#maxOf(exchange), Date.now(), amount)
    if (exceeded) throw this.#refusal(exceeded.retryAfterMs)
  }

  #maxOf({ caller }: Exchange): number {
    return caller?.limits[this.#name] ?? this.#limit.max
  }

  #isExempt({ ip }: Exchange): boolean {
    return this.#limit.exemptLoopback === true && isLoopback(ip)
  }

  #refusal(ms: number) {
    return tooManyRequests(this.#options, Math.max(1, Math.ceil(ms / 1_000)))
  }
}

/** Whether an address is this machine's own. */
export const isLoopback = (address: string): boolean => LOOPBACK.test(address)

/** Who a limit counts a request for: the key that was sent, else the client's address. */
const countedAs = ({ caller, ip }: Exchange): string => caller?.id ?? clientOf(ip)

function announce(reply: FastifyReply, limit: number, remaining: number, reset: number): void {
  reply.header('x-ratelimit-limit', limit)
  reply.header('x-ratelimit-remaining', remaining)
  reply.header('x-ratelimit-reset', reset)
}
