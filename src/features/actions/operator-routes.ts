import Type from 'typebox'
import { pageReply } from '../../kernel/http/input/paging.ts'
import { json, type Route, route } from '../../kernel/http/route.ts'
import { cursor, limit } from '../../kernel/platform/params.ts'
import { PageOf, Result, SUCCESS, Success } from '../../kernel/platform/schemas.ts'
import { MAX_FEATURED_ACTIONS } from './catalogue.ts'
import { ACTIONS, type Needs } from './needs.ts'
import { ActionUrl, ListedAction, listedJson } from './schemas.ts'
import { actionRows } from './tables/actions.ts'

const Body = json(Type.Object({ actionUrl: ActionUrl }))
const Listed = Result(Type.Object({ action: ListedAction }))

const listActions = route('GET /platform/actions', {
  callers: 'operator',
  summary: 'All actions',
  description: 'In the order they were added, with the last fault of their documents.',
  tags: ACTIONS,
  query: { limit: limit({ default: 100, max: 1_000 }), cursor: cursor('n') },
  reply: PageOf(Type.Object({ actions: Type.Array(ListedAction) })),
  errors: [],
  cost: 'list',
  handler: async ({ context }: Needs, { query }) => {
    const after = (query.cursor?.[0] as number) ?? 0
    const rows = await context.storage.of(actionRows).list(after, query.limit + 1)
    return pageReply(
      rows,
      query.limit,
      ({ id }) => [id],
      (items) => ({ actions: items.map(listedJson) }),
    )
  },
})

const addAction = route('POST /platform/actions', {
  callers: 'operator',
  summary: 'Add the action whose document is at a URL',
  description:
    'The document is asked for over https, at a public address only. An action that is listed ' +
    'already takes over what its document says now.',
  tags: ACTIONS,
  body: Body,
  reply: Listed,
  errors: ['bad_request.validation_failure'],
  cost: 'write',
  handler: async ({ catalogue }: Needs, { body }) => ({
    result: { action: listedJson(await catalogue.add(body.actionUrl)) },
  }),
})

const refreshAction = route('POST /platform/refreshed-actions', {
  callers: 'operator',
  summary: 'Fetch the document of a listed action again',
  description: 'Who has it keeps it. Documents are also asked for once a day.',
  tags: ACTIONS,
  body: Body,
  reply: Listed,
  errors: ['bad_request.validation_failure', 'not_found'],
  cost: 'write',
  handler: async ({ catalogue }: Needs, { body }) => ({
    result: { action: listedJson(await catalogue.refresh(body.actionUrl)) },
  }),
})

const removeAction = route('DELETE /platform/actions', {
  callers: 'operator',
  summary: 'Remove an action',
  description: 'It is gone from every list and from every user who had installed it.',
  tags: ACTIONS,
  body: Body,
  reply: Success,
  errors: ['bad_request.validation_failure'],
  cost: 'write',
  handler: async ({ catalogue }: Needs, { body }) => {
    await catalogue.remove(body.actionUrl)
    return SUCCESS
  },
})

const featureActions = route('PUT /platform/featured-actions', {
  callers: 'operator',
  summary: 'Set the recommended composer actions',
  description: 'The list replaces the one before, order included.',
  tags: ACTIONS,
  body: json(
    Type.Object({
      actionUrls: Type.Array(ActionUrl, { maxItems: MAX_FEATURED_ACTIONS }),
    }),
  ),
  reply: Success,
  errors: ['bad_request.validation_failure', 'not_found'],
  cost: 'write',
  handler: async ({ catalogue }: Needs, { body }) => {
    await catalogue.feature(body.actionUrls)
    return SUCCESS
  },
})

/** The operator's routes for the listed and the featured actions. */
export const operatorActionRoutes: readonly Route<Needs>[] = [
  listActions,
  addAction,
  refreshAction,
  removeAction,
  featureActions,
]
