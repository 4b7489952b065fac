import Type from 'typebox'
import { optional } from '../../http/params.ts'
import { json, type Route, route } from '../../http/route.ts'
import type { Block } from '../../storage/blocks.ts'
import type { PlatformContext } from '../context.ts'
import { cursor, fid, limit, type Position, pageReply } from '../params.ts'
import { Fid, PageOf, SUCCESS, Success, UnixSeconds } from '../schemas.ts'
import { block, importBlocks, MAX_IMPORTED_BLOCKS, unblock } from './blocks.ts'

const BlockedUser = Type.Object({
  blockerFid: Fid,
  blockedFid: Fid,
  createdAt: { ...UnixSeconds, description: 'Unix seconds.' },
})
const BlockedUsers = Type.Object({ blockedUsers: Type.Array(BlockedUser) })
const TAGS = ['Blocks']

export const blockRoutes = (context: PlatformContext): Route[] => [
  listRoute(context, '/v1/blocked-users'),
  listRoute(context, '/fc/blocked-users'),
  route(
    {
      method: 'POST',
      path: '/fc/blocked-users',
      summary: 'Block a user',
      description: 'Blocking a user once more changes nothing, the time of the block neither.',
      tags: TAGS,
      body: json(Type.Object({ blockFid: Fid })),
      reply: Success,
      errors: ['unauthenticated', 'bad_request.validation_failure', 'not_found'],
    },
    async ({ body, request }) => {
      const actor = await context.actorOf(request)
      await block(context, actor.fid, body.blockFid)
      return SUCCESS
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/fc/blocked-users',
      summary: 'Let a user be that was blocked',
      tags: TAGS,
      body: json(Type.Object({ unblockFid: Fid })),
      reply: Success,
      errors: ['unauthenticated', 'bad_request.validation_failure'],
    },
    async ({ body, request }) => {
      const actor = await context.actorOf(request)
      await unblock(context, actor.fid, body.unblockFid)
      return SUCCESS
    },
  ),
]

/** For moving blocks from one server to another, a portion at a time. */
export const operatorBlockRoutes = (context: PlatformContext): Route[] => [
  listRoute(context, '/platform/blocked-users'),
  route(
    {
      method: 'POST',
      path: '/platform/blocked-users',
      summary: 'Bring in blocks with the times they were made',
      description: 'All or none of a portion is taken; what is there already is passed over.',
      tags: TAGS,
      body: json(
        Type.Object({
          blockedUsers: Type.Array(BlockedUser, { minItems: 1, maxItems: MAX_IMPORTED_BLOCKS }),
        }),
      ),
      reply: Type.Object({ imported: Type.Integer({ description: 'Those that were not here.' }) }),
      errors: ['bad_request.validation_failure'],
    },
    async ({ body }) => ({
      imported: await importBlocks(context, body.blockedUsers.map(blockOf)),
    }),
  ),
]

const listRoute = ({ storage }: PlatformContext, path: string): Route =>
  route(
    {
      method: 'GET',
      path,
      summary: 'Who blocks whom, newest first',
      tags: TAGS,
      query: {
        blockerFid: optional(fid),
        limit: limit({ default: 100, max: 1_000 }),
        cursor: cursor('nnn'),
      },
      reply: PageOf(BlockedUsers),
    },
    async ({ query }) => {
      const after = query.cursor && blockAt(query.cursor)
      const page = { blocker: query.blockerFid, after }
      const rows = await storage.blocks.list(page, query.limit + 1)
      return pageReply(rows, query.limit, positionOf, (items) => ({
        blockedUsers: items.map(blockJson),
      }))
    },
  )

const blockAt = ([created_at, blocker, blocked]: Position): Block =>
  ({ created_at, blocker, blocked }) as Block
const positionOf = ({ created_at, blocker, blocked }: Block) => [created_at, blocker, blocked]

const blockJson = ({ blocker, blocked, created_at }: Block) => ({
  blockerFid: blocker,
  blockedFid: blocked,
  createdAt: created_at,
})

type BlockedUserJson = ReturnType<typeof blockJson>
const blockOf = ({ blockerFid, blockedFid, createdAt }: BlockedUserJson): Block => ({
  blocker: blockerFid,
  blocked: blockedFid,
  created_at: createdAt,
})
