import type { StorageSettings } from '../storage/storage.ts'
import type { ViewDelivery } from '../storage/views.ts'
import type { IndexerBounds, IndexerStep } from './indexer.ts'

export type ViewsThreadSettings = {
  readonly storage: StorageSettings
  /** Name of this process. */
  readonly holder: string
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
