import { encodeList } from '../protocol/envelope.ts'
import { Rejection, type RejectionCode } from '../protocol/rejection.ts'
import type { StorageSettings } from '../storage/storage.ts'
import { startThread } from '../thread.ts'
import type { Outcome } from './merge.ts'
import type { Candidate } from './merge-state.ts'

/** Merges batches of checked messages whose signatures hold; resolves when they are flushed. */
export type Merger = {
  merge(candidates: readonly Candidate[], nowMs: number): Promise<Outcome[]>
  close(): Promise<void>
}

export type MergeThreadSettings = {
  readonly storage: StorageSettings
  readonly network: number
  readonly enforceBlocks: boolean
}

/** A batch as it is posted to the merge thread: the messages as one list of bytes. */
export type MergeRequest = {
  readonly list: Uint8Array
  /** The candidates' resolvedOwner, left out when no candidate has one. */
  readonly resolvedOwners?: readonly (Uint8Array | undefined)[]
  readonly nowMs: number
}

/** Event ids and refusals in the order of the request, or why none of it was stored. */
export type MergeResponse =
  | { readonly outcomes: readonly (number | PostedRejection)[] }
  | { readonly failure: string }

export type PostedRejection = {
  readonly code: RejectionCode
  readonly message: string
  readonly field: string | undefined
  readonly retryAfterSeconds: number | undefined
}

/**
 * Merges in a thread with a connection of its own, so that neither its work nor the wait for the disk
 * holds up requests.
 */
export function startMerger(settings: MergeThreadSettings): Merger {
  const script = new URL('./merge-thread.ts', import.meta.url)
  const thread = startThread<MergeRequest, MergeResponse>(script, settings)
  return {
    async merge(candidates, nowMs) {
      const list = encodeList(candidates.map(({ message }) => message))
      const resolvedOwners = candidates.some((candidate) => candidate.resolvedOwner)
        ? { resolvedOwners: candidates.map((candidate) => candidate.resolvedOwner) }
        : {}
      const response = await thread.ask({ list, nowMs, ...resolvedOwners })
      if ('failure' in response) throw new Error(response.failure)
      return response.outcomes.map((outcome) =>
        typeof outcome === 'number' ? { id: outcome } : rejectionFrom(outcome),
      )
    },
    close: () => thread.close(),
  }
}

function rejectionFrom({ code, message, field, retryAfterSeconds }: PostedRejection): Rejection {
  const hints = retryAfterSeconds === undefined ? { field } : { field, retryAfterSeconds }
  return new Rejection(code, message, hints)
}
