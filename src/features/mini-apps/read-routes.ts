import Type, { type Static } from 'typebox'
import { MAX_DOMAIN_CHARACTERS } from '../../kernel/base/web-domain.ts'
import { type Position, pageReply } from '../../kernel/http/input/paging.ts'
import {
  described,
  optional,
  type Param,
  textParam,
  wordParam,
} from '../../kernel/http/input/params.ts'
import { type RequestInfo, type Route, route } from '../../kernel/http/route.ts'
import { cursor, limit, oneOf } from '../../kernel/platform/params.ts'
import { PageOf, Result } from '../../kernel/platform/schemas.ts'
import { tagged } from '../../kernel/platform/tagged.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { MAX_ADDED_MINI_APPS, NOTIFICATIONS_PATH } from './events.ts'
import { MINI_APPS, type Needs } from './needs.ts'
import {
  AddedMiniApp,
  faultsOf,
  MiniApp,
  MiniAppDetails,
  manifestOf,
  Notice,
  namedApps,
  noticeJson,
} from './schemas.ts'
import { miniAppNoticeRows } from './tables/mini-app-notices.ts'
import { miniAppUserRows } from './tables/mini-app-users.ts'
import type { StoredMiniApp } from './tables/mini-apps.ts'
import { miniAppRows } from './tables/mini-apps.ts'
import { CATEGORIES } from './text/words.ts'

const PAGE = { limit: limit({ default: 25, max: 100 }) }
const Apps = PageOf(Type.Object({ apps: Type.Array(MiniApp) }))
const MAX_SEARCH_BYTES = 128
const MAX_SEARCH_CHARACTERS = 32
const MAX_SEARCH_WORDS = 5

const searchParam: Param<string> = {
  ...textParam({ maxBytes: MAX_SEARCH_BYTES }),
  schema: { type: 'string', minLength: 1, maxLength: MAX_SEARCH_CHARACTERS },
  description: 'Words, at most 32 characters.',
}

async function appsPage(
  { context }: Needs,
  rows: readonly StoredMiniApp[],
  limit: number,
  positionOf: (row: StoredMiniApp) => Position,
) {
  const { result, next } = pageReply(rows, limit, positionOf, (items) => ({ items }))
  const apps = await namedApps(context.storage, result.items)
  return { result: { apps }, ...(next && { next }) }
}

const topPlaceOf = ({ openers, people, id }: StoredMiniApp) => [openers, people, id]
/** As long as a place in the list by openers, so that one shape of cursor fits the route. */
const newPlaceOf = ({ created_at, id }: StoredMiniApp) => [created_at, 0, id]

const list = route('GET /v1/mini-apps', {
  callers: 'anyone or user',
  summary: 'Mini apps',
  description:
    '`top`: by the number of people who opened them in the last 30 days; `new`: by the time they were listed; `featured`: ' +
    'those that the operator recommends; `recent`: those that the caller opened last, which needs a token. An answer has an ' +
    'ETag, and If-None-Match is answered with 304 while nothing has changed.',
  tags: MINI_APPS,
  query: {
    list: described(oneOf('top', 'new', 'featured', 'recent'), 'Which list.'),
    category: described(optional(wordParam([...CATEGORIES])), 'Only apps of this category.'),
    ...PAGE,
    cursor: cursor('nnn'),
  },
  reply: tagged(Apps),
  errors: ['bad_request.invalid_param'],
  cost: 'list',
  handler: async (platform: Needs, { query, request }) => {
    const { storage } = platform.context
    const { category, cursor, limit } = query
    const size = limit + 1
    switch (query.list) {
      case 'top': {
        const rows = await storage.of(miniAppRows).top({ category }, cursor, size)
        return appsPage(platform, rows, limit, topPlaceOf)
      }
      case 'new': {
        const after = cursor && [cursor[0]!, cursor[2]!]
        const rows = await storage.of(miniAppRows).newest({ category }, after, size)
        return appsPage(platform, rows, limit, newPlaceOf)
      }
      case 'featured': {
        const rows = await storage.of(miniAppRows).featured((cursor?.[0] as number) ?? 0, size)
        const places = new Map(rows.map(({ id, position }) => [id, position]))
        return appsPage(platform, rows, limit, ({ id }) => [places.get(id)!, 0, id])
      }
      case 'recent': {
        const { fid } = await platform.context.actorOf(request)
        const after = cursor && [cursor[0]!, cursor[2]!]
        const rows = await storage.of(miniAppUserRows).recent(fid, after, size)
        const times = new Map(rows.map(({ id, opened_at }) => [id, opened_at]))
        return appsPage(platform, rows, limit, ({ id }) => [times.get(id)!, 0, id])
      }
    }
  },
})

const search = route('GET /v1/mini-apps/search', {
  callers: 'anyone',
  summary: 'Search mini apps',
  description: 'Apps that have every word in their name, subtitle, description, tags or domain.',
  tags: MINI_APPS,
  query: {
    q: searchParam,
    category: described(optional(wordParam([...CATEGORIES])), 'Only apps of this category.'),
    ...PAGE,
    cursor: cursor('nnn'),
  },
  reply: tagged(Apps),
  errors: ['bad_request.invalid_param'],
  cost: { cpu: 'large' },
  handler: async (platform: Needs, { query: { q, category, cursor, limit } }) => {
    const words = wordsIn(q)
    const filter = { category, words }
    const rows = await platform.context.storage.of(miniAppRows).top(filter, cursor, limit + 1)
    return appsPage(platform, rows, limit, topPlaceOf)
  },
})

/** The words of a search in lower case. */
export function wordsIn(text: string): string[] {
  if ([...text].length > MAX_SEARCH_CHARACTERS) {
    const message = `q must be at most ${MAX_SEARCH_CHARACTERS} characters`
    throw new Rejection('bad_request.invalid_param', message, { field: 'q' })
  }
  return text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_SEARCH_WORDS)
}

const one = route('GET /v1/mini-app', {
  callers: 'anyone or user',
  summary: 'One mini app',
  description:
    'With a token also whether the caller has added it, and the details with which it may notify the caller. On a development ' +
    'network the manifest is read each time, and any domain may be asked for. The answer has an ETag, as lists have.',
  tags: MINI_APPS,
  query: {
    domain: described(textParam({ maxBytes: MAX_DOMAIN_CHARACTERS }), 'The host of the app.'),
  },
  reply: tagged(Result(Type.Object({ app: MiniAppDetails }))),
  errors: ['not_found', 'bad_request.validation_failure', 'not_supported'],
  cost: { cpu: 'medium' },
  handler: async (platform: Needs, { query, request }) => {
    const { miniApps, context } = platform
    const fid = await callerOf(platform, request)
    const app = await miniApps.catalogue.get(query.domain)
    const [named] = await namedApps(context.storage, [app])
    const shown: Static<typeof MiniAppDetails> = {
      ...named!,
      manifest: manifestOf(app),
      state: app.state === 'listed' ? 'listed' : 'faulty',
      faults: faultsOf(app),
      ...(fid !== undefined && (await relationOf(platform, fid, app))),
    }
    return { result: { app: shown } }
  },
})

/** The caller, if the request has a token. */
const callerOf = async ({ context }: Needs, request: RequestInfo) =>
  request.headers.authorization === undefined ? undefined : (await context.actorOf(request)).fid

async function relationOf({ context, miniApps }: Needs, fid: number, { id }: StoredMiniApp) {
  const miniAppUsers = context.storage.of(miniAppUserRows)
  const miniAppNotices = context.storage.of(miniAppNoticeRows)
  const [added, token] = await Promise.all([
    miniAppUsers.added(fid, id),
    miniAppNotices.tokenOf(fid, id),
  ])
  const notificationDetails = miniApps.events.detailsOf(token?.token)
  return {
    added: added !== undefined,
    notifies: added?.notifies === 1,
    ...(notificationDetails && { notificationDetails }),
  }
}

const host = route('GET /v1/mini-app-host', {
  callers: 'anyone',
  summary: 'What mini apps find on this server',
  description: 'For clients that open apps, and for the settings of an app.',
  tags: MINI_APPS,
  reply: Result(
    Type.Object({
      mode: Type.Enum(['off', 'listed', 'signed', 'any'], {
        description: 'Which apps run here; `any`: every page, unsigned or local ones too.',
      }),
      chains: Type.Array(Type.String(), {
        description: 'CAIP-2 ids of the chains on which apps may use a wallet; empty: no wallet.',
      }),
      quickAuthOrigin: Type.String({ description: 'The server of Quick Auth.' }),
      notificationsUrl: Type.String({ description: 'Where apps send their notifications.' }),
    }),
  ),
  errors: [],
  cost: 'lookup',
  handler: async ({ context: { settings, publicUrl } }: Needs) => ({
    result: {
      mode: settings.mode,
      chains: [...settings.chains],
      quickAuthOrigin: publicUrl(),
      notificationsUrl: `${publicUrl()}${NOTIFICATIONS_PATH}`,
    },
  }),
})

const added = route('GET /fc/added-mini-apps', {
  callers: 'user',
  summary: "The caller's own mini apps, newest first",
  description: `A user has at most ${MAX_ADDED_MINI_APPS}, so they come on one page. Apps that the operator has removed are left out.`,
  tags: MINI_APPS,
  reply: Result(
    Type.Object({
      apps: Type.Array(AddedMiniApp),
      hidesUse: Type.Boolean({
        description: 'Whether the apps that the caller opens are hidden from friends.',
      }),
    }),
  ),
  errors: [],
  cost: 'lookup',
  handler: async ({ context, miniApps }: Needs, { request }) => {
    const { fid } = await context.actorOf(request)
    const miniAppUsers = context.storage.of(miniAppUserRows)
    const rows = (await miniAppUsers.listAdded(fid, MAX_ADDED_MINI_APPS)).filter(
      ({ state }) => state !== 'removed',
    )
    const named = await namedApps(context.storage, rows)
    const apps = rows.map((row, i) => {
      const notificationDetails = miniApps.events.detailsOf(row.token)
      const { castShareUrl } = manifestOf(row)
      return {
        ...named[i]!,
        addedAt: row.added_at,
        notifies: row.notifies === 1,
        ...(notificationDetails && { notificationDetails }),
        ...(castShareUrl && row.state === 'listed' && { castShareUrl }),
      }
    })
    return { result: { apps, hidesUse: await miniAppUsers.hidesUse(fid) } }
  },
})

const notices = route('GET /fc/mini-app-notices', {
  callers: 'user',
  summary: 'What mini apps have told the caller',
  description: 'The newest first. They are kept for 60 days.',
  tags: MINI_APPS,
  query: { ...PAGE, cursor: cursor('nns') },
  reply: PageOf(
    Type.Object({
      notices: Type.Array(Notice),
      unseen: Type.Integer({ description: 'How many are not seen yet; counted up to 1,000.' }),
    }),
  ),
  errors: ['bad_request.invalid_param'],
  cost: 'list',
  handler: async ({ context }: Needs, { query, request }) => {
    const { fid } = await context.actorOf(request)
    const { storage } = context
    const rows = await storage.of(miniAppNoticeRows).notices(fid, query.cursor, query.limit + 1)
    const { result, next } = pageReply(
      rows,
      query.limit,
      (row) => [row.created_at, row.app_id, row.notification_id],
      (items) => ({ items }),
    )
    const apps = await storage
      .of(miniAppRows)
      .byIds([...new Set(result.items.map((row) => row.app_id))])
    const hidden = await storage.moderation.hiddenAmong(apps.map(({ author_fid }) => author_fid))
    const shown = apps.filter(
      ({ state, author_fid }) => state !== 'removed' && !hidden.has(author_fid),
    )
    const named = await namedApps(storage, shown)
    const byId = new Map(shown.map(({ id }, i) => [id, named[i]!]))
    const found = result.items.flatMap((row) => {
      const app = byId.get(row.app_id)
      return app ? [noticeJson(row, app)] : []
    })
    const unseen = await storage.of(miniAppNoticeRows).unseenCount(fid)
    return { result: { notices: found, unseen }, ...(next && { next }) }
  },
})

export const miniAppReadRoutes: readonly Route<Needs>[] = [list, search, one, host, added, notices]
