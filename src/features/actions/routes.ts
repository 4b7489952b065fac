import Type from 'typebox'
import { type Position, pageReply } from '../../kernel/http/input/paging.ts'
import { described } from '../../kernel/http/input/params.ts'
import { json, type Route, route } from '../../kernel/http/route.ts'
import { cursor, limit, oneOf } from '../../kernel/platform/params.ts'
import { PageOf, Result, SUCCESS, Success } from '../../kernel/platform/schemas.ts'
import { tagged } from '../../kernel/platform/tagged.ts'
import { installAction, MAX_INSTALLED_ACTIONS, uninstallAction } from './installs.ts'
import { ACTIONS, type Needs } from './needs.ts'
import { Action, ActionUrl, actionJson, ComposerAction, InstalledAction } from './schemas.ts'
import type { FeaturedAction, StoredAction, TopPlace } from './tables/actions.ts'
import { actionRows } from './tables/actions.ts'

const PAGE = { limit: limit({ default: 25, max: 100 }) }

const body = json(Type.Object({ actionUrl: ActionUrl }))

async function topPage(
  { context }: Needs,
  kind: StoredAction['kind'],
  { cursor, limit }: { cursor: Position | undefined; limit: number },
) {
  const rows = await context.storage
    .of(actionRows)
    .listTop(kind, cursor && placeAt(cursor), limit + 1)
  return pageReply(rows, limit, placeOf, listOf)
}

const listOf = (rows: StoredAction[]) => ({ actions: rows.map(actionJson) })
const placeAt = ([installs, id]: Position): TopPlace => ({ installs, id }) as TopPlace
const placeOf = ({ installs, id }: StoredAction) => [installs, id]
/** As long as a place in the other list, so that one shape of cursor fits the route. */
const featuredPlaceOf = ({ position }: FeaturedAction) => [0, position]

const discover = route('GET /v2/discover-actions', {
  callers: 'anyone',
  summary: 'Cast actions by number of users',
  description: 'The action that most users have installed comes first.',
  tags: ACTIONS,
  query: { list: described(oneOf('top'), 'Which list.'), ...PAGE, cursor: cursor('nn') },
  reply: tagged(PageOf(Type.Object({ actions: Type.Array(Action) }))),
  errors: [],
  cost: 'list',
  handler: (platform: Needs, { query }) => topPage(platform, 'cast', query),
})

const discoverComposers = route('GET /v2/discover-composer-actions', {
  callers: 'anyone',
  summary: 'Composer actions by number of users, or the recommended ones',
  description:
    '`list=top` orders by the number of users; `list=featured` has the recommendations of the operator, in their order.',
  tags: ACTIONS,
  query: {
    list: described(oneOf('top', 'featured'), 'Which list.'),
    ...PAGE,
    cursor: cursor('nn'),
  },
  reply: tagged(PageOf(Type.Object({ actions: Type.Array(ComposerAction) }))),
  errors: [],
  cost: 'list',
  handler: async (platform: Needs, { query }) => {
    if (query.list === 'top') return topPage(platform, 'composer', query)
    const { cursor, limit } = query
    const after = (cursor?.[1] as number) ?? 0
    const rows = await platform.context.storage.of(actionRows).listFeatured(after, limit + 1)
    return pageReply(rows, limit, featuredPlaceOf, listOf)
  },
})

const installed = route('GET /fc/installed-actions', {
  callers: 'user',
  summary: "The caller's own actions, newest first",
  description: `A user has at most ${MAX_INSTALLED_ACTIONS}, so they come on one page.`,
  tags: ACTIONS,
  reply: Result(Type.Object({ actions: Type.Array(InstalledAction) })),
  errors: [],
  cost: 'lookup',
  handler: async ({ context }: Needs, { request }) => {
    const actor = await context.actorOf(request)
    const actions = context.storage.of(actionRows)
    const rows = await actions.listInstalled(actor.fid, MAX_INSTALLED_ACTIONS)
    const installed = rows.map((row) => ({ ...actionJson(row), installedAt: row.installed_at }))
    return { result: { actions: installed } }
  },
})

const install = route('POST /fc/installed-actions', {
  callers: 'user',
  summary: 'Install an action',
  description: 'Installing it once more changes nothing.',
  tags: ACTIONS,
  body,
  reply: Success,
  errors: ['bad_request.validation_failure', 'not_found'],
  cost: 'write',
  handler: async ({ context }: Needs, { body, request }) => {
    const actor = await context.actorOf(request)
    await installAction(context, actor.fid, body.actionUrl)
    return SUCCESS
  },
})

const uninstall = route('DELETE /fc/installed-actions', {
  callers: 'user',
  summary: 'Uninstall an action',
  description: 'Uninstalling an action that is not installed changes nothing.',
  tags: ACTIONS,
  body,
  reply: Success,
  errors: ['bad_request.validation_failure'],
  cost: 'write',
  handler: async ({ context }: Needs, { body, request }) => {
    const actor = await context.actorOf(request)
    await uninstallAction(context, actor.fid, body.actionUrl)
    return SUCCESS
  },
})

export const actionRoutes: readonly Route<Needs>[] = [
  discover,
  discoverComposers,
  installed,
  install,
  uninstall,
]
