import type { Clock } from '../clock.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Outcome } from './merge.ts'
import type { Candidate } from './merge-state.ts'
import type { Merger } from './merger.ts'
import {
  MAX_BATCH_MESSAGES,
  MAX_QUEUED_BYTES,
  MAX_QUEUED_MESSAGES,
  OVERLOAD_RETRY_SECONDS,
} from './settings.ts'
import type { Verifier } from './signature-verifier.ts'

type Waiting = { readonly candidate: Candidate; settle(outcome: Outcome): void }

export type PipelineReport = {
  batch(messages: number, seconds: number): void
  failed(error: unknown): void
}

/**
 * The road of messages into the store: what arrives together travels together. While one batch is in
 * its transaction the next one's signatures are verified. Everything is bounded.
 */
export class Pipeline {
  readonly #verifier: Verifier
  readonly #merger: Merger
  readonly #clock: Clock
  readonly #report: PipelineReport
  readonly #unverified: Waiting[] = []
  readonly #verified: Waiting[] = []
  #verifying = false
  #merging = false
  #pending = 0
  #pendingBytes = 0
  #closed = false
  #idle: (() => void)[] = []

  constructor(options: {
    verifier: Verifier
    merger: Merger
    clock: Clock
    report: PipelineReport
  }) {
    this.#verifier = options.verifier
    this.#merger = options.merger
    this.#clock = options.clock
    this.#report = options.report
  }

  /** Messages accepted and not yet answered. */
  get depth(): number {
    return this.#pending
  }

  /**
   * Merges a checked message. Resolves when its transaction is committed and flushed, or to the reason
   * why it was not stored. Says so at once when too many are waiting.
   */
  submit(candidate: Candidate): Promise<Outcome> {
    if (this.#closed || this.#isFull()) {
      const text = this.#closed ? 'the hub is stopping' : 'too many messages are waiting'
      const hints = { retryAfterSeconds: OVERLOAD_RETRY_SECONDS }
      return Promise.resolve(new Rejection('unavailable.overloaded', text, hints))
    }
    return new Promise((resolve) => {
      const bytes = candidate.message.dataBytes.length
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

  /** Takes nothing more, and resolves when everything accepted has its answer. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#pending > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #verifyNext(): void {
    // Holding back while a full batch waits for its transaction lets the next one grow.
    if (this.#verifying || this.#verified.length >= MAX_BATCH_MESSAGES) return
    if (this.#unverified.length === 0) return
    this.#verifying = true
    // Everything that arrives in this turn of the event loop joins the batch.
    setImmediate(() => void this.#verifyBatch(this.#unverified.splice(0, MAX_BATCH_MESSAGES)))
  }

  async #verifyBatch(batch: Waiting[]): Promise<void> {
    try {
      const valid = await this.#verifier.verify(batch.map(({ candidate }) => candidate.message))
      for (const [i, waiting] of batch.entries()) {
        if (valid[i]) this.#verified.push(waiting)
        else waiting.settle(INVALID_SIGNATURE)
      }
    } catch (error) {
      this.#fail(batch, error)
    }
    this.#verifying = false
    this.#mergeNext()
    this.#verifyNext()
  }

  #mergeNext(): void {
    if (this.#merging || this.#verified.length === 0) return
    this.#merging = true
    void this.#mergeBatch(this.#verified.splice(0, MAX_BATCH_MESSAGES))
  }

  async #mergeBatch(batch: Waiting[]): Promise<void> {
    const started = performance.now()
    try {
      const candidates = batch.map(({ candidate }) => candidate)
      const outcomes = await this.#merger.merge(candidates, this.#clock.now())
      for (const [i, waiting] of batch.entries()) waiting.settle(outcomes[i]!)
      this.#report.batch(batch.length, (performance.now() - started) / 1000)
    } catch (error) {
      this.#fail(batch, error)
    }
    this.#merging = false
    this.#mergeNext()
    this.#verifyNext()
  }

  #fail(batch: Waiting[], error: unknown): void {
    this.#report.failed(error)
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
  {
    field: 'signature',
  },
)
