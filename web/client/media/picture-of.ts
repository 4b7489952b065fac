import { webUrl } from '../../shared/links.ts'
import { t } from '../../shared/messages.ts'
import { pictureUrl } from '../parts/picture-url.ts'
import type { EmbedUrl } from '../types.ts'
import { ownPath } from './own-path.ts'

/** Pixels in width of the small size of what is kept here. */
const SMALL_WIDTH = 480

export const isVideo = ({ metadata }: EmbedUrl): boolean =>
  metadata?.content_type.startsWith('video/') ?? false

/** The small size of a photograph, and the picture of a video. */
export const smallOf = (path: string): string => path.replace(/\.\w+$/, '-small.jpg')

/** A picture of a cast, as it is shown. */
export type Shown = {
  /** Where the picture itself is. */
  readonly href: string
  /** Of another site, whose pictures this server fetches. */
  readonly site: URL | undefined
  readonly src: string
  /** The small size and the size of `src`. Undefined for animations, whose small size is a still picture. */
  readonly srcSet?: string
  /** As large as there is. */
  readonly largest: string
  readonly width: number | undefined
  readonly height: number | undefined
  /** From which its preview is drawn. */
  readonly thumbhash: string | undefined
  /** What its author says is to be seen; may be empty. */
  readonly description: string
  readonly alt: string
}

/** From its own address for what was uploaded to this server, in the size that is needed. */
export function pictureOf(embed: EmbedUrl): Shown {
  const path = ownPath(embed)
  if (path) return ownPicture(embed, path)
  const site = webUrl(embed.url)!
  return {
    ...{ href: site.href, site, width: undefined, height: undefined },
    ...{ thumbhash: undefined, description: '' },
    src: pictureUrl(site.href, 640)!,
    largest: pictureUrl(site.href, 1280)!,
    alt: t('Picture from {host}', { host: site.host }),
  }
}

function ownPicture(embed: EmbedUrl, path: string): Shown {
  const { metadata, thumbhash, alt_text: description = '' } = embed
  const { width_px: width = 0, height_px: height = 0 } = metadata?.image ?? {}
  const small = `${smallOf(path)} ${Math.min(SMALL_WIDTH, width)}w`
  return {
    ...{
      href: path,
      site: undefined,
      src: path,
      largest: path,
      width,
      height,
      thumbhash,
      description,
    },
    ...(path.endsWith('.jpg') && { srcSet: `${small}, ${path} ${width}w` }),
    alt: description || t('Picture without a description'),
  }
}
