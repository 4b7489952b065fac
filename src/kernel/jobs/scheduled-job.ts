import { backoffMs } from '../base/backoff.ts'
import { systemClock } from '../base/clock.ts'
import { singleFlight } from '../base/concurrency.ts'
import type { Logger } from '../http/logger.ts'
import {
  FIRST_RUN_MAX_MS,
  type Job,
  type JobOutcome,
  type JobState,
  type LeaseTerm,
} from './job.ts'
import type { JobMetrics } from './metrics.ts'

/** First wait after a failure; it doubles with each further one. */
const BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 60_000

/** The time in which a job may run: while the process runs, or while it is the leader. */
export type Term = { readonly signal: AbortSignal; readonly lease: LeaseTerm | undefined }

export type ScheduleOptions = {
  readonly log: Pick<Logger, 'error'>
  readonly metrics: JobMetrics
  /** From 0 to 1, for the jitter of the backoff. */
  readonly random: () => number
  /** The present term of the job; undefined while it may not run. */
  readonly term: () => Term | undefined
}

/** A job with its timer. A request during a run gets a run that starts after it; two runs never overlap. */
export class ScheduledJob {
  readonly job: Job
  readonly #options: ScheduleOptions
  readonly #runs = new Set<Promise<unknown>>()
  readonly #runOnce = singleFlight(async () => {
    const term = this.#options.term()
    if (term) await this.#runIn(term)
  })
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  #repeatAfterMs: number | undefined
  #last: JobState['last']

  constructor(job: Job, options: ScheduleOptions) {
    this.job = job
    this.#options = options
  }

  /** Schedules the first run. */
  begin(): void {
    const { everyMs, firstAfterMs } = this.job
    this.#failures = 0
    this.#schedule(firstAfterMs ?? Math.min(everyMs, FIRST_RUN_MAX_MS))
  }

  run(): Promise<void> {
    const run = this.#runOnce().finally(() => this.#runs.delete(settled))
    const settled = run.catch(() => {})
    this.#runs.add(settled)
    return run
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  state(): JobState {
    const { name, scope, everyMs } = this.job
    return { name, scope, everyMs, isRunning: this.#runs.size > 0, last: this.#last }
  }

  /** Resolves when no run is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.#runs)
  }

  /** Without a term nothing is scheduled; the next term begins again. */
  #schedule(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#options.term()) this.#timer = setTimeout(() => this.#attempt(), ms).unref()
  }

  async #attempt(): Promise<void> {
    const { log, term } = this.#options
    const { name, everyMs } = this.job
    try {
      await this.run()
    } catch (error) {
      if (term()) log.error({ err: error, job: name, failures: this.#failures }, 'job failed')
    }
    this.#schedule(this.#failures > 0 ? this.#backoffMs() : (this.#repeatAfterMs ?? everyMs))
  }

  async #runIn({ signal, lease }: Term): Promise<void> {
    const startedAt = performance.now()
    this.#repeatAfterMs = undefined
    let outcome: JobOutcome = 'failed'
    const repeatAfter = (ms: number) => {
      this.#repeatAfterMs = ms
    }
    try {
      await this.job.run({ signal, lease, repeatAfter })
      outcome = 'succeeded'
      this.#failures = 0
    } catch (error) {
      if (signal.aborted) outcome = 'aborted'
      else this.#failures++
      throw error
    } finally {
      const seconds = (performance.now() - startedAt) / 1000
      this.#last = { endedMs: systemClock.now(), seconds, outcome }
      this.#options.metrics.ran(this.job.name, outcome, seconds)
    }
  }

  #backoffMs(): number {
    const { everyMs, maxBackoffMs = MAX_BACKOFF_MS } = this.job
    const firstMs = Math.max(everyMs, BACKOFF_MS)
    const maxMs = Math.max(everyMs, maxBackoffMs)
    return backoffMs({ firstMs, maxMs }, this.#failures, this.#options.random)
  }
}
