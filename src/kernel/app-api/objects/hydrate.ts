import { fromBinary } from '@bufbuild/protobuf'
import { toHex } from '../../protocol/codec/bytes.ts'
import { castTargetKey, reactionSlot } from '../../protocol/slots.ts'
import { unixMsOf } from '../../protocol/time.ts'
import {
  type CastAddBody,
  MessageDataSchema,
  MessageType,
  ReactionType,
} from '../../protocol/wire/message_pb.js'
import type { FoundCast, FoundUser, Relation } from '../../storage/reads/app-casts.ts'
import { type Channels, dehydratedChannel } from '../channels.ts'
import type { AppContext, Viewer } from '../context.ts'
import { castKey, fidOfKey, hashOfKey, nameOfKey } from '../keys.ts'
import type {
  Cast,
  CastDehydrated,
  CastEmbedded,
  EmbedUrl,
  User,
  UserDehydrated,
} from '../schemas.ts'
import { type AuthAddresses, readAuthAddresses } from './auth-addresses.ts'
import { type CastText, channelMentionsIn, insertMentions } from './cast-text.ts'
import { describeUrl, type MediaOfAuthors, readMedia } from './embedded-media.ts'
import { readSnaps, type SnapsOfLinks } from './embedded-snaps.ts'
import { type Muted, readMuted } from './muted.ts'

// Makes the objects of answers from rows. A page takes at most ten statements in four rounds, however many casts are on
// it: casts; the casts they quote; the apps of keys that are not known yet; and then side by side users and their auth
// addresses, their relations to the viewer, what the viewer mutes, the viewer's reactions, hidden authors of quotes, and changed channels. Apps
// that asked for auth addresses are one more, and so are files of this server in casts.

export type Wanted = {
  /** Keys of casts. */
  readonly casts?: readonly Uint8Array[]
  /** Users beside the authors of the casts. */
  readonly users?: readonly number[]
  /** Rows for casts that are not stored any more. */
  readonly deleted?: readonly FoundCast[]
}

type Decoded = FoundCast & { readonly body: CastAddBody; readonly quoted: readonly Uint8Array[] }
type Rows = Map<string, Decoded>

export async function hydrate(
  context: AppContext,
  viewer: Viewer,
  { casts = [], users: wantedUsers = [], deleted = [] }: Wanted,
): Promise<Hydrated> {
  const { storage, keyApps, channelCache, settings } = context
  const { viewer: fid } = viewer
  const found: Rows = new Map()
  const main = await readCasts(context, casts, deleted, found)
  await readCasts(
    context,
    main.flatMap(({ quoted }) => quoted),
    deleted,
    found,
  )
  const rows = [...found.values()]
  await keyApps.learn(rows.map(({ message }) => message))
  const appOf = (message: FoundCast['message']) => keyApps.appOf(message)

  const fids = [...new Set([...wantedUsers, ...rows.flatMap((row) => fidsIn(row, appOf))])]
  const quotedAuthors = main.flatMap(({ quoted }) => quoted.map(fidOfKey))
  const [
    people,
    relations,
    reactions,
    visible,
    channels,
    scoreOf,
    media,
    snaps,
    muted,
    languageOf,
  ] = await Promise.all([
    readPeople(context, fids),
    fid === undefined ? [] : storage.appViews.relations(fid, fids),
    fid === undefined ? undefined : readReactions(context, fid, main),
    storage.appViews.shownAmong(viewer, quotedAuthors),
    channelCache.refresh(),
    context.scores(),
    readMedia(
      context,
      rows.map(({ message, body }) => ({ fid: message.fid, urls: urlsOf(body) })),
    ),
    readSnaps(
      context.ports,
      rows.flatMap(({ body }) => urlsOf(body)),
      viewer.headers,
    ),
    readMuted(context, main.length > 0 ? fid : undefined),
    rows.length > 0 ? context.ports.languagesOfCasts() : () => undefined,
  ])
  const relationOf = new Map(relations.map((relation) => [relation.fid, relation]))
  const { users, addresses } = people
  const userOf = (row: FoundUser) =>
    wholeUser(row, scoreOf?.(row.fid), relationOf.get(row.fid), addresses)
  return new Hydrated({
    rows: found,
    users: new Map(users.map((row) => [row.fid, userOf(row)])),
    appOf,
    reactions,
    visible,
    channels,
    media,
    snaps,
    castUrlBase: settings.castUrlBase,
    muted,
    languageOf,
    viewer: fid,
  })
}

/** Rows of users, with their auth addresses and the apps that asked for those. */
async function readPeople({ storage }: AppContext, fids: readonly number[]) {
  const [users, addresses] = await Promise.all([
    storage.appViews.users(fids),
    readAuthAddresses(storage, fids),
  ])
  const known = new Set(users.map(({ fid }) => fid))
  const apps = [...addresses.values()].flat().flatMap(({ app }) => app ?? [])
  const more = [...new Set(apps)].filter((fid) => !known.has(fid))
  const rows = more.length === 0 ? [] : await storage.appViews.users(more)
  const appOf = new Map([...users, ...rows].map((row) => [row.fid, row]))
  return { users, addresses: { of: addresses, appOf } }
}

type Loaded = {
  readonly rows: Rows
  readonly users: ReadonlyMap<number, User>
  readonly appOf: (message: FoundCast['message']) => number | undefined
  /** The viewer's reactions to the casts; undefined without a viewer. */
  readonly reactions: ReadonlySet<string> | undefined
  /** Authors of quoted casts that are not hidden from the viewer. */
  readonly visible: ReadonlySet<number>
  readonly channels: Channels
  readonly media: MediaOfAuthors
  readonly snaps: SnapsOfLinks
  readonly castUrlBase: string
  readonly muted: Muted
  readonly languageOf: (name: string, text: string) => string | undefined
  readonly viewer: number | undefined
}

/** Objects by their keys. Casts and users that are not stored, or not published, are undefined. */
export class Hydrated {
  readonly #loaded: Loaded

  constructor(loaded: Loaded) {
    this.#loaded = loaded
  }

  user(fid: number): User | undefined {
    return this.#loaded.users.get(fid)
  }

  userDehydrated(fid: number): UserDehydrated | undefined {
    const user = this.user(fid)
    return user && dehydratedUser(user)
  }

  /** The row that a cast is made from. */
  row(key: Uint8Array): FoundCast | undefined {
    return this.#rowOf(key)
  }

  castDehydrated(key: Uint8Array): CastDehydrated {
    const author = this.userDehydrated(fidOfKey(key))
    const row = this.#rowOf(key)
    return {
      object: 'cast_dehydrated',
      hash: toHex(hashOfKey(key)),
      ...(author && { author }),
      ...(row && { app: this.#appOf(row) }),
    }
  }

  cast(key: Uint8Array): Cast | undefined {
    const { channels, reactions } = this.#loaded
    const row = this.#rowOf(key)
    const author = this.user(fidOfKey(key))
    if (!row || !author) return undefined
    const { text, mentions } = this.#textOf(row)
    const people = mentions.flatMap(({ fid, range }) => {
      const profile = this.user(fid)
      return profile ? [{ profile, range }] : []
    })
    const places = channelMentionsIn(text).flatMap(({ id, range }) => {
      const channel = channels.byId.get(id)
      return channel ? [{ channel: dehydratedChannel(channel), range }] : []
    })
    return {
      object: 'cast',
      ...this.#headOf(row),
      author,
      thread_hash: toHex(hashOfKey(row.rootTarget ?? row.rootKey ?? row.key)),
      text,
      ...this.#langOf(row),
      mentioned_profiles: people.map(({ profile }) => profile),
      mentioned_profiles_ranges: people.map(({ range }) => range),
      mentioned_channels: places.map(({ channel }) => channel),
      mentioned_channels_ranges: places.map(({ range }) => range),
      embeds: this.#embedsOf(row, (quoted) => this.#quoteOf(quoted)),
      reactions: { likes_count: row.likes, recasts_count: row.recasts, likes: [], recasts: [] },
      replies: { count: row.replies },
      ...(reactions && {
        viewer_context: {
          liked: reactions.has(reactionName(ReactionType.LIKE, row.key)),
          recasted: reactions.has(reactionName(ReactionType.RECAST, row.key)),
        },
      }),
    }
  }

  /** The cast, unless the viewer mutes its words or, outside of a channel, its channel. Nobody mutes own casts. */
  unmutedCast(key: Uint8Array, isInPlace = false): Cast | undefined {
    const { muted, viewer } = this.#loaded
    const cast = this.cast(key)
    if (!cast || cast.author.fid === viewer) return cast
    const channel = isInPlace ? undefined : cast.channel?.id
    return muted({ text: cast.text, channel }) ? undefined : cast
  }

  #quoteOf(key: Uint8Array): Cast['embeds'][number] {
    const cast = this.#embedded(key)
    if (cast) return { cast_id: castIdOf(key), cast }
    return { url: this.#loaded.castUrlBase + toHex(hashOfKey(key)) }
  }

  #embedded(key: Uint8Array): CastEmbedded | undefined {
    const row = this.#rowOf(key)
    const author = this.userDehydrated(fidOfKey(key))
    if (!row || !author || !this.#loaded.visible.has(fidOfKey(key))) return undefined
    return {
      ...this.#headOf(row),
      author,
      text: this.#textOf(row).text,
      ...this.#langOf(row),
      embeds: this.#embedsOf(row, (inner) => ({
        cast_id: castIdOf(inner),
        cast: this.castDehydrated(inner),
      })),
    }
  }

  /** The embeds of a cast in order; those of old casts are urls. */
  #embedsOf<E>(
    { message, body: { embeds, embedsDeprecated } }: Decoded,
    ofCast: (key: Uint8Array) => E,
  ): (E | EmbedUrl)[] {
    const { media, snaps } = this.#loaded
    const current = embeds.flatMap(({ embed }): (E | EmbedUrl)[] => {
      if (embed.case === 'url') {
        const snap = snaps.get(embed.value)
        return [{ ...describeUrl(embed.value, message.fid, media), ...(snap && { snap }) }]
      }
      if (embed.case !== 'castId') return []
      return [ofCast(castKey(Number(embed.value.fid), embed.value.hash))]
    })
    return [...embedsDeprecated.map((url) => ({ url })), ...current]
  }

  #headOf(row: Decoded) {
    const channel = row.rootUrl === null ? undefined : this.#loaded.channels.byUrl.get(row.rootUrl)
    return {
      hash: toHex(hashOfKey(row.key)),
      ...parentOf(row.body),
      root_parent_url: row.rootUrl,
      timestamp: timeOf(row.message.timestamp),
      channel: channel ? dehydratedChannel(channel) : null,
      app: this.#appOf(row),
    }
  }

  #rowOf(key: Uint8Array): Decoded | undefined {
    return this.#loaded.rows.get(nameOfKey(key))
  }

  #appOf({ message }: FoundCast): UserDehydrated | null {
    const app = this.#loaded.appOf(message)
    return (app === undefined ? undefined : this.userDehydrated(app)) ?? null
  }

  /** Of what the author wrote, without the names of those who are mentioned. */
  #langOf({ key, body: { text } }: Decoded): { lang?: string } {
    const lang = this.#loaded.languageOf(nameOfKey(key), text)
    return lang === undefined ? {} : { lang }
  }

  #textOf({ body: { text, mentions, mentionsPositions } }: Decoded): CastText {
    const nameOf = (fid: number) => this.user(fid)?.username ?? `!${fid}`
    return insertMentions(text, mentions.map(Number), mentionsPositions, nameOf)
  }
}

/** Adds the casts that are not in `rows` yet, and returns them. */
async function readCasts(
  { storage }: AppContext,
  keys: readonly Uint8Array[],
  deleted: readonly FoundCast[],
  rows: Rows,
): Promise<Decoded[]> {
  const unknown = new Map(keys.map((key) => [nameOfKey(key), key]))
  for (const name of unknown.keys()) if (rows.has(name)) unknown.delete(name)
  const stored = await storage.appViews.casts([...unknown.values()])
  for (const { key } of stored) unknown.delete(nameOfKey(key))
  const deletedCasts = deleted.filter(({ key }) => unknown.has(nameOfKey(key)))
  const found = [...stored, ...deletedCasts].flatMap(decoded)
  for (const row of found) rows.set(nameOfKey(row.key), row)
  return found
}

function decoded(row: FoundCast): Decoded[] {
  const { body } = fromBinary(MessageDataSchema, row.message.data)
  if (body.case !== 'castAddBody') return []
  const quoted = body.value.embeds.flatMap(({ embed }) =>
    embed.case === 'castId' ? [castKey(Number(embed.value.fid), embed.value.hash)] : [],
  )
  return [{ ...row, body: body.value, quoted }]
}

const fidsIn = ({ message, body, quoted }: Decoded, appOf: Loaded['appOf']): number[] => [
  message.fid,
  ...body.mentions.map(Number),
  ...quoted.map(fidOfKey),
  ...[appOf(message)].filter((app) => app !== undefined),
]

const REACTIONS = [ReactionType.LIKE, ReactionType.RECAST] as const

const reactionName = (type: number, key: Uint8Array): string => `${type}${nameOfKey(key)}`

/** The reactions of a viewer to casts. */
async function readReactions(
  { storage }: AppContext,
  viewer: number,
  casts: readonly FoundCast[],
): Promise<Set<string>> {
  const wanted = casts.flatMap(({ key }) =>
    REACTIONS.map((type) => {
      const target = castTargetKey(fidOfKey(key), hashOfKey(key))
      const slot = reactionSlot(viewer, type, target)
      return { slot, type: MessageType.REACTION_ADD, name: reactionName(type, key) }
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

const urlsOf = ({ embeds }: CastAddBody): string[] =>
  embeds.flatMap(({ embed }) => (embed.case === 'url' ? [embed.value] : []))

const castIdOf = (key: Uint8Array) => ({ fid: fidOfKey(key), hash: toHex(hashOfKey(key)) })

/** A time in network seconds as answers write it. */
export const timeOf = (networkSeconds: number): string =>
  new Date(unixMsOf(networkSeconds)).toISOString()

/** A time in Unix seconds as answers write it. */
export const unixTimeOf = (seconds: number): string => new Date(seconds * 1_000).toISOString()

/** What the views render of a user. */
type RenderedUser = Pick<User, 'username' | 'display_name' | 'pfp_url'> &
  Pick<User, 'registered_at' | 'profile' | 'verifications'> &
  Pick<User, 'verified_addresses' | 'verified_accounts'>

const unrendered = (fid: number): RenderedUser => ({
  username: `!${fid}`,
  display_name: null,
  pfp_url: null,
  registered_at: unixTimeOf(0),
  profile: { bio: { text: '' } },
  verifications: [],
  verified_addresses: {
    eth_addresses: [],
    sol_addresses: [],
    primary: { eth_address: null, sol_address: null },
  },
  verified_accounts: [],
})

type Addresses = {
  readonly of: AuthAddresses
  /** The users who asked for them. */
  readonly appOf: ReadonlyMap<number, FoundUser>
}

const NO_ADDRESSES: Addresses = { of: new Map(), appOf: new Map() }

const authAddresses = (fid: number, { of, appOf }: Addresses): User['auth_addresses'] =>
  (of.get(fid) ?? []).map(({ address, app }) => {
    const row = app === undefined ? undefined : appOf.get(app)
    return {
      address,
      ...(row && { app: dehydratedUser(wholeUser(row, undefined, undefined, NO_ADDRESSES)) }),
    }
  })

function wholeUser(
  row: FoundUser,
  score: number | undefined,
  relation: Relation | undefined,
  addresses: Addresses,
): User {
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
    auth_addresses: authAddresses(fid, addresses),
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
