import { described, fidParam } from '../../http/input/params.ts'
import type { Route } from '../../http/route.ts'
import type { AppContext } from '../context.ts'
import { viewRoute } from '../kit.ts'
import { NotificationsReply, UsersReply } from '../schemas.ts'
import type { Calls } from './calls.ts'
import { nameChange } from './names.ts'
import { NotificationsScreenReply } from './schemas.ts'
import { SCREENS } from './tag.ts'

/** The screen of notifications: their first page, and the name that a user received and does not use yet. */
export function notificationsScreen(context: AppContext, calls: Calls): Route {
  return viewRoute(context)(
    {
      path: '/screen/notifications',
      summary: 'Notifications of a user, and a name that the user received',
      description:
        'The answer of /notifications. A name that another account transferred to the user is part of it until it is the username.',
      tags: SCREENS,
      query: { fid: described(fidParam, 'Who is notified.') },
      reply: NotificationsScreenReply,
      cost: { cpu: 'medium', rows: 100 },
    },
    async ({ query: { fid }, request }) => {
      const [page, held] = await Promise.all([
        calls.get(request, '/notifications', NotificationsReply, { fid }),
        context.storage.nameTransfers.heldBy(fid),
      ])
      const wasReceived = held !== undefined && held.acting_fid !== fid
      if (!wasReceived) return { ...page, received_name: null, users: [] }
      const fids = [fid, held.from_fid].filter((one) => one > 0).join()
      const { users } = await calls.get(request, '/user/bulk', UsersReply, { fids })
      const isUsed = users.some((user) => user.fid === fid && user.username === held.username)
      return { ...page, received_name: isUsed ? null : nameChange(held), users }
    },
  )
}
