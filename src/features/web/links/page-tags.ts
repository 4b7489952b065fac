import { escapeMarkup } from '../../../kernel/http/markup.ts'
import type { Say } from '../../../kernel/http/translator.ts'
import type { AppReader, ShownCast, ShownChannel, ShownPerson } from '../app-reader.ts'
import { castPath, channelPath, feedPath, type PagePath, personPath } from '../paths.ts'
import { plainText } from '../previews/page-head.ts'

// Metadata in the head of a page, from which other sites make previews of shared links. Otherwise all pages are one
// file, which the client fills.

export type PageTags = {
  readonly title: string
  readonly description: string
  readonly path: string
  readonly type: 'profile' | 'article' | 'website'
  /** Of another site. */
  readonly picture: string | undefined
  readonly feed?: string
}

const MAX_TITLE_CHARACTERS = 100
const MAX_DESCRIPTION_CHARACTERS = 300
/** One of the widths of the picture proxy. */
const PICTURE_WIDTH = 640

const line = (text: string, max: number) => plainText(text, max) ?? ''

/** The tags of a page; undefined when it shows nothing that is published. */
export async function tagsOf(
  page: PagePath,
  reader: AppReader,
  say: Say,
): Promise<PageTags | undefined> {
  switch (page.kind) {
    case 'person': {
      const person = await reader.person(page.name)
      return person && personTags(person, say)
    }
    case 'cast': {
      const cast = await reader.cast(page.hash)
      return cast && castTags(cast, say)
    }
    case 'channel': {
      const channel = await reader.channel(page.id)
      return channel && channelTags(channel)
    }
  }
}

/** `Ada (@ada)`, or the account number without a name. */
export function nameOf({ fid, username, display_name }: ShownPerson, say: Say): string {
  const handle = username.startsWith('!')
    ? say('Account {fid}', { fid: String(fid) })
    : `@${username}`
  const name = line(display_name ?? '', MAX_TITLE_CHARACTERS)
  return name ? `${name} (${handle})` : handle
}

const personTags = (person: ShownPerson, say: Say): PageTags => ({
  title: nameOf(person, say),
  description: line(person.profile.bio.text, MAX_DESCRIPTION_CHARACTERS),
  path: personPath(person),
  type: 'profile',
  picture: person.pfp_url ?? undefined,
  feed: feedPath(personPath(person)),
})

const PICTURE = /\.(?:jpe?g|png|gif|webp)$/i

const castTags = (cast: ShownCast, say: Say): PageTags => ({
  title: nameOf(cast.author, say),
  description: line(cast.text, MAX_DESCRIPTION_CHARACTERS),
  path: castPath(cast),
  type: 'article',
  picture:
    cast.embeds.find(({ url, sensitive }) => url && !sensitive && PICTURE.test(url))?.url ??
    cast.author.pfp_url ??
    undefined,
  feed: feedPath(personPath(cast.author)),
})

const channelTags = ({ id, name, description, image_url }: ShownChannel): PageTags => ({
  title: `${line(name, MAX_TITLE_CHARACTERS)} (/${id})`,
  description: line(description, MAX_DESCRIPTION_CHARACTERS),
  path: channelPath(id),
  type: 'website',
  picture: image_url || undefined,
  feed: feedPath(channelPath(id)),
})

/** The metadata of the start page in web/client/index.html. */
const GENERAL_TAGS =
  /<title>[^<]*<\/title>|<meta (?:name="description"|name="twitter:card"|property="og:[^"]*")[^>]*>/g

/**
 * The page with these tags in its head. Absolute addresses need the public URL of this server; a name that the
 * request claims cannot be trusted.
 */
export function withTags(
  html: string,
  tags: PageTags,
  publicUrl: string | undefined,
  siteName: string,
): string {
  const { title, description, path, type, picture, feed } = tags
  const image =
    picture &&
    publicUrl &&
    `${publicUrl}/picture?${new URLSearchParams({ url: picture, width: String(PICTURE_WIDTH) })}`
  const properties = {
    'og:site_name': siteName,
    'og:type': type,
    'og:title': title,
    'og:description': description,
    ...(publicUrl && { 'og:url': publicUrl + path }),
    ...(image && { 'og:image': image }),
  }
  const head = [
    `<title>${escapeMarkup(`${title} – ${siteName}`)}</title>`,
    `<meta name="description" content="${escapeMarkup(description)}">`,
    ...Object.entries(properties).map(
      ([name, content]) => `<meta property="${name}" content="${escapeMarkup(content)}">`,
    ),
    '<meta name="twitter:card" content="summary">',
    feed &&
      `<link rel="alternate" type="application/atom+xml" title="${escapeMarkup(title)}" href="${escapeMarkup(feed)}">`,
  ]
  // A function, because `$` has a meaning in a replacement string.
  return html
    .replace(GENERAL_TAGS, '')
    .replace('</head>', () => `${head.filter(Boolean).join('\n    ')}\n  </head>`)
}
