import { type ReactNode, StrictMode, useEffect, useRef } from 'react'
import { createRoot } from 'react-dom/client'
import { Bird } from './bird.tsx'
import { applyColor, face } from './face.ts'
import { Icon, type IconName } from './icons.tsx'

/** Whether the page stands below the front door, with the web client and its accounts beside it. */
export const isAtFrontDoor = location.pathname.startsWith('/platform/~/')

/** Renders a page into its document. */
export function show(page: ReactNode): void {
  applyColor()
  createRoot(document.getElementById('root')!).render(<StrictMode>{page}</StrictMode>)
}

/** The frame of all pages. The title shows the progress. */
export function Page({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} – ${face.name}`
  }, [title])
  return (
    <>
      <header className="masthead">
        <Server />
        <span className="host">{location.host}</span>
      </header>
      <main>{children}</main>
    </>
  )
}

/** Which server this is; leads to its front page where that is at this address too. */
function Server() {
  const whole = (
    <>
      {face.picture ? <img className="server-picture" src={face.picture} alt="" /> : <Bird />}
      <strong dir="auto">{face.name}</strong>
    </>
  )
  return isAtFrontDoor ? (
    <a className="brand" href="/">
      {whole}
    </a>
  ) : (
    <span className="brand">{whole}</span>
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
