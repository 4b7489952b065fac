import Type from 'typebox'
import { type Position, pageReply } from '../../kernel/http/input/paging.ts'
import { optional } from '../../kernel/http/input/params.ts'
import { json, type Route, route } from '../../kernel/http/route.ts'
import type { OnPlatform, PlatformContext } from '../../kernel/platform/context.ts'
import { cursor, fid, limit } from '../../kernel/platform/params.ts'
import { Fid, PageOf, Result, SUCCESS, Success } from '../../kernel/platform/schemas.ts'
import { tagged } from '../../kernel/platform/tagged.ts'
import type { Block, StoredBlock } from '../../kernel/storage/tables/blocks.ts'
import { block, importBlocks, MAX_BATCH_RECORDS, unblock } from './blocks.ts'
import { BLOCK_JSON } from './tables/published-json.ts'

const BlockedUser = BLOCK_JSON.schema()
const BlockedUsers = Type.Object({ blockedUsers: Type.Array(BlockedUser) })
const TAGS = [{ name: 'Blocks', description: 'Which user blocks which.' }]

const blockedUsers = (path: string) =>
  route(`GET ${path}`, {
    callers: 'anyone',
    summary: 'Which user blocks which',
    description:
      'The newest first; of one user when `blockerFid` is given. Blocks by links of type `block` are among them. ' +
      'Who blocks a user in both ways is listed once, with the earlier time.',
    tags: TAGS,
    query: {
      blockerFid: optional(fid),
      limit: limit({ default: 100, max: 1_000 }),
      cursor: cursor('nnn'),
    },
    reply: tagged(PageOf(BlockedUsers)),
    errors: [],
    cost: 'list',
    handler: ({ context }: OnPlatform, { query }) => {
      const blocks = (rows: StoredBlock[]) => ({ blockedUsers: rows.map(BLOCK_JSON.of) })
      return blockPage(context.storage.blocks.published, query, blocks)
    },
  })

const blockUser = route('POST /fc/blocked-users', {
  callers: 'user',
  summary: 'Block a user',
  description: 'Blocking a user once more changes nothing, the time of the block neither.',
  tags: TAGS,
  body: json(Type.Object({ blockFid: Fid })),
  reply: Success,
  errors: ['bad_request.validation_failure', 'not_found'],
  cost: 'write',
  handler: async ({ context }: OnPlatform, { body, request }) => {
    const actor = await context.actorOf(request)
    await block(context, actor.fid, body.blockFid)
    return SUCCESS
  },
})

const unblockUser = route('DELETE /fc/blocked-users', {
  callers: 'user',
  summary: 'Unblock a user',
  description:
    'Unblocking a user who is not blocked changes nothing. A block by a link of type `block` ends only with ' +
    'that link; an error says that it is left.',
  tags: TAGS,
  body: json(Type.Object({ unblockFid: Fid })),
  reply: Success,
  errors: ['bad_request.validation_failure', 'bad_request.conflict'],
  cost: 'write',
  handler: async ({ context }: OnPlatform, { body, request }) => {
    const actor = await context.actorOf(request)
    await unblock(context, actor.fid, body.unblockFid)
    return SUCCESS
  },
})

const ExportRecord = Type.Object({ block: BLOCK_JSON.recordSchema })

const importAll = route('POST /platform/blocks/import', {
  callers: 'operator',
  summary: 'Import blocks with their times',
  description:
    'All lines of a batch are stored or none. Existing blocks do not change. The fids ' +
    'need not be registered yet.',
  tags: TAGS,
  body: json(
    Type.Object({
      lines: Type.Array(ExportRecord, { minItems: 1, maxItems: MAX_BATCH_RECORDS }),
    }),
  ),
  reply: Result(
    Type.Object({ blocks: Type.Integer({ description: 'The number of new blocks.' }) }),
  ),
  errors: ['bad_request.validation_failure'],
  cost: 'write',
  handler: async ({ context }: OnPlatform, { body }) => {
    const blocks = body.lines.map((line) => BLOCK_JSON.rowOf(line.block))
    return { result: { blocks: await importBlocks(context, blocks) } }
  },
})

const exportAll = route('GET /platform/blocks/export', {
  callers: 'operator',
  summary: 'Export all blocks',
  description:
    'The newest first. Blocks by links are left out: they are in the messages of the hub. A page may be short.',
  tags: TAGS,
  query: {
    limit: limit({ default: MAX_BATCH_RECORDS, max: MAX_BATCH_RECORDS }),
    cursor: cursor('nnn'),
  },
  reply: PageOf(Type.Object({ lines: Type.Array(ExportRecord) })),
  errors: [],
  cost: 'list',
  handler: ({ context }: OnPlatform, { query }) =>
    blockPage(context.storage.blocks.list, query, (rows) => ({
      lines: rows.flatMap((row) =>
        row.platform_at === null
          ? []
          : [{ block: BLOCK_JSON.record({ ...row, created_at: row.platform_at }) }],
      ),
    })),
})

type BlockQuery = { limit: number; cursor: Position | undefined; blockerFid?: number | undefined }

async function blockPage<R extends object>(
  list: PlatformContext['storage']['blocks']['list'],
  { limit, cursor, blockerFid }: BlockQuery,
  result: (rows: StoredBlock[]) => R,
) {
  const page = { blocker: blockerFid, after: cursor }
  return pageReply(await list(page, limit + 1), limit, positionOf, result)
}

const positionOf = ({ created_at, blocker, blocked }: Block) => [created_at, blocker, blocked]

export const blockRoutes: readonly Route<OnPlatform>[] = [
  blockedUsers('/v1/blocked-users'),
  blockedUsers('/fc/blocked-users'),
  blockUser,
  unblockUser,
]

/** Import and export of blocks in batches, for the operator. */
export const operatorBlockRoutes: readonly Route<OnPlatform>[] = [importAll, exportAll]
