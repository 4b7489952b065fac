import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_SECONDS } from '../../kernel/protocol/time.ts'
import type { EventLog } from '../../kernel/storage/messages/event-log.ts'
import type { Storage, Writer } from '../../kernel/storage/storage.ts'
import { miniAppRows } from '../mini-apps/port.ts'
import {
  type Act,
  answerRows,
  ENDED_BY,
  moderationLogRows,
  type Report,
  type ReportKind,
  reportRows,
  UNANSWERED,
} from '../moderation-records/port.ts'
import type { PollsPort } from '../polls/port.ts'
import { type Answered, type Answering, endHolds } from './answering.ts'
import { castContentOf } from './cast-text.ts'
import type { Enforcement, Moderation } from './moderation.ts'
import {
  type Decision,
  MAX_OPEN_REPORTS,
  openReport,
  resolved,
  unknownReport,
} from './resolving.ts'

/** Reports that one user may send in 24 hours. */
const MAX_REPORTS_PER_DAY = 20
export const MAX_REPORT_CHARACTERS = 500

/** An account, a cast or a mini app that a user reports. */
export type Complaint = {
  readonly reporter: number
  readonly fid: number | undefined
  readonly castHash: Uint8Array | undefined
  /** The domain of a mini app. */
  readonly miniApp: string | undefined
  readonly reason: string
  readonly kind?: ReportKind | undefined
  /** The rule of the server that was broken; of the kind `rule` unless another one is given. */
  readonly rule?: string | undefined
}

/** An act; `days` of a suspension that ends; `once`: an account is not warned with the same words again. */
type Deed = {
  readonly act: Act
  readonly days?: number | undefined
  readonly once?: boolean | undefined
}

/**
 * What was decided, and whether that has done something: it may have stood so already. `entry` is the id in the log of what was done to
 * the account.
 */
type Decided = Answered & { readonly changed: boolean; readonly entry: number | undefined }

/** The queue of users' reports. */
export type Reports = {
  /** Adds a report. A user who reports the same again is answered with the report that is open already. */
  add(complaint: Complaint): Promise<Report>
  /**
   * The same once more changes nothing; a report that was resolved otherwise is a conflict. A cast that was held is shown: nobody
   * would see it any more, neither its readers nor the moderators.
   */
  resolve(id: number, decision: Decision): Promise<Report>
  /**
   * Decides about what a report is about, and answers every open report that this settles: those about the same thing, and
   * those about everything of an account that is suspended. The same once more changes nothing.
   */
  decide(id: number, deed: Deed, decision: Decision): Promise<Decided>
}

type Parts = {
  readonly storage: Storage
  readonly moderation: Pick<
    Moderation,
    'recorded' | 'decided' | 'log' | 'enforce' | 'endHold' | 'mails'
  >
  readonly answering: Answering
  /** Undefined where there are no polls. */
  readonly polls: Pick<PollsPort, 'among'> | undefined
  readonly now: () => number
}

export function createReports({ storage, moderation, answering, polls, now }: Parts): Reports {
  const pollIn = async (report: Report): Promise<string | undefined> => {
    const { cast_hash, state } = report
    const poll = await polls?.among((await castContentOf(storage, cast_hash)).urls)
    // The same once more finds none: it is answered with what was done.
    if (!poll && state === 'open' && !(await storage.of(answerRows).settling(report))) {
      throw refused('act', 'cannot be remove-poll: the cast carries no poll of this server')
    }
    return poll?.id
  }
  return {
    add: (complaint) =>
      storage.write('all/reports', async (tx) => {
        const { reporter, reason, rule = null } = complaint
        const kind = complaint.kind ?? (rule === null ? null : 'rule')
        const reported = await reportedIn(tx, complaint)
        if (reported.fid === reporter) throw refused('fid', 'is your own')
        const recent = await tx
          .of(reportRows)
          .since(reporter, now() - DAY_SECONDS, MAX_REPORTS_PER_DAY)
        const same = recent.find((one) => one.state === 'open' && isAbout(one, reported))
        if (same) return same
        if (recent.length >= MAX_REPORTS_PER_DAY) {
          const text = `no more than ${MAX_REPORTS_PER_DAY} reports in 24 hours`
          throw new Rejection('rate_limited', text, { retryAfterSeconds: DAY_SECONDS })
        }
        if ((await tx.of(reportRows).count('open')) >= MAX_OPEN_REPORTS) {
          const text = 'the operator has too many reports to read; report again later'
          throw new Rejection('unavailable.overloaded', text, { retryAfterSeconds: DAY_SECONDS })
        }
        return tx.of(reportRows).add({
          reporter_fid: reporter,
          ...reported,
          ...{ reason, created_at: now(), kind, rule },
          ...UNANSWERED,
        })
      }),
    resolve: async (id, decision) => {
      const report = await storage.of(reportRows).find(id)
      if (!report) throw unknownReport(id)
      const { fid, cast_hash, mini_app } = report
      const about = { fid: fid === 0 ? null : fid, cast_hash, name: mini_app }
      const work = async (tx: Writer, events: EventLog) => {
        const done = await resolved(tx, id, decision, now())
        if (done.isChanged) {
          await endHolds(tx, events, moderation, { of: [done.result], keeps: false }, decision)
          await moderation.mails.reportsAnswered(tx, [done.result.reporter_fid], decision)
        }
        return done
      }
      return moderation.recorded('resolve', about, decision, work, ['all/reports'])
    },
    decide: async (id, { act, days, once }, decision) => {
      const report = await storage.of(reportRows).find(id)
      if (!report) throw unknownReport(id)
      checkAct({ act, days }, report)
      const { fid, cast_hash, mini_app } = report
      const poll = act === 'remove-poll' ? await pollIn(report) : undefined
      const about = { fid: fid === 0 ? null : fid, cast_hash, name: mini_app }
      const answered = await moderation.decided(
        'resolve',
        async (tx, events) => {
          const answer = { ...decision, act }
          const { report: decided, isOpen } = await openReport(tx, id, answer)
          if (!isOpen) {
            const entry = await doneBefore(tx, decided)
            return { first: [decided], count: 1, changed: entry !== undefined, entry }
          }
          let done: Enforcement = { entry: null, isNew: false }
          const settled = { report_id: id, fid, cast_hash, mini_app, ...answer }
          const settledNow = await answering.begin(
            tx,
            events,
            { ...settled, decided },
            async () => {
              if (act !== 'leave') {
                const what = { action: act, fid, cast_hash, days, poll, once }
                done = await moderation.enforce(tx, events, what, decision)
              }
              const entry = { ...about, action: 'resolve', goes_with: done.entry } as const
              return moderation.log(tx, decision, entry)
            },
          )
          const { entry, isNew } = done
          return { ...settledNow, changed: isNew, entry: isNew ? (entry ?? undefined) : undefined }
        },
        ['all/reports', ...(poll ? ([`poll/${poll}`] as const) : [])],
      )
      answering.goOn()
      return answered
    },
  }
}

/** What a decision has done that comes once more, since its answer was lost perhaps, if that can be taken back still: its id in the log. */
async function doneBefore(tx: Writer, { decision }: Report): Promise<number | undefined> {
  const rows = tx.of(moderationLogRows)
  const answer = decision === null ? undefined : await rows.find(decision)
  const done = answer?.goes_with ? await rows.find(answer.goes_with) : undefined
  if (!answer || !done || ENDED_BY[done.action] === undefined) return
  // What stood so already is not its own.
  const isOwn = done.actor === answer.actor && done.at === answer.at
  return isOwn && !(await rows.isTakenBack(done)) ? done.id : undefined
}

function checkAct({ act, days }: Deed, { fid, cast_hash }: Report): void {
  if (days !== undefined && act !== 'suspend') throw refused('days', 'is for the act suspend')
  if (act === 'hide' && !cast_hash) {
    throw refused('act', 'cannot be hide: the report is not about a cast')
  }
  if (fid === 0 && act !== 'leave') {
    throw refused('act', `cannot be ${act}: nobody has signed the mini app`)
  }
}

const refused = (field: string, text: string) =>
  new Rejection('bad_request.validation_failure', `${field} ${text}`, { field })

type Reported = Pick<Report, 'fid' | 'cast_hash' | 'mini_app'>

/** What a complaint is about. Throws a Rejection when there is no such thing. */
async function reportedIn(tx: Writer, { fid, castHash, miniApp }: Complaint): Promise<Reported> {
  if (miniApp !== undefined) {
    const app = await tx.of(miniAppRows).byDomain(miniApp)
    if (!app) throw notFound(`no mini app of ${miniApp} is listed here`, 'miniAppDomain')
    return { fid: app.author_fid, cast_hash: null, mini_app: app.domain }
  }
  const cast = castHash && (await tx.published.messages.castByHash(castHash))
  if (castHash && !cast) throw notFound(`cast ${toHex(castHash)} does not exist`, 'castHash')
  const reported = cast?.fid ?? fid
  if (reported === undefined) {
    const text = 'name what is reported: a castHash, a fid or a miniAppDomain'
    throw new Rejection('bad_request.validation_failure', text, { field: 'fid' })
  }
  if (!(await tx.accounts.custody(reported))) {
    throw notFound(`FID ${reported} is not registered`, 'fid')
  }
  return { fid: reported, cast_hash: castHash ?? null, mini_app: null }
}

const isAbout = (report: Report, { fid, cast_hash, mini_app }: Reported) =>
  report.fid === fid &&
  report.mini_app === mini_app &&
  (report.cast_hash ? toHex(report.cast_hash) : '') === (cast_hash ? toHex(cast_hash) : '')

const notFound = (text: string, field: string) => new Rejection('not_found', text, { field })
