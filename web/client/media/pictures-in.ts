import { pictureUrl } from '../parts/picture-url.ts'
import type { Cast, EmbedUrl } from '../types.ts'
import { isMedia, ownPath } from './own-path.ts'
import { isVideo, pictureOf, smallOf } from './picture-of.ts'

/** Levels of an answer that are looked into: quotes nest. */
const MAX_DEPTH = 12

/** The small pictures that an answer of the app API shows, in its order: of people, and of what they wrote. */
export function picturesIn(answer: unknown, depth = 0): string[] {
  if (typeof answer !== 'object' || answer === null || depth > MAX_DEPTH) return []
  if (Array.isArray(answer)) return answer.flatMap((one) => picturesIn(one, depth + 1))
  return Object.entries(answer).flatMap(([name, value]) => {
    if (name === 'pfp_url') return pictureUrl(value, 96) ?? []
    if (name === 'embeds' && Array.isArray(value)) {
      return value.flatMap((one) => ('url' in one ? ofEmbed(one) : picturesIn(one, depth + 1)))
    }
    return picturesIn(value, depth + 1)
  })
}

function ofEmbed(embed: EmbedUrl): string[] {
  // Who reads has not asked for it yet.
  if (embed.sensitive || !isMedia(embed)) return []
  const path = ownSmall(embed)
  if (path) return [path]
  return isVideo(embed) ? [] : [pictureOf(embed).src]
}

/** The small size of what is kept here, or the picture of a video. */
function ownSmall(embed: EmbedUrl): string | undefined {
  const path = ownPath(embed)
  if (!path) return undefined
  if (isVideo(embed)) return embed.metadata?.video?.poster_url ? smallOf(path) : undefined
  return path.endsWith('.jpg') ? smallOf(path) : path
}

/** The first picture among embeds, as small as there is. */
export function firstPicture(embeds: Cast['embeds']) {
  for (const embed of embeds) {
    if (!('url' in embed) || !isMedia(embed)) continue
    const src = ownSmall(embed) ?? (isVideo(embed) ? undefined : pictureUrl(embed.url, 96))
    if (src) return { src, isSensitive: embed.sensitive === true, alt: embed.alt_text ?? '' }
  }
  return undefined
}
