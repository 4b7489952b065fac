import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Storage } from '../storage/storage.ts'
import { LEADER_LEASE, type LeaseTerm } from './job.ts'

/** How long a leader that does not renew its lease stays the leader. Its work goes on elsewhere within 6 s. */
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
  readonly timing?: LeaderTiming
  /** `ended` is aborted before the lease can be taken by another process. */
  readonly onElected: (term: LeaseTerm, ended: AbortSignal) => void
  readonly log: { info(facts: object, text: string): void; warn(facts: object, text: string): void }
}

type LeaderElection = {
  /** Tries to take the lease once, then goes on trying and renewing. */
  start(): Promise<void>
  isLeader(): boolean
  /** Tries to take or renew the lease now; returns whether this process is the leader then. */
  take(): Promise<boolean>
  /** Ends the term. Call `release` once the leader's work has stopped. */
  stop(): Promise<void>
  /** Lets another process become the leader at once. */
  release(): Promise<void>
}

/**
 * Keeps one process of those on one database the leader, by a lease in the database. The leader renews it;
 * when it stops or dies, another process takes the lease over: at once or when it has expired.
 *
 * A process with an embedded store has it to itself, so it is the leader as long as it runs.
 */
export function electLeader(options: LeaderOptions): LeaderElection {
  const { storage, now, timing = LEADER_TIMING, onElected, log } = options
  const holder = randomUUID()
  const isAlone = storage.settings.databaseUrl === undefined
  const stopped = new AbortController()
  let held: { readonly term: LeaseTerm; readonly ended: AbortController } | undefined
  let lastTerm: LeaseTerm | undefined
  let expiry: NodeJS.Timeout | undefined
  let looping: Promise<void> = Promise.resolve()

  const request = () =>
    isAlone
      ? { holder, now: Number.MAX_SAFE_INTEGER, expiresAt: Number.MAX_SAFE_INTEGER }
      : { holder, now: now(), expiresAt: now() + timing.leaseMs }

  const endTerm = (): void => {
    clearTimeout(expiry)
    held?.ended.abort()
    held = undefined
  }

  const attempt = async (): Promise<void> => {
    const askedAt = performance.now()
    const epoch = await storage.write('leader', (tx) => tx.leases.take(LEADER_LEASE, request()))
    const term = epoch === undefined ? undefined : { holder, epoch }
    // To be released even when the process stops just now.
    lastTerm = term
    if (stopped.signal.aborted) return
    if (epoch === undefined || held?.term.epoch !== epoch) {
      if (held) log.warn({ holder, epoch: held.term.epoch }, 'leader lease was taken over')
      endTerm()
    }
    if (!term) return
    if (!isAlone) expireAfter(askedAt + timing.leaseMs - timing.safetyMs - performance.now())
    if (held || stopped.signal.aborted) return
    held = { term, ended: new AbortController() }
    log.info(term, 'this process is the leader')
    onElected(term, held.ended.signal)
  }

  const expireAfter = (ms: number): void => {
    clearTimeout(expiry)
    expiry = setTimeout(
      () => {
        if (!held) return
        log.warn({ holder, epoch: held.term.epoch }, 'leader lease could not be renewed in time')
        endTerm()
      },
      Math.max(0, ms),
    )
    expiry.unref()
  }

  const tryOnce = async (): Promise<void> => {
    try {
      await attempt()
    } catch (error) {
      if (!stopped.signal.aborted) log.warn({ err: error }, 'leader lease: the database failed')
    }
  }

  const loop = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const waitMs = held ? timing.renewalMs : timing.attemptMs
      await delay(waitMs, undefined, { signal: stopped.signal, ref: false }).catch(() => {})
      if (!stopped.signal.aborted && !(isAlone && held)) await tryOnce()
    }
  }

  return {
    async start() {
      await tryOnce()
      looping = loop()
    },
    isLeader: () => held !== undefined,
    async take() {
      await tryOnce()
      return held !== undefined
    },
    async stop() {
      stopped.abort()
      endTerm()
      await looping
    },
    async release() {
      const term = lastTerm
      if (!term) return
      try {
        await storage.write('leader', (tx) => tx.leases.release(LEADER_LEASE, term))
      } catch (error) {
        log.warn({ err: error }, 'leader lease could not be released; it expires')
      }
    },
  }
}
