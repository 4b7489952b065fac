import Type, { type Static } from 'typebox'
import { pageReply } from '../../kernel/http/input/paging.ts'
import { anyTextParam, described, optional } from '../../kernel/http/input/params.ts'
import { type Call, json, type Route, route } from '../../kernel/http/route.ts'
import type { OnPlatform, PlatformContext } from '../../kernel/platform/context.ts'
import { cursor, fid, limit } from '../../kernel/platform/params.ts'
import { PageOf, Result, SUCCESS, Success } from '../../kernel/platform/schemas.ts'
import { MAX_FIDS_PER_CALL, MAX_MEMBERS_PER_PACK, MAX_PACKS_PER_FID } from './limits.ts'
import {
  NewStarterPack,
  packJson,
  packMemberJson,
  StarterPackEdit,
  StarterPackFids,
  StarterPackMemberReply,
  StarterPackReply,
  WhichStarterPack,
} from './schemas.ts'
import {
  addToPack,
  createPack,
  deletePack,
  editPack,
  getShownPack,
  removeFromPack,
} from './starter-packs.ts'
import type { StarterPack } from './tables/starter-packs.ts'
import { starterPackRows } from './tables/starter-packs.ts'

export const STARTER_PACK_TAGS = [
  { name: 'Starter packs', description: 'Lists of accounts that a newcomer may follow at once.' },
]
const WhichPack = described(anyTextParam, 'Id of the starter pack.')
const PackReply = Result(Type.Object({ starterPack: StarterPackReply }))

const onePack = route('GET /fc/starter-pack', {
  callers: 'anyone',
  summary: 'One starter pack',
  description: 'By its id; 404 when there is no such pack.',
  tags: STARTER_PACK_TAGS,
  query: { id: WhichPack },
  reply: PackReply,
  errors: ['not_found'],
  cost: 'lookup',
  handler: async ({ context }: OnPlatform, { query: { id } }) => ({
    result: { starterPack: packJson(await getShownPack(context.storage, id)) },
  }),
})

const packs = route('GET /fc/starter-packs', {
  callers: 'anyone',
  summary: 'Starter packs',
  description: 'The newest first; of one creator when `fid` is given.',
  tags: STARTER_PACK_TAGS,
  query: {
    fid: optional(described(fid, 'Only packs that this user created.')),
    cursor: cursor('ns'),
    limit: limit({ default: 100, max: 1_000 }),
  },
  reply: PageOf(Type.Object({ starterPacks: Type.Array(StarterPackReply) })),
  errors: [],
  cost: 'list',
  handler: async ({ context }: OnPlatform, { query }) =>
    pageReply(
      await context.storage.of(starterPackRows).newest(query.fid, query.cursor, query.limit + 1),
      query.limit,
      (row) => [row.created_at, row.id],
      (items) => ({ starterPacks: items.map(packJson) }),
    ),
})

const packMembers = route('GET /fc/starter-pack-members', {
  callers: 'anyone',
  summary: 'The members of a starter pack',
  description: 'By memberAt, the latest first, then by fid. `memberAt` is in milliseconds.',
  tags: STARTER_PACK_TAGS,
  query: { id: WhichPack, cursor: cursor('nn'), limit: limit({ default: 500, max: 1_000 }) },
  reply: PageOf(Type.Object({ members: Type.Array(StarterPackMemberReply) })),
  errors: ['not_found'],
  cost: 'list',
  handler: async ({ context }: OnPlatform, { query }) => {
    const { id } = await getShownPack(context.storage, query.id)
    return pageReply(
      await context.storage.of(starterPackRows).members(id, query.cursor, query.limit + 1),
      query.limit,
      (row) => [row.member_at, row.fid],
      (items) => ({ members: items.map(packMemberJson) }),
    )
  },
})

/** A write that answers the changed pack. `fid` is the caller, whom the token identifies. */
const write = <S extends Type.TSchema>(
  call: Call,
  {
    body,
    act,
    ...terms
  }: {
    readonly summary: string
    readonly description: string
    readonly body: S
    act(context: PlatformContext, fid: number, body: Static<S>): Promise<StarterPack>
  },
) =>
  route(call, {
    callers: 'user',
    ...terms,
    tags: STARTER_PACK_TAGS,
    body: json(body),
    reply: PackReply,
    errors: ['unauthorized', 'not_found', 'bad_request.conflict'],
    cost: 'write',
    handler: async ({ context }: OnPlatform, { body, request }) => {
      const actor = await context.actorOf(request)
      return { result: { starterPack: packJson(await act(context, actor.fid, body)) } }
    },
  })

const create = write('POST /fc/starter-packs', {
  summary: 'Create a starter pack',
  description:
    'The caller is its creator. Without `id` the server makes one of the name; with it, the same call again answers ' +
    `the same pack. A user may have ${MAX_PACKS_PER_FID} packs.`,
  body: NewStarterPack,
  act: createPack,
})

const edit = write('PATCH /fc/starter-packs', {
  summary: 'Edit a starter pack',
  description: 'Only the creator may. Absent properties do not change.',
  body: StarterPackEdit,
  act: editPack,
})

const remove = route('DELETE /fc/starter-packs', {
  callers: 'user',
  summary: 'Delete a starter pack with its members',
  description: 'Only the creator may.',
  tags: STARTER_PACK_TAGS,
  body: json(WhichStarterPack),
  reply: Success,
  errors: ['unauthorized', 'not_found'],
  cost: 'write',
  handler: async ({ context }: OnPlatform, { body, request }) => {
    const actor = await context.actorOf(request)
    await deletePack(context, actor.fid, body.id)
    return SUCCESS
  },
})

const addMembers = write('POST /fc/starter-pack-members', {
  summary: 'Add members to a starter pack',
  description:
    `Only the creator may. Up to ${MAX_FIDS_PER_CALL} fids in a call, and ${MAX_MEMBERS_PER_PACK} members in a pack. ` +
    'Members keep the time at which they were added first.',
  body: StarterPackFids,
  act: (context, fid, { id, fids }) => addToPack(context, fid, id, fids),
})

const removeMembers = write('DELETE /fc/starter-pack-members', {
  summary: 'Remove members from a starter pack',
  description: 'Only the creator may. Removing accounts that are no members changes nothing.',
  body: StarterPackFids,
  act: (context, fid, { id, fids }) => removeFromPack(context, fid, id, fids),
})

export const starterPackRoutes: readonly Route<OnPlatform>[] = [
  onePack,
  packs,
  packMembers,
  create,
  edit,
  remove,
  addMembers,
  removeMembers,
]
