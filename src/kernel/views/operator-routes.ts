import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import type { Storage } from '../storage/storage.ts'
import { EVENT_PARTS, type EventPart } from '../storage/views/views.ts'
import type { Follower } from './follower.ts'

const TAGS = [
  { name: 'Views', description: 'The tables behind feeds, counts, search and notifications.' },
]

/** As many as a person reads. */
const MAX_SET_ASIDE = 100

const ViewsReply = Type.Object({
  status: Type.Union([Type.Literal('ready'), Type.Literal('building')]),
  cursor: Type.Integer({ description: 'Id of the last event that was applied.' }),
  lagSeconds: Type.Integer({ description: 'Age of the oldest event that was not.' }),
  setAside: Type.Integer({
    description: 'Parts of events that could not be applied and are left out.',
  }),
  failure: Type.Optional(
    Type.String({ description: 'Why the last attempt failed. The views try again each second.' }),
  ),
  ratio: Type.Optional(Type.Number({ description: 'Share of a build that is done, from 0 to 1.' })),
})

const AsidesReply = Type.Object({
  setAside: Type.Array(
    Type.Object({
      part: Type.Unsafe<EventPart>({ type: 'string', enum: EVENT_PARTS }),
      id: Type.Integer({
        description: 'Of the event, and of the message that it added; of a profile the fid.',
      }),
      reason: Type.String({ description: 'What failed.' }),
      version: Type.String({ description: 'The version of the program that set it aside.' }),
      at: Type.Integer({ description: 'Unix milliseconds.' }),
    }),
    { maxItems: MAX_SET_ASIDE },
  ),
})

/** How far the views are, as the operator sees it. */
export function viewsStatus(
  views: Pick<Follower, 'state' | 'cursor' | 'lagMs' | 'setAside' | 'failure'>,
) {
  const state = views.state()
  const failure = views.failure?.split('\n')[0]
  return {
    status: state.status,
    cursor: views.cursor,
    lagSeconds: Math.round(views.lagMs / 1000),
    setAside: views.setAside,
    ...(failure !== undefined && { failure }),
    ...(state.status === 'building' && { ratio: state.ratio }),
  }
}

/** Routes of the operator that tell about the views and have them rebuilt. */
export const viewsOperatorRoutes = (views: Follower, storage: Pick<Storage, 'views'>): Route[] => [
  route('GET /views', {
    callers: 'operator',
    summary: 'How far the views are',
    description: 'The state, the position in the event log and the age of the oldest unread event.',
    tags: TAGS,
    reply: ViewsReply,
    errors: [],
    cost: 'lookup',
    handler: () => viewsStatus(views),
  }),
  route('GET /views/set-aside', {
    callers: 'operator',
    summary: 'What could not be applied to the views',
    description:
      'The newest entries first. A newer version of the program tries each again, and so does a rebuild.',
    tags: TAGS,
    reply: AsidesReply,
    errors: [],
    cost: 'lookup',
    handler: async () => ({ setAside: await storage.views.setAside(MAX_SET_ASIDE) }),
  }),
  route('POST /views/rebuild', {
    callers: 'operator',
    summary: 'Delete the views and build them again',
    description:
      'Answers when the build has begun. Until it ends the app API answers 503; nothing else is affected.',
    tags: TAGS,
    reply: ViewsReply,
    errors: [],
    cost: 'write',
    handler: async () => {
      await views.rebuild()
      return viewsStatus(views)
    },
  }),
]
