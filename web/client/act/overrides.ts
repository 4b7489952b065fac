import { useSyncExternalStore } from 'react'
import type { Cast } from '../types.ts'

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

const useFacts = () => useSyncExternalStore(subscribe, () => overrides)

/** Whether something is so: as the viewer did, else as the server answered. */
export const useFact = (fact: Fact, answered: boolean): boolean => useFacts().get(fact) ?? answered

/** Tells of a cast that lists still contain whether the viewer has just deleted it, or blocked or muted its author. */
export function useIsGone(): (cast: Cast) => boolean {
  const facts = useFacts()
  return ({ hash, author: { fid } }) => {
    const why: Fact[] = [`deleted ${hash}`, `block ${fid}`, `mute fid ${fid}`]
    return why.some((fact) => facts.get(fact))
  }
}
