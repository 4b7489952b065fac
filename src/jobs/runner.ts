import type { Registry } from 'prom-client'
import { systemClock } from '../base/clock.ts'
import { singleFlight } from '../base/concurrency.ts'
import type { Logger } from '../http/logger.ts'
import type { Storage } from '../storage/storage.ts'
import { FIRST_RUN_MAX_MS, type Job, type JobRunner, type LeaseTerm } from './job.ts'
import { electLeader, type LeaderTiming } from './leader.ts'
import { createJobMetrics, type JobOutcome } from './metrics.ts'

export type RunnerOptions = {
  readonly storage: Storage
  readonly metrics: Registry
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Unix ms by the machine's clock; for the lease alone. */
  readonly now?: () => number
  readonly timing?: LeaderTiming
  /** From 0 to 1, for the jitter of the backoff. */
  readonly random?: () => number
}

/** First wait after a failure; it doubles with each further one. */
const BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 60_000
/** Terms as the leader in which one run is begun again, when all jobs are run at once. */
const MAX_TERMS = 20

/** The time in which a job may run: while the process runs, or while it is the leader. */
type Term = { readonly signal: AbortSignal; readonly lease: LeaseTerm | undefined }

/** Runs the jobs of all modules; see Job for the guarantees. */
export function createJobRunner(options: RunnerOptions): JobRunner {
  const { storage, log, random = Math.random } = options
  const stopped = new AbortController()
  const scheduled: Scheduled[] = []
  const runs = new Set<Promise<unknown>>()
  let started = false
  let leader: Term | undefined

  const election = electLeader({
    storage,
    log,
    now: options.now ?? systemClock.now,
    ...(options.timing && { timing: options.timing }),
    onElected(lease, signal) {
      leader = { lease, signal }
      for (const one of scheduled) if (one.job.scope === 'leader') one.begin()
    },
  })
  const metrics = createJobMetrics(options.metrics, election.isLeader)
  const processTerm: Term = { signal: stopped.signal, lease: undefined }
  const termOf = ({ scope }: Job): Term | undefined => {
    const term = scope === 'leader' ? leader : processTerm
    return term?.signal.aborted ? undefined : term
  }

  function schedule(job: Job): Scheduled {
    let timer: NodeJS.Timeout | undefined
    let failures = 0
    let repeatAfterMs: number | undefined

    const runIn = async ({ signal, lease }: Term): Promise<void> => {
      const startedAt = performance.now()
      repeatAfterMs = undefined
      let outcome: JobOutcome = 'failed'
      const repeatAfter = (ms: number) => {
        repeatAfterMs = ms
      }
      try {
        await job.run({ signal, lease, repeatAfter })
        outcome = 'succeeded'
        failures = 0
      } catch (error) {
        if (signal.aborted) outcome = 'aborted'
        else failures++
        throw error
      } finally {
        metrics.ran(job.name, outcome, (performance.now() - startedAt) / 1000)
      }
    }
    // A request during a run gets a run that starts after it; two runs never overlap.
    const run = singleFlight(async () => {
      const term = termOf(job)
      if (term) await runIn(term)
    })
    const runTracked = (): Promise<void> => {
      const one = run().finally(() => runs.delete(tracked))
      const tracked = one.catch(() => {})
      runs.add(tracked)
      return one
    }

    const attempt = async (): Promise<void> => {
      try {
        await runTracked()
      } catch (error) {
        const aborted = termOf(job) === undefined
        if (!aborted) log.error({ err: error, job: job.name, failures }, 'job failed')
      }
      runAfter(failures > 0 ? backoffMs() : (repeatAfterMs ?? job.everyMs))
    }
    const backoffMs = (): number => {
      const doubled = Math.max(job.everyMs, BACKOFF_MS) * 2 ** Math.min(failures - 1, 20)
      const longest = Math.max(job.everyMs, job.maxBackoffMs ?? MAX_BACKOFF_MS)
      return Math.min(doubled, longest) * (0.5 + random() / 2)
    }
    /** Without a term nothing is scheduled; the next term starts anew. */
    const runAfter = (ms: number): void => {
      clearTimeout(timer)
      if (!termOf(job)) return
      timer = setTimeout(attempt, ms)
      timer.unref()
    }
    return {
      job,
      run: runTracked,
      begin() {
        failures = 0
        runAfter(job.firstAfterMs ?? Math.min(job.everyMs, FIRST_RUN_MAX_MS))
      },
      end: () => clearTimeout(timer),
    }
  }

  /** A run that ends because this process is not the leader for a moment is repeated in its next term. */
  const runWhole = async ({ job, run }: Scheduled): Promise<void> => {
    for (let terms = 1; ; terms++) {
      const term = termOf(job)
      const failure = await run().then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
      const isWhole = term !== undefined && !term.signal.aborted
      if (!isWhole && terms < MAX_TERMS && !stopped.signal.aborted && (await election.take())) {
        continue
      }
      if (failure) throw failure.error
      return
    }
  }

  return {
    add(jobs) {
      for (const job of jobs) {
        const one = schedule(job)
        scheduled.push(one)
        if (started) one.begin()
      }
    },
    async start() {
      started = true
      for (const one of scheduled) if (one.job.scope === 'process') one.begin()
      await election.start()
    },
    async run(name) {
      await scheduled.find(({ job }) => job.name === name)?.run()
    },
    async runAll() {
      for (const one of scheduled) await runWhole(one)
    },
    isLeader: election.isLeader,
    async stop() {
      stopped.abort()
      for (const one of scheduled) one.end()
      await election.stop()
      await Promise.all(runs)
      await election.release()
    },
  }
}

type Scheduled = {
  readonly job: Job
  run(): Promise<void>
  /** Schedules the first run. */
  begin(): void
  end(): void
}
