import { VIEWS } from '../../../kernel/app-api/app-route.ts'
import type { AppContext, Viewer } from '../../../kernel/app-api/context.ts'
import { nextOf } from '../../../kernel/app-api/cursor.ts'
import { NO_CASTS } from '../../../kernel/app-api/pages.ts'
import { boundedParam, viewerParam } from '../../../kernel/app-api/params.ts'
import { route } from '../../../kernel/http/route.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { castSearch, hasOperators, userSearch } from '../../search/port.ts'
import { channelSearch } from '../channels/channel-routes.ts'
import { SCREENS, type SearchScreen, SearchScreenReply } from './schemas.ts'

/** A longer text names nobody. */
const MAX_NAME_CHARACTERS = 64
const MAX_CHARACTERS = 200
const USERS = 5
const CHANNELS = 5
const CASTS = 25

/** The screen of a search. */
export const searchScreen = route('GET /v2/farcaster/screen/search', {
  callers: 'app',
  summary: 'People, channels and casts for one search',
  description:
    'With operators such as `from:` it finds casts alone. Lists go on with `/user/search`, `/channel/search` and `/cast/search`.',
  tags: SCREENS,
  limit: 'search',
  query: {
    q: boundedParam(MAX_CHARACTERS, 'As in `/cast/search`.'),
    viewer_fid: viewerParam,
  },
  reply: SearchScreenReply,
  cost: { cpu: 'large', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { q } }) => {
    const isName = q.length <= MAX_NAME_CHARACTERS && !hasOperators(q)
    const [named, casts] = await Promise.all([
      isName ? namedSo(context, viewer, q) : NOTHING_NAMED,
      castsFor(context, viewer, q),
    ])
    return { ...named, ...casts }
  },
})

const NOTHING_NAMED = {
  users: { users: [], next: nextOf(undefined) },
  channels: { channels: [], next: nextOf(undefined) },
}

async function namedSo(
  context: AppContext,
  viewer: Viewer,
  q: string,
): Promise<Pick<SearchScreen, 'users' | 'channels'>> {
  const [users, channels] = await Promise.all([
    userSearch.answer(context, { viewer, query: { q, limit: USERS } }),
    channelSearch.answer(context, { viewer, query: { q, limit: CHANNELS } }),
  ])
  return { users: users.result, channels }
}

/** No casts for an invalid query, such as a quotation mark: it may still be part of a name. */
async function castsFor(
  context: AppContext,
  viewer: Viewer,
  q: string,
): Promise<Pick<SearchScreen, 'casts' | 'refused'>> {
  try {
    const query = { q, mode: 'literal', sortType: 'desc_chron', limit: CASTS } as const
    return { casts: (await castSearch.answer(context, { viewer, query })).result }
  } catch (error) {
    if (!(error instanceof Rejection) || !error.code.startsWith('bad_request')) throw error
    return { casts: NO_CASTS, refused: error.message }
  }
}
