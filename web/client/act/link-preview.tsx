import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useContext } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { fetchJson } from '../../shared/request.ts'
import { cleanText } from '../../shared/text.ts'
import { MiniAppCard, type MiniAppEmbed } from '../miniapps/card.tsx'
import { OutLink } from '../parts/cast-text.tsx'
import { Picture } from '../parts/picture.tsx'
import { SurfaceContext } from '../parts/surface.ts'
import type { PreviewedSnap } from '../snaps/page.ts'

type Preview = {
  readonly kind: 'page' | 'picture'
  readonly title?: string
  readonly description?: string
  readonly picture?: string
  readonly site: string
  readonly miniApp?: MiniAppEmbed
  readonly snap?: PreviewedSnap
}

const SnapCard = lazy(async () => {
  const { SnapCard } = await import('../snaps/card.tsx')
  return { default: SnapCard }
})

type Props = {
  url: string
  remove?: () => void
  /** The link itself, shown while there is no answer, and when the page says nothing about itself. */
  plain?: ReactNode
  /** Whether the other site is asked at all. */
  isAsked?: boolean
}

/** A slow site must not hold all of the few connections that a browser has to one origin. */
const MAX_AT_ONCE = 2
const waiting: (() => void)[] = []
let running = 0

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running === MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  else running += 1
  try {
    return await work()
  } finally {
    // The next one takes over the turn.
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

/** What an address leads to, as the page there says. Without an answer, the address itself. */
export function LinkPreview({ url, remove, plain, isAsked = true }: Props) {
  const { data } = useQuery({
    queryKey: ['preview', url],
    queryFn: ({ signal }) =>
      inTurn(() => fetchJson<Preview>('/preview', { query: { url }, signal })),
    enabled: isAsked,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const surface = useContext(SurfaceContext)
  if (plain && data?.snap) {
    return (
      <Suspense fallback={plain}>
        <SnapCard {...{ url, surface }} snap={data.snap} />
      </Suspense>
    )
  }
  if (plain && data?.miniApp) return <MiniAppCard url={url} embed={data.miniApp} />
  if (plain && !data?.title && !data?.picture) return plain
  const { host } = new URL(url)
  const preview = (
    <div className="preview">
      {data?.picture && (
        <Picture url={data.picture} width={640} alt="" className="preview-picture" />
      )}
      <div className="preview-text">
        <bdi className="muted">{plain ? host : cleanText(data?.site ?? host)}</bdi>
        <bdi className="preview-title">{cleanText(data?.title ?? url)}</bdi>
        {data?.description && <bdi className="muted clamp">{cleanText(data.description)}</bdi>}
      </div>
      {remove && (
        <button
          type="button"
          className="icon-button"
          aria-label={t('Do not attach')}
          onClick={remove}
        >
          <Icon name="cross" />
        </button>
      )}
    </div>
  )
  return plain ? <OutLink url={new URL(url)}>{preview}</OutLink> : preview
}
