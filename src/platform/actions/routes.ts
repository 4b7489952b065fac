import Type from 'typebox'
import { type Position, pageReply } from '../../http/input/paging.ts'
import { described } from '../../http/input/params.ts'
import { json, type Route, read, route } from '../../http/route.ts'
import type { FeaturedAction, StoredAction, TopPlace } from '../../storage/tables/actions.ts'
import type { PlatformContext } from '../context.ts'
import { cursor, limit, oneOf } from '../params.ts'
import { PageOf, Result, SUCCESS, Success } from '../schemas.ts'
import { taggedJson } from '../tagged.ts'
import { ACTIONS } from '../tags.ts'
import { installAction, MAX_INSTALLED_ACTIONS, uninstallAction } from './installs.ts'
import { Action, ActionUrl, actionJson, ComposerAction, InstalledAction } from './schemas.ts'

const PAGE = { limit: limit({ default: 25, max: 100 }) }

export const actionRoutes = (context: PlatformContext): Route[] => [
  ...discoverRoutes(context),
  ...installRoutes(context),
]

function discoverRoutes({ storage }: PlatformContext): Route[] {
  const topPage = async (kind: StoredAction['kind'], after: Position | undefined, size: number) => {
    const rows = await storage.actions.listTop(kind, after && placeAt(after), size + 1)
    return pageReply(rows, size, placeOf, listOf)
  }
  const featuredPage = async (after: Position | undefined, size: number) => {
    const rows = await storage.actions.listFeatured((after?.[1] as number) ?? 0, size + 1)
    return pageReply(rows, size, featuredPlaceOf, listOf)
  }
  return [
    read(
      {
        path: '/v2/discover-actions',
        summary: 'Cast actions by number of users',
        description: 'The action that most users have installed comes first.',
        tags: ACTIONS,
        query: { list: described(oneOf('top'), 'Which list.'), ...PAGE, cursor: cursor('nn') },
        reply: PageOf(Type.Object({ actions: Type.Array(Action) })),
      },
      (query) => topPage('cast', query.cursor, query.limit),
      { write: taggedJson },
    ),
    read(
      {
        path: '/v2/discover-composer-actions',
        summary: 'Composer actions by number of users, or the recommended ones',
        description:
          '`list=top` orders by the number of users; `list=featured` has the recommendations of the operator, in their order.',
        tags: ACTIONS,
        query: {
          list: described(oneOf('top', 'featured'), 'Which list.'),
          ...PAGE,
          cursor: cursor('nn'),
        },
        reply: PageOf(Type.Object({ actions: Type.Array(ComposerAction) })),
      },
      ({ list, cursor, limit }) =>
        list === 'top' ? topPage('composer', cursor, limit) : featuredPage(cursor, limit),
      { write: taggedJson },
    ),
  ]
}

const listOf = (rows: StoredAction[]) => ({ actions: rows.map(actionJson) })
const placeAt = ([installs, id]: Position): TopPlace => ({ installs, id }) as TopPlace
const placeOf = ({ installs, id }: StoredAction) => [installs, id]
/** As long as a place in the other list, so that one shape of cursor fits the route. */
const featuredPlaceOf = ({ position }: FeaturedAction) => [0, position]

function installRoutes(context: PlatformContext): Route[] {
  const body = json(Type.Object({ actionUrl: ActionUrl }))
  return [
    route(
      {
        method: 'GET',
        path: '/fc/installed-actions',
        summary: "The caller's own actions, newest first",
        description: `A user has at most ${MAX_INSTALLED_ACTIONS}, so they come on one page.`,
        tags: ACTIONS,
        reply: Result(Type.Object({ actions: Type.Array(InstalledAction) })),
        errors: ['unauthenticated'],
      },
      async ({ request }) => {
        const actor = await context.actorOf(request)
        const { actions } = context.storage
        const rows = await actions.listInstalled(actor.fid, MAX_INSTALLED_ACTIONS)
        const installed = rows.map((row) => ({ ...actionJson(row), installedAt: row.installed_at }))
        return { result: { actions: installed } }
      },
    ),
    route(
      {
        method: 'POST',
        path: '/fc/installed-actions',
        summary: 'Install an action',
        description: 'Installing it once more changes nothing.',
        tags: ACTIONS,
        body,
        reply: Success,
        errors: ['unauthenticated', 'bad_request.validation_failure', 'not_found'],
      },
      async ({ body, request }) => {
        const actor = await context.actorOf(request)
        await installAction(context, actor.fid, body.actionUrl)
        return SUCCESS
      },
    ),
    route(
      {
        method: 'DELETE',
        path: '/fc/installed-actions',
        summary: 'Uninstall an action',
        description: 'Uninstalling an action that is not installed changes nothing.',
        tags: ACTIONS,
        body,
        reply: Success,
        errors: ['unauthenticated', 'bad_request.validation_failure'],
      },
      async ({ body, request }) => {
        const actor = await context.actorOf(request)
        await uninstallAction(context, actor.fid, body.actionUrl)
        return SUCCESS
      },
    ),
  ]
}
