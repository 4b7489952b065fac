import { escapeMarkup } from '../../kernel/http/markup.ts'
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
// of the archive, whatever people have written.

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

const head = (title: string, top: string): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
${top === '' ? undefined : html`<nav aria-label="Archive"><a href="${top}index.html">Everything in here</a></nav>`}
<main>
<h1>${title}</h1>
`.html

const FOOT = '</main>\n</body>\n</html>\n'

/** A page that is written as its parts come; `top` leads from its folder to that of the archive. */
export async function* pageOf(
  { title, top = '' }: { readonly title: string; readonly top?: string },
  parts: AsyncIterable<Html> | Iterable<Html>,
): AsyncGenerator<string> {
  yield head(title, top)
  for await (const part of parts) yield part.html
  yield FOOT
}

/** Each item as a part; a sentence where there are none. */
export async function* partsOf<T>(
  items: AsyncIterable<T> | Iterable<T>,
  part: (item: T) => Html,
  none: string,
): AsyncGenerator<Html> {
  let count = 0
  for await (const item of items) {
    count += 1
    yield part(item)
  }
  if (count === 0) yield html`<p>${none}</p>`
}

const timeOf = (at: string): Html =>
  html`<time datetime="${at}">${at.slice(0, 16).replace('T', ' ')} UTC</time>`

const personOf = (person: Person): Html => {
  const { displayName } = person
  return html`<span dir="auto">${displayName ? `${displayName} ` : ''}</span><span class="soft">${handleOf(person)}</span>`
}

const quotedOf = ({ author, text, hash }: Quoted): Html =>
  html`<blockquote>${personOf(author)}<p class="text" dir="auto">${
    text ?? `This server does not have the post ${hash}.`
  }</p></blockquote>`

function linkOf(link: Link, top: string): Html {
  if ('post' in link) return quotedOf(link.post)
  const { url, file } = link
  if (!file) return html`<p>${webLink(url)}</p>`
  return /\.(?:mp4|webm)$/.test(file)
    ? html`<p><video controls preload="none" src="${top + file}"></video></p>`
    : html`<p><img loading="lazy" alt="" src="${top + file}"></p>`
}

export const postPart = (post: Post, top: string): Html => {
  const { at, text, replyTo, channel, links, hiddenByModerators, hash } = post
  return html`<article id="${hash}">
${timeOf(at)}${hiddenByModerators && html` <strong>Hidden by moderators</strong>`}
${channel && html`<div class="soft">In ${webLink(channel)}</div>`}${
  replyTo && html`<div class="soft">In reply to</div>${quotedOf(replyTo)}`
}<p class="text" dir="auto">${text}</p>${links.map((link) => linkOf(link, top))}</article>
`
}

export const followPart = (follow: Follow): Html =>
  html`<div class="row">${personOf(follow)} ${timeOf(follow.at)}</div>\n`

export const likePart = ({ kind, at, post, url }: Like): Html =>
  html`<div class="row">${kind === 'like' ? 'Liked' : 'Reposted'} ${timeOf(at)}${
    post && quotedOf(post)
  }${url === undefined ? undefined : html`<p>${webLink(url)}</p>`}</div>
`

/** `mutedTerm` and `muted_term` as `muted term`. */
const wordsOf = (name: string): string =>
  name.replaceAll('_', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const isTold = (value: unknown) => value !== null && value !== ''

export const rowPart = ({ table, row }: KeptRow): Html =>
  html`<div class="row"><strong>${wordsOf(table)}</strong><dl>${Object.entries(row)
    .filter(([, value]) => isTold(value))
    .map(
      ([name, value]) => html`<dt>${wordsOf(name)}</dt><dd dir="auto">${String(value)}</dd>`,
    )}</dl></div>
`

/** Between pages of one list. */
export const turnPart = (n: number, hasMore: boolean): Html =>
  n === 1 && !hasMore
    ? html``
    : html`<nav aria-label="Pages"><ul>${n > 1 && html`<li><a href="${String(n - 1)}.html">Newer posts</a></li>`}${
        hasMore && html`<li><a href="${String(n + 1)}.html">Older posts</a></li>`
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
export function* indexParts(source: Source, overview: Overview): Generator<Html> {
  const { profile, fid, at, server, custodyAddress, fileOf } = source
  const picture = fileOf(profile.picture)
  yield html`${picture === undefined ? undefined : html`<img class="face" alt="" src="${picture}">`}
<p>${personOf({ fid, ...profile })}</p>
<p class="text" dir="auto">${profile.bio}</p>${profile.website && html`<p>${webLink(profile.website)}</p>`}
<dl><dt>Taken from</dt><dd dir="auto">${server}</dd><dt>On</dt><dd>${timeOf(at.toISOString())}</dd>
<dt>Number of the account</dt><dd>${String(fid)}</dd>${
    custodyAddress && html`<dt>Owned by the key</dt><dd>${custodyAddress}</dd>`
  }</dl>
<h2>What is in here</h2>
<ul>
<li>${
    overview.posts === 0
      ? 'No posts'
      : html`<a href="posts/1.html">Your posts</a> (${String(overview.posts)})`
  }, also as <a href="posts.csv">a table</a></li>
<li><a href="follows.html">Whom you follow</a>, also as <a href="follows.csv">a table</a></li>
<li><a href="likes.html">What you liked and reposted</a>, also as <a href="likes.csv">a table</a></li>
<li><a href="more.html">Everything else that the server keeps about you</a></li>
<li>Your pictures and videos, in the folder <code>media</code></li>
<li>For programs: <a href="data.json">data.json</a> has all of this, and <a href="signed-messages.txt">signed-messages.txt</a>
your messages as you signed them, one a line</li>
</ul>
<p>Your recovery words, passkeys and password are not in it.</p>
<h2>How you sign in</h2>
`
  yield* overview.signInWays.map(rowPart)
  if (overview.signInWays.length === 0) yield html`<p>With your recovery words or your wallet.</p>`
  yield html`<h2>Moderation about you</h2>\n`
  yield* overview.moderation.map(rowPart)
  if (overview.moderation.length === 0) yield html`<p>Nothing.</p>`
  yield html`<h2>Your newest posts</h2>\n`
  yield* overview.newest.map((post) => postPart(post, ''))
  if (overview.newest.length === 0) yield html`<p>You have not written any.</p>`
}
