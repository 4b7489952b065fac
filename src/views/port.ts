// What the views are to the rest of the server.

/** Whether the views can be read. */
export type ViewsState =
  | { readonly status: 'ready'; readonly cursor: number }
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
  /** Applies nothing until the returned function is called. For tests. */
  hold(): () => void
  /** Deletes what is derived and builds it again; resolves when the build has begun. */
  rebuild(): Promise<void>
}
