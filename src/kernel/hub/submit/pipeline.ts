import type { Clock } from '../../base/clock.ts'
import { asClient, currentClient } from '../../limits/current-client.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { StoreUnavailable } from '../../storage/engines/unavailable.ts'
import {
  MAX_BATCH_MESSAGES,
  MAX_MERGING_MESSAGES,
  MAX_QUEUED_BYTES,
  MAX_QUEUED_MESSAGES,
  MIN_SPLIT_MESSAGES,
  OVERLOAD_RETRY_SECONDS,
} from '../settings.ts'
import { Candidate, type CheckedRow } from './candidate.ts'
import { type Examined, type Question, type Refused, VERDICTS } from './examination.ts'
import type { Examiners } from './examiners.ts'
import type { Merger } from './merger.ts'
import { type PackedBatch, packBatch, unpackBatch } from './message-batch.ts'
import { receiveRejection } from './posted-rejection.ts'
import type { Outcome } from './run.ts'

/** A message that is committed and flushed, with the id of the event that reports it. */
export type Submitted = { readonly id: number; readonly message: CheckedRow }

/** Why a message was not stored. `head` is undefined when its bytes could not be decoded. */
export type Refusal = {
  readonly rejection: Rejection
  readonly head: Refused['head']
}

export type SubmitOutcome = Submitted | Refusal

/** Answers the question of a message: the owner that its name resolves to, if it has one. Throws a Rejection. */
export type AnswerQuestion = (
  candidate: Candidate,
  question: Question,
) => Promise<Uint8Array | undefined>

type Waiting = {
  readonly body: Uint8Array
  /** Whether it shares the batch of the body before it, because the same caller waits for both. */
  readonly joinsLast: boolean
  /** Who submits it: its batch is examined in nobody's name. */
  readonly client: string | undefined
  readonly resolve: (outcome: SubmitOutcome) => void
}

type PipelineOptions = {
  readonly examiners: Pick<Examiners, 'examine'>
  readonly merger: Pick<Merger, 'merge'>
  readonly clock: Clock
  readonly answerQuestion: AnswerQuestion
  /** Called when a batch could not be examined or merged; its submitters are told to retry. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Queues submitted messages, examines them in batches and hands them to the merger. While one batch is merged, the next
 * ones are examined. Every queue is bounded.
 */
export class Pipeline {
  readonly #options: PipelineOptions
  readonly #unexamined: Waiting[] = []
  #examining = false
  /** Messages that were handed to the merger and have no outcome yet. */
  #merging = 0
  #pending = 0
  #pendingBytes = 0
  #closed = false
  #idle: (() => void)[] = []

  constructor(options: PipelineOptions) {
    this.#options = options
  }

  /** Messages that were accepted and have no outcome yet. */
  get depth(): number {
    return this.#pending
  }

  /**
   * Submits the messages of one request. Each outcome resolves when the message's transaction is committed and flushed,
   * or with the reason why it was not stored. Refuses at once when the queue is full.
   */
  submit(bodies: readonly Uint8Array[]): Promise<SubmitOutcome[]> {
    return Promise.all(bodies.map((body, i) => this.#submit(body, i > 0)))
  }

  #submit(body: Uint8Array, joinsLast: boolean): Promise<SubmitOutcome> {
    if (this.#closed || this.#isFull()) return Promise.resolve(this.#overloaded())
    return new Promise((resolve) => {
      this.#pending++
      this.#pendingBytes += body.length
      this.#unexamined.push({ body, joinsLast, client: currentClient(), resolve })
      this.#examineNext()
    })
  }

  #overloaded(): Refusal {
    const text = this.#closed ? 'the hub is stopping' : 'too many messages are waiting'
    const hints = { retryAfterSeconds: OVERLOAD_RETRY_SECONDS }
    return {
      rejection: new Rejection('unavailable.overloaded', text, hints),
      head: undefined,
    }
  }

  #settle({ body, resolve }: Waiting, outcome: SubmitOutcome): void {
    this.#pending--
    this.#pendingBytes -= body.length
    resolve(outcome)
    if (this.#pending === 0) for (const wake of this.#idle.splice(0)) wake()
  }

  #isFull(): boolean {
    return this.#pending >= MAX_QUEUED_MESSAGES || this.#pendingBytes >= MAX_QUEUED_BYTES
  }

  /** Refuses new messages; resolves when every accepted message has its outcome. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#pending > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #examineNext(): void {
    // Limits what waits in the merge thread. What waits here can still be refused cheaply.
    if (this.#examining || this.#merging >= MAX_MERGING_MESSAGES) return
    if (this.#unexamined.length === 0 || this.#mayGrow()) return
    this.#examining = true
    // Everything that arrives in this turn of the event loop joins the batch.
    setImmediate(() => void this.#examineBatch(this.#takeBatch()))
  }

  /**
   * Whether the next batch waits for more messages. It begins when it is half of what is under way, or when nothing is
   * merged any more: with 64 connections, 32 are examined while 32 are merged. Batches of what has just arrived would
   * be several times smaller, and each costs four changes of threads and a commit.
   */
  #mayGrow(): boolean {
    const half = Math.floor((this.#unexamined.length + this.#merging) / 2)
    return this.#merging > 0 && this.#unexamined.length < Math.min(half, MAX_BATCH_MESSAGES)
  }

  /**
   * A batch has at most half of the messages without an outcome. If it had all of them, nothing could be examined while
   * they are merged. They would be answered together, so the next messages would arrive together and again be one batch.
   */
  #takeBatch(): Waiting[] {
    let share = this.#pending < MIN_SPLIT_MESSAGES ? this.#pending : Math.ceil(this.#pending / 2)
    while (this.#unexamined[share]?.joinsLast) share++
    return this.#unexamined.splice(0, Math.min(share, MAX_BATCH_MESSAGES))
  }

  async #examineBatch(batch: Waiting[]): Promise<void> {
    const { examiners, clock } = this.#options
    try {
      let from = 0
      const bodies = batch.map(({ body }) => body)
      const admission = { nowMs: clock.now(), areStored: false }
      for (const part of await examiners.examine(bodies, admission)) {
        this.#goOn(batch.slice(from, from + part.verdicts.length), part)
        from += part.verdicts.length
      }
    } catch (error) {
      this.#fail(batch, error)
    }
    this.#examining = false
    this.#examineNext()
  }

  /** Merges, asks or refuses each message of an examined part. */
  #goOn(part: readonly Waiting[], examined: Examined): void {
    const { valid, asking, refused } = byVerdict(part, examined.verdicts)
    for (const [i, waiting] of refused.entries()) {
      const { rejection, head } = examined.refused[i]!
      this.#settle(waiting, { rejection: receiveRejection(rejection), head })
    }
    if (valid.length > 0) void this.#merge(valid, examined.valid)
    for (const [i, candidate] of unpackBatch(examined.asking).entries()) {
      void this.#ask(asking[i]!, candidate, examined.questions[i]!)
    }
  }

  /** What a chain or the registry says may take seconds, so no other message waits for it. */
  async #ask(waiting: Waiting, candidate: Candidate, question: Question): Promise<void> {
    try {
      const answer = () => this.#options.answerQuestion(candidate, question)
      const owner = await asClient(waiting.client, answer)
      await this.#merge([waiting], packBatch([new Candidate(candidate.row, owner)]))
    } catch (error) {
      if (error instanceof Rejection)
        this.#settle(waiting, { rejection: error, head: candidate.row })
      else this.#fail([waiting], error)
    }
  }

  async #merge(batch: readonly Waiting[], rows: PackedBatch): Promise<void> {
    const { merger, clock } = this.#options
    this.#merging += batch.length
    try {
      const outcomes = await merger.merge(rows, clock.now())
      for (const [i, candidate] of unpackBatch(rows).entries()) {
        this.#settle(batch[i]!, submitted(candidate, outcomes[i]!))
      }
    } catch (error) {
      this.#fail(batch, error)
    }
    this.#merging -= batch.length
    this.#examineNext()
  }

  #fail(batch: readonly Waiting[], error: unknown): void {
    this.#options.onFailure(error)
    const rejection = refusalOf(error)
    for (const waiting of batch) this.#settle(waiting, { rejection, head: undefined })
  }
}

function refusalOf(error: unknown): Rejection {
  if (error instanceof Rejection) return error
  // Known, unlike what else fails: the transaction was undone.
  if (error instanceof StoreUnavailable && error.reason === 'full') {
    return new Rejection('unavailable.storage_full', 'the disk is full; nothing was stored')
  }
  return new Rejection('unavailable', 'the message could not be stored; submit it again', {
    retryAfterSeconds: OVERLOAD_RETRY_SECONDS,
  })
}

/** Groups messages by their verdict and keeps their order. */
function byVerdict(part: readonly Waiting[], verdicts: Uint8Array) {
  const of = (verdict: number) => part.filter((_, i) => verdicts[i] === verdict)
  return {
    valid: of(VERDICTS.valid),
    asking: of(VERDICTS.asks),
    refused: of(VERDICTS.refused),
  }
}

const submitted = ({ row }: Candidate, outcome: Outcome): SubmitOutcome =>
  outcome instanceof Rejection
    ? { rejection: outcome, head: row }
    : { id: outcome.id, message: row }
