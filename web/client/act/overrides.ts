import { useSyncExternalStore } from 'react'

// What the viewer has just done, until answers of the server contain it: likes, recasts, bookmarks, follows, blocks, deletions.

/** Older ones are in the answers of the server by then. */
const MAX_OVERRIDES = 500
let overrides: ReadonlyMap<string, boolean> = new Map()
const listeners = new Set<() => void>()

export type Fact =
  | `${'like' | 'recast' | 'deleted' | 'bookmark'} ${string}`
  | `${'follow' | 'block'} ${number}`
  | `channel ${string}`
  | `mute ${string}`

export function setOverride(fact: Fact, isSo: boolean): void {
  const next = new Map(overrides)
  next.delete(fact)
  next.set(fact, isSo)
  if (next.size > MAX_OVERRIDES) next.delete(next.keys().next().value!)
  overrides = next
  for (const listener of listeners) listener()
}

/** Forgets everything, when another account acts. */
export function clearOverrides(): void {
  overrides = new Map()
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Whether something is so: as the viewer did, else as the server answered. */
export function useFact(fact: Fact, answered: boolean): boolean {
  const all = useSyncExternalStore(subscribe, () => overrides)
  return all.get(fact) ?? answered
}
