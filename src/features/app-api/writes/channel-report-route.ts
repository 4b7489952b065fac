import { viewerOf } from '../../../kernel/app-api/app-route.ts'
import { moderatorsOf } from '../../../kernel/app-api/channels.ts'
import { nameOfKey } from '../../../kernel/app-api/keys.ts'
import { hydrate, unixTimeOf } from '../../../kernel/app-api/objects/hydrate.ts'
import { channelIdParam } from '../../../kernel/app-api/params.ts'
import { placesOf } from '../../../kernel/app-api/places.ts'
import { ChannelReportsReply } from '../../../kernel/app-api/schemas.ts'
import { route } from '../../../kernel/http/route.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { CHANNELS } from '../channels/channel-routes.ts'
import { channelReportRows } from '../tables/channel-reports.ts'
import type { WritesContext } from './context.ts'

/** Reports of one answer: what is decided leaves the list, so the others come up. */
const MAX_REPORTS = 100

/** What people report in a channel, for its owner and moderators alone. */
export const channelReportRoute = route('GET /v2/farcaster/channel/report/list', {
  callers: 'user of an app',
  summary: 'Reported casts of a channel, for those who moderate it',
  description:
    'For the owner and the moderators, by the bearer token. The newest open reports about casts of the channel and replies in it, together by cast; the ' +
    'operator has them, too. A cast leaves the list when moderators hide it in the channel or leave it (`unhide`), until it is reported again, and when the operator answers. Who reported is not told, and nobody sees reports about their own casts.',
  tags: CHANNELS,
  query: { channel_id: channelIdParam },
  reply: ChannelReportsReply,
  errors: ['unauthorized', 'unauthorized.suspended', 'not_found'],
  cost: { cpu: 'medium', rows: 200 },
  handler: async (context: WritesContext, { query: { channelId }, request }) => {
    const { fid } = await context.platform.actorOf(request)
    const channel = (await context.channelCache.refresh()).byId.get(channelId)
    if (!channel) throw new Rejection('not_found', `channel ${channelId} does not exist`)
    if (!moderatorsOf(channel).includes(fid)) {
      throw new Rejection('unauthorized', `fid ${fid} does not moderate channel ${channelId}`)
    }
    const [place] = await placesOf(context, [channel.url])
    if (place === undefined) return { reports: [] }
    const asked = { channelId, place, viewer: fid }
    const rows = await context.storage.of(channelReportRows).list(asked, MAX_REPORTS)
    const byCast = Map.groupBy(rows, ({ key }) => nameOfKey(key))
    // Who moderates sees those whom they mute, too.
    const viewer = viewerOf(request, undefined)
    const found = await hydrate(context, viewer, { casts: rows.map(({ key }) => key) })
    return {
      reports: [...byCast.values()].flatMap((of) => {
        const [newest] = of
        const cast = found.cast(newest!.key)
        const reasons = of.map(({ reason }) => reason)
        return cast ? [{ cast, reasons, reported_at: unixTimeOf(newest!.created_at) }] : []
      }),
    }
  },
})
