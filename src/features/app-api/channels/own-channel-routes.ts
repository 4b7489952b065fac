import { Buffer } from 'node:buffer'
import { fromBinary } from '@bufbuild/protobuf'
import Type from 'typebox'
import { appOf } from '../../../kernel/app-api/app-route.ts'
import { ChannelId, SUCCESS, SuccessReply } from '../../../kernel/app-api/bodies.ts'
import type { ChannelRow } from '../../../kernel/app-api/channels.ts'
import { nameOfKey } from '../../../kernel/app-api/keys.ts'
import { mutedOf } from '../../../kernel/app-api/objects/muted.ts'
import { channelIdParam } from '../../../kernel/app-api/params.ts'
import type { MutedTerm } from '../../../kernel/app-api/ports.ts'
import { Channel } from '../../../kernel/app-api/schemas.ts'
import { optional } from '../../../kernel/http/input/params.ts'
import { bind, json, type Route, route } from '../../../kernel/http/route.ts'
import { equalBytes } from '../../../kernel/protocol/codec/bytes.ts'
import { hashOf } from '../../../kernel/protocol/crypto/hash.ts'
import { Rejection, type RejectionCode } from '../../../kernel/protocol/rejection.ts'
import { urlTargetKey } from '../../../kernel/protocol/slots.ts'
import { networkTime } from '../../../kernel/protocol/time.ts'
import { MessageDataSchema } from '../../../kernel/protocol/wire/message_pb.js'
import {
  MAX_NEW,
  MAX_SCANNED_FOR_NEWS,
  type News,
} from '../../../kernel/storage/reads/app-places.ts'
import { firstDocAt } from '../../../kernel/storage/views/views.ts'
import { channelRows, MAX_RULES_CHARACTERS } from '../../channels/port.ts'
import { channelsOf, wholeChannelOf } from '../objects/channel-objects.ts'
import { type ChannelLook, channelLookRows, MAX_LOOKS } from '../tables/channel-looks.ts'
import type { WritesContext } from '../writes/context.ts'
import { CHANNELS } from './channel-routes.ts'

// What is new for a user in the own channels, and that the user has looked at one. By the user's token alone: nobody else learns of it.

/** Channels of each kind, followed or joined, the newest first. */
const MAX_OWN = 50
/** New casts whose words are compared with those that the user mutes; more count as they are. */
const MAX_READ = 500

const OwnChannelsReply = Type.Object({
  channels: Type.Array(
    Type.Object(
      {
        object: Type.Literal('own_channel'),
        channel: Channel,
        new_count: Type.Integer({
          description: `Casts of others since the user last looked at the channel, or else since the user came to it, without those with words that the user mutes; ${MAX_NEW} stands for ${MAX_NEW} or more, also where none of the newest is shown and older ones may be.`,
        }),
        has_read_rules: Type.Boolean({
          description:
            'Whether the user has read the rules of the channel as they are now, or owns it.',
        }),
      },
      { $id: 'OwnChannel' },
    ),
  ),
})

const NewReply = Type.Object({
  channels: Type.Array(
    Type.Object({
      channel_id: Type.String(),
      new_count: Type.Integer({ description: 'As in `/channel/own`; at least 1.' }),
    }),
  ),
})

const SeenBody = Type.Object({
  channel_id: ChannelId,
  seen_at: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2 ** 32 - 1,
      description:
        'Unix seconds: the time of the newest cast that the user was shown. Without it, now.',
    }),
  ),
  rules: Type.Optional(
    Type.String({
      maxLength: MAX_RULES_CHARACTERS,
      description: 'The rules of the channel, when the user has read them.',
    }),
  ),
})

const errors: readonly RejectionCode[] = ['unauthorized.suspended', 'not_found']

export const ownChannelRoutes = (context: WritesContext): Route[] =>
  bind(context, [ownChannels, newInOwnChannels, markChannelSeen])

const ownChannels = route('GET /v2/farcaster/channel/own', {
  callers: 'user of an app',
  summary: 'The channels of the user, and how much is new in each',
  description: `Of the user of the bearer token: up to ${MAX_OWN} followed ones and ${MAX_OWN} with a membership, or the one that is named, with its rules. Those with something new first.`,
  tags: CHANNELS,
  query: { channel_id: optional(channelIdParam) },
  reply: OwnChannelsReply,
  errors,
  cost: { cpu: 'large', rows: 4 * MAX_OWN + MAX_READ, scanned: 2 * MAX_OWN * MAX_SCANNED_FOR_NEWS },
  handler: async (context: WritesContext, { query: { channelId }, request }) => {
    const { fid } = await context.platform.actorOf(request)
    const viewer = { app: appOf(request), viewer: fid }
    const rows = await ownRows(context, fid, channelId)
    const [counts, channels] = await Promise.all([
      newIn(context, viewer, rows),
      channelId === undefined
        ? channelsOf(
            context,
            viewer,
            rows.map(({ channel }) => channel),
          )
        : Promise.all(rows.map(({ channel }) => wholeChannelOf(context, viewer, channel))),
    ])
    const all = rows.map(({ channel, look }, i) => ({
      object: 'own_channel' as const,
      channel: channels[i]!,
      new_count: counts.get(channel.id) ?? 0,
      has_read_rules: channel.lead_fid === fid || hasReadRules(channel, look),
    }))
    return {
      channels: [...all.filter((one) => one.new_count), ...all.filter((one) => !one.new_count)],
    }
  },
})

const newInOwnChannels = route('GET /v2/farcaster/channel/own/new', {
  callers: 'user of an app',
  summary: 'In which channels of the user something is new',
  description: 'Of the user of the bearer token: what `/channel/own` counts, without the channels.',
  tags: CHANNELS,
  reply: NewReply,
  errors,
  cost: { cpu: 'large', rows: 2 * MAX_OWN + MAX_READ, scanned: 2 * MAX_OWN * MAX_SCANNED_FOR_NEWS },
  handler: async (context: WritesContext, { request }) => {
    const { fid } = await context.platform.actorOf(request)
    const viewer = { app: appOf(request), viewer: fid }
    const counts = await newIn(context, viewer, await ownRows(context, fid, undefined))
    const all = [...counts].map(([channel_id, new_count]) => ({ channel_id, new_count }))
    return { channels: all.filter((one) => one.new_count > 0) }
  },
})

/** The channels of a user, or one, each with when the user looked at it and from when on something is new. */
async function ownRows(context: WritesContext, fid: number, channelId: string | undefined) {
  const found = await channelsOfUser(context, fid, channelId)
  const looks = await context.storage.of(channelLookRows).of(fid, [...found.keys()])
  const lookAt = new Map(looks.map((look) => [look.channel_id, look]))
  const { byId } = await context.channelCache.refresh()
  return [...found].flatMap(([id, since]) => {
    const channel = byId.get(id)
    const look = lookAt.get(id)
    const from = Math.max(since, look ? look.seen_at : 0)
    return channel ? [{ channel, look, from }] : []
  })
}

/** The ids of the channels of a user, each with when the user came to it, in network seconds. */
async function channelsOfUser(
  { storage, channelCache, nowMs }: WritesContext,
  fid: number,
  channelId: string | undefined,
): Promise<Map<string, number>> {
  const channels = storage.of(channelRows)
  if (channelId !== undefined) {
    if (!(await channelCache.refresh()).byId.has(channelId)) throw noChannel(channelId)
    const [follow, membership] = await Promise.all([
      channels.follow(channelId, fid),
      channels.membership(channelId, fid),
    ])
    const since = follow?.followed_at ?? membership?.since ?? Math.floor(nowMs() / 1_000)
    return new Map([[channelId, networkSecond(since)]])
  }
  const [followed, joined] = await Promise.all([
    channels.followedBy(fid, undefined, MAX_OWN),
    channels.memberships('member', { fid }, undefined, MAX_OWN),
  ])
  const all = [
    ...joined.map(({ channel_id, since }) => [channel_id, since] as const),
    ...followed.map(({ id, followed_at }) => [id, followed_at] as const),
  ]
  return new Map(all.map(([id, since]) => [id, networkSecond(since)]))
}

const networkSecond = (unixSeconds: number): number => Math.max(0, networkTime(unixSeconds * 1_000))

const rulesHash = (rules: string): Uint8Array => hashOf(Buffer.from(rules))

/** Whether there is nothing left for the user to read before a first cast. */
const hasReadRules = ({ rules }: ChannelRow, look: ChannelLook | undefined): boolean =>
  rules === null || equalBytes(look?.rules_hash ?? NO_HASH, rulesHash(rules))

const NO_HASH = new Uint8Array(0)

type OwnRow = { readonly channel: ChannelRow; readonly from: number }

/** How many casts are new, by the id of the channel. Nothing is new in a channel that the user mutes. */
async function newIn(
  { storage, ports }: WritesContext,
  viewer: { readonly app: string; readonly viewer: number },
  rows: readonly OwnRow[],
): Promise<Map<string, number>> {
  const [terms, places] = await Promise.all([
    ports.mutedTermsOf(storage, viewer.viewer),
    storage.appViews.places(rows.map(({ channel }) => urlTargetKey(channel.url))),
  ])
  const muted = new Set(terms.filter(({ kind }) => kind === 'channel').map(({ term }) => term))
  const placeAt = new Map(places.map(({ id, target }) => [nameOfKey(target), id]))
  const asked = rows.flatMap(({ channel, from }) => {
    const place = placeAt.get(nameOfKey(urlTargetKey(channel.url)))
    if (place === undefined || muted.has(channel.id)) return []
    const membersOnly = channel.public_casting === 0
    return [{ place, channel: channel.id, membersOnly, from: firstDocAt(from + 1) }]
  })
  const news = await storage.appViews.newInPlaces(asked, viewer)
  const isMuted = await mutedAmong(storage, terms, [...news.values()])
  return new Map(
    asked.map(({ channel, place }) => {
      const { isCut = false, ids = [] } = news.get(place) ?? {}
      const shown = ids.filter((id) => !isMuted.has(id)).length
      // Where nothing is shown of what was looked at, older ones may be: saying none would hide them.
      return [channel, isCut && shown === 0 ? MAX_NEW : Math.min(shown, MAX_NEW)]
    }),
  )
}

/** Of casts that are new, the messages with words that the user mutes: lists do not show them, so nothing is new by them. */
async function mutedAmong(
  { messages }: WritesContext['storage'],
  terms: readonly MutedTerm[],
  news: readonly News[],
): Promise<ReadonlySet<number>> {
  const words = terms.filter(({ kind }) => kind === 'word')
  if (words.length === 0) return new Set()
  const muted = mutedOf(words)
  const found = await messages.byIds(news.flatMap(({ ids }) => ids).slice(0, MAX_READ))
  return new Set(
    found.flatMap(({ id, data }) => {
      const { body } = fromBinary(MessageDataSchema, data)
      const text = body.case === 'castAddBody' ? body.value.text : ''
      return muted({ text, channel: undefined }) ? id : []
    }),
  )
}

const markChannelSeen = route('POST /v2/farcaster/channel/seen', {
  callers: 'user of an app',
  summary: 'Mark a channel as looked at',
  description: `By the user of the bearer token. With \`rules\`, the user has read those and is not shown them again until they change. Kept for ${MAX_LOOKS} channels of a user.`,
  tags: CHANNELS,
  body: json(SeenBody),
  reply: SuccessReply,
  errors: [...errors, 'bad_request.validation_failure'],
  cost: { cpu: 'small', rows: MAX_LOOKS + 2, writes: 1 },
  handler: async (context: WritesContext, { body: { channel_id, seen_at, rules }, request }) => {
    const { fid } = await context.platform.actorOf(request)
    const came = (await channelsOfUser(context, fid, channel_id)).get(channel_id)!
    const now = networkTime(context.nowMs())
    const at = seen_at === undefined ? now : Math.min(now, networkSecond(seen_at))
    await context.storage.write(`fid/${fid}`, async (tx) => {
      const looks = tx.of(channelLookRows)
      const [known] = await looks.of(fid, [channel_id])
      if (!known && (await looks.count(fid)) >= MAX_LOOKS) await looks.removeOldest(fid)
      await looks.put({
        ...{ fid, channel_id },
        // Who reads the rules in the composer has not seen what is new since then.
        seen_at: rules === undefined ? Math.max(known?.seen_at ?? 0, at) : (known?.seen_at ?? came),
        rules_hash: rules === undefined ? (known?.rules_hash ?? null) : rulesHash(rules),
      })
    })
    return SUCCESS
  },
})

const noChannel = (id: string) =>
  new Rejection('not_found', `there is no channel ${id}`, { field: 'channel_id' })
