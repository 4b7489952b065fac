import Type, { type Static } from 'typebox'
import { appOf } from '../../../kernel/app-api/app-route.ts'
import {
  FidNumber,
  Idem,
  readTarget,
  SignerUuid,
  SUCCESS,
  SuccessReply,
  TargetText,
} from '../../../kernel/app-api/bodies.ts'
import { inFieldsOf } from '../../../kernel/app-api/refusals.ts'
import { bind, json, type Method, type Route, route } from '../../../kernel/http/route.ts'
import { linkAdd, linkRemove, reactionAdd, reactionRemove } from '../../../kernel/protocol/build.ts'
import { toHex } from '../../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { ReactionType } from '../../../kernel/protocol/wire/message_pb.js'
import {
  answerWrite,
  MESSAGE_COST,
  MESSAGE_ERRORS,
  storedOf,
  type WritesContext,
} from './context.ts'

const REACTIONS = [{ name: 'Reactions', description: 'Likes and recasts.' }]
const FOLLOWS = [{ name: 'Follows', description: 'Follows of accounts.' }]
/** Accounts that one call follows or unfollows. */
const MAX_TARGETS = 100

const TYPES = { like: ReactionType.LIKE, recast: ReactionType.RECAST } as const
const REACTION_FIELDS = {
  'reactionBody.targetUrl': 'target',
  'reactionBody.targetCastId': 'target',
}

const ReactionBody = Type.Object({
  signer_uuid: SignerUuid,
  reaction_type: Type.Union([Type.Literal('like'), Type.Literal('recast')]),
  target: TargetText,
  target_author_fid: Type.Optional(FidNumber),
  idem: Idem,
})

const reactionRoute = (method: Method, summary: string, build: typeof reactionAdd) =>
  route(`${method} /v2/farcaster/reaction`, {
    callers: 'app',
    summary,
    description: 'The author of a cast is looked up when `target_author_fid` is missing.',
    tags: REACTIONS,
    body: json(ReactionBody),
    reply: SuccessReply,
    errors: MESSAGE_ERRORS,
    cost: { ...MESSAGE_COST, writes: 2 },
    handler: async (context: WritesContext, { body, request }) => {
      const app = appOf(request)
      const key = await context.signers.writingKey(app, body.signer_uuid)
      const { target, target_author_fid, reaction_type, idem } = body
      const to = await readTarget(context.storage, target, target_author_fid, 'target')
      const published = await inFieldsOf(REACTION_FIELDS, () =>
        context.publisher.publishOnce(app, idem, key, (origin) =>
          build(origin, TYPES[reaction_type], to),
        ),
      )
      return answerWrite(context, [published], SUCCESS)
    },
  })

const FollowBody = Type.Object({
  signer_uuid: SignerUuid,
  target_fids: Type.Array(FidNumber, { minItems: 1, maxItems: MAX_TARGETS }),
})
const FollowReply = Type.Object({
  success: Type.Boolean(),
  details: Type.Array(
    Type.Object({ success: Type.Boolean(), target_fid: Type.Integer(), hash: Type.String() }),
  ),
})

const followRoute = (method: Method, summary: string, build: typeof linkAdd) =>
  route(`${method} /v2/farcaster/user/follow`, {
    callers: 'app',
    summary,
    description: 'Each account has its own result; the call is refused when all of them are.',
    tags: FOLLOWS,
    body: json(FollowBody),
    reply: FollowReply,
    errors: MESSAGE_ERRORS,
    cost: { cpu: 'small' },
    costOfBody: ({ target_fids }: Static<typeof FollowBody>) => ({
      signatures: 2 * target_fids.length,
      writes: target_fids.length,
    }),
    handler: async (context: WritesContext, { body, request }) => {
      const key = await context.signers.writingKey(appOf(request), body.signer_uuid)
      const targets = [...new Set(body.target_fids)]
      const outcomes = await context.publisher.publishAll(
        key,
        targets.map((fid) => (origin) => build(origin, 'follow', fid)),
      )
      const [first] = outcomes
      const stored = storedOf(outcomes)
      if (stored.length === 0 && first instanceof Rejection) throw first
      const details = outcomes.map((one, i) => {
        const target_fid = targets[i]!
        if (one instanceof Rejection) return { success: false, target_fid, hash: '' }
        return { success: true, target_fid, hash: toHex(one.hash) }
      })
      const success = stored.length === outcomes.length
      return answerWrite(context, stored, { success, details })
    },
  })

const like = reactionRoute('POST', 'Like or recast', reactionAdd)
const unlike = reactionRoute('DELETE', 'Take a like or recast back', reactionRemove)
const follow = followRoute('POST', 'Follow users', linkAdd)
const unfollow = followRoute('DELETE', 'Unfollow users', linkRemove)

export const graphRoutes = (context: WritesContext): Route[] =>
  bind(context, [like, unlike, follow, unfollow])
