import { useCallback, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { webUrl } from '../../shared/links.ts'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { useAct } from '../act/actor.ts'
import type { BrowserKey } from '../act/key-store.ts'
import { useLaunch } from '../miniapps/launch.ts'
import { useKey } from '../miniapps/use-key.ts'
import { OutLink } from '../parts/cast-text.tsx'
import { urlText } from '../parts/text-links.ts'
import { snapConsents } from './consents.ts'
import { Effects } from './effects.tsx'
import { CardProvider, Element } from './elements.tsx'
import {
  firstInputs,
  type Inputs,
  openPage,
  type PreviewedSnap,
  press,
  type Send,
  type SnapPage,
  type SnapPress,
  type Surface,
  sendAs,
  viewAs,
} from './page.ts'
import './card.css'

/** Takes the place of the account in this browser, which is not asked before it presses. */
export type Bench = {
  readonly browserKey: BrowserKey
  readonly send: Send
  open(url: string): Promise<PreviewedSnap | undefined>
}

type Props = {
  /** The link of the cast. */
  readonly url: string
  readonly snap: PreviewedSnap
  readonly surface?: Surface
  /** In the room of developers: who presses, and how. */
  readonly bench?: Bench | undefined
}

/** A card that a server describes: what is pressed goes there, and the answer is the next page. */
export function SnapCard({ url, snap, surface, bench }: Props) {
  if (snap.page) return <Card {...{ url, surface, bench }} first={snap.page} source={snap.url} />
  return (
    <div className="snap-card">
      <p>{t('This card needs a newer version of this page. Reload it, or open the link.')}</p>
      <Foot url={url} />
    </div>
  )
}

/** What waits for the viewer's word before it is sent. */
type Asked = { readonly host: string; readonly go: () => void }

type CardProps = Omit<Props, 'snap'> & { first: SnapPage; source: string }

function Card({ url, first, source, surface, bench }: CardProps) {
  const [page, setPage] = useState(first)
  const [begun] = useState<Inputs>(() => firstInputs(first))
  const [inputs, setInputs] = useState(begun)
  const [shown, setShown] = useState(() => initialPage(first))
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const [asked, setAsked] = useState<Asked>()
  const act = useAct()
  const perform = usePerform()
  const show = (next: SnapPage) => {
    setPage(next)
    setInputs(firstInputs(next))
    setShown(initialPage(next))
  }
  const isUntouched = page === first && inputs === begun && !isBusy
  useOwnPage(bench ? undefined : source, surface, (own) => isUntouched && show(own))
  const work = async (step: () => Promise<SnapPage | undefined>) => {
    setBusy(true)
    setFailure(undefined)
    try {
      const next = await step()
      if (next) show(next)
    } catch (error) {
      setFailure((error as Error).message)
    }
    setBusy(false)
  }
  const submit = (key: BrowserKey, id: string, target: string, given: Inputs) =>
    work(() =>
      press(key.fid, { page, id }, { target, surface, inputs: given }, bench?.send ?? sendAs(key)),
    )
  const ask = (key: BrowserKey, target: string, go: () => void) => {
    const { host } = new URL(target)
    // The cards of this server only press on this server. A foreign one that presses here would vote for its reader.
    const isOwn = host === location.host
    const isAgreed = isOwn ? new URL(url).host === host : snapConsents.of(key.fid)[host]
    if (bench || isAgreed) return go()
    setAsked({
      host,
      go() {
        if (!isOwn) snapConsents.put(key.fid, host, true)
        setAsked(undefined)
        go()
      },
    })
  }
  const run = (id: string, { action, params }: SnapPress, more: Inputs = {}) => {
    switch (action) {
      case 'submit': {
        const go = async (key: BrowserKey) =>
          ask(key, params.target, () => submit(key, id, params.target, { ...inputs, ...more }))
        return bench ? go(bench.browserKey) : act(go, { failed: t('That was not sent.') })
      }
      case 'open_snap':
        return work(async () => {
          const opened = await (bench ? bench.open(params.target) : openPage(params.target))
          return opened?.page ?? missing(params.target)
        })
      case 'paginator_next':
        return setShown((at) => inPages(page, at + 1))
      case 'paginator_prev':
        return setShown((at) => inPages(page, at - 1))
      case 'paginator_go_to':
        return setShown(inPages(page, params.page))
      default:
        return setFailure(perform({ action, params } as OtherPress, url))
    }
  }
  const state = {
    ...{ page, inputs, isBusy, shown, setShown, run },
    setInput: (name: string, value: Inputs[string]) =>
      setInputs((before) => ({ ...before, [name]: value })),
  }
  return (
    <article
      className={`snap-card accent-${page.theme.accent}`}
      aria-label={t('Card of {host}', { host: new URL(url).host })}
      aria-busy={isBusy}
    >
      <Clipped key={page.ui.root + JSON.stringify(page.ui.elements).length}>
        <CardProvider value={state}>
          <Element id={page.ui.root} />
        </CardProvider>
      </Clipped>
      <Effects effects={page.effects} />
      {asked && <Question asked={asked} close={() => setAsked(undefined)} />}
      {failure && (
        <p className="snap-failure" role="alert">
          {failure}
        </p>
      )}
      <Foot url={url} />
    </article>
  )
}

const initialPage = (page: SnapPage): number => {
  const paginator = paginatorOf(page)
  return paginator?.props.initialPage ?? 0
}

const paginatorOf = ({ ui: { elements } }: SnapPage) =>
  Object.values(elements).find((element) => element.type === 'paginator')

const inPages = (page: SnapPage, at: number): number =>
  Math.max(0, Math.min(at, (paginatorOf(page)?.children?.length ?? 1) - 1))

const missing = (target: string): never => {
  throw new Error(t('{host} did not answer with a card.', { host: new URL(target).host }))
}

type OtherPress = Exclude<
  SnapPress,
  { action: 'submit' | 'open_snap' | 'paginator_next' | 'paginator_prev' | 'paginator_go_to' }
>

/** Shows the page that the server has for this viewer, where the viewer has allowed that it learns who looks. */
function useOwnPage(
  source: string | undefined,
  surface: Surface,
  show: (page: SnapPage) => unknown,
) {
  const key = useKey()
  const latest = useRef(show)
  latest.current = show
  const { hash, fid } = surface ?? {}
  useEffect(() => {
    if (!key || !source || snapConsents.of(key.fid)[new URL(source).host] !== 'viewer') return
    let isOver = false
    const within = hash === undefined || fid === undefined ? undefined : { hash, fid }
    viewAs(key, source, within).then(
      (own) => own && !isOver && latest.current(own),
      // The page for everybody stays.
      () => {},
    )
    return () => {
      isOver = true
    }
  }, [key, source, hash, fid])
}

/** Does what leaves the card; says why it cannot be done. */
function usePerform() {
  const navigate = useNavigate()
  const launch = useLaunch()
  return useCallback(
    ({ action, params }: OtherPress, url: string): string | undefined => {
      switch (action) {
        case 'open_url':
          window.open(params.target, '_blank', 'noopener,noreferrer')
          return undefined
        case 'open_mini_app': {
          const referrerDomain = new URL(url).host
          void launch({ url: params.target, opening: { type: 'open_miniapp', referrerDomain } })
          return undefined
        }
        case 'view_cast':
          if (!/^0x[0-9a-f]{40}$/i.test(params.hash)) return t('There is no such {post}.')
          void navigate(`/cast/${params.hash.toLowerCase()}`)
          return undefined
        case 'view_profile':
          if (!Number.isSafeInteger(params.fid)) return t('There is no such account.')
          void navigate(`/@!${params.fid}`)
          return undefined
        case 'compose_cast': {
          const { text = '', embeds = [], channelKey } = params
          const given = { text, urls: embeds.filter((one) => webUrl(one)) }
          const query = channelKey ? `?channel=${encodeURIComponent(channelKey)}` : ''
          void navigate(`/compose${query}`, { state: { given } })
          return undefined
        }
        default:
          return t('This client shows and sends no tokens.')
      }
    },
    [navigate, launch],
  )
}

/** Before the first press for a host: who learns what. */
function Question({ asked, close }: { asked: Asked; close: () => void }) {
  const first = useRef<HTMLButtonElement>(null)
  useEffect(() => first.current?.focus(), [])
  return (
    <section className="snap-question" aria-label={t('Before you press')}>
      <p>
        {rich(
          '{host} will learn which account presses, and what you entered. Your address on the Internet stays here.',
          { host: <bdi>{asked.host}</bdi> },
        )}
      </p>
      <div className="snap-question-choices">
        <button ref={first} type="button" className="primary" onClick={asked.go}>
          {t('Send')}
        </button>
        <button type="button" className="secondary" onClick={close}>
          {t('Cancel')}
        </button>
      </div>
    </section>
  )
}

/** Shows the upper part of what is taller than cards are. */
function Clipped({ children }: { children: React.ReactNode }) {
  const content = useRef<HTMLDivElement>(null)
  const [isTall, setTall] = useState(false)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const element = content.current!
    const observer = new ResizeObserver(() => setTall(element.scrollHeight > MAX_HEIGHT))
    observer.observe(element.firstElementChild ?? element)
    return () => observer.disconnect()
  }, [])
  return (
    <>
      <div ref={content} className={isTall && !isOpen ? 'snap-content clipped' : 'snap-content'}>
        {children}
      </div>
      {isTall && (
        <button
          type="button"
          className="snap-more"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? t('Show less') : t('Show more')}
        </button>
      )}
    </>
  )
}
/** Of a card, in CSS pixels; card.css has it too. */
const MAX_HEIGHT = 500

function Foot({ url }: { url: string }) {
  const link = new URL(url)
  return (
    <footer className="snap-foot">
      <OutLink url={link}>
        <Icon name="link" />
        <bdi dir="ltr">{urlText(link)}</bdi>
      </OutLink>
    </footer>
  )
}
