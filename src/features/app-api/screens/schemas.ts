import Type, { type Static } from 'typebox'
import {
  Cast,
  CastReactionsReply,
  CastSearchReply,
  CastsPageReply,
  ChannelInvitesReply,
  ChannelMembersReply,
  ChannelReply,
  ChannelsPageReply,
  ConversationReply,
  FollowersReply,
  Invite,
  NotificationsReply,
  User,
  UserReactionsReply,
  UserSearchReply,
  UsersPageReply,
} from '../../../kernel/app-api/schemas.ts'

// The answers of the screens of the web client.

export const SCREENS = [
  {
    name: 'Screens',
    description: 'Answers that have all of a screen: several calls of this interface in one.',
  },
]

const time = Type.String({ description: 'ISO 8601, UTC.' })

export const NameChange = Type.Object(
  {
    id: Type.Integer({ description: 'Of the transfer in the log of the registry.' }),
    name: Type.String(),
    timestamp: time,
    from_fid: Type.Integer({ description: '0: the name was free.' }),
    to_fid: Type.Integer({ description: '0: the name was released.' }),
    acting_fid: Type.Integer({ description: 'Who asked for it.' }),
    owner: Type.String({ description: 'The custody address that signed, or received the name.' }),
  },
  { $id: 'NameChange' },
)
export type NameChange = Static<typeof NameChange>

/** Until when the storage of an account lasts. */
export const StoragePeriod = Type.Object(
  {
    state: Type.Union(
      [
        Type.Literal('endless'),
        Type.Literal('active'),
        Type.Literal('ended'),
        Type.Literal('none'),
      ],
      {
        description:
          'endless: storage does not end. active: it ends at `ends_at`. ended: it has ended, and messages are deleted from `pruned_from` on. none: the account has no storage.',
      },
    ),
    ends_at: Type.Optional(time),
    pruned_from: Type.Optional(time),
  },
  { $id: 'StoragePeriod' },
)
export type StoragePeriod = Static<typeof StoragePeriod>

export const StorageNotice = Type.Object(
  {
    ends_at: time,
    pruned_from: Type.String({ description: 'From when on messages are deleted.' }),
    has_ended: Type.Boolean({ description: 'Whether `ends_at` is past.' }),
    units_left: Type.Integer({ description: 'Units that the account has from `ends_at` on.' }),
  },
  { $id: 'StorageNotice' },
)
export type StorageNotice = Static<typeof StorageNotice>

const FILLING_KINDS = ['casts', 'reactions', 'links'] as const

const Filling = Type.Object({
  kind: Type.Unsafe<(typeof FILLING_KINDS)[number]>({ type: 'string', enum: FILLING_KINDS }),
  used: Type.Integer(),
  capacity: Type.Integer(),
})
export type Filling = Static<typeof Filling>

export const StorageNoticeReply = Type.Object({
  grows: Type.Boolean({
    description:
      'Whether the storage grows by itself. Otherwise the oldest messages of a full kind are removed.',
  }),
  filling: Type.Array(Filling, {
    description: 'Kinds that fill 80 % or more of a storage that does not grow.',
    maxItems: FILLING_KINDS.length,
  }),
  notice: Type.Union([StorageNotice, Type.Null()], {
    description: 'Null: nothing is lost in the next 30 days.',
  }),
  moves_at: Type.Union([time, Type.Null()], {
    description: 'When the recovery service gives the account to another key; null: it does not.',
  }),
})
export type StorageNoticeReply = Static<typeof StorageNoticeReply>

export const PersonScreenReply = Type.Object({
  user: User,
  mirrored: Type.Optional(
    Type.Union([Type.Literal('outside'), Type.Literal('context'), Type.Literal('frozen')], {
      description:
        'On a mirror of chosen people, of somebody who is none of them. outside: nothing is mirrored; context: the profile, and casts that others refer to; frozen: nothing new.',
    }),
  ),
  website: Type.Optional(Type.String({ description: 'As the profile states; not verified.' })),
  has_badge: Type.Boolean({ description: 'Of the newest set of power badges.' }),
  cast_count: Type.Integer({ description: 'Stored casts and replies that are not hidden.' }),
  cast_capacity: Type.Integer({ description: 'Casts that the rented storage keeps.' }),
  storage_expires_at: Type.Union([time, Type.Null()], {
    description: 'Of the last active unit; null without an end.',
  }),
  storage: StoragePeriod,
  names: Type.Array(NameChange, {
    description: 'Names that were gained or lost, the newest first.',
  }),
  casts: Type.Optional(CastsPageReply),
  reactions: Type.Optional(UserReactionsReply),
  people: Type.Optional(FollowersReply),
})
export type PersonScreen = Static<typeof PersonScreenReply>

const Check = Type.Object(
  {
    name: Type.Union([
      Type.Literal('hash'),
      Type.Literal('signature'),
      Type.Literal('signer'),
      Type.Literal('fid'),
      Type.Literal('time'),
      Type.Literal('network'),
    ]),
    passes: Type.Boolean(),
    text: Type.String({ description: 'What was found.' }),
  },
  { $id: 'MessageCheck' },
)
export type Check = Static<typeof Check>

export const SignedFields = Type.Object(
  {
    type: Type.String(),
    fid: Type.Integer(),
    network: Type.Integer(),
    timestamp: Type.Integer({ description: 'Seconds since 2021-01-01T00:00:00Z.' }),
    hash: Type.String(),
    hash_scheme: Type.String(),
    signature: Type.String(),
    signature_scheme: Type.String(),
    signer: Type.String(),
    data_bytes: Type.String({ description: 'What was hashed, in hex.' }),
    checks: Type.Array(Check),
  },
  { $id: 'SignedFields' },
)
export type SignedFields = Static<typeof SignedFields>

export const CastScreenReply = Type.Object({
  conversation: ConversationReply.properties.conversation,
  next: ConversationReply.properties.next,
  reactions: CastReactionsReply,
  message: SignedFields,
  above_is_missing: Type.Optional(
    Type.Boolean({
      description:
        'On a mirror of chosen people: it does not have the cast that the first one answers.',
    }),
  ),
})

export type CastScreen = Static<typeof CastScreenReply>

export const ChannelScreenReply = Type.Object({
  channel: ChannelReply.properties.channel,
  public_casting: Type.Boolean({
    description:
      'false: its feed shows only what members write. Whom the moderators invite may join.',
  }),
  moderators: Type.Array(User, { description: 'The owner first.' }),
  casts: Type.Optional(CastsPageReply),
  members: Type.Optional(ChannelMembersReply),
  people: Type.Optional(FollowersReply),
  invites: Type.Optional(ChannelInvitesReply),
  banned: Type.Optional(UsersPageReply),
  restricted: Type.Optional(UsersPageReply),
  hidden: Type.Optional(CastsPageReply),
  pinned: Type.Optional(Cast),
  own_invite: Type.Optional(Invite),
  is_excluded: Type.Optional(
    Type.Union([Type.Literal('banned'), Type.Literal('restricted')], {
      description: 'Of the viewer. See `/channel/excluded/list`.',
    }),
  ),
})

export type ChannelScreen = Static<typeof ChannelScreenReply>

export const DiscoverScreenReply = Type.Object({
  users: Type.Array(User, { description: 'Up to five whom the viewer does not follow.' }),
  channels: Type.Array(ChannelReply.properties.channel, {
    description: 'Up to three that the viewer does not follow.',
  }),
  casts: Type.Array(Cast, { description: 'Up to three with the most reactions and replies now.' }),
})

export type DiscoverScreen = Static<typeof DiscoverScreenReply>

export const ExploreScreenReply = Type.Object({
  tags: Type.Array(
    Type.Object({
      tag: Type.String({ description: 'Without its sign, as it was written last.' }),
      people: Type.Integer({ description: 'How many people wrote it.' }),
      casts: Type.Integer({ description: 'In how many of the casts that were counted.' }),
    }),
    {
      description:
        'Up to ten that at least two people wrote this week, of the newest 100 casts with tags.',
    },
  ),
  casts: Type.Array(Cast, { description: 'Up to ten with the most reactions and replies now.' }),
  pictures: Type.Array(Cast, {
    description:
      'The newest with pictures, of up to nine people; none that is marked as sensitive.',
  }),
  users: Type.Array(User, { description: 'The newest accounts with a name, up to six.' }),
  channels: Type.Array(ChannelReply.properties.channel, {
    description: 'Up to six: with the most casts of 30 days, then with the most followers.',
  }),
})
export type ExploreScreen = Static<typeof ExploreScreenReply>

export const SearchScreenReply = Type.Object({
  users: UserSearchReply.properties.result,
  channels: ChannelsPageReply,
  casts: CastSearchReply.properties.result,
  refused: Type.Optional(Type.String({ description: 'Why casts could not be searched.' })),
})

export type SearchScreen = Static<typeof SearchScreenReply>

export const NameScreenReply = Type.Object({
  name: Type.String(),
  state: Type.Union([
    Type.Literal('free'),
    Type.Literal('taken'),
    Type.Literal('reserved'),
    Type.Literal('impossible'),
  ]),
  holder: Type.Optional(User),
  movable_at: Type.Optional(
    Type.String({ description: 'From when on the holder may release or transfer it.' }),
  ),
  storage_expires_at: Type.Union([time, Type.Null()], {
    description: "Of the holder's last active unit; null without an end.",
  }),
  storage: Type.Optional(StoragePeriod),
  history: Type.Array(NameChange, { description: 'The newest first.' }),
  users: Type.Array(User, { description: 'Those of the history.' }),
})

export type NameScreen = Static<typeof NameScreenReply>

export const NamesScreenReply = Type.Object({
  changes: Type.Array(NameChange, { description: 'Of all names, the newest first.' }),
  users: Type.Array(User, { description: 'Those of the changes.' }),
})
export type NamesScreen = Static<typeof NamesScreenReply>

export const NotificationsScreenReply = Type.Object({
  ...NotificationsReply.properties,
  invites: ChannelInvitesReply.properties.invites,
  received_name: Type.Union([NameChange, Type.Null()], {
    description:
      'The name that the user received from another account and has not made the username.',
  }),
  users: Type.Array(User, {
    description: 'The user, and the account that gave the name if there is one.',
  }),
})
export type NotificationsScreen = Static<typeof NotificationsScreenReply>
