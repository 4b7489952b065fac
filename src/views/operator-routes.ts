import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import type { Follower } from './follower.ts'

const TAGS = [
  { name: 'Views', description: 'The tables behind feeds, counts, search and notifications.' },
]

const ViewsReply = Type.Object({
  status: Type.Union([Type.Literal('ready'), Type.Literal('building')]),
  cursor: Type.Integer({ description: 'Id of the last event that was applied.' }),
  lagSeconds: Type.Integer({ description: 'Age of the oldest event that was not.' }),
  ratio: Type.Optional(Type.Number({ description: 'Share of a build that is done, from 0 to 1.' })),
})

/** How far the views are, as the operator sees it. */
export function viewsStatus(views: Pick<Follower, 'state' | 'cursor' | 'lagMs'>) {
  const state = views.state()
  return {
    status: state.status,
    cursor: views.cursor(),
    lagSeconds: Math.round(views.lagMs() / 1000),
    ...(state.status === 'building' && { ratio: state.ratio }),
  }
}

/** Routes of the operator that tell about the views and have them rebuilt. */
export const viewsOperatorRoutes = (views: Follower): Route[] => [
  route(
    {
      method: 'GET',
      path: '/views',
      summary: 'How far the views are',
      description:
        'The state, the position in the event log and the age of the oldest unread event.',
      tags: TAGS,
      reply: ViewsReply,
    },
    () => viewsStatus(views),
  ),
  route(
    {
      method: 'POST',
      path: '/views/rebuild',
      summary: 'Delete the views and build them again',
      description:
        'Answers when the build has begun. Until it ends the app API answers 503; nothing else is affected.',
      tags: TAGS,
      reply: ViewsReply,
    },
    async () => {
      await views.rebuild()
      return viewsStatus(views)
    },
  ),
]
