import { VIEWS } from '../../../kernel/app-api/app-route.ts'
import type { AppContext } from '../../../kernel/app-api/context.ts'
import { nextOf, paged } from '../../../kernel/app-api/cursor.ts'
import { castsOf, pageOf, usersOf } from '../../../kernel/app-api/pages.ts'
import { channelIdParam, choiceParam, viewerParam } from '../../../kernel/app-api/params.ts'
import { CastsPageReply, UsersPageReply } from '../../../kernel/app-api/schemas.ts'
import { bind, type Route, route } from '../../../kernel/http/route.ts'
import { channelRows } from '../../channels/port.ts'
import { CHANNELS, checkChannel } from './channel-routes.ts'

// What the moderators of a channel have decided. Everybody may read it, as at the client platform.

/** Routes of the moderation of channels. */
export const channelModerationRoutes = (context: AppContext): Route[] =>
  bind(context, [excludedUsers, hiddenCasts])

export const excludedUsers = route('GET /v2/farcaster/channel/excluded/list', {
  callers: 'app',
  summary: 'The banned or the restricted users of a channel',
  description:
    'The newest first. The casts of banned users are hidden in the channel. Restricted users were removed, or their ban was lifted; an invite ends that.',
  tags: CHANNELS,
  query: {
    channel_id: channelIdParam,
    standing: choiceParam(['banned', 'restricted'], 'Which users.'),
    ...paged({ default: 25, max: 100 }, 'n', 'n'),
  },
  reply: UsersPageReply,
  errors: ['not_found'],
  cost: { cpu: 'small', rows: 100 },
  from: VIEWS,
  handler: async (context, { viewer, query: { channelId, standing, limit, cursor } }) => {
    await checkChannel(context, channelId)
    const after = cursor && [cursor[0], channelId, cursor[1]]
    const channels = context.storage.of(channelRows)
    const rows = await channels.memberships(standing, { channelId }, after, limit + 1)
    const { items, last } = pageOf(rows, limit)
    const fids = items.map(({ fid }) => fid)
    return {
      users: await usersOf(context, viewer, fids),
      next: nextOf(last && [last.since, last.fid]),
    }
  },
})

export const hiddenCasts = route('GET /v2/farcaster/channel/hidden/list', {
  callers: 'app',
  summary: 'The casts that moderators of a channel hide in it',
  description: 'The one hidden last comes first. Casts that are deleted since are missing.',
  tags: CHANNELS,
  query: {
    channel_id: channelIdParam,
    viewer_fid: viewerParam,
    ...paged({ default: 25, max: 100 }, 'n', 'n'),
  },
  reply: CastsPageReply,
  errors: ['not_found'],
  cost: { cpu: 'medium', rows: 100 },
  from: VIEWS,
  handler: async (context, { viewer, query: { channelId, limit, cursor } }) => {
    await checkChannel(context, channelId)
    const { appViews } = context.storage
    const channels = context.storage.of(channelRows)
    const rows = await channels.hiddenCasts(channelId, cursor, limit + 1)
    const { items, last } = pageOf(rows, limit)
    const keys = await appViews.castKeysOfHashes(items.map(({ cast_hash }) => cast_hash))
    return {
      casts: await castsOf(context, viewer, keys, true),
      next: nextOf(last && [last.moderated_at, last.id]),
    }
  },
})
