import { type Credentials, checkBasic } from '../http/auth.ts'
import { type Counted, type ForwardedAddresses, isLoopback, readClient } from '../limits/client.ts'
import { ConcurrencyLimit } from '../limits/concurrency.ts'
import { refusalOf } from '../limits/exceeded.ts'
import { type Limit, RateLimit } from '../limits/window.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Call } from './method.ts'

/** Open subscriptions of this process, over all clients. */
const MAX_SUBSCRIPTIONS = 4_096
/** Who subscriptions without a limit of their own are counted for. */
const UNLIMITED: Counted = { name: 'unlimited', network: 'unlimited' }

type LimitOptions = {
  readonly credentials: Credentials
  readonly addressOf: ForwardedAddresses
  readonly submits: Limit
  /** Open subscriptions of one address. */
  readonly subscriptions: Pick<Limit, 'max' | 'exemptLoopback'>
  /** Changes when other data take the place of the stored ones; submits are counted anew then. */
  readonly resets: () => number
  /** Unix ms. */
  readonly now: () => number
}

/** Who may submit, how often, and how many streams one client may have open. */
export class CallLimits {
  readonly #options: LimitOptions
  readonly #submits: RateLimit
  readonly #subscriptions: ConcurrencyLimit

  constructor(options: LimitOptions) {
    this.#options = options
    this.#submits = new RateLimit(options.submits, undefined, options.resets)
    this.#subscriptions = new ConcurrencyLimit({
      total: MAX_SUBSCRIPTIONS,
      perClient: options.subscriptions.max,
    })
  }

  get subscriptions(): number {
    return this.#subscriptions.used
  }

  /** The address of a call's client. */
  addressOf(call: Call): string {
    return this.#options.addressOf(call.peer, call.header('x-forwarded-for'))
  }

  /** Throws a Rejection when the caller of a submit lacks credentials. Such a submit counts like any other. */
  readonly checkCredentials = (call: Call): void => {
    const { credentials } = this.#options
    if (credentials.length === 0) return
    try {
      checkBasic(credentials, call.header('authorization'))
    } catch (error) {
      this.checkSubmit(call)
      throw error
    }
  }

  /** Throws a Rejection when the caller submits too many messages, by default one. */
  checkSubmit(call: Call, messages = 1): void {
    const { now } = this.#options
    const usage = this.#submits.tryConsume({ address: this.addressOf(call) }, now(), messages)
    if (usage?.exceeded) throw refusalOf(usage.exceeded, 'API rate limit exceeded')
  }

  /** Counts a subscription; the result ends it. Throws a Rejection when there are too many. */
  openSubscription(call: Call): () => void {
    const address = this.addressOf(call)
    const client = this.#isUnlimited(call, address) ? UNLIMITED : readClient(address)
    if (client !== UNLIMITED && this.#subscriptions.isFull(client)) {
      throw new Rejection('unavailable', `Too many connections from this IP: ${address}`)
    }
    if (this.#subscriptions.used >= MAX_SUBSCRIPTIONS) {
      throw new Rejection('unavailable', 'Too many connections to this server')
    }
    this.#subscriptions.acquire(client)
    return () => this.#subscriptions.release(client)
  }

  #isUnlimited(call: Call, address: string): boolean {
    const { credentials, subscriptions } = this.#options
    if (subscriptions.exemptLoopback && isLoopback(address)) return true
    if (credentials.length === 0) return false
    try {
      checkBasic(credentials, call.header('authorization'))
      return true
    } catch {
      return false
    }
  }
}
