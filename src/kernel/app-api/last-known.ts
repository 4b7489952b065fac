import { StoreUnavailable } from '../storage/engines/unavailable.ts'

/** A read of the primary that answers what it last did while the primary is away, as the standbys do. */
export function orLastKnown<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { readonly value: T } | undefined
  return async () => {
    try {
      last = { value: await read() }
    } catch (error) {
      if (!last || !(error instanceof StoreUnavailable)) throw error
    }
    return last.value
  }
}
