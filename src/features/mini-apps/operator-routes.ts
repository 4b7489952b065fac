import Type from 'typebox'
import { originOf } from '../../kernel/base/web-domain.ts'
import { pageReply } from '../../kernel/http/input/paging.ts'
import { json, type Route, route } from '../../kernel/http/route.ts'
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
import type { RejectionCode } from '../../kernel/protocol/rejection.ts'
import { MAX_FEATURED_MINI_APPS } from './catalogue.ts'
import { Fault } from './faults.ts'
import { MINI_APPS, type Needs } from './needs.ts'
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
  homeUrl: manifestOf(app).homeUrl ?? originOf(app.domain),
  people: app.people,
  openers: app.openers,
  lookedAt: app.looked_at,
  faults: faultsOf(app),
})

const Listed = Result(Type.Object({ app: ListedApp }))
const WhichApp = json(Type.Object({ domain: Domain }))

const listApps = route('GET /platform/mini-apps', {
  callers: 'operator',
  summary: 'All mini apps',
  description: 'In the order they were added, with the faults of their manifests.',
  tags: MINI_APPS,
  query: { limit: limit({ default: 100, max: 1_000 }), cursor: cursor('n') },
  reply: PageOf(Type.Object({ apps: Type.Array(ListedApp) })),
  errors: [],
  cost: 'list',
  handler: async ({ context }: Needs, { query }) => {
    const after = (query.cursor?.[0] as number) ?? 0
    const rows = await context.storage.of(miniAppRows).list(after, query.limit + 1)
    return pageReply(
      rows,
      query.limit,
      ({ id }) => [id],
      (items) => ({ apps: items.map(listedJson) }),
    )
  },
})

const addApp = route('POST /platform/mini-apps', {
  callers: 'operator',
  summary: 'Add a mini app',
  description:
    'Its manifest is read at `https://<domain>/.well-known/farcaster.json`. An app that nobody has signed is added too, and ' +
    'shown without an author. An app that is listed already is updated from its manifest.',
  tags: MINI_APPS,
  body: WhichApp,
  reply: Listed,
  errors: ['bad_request.validation_failure', 'bad_request.conflict', 'not_supported'],
  cost: 'write',
  handler: async ({ miniApps }: Needs, { body }) => ({
    result: { app: listedJson(await miniApps.catalogue.add(body.domain)) },
  }),
})

const refreshApp = route('POST /platform/refreshed-mini-apps', {
  callers: 'operator',
  summary: 'Read the manifest of a mini app again',
  description: 'Manifests are also read once a day. The faults are in the answer.',
  tags: MINI_APPS,
  body: WhichApp,
  reply: Listed,
  errors: ['bad_request.validation_failure', 'not_found', 'not_supported'],
  cost: 'write',
  handler: async ({ miniApps }: Needs, { body }) => ({
    result: { app: listedJson(await miniApps.catalogue.refresh(body.domain)) },
  }),
})

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
  route(`${isRemoved ? 'POST' : 'DELETE'} /platform/removed-mini-apps`, {
    callers: 'operator',
    summary,
    description,
    tags: MINI_APPS,
    body: json(Type.Object(decision)),
    reply: Success,
    errors: [
      ...['bad_request.validation_failure', 'not_supported'],
      isRemoved ? 'bad_request.conflict' : 'not_found',
    ] as RejectionCode[],
    cost: 'write',
    handler: async ({ miniApps }: Needs, { body: { domain, reason, actor = 'operator' } }) => {
      await miniApps.catalogue.setRemoved(domain, isRemoved, { actor, reason })
      return SUCCESS
    },
  })

const removeApp = setRemoved(
  true,
  'Remove a mini app or block a host',
  'The app cannot be opened or listed any more, its tokens are invalid, and nothing is sent to it. Links to snaps of the host ' +
    'are plain links. The host need not have a mini app. What users have added comes back with the app.',
)
const restoreApp = setRemoved(
  false,
  'Bring a removed mini app or host back',
  'Restoring an app that is not removed changes nothing. A host without a mini app is forgotten.',
)

const listFeatured = route('GET /platform/featured-mini-apps', {
  callers: 'operator',
  summary: 'The recommended mini apps',
  description: 'In their order, those that are faulty or removed too.',
  tags: MINI_APPS,
  reply: Result(Type.Object({ apps: Type.Array(ListedApp) })),
  errors: [],
  cost: 'lookup',
  handler: async ({ context }: Needs) => ({
    result: { apps: (await context.storage.of(miniAppRows).allFeatured()).map(listedJson) },
  }),
})

const featureApps = route('PUT /platform/featured-mini-apps', {
  callers: 'operator',
  summary: 'Set the recommended mini apps',
  description: 'The list replaces the one before, order included.',
  tags: MINI_APPS,
  body: json(Type.Object({ domains: Type.Array(Domain, { maxItems: MAX_FEATURED_MINI_APPS }) })),
  reply: Success,
  errors: ['bad_request.validation_failure', 'not_found', 'not_supported'],
  cost: 'write',
  handler: async ({ miniApps }: Needs, { body }) => {
    await miniApps.catalogue.feature(body.domains)
    return SUCCESS
  },
})

/** The operator's routes for mini apps. */
export const operatorMiniAppRoutes: readonly Route<Needs>[] = [
  listApps,
  addApp,
  refreshApp,
  removeApp,
  restoreApp,
  listFeatured,
  featureApps,
]
