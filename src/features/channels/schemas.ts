import Type, { type Static } from 'typebox'
import { CastHash, Fid } from '../../kernel/platform/schemas.ts'
import { MAX_BATCH_RECORDS, MAX_RESERVED_IDS } from './limits.ts'
import {
  CHANNEL_ID,
  type Membership,
  STORED_CHANNEL_ID,
  type StoredChannel,
} from './tables/channels.ts'
import {
  CHANNEL_JSON,
  FOLLOW_JSON,
  INVITE_JSON,
  MEMBERSHIP_JSON,
  MODERATION_JSON,
} from './tables/published-json.ts'

export const Channel = CHANNEL_JSON.schema({ $id: 'Channel' })
export const FollowedChannel = Type.Unsafe<ReturnType<typeof followedChannelJson>>(
  Type.Object(
    { ...CHANNEL_JSON.properties, followedAt: Type.Integer({ description: 'Unix seconds.' }) },
    { $id: 'FollowedChannel' },
  ),
)
export const channelJson = CHANNEL_JSON.of
/** In lists, where rules would be most of the bytes. */
export const listedChannelJson = (row: StoredChannel) => channelJson({ ...row, rules: null })
export const followedChannelJson = (row: StoredChannel & { readonly followed_at: number }) => ({
  ...listedChannelJson(row),
  followedAt: row.followed_at,
})

const since = <K extends string>(key: K) => ({ [key]: Type.Integer() }) as Record<K, Type.TInteger>

export const Follower = Type.Object({ fid: Type.Integer(), ...since('followedAt') })
export const Member = Type.Object({ fid: Type.Integer(), ...since('memberAt') })
export const RestrictedUser = Type.Object({
  fid: Type.Integer(),
  channelId: Type.String(),
  ...since('restrictedAt'),
})
export const BannedUser = Type.Object({
  fid: Type.Integer(),
  channelId: Type.String(),
  ...since('bannedAt'),
})
const Role = Type.Union([Type.Literal('member'), Type.Literal('moderator')])
export const InviteReply = INVITE_JSON.schema()
const Action = Type.Union([Type.Literal('hide'), Type.Literal('unhide')])
export const ModerationReply = MODERATION_JSON.schema()

export const memberJson = ({ fid, since }: Membership) => ({ fid, memberAt: since })
export const restrictedJson = ({ fid, channel_id, since }: Membership) => ({
  fid,
  channelId: channel_id,
  restrictedAt: since,
})
export const bannedJson = ({ fid, channel_id, since }: Membership) => ({
  fid,
  channelId: channel_id,
  bannedAt: since,
})
export const inviteJson = INVITE_JSON.of
export const moderationJson = MODERATION_JSON.of

// Request bodies. Unknown properties are ignored.

/** The id of an existing channel, which an import may have brought in. */
const ChannelId = Type.String({ pattern: STORED_CHANNEL_ID.source })
const NewChannelId = Type.String({ pattern: CHANNEL_ID.source })

/** `channelKey` is another name for `channelId`. */
export const WhichChannel = Type.Object({
  channelId: Type.Optional(ChannelId),
  channelKey: Type.Optional(ChannelId),
})
export const NewChannel = Type.Object({
  channelId: NewChannelId,
  ...CHANNEL_JSON.inputs('create'),
})
export const ChannelEdit = Type.Object({
  channelId: ChannelId,
  ...CHANNEL_JSON.inputs('edit'),
  ownerFid: Type.Optional(Fid),
})
export type NewChannel = Static<typeof NewChannel>
export type ChannelEdit = Static<typeof ChannelEdit>

export const InviteBody = Type.Object({ channelId: ChannelId, inviteFid: Fid, role: Role })
export const RemoveBody = Type.Object({ channelId: ChannelId, removeFid: Fid, role: Role })
export const AnswerBody = Type.Object({
  channelId: ChannelId,
  role: Role,
  accept: Type.Boolean(),
})
export const BanBody = Type.Object({ channelId: ChannelId, banFid: Fid })
export const UnbanBody = Type.Object({
  channelId: ChannelId,
  unbanFid: Type.Optional(Fid),
  banFid: Type.Optional(Fid),
})
export const ModerateBody = Type.Object({ castHash: CastHash, action: Action })
export const PinBody = Type.Object({
  castHash: CastHash,
  notifyChannelFollowers: Type.Optional(Type.Boolean()),
  notifyChannelMembers: Type.Optional(Type.Boolean()),
})
export const UnpinBody = Type.Object({
  castHash: Type.Optional(CastHash),
  channelId: Type.Optional(ChannelId),
})

// Request bodies of the operator.

export const NewChannelFor = Type.Object({
  ...NewChannel.properties,
  ownerFid: Type.Optional(Fid),
})
export type NewChannelFor = Static<typeof NewChannelFor>
export const ReservedIds = Type.Object({
  ids: Type.Array(NewChannelId, { minItems: 1, maxItems: MAX_RESERVED_IDS }),
})

/** One record of an export or an import. It has exactly one of the properties. */
export const ExportRecord = Type.Object({
  channel: Type.Optional(CHANNEL_JSON.recordSchema),
  follow: Type.Optional(FOLLOW_JSON.recordSchema),
  standing: Type.Optional(MEMBERSHIP_JSON.recordSchema),
})
export type ExportRecord = Static<typeof ExportRecord>
export type ChannelRecord = Static<typeof CHANNEL_JSON.recordSchema>
export const ImportBatch = Type.Object({
  lines: Type.Array(ExportRecord, { minItems: 1, maxItems: MAX_BATCH_RECORDS }),
})
