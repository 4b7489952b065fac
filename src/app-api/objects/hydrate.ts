import { fromBinary } from '@bufbuild/protobuf'
import { concatBytes, toHex } from '../../protocol/codec/bytes.ts'
import { castTargetKey, reactionSlot } from '../../protocol/slots.ts'
import { unixMsOf } from '../../protocol/time.ts'
import {
  type CastAddBody,
  MessageDataSchema,
  MessageType,
  ReactionType,
} from '../../protocol/wire/message_pb.js'
import type { FoundCast, FoundUser, Relation } from '../../storage/reads/app-casts.ts'
import type { Onlooker } from '../../storage/reads/app-hidden.ts'
import type { StoredChannel } from '../../storage/tables/channels.ts'
import type { Channels } from '../channel-cache.ts'
import type { AppContext } from '../context.ts'
import { castKey, fidOfKey, hashOfKey, nameOfKey } from '../keys.ts'
import type {
  Cast,
  CastDehydrated,
  CastEmbedded,
  ChannelDehydrated,
  User,
  UserDehydrated,
} from '../schemas.ts'
import { channelMentionsIn, insertMentions } from './cast-text.ts'

// Makes whole casts and users out of rows. A page takes at most nine statements in four rounds, however many
// casts are on it: casts; the casts they quote; the apps of keys that are not known yet; and then side by side
// users, how the viewer stands to them, what the viewer liked, whose quotes are hidden, and changed channels.

export type Wanted = {
  /** Keys of casts. */
  readonly casts?: readonly Uint8Array[]
  /** Users beside the authors of the casts. */
  readonly users?: readonly number[]
  /** Rows of casts that are taken where they are not stored any more. */
  readonly gone?: readonly FoundCast[]
}

/** What was found. Casts and users that are not stored, or not published, are undefined. */
export type Hydrated = {
  cast(key: Uint8Array): Cast | undefined
  /** The row that a cast was made from. */
  row(key: Uint8Array): FoundCast | undefined
  castDehydrated(key: Uint8Array): CastDehydrated
  user(fid: number): User | undefined
  userDehydrated(fid: number): UserDehydrated | undefined
  readonly channels: Channels
}

type Decoded = FoundCast & { readonly body: CastAddBody; readonly quoted: readonly Uint8Array[] }

export async function hydrate(
  context: AppContext,
  onlooker: Onlooker,
  { casts: wantedCasts = [], users: wantedUsers = [], gone = [] }: Wanted,
): Promise<Hydrated> {
  const { storage, keyApps, channelCache, scores } = context
  const { viewer } = onlooker
  const found = new Map<string, Decoded>()
  const read = async (keys: readonly Uint8Array[]): Promise<Decoded[]> => {
    const unknown = new Map(keys.map((key) => [nameOfKey(key), key]))
    for (const name of unknown.keys()) if (found.has(name)) unknown.delete(name)
    const stored = await storage.appViews.casts([...unknown.values()])
    for (const { key } of stored) unknown.delete(nameOfKey(key))
    const lost = gone.filter(({ key }) => unknown.has(nameOfKey(key)))
    const rows = [...stored, ...lost].flatMap(decoded)
    for (const row of rows) found.set(nameOfKey(row.key), row)
    return rows
  }
  const main = await read(wantedCasts)
  await read(main.flatMap(({ quoted }) => quoted))
  const rows = [...found.values()]
  await keyApps.learn(rows.map(({ message }) => message))

  const fids = [...new Set([...wantedUsers, ...rows.flatMap((row) => fidsIn(row, keyApps.appOf))])]
  const quotedAuthors = main.flatMap(({ quoted }) => quoted.map(fidOfKey))
  const [users, relations, likes, shown, channels, scoreOf] = await Promise.all([
    storage.appViews.users(fids),
    viewer === undefined ? [] : storage.appViews.relations(viewer, fids),
    viewer === undefined ? new Set<string>() : readLikes(context, viewer, main),
    storage.appViews.shownAmong(onlooker, quotedAuthors),
    channelCache.refresh(),
    scores(),
  ])
  const userRows = new Map(users.map((user) => [user.fid, user]))
  const relationOf = new Map(relations.map((relation) => [relation.fid, relation]))
  const made = new Map<number, User>()

  const user = (fid: number): User | undefined => {
    const row = userRows.get(fid)
    if (!row) return undefined
    let whole = made.get(fid)
    if (!whole) {
      whole = userOf(row, scoreOf?.(fid), viewer === undefined ? undefined : relationOf.get(fid))
      made.set(fid, whole)
    }
    return whole
  }
  const userDehydrated = (fid: number): UserDehydrated | undefined => {
    const whole = user(fid)
    return whole && dehydratedUser(whole)
  }
  const appOf = ({ message }: FoundCast): UserDehydrated | null => {
    const app = keyApps.appOf(message)
    return (app === undefined ? undefined : userDehydrated(app)) ?? null
  }
  const channelOf = ({ rootUrl }: FoundCast): ChannelDehydrated | null => {
    const channel = rootUrl === null ? undefined : channels.byUrl.get(rootUrl)
    return channel ? dehydratedChannel(channel) : null
  }
  const castDehydrated = (key: Uint8Array): CastDehydrated => {
    const author = userDehydrated(fidOfKey(key))
    const row = found.get(nameOfKey(key))
    return {
      object: 'cast_dehydrated',
      hash: toHex(hashOfKey(key)),
      ...(author && { author }),
      ...(row && { app: appOf(row) }),
    }
  }
  const textOf = ({ body }: Decoded) =>
    insertMentions(
      body.text,
      body.mentions.map(Number),
      body.mentionsPositions,
      (fid) => user(fid)?.username ?? `!${fid}`,
    )
  const headOf = (row: Decoded) => ({
    hash: toHex(hashOfKey(row.key)),
    ...parentOf(row.body),
    root_parent_url: row.rootUrl,
    timestamp: timeOf(row.message.timestamp),
    channel: channelOf(row),
    app: appOf(row),
  })

  const embedded = (key: Uint8Array): CastEmbedded | undefined => {
    const row = found.get(nameOfKey(key))
    const author = userDehydrated(fidOfKey(key))
    if (!row || !author || !shown.has(fidOfKey(key))) return undefined
    return {
      ...headOf(row),
      author,
      text: textOf(row).text,
      embeds: embedsOf(row.body, (inner) => ({
        cast_id: castIdOf(inner),
        cast: castDehydrated(inner),
      })),
    }
  }
  const cast = (key: Uint8Array): Cast | undefined => {
    const row = found.get(nameOfKey(key))
    const author = user(fidOfKey(key))
    if (!row || !author) return undefined
    const { text, mentions } = textOf(row)
    const people = mentions.flatMap(({ fid, range }) => {
      const profile = user(fid)
      return profile ? [{ profile, range }] : []
    })
    const places = channelMentionsIn(text).flatMap(({ id, range }) => {
      const channel = channels.byId.get(id)
      return channel ? [{ channel: dehydratedChannel(channel), range }] : []
    })
    return {
      object: 'cast',
      ...headOf(row),
      author,
      thread_hash: toHex(hashOfKey(row.rootTarget ?? row.rootKey ?? row.key)),
      text,
      mentioned_profiles: people.map(({ profile }) => profile),
      mentioned_profiles_ranges: people.map(({ range }) => range),
      mentioned_channels: places.map(({ channel }) => channel),
      mentioned_channels_ranges: places.map(({ range }) => range),
      embeds: embedsOf(row.body, (inner) => {
        const quoted = embedded(inner)
        if (quoted) return { cast_id: castIdOf(inner), cast: quoted }
        return { url: context.settings.castUrlBase + toHex(hashOfKey(inner)) }
      }),
      reactions: {
        likes_count: row.likes,
        recasts_count: row.recasts,
        likes: [],
        recasts: [],
      },
      replies: { count: row.replies },
      ...(viewer !== undefined && {
        viewer_context: {
          liked: likes.has(likeName(ReactionType.LIKE, row.key)),
          recasted: likes.has(likeName(ReactionType.RECAST, row.key)),
        },
      }),
    }
  }
  const row = (key: Uint8Array) => found.get(nameOfKey(key))
  return { cast, row, castDehydrated, user, userDehydrated, channels }
}

function decoded(row: FoundCast): Decoded[] {
  const { body } = fromBinary(MessageDataSchema, row.message.data)
  if (body.case !== 'castAddBody') return []
  const quoted = body.value.embeds.flatMap(({ embed }) =>
    embed.case === 'castId' ? [castKey(Number(embed.value.fid), embed.value.hash)] : [],
  )
  return [{ ...row, body: body.value, quoted }]
}

function fidsIn(
  { message, body, quoted }: Decoded,
  appOf: (message: FoundCast['message']) => number | undefined,
): number[] {
  const app = appOf(message)
  return [
    message.fid,
    ...body.mentions.map(Number),
    ...quoted.map(fidOfKey),
    ...(app === undefined ? [] : [app]),
  ]
}

const REACTIONS = [ReactionType.LIKE, ReactionType.RECAST] as const

const likeName = (type: number, key: Uint8Array): string => `${type}${nameOfKey(key)}`

/** What a viewer has liked or recast among casts. */
async function readLikes(
  { storage }: AppContext,
  viewer: number,
  casts: readonly FoundCast[],
): Promise<Set<string>> {
  const wanted = casts.flatMap(({ key }) =>
    REACTIONS.map((type) => {
      const target = castTargetKey(fidOfKey(key), hashOfKey(key))
      const slot = reactionSlot(viewer, type, target)
      return { slot, type: MessageType.REACTION_ADD, name: likeName(type, key) }
    }),
  )
  const found = new Set((await storage.appViews.addedSlots(wanted)).map(nameOfKey))
  return new Set(wanted.filter(({ slot }) => found.has(nameOfKey(slot))).map(({ name }) => name))
}

const parentOf = ({ parent }: CastAddBody) => ({
  parent_hash: parent.case === 'parentCastId' ? toHex(parent.value.hash) : null,
  parent_url: parent.case === 'parentUrl' ? parent.value : null,
  parent_author: { fid: parent.case === 'parentCastId' ? Number(parent.value.fid) : null },
})

/** The embeds of a cast in order; those of old casts are urls. */
function embedsOf<E>(
  { embeds, embedsDeprecated }: CastAddBody,
  ofCast: (key: Uint8Array) => E,
): (E | { url: string })[] {
  const current = embeds.flatMap(({ embed }): (E | { url: string })[] => {
    if (embed.case === 'url') return [{ url: embed.value }]
    if (embed.case !== 'castId') return []
    return [ofCast(castKey(Number(embed.value.fid), embed.value.hash))]
  })
  return [...embedsDeprecated.map((url) => ({ url })), ...current]
}

const castIdOf = (key: Uint8Array) => ({ fid: fidOfKey(key), hash: toHex(hashOfKey(key)) })

/** A time in network seconds as answers write it. */
export const timeOf = (networkSeconds: number): string =>
  new Date(unixMsOf(networkSeconds)).toISOString()

/** A time in Unix seconds as answers write it. */
export const unixTimeOf = (seconds: number): string => new Date(seconds * 1_000).toISOString()

/** What the views render of a user. */
type RenderedUser = Pick<User, 'username' | 'display_name' | 'pfp_url'> &
  Pick<User, 'registered_at' | 'profile' | 'verifications' | 'auth_addresses'> &
  Pick<User, 'verified_addresses' | 'verified_accounts'>

const unrendered = (fid: number): RenderedUser => ({
  username: `!${fid}`,
  display_name: null,
  pfp_url: null,
  registered_at: unixTimeOf(0),
  profile: { bio: { text: '' } },
  verifications: [],
  auth_addresses: [],
  verified_addresses: {
    eth_addresses: [],
    sol_addresses: [],
    primary: { eth_address: null, sol_address: null },
  },
  verified_accounts: [],
})

function userOf(row: FoundUser, score: number | undefined, relation: Relation | undefined): User {
  const { fid, card, profile } = row
  const rendered: RenderedUser =
    card === null || profile === null ? unrendered(fid) : JSON.parse(`{${card},${profile}}`)
  return {
    object: 'user',
    fid,
    username: rendered.username,
    display_name: rendered.display_name,
    pfp_url: rendered.pfp_url,
    custody_address: toHex(row.custody),
    registered_at: rendered.registered_at,
    profile: rendered.profile,
    follower_count: row.followers,
    following_count: row.following,
    verifications: rendered.verifications,
    auth_addresses: rendered.auth_addresses,
    verified_addresses: rendered.verified_addresses,
    verified_accounts: rendered.verified_accounts,
    ...(score !== undefined && { score, experimental: { neynar_user_score: score } }),
    ...(relation && {
      viewer_context: {
        following: relation.following === 1,
        followed_by: relation.followed_by === 1,
        blocking: relation.blocking === 1,
        blocked_by: relation.blocked_by === 1,
      },
    }),
  }
}

export const dehydratedUser = (user: User): UserDehydrated => ({
  object: 'user_dehydrated',
  fid: user.fid,
  username: user.username,
  display_name: user.display_name,
  pfp_url: user.pfp_url,
  custody_address: user.custody_address,
  ...(user.score !== undefined && { score: user.score }),
})

export const dehydratedChannel = ({ id, name, image_url }: StoredChannel): ChannelDehydrated => ({
  object: 'channel_dehydrated',
  id,
  name,
  image_url,
})

/** The target of replies and reactions to a cast, in messages. */
export const targetOfKey = (key: Uint8Array): Uint8Array => concatBytes(Uint8Array.of(1), key)
