import Type, { type Static } from 'typebox'
import { appOf } from '../../../kernel/app-api/app-route.ts'
import {
  ChannelId,
  FidNumber,
  HashText,
  Idem,
  invalidField,
  readTarget,
  SignerUuid,
  SUCCESS,
  SuccessReply,
  TargetText,
  unknownCast,
} from '../../../kernel/app-api/bodies.ts'
import { inFieldsOf } from '../../../kernel/app-api/refusals.ts'
import { bind, json, type Route, route } from '../../../kernel/http/route.ts'
import { castAdd, castRemove } from '../../../kernel/protocol/build.ts'
import { fromHex, toHex, utf8Length } from '../../../kernel/protocol/codec/bytes.ts'
import {
  MAX_CAST_BYTES,
  MAX_EMBEDS,
  MAX_LONG_CAST_BYTES,
  MAX_TEN_K_CAST_BYTES,
} from '../../../kernel/protocol/kinds/cast-add.ts'
import { namesIn, takeMentions } from '../../../kernel/protocol/mention-text.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { CastType } from '../../../kernel/protocol/wire/message_pb.js'
import { channelRows, STORED_CHANNEL_ID } from '../../channels/port.ts'
import { answerWrite, MESSAGE_COST, MESSAGE_ERRORS, type WritesContext } from './context.ts'
import { fidsByUsername } from './usernames.ts'

const CASTS = [{ name: 'Casts', description: 'Casts and threads.' }]

/** The names of mentions are not stored, so that the text may be longer than a cast. */
const MAX_SENT_CHARACTERS = 2 * MAX_TEN_K_CAST_BYTES

const CastIdBody = Type.Object({ fid: FidNumber, hash: HashText })
const EmbedBody = Type.Object(
  {
    url: Type.Optional(Type.String({ minLength: 1 })),
    cast_id: Type.Optional(CastIdBody),
    castId: Type.Optional(CastIdBody),
  },
  { description: 'A url or a cast.' },
)
const CastBody = Type.Object({
  signer_uuid: SignerUuid,
  text: Type.Optional(
    Type.String({ maxLength: MAX_SENT_CHARACTERS, description: '@username mentions a user.' }),
  ),
  embeds: Type.Optional(Type.Array(EmbedBody, { maxItems: MAX_EMBEDS })),
  parent: Type.Optional(TargetText),
  parent_author_fid: Type.Optional(FidNumber),
  channel_id: Type.Optional(ChannelId),
  idem: Idem,
})
type CastBody = Static<typeof CastBody>

const CastReply = Type.Object({
  success: Type.Boolean(),
  cast: Type.Object({
    hash: Type.String(),
    author: Type.Object({ fid: Type.Integer() }),
    text: Type.String(),
  }),
})

/** The fields of a cast in refusals of the hub, as callers know them. */
const FIELDS = {
  'castAddBody.text': 'text',
  'castAddBody.type': 'text',
  'castAddBody.embeds': 'embeds',
  'castAddBody.parentUrl': 'parent',
  'castAddBody.parentCastId': 'parent',
}

export const castRoutes = (context: WritesContext): Route[] =>
  bind(context, [publishCast, removeCast])

const publishCast = route('POST /v2/farcaster/cast', {
  callers: 'app',
  summary: 'Publish a cast',
  description:
    '`@username` at the start or after white space or punctuation becomes a mention, the first ten of them. ' +
    '`@name.eth` mentions the account that uses this ENS name, never `@name`. ' +
    '`channel_id` stands for the url of that channel; `parent` wins. Where `descriptions` of `/v1/server` is `required`, pictures ' +
    'and videos that the user has uploaded here must have an `alt_text`.',
  tags: CASTS,
  body: json(CastBody),
  reply: CastReply,
  errors: MESSAGE_ERRORS,
  cost: { ...MESSAGE_COST, writes: 2 },
  handler: async (context: WritesContext, { body, request }) => {
    const app = appOf(request)
    const { signers, publisher } = context
    const key = await signers.writingKey(app, body.signer_uuid)
    await checkDescriptions(context, { app, fid: key.fid, body })
    const cast = await castOf(context, body)
    const published = await inFieldsOf(FIELDS, () =>
      publisher.publishOnce(app, body.idem, key, (origin) => castAdd(origin, cast)),
    )
    const { fid, hash, eventId } = published
    const shown = { hash: toHex(hash), author: { fid }, text: body.text ?? '' }
    return answerWrite(context, [{ eventId }], { ...SUCCESS, cast: shown })
  },
})

const removeCast = route('DELETE /v2/farcaster/cast', {
  callers: 'app',
  summary: 'Remove a cast',
  description: 'Only its author may. A cast that is not stored is a 404.',
  tags: CASTS,
  body: json(Type.Object({ signer_uuid: SignerUuid, target_hash: HashText })),
  reply: SuccessReply,
  errors: MESSAGE_ERRORS,
  cost: MESSAGE_COST,
  handler: async (context: WritesContext, { body, request }) => {
    const key = await context.signers.writingKey(appOf(request), body.signer_uuid)
    const hash = fromHex(body.target_hash)!
    const cast = await context.storage.messages.castByHash(hash)
    if (!cast) throw unknownCast('target_hash')
    if (cast.fid !== key.fid) {
      throw new Rejection('unauthorized', 'the cast is of another author', {
        field: 'target_hash',
      })
    }
    const removed = await context.publisher.publish(key, (origin) => castRemove(origin, hash))
    return answerWrite(context, [removed], SUCCESS)
  },
})

/**
 * Refuses a new cast with a file of this server that its author has not described, where the operator asks for descriptions.
 * A hub cannot refuse it, because it is valid everywhere, but this call makes the cast itself. What an earlier request with the
 * same `idem` has stored is only answered again.
 */
async function checkDescriptions(
  { storage, ports: { media }, publisher, asksForDescriptions }: WritesContext,
  { app, fid, body }: { app: string; fid: number; body: CastBody },
): Promise<void> {
  const { embeds = [], idem } = body
  const hashes = embeds.map(({ url = '' }) => media.hashOfOwn(url))
  const files = hashes.flatMap((hash) => (hash ? [{ hash, fid }] : []))
  if (files.length === 0 || !(await asksForDescriptions())) return
  const described = await media.describedOf(storage, files)
  const bare = described.find(({ alt }) => alt.trim() === '')
  if (!bare || (await publisher.hasStored(app, idem))) return
  const index = hashes.findIndex((hash) => hash && toHex(hash) === toHex(bare.hash))
  const what =
    'has no description, which this server asks for: set alt_text with PATCH /v2/farcaster/media first'
  throw invalidField(`embeds[${index}].url`, what)
}

/** The body of the CastAdd for a request. */
async function castOf({ storage }: WritesContext, body: CastBody) {
  const { text: written = '', embeds = [] } = body
  // A lone half of a surrogate pair has no encoding, so it would not come back as it was written.
  if (!written.isWellFormed()) throw invalidField('text', 'is not valid Unicode')
  const fids = await fidsByUsername(storage, namesIn(written))
  const { text, mentions, mentionsPositions } = takeMentions(written, (name) => fids.get(name))
  return {
    text,
    mentions: mentions.map(BigInt),
    mentionsPositions: [...mentionsPositions],
    embeds: embeds.map(embedOf),
    parent: await parentOf(storage, body),
    type: typeOf(text),
  }
}

/** Each type has its own range of lengths, in bytes. */
function typeOf(text: string): CastType {
  const length = utf8Length(text)
  if (length <= MAX_CAST_BYTES) return CastType.CAST
  return length <= MAX_LONG_CAST_BYTES ? CastType.LONG_CAST : CastType.TEN_K_CAST
}

function embedOf({ url, cast_id, castId }: Static<typeof EmbedBody>, index: number) {
  const cast = cast_id ?? castId
  if ((url === undefined) === (cast === undefined)) {
    throw invalidField(`embeds[${index}]`, 'must have a url or a cast_id')
  }
  if (url !== undefined) return { embed: { case: 'url' as const, value: url } }
  const value = { fid: BigInt(cast!.fid), hash: fromHex(cast!.hash)! }
  return { embed: { case: 'castId' as const, value } }
}

async function parentOf(
  storage: WritesContext['storage'],
  { parent, parent_author_fid, channel_id }: CastBody,
) {
  if (parent !== undefined) {
    const target = await readTarget(storage, parent, parent_author_fid, 'parent')
    if ('url' in target) return { case: 'parentUrl' as const, value: target.url }
    const value = { fid: BigInt(target.fid), hash: target.hash }
    return { case: 'parentCastId' as const, value }
  }
  if (channel_id === undefined) return { case: undefined }
  const channel = STORED_CHANNEL_ID.test(channel_id)
    ? await storage.of(channelRows).byId(channel_id)
    : undefined
  if (!channel) {
    throw new Rejection('not_found', `channel ${channel_id} does not exist`, {
      field: 'channel_id',
    })
  }
  return { case: 'parentUrl' as const, value: channel.url }
}
