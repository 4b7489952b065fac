import { base32nopad } from '@scure/base'
import Type from 'typebox'
import { appOf } from '../../kernel/app-api/app-route.ts'
import { FidNumber, invalidField, SUCCESS, SuccessReply } from '../../kernel/app-api/bodies.ts'
import { usersOf } from '../../kernel/app-api/pages.ts'
import { User } from '../../kernel/app-api/schemas.ts'
import { described, fidParam, optional } from '../../kernel/http/input/params.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import { MAX_LISTED, MAX_LISTS, MAX_NAME_CHARACTERS } from './limits.ts'
import { listIdParam } from './list-id.ts'
import { errors, LISTS, type Needs } from './needs.ts'
import { listRows, type PeopleList } from './tables/lists.ts'
import { LIST_JSON } from './tables/published-json.ts'

const PATH = '/v2/farcaster/list/own'
const ID_BYTES = 10

const ListId = Type.String({ minLength: 1, maxLength: 32 })
const Name = Type.String({ minLength: 1, maxLength: MAX_NAME_CHARACTERS })
const NewListBody = Type.Object({ name: Name })
const EditBody = Type.Object({ id: ListId, name: Name })
const WhichBody = Type.Object({ id: ListId })
const MemberBody = Type.Object({ id: ListId, fid: FidNumber })

const OwnList = Type.Object(
  {
    object: Type.Literal('people_list'),
    id: Type.String(),
    name: Type.String(),
    member_count: Type.Integer(),
    has_user: Type.Optional(
      Type.Boolean({ description: 'Whether the user of the parameter `fid` is on it.' }),
    ),
  },
  { $id: 'OwnList' },
)
const ListReply = Type.Object({ list: OwnList })
const ListsReply = Type.Object({
  lists: Type.Array(OwnList),
  tags: Type.Array(Type.String(), { description: 'Tags that the user follows, as `/tag/own`.' }),
})
const MembersReply = Type.Object({
  list: OwnList,
  users: Type.Array(User),
  hidden_fids: Type.Array(Type.Integer(), {
    description:
      'Who is on it and not shown, such as suspended users: so that they can be taken off.',
  }),
})

export const listRoutes = (context: Needs): Route[] =>
  bind(context, [ownLists, makeList, renameList, removeList, listMembers, addMember, removeMember])

const ownLists = route(`GET ${PATH}`, {
  callers: 'user of an app',
  summary: 'The lists of people of the user, and the followed tags',
  description: 'Of the user of the bearer token, the oldest first.',
  tags: LISTS,
  query: { fid: optional(described(fidParam, 'Whether this user is on each of them.')) },
  reply: ListsReply,
  errors,
  cost: { cpu: 'small', rows: MAX_LISTS * MAX_LISTED },
  handler: async ({ storage, platform }: Needs, { query, request }) => {
    const { fid } = await platform.actorOf(request)
    const rows = storage.of(listRows)
    const [lists, members, tags] = await Promise.all([
      rows.lists(fid),
      rows.allMembers(fid),
      rows.tags(fid),
    ])
    return {
      lists: lists.map((list) => {
        const onIt = members.filter(({ list_id }) => list_id === list.id)
        const has_user = onIt.some(({ member_fid }) => member_fid === query.fid)
        return {
          ...listJson(list, onIt.length),
          ...(query.fid !== undefined && { has_user }),
        }
      }),
      tags: tags.map(({ tag }) => tag),
    }
  },
})

const makeList = route(`POST ${PATH}`, {
  callers: 'user of an app',
  summary: 'Make a list of people',
  description: `For the user of the bearer token, who may have ${MAX_LISTS}.`,
  tags: LISTS,
  body: json(NewListBody),
  reply: ListReply,
  errors: [...errors, 'bad_request.conflict'],
  cost: { cpu: 'small', rows: MAX_LISTS, writes: 1 },
  handler: async ({ storage, platform, nowMs, randomBytes }: Needs, { body, request }) => {
    const { fid } = await platform.actorOf(request)
    const name = nameIn(body)
    const id = base32nopad.encode(randomBytes(ID_BYTES)).toLowerCase()
    const list = { fid, id, name, made_at: nowMs() }
    await storage.write(`fid/${fid}`, async (tx) => {
      const rows = tx.of(listRows)
      if ((await rows.listCount(fid)) >= MAX_LISTS) {
        throw new Rejection('bad_request.conflict', `you have ${MAX_LISTS} lists already`)
      }
      await rows.putList(list)
    })
    return { list: listJson(list, 0) }
  },
})

const renameList = route(`PATCH ${PATH}`, {
  callers: 'user of an app',
  summary: 'Rename a list of people',
  description: 'Of the user of the bearer token.',
  tags: LISTS,
  body: json(EditBody),
  reply: SuccessReply,
  errors: [...errors, 'not_found'],
  cost: { cpu: 'small', writes: 1 },
  handler: async ({ storage, platform }: Needs, { body, request }) => {
    const { fid } = await platform.actorOf(request)
    const name = nameIn(body)
    await storage.write(`fid/${fid}`, async (tx) =>
      tx.of(listRows).putList({ ...(await getList(tx, fid, body.id)), name }),
    )
    return SUCCESS
  },
})

const removeList = route(`DELETE ${PATH}`, {
  callers: 'user of an app',
  summary: 'Delete a list of people',
  description: 'Of the user of the bearer token. A list that does not exist changes nothing.',
  tags: LISTS,
  body: json(WhichBody),
  reply: SuccessReply,
  errors,
  cost: { cpu: 'small', rows: MAX_LISTED, writes: 1 },
  handler: async ({ storage, platform }: Needs, { body: { id }, request }) => {
    const { fid } = await platform.actorOf(request)
    await storage.write(`fid/${fid}`, (tx) => tx.of(listRows).removeList(fid, id))
    return SUCCESS
  },
})

const listMembers = route(`GET ${PATH}/member`, {
  callers: 'user of an app',
  summary: 'The people on a list',
  description: 'Of the user of the bearer token, the newest first.',
  tags: LISTS,
  query: { id: listIdParam },
  reply: MembersReply,
  errors: [...errors, 'not_found'],
  cost: { cpu: 'medium', rows: MAX_LISTED },
  handler: async (context: Needs, { query: { id }, request }) => {
    const { fid } = await context.platform.actorOf(request)
    const list = await getList(context.storage, fid, id)
    const members = await context.storage.of(listRows).members(fid, id)
    const fids = members.map(({ member_fid }) => member_fid)
    const users = await usersOf(context, { app: appOf(request), viewer: fid }, fids)
    const shown = new Set(users.map((user) => user.fid))
    return {
      list: listJson(list, members.length),
      users,
      hidden_fids: fids.filter((one) => !shown.has(one)),
    }
  },
})

const addMember = route(`POST ${PATH}/member`, {
  callers: 'user of an app',
  summary: 'Put somebody on a list',
  description: `Of the user of the bearer token; ${MAX_LISTED} people are on a list at most. Nobody is told.`,
  tags: LISTS,
  body: json(MemberBody),
  reply: SuccessReply,
  errors: [...errors, 'not_found', 'bad_request.conflict'],
  cost: { cpu: 'small', rows: MAX_LISTED, writes: 1 },
  handler: async ({ storage, platform, nowMs }: Needs, { body, request }) => {
    const { fid } = await platform.actorOf(request)
    await storage.write(`fid/${fid}`, async (tx) => {
      await getList(tx, fid, body.id)
      if ((await tx.accounts.custodies([body.fid])).length === 0) {
        throw invalidField('fid', `${body.fid} is not registered`)
      }
      const rows = tx.of(listRows)
      await rows.addMember({
        ...{ fid, list_id: body.id, member_fid: body.fid },
        added_at: nowMs(),
      })
      if ((await rows.memberCount(fid, body.id)) > MAX_LISTED) {
        throw new Rejection('bad_request.conflict', `the list has ${MAX_LISTED} people already`)
      }
    })
    return SUCCESS
  },
})

const removeMember = route(`DELETE ${PATH}/member`, {
  callers: 'user of an app',
  summary: 'Take somebody off a list',
  description: 'Of the user of the bearer token. Who is not on it changes nothing.',
  tags: LISTS,
  body: json(MemberBody),
  reply: SuccessReply,
  errors,
  cost: { cpu: 'small', writes: 1 },
  handler: async ({ storage, platform }: Needs, { body, request }) => {
    const { fid } = await platform.actorOf(request)
    await storage.write(`fid/${fid}`, (tx) => tx.of(listRows).removeMember(fid, body.id, body.fid))
    return SUCCESS
  },
})

/** Throws a Rejection unless the user has this list. */
export async function getList(
  { of }: Pick<Reader, 'of'>,
  fid: number,
  id: string,
): Promise<PeopleList> {
  const list = await of(listRows).list(fid, id)
  if (list) return list
  throw new Rejection('not_found', `you have no list ${id}`, { field: 'id' })
}

const listJson = ({ id, name }: PeopleList, member_count: number) => ({
  object: 'people_list' as const,
  ...{ id, name, member_count },
})

/** The name of a list. Throws a Rejection for one that cannot be read. */
function nameIn(body: { readonly name: string }): string {
  LIST_JSON.check('create', body)
  return body.name.trim()
}
