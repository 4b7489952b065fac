import { Rejection, type RejectionCode } from '../protocol/rejection.ts'
import { shardOfFid } from '../protocol/shards.ts'
import { MESSAGE_SETS } from '../protocol/slots.ts'
import type { Storage, StorageSettings } from '../storage/storage.ts'
import { startThread } from '../thread.ts'
import type { Candidate } from './candidate.ts'
import type { Outcome } from './merge.ts'
import { countRows, type PackedBatch, packBatch, unpackBatch } from './message-batch.ts'
import type { ReadTransfers } from './names.ts'

/** Merges checked messages whose signatures are valid. */
export type Merger = {
  readonly shards: number
  /** The shard that merges a message. */
  shardOf(candidate: Candidate): number
  /**
   * Resolves to the outcomes, in order, when they are committed and flushed. The candidates are of one shard. Calls
   * for a shard are merged in order; those that wait at the same time share a transaction. `nowMs` is Unix
   * milliseconds.
   */
  merge(candidates: readonly Candidate[], nowMs: number): Promise<Outcome[]>
  /** The same for rows that are packed already, of any shards. */
  mergePacked(rows: PackedBatch, nowMs: number): Promise<Outcome[]>
  /** Merges name transfers and their cursor; resolves when they are committed and flushed. */
  mergeNames(transfers: ReadTransfers): Promise<void>
  close(): Promise<void>
}

export type MergeThreadSettings = {
  readonly storage: StorageSettings
  readonly network: number
  readonly enforceBlocks: boolean
}

/** What a thread is started with: it merges the messages of one shard. */
export type MergeThreadData = MergeThreadSettings & { readonly shard: number }

/** Messages as they are posted to the merge thread. */
export type MessagesRequest = PackedBatch & {
  readonly count: number
  readonly nowMs: number
  /** Whether the messages may change what messages of other shards depend on. */
  readonly crossesShards: boolean
}
export type NamesRequest = { readonly names: ReadTransfers }
export type MergeRequest = MessagesRequest | NamesRequest

/** The outcomes of a request's messages, or why nothing of the request was stored and whether the store refuses any write. */
export type MergeResponse =
  | { readonly outcomes: readonly PostedOutcome[]; readonly batch?: MergedBatch }
  | { readonly failure: string; readonly isRefused: boolean }

/** One committed transaction; reported with the response to its first request. */
type MergedBatch = { readonly messages: number; readonly seconds: number }

/** The event id of a merged message, or the refusal. */
export type PostedOutcome = number | PostedRejection

type PostedRejection = {
  readonly code: RejectionCode
  readonly message: string
  readonly field: string | undefined
  readonly retryAfterSeconds: number | undefined
}

/**
 * Merges in a thread for each shard with its own database connection, so that neither the work nor the flush
 * blocks requests.
 */
export function startMerger(
  settings: MergeThreadSettings,
  /** Called after each commit; without a batch when names were merged. */
  onCommit: (batch?: MergedBatch) => void,
  /** Is told whether the store accepts what is written. */
  writes?: Storage['writes'],
): Merger {
  const script = new URL('./merge-thread.ts', import.meta.url)
  const { shards = 1 } = settings.storage
  const threads = Array.from({ length: shards }, (_, i) =>
    startThread<MergeRequest, MergeResponse>(script, { ...settings, shard: i + 1 }),
  )
  const shardOf = ({ row }: Candidate) => shardOfFid(row.fid, shards)
  const ask = async (shard: number, request: MergeRequest) => {
    const response = await threads[shard - 1]!.ask(request)
    if (!('failure' in response)) return response
    const error = new Error(response.failure)
    if (response.isRefused) writes?.refused(error)
    throw error
  }
  const mergeRun = (run: readonly Candidate[], nowMs: number): Promise<Outcome[]> => {
    const crossesShards = shards > 1 && isGlobal(run[0]!)
    return post(shardOf(run[0]!), { ...packBatch(run), count: run.length, nowMs, crossesShards })
  }
  async function post(shard: number, request: MessagesRequest): Promise<Outcome[]> {
    const response = await ask(shard, request)
    if (response.batch) onCommit(response.batch)
    if (response.outcomes.some((outcome) => typeof outcome === 'number')) writes?.succeeded()
    return response.outcomes.map((outcome) =>
      typeof outcome === 'number' ? { id: outcome } : rejectionFrom(outcome),
    )
  }
  async function merge(candidates: readonly Candidate[], nowMs: number): Promise<Outcome[]> {
    const runs = shards === 1 ? [candidates] : runsOf(candidates)
    return (await Promise.all(runs.map((run) => mergeRun(run, nowMs)))).flat()
  }
  return {
    shards,
    shardOf,
    merge,
    async mergePacked({ numbers, bytes }, nowMs) {
      if (shards === 1) {
        const count = countRows(numbers)
        return post(1, { numbers, bytes, count, nowMs, crossesShards: false })
      }
      const candidates = unpackBatch({ numbers, bytes })
      const outcomes = new Map<Candidate, Outcome>()
      const mergePart = async (part: readonly Candidate[]) => {
        for (const [i, outcome] of (await merge(part, nowMs)).entries()) {
          outcomes.set(part[i]!, outcome)
        }
      }
      await Promise.all(Map.groupBy(candidates, shardOf).values().map(mergePart))
      return candidates.map((candidate) => outcomes.get(candidate)!)
    },
    async mergeNames(names) {
      await ask(1, { names })
      onCommit()
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}

/** An ENS name has one slot for all fids. */
const isGlobal = ({ row }: Candidate): boolean => row.store === MESSAGE_SETS.usernameProofs

/** Splits messages where those that concern all shards begin or end. */
function runsOf(candidates: readonly Candidate[]): Candidate[][] {
  const runs: Candidate[][] = []
  for (const candidate of candidates) {
    const open = runs.at(-1)
    if (open && isGlobal(open[0]!) === isGlobal(candidate)) open.push(candidate)
    else runs.push([candidate])
  }
  return runs
}

function rejectionFrom({ code, message, field, retryAfterSeconds }: PostedRejection): Rejection {
  const hints = retryAfterSeconds === undefined ? { field } : { field, retryAfterSeconds }
  return new Rejection(code, message, hints)
}
