import { concatBytes, u32be } from '../protocol/bytes.ts'
import type { SignedMessage } from '../protocol/message.ts'
import { type CastId, MessageType, ReactionType } from '../protocol/wire/message_pb.js'
import { NOTICE_KINDS, POST_KINDS } from '../storage/views.ts'
import { authorToken, searchedPartOf, tokensOf } from './words.ts'

// What one stored message contributes to the views: a function of its bytes alone. It is added when the message is
// stored and taken back when the message leaves the store.

export const FOLLOW = 'follow'

export type CountName = 'likes' | 'recasts' | 'replies' | 'quotes'

/** A cast, reply or recast. */
export type Post = {
  readonly kind: number
  readonly key: Uint8Array | null
  readonly target: Uint8Array | null
  /** Parent url of a top-level cast. */
  readonly url: string | undefined
  readonly tokens: readonly string[] | undefined
}

type Notice = { readonly fid: number; readonly kind: number }

export type Contribution = {
  /** Of the message. */
  readonly id: number
  readonly fid: number
  /** Network seconds. */
  readonly at: number
  readonly post?: Post
  /** Each adds one to a count of a cast. */
  readonly counts: readonly { readonly key: Uint8Array; readonly name: CountName }[]
  /** The fid that is followed. */
  readonly follows?: number
  /** Who is notified of what; never the author. */
  readonly notices: readonly Notice[]
  /** Moderation has taken the content out of the message: what it quotes is only in the views. */
  readonly isEmptied: boolean
}

/** A compact state of follows. */
export type CompactFollows = {
  readonly fid: number
  /** Network seconds. */
  readonly at: number
  readonly targets: ReadonlySet<number>
}

/** Names a cast in the views: 24 bytes. */
export const castKey = (fid: number, hash: Uint8Array): Uint8Array => concatBytes(u32be(fid), hash)

export const fidOfKey = (key: Uint8Array): number =>
  ((key[0]! << 24) | (key[1]! << 16) | (key[2]! << 8) | key[3]!) >>> 0

const keyOfId = ({ fid, hash }: CastId) => castKey(Number(fid), hash)

/** What a message contributes besides the profile of its author; undefined when nothing. */
export function contributionOf(message: SignedMessage, id: number): Contribution | undefined {
  const { data, fid, hash } = message
  const common = { id, fid, at: data.timestamp, isEmptied: message.signature.length === 0 }
  const { body } = data
  if (data.type === MessageType.CAST_ADD && body.case === 'castAddBody') {
    return { ...common, ...castContribution(fid, hash, body.value) }
  }
  if (data.type === MessageType.REACTION_ADD && body.case === 'reactionBody') {
    if (body.value.target.case !== 'targetCastId') return undefined
    const key = keyOfId(body.value.target.value)
    const isRecast = body.value.type === ReactionType.RECAST
    if (!isRecast && body.value.type !== ReactionType.LIKE) return undefined
    const kind = isRecast ? NOTICE_KINDS.recast : NOTICE_KINDS.like
    return {
      ...common,
      counts: [{ key, name: isRecast ? 'recasts' : 'likes' }],
      notices: noticesTo(fid, [{ fid: fidOfKey(key), kind }]),
      ...(isRecast && { post: recastOf(key) }),
    }
  }
  if (data.type === MessageType.LINK_ADD && body.case === 'linkBody') {
    if (body.value.type !== FOLLOW) return undefined
    const follows = Number(body.value.target.value ?? 0n)
    const notices = noticesTo(fid, [{ fid: follows, kind: NOTICE_KINDS.follow }])
    return { ...common, counts: [], follows, notices }
  }
  return undefined
}

const recastOf = (target: Uint8Array): Post => ({
  kind: POST_KINDS.recast,
  key: null,
  target,
  url: undefined,
  tokens: undefined,
})

type CastBody = Extract<SignedMessage['data']['body'], { case: 'castAddBody' }>['value']

function castContribution(fid: number, hash: Uint8Array, body: CastBody) {
  const parent = body.parent.case === 'parentCastId' ? keyOfId(body.parent.value) : undefined
  const url = body.parent.case === 'parentUrl' ? body.parent.value : undefined
  const urls = [...body.embedsDeprecated]
  const quotes: Uint8Array[] = []
  for (const { embed } of body.embeds) {
    if (embed.case === 'url') urls.push(embed.value)
    else if (embed.case === 'castId') addKey(quotes, keyOfId(embed.value))
  }
  const post: Post = {
    kind: parent ? POST_KINDS.reply : POST_KINDS.cast,
    key: castKey(fid, hash),
    target: parent ?? null,
    url,
    tokens: [authorToken(fid), ...tokensOf(body.text, ...urls.map(searchedPartOf))],
  }
  const counts: Contribution['counts'][number][] = []
  const people: Notice[] = []
  if (parent) {
    counts.push({ key: parent, name: 'replies' })
    people.push({ fid: fidOfKey(parent), kind: NOTICE_KINDS.reply })
  }
  for (const key of quotes) {
    counts.push({ key, name: 'quotes' })
    people.push({ fid: fidOfKey(key), kind: NOTICE_KINDS.quote })
  }
  for (const mentioned of body.mentions) {
    people.push({ fid: Number(mentioned), kind: NOTICE_KINDS.mention })
  }
  return { post, counts, notices: noticesTo(fid, people) }
}

function addKey(keys: Uint8Array[], key: Uint8Array): void {
  if (!keys.some((other) => Buffer.compare(other, key) === 0)) keys.push(key)
}

/** One notice for each person, the first that applies; none to the author. */
function noticesTo(author: number, people: readonly Notice[]): readonly Notice[] {
  return people.filter(
    ({ fid }, i) => fid !== author && people.findIndex((other) => other.fid === fid) === i,
  )
}

/** The compact state of follows that a message declares, if it does. */
export function compactFollowsOf({ data, fid }: SignedMessage): CompactFollows | undefined {
  const { body } = data
  if (data.type !== MessageType.LINK_COMPACT_STATE || body.case !== 'linkCompactStateBody') {
    return undefined
  }
  if (body.value.type !== FOLLOW) return undefined
  return { fid, at: data.timestamp, targets: new Set(body.value.targetFids.map(Number)) }
}

/** Types of messages that profiles are rendered from. */
const PROFILE_TYPES: ReadonlySet<number> = new Set([
  MessageType.USER_DATA_ADD,
  MessageType.VERIFICATION_ADD_ETH_ADDRESS,
  MessageType.VERIFICATION_REMOVE,
  MessageType.USERNAME_PROOF,
])

export const changesProfile = ({ data }: SignedMessage): boolean => PROFILE_TYPES.has(data.type)
