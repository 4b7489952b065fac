import { useRef } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { cleanName } from '../../shared/text.ts'
import { callApp } from '../api.ts'
import { Picture } from '../parts/picture.tsx'
import type { Cast } from '../types.ts'
import { domainOf } from './domain.ts'
import { castForApps } from './host/cast-for-apps.ts'
import { type Opening, useLaunch } from './launch.ts'
import './card.css'

/** What a page says about the mini app that it offers to open. */
export type MiniAppEmbed = {
  readonly title: string
  readonly imageUrl: string
  readonly aspectRatio: '3:2' | '1:1'
  readonly url: string
  readonly name?: string
  readonly splashImageUrl?: string
  readonly splashBackgroundColor?: string
}

type Props = {
  /** The link of the cast. */
  readonly url: string
  readonly embed: MiniAppEmbed
}

/** A link to a mini app: its picture, its domain, and the button that opens it here. */
export function MiniAppCard({ url, embed }: Props) {
  const card = useRef<HTMLElement>(null)
  const launch = useLaunch()
  const [page, app] = [domainOf(url), domainOf(embed.url)]
  const open = async () => {
    const { title: _title, imageUrl: _image, aspectRatio: _ratio, ...given } = embed
    await launch({ ...given, opening: await openingOf(card.current, url) })
  }
  return (
    <article ref={card} className="app-embed" aria-label={t('Mini app {app}', { app })}>
      <Picture
        url={embed.imageUrl}
        width={640}
        alt=""
        className={embed.aspectRatio === '1:1' ? 'app-embed-picture square' : 'app-embed-picture'}
      />
      <div className="app-embed-foot">
        <span className="app-embed-words">
          {embed.name && <bdi>{cleanName(embed.name)}</bdi>}
          <bdi className="muted">
            {page === app ? app : t('{page}, opens {app}', { page, app })}
          </bdi>
        </span>
        <a
          className="icon-button"
          href={url}
          target="_blank"
          rel="noopener noreferrer nofollow ugc"
          aria-label={t('Open {page} in a new tab', { page })}
        >
          <Icon name="link" />
        </a>
        <button type="button" className="primary" onClick={open}>
          <bdi>{cleanName(embed.title)}</bdi>
        </button>
      </div>
    </article>
  )
}

/** The cast around a card, as its link says. */
async function openingOf(card: Element | null, embed: string): Promise<Opening> {
  const place = card?.closest('.cast, .cast-whole')?.querySelector<HTMLAnchorElement>('.cast-time')
  const hash =
    /^\/cast\/(0x[0-9a-f]{40})$/.exec(place?.pathname ?? location.pathname)?.[1] ?? undefined
  const query = { identifier: hash, type: 'hash' }
  const found = hash && (await callApp<{ cast: Cast }>('/cast', { query }).catch(() => undefined))
  return found ? { type: 'cast_embed', embed, cast: castForApps(found.cast) } : { type: 'launcher' }
}
