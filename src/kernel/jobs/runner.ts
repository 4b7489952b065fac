import type { Registry } from 'prom-client'
import { systemClock } from '../base/clock.ts'
import type { Logger } from '../http/logger.ts'
import type { Storage } from '../storage/storage.ts'
import type { Job, JobRunner, JobState } from './job.ts'
import { LeaderElection, type LeaderTiming } from './leader.ts'
import { createJobMetrics, type JobMetrics } from './metrics.ts'
import { ScheduledJob, type Term } from './scheduled-job.ts'

export type RunnerOptions = {
  readonly storage: Storage
  readonly metrics: Registry
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Unix ms by the machine's clock; for the lease alone. */
  readonly now?: () => number
  readonly timing?: Partial<LeaderTiming> | undefined
  /** From 0 to 1, for the jitter of the backoff. */
  readonly random?: () => number
}

/** Terms as the leader in which one run is begun again. */
const MAX_TERMS = 20

/** Runs the jobs of all modules; see Job for the guarantees. */
export class Runner implements JobRunner {
  readonly #options: RunnerOptions
  readonly #metrics: JobMetrics
  readonly #election: LeaderElection
  readonly #stopped = new AbortController()
  readonly #jobs: ScheduledJob[] = []
  readonly #processTerm: Term = { signal: this.#stopped.signal, lease: undefined }
  #leaderTerm: Term | undefined
  #isStarted = false

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#election = new LeaderElection({
      storage: options.storage,
      log: options.log,
      now: options.now ?? systemClock.now,
      ...(options.timing && { timing: options.timing }),
      onElected: (lease, signal) => {
        this.#leaderTerm = { lease, signal }
        this.#beginAll('leader')
      },
    })
    this.#metrics = createJobMetrics(options.metrics, this.isLeader)
  }

  add(jobs: readonly Job[]): void {
    const { log, random = Math.random } = this.#options
    for (const job of jobs) {
      const term = () => this.#termOf(job)
      const scheduled = new ScheduledJob(job, { log, random, term, metrics: this.#metrics })
      this.#jobs.push(scheduled)
      if (this.#isStarted) scheduled.begin()
    }
  }

  async start(): Promise<void> {
    this.#isStarted = true
    this.#beginAll('process')
    await this.#election.start()
  }

  readonly run = async (name: string): Promise<void> => {
    const scheduled = this.#jobs.find(({ job }) => job.name === name)
    if (scheduled) await this.#runWhole(scheduled)
  }

  async runAll(): Promise<void> {
    for (const scheduled of this.#jobs) await this.#runWhole(scheduled)
  }

  list(): JobState[] {
    return this.#jobs.map((scheduled) => scheduled.state())
  }

  readonly isLeader = (): boolean => this.#election.isLeader()

  async stop(): Promise<void> {
    this.#stopped.abort()
    for (const scheduled of this.#jobs) scheduled.end()
    await this.#election.stop()
    await Promise.all(this.#jobs.map((scheduled) => scheduled.idle()))
    await this.#election.release()
  }

  #beginAll(scope: Job['scope']): void {
    for (const scheduled of this.#jobs) if (scheduled.job.scope === scope) scheduled.begin()
  }

  #termOf({ scope }: Job): Term | undefined {
    const term = scope === 'leader' ? this.#leaderTerm : this.#processTerm
    return term?.signal.aborted ? undefined : term
  }

  /** A run that ends because this process is not the leader for a moment is repeated in its next term. */
  async #runWhole(scheduled: ScheduledJob): Promise<void> {
    for (let terms = 1; ; terms++) {
      const term = this.#termOf(scheduled.job)
      const failure = await scheduled.run().then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
      const isWhole = term !== undefined && !term.signal.aborted
      const mayRepeat = terms < MAX_TERMS && !this.#stopped.signal.aborted
      if (!isWhole && mayRepeat && (await this.#election.take())) continue
      if (failure) throw failure.error
      return
    }
  }
}
