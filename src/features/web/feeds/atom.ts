import { escapeMarkup } from '../../../kernel/http/markup.ts'
import type { Say } from '../../../kernel/http/translator.ts'
import type { ShownCast } from '../app-reader.ts'
import { nameOf } from '../links/page-tags.ts'
import { castPath, feedPath, personPath } from '../paths.ts'
import { plainText } from '../previews/page-head.ts'
import { type Attachment, attachmentsOf } from './attachments.ts'

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
export function writeAtom(feed: AtomFeed, say: Say, publicUrl = ''): string {
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
    ...casts.map((cast) => entry(cast, say, publicUrl)),
    '</feed>\n',
  ]
    .filter(Boolean)
    .join('\n')
}

function entry(cast: ShownCast, say: Say, publicUrl: string): string {
  const attachments = attachmentsOf(cast)
  const name = nameOf(cast.author, say)
  const title = plainText(cast.text, MAX_TITLE_CHARACTERS)
  return [
    '<entry>',
    element('id', `farcaster://casts/${cast.hash}`),
    title === undefined
      ? element('title', say('{Post} by {name}', { name }), say.language.code)
      : element('title', title, cast.lang),
    element('published', cast.timestamp),
    element('updated', cast.timestamp),
    `<author>${element('name', name)}${element('uri', publicUrl + personPath(cast.author))}</author>`,
    link('alternate', publicUrl + castPath(cast), 'text/html'),
    ...attachments.map(attachmentLink),
    `<content type="html"${langOf(cast.lang)}>${escapeMarkup(htmlOf(cast.text, attachments))}</content>`,
    '</entry>',
  ].join('\n')
}

/** Files are enclosures (RFC 4287, 4.2.7.2), which podcast and feed readers load or offer. */
const attachmentLink = ({ url, kind, type, length }: Attachment): string =>
  link(kind === 'page' ? 'related' : 'enclosure', url, type, length)

/** Readers collapse the lines of a text that is no HTML. */
const htmlOf = (text: string, attachments: readonly Attachment[]): string =>
  [
    text && `<p>${escapeMarkup(text).replace(/\r\n|\r|\n/g, '<br>')}</p>`,
    ...attachments.map((attachment) => `<p>${attachmentHtml(attachment)}</p>`),
  ].join('')

function attachmentHtml({ url, kind, description }: Attachment): string {
  const href = escapeMarkup(url)
  const words = escapeMarkup(description)
  if (kind === 'image') return `<img src="${href}" alt="${words}">`
  return `<a href="${href}">${words || href}</a>`
}

const element = (name: string, text: string, language?: string): string =>
  `<${name}${langOf(language)}>${escapeMarkup(text)}</${name}>`

/** Without one nothing is said: names and addresses are in no language. */
const langOf = (language: string | undefined): string =>
  language === undefined ? '' : ` xml:lang="${escapeMarkup(language)}"`

const link = (rel: string, href: string, type?: string, length?: number): string => {
  const about = [type && ` type="${type}"`, length !== undefined && ` length="${length}"`]
  return `<link rel="${rel}"${about.filter(Boolean).join('')} href="${escapeMarkup(href)}"/>`
}
