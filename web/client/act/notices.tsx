import { useSyncExternalStore } from 'react'
import { Icon } from '../../shared/icons.tsx'

// Short messages about what failed after it was shown as done. They stay until they are read.

type Told = { readonly id: number; readonly text: string }

const MAX_TOLD = 3
let told: readonly Told[] = []
let nextId = 0
const listeners = new Set<() => void>()

function change(next: readonly Told[]): void {
  told = next
  for (const listener of listeners) listener()
}

export function tell(text: string): void {
  nextId += 1
  change([...told, { id: nextId, text }].slice(-MAX_TOLD))
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The place of these messages, once on every page. */
export function Notices() {
  const shown = useSyncExternalStore(subscribe, () => told)
  return (
    <div className="notices" role="alert">
      {shown.map(({ id, text }) => (
        <p key={id} className="told">
          <Icon name="warning" />
          <bdi>{text}</bdi>
          <button
            type="button"
            className="icon-button"
            aria-label="Dismiss"
            onClick={() => change(told.filter((one) => one.id !== id))}
          >
            <Icon name="cross" />
          </button>
        </p>
      ))}
    </div>
  )
}
