import { escapeMarkup } from '../../kernel/http/markup.ts'
import { localeOf, type Said, type Say } from '../../kernel/http/translator.ts'
import {
  type Follow,
  handleOf,
  type KeptRow,
  type Like,
  type Link,
  type Person,
  type Post,
  type Quoted,
  type Source,
} from './source.ts'

// The pages of an archive: opened from a disk, without a network and without scripts. Nothing of them loads anything but files
// of the archive, whatever people have written. They are in the language of the account, but for the names of data.json, which
// more.html shows, too.

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file:; media-src 'self' file:"

const STYLE = `:root{color-scheme:light dark;--line:#8884;--soft:#767676;--link:#1a5fb4}
@media (prefers-color-scheme:dark){:root{--soft:#a0a0a0;--link:#8ab8f0}}
body{background:Canvas;color:CanvasText;font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}
a{color:var(--link)}h1{font-size:1.5rem}h2{font-size:1.2rem;margin-top:2rem}
nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1rem}
article,.row{border-top:1px solid var(--line);padding:.75rem 0}
.soft,time{color:var(--soft)}p.text{white-space:pre-wrap;margin:.25rem 0}
blockquote{border-inline-start:3px solid var(--line);margin:.5rem 0;padding-inline-start:.75rem}
img,video{max-width:100%;max-height:32rem;border-radius:.5rem}
.face{width:5rem;height:5rem;object-fit:cover;border-radius:50%}
dl{display:grid;grid-template-columns:minmax(6rem,auto) 1fr;gap:.125rem 1rem;margin:0}dd{margin:0}
dt{color:var(--soft)}`

/** A piece of HTML; texts become one only by being escaped. */
type Html = { readonly html: string }
type Piece = Html | string | false | undefined | readonly (Html | string | undefined)[]

const htmlOf = (piece: Piece): string => {
  if (piece === undefined || piece === false) return ''
  if (typeof piece === 'string') return escapeMarkup(piece)
  return 'html' in piece ? piece.html : piece.map(htmlOf).join('')
}

/** HTML in which every value that is put in is escaped. */
const html = (texts: TemplateStringsArray, ...values: Piece[]): Html => ({
  html: texts.map((text, i) => text + htmlOf(values[i])).join(''),
})

/** Where a page leads: addresses of the web alone, never of scripts. */
const webLink = (url: string): Html =>
  /^https?:\/\//i.test(url)
    ? html`<a href="${url}" rel="noopener noreferrer">${url}</a>`
    : html`${url}`

const head = (say: Say, title: Said, top: string): string =>
  html`<!doctype html>
<html lang="${say.language.code}" dir="${say.language.dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
${top === '' ? undefined : html`<nav><a href="${top}index.html">${say('Everything in here')}</a></nav>`}
<main>
<h1>${title}</h1>
`.html

const FOOT = '</main>\n</body>\n</html>\n'

/** A page that is written as its parts come; `top` leads from its folder to that of the archive. */
export async function* pageOf(
  say: Say,
  { title, top = '' }: { readonly title: Said; readonly top?: string },
  parts: AsyncIterable<Html> | Iterable<Html>,
): AsyncGenerator<string> {
  yield head(say, title, top)
  for await (const part of parts) yield part.html
  yield FOOT
}

/** Each item as a part; a sentence where there are none. */
export async function* partsOf<T>(
  items: AsyncIterable<T> | Iterable<T>,
  part: (item: T) => Html,
  none: Said,
): AsyncGenerator<Html> {
  let count = 0
  for await (const item of items) {
    count += 1
    yield part(item)
  }
  if (count === 0) yield html`<p>${none}</p>`
}

const TIME: Intl.DateTimeFormatOptions = {
  ...{ year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' },
  ...{ timeZone: 'UTC', timeZoneName: 'short' },
}
const formats = new Map<string, Intl.DateTimeFormat>()

const timeOf = ({ language }: Say, at: string): Html => {
  const format = formats.get(language.code) ?? new Intl.DateTimeFormat(localeOf(language), TIME)
  formats.set(language.code, format)
  return html`<time datetime="${at}">${format.format(new Date(at))}</time>`
}

const personOf = (person: Person): Html => {
  const { displayName } = person
  return html`<bdi>${displayName ?? ''}</bdi> <bdi class="soft">${handleOf(person)}</bdi>`
}

const quotedOf = (say: Say, { author, text, hash }: Quoted): Html =>
  html`<blockquote>${personOf(author)}<p class="text" dir="auto">${
    text ?? say('This server does not have the {post} {hash}.', { hash })
  }</p></blockquote>`

function linkOf(say: Say, link: Link, top: string): Html {
  if ('post' in link) return quotedOf(say, link.post)
  const { url, file } = link
  if (!file) return html`<p>${webLink(url)}</p>`
  return /\.(?:mp4|webm)$/.test(file)
    ? html`<p><video controls preload="none" src="${top + file}"></video></p>`
    : html`<p><img loading="lazy" alt="" src="${top + file}"></p>`
}

export const postPart = (say: Say, post: Post, top: string): Html => {
  const { at, text, replyTo, channel, links, hiddenByModerators, hash } = post
  return html`<article id="${hash}">
${timeOf(say, at)}${hiddenByModerators && html` <strong>${say('Hidden by moderators')}</strong>`}
${channel && html`<div class="soft">${say('In this channel:')} <bdi>${webLink(channel)}</bdi></div>`}${
  replyTo && html`<div class="soft">${say('In reply to:')}</div>${quotedOf(say, replyTo)}`
}<p class="text" dir="auto">${text}</p>${links.map((link) => linkOf(say, link, top))}</article>
`
}

export const followPart = (say: Say, follow: Follow): Html =>
  html`<div class="row">${personOf(follow)} ${timeOf(say, follow.at)}</div>\n`

export const likePart = (say: Say, { kind, at, post, url }: Like): Html =>
  html`<div class="row">${
    kind === 'like' ? say('You liked this:') : say('You {reposted} this:')
  } ${timeOf(say, at)}${
    post && quotedOf(say, post)
  }${url === undefined ? undefined : html`<p>${webLink(url)}</p>`}</div>
`

/** `mutedTerm` and `muted_term` as `muted term`. */
const wordsOf = (name: string): string =>
  name.replaceAll('_', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const isTold = (value: unknown) => value !== null && value !== ''

export const rowPart = ({ table, row }: KeptRow): Html =>
  html`<div class="row"><strong lang="en">${wordsOf(table)}</strong><dl>${Object.entries(row)
    .filter(([, value]) => isTold(value))
    .map(
      ([name, value]) =>
        html`<dt lang="en">${wordsOf(name)}</dt><dd dir="auto">${String(value)}</dd>`,
    )}</dl></div>
`

/** Between pages of one list. */
export const turnPart = (say: Say, n: number, hasMore: boolean): Html =>
  n === 1 && !hasMore
    ? html``
    : html`<nav><ul>${n > 1 && html`<li><a href="${String(n - 1)}.html">${say('Newer {posts}')}</a></li>`}${
        hasMore && html`<li><a href="${String(n + 1)}.html">${say('Older {posts}')}</a></li>`
      }</ul></nav>
`

/** What the first page shows of the rest. */
export type Overview = {
  readonly newest: readonly Post[]
  readonly posts: number
  readonly signInWays: readonly KeptRow[]
  readonly moderation: readonly KeptRow[]
}

/** The page that is opened first. */
export function* indexParts(say: Say, source: Source, overview: Overview): Generator<Html> {
  const { profile, fid, at, server, custodyAddress, fileOf } = source
  const picture = fileOf(profile.picture)
  const asTable = (file: string) => html`<a href="${file}">${say('As a table')}</a>`
  yield html`${picture === undefined ? undefined : html`<img class="face" alt="" src="${picture}">`}
<p>${personOf({ fid, ...profile })}</p>
<p class="text" dir="auto">${profile.bio}</p>${profile.website && html`<p>${webLink(profile.website)}</p>`}
<dl><dt>${say('Taken from')}</dt><dd dir="auto">${server}</dd><dt>${say('Time')}</dt><dd>${timeOf(say, at.toISOString())}</dd>
<dt>${say('Number of the account')}</dt><dd>${String(fid)}</dd>${
    custodyAddress && html`<dt>${say('Owned by the key')}</dt><dd dir="ltr">${custodyAddress}</dd>`
  }</dl>
<h2>${say('What is in here')}</h2>
<ul>
<li>${
    overview.posts === 0
      ? say('You have not written any {posts}.')
      : html`<a href="posts/1.html">${say(
          '{count, plural, one {Your # {post}} other {Your # {posts}}}',
          { count: overview.posts },
        )}</a> &#183; ${asTable('posts.csv')}`
  }</li>
<li><a href="follows.html">${say('Whom you follow')}</a> &#183; ${asTable('follows.csv')}</li>
<li><a href="likes.html">${say('What you liked and {reposted}')}</a> &#183; ${asTable('likes.csv')}</li>
<li><a href="more.html">${say('Everything else that the server keeps about you')}</a></li>
<li>${say('Your pictures and videos are in the folder {folder}.', { folder: 'media' })}</li>
<li><a href="data.json">${say('All of this for programs')}</a></li>
<li><a href="signed-messages.txt">${say('Your messages as you signed them, one a line')}</a></li>
</ul>
<p>${say('Your recovery words, passkeys and password are not in it.')}</p>
<h2>${say('How you sign in')}</h2>
`
  yield* overview.signInWays.map(rowPart)
  if (overview.signInWays.length === 0)
    yield html`<p>${say('With your recovery words or your wallet.')}</p>`
  yield html`<h2>${say('Moderation about you')}</h2>\n`
  yield* overview.moderation.map(rowPart)
  if (overview.moderation.length === 0) yield html`<p>${say('Nothing.')}</p>`
  yield html`<h2>${say('Your newest {posts}')}</h2>\n`
  yield* overview.newest.map((post) => postPart(say, post, ''))
  if (overview.newest.length === 0) yield html`<p>${say('You have not written any {posts}.')}</p>`
}
