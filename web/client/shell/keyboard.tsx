import { lazy, Suspense, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { useWrite } from '../act/writing.ts'
import { screenKeys } from './screen-keys.ts'

// Single keys, as other clients of this kind have them. Who types letters otherwise can turn them off.

const KeyboardHelp = lazy(() => import('./keyboard-help.tsx'))

const OFF = 'rookery.keys-off'
const CASTS = 'main .cast, main .cast-whole'

/** Listens to keys, and has the dialog that explains them. */
export function Keyboard() {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const [isOff, setOff] = useState(isTurnedOff)
  const [isAsked, setAsked] = useState(false)
  const [ofScreen, setOfScreen] = useState<ReturnType<typeof screenKeys>>()
  const write = useWrite()
  const turn = (next: boolean) => {
    keepOff(next)
    setOff(next)
  }
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, target } = event
    if (ctrlKey || metaKey || altKey || isWriting(target) || isModal()) return
    // The help can be asked for also when the other keys are off.
    if (key === '?') {
      setAsked(true)
      setOfScreen(screenKeys())
      dialog.current?.showModal()
    } else if (isOff || !actOn(key)) return
    event.preventDefault()
  })
  /** Returns whether the key means something here. */
  const actOn = (key: string): boolean => {
    const own = screenKeys()?.keys.find((one) => one.key === key)
    if (own) {
      own.run?.()
      return true
    }
    if (key === 'j' || key === 'k') return moveFocus(key === 'j' ? 1 : -1)
    if (key === 'n') return write({}) ?? true
    if (key === '/') return focus(document.querySelector('.masthead input'))
    if (key === 'r') return click('.action-reply')
    if (key === 'l') return click('.action-like')
    return key === 'Enter' && document.activeElement === currentCast() && click('.cast-time')
  }
  useEffect(() => {
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={id}>
      <Suspense fallback={<h2 id={id}>{t('Keyboard')}</h2>}>
        {isAsked && <KeyboardHelp id={id} ofScreen={ofScreen} isOff={isOff} turn={turn} />}
      </Suspense>
    </dialog>
  )
}

function isTurnedOff(): boolean {
  try {
    return localStorage.getItem(OFF) !== null
  } catch {
    return false
  }
}

function keepOff(isOff: boolean): void {
  try {
    if (isOff) localStorage.setItem(OFF, '1')
    else localStorage.removeItem(OFF)
  } catch {}
}

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest('input, textarea, select') !== null)

const isModal = (): boolean =>
  document.querySelector('dialog[open], [popover]:popover-open') !== null

/** The cast that has the focus or is around it; on the page of a cast, that cast. */
const currentCast = (): HTMLElement | null =>
  document.activeElement?.closest<HTMLElement>(CASTS) ??
  document.querySelector<HTMLElement>('main .cast-whole')

function click(button: string): boolean {
  const found = currentCast()?.querySelector<HTMLElement>(button)
  found?.click()
  return found !== null && found !== undefined
}

function focus(element: HTMLElement | null): boolean {
  element?.focus()
  element?.scrollIntoView({ block: 'nearest' })
  return element !== null
}

/** To the cast after or before the current one; without one, to the first that is in view. */
function moveFocus(step: 1 | -1): boolean {
  const all = [...document.querySelectorAll<HTMLElement>(CASTS)]
  const at = all.findIndex((cast) => cast.contains(document.activeElement))
  const inView = all.findIndex((cast) => cast.getBoundingClientRect().bottom > 0)
  const next = at < 0 ? inView : Math.min(all.length - 1, Math.max(0, at + step))
  return focus(all[next] ?? null)
}
