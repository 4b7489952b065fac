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
import { type Decision, resolveAll } from './resolving.ts'

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

  /**
   * Answers the first of the reports that a decision settles, with `decided`, in the transaction of the decision. `decide` does what is
   * decided and returns its entry in the log: it may itself end reports of the server that this answers. Call `goOn` after it.
   */
  async begin(
    tx: Writer,
    events: EventLog,
    { decided, ...answer }: Omit<ReportAnswer, 'up_to' | 'decision'> & { readonly decided: Report },
    decide: () => Promise<number>,
  ): Promise<Answered> {
    const reports = tx.of(reportRows)
    const settles = { ...answer, up_to: await reports.newestId() }
    const count = await reports.settledCount(settles, settles, settles.act === 'suspend')
    const others = (await openOf(tx, settles, ANSWERED_AT_ONCE + 1))
      .filter(({ id }) => id !== decided.id)
      .slice(0, ANSWERED_AT_ONCE)
    const settled = { ...settles, decision: await decide() }
    const open = [decided, ...others]
    const answered = await this.#answer(tx, events, settled, { open, untold: open })
    if (others.length + 1 < count) await tx.of(answerRows).add(settled)
    return { first: answered, count }
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
          const isAll = await this.#answerNext(tx, events, answer)
          if (isAll) await tx.of(answerRows).remove(id)
          return isAll
        },
        ['all/reports'],
      )
    }
  }

  /** Answers the next reports. Returns whether no more are left. */
  async #answerNext(tx: Writer, events: EventLog, answer: ReportAnswer): Promise<boolean> {
    const open = await openOf(tx, answer)
    await this.#answer(tx, events, answer, { open, untold: await untoldAmong(tx, answer, open) })
    return open.length < ANSWERED_AT_ONCE
  }

  async #answer(
    tx: Writer,
    events: EventLog,
    { act, actor, reason, decision }: ReportAnswer,
    { open, untold }: Record<'open' | 'untold', readonly Report[]>,
  ): Promise<Report[]> {
    const { moderation, now } = this.#parts
    const answered = await resolveAll(tx, open, { actor, reason, act, decision }, now())
    const reporters = untold.map(({ reporter_fid }) => reporter_fid)
    await moderation.mails.reportsAnswered(tx, reporters, { act, reason })
    const keeps = act === 'hide' || act === 'suspend'
    await endHolds(tx, events, moderation, { of: answered, keeps }, { actor, reason })
    return answered
  }
}

/** The next reports that a decision has to answer. */
const openOf = (tx: Writer, answer: Omit<ReportAnswer, 'decision'>, limit = ANSWERED_AT_ONCE) =>
  answer.act === 'suspend'
    ? tx.of(reportRows).settledOf(answer.fid, answer, limit)
    : tx.of(reportRows).settledOn(answer, answer, limit)

/** Reports of those to whom an earlier step has not said the same already. */
async function untoldAmong(
  tx: Writer,
  { decision }: ReportAnswer,
  open: readonly Report[],
): Promise<readonly Report[]> {
  // A version before migration 78 began this answer, and did not record whom it had told.
  if (decision === null) return open
  const reporters = [...new Set(open.map(({ reporter_fid }) => reporter_fid))]
  const told = await tx.of(reportRows).answeredBy(decision, reporters)
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
