import Type from 'typebox'
import { viewerOf } from '../../kernel/app-api/app-route.ts'
import { HashText, SUCCESS, SuccessReply, unknownCast } from '../../kernel/app-api/bodies.ts'
import type { StoreContext, Viewer } from '../../kernel/app-api/context.ts'
import { nextOf, paged } from '../../kernel/app-api/cursor.ts'
import { castKey } from '../../kernel/app-api/keys.ts'
import { hydrate } from '../../kernel/app-api/objects/hydrate.ts'
import { pageOf } from '../../kernel/app-api/pages.ts'
import { hashParam } from '../../kernel/app-api/params.ts'
import type { ActorsPort } from '../../kernel/app-api/ports.ts'
import { Cast, Next } from '../../kernel/app-api/schemas.ts'
import { described, optional } from '../../kernel/http/input/params.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection, type RejectionCode } from '../../kernel/protocol/rejection.ts'
import { type Bookmark, bookmarkRows, MAX_BOOKMARKS } from './tables/bookmarks.ts'

// What a member keeps to read again, for a token that a key of the member has signed. No other answer tells of it.

const BOOKMARKS = [
  { name: 'Bookmarks', description: 'Casts that a user keeps. Nobody else learns of it.' },
]
const PATH = '/v2/farcaster/bookmark/own'

const BookmarkBody = Type.Object({ cast_hash: HashText })

const BookmarksReply = Type.Object({
  bookmarks: Type.Array(
    Type.Object(
      {
        object: Type.Literal('bookmark'),
        cast_hash: Type.String(),
        author_fid: Type.Integer(),
        saved_at: Type.String({ format: 'date-time' }),
        cast: Type.Union([Cast, Type.Null()], {
          description: 'Null while the cast is not available: deleted, or hidden from the user.',
        }),
      },
      { $id: 'Bookmark' },
    ),
  ),
  next: Next,
})

const errors: readonly RejectionCode[] = [
  'unauthorized.suspended',
  'bad_request.validation_failure',
]

type Needs = StoreContext & { readonly platform: ActorsPort }

export const bookmarkRoutes = (context: Needs): Route[] =>
  bind(context, [ownBookmarks, ownHashes, addBookmark, removeBookmark])

const ownBookmarks = route(`GET ${PATH}`, {
  callers: 'user of an app',
  summary: 'The casts that the user keeps',
  description: 'Of the user of the bearer token, what was kept last first.',
  tags: BOOKMARKS,
  query: {
    cast_hash: optional(described(hashParam, 'Only whether this cast is among them.')),
    ...paged({ default: 25, max: 100 }, 'n', 'n', 'h'),
  },
  reply: BookmarksReply,
  errors,
  cost: { cpu: 'medium', rows: 100 },
  handler: async (context: Needs, { query: { castHash, limit, cursor }, request }) => {
    const { fid } = await context.platform.actorOf(request)
    const kept = context.storage.of(bookmarkRows)
    const rows = castHash ? await kept.of(fid, castHash) : await kept.newest(fid, cursor, limit + 1)
    const { items, last } = pageOf(rows, limit)
    return {
      bookmarks: await shownTo(context, viewerOf(request, fid), items),
      next: nextOf(last && [last.saved_at, last.author_fid, last.cast_hash]),
    }
  },
})

const ownHashes = route(`GET ${PATH}/hashes`, {
  callers: 'user of an app',
  summary: 'The hashes of all casts that the user keeps',
  description: `Of the user of the bearer token, in no order: at most ${MAX_BOOKMARKS}. With it a client marks what is kept wherever it shows casts.`,
  tags: BOOKMARKS,
  reply: Type.Object({ cast_hashes: Type.Array(Type.String()) }),
  errors: ['unauthorized.suspended'],
  cost: { cpu: 'medium', rows: MAX_BOOKMARKS },
  handler: async ({ storage, platform }: Needs, { request }) => {
    const { fid } = await platform.actorOf(request)
    return { cast_hashes: (await storage.of(bookmarkRows).hashes(fid)).map(toHex) }
  },
})

/** Bookmarks with their casts, as far as the user may see them. Who keeps a cast wants to read it, whatever words it has. */
async function shownTo(
  context: Needs,
  viewer: Viewer & { readonly viewer: number },
  rows: readonly Bookmark[],
) {
  const keyOf = ({ author_fid, cast_hash }: Bookmark) => castKey(author_fid, cast_hash)
  const [found, visible] = await Promise.all([
    hydrate(context, viewer, { casts: rows.map(keyOf) }),
    context.storage.appViews.shownAmong(
      viewer,
      rows.map(({ author_fid }) => author_fid),
    ),
  ])
  return rows.map((row) => ({
    object: 'bookmark' as const,
    cast_hash: toHex(row.cast_hash),
    author_fid: row.author_fid,
    saved_at: new Date(row.saved_at).toISOString(),
    cast: (visible.has(row.author_fid) && found.cast(keyOf(row))) || null,
  }))
}

const addBookmark = route(`POST ${PATH}`, {
  callers: 'user of an app',
  summary: 'Keep a cast',
  description: `For the user of the bearer token, who may keep ${MAX_BOOKMARKS}. Doing it once more changes nothing.`,
  tags: BOOKMARKS,
  body: json(BookmarkBody),
  reply: SuccessReply,
  errors: [...errors, 'bad_request.conflict', 'not_found'],
  cost: { cpu: 'small', rows: MAX_BOOKMARKS, writes: 1 },
  handler: async ({ storage, platform, nowMs }: Needs, { body, request }) => {
    const { fid } = await platform.actorOf(request)
    const hash = fromHex(body.cast_hash)!
    const cast = await storage.published.messages.castByHash(hash)
    if (!cast) throw unknownCast('cast_hash')
    const bookmark = { fid, author_fid: cast.fid, cast_hash: hash, saved_at: nowMs() }
    await storage.write(`fid/${fid}`, async (tx) => {
      const rows = tx.of(bookmarkRows)
      await rows.add(bookmark)
      if ((await rows.count(fid)) > MAX_BOOKMARKS) {
        throw new Rejection('bad_request.conflict', `you keep ${MAX_BOOKMARKS} casts already`)
      }
    })
    return SUCCESS
  },
})

const removeBookmark = route(`DELETE ${PATH}`, {
  callers: 'user of an app',
  summary: 'Keep a cast no longer',
  description: 'For the user of the bearer token. A cast that is not kept changes nothing.',
  tags: BOOKMARKS,
  body: json(BookmarkBody),
  reply: SuccessReply,
  errors,
  cost: { cpu: 'small', writes: 1 },
  handler: async ({ storage, platform }: Needs, { body, request }) => {
    const { fid } = await platform.actorOf(request)
    const hash = fromHex(body.cast_hash)!
    await storage.write(`fid/${fid}`, (tx) => tx.of(bookmarkRows).remove(fid, hash))
    return SUCCESS
  },
})
