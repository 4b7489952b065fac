import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { Rejection } from '../protocol/rejection.ts'
import { joinStorage } from '../storage/storage.ts'
import { CLOSE } from '../thread.ts'
import { type MergeContext, mergeBatch, type Outcome } from './merge.ts'
import type {
  MergeRequest,
  MergeResponse,
  MergeThreadSettings,
  MessagesRequest,
  NamesRequest,
  PostedOutcome,
} from './merger.ts'
import { unpackBatch } from './message-batch.ts'
import { followTransfers } from './names.ts'
import { MAX_BATCH_MESSAGES } from './settings.ts'

// Requests queue up here while a transaction runs. The next batch is taken from the queue once the lock
// is held, so everything that arrived during the wait for the lock is part of it.

const settings = workerData as MergeThreadSettings
const storage = joinStorage(settings.storage)
const queue: MergeRequest[] = []
let merging: Promise<void> | undefined

parentPort?.on('message', (request: MergeRequest | typeof CLOSE) => {
  if (request === CLOSE) void close()
  else {
    queue.push(request)
    merging ??= mergeQueue()
  }
})

async function close(): Promise<void> {
  await merging
  await storage.close()
  parentPort?.postMessage(CLOSE)
}

async function mergeQueue(): Promise<void> {
  while (queue.length > 0) {
    // Requests that were posted during the last transaction are received in this turn.
    await nextTurn()
    for (const response of await mergeNext()) parentPort?.postMessage(response)
  }
  merging = undefined
}

/** Merges what is next in the queue in one transaction. Returns a response for each request. */
async function mergeNext(): Promise<MergeResponse[]> {
  const [first] = queue
  if (first && 'names' in first) {
    queue.shift()
    return [await mergeNames(first)]
  }
  return mergeMessages()
}

async function mergeNames({ names }: NamesRequest): Promise<MergeResponse> {
  try {
    await storage.write('hub', (tx) => followTransfers(tx, names))
    return { outcomes: [] }
  } catch (error) {
    return failureOf(error)
  }
}

async function mergeMessages(): Promise<MergeResponse[]> {
  const started = performance.now()
  let requests: MessagesRequest[] = []
  try {
    const outcomes = await storage.write('hub', (tx) => {
      // A transaction that is tried again keeps its requests.
      if (requests.length === 0) requests = takeBatch()
      return mergeBatch(tx, requests.flatMap(unpackBatch), contextAt(requests.at(-1)!.nowMs))
    })
    const batch = { messages: outcomes.length, seconds: (performance.now() - started) / 1000 }
    const posted = outcomes.map(toPosted)
    return requests.map(({ count }, i) => ({
      outcomes: posted.splice(0, count),
      ...(i === 0 && { batch }),
    }))
  } catch (error) {
    if (requests.length === 0) requests = takeBatch()
    return requests.map(() => failureOf(error))
  }
}

/** Takes the requests for messages that fit into one transaction, at least one. */
function takeBatch(): MessagesRequest[] {
  const batch: MessagesRequest[] = []
  let messages = 0
  for (const request of queue) {
    if ('names' in request) break
    messages += request.count
    if (batch.length > 0 && messages > MAX_BATCH_MESSAGES) break
    batch.push(request)
  }
  queue.splice(0, batch.length)
  return batch
}

const failureOf = (error: unknown): MergeResponse => ({
  failure: error instanceof Error ? (error.stack ?? error.message) : String(error),
})

function contextAt(nowMs: number): MergeContext {
  const { network, enforceBlocks } = settings
  return { nowMs, network, enforceBlocks }
}

function toPosted(outcome: Outcome): PostedOutcome {
  if (!(outcome instanceof Rejection)) return outcome.id
  const { code, message, field, retryAfterSeconds } = outcome
  return { code, message, field, retryAfterSeconds }
}
