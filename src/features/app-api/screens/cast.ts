import { VIEWS } from '../../../kernel/app-api/app-route.ts'
import type { AppContext } from '../../../kernel/app-api/context.ts'
import { hashParam, viewerParam } from '../../../kernel/app-api/params.ts'
import { route } from '../../../kernel/http/route.ts'
import { fromHex, toHex } from '../../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { isNotMirrored } from '../../mirror/port.ts'
import { getKeyOfHash } from '../cast-id.ts'
import { castConversation } from '../cast-routes.ts'
import { castReactions } from '../graph-routes.ts'
import { type CastScreen, CastScreenReply, SCREENS } from './schemas.ts'
import { signedFields } from './signed-fields.ts'

/** Levels of replies on the screen. */
const DEPTH = 3

/** Whether the first cast that is shown answers one that this mirror does not have. */
async function isAboveMissing(
  { storage }: AppContext,
  { cast, chronological_parent_casts: [first = cast] = [] }: CastScreen['conversation'],
): Promise<boolean> {
  const hash = first.parent_hash === null ? undefined : fromHex(first.parent_hash)
  const fid = first.parent_author.fid
  return hash !== undefined && fid !== null && isNotMirrored(storage, { fid, hash })
}

/** The screen of a cast. */
export const castScreen = route('GET /v2/farcaster/screen/cast', {
  callers: 'app',
  summary: 'A cast with its thread, its reactions and its signed message',
  description: 'Lists go on with `/cast/conversation` and `/reactions/cast`.',
  tags: SCREENS,
  limit: 'search',
  query: { hash: hashParam, viewer_fid: viewerParam },
  reply: CastScreenReply,
  errors: ['not_found'],
  cost: { cpu: 'medium', rows: 500 },
  from: VIEWS,
  handler: async (context, { viewer, query: { hash } }) => {
    const [row] = await context.storage.appViews.casts([await getKeyOfHash(context, hash)])
    if (!row) throw new Rejection('not_found', 'no such cast is stored')
    const [thread, reactions, message] = await Promise.all([
      castConversation.answer(context, {
        viewer,
        query: {
          identifier: toHex(hash),
          type: 'hash',
          replyDepth: DEPTH,
          includeChronologicalParentCasts: true,
          sortType: 'chron',
          limit: 20,
        },
      }),
      castReactions.answer(context, { viewer, query: { hash, types: ['all'], limit: 25 } }),
      signedFields(context, row.message),
    ])
    const isMissing = await isAboveMissing(context, thread.conversation)
    return { ...thread, reactions, message, ...(isMissing && { above_is_missing: true }) }
  },
})
