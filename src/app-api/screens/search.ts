import type { Param } from '../../http/input/params.ts'
import type { RequestInfo, Route } from '../../http/route.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { AppContext } from '../context.ts'
import { viewRoute } from '../kit.ts'
import { invalid, viewerParam } from '../params.ts'
import { CastSearchReply, ChannelsPageReply, UserSearchReply } from '../schemas.ts'
import type { Calls } from './calls.ts'
import { type SearchScreen, SearchScreenReply } from './schemas.ts'
import { SCREENS } from './tag.ts'

const MAX_CHARACTERS = 64
const USERS = 5
const CHANNELS = 5

const queryParam: Param<string> = {
  schema: { type: 'string', minLength: 1, maxLength: MAX_CHARACTERS },
  description: 'What is searched in people, channels and casts.',
  parse: (text, field) => {
    if (text.length <= MAX_CHARACTERS) return text
    throw invalid(field, `must be at most ${MAX_CHARACTERS} characters`)
  },
}

/** The screen of a search. */
export function searchScreen(context: AppContext, calls: Calls): Route {
  return viewRoute(context)(
    {
      path: '/screen/search',
      summary: 'People, channels and casts for one search',
      description: 'Lists go on with `/user/search`, `/channel/search` and `/cast/search`.',
      tags: SCREENS,
      limit: 'search',
      query: { q: queryParam, viewer_fid: viewerParam },
      reply: SearchScreenReply,
      cost: { cpu: 'large', rows: 100 },
    },
    async ({ query: { q, viewerFid }, request }) => {
      const values = { q, viewer_fid: viewerFid }
      const [users, channels, casts] = await Promise.all([
        calls.get(request, '/user/search', UserSearchReply, { ...values, limit: USERS }),
        calls.get(request, '/channel/search', ChannelsPageReply, { ...values, limit: CHANNELS }),
        castsFor(calls, request, values),
      ])
      return { users: users.result, channels, ...casts }
    },
  )
}

/** No casts for a text that cannot be searched for, such as one quotation mark. It may still be part of a name. */
async function castsFor(
  calls: Calls,
  request: RequestInfo,
  values: { q: string; viewer_fid: number | undefined },
): Promise<Pick<SearchScreen, 'casts' | 'refused'>> {
  try {
    return { casts: (await calls.get(request, '/cast/search', CastSearchReply, values)).result }
  } catch (error) {
    if (!(error instanceof Rejection) || !error.code.startsWith('bad_request')) throw error
    return { casts: { casts: [], next: { cursor: null } }, refused: error.message }
  }
}
