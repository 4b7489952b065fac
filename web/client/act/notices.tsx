import { useSyncExternalStore } from 'react'
import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'

// Short messages: what failed after it was shown as done, which stays until it is read, and where something went.

type Way = { readonly to: string; readonly text: string }
type Told = { readonly id: number; readonly text: string; readonly way?: Way | undefined }

const MAX_TOLD = 3
/** Long enough to read it twice and to follow its link. */
const SUCCESS_MS = 10_000
let told: readonly Told[] = []
let nextId = 0
const listeners = new Set<() => void>()

function change(next: readonly Told[]): void {
  told = next
  for (const listener of listeners) listener()
}

/** With a way, it tells of a success. */
export function tell(text: string, way?: Way): void {
  nextId += 1
  const id = nextId
  change([...told, { id, text, way }].slice(-MAX_TOLD))
  if (way) setTimeout(() => dismiss(id), SUCCESS_MS)
}

const dismiss = (id: number) => change(told.filter((one) => one.id !== id))

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The place of these messages, once on every page. */
export function Notices() {
  const shown = useSyncExternalStore(subscribe, () => told)
  return (
    <div className="notices" role="alert">
      {shown.map(({ id, text, way }) => (
        <p key={id} className={way ? 'told good' : 'told'}>
          <Icon name={way ? 'check' : 'warning'} />
          <bdi>{text}</bdi>
          {way && (
            <Link to={way.to} onClick={() => dismiss(id)}>
              {way.text}
            </Link>
          )}
          <button
            type="button"
            className="icon-button"
            aria-label="Dismiss"
            onClick={() => dismiss(id)}
          >
            <Icon name="cross" />
          </button>
        </p>
      ))}
    </div>
  )
}
