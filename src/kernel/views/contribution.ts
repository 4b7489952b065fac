import { equalBytes } from '../protocol/codec/bytes.ts'
import type { ViewSource } from '../protocol/kinds/kind.ts'
import { kindOf } from '../protocol/kinds/kinds.ts'
import { ReactionType } from '../protocol/wire/message_pb.js'
import type { SentMessage } from '../storage/messages/envelopes.ts'
import type { NoticeType } from '../storage/views/notice-kinds.ts'
import { POST_KINDS, type ViewFollow } from '../storage/views/views.ts'
import {
  castFields,
  castKey,
  compactFields,
  fidOfKey,
  linkFields,
  reactionFields,
} from './message-fields.ts'
import { castWords } from './words.ts'

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
  /** What it is found by: see castWords. */
  readonly words: string | undefined
}

type Count = { readonly key: Uint8Array; readonly name: CountName }
type Notice = { readonly fid: number; readonly kind: NoticeType }

export type Contribution = {
  /** Of the message. */
  readonly id: number
  readonly fid: number
  /** Network seconds. */
  readonly at: number
  readonly post: Post | undefined
  /** Each adds one to a count of a cast. */
  readonly counts: readonly Count[]
  /** The fid that is followed. */
  readonly follows: number | undefined
  /** Who is notified of what; never the author. */
  readonly notices: readonly Notice[]
}

/** A contribution that is taken back. */
export type Removal = Contribution & {
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

type Reader = (message: SentMessage, id: number) => Contribution | undefined

/** Who reads the contribution of a message. Compact states and profiles have readers of their own, below. */
const READERS: Readonly<Record<ViewSource, Reader | undefined>> = {
  cast: castContribution,
  reaction: reactionContribution,
  link: linkContribution,
  compactState: undefined,
  profile: undefined,
}

const sourceOf = ({ type }: Pick<SentMessage, 'type'>) => kindOf(type)?.views

/** What a message contributes besides the profile of its author; undefined when nothing. */
export function contributionOf(message: SentMessage, id: number): Contribution | undefined {
  const source = sourceOf(message)
  return source && READERS[source]?.(message, id)
}

function castContribution(
  { fid, hash, timestamp, data }: SentMessage,
  id: number,
): Contribution | undefined {
  const cast = castFields(data)
  if (!cast) return undefined
  const { parent } = cast
  const counts: Count[] = []
  const people: Notice[] = []
  if (parent) {
    counts.push({ key: parent, name: 'replies' })
    people.push({ fid: fidOfKey(parent), kind: 'reply' })
  }
  for (const key of cast.quotes.length > 1 ? distinctKeys(cast.quotes) : cast.quotes) {
    counts.push({ key, name: 'quotes' })
    people.push({ fid: fidOfKey(key), kind: 'quote' })
  }
  for (const mentioned of cast.mentions) {
    people.push({ fid: mentioned, kind: 'mention' })
  }
  const post: Post = {
    kind: parent ? POST_KINDS.reply : POST_KINDS.cast,
    key: castKey(fid, hash),
    target: parent ?? null,
    url: cast.url,
    words: castWords(fid, cast.text, cast.urls),
  }
  return {
    id,
    fid,
    at: timestamp,
    post,
    counts,
    follows: undefined,
    notices: noticesTo(fid, people),
  }
}

function reactionContribution(
  { fid, timestamp, data }: SentMessage,
  id: number,
): Contribution | undefined {
  const reaction = reactionFields(data)
  if (!reaction) return undefined
  const { type, target } = reaction
  const isRecast = type === ReactionType.RECAST
  if (!isRecast && type !== ReactionType.LIKE) return undefined
  const name = isRecast ? 'recasts' : 'likes'
  return {
    id,
    fid,
    at: timestamp,
    post: isRecast ? recastOf(target) : undefined,
    counts: [{ key: target, name }],
    follows: undefined,
    notices: noticeTo(fid, { fid: fidOfKey(target), kind: name }),
  }
}

const recastOf = (target: Uint8Array): Post => ({
  kind: POST_KINDS.recast,
  key: null,
  target,
  url: undefined,
  words: undefined,
})

function linkContribution(
  { fid, timestamp, data }: SentMessage,
  id: number,
): Contribution | undefined {
  const link = linkFields(data)
  if (link?.type !== FOLLOW) return undefined
  return followContribution({ id, fid, at: timestamp, target: link.target })
}

/** What a follow contributes. */
export const followContribution = ({ id, fid, at, target }: ViewFollow): Contribution => ({
  ...{ id, fid, at, post: undefined, counts: [], follows: target },
  notices: noticeTo(fid, { fid: target, kind: 'follows' }),
})

const distinctKeys = (keys: readonly Uint8Array[]) =>
  keys.filter((key, i) => keys.findIndex((other) => equalBytes(other, key)) === i)

const NO_NOTICES: readonly Notice[] = []

const noticeTo = (author: number, notice: Notice | undefined): readonly Notice[] =>
  notice && notice.fid !== author ? [notice] : NO_NOTICES

/** One notice for each person, the first that applies; none to the author. */
function noticesTo(author: number, people: readonly Notice[]): readonly Notice[] {
  if (people.length <= 1) return noticeTo(author, people[0])
  return people.filter(
    ({ fid }, i) => fid !== author && people.findIndex((other) => other.fid === fid) === i,
  )
}

/** What it takes back when the message leaves the store. */
export function removalOf(message: SentMessage, id: number): Removal | undefined {
  const contribution = contributionOf(message, id)
  return contribution && { ...contribution, isEmptied: message.signature.length === 0 }
}

/** The compact state of follows that a message declares, if it does. */
export function compactFollowsOf(message: SentMessage): CompactFollows | undefined {
  if (sourceOf(message) !== 'compactState') return undefined
  const compact = compactFields(message.data)
  if (compact?.type !== FOLLOW) return undefined
  return { fid: message.fid, at: message.timestamp, targets: new Set(compact.targets) }
}

/** Whether profiles are rendered from the message. */
export const changesProfile = (message: SentMessage): boolean => sourceOf(message) === 'profile'
