import type { Clock } from '../clock.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Candidate } from './candidate.ts'
import type { Outcome } from './merge.ts'
import type { Merger } from './merger.ts'
import {
  MAX_BATCH_MESSAGES,
  MAX_MERGING_MESSAGES,
  MAX_QUEUED_BYTES,
  MAX_QUEUED_MESSAGES,
  OVERLOAD_RETRY_SECONDS,
} from './settings.ts'
import type { Verifier } from './signature-verifier.ts'

type Waiting = { readonly candidate: Candidate; settle(outcome: Outcome): void }

/**
 * Queues submitted messages, verifies their signatures in batches and hands them to the merger. While
 * one batch is merged, the signatures of the next ones are verified. Every queue is bounded.
 */
export class Pipeline {
  readonly #verifier: Verifier
  readonly #merger: Pick<Merger, 'merge' | 'shards' | 'shardOf'>
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
    merger: Pick<Merger, 'merge' | 'shards' | 'shardOf'>
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
    if (this.#closed || this.#isFull()) {
      const text = this.#closed ? 'the hub is stopping' : 'too many messages are waiting'
      const hints = { retryAfterSeconds: OVERLOAD_RETRY_SECONDS }
      return Promise.resolve(new Rejection('unavailable.overloaded', text, hints))
    }
    return new Promise((resolve) => {
      const bytes = candidate.row.data.length
      this.#pending++
      this.#pendingBytes += bytes
      this.#unverified.push({
        candidate,
        settle: (outcome) => {
          this.#pending--
          this.#pendingBytes -= bytes
          resolve(outcome)
          if (this.#pending === 0) for (const wake of this.#idle.splice(0)) wake()
        },
      })
      this.#verifyNext()
    })
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
    setImmediate(() => void this.#verifyBatch(this.#unverified.splice(0, MAX_BATCH_MESSAGES)))
  }

  /**
   * Whether the next batch waits for more messages. It begins when it is as large as what is being merged, or when that
   * is done: with 64 connections, 32 are verified while 32 are merged. Batches of what has just arrived would
   * be several times smaller, and each costs four changes of threads and a commit.
   */
  #mayGrow(): boolean {
    const mergingInEach = this.#merging / this.#merger.shards
    return this.#unverified.length < Math.min(mergingInEach, MAX_BATCH_MESSAGES)
  }

  async #verifyBatch(batch: Waiting[]): Promise<void> {
    try {
      const results = await this.#verifier.verify(batch.map(({ candidate }) => candidate.row))
      const valid = batch.filter((_, i) => results[i])
      // Of several shards each answers for itself.
      const parts = Map.groupBy(valid, ({ candidate }) => this.#merger.shardOf(candidate))
      for (const part of parts.values()) void this.#mergeBatch(part)
      for (const [i, waiting] of batch.entries()) {
        if (!results[i]) waiting.settle(INVALID_SIGNATURE)
      }
    } catch (error) {
      this.#fail(batch, error)
    }
    this.#verifying = false
    this.#verifyNext()
  }

  async #mergeBatch(batch: Waiting[]): Promise<void> {
    this.#merging += batch.length
    try {
      const candidates = batch.map(({ candidate }) => candidate)
      const outcomes = await this.#merger.merge(candidates, this.#clock.now())
      for (const [i, waiting] of batch.entries()) waiting.settle(outcomes[i]!)
    } catch (error) {
      this.#fail(batch, error)
    }
    this.#merging -= batch.length
    this.#verifyNext()
  }

  #fail(batch: Waiting[], error: unknown): void {
    this.#onFailure(error)
    const outcome =
      error instanceof Rejection
        ? error
        : new Rejection('unavailable', 'the message could not be stored; submit it again', {
            retryAfterSeconds: OVERLOAD_RETRY_SECONDS,
          })
    for (const waiting of batch) waiting.settle(outcome)
  }
}

export const INVALID_SIGNATURE = new Rejection(
  'bad_request.validation_failure',
  'invalid signature',
  { field: 'signature' },
)
