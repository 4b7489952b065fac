import type { WordTable } from '../storage/engines/word-index.ts'
import type { JoinSettings } from '../storage/storage.ts'
import type { ViewDelivery } from '../storage/views/views.ts'
import type { IndexerBounds, IndexerStep } from './indexer-work.ts'

export type ViewsThreadSettings = {
  readonly storage: JoinSettings
  /** Name of this process. */
  readonly holder: string
  /** Whether messages may be far older than their events. */
  readonly isMirror: boolean
  /** The names of the features of this server. */
  readonly features: readonly string[]
  readonly bounds?: Partial<IndexerBounds> | undefined
}

export type DeliveryKey = Pick<ViewDelivery, 'webhook' | 'event' | 'n'>

/** What the views' thread is asked to do, each in a transaction. */
export type ViewsRequest =
  | { readonly kind: 'step' }
  | { readonly kind: 'rebuild' }
  /** Writes ranked lists; `nowMs` is Unix milliseconds. */
  | { readonly kind: 'rank casts'; readonly nowMs: number }
  | { readonly kind: 'count activity'; readonly nowMs: number }
  | { readonly kind: 'prune notices'; readonly beforeAt: number; readonly limit: number }
  | { readonly kind: 'remove deliveries'; readonly keys: readonly DeliveryKey[] }
  | { readonly kind: 'drop deliveries'; readonly webhook: string }
  /** The content of deliveries about casts of an author, of events up to this one; and places in which no post is left. */
  | { readonly kind: 'erase'; readonly fid: number; readonly upTo: number }
  /** A part of a pass over the words of a table, which leaves out those of deleted rows. The count is 0 at its end. */
  | { readonly kind: 'merge words'; readonly table: WordTable; readonly begins: boolean }
  | {
      readonly kind: 'postpone delivery'
      readonly delivery: DeliveryKey & Pick<ViewDelivery, 'attempts' | 'due'>
    }

export type ViewsResponse = {
  readonly step?: IndexerStep
  /** Rows that were changed. */
  readonly count?: number
  /** Why nothing was done. */
  readonly failure?: string
}
