import { useSyncExternalStore } from 'react'
import { Refusal } from '../../shared/request.ts'

// Whether the server has said that the account does not have the key of this browser any more: every screen says so.

let isGone = false
const listeners = new Set<() => void>()

function set(next: boolean): void {
  isGone = next
  for (const listener of listeners) listener()
}

/** Looks at what the server refused. */
export function noteRefusal(error: unknown): boolean {
  const isOfKey = error instanceof Refusal && error.isKeyGone
  if (isOfKey && !isGone) set(true)
  return isOfKey
}

/** Somebody else acts now, or with another key. */
export function forgetRefusal(): void {
  if (isGone) set(false)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useIsKeyGone = (): boolean => useSyncExternalStore(subscribe, () => isGone)
