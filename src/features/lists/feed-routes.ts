import { viewerOf } from '../../kernel/app-api/app-route.ts'
import { paged } from '../../kernel/app-api/cursor.ts'
import { castsPage, NO_CASTS } from '../../kernel/app-api/pages.ts'
import { CastsPageReply } from '../../kernel/app-api/schemas.ts'
import { bind, type RequestInfo, type Route, route } from '../../kernel/http/route.ts'
import type { Match } from '../../kernel/storage/engines/word-index.ts'
import { LAST_DOC } from '../../kernel/storage/reads/app-feeds.ts'
import { authorsPage } from '../app-api/port.ts'
import { MAX_LISTED, MAX_TAGS } from './limits.ts'
import { listIdParam } from './list-id.ts'
import { getList } from './list-routes.ts'
import { errors, LISTS, type Needs } from './needs.ts'
import { listRows } from './tables/lists.ts'

/** Matches that one page looks at. */
const MAX_MATCHES = 1_000

export const listFeedRoutes = (context: Needs): Route[] => bind(context, [tagFeed, listFeed])

const tagFeed = route('GET /v2/farcaster/feed/own_tags', {
  callers: 'user of an app',
  summary: 'Casts with tags that the user follows',
  description:
    'Of the user of the bearer token, the newest first, replies too. A page may be short and go on.',
  tags: LISTS,
  limit: 'search',
  query: { ...paged({ default: 25, max: 50 }, 'n') },
  reply: CastsPageReply,
  errors,
  cost: { cpu: 'large', rows: MAX_TAGS + MAX_MATCHES },
  handler: async (context: Needs, { query: { limit, cursor }, request }) => {
    const viewer = await ownerOf(context, request)
    const tags = await context.storage.of(listRows).tags(viewer.viewer)
    if (tags.length === 0) return NO_CASTS
    const parts = tags.map(
      ({ folded }): Match => ({ kind: 'token', token: folded, isPrefix: false }),
    )
    const page = await context.search.castsWithWords({
      match: parts.length > 1 ? { kind: 'or', parts } : parts[0],
      viewer,
      from: 0,
      before: cursor?.[0] ?? LAST_DOC,
      descending: true,
      limit,
      most: MAX_MATCHES,
    })
    return castsPage(context, viewer, page)
  },
})

const listFeed = route('GET /v2/farcaster/feed/own_list', {
  callers: 'user of an app',
  summary: 'Casts and recasts of the people on a list of the user',
  description: 'Of the user of the bearer token, the newest first.',
  tags: LISTS,
  query: { id: listIdParam, ...paged({ default: 25, max: 50 }, 'n') },
  reply: CastsPageReply,
  errors: [...errors, 'not_found'],
  cost: { cpu: 'medium', rows: 2 * MAX_LISTED },
  handler: async (context: Needs, { query: { id, limit, cursor }, request }) => {
    const viewer = await ownerOf(context, request)
    await getList(context.storage, viewer.viewer, id)
    const members = await context.storage.of(listRows).members(viewer.viewer, id)
    if (members.length === 0) return NO_CASTS
    const fids = members.map(({ member_fid }) => member_fid)
    return authorsPage(context, viewer, { fids, limit, before: cursor?.[0], withRecasts: true })
  },
})

async function ownerOf({ platform }: Needs, request: RequestInfo) {
  const { fid } = await platform.actorOf(request)
  return viewerOf(request, fid)
}
