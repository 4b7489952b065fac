import { StoreUnavailable } from './unavailable.ts'

type Method = (...args: readonly unknown[]) => Promise<unknown>

/**
 * Reads of `replica`, which may be behind. A read that fails, or that finds nothing (a read of one
 * thing that returns `undefined`), is repeated on `primary` once: so a new row can be read by its id.
 * Both are groups of methods, which may be nested.
 */
export function preferringReplica<R extends object>(primary: R, replica: R): R {
  const parts = Object.entries(primary).map(([name, onPrimary]) => {
    const onReplica = replica[name as keyof R]
    const part =
      typeof onPrimary === 'function'
        ? withFallback(onReplica as Method, onPrimary as Method)
        : preferringReplica(onPrimary as object, onReplica as object)
    return [name, part]
  })
  return Object.fromEntries(parts) as R
}

const withFallback =
  (onReplica: Method, onPrimary: Method): Method =>
  async (...args) => {
    try {
      const found = await onReplica(...args)
      if (found !== undefined) return found
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
    }
    return onPrimary(...args)
  }
