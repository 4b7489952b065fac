import Type from 'typebox'
import { pageReply } from '../../http/paging.ts'
import { json, type Route, route } from '../../http/route.ts'
import type { PlatformContext } from '../context.ts'
import { cursor, limit } from '../params.ts'
import { PageOf, Result, SUCCESS, Success } from '../schemas.ts'
import { type Catalogue, MAX_FEATURED_ACTIONS } from './catalogue.ts'
import { ActionUrl, ListedAction, listedJson } from './schemas.ts'

const TAGS = ['Actions']
const Body = json(Type.Object({ actionUrl: ActionUrl }))
const Listed = Result(Type.Object({ action: ListedAction }))

/** Which actions there are, and which of them are recommended. */
export const operatorActionRoutes = (
  { storage }: PlatformContext,
  catalogue: Catalogue,
): Route[] => [
  route(
    {
      method: 'GET',
      path: '/platform/actions',
      summary: 'All actions, in the order they were added, and what is wrong with their documents',
      tags: TAGS,
      query: { limit: limit({ default: 100, max: 1_000 }), cursor: cursor('n') },
      reply: PageOf(Type.Object({ actions: Type.Array(ListedAction) })),
    },
    async ({ query }) => {
      const after = (query.cursor?.[0] as number) ?? 0
      const rows = await storage.actions.list(after, query.limit + 1)
      return pageReply(
        rows,
        query.limit,
        ({ id }) => [id],
        (items) => ({ actions: items.map(listedJson) }),
      )
    },
  ),
  route(
    {
      method: 'POST',
      path: '/platform/actions',
      summary: 'List the action whose document is at a URL',
      description:
        'The document is asked for over https, at a public address only. An action that is listed ' +
        'already takes over what its document says now.',
      tags: TAGS,
      body: Body,
      reply: Listed,
      errors: ['bad_request.validation_failure'],
    },
    async ({ body }) => ({
      result: { action: listedJson(await catalogue.add(body.actionUrl)) },
    }),
  ),
  route(
    {
      method: 'POST',
      path: '/platform/refreshed-actions',
      summary: 'Ask for the document of a listed action once more',
      description: 'Who has it keeps it. Documents are also asked for once a day.',
      tags: TAGS,
      body: Body,
      reply: Listed,
      errors: ['bad_request.validation_failure', 'not_found'],
    },
    async ({ body }) => ({
      result: { action: listedJson(await catalogue.refresh(body.actionUrl)) },
    }),
  ),
  route(
    {
      method: 'DELETE',
      path: '/platform/actions',
      summary: 'Remove an action from every list and from every user',
      tags: TAGS,
      body: Body,
      reply: Success,
      errors: ['bad_request.validation_failure'],
    },
    async ({ body }) => {
      await catalogue.remove(body.actionUrl)
      return SUCCESS
    },
  ),
  route(
    {
      method: 'PUT',
      path: '/platform/featured-actions',
      summary: 'Recommend these composer actions, in this order, and no others',
      tags: TAGS,
      body: json(
        Type.Object({
          actionUrls: Type.Array(ActionUrl, { maxItems: MAX_FEATURED_ACTIONS }),
        }),
      ),
      reply: Success,
      errors: ['bad_request.validation_failure', 'not_found'],
    },
    async ({ body }) => {
      await catalogue.feature(body.actionUrls)
      return SUCCESS
    },
  ),
]
