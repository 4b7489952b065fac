import type { Said, Say } from '../../kernel/http/translator.ts'
import { csvOf } from './csv.ts'
import {
  followPart,
  indexParts,
  likePart,
  type Overview,
  pageOf,
  partsOf,
  postPart,
  rowPart,
  turnPart,
} from './pages.ts'
import {
  type Follow,
  handleOf,
  type KeptRow,
  type Like,
  type Link,
  type Post,
  type Source,
} from './source.ts'

/** Texts are given on in pieces of this size: a piece of each line would cost more than what is in it. */
const PIECE_BYTES = 64 * 1024
/** Posts of one page: a browser shows it at once. They are in memory together. */
const POSTS_OF_PAGE = 500
/** Posts on the first page. */
const NEWEST_POSTS = 20
/** Rows of each kind on the first page; more.html has all. */
const OVERVIEW_ROWS = 50
/** The version of what data.json looks like; docs/archive.md describes it. */
export const ARCHIVE_FORMAT = 1

type Entry = {
  readonly name: string
  readonly lastModified: Date
  readonly input: AsyncGenerator<Uint8Array>
}

/** The files of an archive in the order in which they are sent. What a file has is read while it is sent. */
export async function* entriesOf(source: Source, say: Say): AsyncGenerator<Entry> {
  const entry = (name: string, input: AsyncGenerator<Uint8Array>): Entry => ({
    ...{ name, input },
    lastModified: source.at,
  })
  const text = (name: string, texts: AsyncIterable<string>) => entry(name, inPieces(texts))
  const overview = { newest: [] as Post[], posts: 0, ...(await overviewRows(source)) }
  for await (const [name, page] of postPages(source, say, overview)) yield text(name, page)
  const { follows, likes, rows } = source
  const page = (title: Said, parts: Parameters<typeof pageOf>[2]) => pageOf(say, { title }, parts)
  const [nobody, nothing] = [say('Nobody.'), say('Nothing.')]
  yield text(
    'follows.html',
    page(
      say('Whom you follow'),
      partsOf(follows(), (one) => followPart(say, one), nobody),
    ),
  )
  yield text(
    'likes.html',
    page(
      say('What you liked and {reposted}'),
      partsOf(likes(), (one) => likePart(say, one), nothing),
    ),
  )
  yield text(
    'more.html',
    page(say('Everything else that the server keeps about you'), partsOf(rows(), rowPart, nothing)),
  )
  yield text('posts.csv', csvOf(source.posts(), POST_COLUMNS))
  yield text('follows.csv', csvOf(follows(), FOLLOW_COLUMNS))
  yield text('likes.csv', csvOf(likes(), LIKE_COLUMNS))
  yield text('data.json', dataOf(source))
  yield text('signed-messages.txt', linesOf(source.signed()))
  const { displayName: name = handleOf({ fid: source.fid, ...source.profile }) } = source.profile
  yield text(
    'index.html',
    page(say('What {name} wrote', { name }), indexParts(say, source, overview)),
  )
  for await (const { file, bytes } of source.files()) if (bytes) yield entry(file, bytes())
}

/** Pages of posts; notes how many there are, and the newest. */
async function* postPages(
  source: Source,
  say: Say,
  overview: { newest: Post[]; posts: number },
): AsyncGenerator<readonly [string, AsyncIterable<string>]> {
  let page: Post[] = []
  let n = 0
  const written = (hasMore: boolean) => {
    n += 1
    const parts = [...page.map((post) => postPart(say, post, '../')), turnPart(say, n, hasMore)]
    const title = say('{Posts}, page {n}', { n })
    return [`posts/${n}.html`, pageOf(say, { title, top: '../' }, parts)] as const
  }
  for await (const post of source.posts()) {
    if (page.length === POSTS_OF_PAGE) {
      yield written(true)
      page = []
    }
    page.push(post)
    overview.posts += 1
    if (overview.newest.length < NEWEST_POSTS) overview.newest.push(post)
  }
  if (page.length > 0) yield written(false)
}

const SIGN_IN_TABLES = /^(?:sealed_key|app_signer|signer|gasless_key)$/
const MODERATION_TABLES = /moderat|report|appeal|hidden|suspen|limit/

async function overviewRows(source: Source): Promise<Pick<Overview, 'signInWays' | 'moderation'>> {
  const signInWays: KeptRow[] = []
  const moderation = await source.decisions()
  for await (const kept of source.rows()) {
    const list = SIGN_IN_TABLES.test(kept.table)
      ? signInWays
      : MODERATION_TABLES.test(kept.table)
        ? moderation
        : undefined
    if (list && list.length < OVERVIEW_ROWS) list.push(kept)
  }
  return { signInWays, moderation }
}

const linkText = (link: Link): string => ('post' in link ? link.post.hash : (link.file ?? link.url))

const POST_COLUMNS = {
  time: ({ at }: Post) => at,
  text: ({ text }: Post) => text,
  channel: ({ channel }: Post) => channel,
  'reply to': ({ replyTo }: Post) => replyTo && handleOf(replyTo.author),
  'text of that': ({ replyTo }: Post) => replyTo?.text,
  'links and files': ({ links }: Post) => links.map(linkText).join(' '),
  hash: ({ hash }: Post) => hash,
}
const FOLLOW_COLUMNS = {
  time: ({ at }: Follow) => at,
  name: handleOf,
  'display name': ({ displayName }: Follow) => displayName,
  number: ({ fid }: Follow) => `${fid}`,
}
const LIKE_COLUMNS = {
  time: ({ at }: Like) => at,
  kind: ({ kind }: Like) => kind,
  author: ({ post }: Like) => post && handleOf(post.author),
  text: ({ post }: Like) => post?.text,
  'hash or address': ({ post, url }: Like) => post?.hash ?? url,
}

/** Everything but files and signatures, for programs. */
async function* dataOf(source: Source): AsyncGenerator<string> {
  const { fid, profile, at, server, custodyAddress } = source
  const account = { fid, custodyAddress, ...profile, pictureFile: source.fileOf(profile.picture) }
  const about = { format: ARCHIVE_FORMAT, server, madeAt: at.toISOString(), account }
  yield JSON.stringify(about, undefined, 1).replace(/\n\}$/, '')
  const lists = {
    posts: source.posts(),
    follows: source.follows(),
    likes: source.likes(),
    files: filesWithoutBytes(source),
    decisions: await source.decisions(),
    otherMessages: source.others(),
    kept: source.rows(),
  }
  for (const [name, items] of Object.entries(lists)) {
    yield `,\n "${name}": [`
    let separator = '\n'
    for await (const item of items as AsyncIterable<object> | object[]) {
      yield `${separator}  ${JSON.stringify(item)}`
      separator = ',\n'
    }
    yield '\n ]'
  }
  yield '\n}\n'
}

async function* filesWithoutBytes(source: Source) {
  for await (const { bytes, ...file } of source.files()) {
    yield bytes ? file : { ...file, isLost: true }
  }
}

async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) yield `${text}\n`
}

async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let piece = ''
  for await (const text of texts) {
    piece += text
    if (piece.length < PIECE_BYTES) continue
    yield Buffer.from(piece)
    piece = ''
  }
  yield Buffer.from(piece)
}
