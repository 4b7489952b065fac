import Type, { type Static, type TSchema } from 'typebox'
import { ALL_NOTICE_KINDS } from '../../kernel/storage/views/notice-kinds.ts'

// The objects of answers. Their names and types are those of the deployed API; a test compares them with the types of
// its client library.

/** The answer of calls that have none. */
export const NothingReply = Type.Object({ success: Type.Literal(true) })

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const time = (description = 'ISO 8601, UTC.') => Type.String({ description })
const hash = Type.String({ description: '0x and 40 hex digits.' })

export const Next = Type.Object(
  {
    cursor: nullable(
      Type.String({ description: 'Where the next page begins; null when nothing is left.' }),
    ),
  },
  { $id: 'Next' },
)

const Range = Type.Object(
  { start: Type.Integer(), end: Type.Integer() },
  { $id: 'TextRange', description: 'UTF-16 units of the text; the end is not included.' },
)

export const UserDehydrated = Type.Object(
  {
    object: Type.Literal('user_dehydrated'),
    fid: Type.Integer(),
    username: Type.Optional(Type.String()),
    display_name: Type.Optional(nullable(Type.String())),
    pfp_url: Type.Optional(nullable(Type.String())),
    custody_address: Type.Optional(Type.String()),
    score: Type.Optional(Type.Number()),
  },
  { $id: 'UserDehydrated' },
)
export type UserDehydrated = Static<typeof UserDehydrated>

export const User = Type.Object(
  {
    object: Type.Literal('user'),
    fid: Type.Integer(),
    username: Type.String({ description: '`!<fid>` without a username.' }),
    display_name: nullable(Type.String()),
    pfp_url: nullable(Type.String()),
    custody_address: Type.String(),
    registered_at: time(),
    profile: Type.Object({
      bio: Type.Object({ text: Type.String() }),
      banner: Type.Optional(Type.Object({ url: Type.String() })),
      location: Type.Optional(Type.Object({ latitude: Type.Number(), longitude: Type.Number() })),
    }),
    follower_count: Type.Integer(),
    following_count: Type.Integer(),
    verifications: Type.Array(Type.String(), { description: 'Verified Ethereum addresses.' }),
    auth_addresses: Type.Array(
      Type.Object({ address: Type.String(), app: Type.Optional(UserDehydrated) }),
      { description: 'Addresses that sign in for the user, with the apps that asked for them.' },
    ),
    verified_addresses: Type.Object({
      eth_addresses: Type.Array(Type.String()),
      sol_addresses: Type.Array(Type.String()),
      primary: Type.Object({
        eth_address: nullable(Type.String()),
        sol_address: nullable(Type.String()),
      }),
    }),
    verified_accounts: Type.Array(
      Type.Object({
        platform: Type.Union([Type.Literal('x'), Type.Literal('github')]),
        username: Type.String(),
      }),
    ),
    score: Type.Optional(Type.Number({ description: '0.4 to 1, from the newest badge set.' })),
    experimental: Type.Optional(Type.Object({ neynar_user_score: Type.Number() })),
    viewer_context: Type.Optional(
      Type.Object({
        following: Type.Boolean(),
        followed_by: Type.Boolean(),
        blocking: Type.Boolean(),
        blocked_by: Type.Boolean(),
      }),
    ),
  },
  { $id: 'User' },
)
export type User = Static<typeof User>

const role = Type.Union([Type.Literal('member'), Type.Literal('moderator'), Type.Literal('owner')])
export type Role = Static<typeof role>
const ChannelContext = Type.Object({ following: Type.Boolean(), role: Type.Optional(role) })

export const ChannelDehydrated = Type.Object(
  {
    object: Type.Literal('channel_dehydrated'),
    id: Type.String(),
    name: Type.String(),
    image_url: Type.String(),
  },
  { $id: 'ChannelDehydrated' },
)
export type ChannelDehydrated = Static<typeof ChannelDehydrated>

export const Channel = Type.Object(
  {
    object: Type.Literal('channel'),
    id: Type.String(),
    url: Type.String(),
    parent_url: Type.String({ description: 'The same as `url`.' }),
    name: Type.String(),
    description: Type.String(),
    image_url: Type.String(),
    follower_count: Type.Integer(),
    member_count: Type.Integer(),
    moderator_fids: Type.Array(Type.Integer()),
    created_at: time(),
    lead: Type.Optional(User),
    external_link: Type.Optional(
      Type.Object({ title: Type.Optional(Type.String()), url: Type.Optional(Type.String()) }),
    ),
    pinned_cast_hash: Type.Optional(Type.String()),
    rules: Type.Optional(
      Type.String({
        description:
          'Of the channel itself, as who runs it wrote them; to be shown before a first cast. Only where a channel is read alone.',
      }),
    ),
    viewer_context: Type.Optional(ChannelContext),
  },
  { $id: 'Channel' },
)
export type Channel = Static<typeof Channel>

const CastId = Type.Object({ fid: Type.Integer(), hash }, { $id: 'CastId' })
export const EmbedSnap = Type.Object(
  {
    url: Type.String({ description: 'Where the page was.' }),
    page: Type.Optional(
      Type.Unsafe<object>({
        type: 'object',
        $comment: 'Open: the format of snaps says what it has.',
        description: 'The first page for everybody, checked: version, theme, effects and ui.',
      }),
    ),
    newer_version: Type.Optional(
      Type.String({ description: 'The version of a page that this server does not know.' }),
    ),
  },
  {
    $id: 'EmbedSnap',
    description:
      'Of a link to a snap that this process has read within six hours. Without it, ask /v2/farcaster/cast/embed/crawl.',
  },
)
export type EmbedSnap = Static<typeof EmbedSnap>

const EmbedUrl = Type.Object(
  {
    url: Type.String(),
    metadata: Type.Optional(
      Type.Object(
        {
          _status: Type.Literal('RESOLVED'),
          content_type: Type.String(),
          content_length: Type.Integer(),
          image: Type.Optional(
            Type.Object({ width_px: Type.Integer(), height_px: Type.Integer() }),
          ),
          video: Type.Optional(
            Type.Object({
              duration_s: Type.Optional(Type.Number({ description: 'Left out when not known.' })),
              stream: Type.Array(
                Type.Object({ width_px: Type.Integer(), height_px: Type.Integer() }),
              ),
              poster_url: Type.Optional(
                Type.String({ description: 'A picture that stands for it until it is played.' }),
              ),
            }),
          ),
        },
        { description: 'Of files that the author has uploaded to this server.' },
      ),
    ),
    alt_text: Type.Optional(
      Type.String({ description: 'What the author says about such a file; may be empty.' }),
    ),
    thumbhash: Type.Optional(
      Type.String({
        description:
          'About 25 bytes in base64, from which the library ThumbHash draws a blurred preview to show until the picture has come.',
      }),
    ),
    sensitive: Type.Optional(
      Type.Literal(true, {
        description: 'The author asks that such a file is shown only to those who want to see it.',
      }),
    ),
    snap: Type.Optional(EmbedSnap),
  },
  { $id: 'EmbedUrl' },
)
export type EmbedUrl = Static<typeof EmbedUrl>

export const CastDehydrated = Type.Object(
  {
    object: Type.Literal('cast_dehydrated'),
    hash,
    author: Type.Optional(UserDehydrated),
    app: Type.Optional(nullable(UserDehydrated)),
  },
  { $id: 'CastDehydrated' },
)
export type CastDehydrated = Static<typeof CastDehydrated>

const parentAuthor = Type.Object({ fid: nullable(Type.Integer()) })

const lang = Type.Optional(
  Type.String({
    description:
      'The language of the text, as a code of ISO 639-1, where this server could tell it. Left out of short texts, and of those in two languages.',
  }),
)

export const CastEmbedded = Type.Object(
  {
    hash,
    parent_hash: nullable(hash),
    parent_url: nullable(Type.String()),
    root_parent_url: nullable(Type.String()),
    parent_author: parentAuthor,
    author: UserDehydrated,
    text: Type.String(),
    lang,
    timestamp: time(),
    embeds: Type.Array(
      Type.Union([EmbedUrl, Type.Object({ cast_id: CastId, cast: CastDehydrated })]),
    ),
    channel: nullable(ChannelDehydrated),
    app: Type.Optional(nullable(UserDehydrated)),
  },
  { $id: 'CastEmbedded' },
)
export type CastEmbedded = Static<typeof CastEmbedded>

const reaction = Type.Object({ fid: Type.Integer(), fname: Type.String() })

const castFields = {
  object: Type.Literal('cast'),
  hash,
  author: User,
  thread_hash: nullable(
    Type.String({ description: "Hash of the thread's root; its own for a top-level cast." }),
  ),
  parent_hash: nullable(hash),
  parent_url: nullable(Type.String()),
  parent_author: parentAuthor,
  root_parent_url: nullable(Type.String()),
  text: Type.String({ description: 'With mentions as `@username`.' }),
  lang,
  timestamp: time(),
  mentioned_profiles: Type.Array(User),
  mentioned_profiles_ranges: Type.Array(Range),
  mentioned_channels: Type.Array(ChannelDehydrated),
  mentioned_channels_ranges: Type.Array(Range),
  embeds: Type.Array(Type.Union([EmbedUrl, Type.Object({ cast_id: CastId, cast: CastEmbedded })])),
  reactions: Type.Object({
    likes_count: Type.Integer(),
    recasts_count: Type.Integer(),
    likes: Type.Array(reaction, { description: 'Always empty: see /reactions/cast.' }),
    recasts: Type.Array(reaction, { description: 'Always empty.' }),
  }),
  replies: Type.Object({ count: Type.Integer() }),
  channel: nullable(ChannelDehydrated),
  app: nullable(UserDehydrated),
  type: Type.Optional(Type.Union([Type.Literal('cast-mention'), Type.Literal('cast-reply')])),
  viewer_context: Type.Optional(Type.Object({ liked: Type.Boolean(), recasted: Type.Boolean() })),
}

export const Cast = Type.Object(castFields, { $id: 'Cast' })
export type Cast = Static<typeof Cast>

/** The schema is not recursive, because generators of types handle recursion badly. */
export type CastWithReplies = Cast & { direct_replies: CastWithReplies[] }
export const CastWithReplies = Type.Object(
  {
    ...castFields,
    direct_replies: Type.Array(
      Type.Unsafe<CastWithReplies>({
        type: 'object',
        $comment: 'Open: a cast with its own direct_replies, to the depth that was asked for.',
      }),
    ),
  },
  { $id: 'CastWithReplies' },
)

export const Follower = Type.Object(
  { object: Type.Literal('follower'), user: User },
  { $id: 'Follower' },
)
export type Follower = Static<typeof Follower>

export const FollowerDehydrated = Type.Object(
  { object: Type.Literal('follower_dehydrated'), user: UserDehydrated },
  { $id: 'FollowerDehydrated' },
)

const reactionKind = {
  object: Type.Union([Type.Literal('likes'), Type.Literal('recasts')]),
  reaction_type: Type.Union([Type.Literal('like'), Type.Literal('recast')]),
  reaction_timestamp: time(),
}

const Notification = Type.Object(
  {
    object: Type.Literal('notification'),
    type: Type.Enum(ALL_NOTICE_KINDS.map(({ type }) => type)),
    most_recent_timestamp: time(),
    seen: Type.Boolean(),
    count: Type.Optional(
      Type.Integer({ description: 'How many reactions or follows it bundles.' }),
    ),
    follows: Type.Optional(Type.Array(Follower)),
    reactions: Type.Optional(
      Type.Array(Type.Object({ object: reactionKind.object, cast: CastDehydrated, user: User })),
    ),
    cast: Type.Optional(Cast),
  },
  { $id: 'Notification' },
)
export type Notification = Static<typeof Notification>

const StorageObject = Type.Object(
  { object: Type.Literal('storage'), used: Type.Integer(), capacity: Type.Integer() },
  { $id: 'StorageObject' },
)

const Verification = Type.Object(
  {
    object: Type.Literal('verification'),
    address: Type.String(),
    protocol: Type.Union([Type.Literal('evm'), Type.Literal('solana')]),
    verified_at: time(),
    app: Type.Optional(UserDehydrated),
  },
  { $id: 'Verification' },
)

const ChannelMember = Type.Object(
  { object: Type.Literal('member'), role, user: User, channel: ChannelDehydrated },
  { $id: 'ChannelMember' },
)
export type ChannelMember = Static<typeof ChannelMember>

const paged = <K extends string, T extends TSchema>(name: K, item: T) =>
  Type.Object({ [name]: Type.Array(item), next: Next } as Record<K, ReturnType<typeof list<T>>> & {
    next: typeof Next
  })
const list = <T extends TSchema>(item: T) => Type.Array(item)

export const UserReply = Type.Object({ user: User })
export const UsersReply = Type.Object({ users: Type.Array(User) })
export const UsersPageReply = paged('users', User)
export const UserSearchReply = Type.Object({ result: paged('users', User) })
export const UsersByAddressReply = Type.Record(Type.String(), Type.Array(User), {
  description: 'By normalised address: lower-case hex, or base58.',
})
export const VerificationsReply = Type.Object({ verifications: Type.Array(Verification) })
export const FnameReply = Type.Object({ available: Type.Boolean() })
export const StorageUsageReply = Type.Object({
  object: Type.Literal('storage_usage'),
  user: UserDehydrated,
  casts: StorageObject,
  reactions: StorageObject,
  links: StorageObject,
  verified_addresses: StorageObject,
  username_proofs: StorageObject,
  signers: StorageObject,
  total_active_units: Type.Integer(),
})
export const StorageAllocationsReply = Type.Object({
  total_active_units: Type.Integer(),
  allocations: Type.Array(
    Type.Object({
      object: Type.Literal('storage_allocation'),
      user: UserDehydrated,
      units: Type.Integer(),
      timestamp: time(),
      expiry: time(),
    }),
  ),
})

export const CastReply = Type.Object({ cast: Cast })
export const CastsResultReply = Type.Object({ result: Type.Object({ casts: Type.Array(Cast) }) })
export const CastsReply = Type.Object({ casts: Type.Array(Cast) })
export const CastsPageReply = paged('casts', Cast)
export const CastSearchReply = Type.Object({ result: paged('casts', Cast) })
export const ConversationReply = Type.Object({
  conversation: Type.Object({
    cast: CastWithReplies,
    chronological_parent_casts: Type.Optional(Type.Array(Cast)),
  }),
  next: Next,
})

export const CastReactionsReply = paged(
  'reactions',
  Type.Object({ ...reactionKind, user: User }, { $id: 'ReactionForCast' }),
)
export const UserReactionsReply = paged(
  'reactions',
  Type.Object({ ...reactionKind, cast: Cast, user: UserDehydrated }, { $id: 'UserReaction' }),
)
export const FollowersReply = paged('users', Follower)
export const ReciprocalFollowersReply = paged(
  'users',
  Type.Object(
    {
      object: Type.Literal('reciprocal_follower'),
      user: User,
      timestamp: time('When the later of both follows was made.'),
    },
    { $id: 'ReciprocalFollower' },
  ),
)
export const RelevantFollowersReply = Type.Object({
  top_relevant_followers_hydrated: Type.Array(Follower),
  all_relevant_followers_dehydrated: Type.Array(FollowerDehydrated),
})
export const BlocksReply = paged(
  'blocks',
  Type.Object(
    {
      object: Type.Literal('block'),
      blocked: Type.Optional(User),
      blocker: Type.Optional(User),
      blocked_at: time(),
    },
    { $id: 'BlockRecord' },
  ),
)
export const MutesReply = paged(
  'mutes',
  Type.Object(
    { object: Type.Literal('mute'), muted: User, muted_at: time() },
    { $id: 'MuteRecord' },
  ),
)
const MutedTerms = <K extends string>(name: K, id: string) =>
  Type.Array(
    Type.Object(
      { [name]: Type.String(), muted_at: time() } as Record<K | 'muted_at', Type.TString>,
      { $id: id },
    ),
  )
export const OwnMutesReply = Type.Object({
  ...MutesReply.properties,
  channels: MutedTerms('id', 'MutedChannel'),
  words: MutedTerms('word', 'MutedWord'),
})
export const BansReply = paged(
  'bans',
  Type.Object(
    { object: Type.Literal('ban'), banned: User, banned_at: time() },
    { $id: 'BanRecord' },
  ),
)

export const ChannelReportsReply = Type.Object({
  reports: Type.Array(
    Type.Object(
      {
        cast: Cast,
        reasons: Type.Array(Type.String(), {
          description: 'The reason of each report, newest first.',
        }),
        reported_at: time(),
      },
      { $id: 'ChannelReport' },
    ),
  ),
})
export const ChannelReply = Type.Object({ channel: Channel })
export const ChannelsReply = Type.Object({ channels: Type.Array(Channel) })
export const ChannelsPageReply = paged('channels', Channel)
export const ChannelMembersReply = paged('members', ChannelMember)
export const Invite = Type.Object(
  { channel_id: Type.String(), role, inviter: User, invited: User },
  { $id: 'ChannelInvite' },
)
export type Invite = Static<typeof Invite>
export const ChannelInvitesReply = paged('invites', Invite)
const count = Type.String({ description: 'Decimal digits.' })
export const ChannelActivityReply = paged(
  'channels',
  Type.Object(
    {
      object: Type.Literal('channel_activity'),
      cast_count_1d: count,
      cast_count_7d: count,
      cast_count_30d: count,
      channel: Channel,
    },
    { $id: 'ChannelActivity' },
  ),
)

export const NotificationsReply = Type.Object({
  notifications: Type.Array(Notification),
  next: Next,
  unseen_notifications_count: Type.Integer(),
})

export const UnseenReply = Type.Object({ unseen_notifications_count: Type.Integer() })
export type Unseen = Static<typeof UnseenReply>

export const InteractionsReply = Type.Object({ interactions: Type.Array(Notification) })
export const BestFriendsReply = Type.Object({
  users: Type.Array(
    Type.Object({
      fid: Type.Integer(),
      username: Type.String(),
      mutual_affinity_score: Type.Number(),
    }),
  ),
  next: Next,
})
export const CastMetricsReply = Type.Object({
  metrics: Type.Array(
    Type.Object({
      start: time(),
      resolution_in_seconds: Type.Integer(),
      cast_count: Type.Integer(),
    }),
  ),
})
