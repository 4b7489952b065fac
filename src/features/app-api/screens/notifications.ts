import { VIEWS } from '../../../kernel/app-api/app-route.ts'
import { usersOf } from '../../../kernel/app-api/pages.ts'
import { described, fidParam } from '../../../kernel/http/input/params.ts'
import { route } from '../../../kernel/http/route.ts'
import { nameTransferRows } from '../../registry/port.ts'
import { channelInvites } from '../channels/channel-routes.ts'
import { noticeTypeParam, notifications } from '../notifications.ts'
import { nameChange } from './names.ts'
import { NotificationsScreenReply, SCREENS } from './schemas.ts'

const MAX_INVITES = 20

/** The screen of notifications: their first page, what waits for an answer, and the name that a user received and does not use yet. */
export const notificationsScreen = route('GET /v2/farcaster/screen/notifications', {
  callers: 'app',
  summary: 'Notifications of a user, invites to channels, and a name that the user received',
  description:
    'The answer of /notifications. A name that another account transferred to the user is part of it until it is the username.',
  tags: SCREENS,
  query: { fid: described(fidParam, 'Who is notified.'), type: noticeTypeParam },
  reply: NotificationsScreenReply,
  cost: { cpu: 'medium', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { fid, type } }) => {
    const nobody = { app: viewer.app, viewer: undefined }
    const [page, { invites }, held] = await Promise.all([
      notifications.answer(context, { viewer, query: { fid, type, limit: 15 } }),
      channelInvites.answer(context, {
        viewer: nobody,
        query: { invitedFid: fid, limit: MAX_INVITES },
      }),
      context.storage.of(nameTransferRows).heldBy(fid),
    ])
    const wasReceived = held !== undefined && held.acting_fid !== fid
    if (!wasReceived) return { ...page, invites, received_name: null, users: [] }
    const fids = [...new Set([fid, held.from_fid])].filter((one) => one > 0)
    const users = await usersOf(context, viewer, fids)
    const isUsed = users.some((user) => user.fid === fid && user.username === held.username)
    return { ...page, invites, received_name: isUsed ? null : nameChange(held), users }
  },
})
