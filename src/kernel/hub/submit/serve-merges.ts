import { setImmediate as nextTurn } from 'node:timers/promises'
import { serveThread, type ThreadServer } from '../../base/thread-server.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { DiskUse } from '../../storage/disk-use.ts'
import { refusesWrites } from '../../storage/engines/write-check.ts'
import { EventLog } from '../../storage/messages/event-log.ts'
import { joinStorage, type Storage } from '../../storage/storage.ts'
import type { Upstream } from '../../storage/upstream.ts'
import { followTransfers } from '../names.ts'
import { MAX_BATCH_MESSAGES } from '../settings.ts'
import { type Growth, growthOf } from './grow.ts'
import { mergeBatch } from './merge.ts'
import type {
  MergeRequest,
  MergeResponse,
  MergeThreadSettings,
  MessagesRequest,
  MirrorRequest,
  NamesRequest,
  PostedOutcome,
} from './merger.ts'
import { countRows, unpackBatch } from './message-batch.ts'
import { applySteps, type StepsContext } from './mirrored.ts'
import { postRejection } from './posted-rejection.ts'
import type { Outcome } from './run.ts'
import type { Screen } from './screen.ts'

// Requests queue up here while a transaction runs. The next batch is taken from the queue once the lock
// is held, so everything that arrived during the wait for the lock is part of it.

class MergeQueue implements ThreadServer<MergeRequest> {
  readonly #settings: MergeThreadSettings
  readonly #upstream: Upstream | undefined
  readonly #screen: Screen | undefined
  readonly #tables: ReadonlySet<string>
  readonly #storage: Storage
  readonly #post: (response: MergeResponse) => void
  readonly #queue: MergeRequest[] = []
  #merging: Promise<void> | undefined

  constructor(
    settings: MergeThreadSettings,
    { upstream, screen }: Parts,
    post: (response: MergeResponse) => void,
  ) {
    this.#settings = settings
    this.#upstream = settings.hasUpstream ? upstream : undefined
    this.#screen = settings.hasScreen ? screen : undefined
    this.#tables = new Set(settings.tables)
    this.#storage = joinStorage(settings.storage)
    this.#post = post
  }

  take(request: MergeRequest): void {
    this.#queue.push(request)
    this.#merging ??= this.#mergeQueue()
  }

  async close(): Promise<void> {
    await this.#merging
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
    if (first && 'mirror' in first) {
      return Promise.all(this.#takeMirrored().map((request) => this.#mergeMirrored(request)))
    }
    return this.#mergeMessages()
  }

  async #mergeNames({ names }: NamesRequest): Promise<MergeResponse> {
    try {
      await this.#storage.write('hub', (tx) => followTransfers(tx, names))
      return { outcomes: [] }
    } catch (error) {
      return failureOf(error)
    }
  }

  async #mergeMirrored({ mirror }: MirrorRequest): Promise<MergeResponse> {
    const context = this.#contextAt(mirror.nowMs)
    const started = performance.now()
    try {
      // Those of several people share a transaction.
      const outcomes = await this.#storage.writeShared('hub', (tx) =>
        applySteps(tx, mirror, context),
      )
      const batch = { messages: outcomes.length, seconds: (performance.now() - started) / 1000 }
      return { outcomes: outcomes.map(toPosted), batch }
    } catch (error) {
      return failureOf(error)
    }
  }

  async #mergeMessages(): Promise<MergeResponse[]> {
    const started = performance.now()
    let requests: MessagesRequest[] = []
    try {
      const disk = this.#settings.growth && (await this.#storage.diskUse())
      const outcomes = await this.#storage.write('hub', async (tx) => {
        // A transaction that is tried again keeps its requests.
        if (requests.length === 0) requests = this.#takeBatch()
        const { nowMs, chainId } = requests.at(-1)!
        const context = {
          ...this.#contextAt(nowMs),
          enforceBlocks: this.#settings.enforceBlocks,
          limits: { growth: this.#growth(chainId, disk) },
        }
        const log = new EventLog(tx, nowMs)
        const candidates = requests.flatMap(unpackBatch)
        const { publicUrl } = this.#settings
        const terms = { nowMs, publicUrl, tables: this.#tables }
        const screening = this.#screen?.(tx, candidates, terms)
        const decided = await mergeBatch(tx, candidates, { ...context, screening }, log)
        const merged = candidates.filter((_, i) => !(decided[i] instanceof Rejection))
        await (await screening)?.stored?.(log, merged)
        await log.flush()
        return decided
      })
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

  #contextAt(nowMs: number): StepsContext {
    const { network, storageEnds } = this.#settings
    return { nowMs, network, storageEnds, upstream: this.#upstream }
  }

  #growth(chainId: number, disk: DiskUse | undefined): Growth | undefined {
    const { growth, network } = this.#settings
    return growth && disk && growthOf({ ...growth, network, chainId }, disk)
  }

  /** Takes the requests of a mirror that fit into one transaction, at least one. */
  #takeMirrored(): MirrorRequest[] {
    const batch: MirrorRequest[] = []
    let steps = 0
    for (const request of this.#queue) {
      if (!('mirror' in request)) break
      for (const { rows, removals } of request.mirror.parts)
        steps += countRows(rows.numbers) + removals.length
      if (batch.length > 0 && steps > MAX_BATCH_MESSAGES) break
      batch.push(request)
    }
    this.#queue.splice(0, batch.length)
    return batch
  }

  /** Takes the requests for messages that fit into one transaction, at least one. */
  #takeBatch(): MessagesRequest[] {
    const batch: MessagesRequest[] = []
    let messages = 0
    for (const request of this.#queue) {
      if ('names' in request || 'mirror' in request) break
      messages += request.count
      if (batch.length > 0 && messages > MAX_BATCH_MESSAGES) break
      batch.push(request)
    }
    this.#queue.splice(0, batch.length)
    return batch
  }
}

const failureOf = (error: unknown): MergeResponse => ({
  failure: error instanceof Error ? (error.stack ?? error.message) : String(error),
  isRefused: refusesWrites(error),
})

const toPosted = (outcome: Outcome): PostedOutcome =>
  outcome instanceof Rejection ? postRejection(outcome) : outcome.id

type Parts = {
  /** What is kept of another hub whose data these may be. */
  readonly upstream?: Upstream
  readonly screen?: Screen
}

/** Serves the thread that merges. */
export const serveMerges = (parts: Parts): void =>
  serveThread((settings: MergeThreadSettings, post: (response: MergeResponse) => void) => {
    return new MergeQueue(settings, parts, post)
  })
