import { VIEWS } from '../../../kernel/app-api/app-route.ts'
import type { AppContext, Viewer } from '../../../kernel/app-api/context.ts'
import { usersOf } from '../../../kernel/app-api/pages.ts'
import { viewerParam } from '../../../kernel/app-api/params.ts'
import type { Cast, User } from '../../../kernel/app-api/schemas.ts'
import { route } from '../../../kernel/http/route.ts'
import { TAGS } from '../../../kernel/views/tags.ts'
import { tagToken } from '../../../kernel/views/words.ts'
import { newestCarrying } from '../../search/port.ts'
import { trendingFeed } from '../feed-routes.ts'
import { liveliestChannels } from './discover.ts'
import { type ExploreScreen, ExploreScreenReply, SCREENS } from './schemas.ts'

const TAGS_SHOWN = 10
/** A tag of one person is no trend. */
const MIN_PEOPLE = 2
const TAGGED = { carried: 'tags', days: 7, limit: 100 } as const
const PICTURES = 9
/** More than are shown: of each person one. */
const PICTURED = { carried: 'pictures', days: 30, limit: 40 } as const
const CASTS = 10
const USERS = 6
const CHANNELS = 6

/** What there is to be found, for who looks for nothing yet. */
export const exploreScreen = route('GET /v2/farcaster/screen/explore', {
  callers: 'app',
  summary: 'Tags and casts that many write about, new pictures and people, and channels',
  description:
    'Without what moderators have hidden or limited, and without what the viewer mutes or blocks. Lists go on with ' +
    '`/cast/search` (`tag`, `has`), `/feed/trending` and `/channel/trending`.',
  tags: SCREENS,
  limit: 'search',
  query: { viewer_fid: viewerParam },
  reply: ExploreScreenReply,
  cost: { cpu: 'large', rows: 300 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer }) => {
    const [trending, tagged, pictured, users, channels] = await Promise.all([
      trendingFeed.answer(context, {
        viewer,
        query: { timeWindow: '24h', provider: 'neynar', limit: CASTS },
      }),
      newestCarrying(context, viewer, TAGGED),
      newestCarrying(context, viewer, PICTURED),
      newestUsers(context, viewer),
      liveliestChannels(context, viewer),
    ])
    return {
      tags: tagsOf(tagged),
      casts: trending.casts,
      pictures: onePerAuthor(pictured.filter((cast) => !isSensitive(cast))).slice(0, PICTURES),
      users,
      channels: channels.slice(0, CHANNELS),
    }
  },
})

/** By how many people wrote them, so that nobody makes a trend alone; then by casts, then the newest. */
function tagsOf(casts: readonly Cast[]): ExploreScreen['tags'] {
  const found = new Map<string, { tag: string; authors: Set<number>; casts: number }>()
  for (const { text, author } of casts) {
    const written = new Map([...text.matchAll(TAGS)].map(([, tag]) => [tagToken(tag!), tag!]))
    for (const [token, tag] of written) {
      const one = found.get(token) ?? { tag, authors: new Set(), casts: 0 }
      one.authors.add(author.fid)
      one.casts += 1
      found.set(token, one)
    }
  }
  return [...found.values()]
    .map(({ tag, authors, casts }) => ({ tag, people: authors.size, casts }))
    .filter(({ people }) => people >= MIN_PEOPLE)
    .sort((a, b) => b.people - a.people || b.casts - a.casts)
    .slice(0, TAGS_SHOWN)
}

const isSensitive = ({ embeds }: Cast): boolean =>
  embeds.some((embed) => 'url' in embed && embed.sensitive)

const onePerAuthor = (casts: readonly Cast[]): Cast[] =>
  casts.filter(({ author }, i) => casts.findIndex((one) => one.author.fid === author.fid) === i)

async function newestUsers(context: AppContext, viewer: Viewer): Promise<User[]> {
  const fids = await context.storage.appViews.newestUsers({ viewer, limit: USERS + 1 })
  const others = fids.filter((fid) => fid !== viewer.viewer).slice(0, USERS)
  return usersOf(context, viewer, others)
}
