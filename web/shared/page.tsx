import { type ReactNode, StrictMode, useEffect, useRef } from 'react'
import { createRoot } from 'react-dom/client'
import { Icon, type IconName } from './icons.tsx'

/** Renders a page into its document. */
export const show = (page: ReactNode): void =>
  createRoot(document.getElementById('root')!).render(<StrictMode>{page}</StrictMode>)

/** The frame of all pages. The title shows the progress. */
export function Page({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} – Rookery`
  }, [title])
  return (
    <>
      <header className="masthead">
        <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8" />
          <path d="M7 21c6 0 7-11 15-11l4 2-4 2c0 6-5 10-11 10-2 0-4-1-4-3Z" />
        </svg>
        <strong>Rookery</strong>
        <span className="host">{location.host}</span>
      </header>
      <main>{children}</main>
    </>
  )
}

type Tone = 'plain' | 'good' | 'bad' | 'warn'

/** A page with one message. Its heading gets the focus, so that screen readers announce it. */
export function Outcome(props: {
  tone: Tone
  icon: IconName
  heading: ReactNode
  children?: ReactNode
}) {
  const heading = useFocus<HTMLHeadingElement>()
  return (
    <section className={`card outcome ${props.tone}`}>
      <span className="medal">
        <Icon name={props.icon} />
      </span>
      <h1 ref={heading} tabIndex={-1}>
        {props.heading}
      </h1>
      {props.children}
    </section>
  )
}

/** Something to know before going on. */
export function Notice({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <div className={`notice ${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      <Icon name={tone === 'good' ? 'check' : 'warning'} />
      <div>{children}</div>
    </div>
  )
}

/** A text shown while waiting. */
export function Busy({ children }: { children: ReactNode }) {
  return (
    <p className="busy" role="status">
      <span className="spinner" aria-hidden="true" />
      <span>{children}</span>
    </p>
  )
}

/** Gives an element the focus when it appears. */
export function useFocus<E extends HTMLElement>() {
  const element = useRef<E>(null)
  useEffect(() => element.current?.focus(), [])
  return element
}
