import type { Route } from '../../http/route.ts'
import { toHex } from '../../protocol/codec/bytes.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { getKeyOfHash } from '../cast-id.ts'
import type { AppContext } from '../context.ts'
import { viewRoute } from '../kit.ts'
import { hashParam, viewerParam } from '../params.ts'
import { CastReactionsReply, ConversationReply } from '../schemas.ts'
import type { Calls } from './calls.ts'
import { CastScreenReply } from './schemas.ts'
import { signedFields } from './signed-fields.ts'
import { SCREENS } from './tag.ts'

/** Levels of replies on the screen. */
const DEPTH = 3

/** The screen of a cast. */
export function castScreen(context: AppContext, calls: Calls): Route {
  return viewRoute(context)(
    {
      path: '/screen/cast',
      summary: 'A cast with its thread, its reactions and its signed message',
      description: 'Lists go on with `/cast/conversation` and `/reactions/cast`.',
      tags: SCREENS,
      limit: 'search',
      query: { hash: hashParam, viewer_fid: viewerParam },
      reply: CastScreenReply,
      errors: ['not_found'],
      cost: { cpu: 'medium', rows: 500 },
    },
    async ({ query: { hash, viewerFid }, request }) => {
      const [row] = await context.storage.appViews.casts([await getKeyOfHash(context, hash)])
      if (!row) throw new Rejection('not_found', 'no such cast is stored')
      const identifier = toHex(hash)
      const [thread, reactions, message] = await Promise.all([
        calls.get(request, '/cast/conversation', ConversationReply, {
          identifier,
          type: 'hash',
          reply_depth: DEPTH,
          include_chronological_parent_casts: true,
          viewer_fid: viewerFid,
        }),
        calls.get(request, '/reactions/cast', CastReactionsReply, {
          hash: identifier,
          types: 'all',
          viewer_fid: viewerFid,
        }),
        signedFields(context, row.message),
      ])
      return { ...thread, reactions, message }
    },
  )
}
