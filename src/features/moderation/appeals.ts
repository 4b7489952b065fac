import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_SECONDS } from '../../kernel/protocol/time.ts'
import type { EventLog } from '../../kernel/storage/messages/event-log.ts'
import type { Storage, Writer } from '../../kernel/storage/storage.ts'
import { type ModerationEntry, moderationLogRows } from '../moderation-records/port.ts'
import { MAX_ANSWERED_APPEALS, putAnswer } from './ended-appeals.ts'
import type { Moderation } from './moderation.ts'
import type { Decision } from './resolving.ts'
import { type Appeal, appealRows } from './tables/appeals.ts'

/** Appeals that one account may send in 24 hours. */
const MAX_APPEALS_PER_DAY = 5
/** Open appeals in all, at most 4 KiB each. */
const MAX_OPEN_APPEALS = 10_000
export const MAX_APPEAL_CHARACTERS = 1_000

/** Decisions about an account or a cast that their member may appeal. */
const APPEALABLE: readonly ModerationEntry['action'][] = [
  'warn',
  'hide',
  'hold',
  'limit',
  'suspend',
]

type Outcome = NonNullable<Appeal['outcome']>

/** What members say against decisions about them. */
export class Appeals {
  readonly #storage: Storage
  readonly #moderation: Moderation
  readonly #now: () => number

  constructor(storage: Storage, moderation: Moderation, now: () => number) {
    this.#storage = storage
    this.#moderation = moderation
    this.#now = now
  }

  /**
   * Adds an appeal to the queue. A decision is appealed once, while it is in force; the same again is answered with that appeal.
   */
  add(fid: number, decision: number, text: string): Promise<Appeal> {
    // What ends a decision about an account is written under the hub's lock.
    return this.#storage.write(['hub', 'all/reports'], async (tx) => {
      const entry = await tx.of(moderationLogRows).find(decision)
      if (!entry || entry.fid !== fid || !APPEALABLE.includes(entry.action)) {
        throw new Rejection('not_found', `you have no decision ${decision} to appeal`, {
          field: 'decision',
        })
      }
      const own = await tx.of(appealRows).ofFid(fid, MAX_ANSWERED_APPEALS)
      const same = own.find((one) => one.decision === decision)
      if (same) return same
      if (await tx.of(moderationLogRows).isTakenBack(entry)) {
        const what = `decision ${decision} has ended or was taken back: there is nothing to appeal`
        throw new Rejection('changed_meanwhile', what, { field: 'decision' })
      }
      const since = this.#now() - DAY_SECONDS
      if (own.filter(({ created_at }) => created_at >= since).length >= MAX_APPEALS_PER_DAY) {
        throw new Rejection(
          'rate_limited',
          `no more than ${MAX_APPEALS_PER_DAY} appeals in 24 hours`,
          {
            retryAfterSeconds: DAY_SECONDS,
          },
        )
      }
      if ((await tx.of(appealRows).count('open')) >= MAX_OPEN_APPEALS) {
        const what = 'the operator has too many appeals to read; appeal again later'
        throw new Rejection('unavailable.overloaded', what, { retryAfterSeconds: DAY_SECONDS })
      }
      const { action, cast_hash } = entry
      return tx.of(appealRows).add({
        ...{ fid, decision, action, cast_hash, text },
        state: 'open',
        created_at: this.#now(),
        answered_at: null,
        outcome: null,
        answer: null,
        answered_by: null,
      })
    })
  }

  /**
   * Answers an appeal; `reversed` also shows the cast, restores the account or takes the warning back. The same answer once more changes nothing;
   * another one is a conflict.
   */
  async answer(id: number, outcome: Outcome, decision: Decision): Promise<Appeal> {
    const appeal = await this.#storage.of(appealRows).find(id)
    if (!appeal) throw unknownAppeal(id)
    const { actor, reason } = decision
    const given = { outcome, answer: reason, answered_by: actor } as const
    const about = { fid: appeal.fid, cast_hash: appeal.cast_hash, name: outcome }
    const work = async (tx: Writer, events: EventLog) => {
      const present = await tx.of(appealRows).find(id)
      if (!present) throw unknownAppeal(id)
      if (present.state === 'answered') {
        if (!isSame(present, given)) throw answeredAlready(present)
        return { result: present, isChanged: false }
      }
      if (outcome === 'upheld') await checkInForce(tx, present)
      const goes_with =
        outcome === 'reversed'
          ? await this.#moderation.reverse(tx, events, present, decision)
          : null
      const answered = await putAnswer(tx, present, { ...decision, outcome }, this.#now())
      // What is reversed is told with the same reason.
      if (goes_with === null) await this.#moderation.mails.appealAnswered(tx, present.fid, reason)
      return { result: answered, isChanged: true, goes_with }
    }
    return this.#moderation.recorded('answer', about, decision, work, ['all/reports'])
  }
}

type Given = Pick<Appeal, 'outcome' | 'answer' | 'answered_by'>

const isSame = (one: Given, other: Given): boolean =>
  one.outcome === other.outcome &&
  one.answer === other.answer &&
  one.answered_by === other.answered_by

/** An earlier version left appeals open whose warning was taken back: that one stands is not true of it. */
async function checkInForce(tx: Writer, { action, decision, fid, cast_hash }: Appeal) {
  if (action !== 'warn') return
  const warning = { id: decision, action, fid, cast_hash }
  if (await tx.of(moderationLogRows).isTakenBack(warning)) {
    const what = `warning ${decision} was taken back: answer with the outcome reversed`
    throw new Rejection('changed_meanwhile', what, { field: 'outcome' })
  }
}

const answeredAlready = ({ id, outcome, answered_by }: Appeal) =>
  new Rejection(
    'changed_meanwhile',
    `appeal ${id} was answered already, by ${answered_by}: ${outcome}`,
    { field: 'id' },
  )

const unknownAppeal = (id: number) =>
  new Rejection('not_found', `appeal ${id} does not exist`, { field: 'id' })
