import type { Writer } from '../storage/storage.ts'

/** Work that the runner repeats. A module lists its jobs in its module.ts. */
export type Job = {
  /** Label in logs and metrics. */
  readonly name: string
  /**
   * `leader`: runs in one process of all that share the database, the one that holds the leader lease.
   * `process`: runs in every process.
   */
  readonly scope: 'leader' | 'process'
  /** Milliseconds from the end of one run to the start of the next. */
  readonly everyMs: number
  /**
   * Milliseconds until the first run, after the start or after this process became the leader; unless
   * given, `everyMs` but at most FIRST_RUN_MAX_MS.
   */
  readonly firstAfterMs?: number
  /** The longest wait after failures; unless given, the longer of MAX_BACKOFF_MS and `everyMs`. */
  readonly maxBackoffMs?: number
  /**
   * One run. Runs of a job never overlap. A run that throws is logged and counted, and repeated after a
   * backoff with jitter.
   */
  run(run: JobRun): Promise<unknown>
}

export type JobRun = {
  /** Aborted when the program stops and, for a leader's job, before this process loses the lease. */
  readonly signal: AbortSignal
  /**
   * The right to act as leader, to be checked in a transaction that must not be done by a process that
   * was the leader once (one that was paused, for example). Undefined for jobs of scope `process`.
   */
  readonly lease: LeaseTerm | undefined
  /** Has the next run start this many milliseconds after this one, in place of `everyMs`. */
  repeatAfter(ms: number): void
}

/** One uninterrupted time as the leader. Plain data, so that it can be handed to a worker thread. */
export type LeaseTerm = {
  /** Random name of the process that holds the lease. */
  readonly holder: string
  /** Grows whenever the lease changes hands. */
  readonly epoch: number
}

/** Runs the jobs of all modules. */
export type JobRunner = {
  /** Schedules jobs, from now on if the runner has been started. */
  add(jobs: readonly Job[]): void
  /** Tries to become the leader and starts the schedules. */
  start(): Promise<void>
  /**
   * Runs a job now, after the present run if there is one. Throws what the run throws. A leader's job that was
   * aborted because the lease could not be renewed in time is run again; nothing happens while another process leads.
   */
  run(name: string): Promise<void>
  /** Runs every job once as `run` does, in the order they were added: for tests and after the clock was moved. */
  runAll(): Promise<void>
  isLeader(): boolean
  /** The jobs of this process in the order they were added. */
  list(): JobState[]
  /** Aborts what runs, waits for it and releases the lease. */
  stop(): Promise<void>
}

/** A job and its last run in this process. */
export type JobState = Pick<Job, 'name' | 'scope' | 'everyMs'> & {
  readonly isRunning: boolean
  readonly last:
    | { readonly endedMs: number; readonly seconds: number; readonly outcome: JobOutcome }
    | undefined
}

/** How a run ended: `aborted` when the program stops or another process leads. */
export type JobOutcome = 'succeeded' | 'failed' | 'aborted'

/** This process is not the leader any more: another one has taken the lease over. */
export class LeaseLostError extends Error {
  constructor() {
    super('this process has lost the leader lease')
    this.name = 'LeaseLostError'
  }
}

/**
 * Throws LeaseLostError unless the term still runs. It locks the lease's row until the transaction ends,
 * so no other process can become the leader before that.
 */
export async function checkLease(tx: Writer, term: LeaseTerm): Promise<void> {
  if (!(await tx.leases.hold(LEADER_LEASE, term))) throw new LeaseLostError()
}

/** Name of the lease's row. */
export const LEADER_LEASE = 'leader'
/** Longest wait for the first run of a job, so that a leader that restarts often still runs daily jobs. */
export const FIRST_RUN_MAX_MS = 5 * 60_000
