import type { ShownCast } from '../app-reader.ts'
import { nameOf } from '../links/page-tags.ts'
import { escapeMarkup } from '../markup.ts'
import { castPath, feedPath, personPath } from '../paths.ts'
import { plainText } from '../previews/page-head.ts'

export type AtomFeed = {
  /** Never changes. */
  readonly id: string
  readonly title: string
  readonly subtitle: string
  /** The page that shows the same. */
  readonly path: string
  /** Of the feed when it is empty, RFC 3339. */
  readonly casts: readonly ShownCast[]
}

export const ATOM_TYPE = 'application/atom+xml; charset=utf-8'

const MAX_TITLE_CHARACTERS = 80
/** Of a feed without casts: it has not changed since. */
const EMPTY_UPDATED = '2021-01-01T00:00:00.000Z'

/** The feed as XML (RFC 4287). Addresses are relative to that of the feed unless the public one is known. */
export function writeAtom(feed: AtomFeed, publicUrl = ''): string {
  const { id, title, subtitle, path, casts } = feed
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    element('id', id),
    element('title', title),
    subtitle && element('subtitle', subtitle),
    element('updated', casts[0]?.timestamp ?? EMPTY_UPDATED),
    link('self', publicUrl + feedPath(path), 'application/atom+xml'),
    link('alternate', publicUrl + path, 'text/html'),
    '<generator>Rookery</generator>',
    ...casts.map((cast) => entry(cast, publicUrl)),
    '</feed>\n',
  ]
    .filter(Boolean)
    .join('\n')
}

const entry = (cast: ShownCast, publicUrl: string): string =>
  [
    '<entry>',
    element('id', `farcaster://casts/${cast.hash}`),
    element(
      'title',
      plainText(cast.text, MAX_TITLE_CHARACTERS) ?? `Cast by ${nameOf(cast.author)}`,
    ),
    element('published', cast.timestamp),
    element('updated', cast.timestamp),
    `<author>${element('name', nameOf(cast.author))}${element('uri', publicUrl + personPath(cast.author))}</author>`,
    link('alternate', publicUrl + castPath(cast), 'text/html'),
    ...cast.embeds.flatMap(({ url }) => (url ? link('related', url) : [])),
    `<content type="text">${escapeMarkup(cast.text)}</content>`,
    '</entry>',
  ].join('\n')

const element = (name: string, text: string): string => `<${name}>${escapeMarkup(text)}</${name}>`

const link = (rel: string, href: string, type?: string): string =>
  `<link rel="${rel}"${type ? ` type="${type}"` : ''} href="${escapeMarkup(href)}"/>`
