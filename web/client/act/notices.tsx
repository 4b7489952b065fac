import { useSyncExternalStore } from 'react'
import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'

// Short messages: what failed after it was shown as done, which stays until it is read, and where something went.

/** With `isBad` it leads out of what failed. */
type Way = { readonly to: string; readonly text: string; readonly isBad?: boolean }
/** Something to do about it. */
type Deed = { readonly run: () => void; readonly text: string }
type Told = {
  readonly id: number
  readonly text: string
  readonly isGood: boolean
  readonly way?: Way | undefined
  readonly deed?: Deed | undefined
}

/** Of what failed. */
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

/** With a way, it tells of a success, unless that says otherwise. */
export const tell = (text: string, way?: Way): void =>
  add({ text, way, isGood: way !== undefined && !way.isBad })

/** That something went well, which leads nowhere, and what undoes it. */
export const tellDone = (text: string, deed?: Deed): void => add({ text, deed, isGood: true })

function add(what: Omit<Told, 'id'>): void {
  nextId += 1
  const id = nextId
  // Of what went well the newest is enough: they stand over the page.
  change([...told.filter(({ isGood }) => !isGood), { id, ...what }].slice(-MAX_TOLD))
  if (what.isGood) setTimeout(() => dismiss(id), SUCCESS_MS)
}

const dismiss = (id: number) => change(told.filter((one) => one.id !== id))

/** Who begins to write has read what went well, which would stand over the field. */
export function dismissSuccesses(): void {
  if (told.some(({ isGood }) => isGood)) change(told.filter(({ isGood }) => !isGood))
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
      {shown.map(({ id, text, isGood, way, deed }) => (
        <p key={id} className={isGood ? 'told good' : 'told'}>
          <Icon name={isGood ? 'check' : 'warning'} />
          <bdi>{text}</bdi>
          {way && (
            <Link to={way.to} onClick={() => dismiss(id)}>
              {way.text}
            </Link>
          )}
          {deed && (
            <button
              type="button"
              className="told-deed"
              onClick={() => {
                dismiss(id)
                deed.run()
              }}
            >
              {deed.text}
            </button>
          )}
          <button
            type="button"
            className="icon-button"
            aria-label={t('Dismiss')}
            onClick={() => dismiss(id)}
          >
            <Icon name="cross" />
          </button>
        </p>
      ))}
    </div>
  )
}
