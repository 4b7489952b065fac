import { setImmediate as nextTurn } from 'node:timers/promises'
import { Rejection } from '../protocol/rejection.ts'
import { joinStorage, type Storage } from '../storage/storage.ts'
import { refusesWrites } from '../storage/write-check.ts'
import { serveThread, type ThreadServer } from '../thread-server.ts'
import { type MergeContext, mergeBatch, type Outcome } from './merge.ts'
import { MergeMemory } from './merge-memory.ts'
import type {
  MergeRequest,
  MergeResponse,
  MergeThreadData,
  MessagesRequest,
  NamesRequest,
  PostedOutcome,
} from './merger.ts'
import { unpackBatch } from './message-batch.ts'
import { followTransfers } from './names.ts'
import { MAX_BATCH_MESSAGES } from './settings.ts'

// Requests queue up here while a transaction runs. The next batch is taken from the queue once the lock
// is held, so everything that arrived during the wait for the lock is part of it.

class MergeQueue implements ThreadServer<MergeRequest> {
  readonly #settings: MergeThreadData
  readonly #storage: Storage
  readonly #post: (response: MergeResponse) => void
  readonly #queue: MergeRequest[] = []
  readonly #memory = new MergeMemory()
  #merging: Promise<void> | undefined

  constructor(settings: MergeThreadData, post: (response: MergeResponse) => void) {
    this.#settings = settings
    this.#storage = joinStorage(settings.storage)
    this.#post = post
  }

  take(request: MergeRequest): void {
    this.#queue.push(request)
    this.#merging ??= this.#mergeQueue()
  }

  async close(): Promise<void> {
    await this.#merging
    const { unwritten } = this.#memory
    if (unwritten.length > 0) await this.#storage.write('hub', (tx) => tx.quotas.put(unwritten))
    await this.#storage.close()
  }

  async #mergeQueue(): Promise<void> {
    while (this.#queue.length > 0) {
      // Requests that were posted during the last transaction are received in this turn.
      await nextTurn()
      for (const response of await this.#mergeNext()) this.#post(response)
    }
    this.#merging = undefined
  }

  /** Merges what is next in the queue in one transaction. Returns a response for each request. */
  async #mergeNext(): Promise<MergeResponse[]> {
    const [first] = this.#queue
    if (first && 'names' in first) {
      this.#queue.shift()
      return [await this.#mergeNames(first)]
    }
    return this.#mergeMessages()
  }

  async #mergeNames({ names }: NamesRequest): Promise<MergeResponse> {
    try {
      await this.#storage.write('hub', async (tx) => {
        // It may revoke messages, which the memory counts.
        this.#memory.forget()
        await followTransfers(tx, names)
      })
      return { outcomes: [] }
    } catch (error) {
      return failureOf(error)
    }
  }

  async #mergeMessages(): Promise<MergeResponse[]> {
    const started = performance.now()
    let requests: MessagesRequest[] = []
    const lock = isWhole(this.#queue[0]) ? 'hub' : (`hub/${this.#settings.shard}` as const)
    try {
      const outcomes = await this.#storage.write(lock, (tx) => {
        // A transaction that is tried again keeps its requests.
        if (requests.length === 0) requests = this.#takeBatch()
        const { network, enforceBlocks } = this.#settings
        const { nowMs } = requests.at(-1)!
        const context: MergeContext = { nowMs, network, enforceBlocks, memory: this.#memory }
        return mergeBatch(tx, requests.flatMap(unpackBatch), context)
      })
      this.#memory.end()
      const batch = { messages: outcomes.length, seconds: (performance.now() - started) / 1000 }
      const posted = outcomes.map(toPosted)
      return requests.map(({ count }, i) => ({
        outcomes: posted.splice(0, count),
        ...(i === 0 && { batch }),
      }))
    } catch (error) {
      if (requests.length === 0) requests = this.#takeBatch()
      return requests.map(() => failureOf(error))
    }
  }

  /** Takes the requests for messages that fit into one transaction under the same lock, at least one. */
  #takeBatch(): MessagesRequest[] {
    const batch: MessagesRequest[] = []
    const whole = isWhole(this.#queue[0])
    let messages = 0
    for (const request of this.#queue) {
      if ('names' in request || request.crossesShards !== whole) break
      messages += request.count
      if (batch.length > 0 && messages > MAX_BATCH_MESSAGES) break
      batch.push(request)
    }
    this.#queue.splice(0, batch.length)
    return batch
  }
}

/** Whether a request needs the lock of all shards. */
const isWhole = (request: MergeRequest | undefined): boolean =>
  request !== undefined && ('names' in request || request.crossesShards)

const failureOf = (error: unknown): MergeResponse => ({
  failure: error instanceof Error ? (error.stack ?? error.message) : String(error),
  isRefused: refusesWrites(error),
})

function toPosted(outcome: Outcome): PostedOutcome {
  if (!(outcome instanceof Rejection)) return outcome.id
  const { code, message, field, retryAfterSeconds } = outcome
  return { code, message, field, retryAfterSeconds }
}

serveThread((settings: MergeThreadData, post: (response: MergeResponse) => void) => {
  return new MergeQueue(settings, post)
})
