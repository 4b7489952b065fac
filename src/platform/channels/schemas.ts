import Type, { type Static } from 'typebox'
import { toHex } from '../../protocol/bytes.ts'
import type { Invite, Membership, Moderation, StoredChannel } from '../../storage/channels.ts'
import { CastHash, Fid, UnixSeconds } from '../schemas.ts'
import { moderatorsOf } from './channel-rules.ts'
import {
  CHANNEL_ID,
  MAX_BATCH_RECORDS,
  MAX_DESCRIPTION_CHARACTERS,
  MAX_LINK_CHARACTERS,
  MAX_LINK_TITLE_CHARACTERS,
  MAX_MODERATORS,
  MAX_NAME_CHARACTERS,
  MAX_RESERVED_IDS,
  MAX_URL_BYTES,
  STORED_CHANNEL_ID,
} from './limits.ts'

const ExternalLink = Type.Object({
  title: Type.String({ minLength: 1, maxLength: MAX_LINK_TITLE_CHARACTERS }),
  url: Type.String({ maxLength: MAX_LINK_CHARACTERS }),
})

const channelProperties = {
  id: Type.String({ description: 'Unique, and never changes.' }),
  url: Type.String({ description: 'The parent url of the casts that begin threads here.' }),
  name: Type.String(),
  description: Type.String({ description: 'May be empty.' }),
  imageUrl: Type.String({ description: 'Empty when the channel has no image.' }),
  headerImageUrl: Type.Optional(Type.String()),
  leadFid: Type.Optional(Type.Integer({ description: 'The owner, if the channel has one.' })),
  moderatorFid: Type.Optional(
    Type.Integer({ description: 'One more moderator, as channels had before they had several.' }),
  ),
  moderatorFids: Type.Optional(Type.Array(Type.Integer())),
  createdAt: Type.Integer({ description: 'Unix seconds.' }),
  followerCount: Type.Integer(),
  memberCount: Type.Integer({ description: 'The owner and the moderators are members too.' }),
  pinnedCastHash: Type.Optional(Type.String()),
  externalLink: Type.Optional(Type.Object({ title: Type.String(), url: Type.String() })),
  publicCasting: Type.Boolean({ description: 'false: only members should cast.' }),
}

export const Channel = Type.Object(channelProperties, { $id: 'Channel' })
export const FollowedChannel = Type.Object(
  { ...channelProperties, followedAt: Type.Integer({ description: 'Unix seconds.' }) },
  { $id: 'FollowedChannel' },
)

/** A channel as it is published; what does not apply is left out. */
export const channelJson = (row: StoredChannel) => ({
  id: row.id,
  url: row.url,
  name: row.name,
  description: row.description,
  imageUrl: row.image_url,
  ...(row.header_image_url !== null && { headerImageUrl: row.header_image_url }),
  ...(row.lead_fid !== null && { leadFid: row.lead_fid }),
  ...(row.moderator_fid !== null && { moderatorFid: row.moderator_fid }),
  ...(row.moderator_fids !== '' && { moderatorFids: moderatorsOf(row) }),
  createdAt: row.created_at,
  followerCount: row.follower_count,
  memberCount: row.member_count,
  ...(row.pinned_hash !== null && { pinnedCastHash: toHex(row.pinned_hash) }),
  ...(row.link_title !== null &&
    row.link_url !== null && { externalLink: { title: row.link_title, url: row.link_url } }),
  publicCasting: row.public_casting === 1,
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
export const InviteReply = Type.Object({
  channelId: Type.String(),
  invitedFid: Type.Integer(),
  invitedAt: Type.Integer(),
  inviterFid: Type.Integer(),
  role: Role,
})
const Action = Type.Union([Type.Literal('hide'), Type.Literal('unhide')])
export const ModerationReply = Type.Object({
  castHash: Type.String(),
  channelId: Type.String(),
  action: Action,
  moderatedAt: Type.Integer(),
})

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
export const inviteJson = (row: Invite) => ({
  channelId: row.channel_id,
  invitedFid: row.invited_fid,
  invitedAt: row.invited_at,
  inviterFid: row.inviter_fid,
  role: row.role,
})
export const moderationJson = (row: Moderation) => ({
  castHash: toHex(row.cast_hash),
  channelId: row.channel_id,
  action: row.action,
  moderatedAt: row.moderated_at,
})

// What callers send. Properties that are not named here do not matter.

const Name = Type.String({ minLength: 1, maxLength: MAX_NAME_CHARACTERS })
const Description = Type.String({ maxLength: MAX_DESCRIPTION_CHARACTERS })
const Link = Type.String({ maxLength: MAX_LINK_CHARACTERS, description: 'http or https.' })
const OrNull = <S extends Type.TSchema>(schema: S) => Type.Union([schema, Type.Null()])
const Url = Type.String({
  minLength: 1,
  maxLength: MAX_URL_BYTES,
  description: `At most ${MAX_URL_BYTES} bytes, and no other channel's.`,
})

const looks = {
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  imageUrl: Type.Optional(Link),
  publicCasting: Type.Optional(Type.Boolean()),
}

/** Of a channel that is here, brought in from elsewhere perhaps. */
const ChannelId = Type.String({ pattern: STORED_CHANNEL_ID.source })
const NewChannelId = Type.String({ pattern: CHANNEL_ID.source })

/** `channelKey` is another name for `channelId`. */
export const WhichChannel = Type.Object({
  channelId: Type.Optional(ChannelId),
  channelKey: Type.Optional(ChannelId),
})
export const NewChannel = Type.Object({
  channelId: NewChannelId,
  ...looks,
  url: Type.Optional(Url),
  headerImageUrl: Type.Optional(Link),
  externalLink: Type.Optional(ExternalLink),
})
export const ChannelEdit = Type.Object({
  channelId: ChannelId,
  ...looks,
  headerImageUrl: Type.Optional(OrNull(Link)),
  externalLink: Type.Optional(OrNull(ExternalLink)),
  ownerFid: Type.Optional(Fid),
  moderatorFid: Type.Optional(OrNull(Fid)),
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

// What the operator sends.

export const NewChannelFor = Type.Object({
  ...NewChannel.properties,
  ownerFid: Type.Optional(Fid),
})
export type NewChannelFor = Static<typeof NewChannelFor>
export const ReservedIds = Type.Object({
  ids: Type.Array(NewChannelId, { minItems: 1, maxItems: MAX_RESERVED_IDS }),
})

const PortableChannel = Type.Object({
  id: ChannelId,
  url: Url,
  name: Name,
  description: Type.Optional(Description),
  imageUrl: Type.Optional(Type.String({ maxLength: MAX_LINK_CHARACTERS })),
  headerImageUrl: Type.Optional(Link),
  externalLink: Type.Optional(ExternalLink),
  leadFid: Type.Optional(Fid),
  moderatorFid: Type.Optional(Fid),
  moderatorFids: Type.Optional(Type.Array(Fid, { maxItems: MAX_MODERATORS })),
  pinnedCastHash: Type.Optional(Type.String({ pattern: '^0[xX][0-9a-fA-F]{40}$' })),
  publicCasting: Type.Optional(Type.Boolean()),
  createdAt: UnixSeconds,
})
const PortableFollow = Type.Object({ channelId: ChannelId, fid: Fid, followedAt: UnixSeconds })
const PortableMembership = Type.Object({
  channelId: ChannelId,
  fid: Fid,
  standing: Type.Union([
    Type.Literal('member'),
    Type.Literal('restricted'),
    Type.Literal('banned'),
  ]),
  since: UnixSeconds,
})
/** One of the three. */
export const ExportRecord = Type.Object({
  channel: Type.Optional(PortableChannel),
  follow: Type.Optional(PortableFollow),
  standing: Type.Optional(PortableMembership),
})
export type ExportRecord = Static<typeof ExportRecord>
export type PortableChannel = Static<typeof PortableChannel>
export const Portion = Type.Object({
  lines: Type.Array(ExportRecord, { minItems: 1, maxItems: MAX_BATCH_RECORDS }),
})
