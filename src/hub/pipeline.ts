import type { Clock } from '../clock.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Candidate } from './candidate.ts'
import { type Examined, VERDICTS } from './examination.ts'
import type { Outcome } from './merge.ts'
import type { Merger } from './merger.ts'
import type { OneByteText } from './one-byte-text.ts'
import {
  MAX_BATCH_MESSAGES,
  MAX_MERGING_MESSAGES,
  MAX_QUEUED_BYTES,
  MAX_QUEUED_MESSAGES,
  MIN_SPLIT_MESSAGES,
  OVERLOAD_RETRY_SECONDS,
} from './settings.ts'
import type { Verifier } from './signature-verifier.ts'

/** A merged message: the id of its event, its type and its JSON. */
export type MergedBody = {
  readonly id: number
  readonly type: number
  readonly text: OneByteText
}

/** Undefined when nothing was done, because the message has to be checked by the caller. */
export type BodyOutcome = MergedBody | Rejection | undefined

type Settle<T> = { readonly bytes: number; readonly resolve: (outcome: T) => void }
type WaitingCandidate = Settle<Outcome> & { readonly candidate: Candidate }
type WaitingBody = Settle<BodyOutcome> & { readonly body: Uint8Array; readonly joinsLast: boolean }
type Waiting = WaitingCandidate | WaitingBody

const isBody = (waiting: Waiting): waiting is WaitingBody => 'body' in waiting
const joinsLast = (waiting: Waiting | undefined) =>
  waiting !== undefined && isBody(waiting) && waiting.joinsLast
const isCandidate = (waiting: Waiting): waiting is WaitingCandidate => 'candidate' in waiting

type PipelineMerger = Pick<Merger, 'merge' | 'mergePacked' | 'shards' | 'shardOf'>

/**
 * Queues submitted messages, checks them and their signatures in batches and hands them to the merger. While
 * one batch is merged, the next ones are checked. Every queue is bounded.
 */
export class Pipeline {
  readonly #verifier: Verifier
  readonly #merger: PipelineMerger
  readonly #clock: Clock
  readonly #onFailure: (error: unknown) => void
  readonly #unverified: Waiting[] = []
  #verifying = false
  /** Messages that were handed to the merger and have no outcome yet. */
  #merging = 0
  #pending = 0
  #pendingBytes = 0
  #closed = false
  #idle: (() => void)[] = []

  constructor(options: {
    verifier: Verifier
    merger: PipelineMerger
    clock: Clock
    /** Called when a batch could not be verified or merged; its submitters are told to retry. */
    onFailure: (error: unknown) => void
  }) {
    this.#verifier = options.verifier
    this.#merger = options.merger
    this.#clock = options.clock
    this.#onFailure = options.onFailure
  }

  /** Messages that were accepted and have no outcome yet. */
  get depth(): number {
    return this.#pending
  }

  /**
   * Merges a checked message. Resolves when its transaction is committed and flushed, or to the reason
   * why it was not stored. Refuses at once when the queue is full.
   */
  submit(candidate: Candidate): Promise<Outcome> {
    if (this.#closed || this.#isFull()) return Promise.resolve(this.#overloaded())
    return new Promise((resolve) =>
      this.#enqueue({ candidate, bytes: candidate.row.data.length, resolve }),
    )
  }

  /**
   * The same for a serialised message that is neither decoded nor checked yet. One that `joinsLast` shares the batch of
   * the message that was submitted before it, because the same caller waits for both.
   */
  submitBody(body: Uint8Array, joinsLast = false): Promise<BodyOutcome> {
    if (this.#closed || this.#isFull()) return Promise.resolve(this.#overloaded())
    return new Promise((resolve) => this.#enqueue({ body, joinsLast, bytes: body.length, resolve }))
  }

  #overloaded(): Rejection {
    const text = this.#closed ? 'the hub is stopping' : 'too many messages are waiting'
    const hints = { retryAfterSeconds: OVERLOAD_RETRY_SECONDS }
    return new Rejection('unavailable.overloaded', text, hints)
  }

  #enqueue(waiting: Waiting): void {
    this.#pending++
    this.#pendingBytes += waiting.bytes
    this.#unverified.push(waiting)
    this.#verifyNext()
  }

  #settle<T>({ bytes, resolve }: Settle<T>, outcome: T): void {
    this.#pending--
    this.#pendingBytes -= bytes
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

  #verifyNext(): void {
    // Limits what waits in the merge threads. What waits here can still be refused cheaply.
    if (this.#verifying || this.#merging >= MAX_MERGING_MESSAGES * this.#merger.shards) return
    if (this.#unverified.length === 0 || this.#mayGrow()) return
    this.#verifying = true
    // Everything that arrives in this turn of the event loop joins the batch.
    setImmediate(() => void this.#verifyBatch(this.#takeBatch()))
  }

  /**
   * Whether the next batch waits for more messages. It begins when it is half of what is under way, or when nothing is
   * merged any more: with 64 connections, 32 are verified while 32 are merged. Batches of what has just arrived would
   * be several times smaller, and each costs four changes of threads and a commit.
   */
  #mayGrow(): boolean {
    const mergingInEach = this.#merging / this.#merger.shards
    const half = Math.floor((this.#unverified.length + mergingInEach) / 2)
    return mergingInEach > 0 && this.#unverified.length < Math.min(half, MAX_BATCH_MESSAGES)
  }

  /**
   * A batch has at most half of the messages without an outcome. If it had all of them, nothing could be verified while they
   * are merged. They would be answered together, so the next messages would arrive together and again be one batch.
   */
  #takeBatch(): Waiting[] {
    let share = this.#pending < MIN_SPLIT_MESSAGES ? this.#pending : Math.ceil(this.#pending / 2)
    while (joinsLast(this.#unverified[share])) share++
    return this.#unverified.splice(0, Math.min(share, MAX_BATCH_MESSAGES))
  }

  async #verifyBatch(batch: Waiting[]): Promise<void> {
    const bodies = batch.filter(isBody)
    const candidates = batch.filter(isCandidate)
    await Promise.all([this.#examineBodies(bodies), this.#verifyCandidates(candidates)])
    this.#verifying = false
    this.#verifyNext()
  }

  async #verifyCandidates(batch: WaitingCandidate[]): Promise<void> {
    if (batch.length === 0) return
    try {
      const results = await this.#verifier.verify(batch.map(({ candidate }) => candidate.row))
      const valid = batch.filter((_, i) => results[i])
      // Of several shards each answers for itself.
      const parts = Map.groupBy(valid, ({ candidate }) => this.#merger.shardOf(candidate))
      for (const part of parts.values()) void this.#mergeCandidates(part)
      for (const [i, waiting] of batch.entries()) {
        if (!results[i]) this.#settle(waiting, INVALID_SIGNATURE)
      }
    } catch (error) {
      this.#fail(batch, error)
    }
  }

  async #examineBodies(batch: WaitingBody[]): Promise<void> {
    if (batch.length === 0) return
    try {
      const bodies = batch.map(({ body }) => body)
      let from = 0
      for (const part of await this.#verifier.examine(bodies, this.#clock.now())) {
        void this.#mergeBodies(batch.slice(from, from + part.verdicts.length), part)
        from += part.verdicts.length
      }
    } catch (error) {
      this.#fail(batch, error)
    }
  }

  async #mergeCandidates(batch: WaitingCandidate[]): Promise<void> {
    const candidates = batch.map(({ candidate }) => candidate)
    await this.#merge<Outcome>(batch, (nowMs) => this.#merger.merge(candidates, nowMs), identity)
  }

  async #mergeBodies(batch: WaitingBody[], { verdicts, types, rows, ...answers }: Examined) {
    const valid = batch.filter((_, i) => verdicts[i] === VERDICTS.valid)
    for (const [i, waiting] of batch.entries()) {
      if (verdicts[i] === VERDICTS.badSignature) this.#settle(waiting, INVALID_SIGNATURE)
      else if (verdicts[i] === VERDICTS.other) this.#settle(waiting, undefined)
    }
    if (valid.length === 0) return
    const texts = Buffer.from(answers.texts.buffer)
    const { textEnds } = answers
    const bodyOutcome = (outcome: Outcome, i: number): BodyOutcome => {
      if (outcome instanceof Rejection) return outcome
      const text = texts.toString('latin1', textEnds[i - 1] ?? 0, textEnds[i]) as OneByteText
      return { id: outcome.id, type: types[i]!, text }
    }
    await this.#merge<BodyOutcome>(
      valid,
      (nowMs) => this.#merger.mergePacked(rows, nowMs),
      bodyOutcome,
    )
  }

  async #merge<T>(
    batch: readonly Settle<T | Rejection>[],
    merge: (nowMs: number) => Promise<Outcome[]>,
    outcomeOf: (outcome: Outcome, i: number) => T | Rejection,
  ): Promise<void> {
    this.#merging += batch.length
    try {
      const outcomes = await merge(this.#clock.now())
      for (const [i, waiting] of batch.entries()) {
        this.#settle(waiting, outcomeOf(outcomes[i]!, i))
      }
    } catch (error) {
      this.#fail(batch, error)
    }
    this.#merging -= batch.length
    this.#verifyNext()
  }

  #fail(batch: readonly Settle<Rejection>[], error: unknown): void {
    this.#onFailure(error)
    const outcome =
      error instanceof Rejection
        ? error
        : new Rejection('unavailable', 'the message could not be stored; submit it again', {
            retryAfterSeconds: OVERLOAD_RETRY_SECONDS,
          })
    for (const waiting of batch) this.#settle(waiting, outcome)
  }
}

const identity = <T>(value: T): T => value

export const INVALID_SIGNATURE = new Rejection(
  'bad_request.validation_failure',
  'invalid signature',
  { field: 'signature' },
)
