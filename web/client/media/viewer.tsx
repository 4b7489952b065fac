import {
  type CSSProperties,
  type KeyboardEvent,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { isRightToLeft } from '../../../src/kernel/base/languages/format.ts'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { language } from '../../shared/meta.ts'
import type { Shown } from './picture-of.ts'
import { Previewed } from './previewed.tsx'
import './viewer.css'

const MAX_ZOOM = 8
/** How much larger a double click makes a picture. */
const CLOSE_ZOOM = 2.5
/** By a key or a button. */
const ZOOM_STEP = 1.5
/** Of a wheel, for a picture twice as large. */
const WHEEL_PIXELS = 150
/** Pixels by which an arrow moves a picture that is larger than the window. */
const PAN_PIXELS = 80

const WHOLE = { zoom: 1, left: 0, top: 0 }

const ARROWS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** The next picture is on the left where lines run from right to left. */
const FORWARD = isRightToLeft(language) ? -1 : 1

type Point = { readonly clientX: number; readonly clientY: number }
type Props = { pictures: readonly Shown[]; first: number; close: () => void }

/** Pictures over the whole window, one beside the other: a finger or an arrow goes on, two fingers, a wheel or a key zoom. */
export function Viewer({ pictures, first, close }: Props) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const strip = useRef<HTMLUListElement>(null)
  const [at, setAt] = useState(first)
  const [{ zoom, left, top }, setView] = useState(WHOLE)
  const { href, description } = pictures[at]!
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    strip.current?.focus()
    scrollStrip(strip.current, first, 'instant')
    // Closed before it goes, it gives the focus back to what opened it.
    return () => current?.close()
  }, [first])

  // Keys are faster than a strip that glides: the next step begins where the last one leads.
  const target = useRef<number>(undefined)
  const shown = useRef(first)
  const go = (step: number) => {
    const to = (target.current ?? shown.current) + step
    if (!pictures[to]) return
    target.current = to
    scrollStrip(strip.current, to)
  }
  const settle = ({ scrollLeft, clientWidth }: HTMLElement) => {
    const now = Math.round((scrollLeft * FORWARD) / clientWidth)
    if (now === target.current) target.current = undefined
    shown.current = now
    if (now === at) return
    setAt(now)
    setView(WHOLE)
  }
  /** The place of the picture that is at a point of the window stays there. */
  const zoomTo = (wanted: number, point?: Point) => {
    const slide = strip.current!.children[at]!
    const next = Math.min(MAX_ZOOM, Math.max(1, wanted))
    const box = slide.getBoundingClientRect()
    const x = point ? point.clientX - box.left : box.width / 2
    const y = point ? point.clientY - box.top : box.height / 2
    setView({
      zoom: next,
      left: ((slide.scrollLeft + x) * next) / zoom - x,
      top: ((slide.scrollTop + y) * next) / zoom - y,
    })
  }
  // A picture has its new size before it is moved.
  useLayoutEffect(() => {
    strip.current?.querySelector('.zoomed')?.scrollTo(left, top)
  }, [left, top])
  usePinch(strip, (factor, point) => zoomTo(zoom * factor, point))

  const press = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event
    if (ctrlKey || metaKey || altKey) return
    const arrow = ARROWS[key]
    if (arrow && zoom > 1) {
      strip.current!.children[at]!.scrollBy(arrow[0] * PAN_PIXELS, arrow[1] * PAN_PIXELS)
    } else if (arrow) go(arrow[0] * FORWARD)
    else if (key === '+' || key === '=') zoomTo(zoom * ZOOM_STEP)
    else if (key === '-') zoomTo(zoom / ZOOM_STEP)
    else if (key === '0') zoomTo(1)
    else return
    event.preventDefault()
  }
  return (
    <dialog
      ref={dialog}
      className="viewer"
      aria-labelledby={id}
      onKeyDown={press}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
    >
      <div className="viewer-head">
        <p id={id} aria-live="polite">
          {t('{count, plural, one {Picture} other {Picture {at} of #}}', {
            at: at + 1,
            count: pictures.length,
          })}
        </p>
        <Button label={t('Zoom out')} isOff={zoom === 1} press={() => zoomTo(zoom / ZOOM_STEP)}>
          −
        </Button>
        <Button
          label={t('Zoom in')}
          isOff={zoom === MAX_ZOOM}
          press={() => zoomTo(zoom * ZOOM_STEP)}
        >
          +
        </Button>
        <a
          className="icon-button"
          href={href}
          target="_blank"
          rel="noopener noreferrer nofollow ugc"
          aria-label={t('Open the picture itself')}
        >
          <Icon name="link" />
        </a>
        <Button label={t('Close')} press={close}>
          <Icon name="cross" />
        </Button>
      </div>
      <ul
        ref={strip}
        className="viewer-strip"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by the keyboard
        tabIndex={0}
        aria-label={t('Pictures')}
        onPointerDown={() => {
          target.current = undefined
        }}
        onScroll={(event) => event.target === event.currentTarget && settle(event.currentTarget)}
        onDoubleClick={(event) => zoomTo(zoom > 1 ? 1 : CLOSE_ZOOM, event)}
      >
        {pictures.map((picture, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same picture may come twice, and never moves
          <Slide key={i} picture={picture} zoom={i === at ? zoom : 1} isShown={i === at} />
        ))}
      </ul>
      {pictures.length > 1 && (
        <>
          <Button label={t('Previous picture')} isOff={at === 0} press={() => go(-1)}>
            <Icon name="back" />
          </Button>
          <Button label={t('Next picture')} isOff={at === pictures.length - 1} press={() => go(1)}>
            <Icon name="back" />
          </Button>
        </>
      )}
      {description && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by the keyboard
        <p className="viewer-text" dir="auto" tabIndex={0}>
          {description}
        </p>
      )}
    </dialog>
  )
}

/** To a picture of the strip. */
const scrollStrip = (strip: HTMLElement | null, to: number, behavior: ScrollBehavior = 'auto') =>
  strip?.scrollTo({ left: to * strip.clientWidth * FORWARD, behavior })

type ButtonProps = {
  label: string
  isOff?: boolean
  press: () => void
  children: React.ReactNode
}

/** It keeps the focus when there is nothing more to do. */
const Button = ({ label, isOff = false, press, children }: ButtonProps) => (
  <button
    type="button"
    className="icon-button"
    aria-label={label}
    aria-disabled={isOff}
    onClick={() => !isOff && press()}
  >
    {children}
  </button>
)

type SlideProps = { picture: Shown; zoom: number; isShown: boolean }

/** What is larger than the window is moved inside of it, and does not lead to the next picture. */
function Slide({ picture, zoom, isShown }: SlideProps) {
  const { largest, width, height, thumbhash, alt } = picture
  const sizes = { '--zoom': zoom, ...(width && { '--w': width, '--h': height }) }
  return (
    <li
      className={zoom > 1 ? 'viewer-slide zoomed' : 'viewer-slide'}
      // What is larger than the window is moved the same way in every language.
      dir="ltr"
      style={sizes as CSSProperties}
      aria-hidden={!isShown}
    >
      <div className="viewer-box">
        <Previewed
          {...{ src: largest, width, height, thumbhash, alt }}
          loading="lazy"
          draggable={false}
        />
      </div>
    </li>
  )
}

/** Two fingers, or a wheel as trackpads send it for them. React listens to these without being able to stop what they do. */
function usePinch(
  element: { readonly current: HTMLElement | null },
  zoomBy: (factor: number, point: Point) => void,
): void {
  const zoom = useEffectEvent(zoomBy)
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    let distance: number | undefined
    const onTouch = (event: TouchEvent) => {
      const [a, b] = event.touches
      if (!a || !b) {
        distance = undefined
        return
      }
      event.preventDefault()
      const now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY)
      const clientX = (a.clientX + b.clientX) / 2
      const clientY = (a.clientY + b.clientY) / 2
      if (distance) zoom(now / distance, { clientX, clientY })
      distance = now
    }
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return
      event.preventDefault()
      zoom(2 ** (-event.deltaY / WHEEL_PIXELS), event)
    }
    const ended = new AbortController()
    const options = { passive: false, signal: ended.signal }
    for (const name of ['touchstart', 'touchmove', 'touchend', 'touchcancel'] as const)
      current.addEventListener(name, onTouch, options)
    current.addEventListener('wheel', onWheel, options)
    return () => ended.abort()
  }, [element])
}
