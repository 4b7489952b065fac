import Type from 'typebox'
import { pageReply } from '../../kernel/http/input/paging.ts'
import { json, type RouteFor } from '../../kernel/http/route.ts'
import { cursor, limit } from '../../kernel/platform/params.ts'
import {
  Fid,
  PageOf,
  Result,
  SingleLineText,
  SUCCESS,
  Success,
  UnixSeconds,
} from '../../kernel/platform/schemas.ts'
import { MAX_FEATURED_MINI_APPS } from './catalogue.ts'
import { MINI_APPS, type Needs, platformRoute } from './declare-route.ts'
import { Fault } from './faults.ts'
import { Domain, faultsOf, manifestOf } from './schemas.ts'
import type { StoredMiniApp } from './tables/mini-apps.ts'
import { miniAppRows } from './tables/mini-apps.ts'

const MAX_REASON_CHARACTERS = 2_000
const MAX_ACTOR_CHARACTERS = 100

/** An app as the operator sees it. */
const ListedApp = Type.Object(
  {
    domain: Type.String(),
    name: Type.String(),
    authorFid: Type.Optional(Fid),
    state: Type.Enum(['listed', 'faulty', 'removed']),
    homeUrl: Type.String(),
    people: Type.Integer({ description: 'How many users have added it.' }),
    openers: Type.Integer({ description: 'How many users opened it in the last 30 days.' }),
    lookedAt: UnixSeconds,
    faults: Type.Array(Fault),
  },
  { $id: 'ListedMiniApp' },
)

const listedJson = (app: StoredMiniApp) => ({
  domain: app.domain,
  name: app.name,
  ...(app.author_fid !== 0 && { authorFid: app.author_fid }),
  state: app.state,
  homeUrl: manifestOf(app).homeUrl,
  people: app.people,
  openers: app.openers,
  lookedAt: app.looked_at,
  faults: faultsOf(app),
})

const Listed = Result(Type.Object({ app: ListedApp }))
const WhichApp = json(Type.Object({ domain: Domain }))

const listApps = platformRoute(
  {
    method: 'GET',
    path: '/platform/mini-apps',
    summary: 'All mini apps',
    description: 'In the order they were added, with the faults of their manifests.',
    tags: MINI_APPS,
    query: { limit: limit({ default: 100, max: 1_000 }), cursor: cursor('n') },
    reply: PageOf(Type.Object({ apps: Type.Array(ListedApp) })),
  },
  async ({ context }, { query }) => {
    const after = (query.cursor?.[0] as number) ?? 0
    const rows = await context.storage.of(miniAppRows).list(after, query.limit + 1)
    return pageReply(
      rows,
      query.limit,
      ({ id }) => [id],
      (items) => ({ apps: items.map(listedJson) }),
    )
  },
)

const addApp = platformRoute(
  {
    method: 'POST',
    path: '/platform/mini-apps',
    summary: 'Add a mini app',
    description:
      'Its manifest is read at `https://<domain>/.well-known/farcaster.json`. An app that nobody has signed is added too, and ' +
      'shown without an author. An app that is listed already is updated from its manifest.',
    tags: MINI_APPS,
    body: WhichApp,
    reply: Listed,
    errors: ['bad_request.validation_failure', 'bad_request.conflict', 'not_supported'],
  },
  async ({ miniApps }, { body }) => ({
    result: { app: listedJson(await miniApps.catalogue.add(body.domain)) },
  }),
)

const refreshApp = platformRoute(
  {
    method: 'POST',
    path: '/platform/refreshed-mini-apps',
    summary: 'Read the manifest of a mini app again',
    description: 'Manifests are also read once a day. The faults are in the answer.',
    tags: MINI_APPS,
    body: WhichApp,
    reply: Listed,
    errors: ['bad_request.validation_failure', 'not_found', 'not_supported'],
  },
  async ({ miniApps }, { body }) => ({
    result: { app: listedJson(await miniApps.catalogue.refresh(body.domain)) },
  }),
)

const decision = {
  domain: Domain,
  reason: SingleLineText({
    minLength: 1,
    maxLength: MAX_REASON_CHARACTERS,
    description: 'For the log.',
  }),
  actor: Type.Optional(
    SingleLineText({
      minLength: 1,
      maxLength: MAX_ACTOR_CHARACTERS,
      description: 'Who decided it; `operator` unless given.',
    }),
  ),
}

const setRemoved = (isRemoved: boolean, summary: string, description: string) =>
  platformRoute(
    {
      method: isRemoved ? 'POST' : 'DELETE',
      path: '/platform/removed-mini-apps',
      summary,
      description,
      tags: MINI_APPS,
      body: json(Type.Object(decision)),
      reply: Success,
      errors: ['bad_request.validation_failure', 'not_found', 'not_supported'],
    },
    async ({ miniApps }, { body: { domain, reason, actor = 'operator' } }) => {
      await miniApps.catalogue.setRemoved(domain, isRemoved, { actor, reason })
      return SUCCESS
    },
  )

const removeApp = setRemoved(
  true,
  'Remove a mini app',
  'It cannot be opened or listed any more, its tokens are invalid, and nothing is sent to it. What users have added comes ' +
    'back with the app.',
)
const restoreApp = setRemoved(
  false,
  'Bring a removed mini app back',
  'Restoring an app that is not removed changes nothing.',
)

const listFeatured = platformRoute(
  {
    method: 'GET',
    path: '/platform/featured-mini-apps',
    summary: 'The recommended mini apps',
    description: 'In their order, those that are faulty or removed too.',
    tags: MINI_APPS,
    reply: Result(Type.Object({ apps: Type.Array(ListedApp) })),
  },
  async ({ context }) => ({
    result: { apps: (await context.storage.of(miniAppRows).allFeatured()).map(listedJson) },
  }),
)

const featureApps = platformRoute(
  {
    method: 'PUT',
    path: '/platform/featured-mini-apps',
    summary: 'Set the recommended mini apps',
    description: 'The list replaces the one before, order included.',
    tags: MINI_APPS,
    body: json(Type.Object({ domains: Type.Array(Domain, { maxItems: MAX_FEATURED_MINI_APPS }) })),
    reply: Success,
    errors: ['bad_request.validation_failure', 'not_found', 'not_supported'],
  },
  async ({ miniApps }, { body }) => {
    await miniApps.catalogue.feature(body.domains)
    return SUCCESS
  },
)

/** The operator's routes for mini apps. */
export const operatorMiniAppRoutes: readonly RouteFor<Needs>[] = [
  listApps,
  addApp,
  refreshApp,
  removeApp,
  restoreApp,
  listFeatured,
  featureApps,
]
