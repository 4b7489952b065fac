import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkLease, type Job, type JobRun } from '../../kernel/jobs/job.ts'
import { MINUTE_MS } from '../../kernel/protocol/time.ts'
import type { EventLog } from '../../kernel/storage/messages/event-log.ts'
import type { Storage, Writer } from '../../kernel/storage/storage.ts'
import { type Report, reportRows } from '../moderation-records/port.ts'
import type { Moderation } from './moderation.ts'
import { type Decision, resolveAll } from './resolving.ts'
import { answerRows, type ReportAnswer } from './tables/answers.ts'

// One decision may settle thousands of reports. They are answered, and those who sent them are told, in steps between which others
// write. What is left to answer is a row, so a crash loses no answer.

/** Reports that one transaction answers, each with a mail perhaps: others wait no longer to write. */
export const ANSWERED_AT_ONCE = 50

type Parts = {
  readonly storage: Pick<Storage, 'of'>
  readonly moderation: Pick<Moderation, 'write' | 'endHold' | 'mails'>
  readonly now: () => number
}

export class Answering {
  readonly job: Job = {
    name: 'answer reports',
    scope: 'leader',
    everyMs: MINUTE_MS,
    firstAfterMs: 0,
    run: (run) => this.#answerAll(run),
  }
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Answers the first of the reports that a decision settles, with `decided`, in the transaction of the decision. Call `finish` after it. */
  async begin(
    tx: Writer,
    events: EventLog,
    { decided, ...answer }: Omit<ReportAnswer, 'up_to'> & { readonly decided: Report },
  ): Promise<Report[]> {
    const settled = { ...answer, up_to: await tx.of(reportRows).newestId() }
    const { answered, isDone } = await this.#answerSome(tx, events, settled, [decided])
    if (!isDone) await tx.of(answerRows).add(settled)
    return answered
  }

  /** Answers the rest of what a decision settles. */
  async finish(id: number, run?: JobRun): Promise<void> {
    if (!(await this.#parts.storage.of(answerRows).find(id))) return
    for (let isDone = false; !isDone; await nextTurn()) {
      run?.signal.throwIfAborted()
      isDone = await this.#parts.moderation.write(
        async (tx, events) => {
          if (run?.lease) await checkLease(tx, run.lease)
          const answer = await tx.of(answerRows).find(id)
          // The job has done it meanwhile.
          if (!answer) return true
          const step = await this.#answerSome(tx, events, answer)
          if (step.isDone) await tx.of(answerRows).remove(id)
          return step.isDone
        },
        ['all/reports'],
      )
    }
  }

  async #answerAll(run: JobRun): Promise<void> {
    const rows = this.#parts.storage.of(answerRows)
    for (let first = await rows.first(); first; first = await rows.first()) {
      await this.finish(first.report_id, run)
    }
  }

  async #answerSome(
    tx: Writer,
    events: EventLog,
    answer: ReportAnswer,
    decided: readonly Report[] = [],
  ): Promise<{ answered: Report[]; isDone: boolean }> {
    const { moderation, now } = this.#parts
    const { fid, act, actor, reason, up_to } = answer
    const reports = tx.of(reportRows)
    const open =
      act === 'suspend'
        ? await reports.openOf(fid, ANSWERED_AT_ONCE, up_to)
        : await reports.openOn(answer, ANSWERED_AT_ONCE, up_to)
    const others = await resolveAll(tx, open, { actor, reason, act }, now())
    const answered = [...decided, ...others]
    const reporters = answered.map(({ reporter_fid }) => reporter_fid)
    await moderation.mails.reportsAnswered(tx, reporters, reason)
    const keeps = act === 'hide' || act === 'suspend'
    await endHolds(tx, events, moderation, { of: answered, keeps }, { actor, reason })
    return { answered, isDone: open.length < ANSWERED_AT_ONCE }
  }
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
