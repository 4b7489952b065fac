import { toHex } from '../../protocol/codec/bytes.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { viewRead } from '../app-route.ts'
import { getKeyOfHash } from '../cast-id.ts'
import { castConversation } from '../cast-routes.ts'
import { castReactions } from '../graph-routes.ts'
import { hashParam, viewerParam } from '../params.ts'
import { CastScreenReply, SCREENS } from './schemas.ts'
import { signedFields } from './signed-fields.ts'

/** Levels of replies on the screen. */
const DEPTH = 3

/** The screen of a cast. */
export const castScreen = viewRead(
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
  async (context, viewer, { hash }) => {
    const [row] = await context.storage.appViews.casts([await getKeyOfHash(context, hash)])
    if (!row) throw new Rejection('not_found', 'no such cast is stored')
    const [thread, reactions, message] = await Promise.all([
      castConversation.answer(context, viewer, {
        identifier: toHex(hash),
        type: 'hash',
        replyDepth: DEPTH,
        includeChronologicalParentCasts: true,
        sortType: 'chron',
        limit: 20,
      }),
      castReactions.answer(context, viewer, { hash, types: ['all'], limit: 25 }),
      signedFields(context, row.message),
    ])
    return { ...thread, reactions, message }
  },
)
