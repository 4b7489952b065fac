import type { Services } from '../app.ts'
import { CHANNELS } from '../features/channels/port.ts'
import { channelRows } from '../features/channels/tables/channels.ts'
import { buildMessage, castAdd, reactionAdd, userDataAdd } from '../kernel/protocol/build.ts'
import { utf8Length } from '../kernel/protocol/codec/bytes.ts'
import type { SignedMessage } from '../kernel/protocol/message.ts'
import { networkTime } from '../kernel/protocol/time.ts'
import { CastType, ReactionType, UserDataType } from '../kernel/protocol/wire/message_pb.js'
import { FIRST_NAMES, nameOf } from './accounts.ts'
import { withLease } from './lease.ts'
import type { AccountOrigin } from './origin.ts'
import { listAccounts, submitAll } from './seed.ts'
import type { Author } from './world.ts'

// What clients show besides plain text: portraits, pictures, links, quotes, mentions, long casts, and casts in
// channels. It is added when the front door listens, whose address is in the URLs of the pictures.

type ShownCast = {
  readonly by: number
  /** `@name` mentions an account of the world. */
  readonly text: string
  /** The id of a channel. */
  readonly channel?: string
  /** The name of a picture. */
  readonly picture?: string
  /** A path of this server. */
  readonly link?: string
  /** The earlier cast that it shows or answers. */
  readonly quotes?: number
  readonly answers?: number
}

const CASTS: readonly ShownCast[] = [
  { by: 7, channel: 'wetlands', text: 'Fog over the reeds, six in the morning.', picture: 'fog' },
  { by: 3, channel: 'wetlands', text: 'High tide at noon. Bring boots, @egret.', picture: 'tide' },
  { by: 7, text: 'Boots are packed. Keep me a dry stone, @heron.', answers: 1 },
  { by: 9, text: 'The nest so far.', picture: 'nest' },
  {
    by: 1,
    channel: 'rookery',
    text: 'The reference of every interface, with a form for each call:',
    link: '/docs',
  },
  { by: 5, text: 'Worth reading twice.', quotes: 4 },
  {
    by: 8,
    channel: 'cold-rooms',
    text: 'All lamps are green. You can sleep, @rook.',
    picture: 'cold-room',
  },
  { by: 1, text: 'Thanks, @penguin. Good night.', answers: 6 },
  {
    by: 2,
    channel: 'rookery',
    text: 'New here? @rook runs this place, @magpie finds things and @egret photographs them.',
  },
  {
    by: 10,
    text:
      'Notes from a long flight. A message is a few hundred bytes that its author has signed, and everything else follows ' +
      'from that: a hub checks the signature, gives the message its slot, and tells everybody who listens. No hub has to ' +
      'trust another one, because each can check every message by itself. The names are the only part that one place ' +
      'decides, and its log is public. That is all. The sea was calm.',
  },
]

/** More of a profile: a website and a place. */
const PROFILES: readonly { fid: number; link?: string; place?: string }[] = [
  { fid: 1, link: '/docs' },
  { fid: 2, link: '/channels', place: 'geo:51.51,-0.08' },
  { fid: 3, link: '/channel/wetlands' },
  { fid: 7, place: 'geo:43.60,4.59' },
]

const LIKES: readonly (readonly [cast: number, fids: readonly number[]])[] = [
  [0, [1, 3, 4, 8]],
  [1, [7, 10]],
  [3, [1, 2, 5, 6, 7]],
  [4, [2, 4, 6, 9]],
  [6, [1, 2]],
  [8, [1, 5, 7]],
  [9, [1, 2, 3]],
]
const RECASTS: readonly (readonly [cast: number, fid: number])[] = [
  [0, 10],
  [4, 2],
]
const CHANNEL_PICTURES = { rookery: 'nest', wetlands: 'fog', 'cold-rooms': 'cold-room' } as const

const CURSOR = 'dev-showcase'
/** The casts of the plain world are older. */
const SECONDS_BETWEEN_CASTS = 25

/** Adds it once, to a world of the first accounts. `address` is that of the front door. */
export async function seedShowcase(
  services: Services,
  origin: AccountOrigin,
  address: string,
): Promise<void> {
  const { storage } = services
  const exists = async () => (await storage.cursors.get(CURSOR)) !== undefined
  if (await exists()) return
  await withLease(storage, CURSOR, async () => {
    if (!(await exists())) await addShowcase(services, origin, address)
  })
}

async function addShowcase(
  services: Services,
  origin: AccountOrigin,
  address: string,
): Promise<void> {
  const { storage, clock, config } = services
  const authors = (await listAccounts(services, origin)).slice(0, FIRST_NAMES.length)
  if (authors.some(({ fid }, i) => fid !== i + 1) || authors.length < FIRST_NAMES.length) return
  const pictureUrl = (name: string) => `${address}/dev/pictures/${name}.png`
  for (const [channelId, name] of Object.entries(CHANNEL_PICTURES)) {
    await services.of(CHANNELS).editAny({ channelId, imageUrl: pictureUrl(name) })
  }
  const messages = messagesOf(authors, {
    now: networkTime(clock.now()),
    network: config.network,
    pictureUrl,
    address,
    channelUrls: await channelUrls(services),
  })
  await submitAll(services, messages)
  await storage.write('hub', (tx) => tx.cursors.put(CURSOR, address))
}

async function channelUrls({ storage }: Services): Promise<Map<string, string>> {
  const ids = Object.keys(CHANNEL_PICTURES)
  const rows = await Promise.all(ids.map((id) => storage.of(channelRows).byId(id)))
  return new Map(rows.flatMap((row) => (row ? [[row.id, row.url] as const] : [])))
}

type Setting = {
  readonly now: number
  readonly network: number
  readonly address: string
  readonly channelUrls: ReadonlyMap<string, string>
  pictureUrl(name: string): string
}

function messagesOf(authors: readonly Author[], setting: Setting): SignedMessage[] {
  const { now, network, pictureUrl } = setting
  const { LIKE, RECAST } = ReactionType
  const origin = (fid: number, timestamp = now) => ({ fid, timestamp, network })
  const seedOf = (fid: number) => authors[fid - 1]!.account.appSeed
  const portraits = authors.map(({ fid, account }) => {
    const url = pictureUrl(nameOf({ fid, account }))
    return buildMessage(
      userDataAdd(origin(fid), UserDataType.USER_DATA_TYPE_PFP, url),
      account.appSeed,
    )
  })
  const { USER_DATA_TYPE_URL, USER_DATA_TYPE_LOCATION } = UserDataType
  const profiles = PROFILES.flatMap(({ fid, link, place }) => {
    const values = [
      [USER_DATA_TYPE_URL, link && setting.address + link],
      [USER_DATA_TYPE_LOCATION, place],
    ] as const
    return values.flatMap(([type, value]) =>
      value ? [buildMessage(userDataAdd(origin(fid), type, value), seedOf(fid))] : [],
    )
  })
  const casts: SignedMessage[] = []
  for (const [i, cast] of CASTS.entries()) {
    const timestamp = now - (CASTS.length - i) * SECONDS_BETWEEN_CASTS
    const body = castBody(cast, casts, setting)
    casts.push(buildMessage(castAdd(origin(cast.by, timestamp), body), seedOf(cast.by)))
  }
  const react = (type: ReactionType, index: number, fid: number) => {
    const { hash, fid: author } = casts[index]!
    return buildMessage(reactionAdd(origin(fid), type, { fid: author, hash }), seedOf(fid))
  }
  const likes = LIKES.flatMap(([index, fids]) => fids.map((fid) => react(LIKE, index, fid)))
  const recasts = RECASTS.map(([index, fid]) => react(RECAST, index, fid))
  return [...portraits, ...profiles, ...casts, ...likes, ...recasts]
}

type CastBody = Exclude<Parameters<typeof castAdd>[1], string>
type EmbedInit = NonNullable<CastBody['embeds']>[number]

function castBody(cast: ShownCast, earlier: readonly SignedMessage[], setting: Setting): CastBody {
  const idOf = (index: number) => {
    const { fid, hash } = earlier[index]!
    return { fid: BigInt(fid), hash }
  }
  const { address, pictureUrl, channelUrls } = setting
  const urls = [
    ...(cast.picture ? [pictureUrl(cast.picture)] : []),
    ...(cast.link ? [address + cast.link] : []),
  ]
  const embeds: EmbedInit[] = urls.map((value) => ({ embed: { case: 'url', value } }))
  if (cast.quotes !== undefined) {
    embeds.push({ embed: { case: 'castId', value: idOf(cast.quotes) } })
  }
  const said = withMentions(cast.text)
  return {
    ...said,
    embeds,
    type: utf8Length(said.text) > SHORT_TEXT_BYTES ? CastType.LONG_CAST : CastType.CAST,
    ...(cast.answers !== undefined && {
      parent: { case: 'parentCastId', value: idOf(cast.answers) },
    }),
    ...(cast.channel && {
      parent: { case: 'parentUrl', value: channelUrls.get(cast.channel)! },
    }),
  }
}

/** Longer texts need another type of cast. */
const SHORT_TEXT_BYTES = 320

/** The text without the names, which stand at positions counted in bytes. */
function withMentions(text: string): {
  text: string
  mentions: bigint[]
  mentionsPositions: number[]
} {
  const mentions: bigint[] = []
  const mentionsPositions: number[] = []
  let rest = ''
  for (const [i, part] of text.split(/@([a-z]+)/).entries()) {
    if (i % 2 === 0) rest += part
    else {
      mentions.push(BigInt(FIRST_NAMES.indexOf(part as (typeof FIRST_NAMES)[number]) + 1))
      mentionsPositions.push(utf8Length(rest))
    }
  }
  return { text: rest, mentions, mentionsPositions }
}
