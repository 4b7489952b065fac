import { Rejection } from '../protocol/rejection.ts'
import type { Storage } from '../storage/storage.ts'
import type { Appeal, ModerationEntry } from '../storage/tables/moderation.ts'
import type { Decision, Moderation } from './moderation.ts'

/** Appeals that one account may send in 24 hours. */
const MAX_APPEALS_PER_DAY = 5
/** Open appeals in all, at most 4 KiB each. */
const MAX_OPEN_APPEALS = 10_000
/** Answered appeals that are kept; older ones are deleted. */
const MAX_ANSWERED_APPEALS = 10_000
export const MAX_APPEAL_CHARACTERS = 1_000
const DAY_SECONDS = 24 * 3_600

/** Decisions about an account or a cast that their member may appeal. */
const APPEALABLE: readonly ModerationEntry['action'][] = ['hide', 'suspend']

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

  /** Adds an appeal to the queue. A decision is appealed once; the same again is answered with that appeal. */
  add(fid: number, decision: number, text: string): Promise<Appeal> {
    return this.#storage.write('all/reports', async (tx) => {
      const entry = await tx.moderation.entry(decision)
      if (!entry || entry.fid !== fid || !APPEALABLE.includes(entry.action)) {
        throw new Rejection('not_found', `you have no decision ${decision} to appeal`, {
          field: 'decision',
        })
      }
      const own = await tx.moderation.ownAppeals(fid, MAX_ANSWERED_APPEALS)
      const same = own.find((one) => one.decision === decision)
      if (same) return same
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
      if ((await tx.moderation.appealCount('open')) >= MAX_OPEN_APPEALS) {
        const what = 'the operator has too many appeals to read; appeal again later'
        throw new Rejection('unavailable.overloaded', what, { retryAfterSeconds: DAY_SECONDS })
      }
      const { action, cast_hash } = entry
      return tx.moderation.addAppeal({
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

  /** Answers an appeal. `reversed` shows the cast or restores the account first. Doing it once more changes nothing. */
  async answer(id: number, outcome: Outcome, decision: Decision): Promise<Appeal> {
    const appeal = await this.#storage.moderation.appeal(id)
    if (!appeal) throw unknownAppeal(id)
    if (appeal.state === 'answered') return appeal
    const { fid, action, cast_hash } = appeal
    if (outcome === 'reversed') {
      if (action === 'suspend') await this.#moderation.restore(fid, decision)
      else if (cast_hash) await this.#moderation.unhideCast(cast_hash, decision)
    }
    const about = { fid, cast_hash, name: outcome }
    return this.#moderation.recorded('answer', about, decision, async (tx) => {
      const present = await tx.moderation.appeal(id)
      if (!present) throw unknownAppeal(id)
      if (present.state === 'answered') return { result: present, isChanged: false }
      const answered = {
        ...present,
        state: 'answered',
        answered_at: this.#now(),
        outcome,
        answer: decision.reason,
        answered_by: decision.actor,
      } as const
      await tx.moderation.putAppeal(answered)
      await tx.moderation.trimAppeals(MAX_ANSWERED_APPEALS)
      return { result: answered, isChanged: true }
    })
  }
}

const unknownAppeal = (id: number) =>
  new Rejection('not_found', `appeal ${id} does not exist`, { field: 'id' })
