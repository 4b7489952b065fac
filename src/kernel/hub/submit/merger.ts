import { Thread } from '../../base/thread.ts'
import type { JoinSettings, Storage } from '../../storage/storage.ts'
import type { ReadTransfers } from '../names.ts'
import type { HubSettings } from '../settings.ts'
import { countRows, type PackedBatch } from './message-batch.ts'
import type { StepsRequest } from './mirrored.ts'
import { type PostedRejection, receiveRejection } from './posted-rejection.ts'
import type { Outcome } from './run.ts'

/** Merges checked messages whose signatures are valid. */
export type Merger = {
  /**
   * Resolves to the outcomes, in order, when they are committed and flushed. Calls are merged in order; those that wait
   * at the same time share a transaction. `nowMs` is Unix milliseconds.
   */
  merge(rows: PackedBatch, nowMs: number): Promise<Outcome[]>
  /** Merges name transfers and their cursor; resolves when they are committed and flushed. */
  mergeNames(transfers: ReadTransfers): Promise<void>
  /** Does what a mirrored hub has done, in one transaction. Resolves to the outcomes of the messages, in order. */
  mirror(request: StepsRequest): Promise<Outcome[]>
  close(): Promise<void>
}

export type MergeThreadSettings = {
  readonly storage: JoinSettings
  readonly network: number
  readonly storageEnds: boolean
  readonly enforceBlocks: boolean
  /** How storage grows; undefined where the oldest messages are pruned. */
  readonly growth: HubSettings['growth']
  /** Whether a feature of this server keeps something about another hub. */
  readonly hasUpstream: boolean
  /** Whether a feature of this server looks at messages while they are stored. */
  readonly hasScreen: boolean
  /** The names of the tables of the store. */
  readonly tables: readonly string[]
  /** Where browsers find this server, if it says so. */
  readonly publicUrl: string | undefined
}

/** Messages as they are posted to the merge thread. `chainId`: in events of the ledger. */
export type MessagesRequest = PackedBatch & {
  readonly count: number
  readonly nowMs: number
  readonly chainId: number
}
export type NamesRequest = { readonly names: ReadTransfers }
export type MirrorRequest = {
  readonly mirror: StepsRequest
}
export type MergeRequest = MessagesRequest | NamesRequest | MirrorRequest

/** The outcomes of a request's messages, or why nothing of the request was stored and whether the store refuses any write. */
export type MergeResponse =
  | { readonly outcomes: readonly PostedOutcome[]; readonly batch?: MergedBatch }
  | { readonly failure: string; readonly isRefused: boolean }

/** One committed transaction; reported with the response to its first request. */
type MergedBatch = { readonly messages: number; readonly seconds: number }

/** The event id of a merged message, or the refusal. */
export type PostedOutcome = number | PostedRejection

/**
 * Merges in a thread with its own database connection, so that neither the work nor the flush blocks requests. `script`
 * calls `serveMerges`.
 */
export function startMerger(
  script: URL,
  settings: MergeThreadSettings,
  /** Called after each commit; without a batch when names were merged. */
  onCommit: (batch?: MergedBatch) => void,
  /** Receives whether the store accepts writes. */
  writes?: Storage['writes'],
  /** Of the ledger, which is made after the hub. */
  chainId: () => number = () => 0,
): Merger {
  const thread = new Thread<MergeRequest, MergeResponse>(script, settings)
  const ask = async (request: MergeRequest) => {
    const response = await thread.ask(request)
    if (!('failure' in response)) return response
    const error = new Error(response.failure)
    if (response.isRefused) writes?.refused(error)
    throw error
  }
  return {
    async merge({ numbers, bytes }, nowMs) {
      const { outcomes, batch } = await ask({
        numbers,
        bytes,
        count: countRows(numbers),
        nowMs,
        chainId: chainId(),
      })
      if (batch) onCommit(batch)
      if (outcomes.some((outcome) => typeof outcome === 'number')) writes?.succeeded()
      return outcomes.map(received)
    },
    async mergeNames(names) {
      await ask({ names })
      onCommit()
    },
    async mirror(mirror) {
      const { outcomes, batch } = await ask({ mirror })
      onCommit(batch)
      return outcomes.map(received)
    },
    close: () => thread.close(),
  }
}

const received = (outcome: PostedOutcome): Outcome =>
  typeof outcome === 'number' ? { id: outcome } : receiveRejection(outcome)
