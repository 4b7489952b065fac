import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkLease, type Job, type JobRun } from '../../kernel/jobs/job.ts'
import type { EventLog } from '../../kernel/storage/messages/event-log.ts'
import type { Storage, Writer } from '../../kernel/storage/storage.ts'
import {
  answerRows,
  type Report,
  type ReportAnswer,
  reportRows,
} from '../moderation-records/port.ts'
import type { Moderation } from './moderation.ts'
import { type Decision, resolutionOf, resolveAll } from './resolving.ts'

// One decision may settle thousands of reports. They are answered, and those who sent them are told, in steps between which others
// write. What is left to answer is a row, so a crash loses no answer.

/** Reports that one transaction answers, each with a mail perhaps: others wait no longer to write. */
export const ANSWERED_AT_ONCE = 50

/** What a decision answers: the first reports, few more than ANSWERED_AT_ONCE, and how many there are in all. */
export type Answered = { readonly first: readonly Report[]; readonly count: number }

/** How late another process, which leads, goes on with what is left. */
const CHECK_INTERVAL_MS = 1_000
const JOB = 'answer reports'

type Parts = {
  readonly storage: Pick<Storage, 'of'>
  readonly moderation: Pick<Moderation, 'write' | 'endHold' | 'mails'>
  readonly now: () => number
  /** Runs a job by its name, now. */
  readonly runJob: (name: string) => Promise<void>
  readonly onError: (error: unknown, what: string) => void
}

export class Answering {
  readonly job: Job = {
    name: JOB,
    scope: 'leader',
    everyMs: CHECK_INTERVAL_MS,
    firstAfterMs: 0,
    run: (run) => this.#answerAll(run),
  }
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Answers the first of the reports that a decision settles, with `decided`, in the transaction of the decision. Call `goOn` after it. */
  async begin(
    tx: Writer,
    events: EventLog,
    { decided, ...answer }: Omit<ReportAnswer, 'up_to'> & { readonly decided: Report },
  ): Promise<Answered> {
    const reports = tx.of(reportRows)
    const settled = { ...answer, up_to: await reports.newestId() }
    const others = await reports.settledCount(settled, settled, settled.act === 'suspend')
    const { answered, isDone } = await this.#answerSome(tx, events, settled, decided)
    if (!isDone) await tx.of(answerRows).add(settled)
    return { first: answered, count: 1 + others }
  }

  /** Has the rest answered, for which nobody waits: it is thousands perhaps. */
  goOn(): void {
    const { runJob, onError } = this.#parts
    runJob(JOB).catch((error) => onError(error, JOB))
  }

  /** One decision whose answers fail does not keep others waiting. */
  async #answerAll(run: JobRun): Promise<void> {
    const rows = this.#parts.storage.of(answerRows)
    let next = await rows.next(0)
    while (next) {
      const { report_id } = next
      await this.#finish(report_id, run).catch((error) => {
        run.signal.throwIfAborted()
        this.#parts.onError(error, `${JOB} with ${report_id}`)
      })
      next = await rows.next(report_id)
    }
  }

  async #finish(id: number, { signal, lease }: JobRun): Promise<void> {
    for (let isDone = false; !isDone; await nextTurn()) {
      signal.throwIfAborted()
      isDone = await this.#parts.moderation.write(
        async (tx, events) => {
          if (lease) await checkLease(tx, lease)
          const answer = await tx.of(answerRows).find(id)
          // The decision was taken back meanwhile.
          if (!answer) return true
          const step = await this.#answerSome(tx, events, answer)
          if (step.isDone) await tx.of(answerRows).remove(id)
          return step.isDone
        },
        ['all/reports'],
      )
    }
  }

  async #answerSome(
    tx: Writer,
    events: EventLog,
    answer: ReportAnswer,
    decided?: Report,
  ): Promise<{ answered: Report[]; isDone: boolean }> {
    const { moderation, now } = this.#parts
    const { fid, act, actor, reason } = answer
    const reports = tx.of(reportRows)
    const open =
      act === 'suspend'
        ? await reports.settledOf(fid, answer, ANSWERED_AT_ONCE)
        : await reports.settledOn(answer, answer, ANSWERED_AT_ONCE)
    const untold = decided ? [decided, ...open] : await untoldAmong(tx, answer, open)
    const others = await resolveAll(tx, open, { actor, reason, act }, now())
    const answered = decided ? [decided, ...others] : others
    const reporters = untold.map(({ reporter_fid }) => reporter_fid)
    await moderation.mails.reportsAnswered(tx, reporters, { act, reason })
    const keeps = act === 'hide' || act === 'suspend'
    await endHolds(tx, events, moderation, { of: answered, keeps }, { actor, reason })
    return { answered, isDone: open.length < ANSWERED_AT_ONCE }
  }
}

/** Reports of those to whom an earlier step has not said the same already. */
async function untoldAmong(
  tx: Writer,
  { report_id, fid, up_to, ...decision }: ReportAnswer,
  open: readonly Report[],
): Promise<readonly Report[]> {
  const first = await tx.of(reportRows).find(report_id)
  // It is deleted when thousands were answered since.
  if (!first?.resolved_at) return open
  const reporters = [...new Set(open.map(({ reporter_fid }) => reporter_fid))]
  const told = await tx.of(reportRows).answeredAlike(reporters, {
    ...{ fid, up_to, since: first.resolved_at },
    resolution: resolutionOf(decision),
  })
  return open.filter(({ reporter_fid }) => !told.has(reporter_fid))
}

/** A report that is answered is in no queue: the casts that it is about do not go on waiting. */
export async function endHolds(
  tx: Writer,
  events: EventLog,
  moderation: Pick<Moderation, 'endHold'>,
  { of, keeps }: { readonly of: readonly Report[]; readonly keeps: boolean },
  decision: Decision,
): Promise<void> {
  const hashes = new Map(of.map(({ cast_hash }) => [String(cast_hash), cast_hash]))
  for (const cast_hash of hashes.values()) {
    if (cast_hash) await moderation.endHold(tx, events, { cast_hash, keeps }, decision)
  }
}
