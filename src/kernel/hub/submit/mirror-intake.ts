import type { Clock } from '../../base/clock.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { Candidate, type CheckedRow } from './candidate.ts'
import { type Examined, VERDICTS } from './examination.ts'
import type { Examiners } from './examiners.ts'
import type { Merger } from './merger.ts'
import { unpackBatch } from './message-batch.ts'
import { type MirrorStep, type MirrorTerms, partsOf, type Removal } from './mirrored.ts'
import type { Refusal } from './pipeline.ts'
import { receiveRejection } from './posted-rejection.ts'
import type { Questions } from './questions.ts'

/** What a mirrored hub has done: it took a message, or gave one up. */
export type MirrorInput =
  | { readonly merge: Uint8Array; readonly isLeftOut?: (hash: Uint8Array) => boolean }
  | { readonly remove: Removal & { readonly fid: number } }

/** A message that is stored, one that is not, or one that was to be left out. */
export type MirrorOutcome =
  | { readonly id: number; readonly row: CheckedRow }
  | Refusal
  | { readonly isLeftOut: true }

type IntakeOptions = {
  readonly examiners: Pick<Examiners, 'examine'>
  readonly merger: Pick<Merger, 'mirror'>
  readonly questions: Pick<Questions, 'askOutside'>
  readonly clock: Clock
}

/** Verifies what a mirrored hub has stored and merges it, together with what that hub has removed. */
export class MirrorIntake {
  readonly #options: IntakeOptions

  constructor(options: IntakeOptions) {
    this.#options = options
  }

  /** Does these steps in order and in one transaction. Returns the outcomes of the messages, in order. */
  async take(steps: readonly MirrorInput[], terms: MirrorTerms): Promise<MirrorOutcome[]> {
    const checked = await this.#check(steps.flatMap((one) => ('merge' in one ? [one.merge] : [])))
    // From here to the request nothing is awaited: what is left out is left out in the order of the merge thread.
    const outcomes: (MirrorOutcome | Candidate)[] = []
    const todo = steps.flatMap((step): MirrorStep[] => {
      if ('remove' in step) return [step]
      const one = checked[outcomes.length]!
      const isLeftOut = one instanceof Candidate && step.isLeftOut?.(one.row.hash)
      outcomes.push(isLeftOut ? { isLeftOut } : one)
      return one instanceof Candidate && !isLeftOut ? [{ merge: one }] : []
    })
    const isRefused = outcomes.some((one) => 'rejection' in one)
    if (todo.length === 0 && (isRefused || terms.note === undefined)) {
      return outcomes as MirrorOutcome[]
    }
    const merged = await this.#options.merger.mirror({
      ...terms,
      parts: partsOf(todo),
      isRefused,
      nowMs: this.#options.clock.now(),
    })
    let at = 0
    return outcomes.map((one) => {
      if (!(one instanceof Candidate)) return one
      const outcome = merged[at++]!
      const { row } = one
      return outcome instanceof Rejection
        ? { rejection: outcome, head: row }
        : { id: outcome.id, row }
    })
  }

  async #check(bodies: readonly Uint8Array[]): Promise<(Candidate | Refusal)[]> {
    if (bodies.length === 0) return []
    const { examiners, clock } = this.#options
    const parts = await examiners.examine(bodies, { nowMs: clock.now(), areStored: true })
    return (await Promise.all(parts.map((part) => this.#answered(part)))).flat()
  }

  /** The messages of an examined part in their order. */
  async #answered(part: Examined): Promise<(Candidate | Refusal)[]> {
    const valid = unpackBatch(part.valid)
    const asking = await Promise.all(unpackBatch(part.asking).map((one) => this.#ask(one)))
    const at = [0, 0, 0]
    return Array.from(part.verdicts, (verdict) => {
      const place = at[verdict]!++
      if (verdict === VERDICTS.valid) return valid[place]!
      if (verdict === VERDICTS.asks) return asking[place]!
      const { rejection, head } = part.refused[place]!
      return { rejection: receiveRejection(rejection), head }
    })
  }

  async #ask({ row, data }: Candidate): Promise<Candidate | Refusal> {
    try {
      return new Candidate(row, await this.#options.questions.askOutside(data))
    } catch (error) {
      if (error instanceof Rejection) return { rejection: error, head: row }
      throw error
    }
  }
}
