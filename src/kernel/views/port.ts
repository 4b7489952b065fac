import type { ViewDelivery } from '../storage/views/views.ts'

// What the views are to the rest of the server.

/** Whether the views can be read. */
export type ViewsState =
  /** `earlierBuilds` tells this build from others; a standby may still show another one. */
  | { readonly status: 'ready'; readonly cursor: number; readonly earlierBuilds: number }
  /** They are being built; `ratio` of the work, from 0 to 1, is done. */
  | { readonly status: 'building'; readonly ratio: number }

export type Views = {
  /** What this process knows at the moment. */
  state(): ViewsState
  /** To be called when events may have been committed. Returns at once. */
  wake(): void
  /**
   * Resolves to true once everything up to this event id is applied and readable, to false when that is not
   * so after `timeoutMs`.
   */
  passed(eventId: number, timeoutMs: number): Promise<boolean>
  /** Applies nothing until the returned function is called; resolves when nothing is being applied. For tests. */
  hold(): Promise<() => void>
  /** Deletes what is derived and builds it again; resolves when the build has begun. */
  rebuild(): Promise<void>
}

type DeliveryKey = Pick<ViewDelivery, 'webhook' | 'event' | 'n'>

/** What webhooks have yet to be sent. */
export type Deliveries = {
  /** The first waiting delivery of each webhook, by (event, n). */
  heads(): Promise<ViewDelivery[]>
  /** The first one of a webhook. */
  head(webhook: string): Promise<ViewDelivery | undefined>
  /** How many wait for a webhook, counted up to `limit`. */
  count(webhook: string, limit: number): Promise<number>
  remove(key: DeliveryKey): Promise<void>
  /** Notes a failed attempt; `due` is Unix milliseconds. */
  postpone(key: DeliveryKey, attempts: number, due: number): Promise<void>
  /** Deletes everything that waits for a webhook. */
  drop(webhook: string): Promise<void>
}
