import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Storage } from '../storage/storage.ts'
import { LEADER_LEASE, type LeaseTerm } from './job.ts'

/** Duration of the lease. Another process takes over within 6 s after the leader stops renewing it. */
const LEASE_MS = 5_000
const RENEWAL_MS = 1_000
/** How often the other processes try to take the lease. */
const ATTEMPT_MS = 500
/** A leader that cannot renew stops this long before its lease ends: clocks of machines differ. */
const SAFETY_MS = 500

export type LeaderTiming = {
  readonly leaseMs: number
  readonly renewalMs: number
  readonly attemptMs: number
  readonly safetyMs: number
}

const LEADER_TIMING: LeaderTiming = {
  leaseMs: LEASE_MS,
  renewalMs: RENEWAL_MS,
  attemptMs: ATTEMPT_MS,
  safetyMs: SAFETY_MS,
}

type LeaderOptions = {
  readonly storage: Storage
  /** Unix ms by the machine's clock, which all processes share; never a clock that tests or developers move. */
  readonly now: () => number
  readonly timing?: Partial<LeaderTiming>
  /** `ended` is aborted before the lease can be taken by another process. */
  readonly onElected: (term: LeaseTerm, ended: AbortSignal) => void
  readonly log: { info(facts: object, text: string): void; warn(facts: object, text: string): void }
}

/**
 * Elects one of the processes on a database as the leader, by a lease in the database. The leader renews it;
 * another process takes the lease over at once when the leader stops, or when the lease expires after it died.
 *
 * A process with an embedded store has it to itself, so it is the leader as long as it runs.
 */
export class LeaderElection {
  readonly #options: Omit<LeaderOptions, 'timing'> & { readonly timing: LeaderTiming }
  readonly #holder = randomUUID()
  readonly #isAlone: boolean
  readonly #stopped = new AbortController()
  #held: { readonly term: LeaseTerm; readonly ended: AbortController } | undefined
  #lastTerm: LeaseTerm | undefined
  #expiry: NodeJS.Timeout | undefined
  #looping: Promise<void> = Promise.resolve()

  constructor(options: LeaderOptions) {
    this.#options = { ...options, timing: { ...LEADER_TIMING, ...options.timing } }
    this.#isAlone = options.storage.settings.databaseUrl === undefined
  }

  /** Tries to take the lease once, then keeps trying and renewing in the background. */
  async start(): Promise<void> {
    await this.take()
    this.#looping = this.#loop()
  }

  isLeader(): boolean {
    return this.#held !== undefined
  }

  /** Tries to take or renew the lease now; returns whether this process is the leader then. */
  async take(): Promise<boolean> {
    try {
      await this.#attempt()
    } catch (error) {
      if (!this.#stopped.signal.aborted) {
        this.#options.log.warn({ err: error }, 'leader lease: the database failed')
      }
    }
    return this.isLeader()
  }

  /** Ends the term. Call `release` once the leader's work has stopped. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#endTerm()
    await this.#looping
  }

  /** Lets another process become the leader at once. */
  async release(): Promise<void> {
    const { storage, log } = this.#options
    const term = this.#lastTerm
    if (!term) return
    try {
      await storage.write('leader', (tx) => tx.leases.release(LEADER_LEASE, term))
    } catch (error) {
      log.warn({ err: error }, 'leader lease could not be released; it expires')
    }
  }

  async #loop(): Promise<void> {
    const { timing } = this.#options
    const { signal } = this.#stopped
    while (!signal.aborted) {
      const waitMs = this.#held ? timing.renewalMs : timing.attemptMs
      await delay(waitMs, undefined, { signal, ref: false }).catch(() => {})
      if (!signal.aborted && !(this.#isAlone && this.#held)) await this.take()
    }
  }

  async #attempt(): Promise<void> {
    const { storage, timing, onElected, log } = this.#options
    const holder = this.#holder
    const askedAt = performance.now()
    const request = this.#request()
    const epoch = await storage.write('leader', (tx) => tx.leases.take(LEADER_LEASE, request))
    const term = epoch === undefined ? undefined : { holder, epoch }
    // To be released even when the process stops just now.
    this.#lastTerm = term
    if (this.#stopped.signal.aborted) return
    if (epoch === undefined || this.#held?.term.epoch !== epoch) {
      if (this.#held) {
        log.warn({ holder, epoch: this.#held.term.epoch }, 'leader lease was taken over')
      }
      this.#endTerm()
    }
    if (!term) return
    if (!this.#isAlone) {
      this.#expireAfter(askedAt + timing.leaseMs - timing.safetyMs - performance.now())
    }
    if (this.#held) return
    this.#held = { term, ended: new AbortController() }
    log.info(term, 'this process is the leader')
    onElected(term, this.#held.ended.signal)
  }

  #request() {
    const { now, timing } = this.#options
    const holder = this.#holder
    return this.#isAlone
      ? { holder, now: Number.MAX_SAFE_INTEGER, expiresAt: Number.MAX_SAFE_INTEGER }
      : { holder, now: now(), expiresAt: now() + timing.leaseMs }
  }

  #expireAfter(ms: number): void {
    clearTimeout(this.#expiry)
    this.#expiry = setTimeout(
      () => {
        if (!this.#held) return
        const { term } = this.#held
        this.#options.log.warn(term, 'leader lease could not be renewed in time')
        this.#endTerm()
      },
      Math.max(0, ms),
    ).unref()
  }

  #endTerm(): void {
    clearTimeout(this.#expiry)
    this.#held?.ended.abort()
    this.#held = undefined
  }
}
