import {
  castAdd,
  type DataInit,
  linkAdd,
  type Origin,
  reactionAdd,
  userDataAdd,
} from '../src/kernel/protocol/build.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { ReactionType, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import type { NewMessage } from '../src/kernel/storage/messages/messages.ts'
import { randomNumbers, zipf } from './random.ts'
import { idAt, messageRow } from './rows.ts'

// A network as clients of the app API see it: profiles, casts, some of them in channels, replies, likes, recasts
// and follows of the last 30 days.

const DEVNET = 3
export const READER = 1
export const FOLLOWS_OF_READER = 1_000
const REPLIES_OF_THREAD = 500
export const CHANNELS = 10
const SPAN_MS = 30 * 86_400_000
/** Age of the newest message: messages that a bench submits must be newer. */
const NEWEST_AGE_MS = 60_000
/** A user's messages come in sessions of so many. */
const SESSION = 8
/** Replies and reactions go to the newest casts. */
const RECENT_CASTS = 50_000
const WORDS = 20_000
const WORDS_OF_CAST = 12

export type NetworkSize = { readonly messages: number; readonly users: number }

/** Shares of the messages: of 11 million, a million are casts, and ten million reactions and links. */
const CASTS = 1 / 11
const FOLLOWS = 2 / 11
const RECASTS = 1 / 11

type Cast = { readonly fid: number; readonly hash: Uint8Array }

/** The rows of a network, oldest first. */
export function* networkMessages(
  { messages, users }: NetworkSize,
  nowMs: number,
): Generator<NewMessage> {
  const random = randomNumbers(1)
  const below = (limit: number) => Math.floor(random() * limit)
  const rankOfUser = zipf(users, random)
  const rankOfWord = zipf(WORDS, random)
  const casts: Cast[] = []
  const taken = new Set<number>()
  const isNew = (actor: number, kind: number, target: number) => {
    const key = (target * 2 + kind) * users + actor
    return !taken.has(key) && Boolean(taken.add(key))
  }
  const total = messages + users * PROFILE.length + REPLIES_OF_THREAD
  const startMs = nowMs - SPAN_MS - NEWEST_AGE_MS
  const at = (n: number) => startMs + Math.floor((n / total) * SPAN_MS)
  let n = 0
  const row = (fid: number, init: (origin: Origin) => DataInit): NewMessage => {
    const ms = at(n)
    return messageRow(init({ fid, timestamp: networkTime(ms), network: DEVNET }), idAt(ms, n++))
  }
  const text = () => Array.from({ length: WORDS_OF_CAST }, () => wordNumber(rankOfWord())).join(' ')
  const recent = () =>
    casts.length - 1 - Math.floor(Math.min(casts.length, RECENT_CASTS) * random() ** 3)
  const cast = (fid: number): NewMessage => {
    const draw = random()
    const target = casts[recent()]
    const parent =
      draw < 0.4 && target
        ? replyTo(target)
        : draw < 0.5
          ? ({ case: 'parentUrl', value: channelUrl(below(CHANNELS)) } as const)
          : undefined
    const mentions = random() < 0.03 ? [1 + rankOfUser()] : []
    const embeds = random() < 0.05 && target ? [embedOf(target)] : []
    const made = row(fid, (origin) =>
      castAdd(origin, {
        text: text(),
        mentions: mentions.map(BigInt),
        mentionsPositions: mentions.map(() => 0),
        embeds,
        ...(parent && { parent }),
      }),
    )
    casts.push({ fid, hash: made.hash })
    return made
  }
  const reaction = (fid: number, kind: ReactionType): NewMessage | undefined => {
    const place = recent()
    const target = casts[place]
    if (!target || !isNew(fid, kind - 1, place)) return undefined
    return row(fid, (origin) => reactionAdd(origin, kind, target))
  }
  const followed = new Set<number>()
  const follow = (fid: number, target: number): NewMessage | undefined => {
    const key = fid * (users + 1) + target
    if (fid === target || followed.has(key)) return undefined
    followed.add(key)
    return row(fid, (origin) => linkAdd(origin, 'follow', target))
  }

  for (let fid = 1; fid <= users; fid++) {
    for (const [type, value] of PROFILE)
      yield row(fid, (origin) => userDataAdd(origin, type, value(fid)))
  }
  const step = Math.max(1, Math.floor((users - 1) / FOLLOWS_OF_READER))
  for (let i = 1; i <= FOLLOWS_OF_READER && 1 + i * step <= users; i++) {
    yield follow(READER, 1 + i * step)!
  }
  const threadAt = Math.floor(messages * 0.9)
  let thread: Cast | undefined
  for (let i = FOLLOWS_OF_READER; i < messages; ) {
    const fid = 1 + below(users)
    for (let j = 0; j < SESSION && i < messages; j++) {
      const draw = random()
      const made =
        draw < CASTS
          ? cast(fid)
          : draw < CASTS + FOLLOWS
            ? follow(fid, 1 + rankOfUser())
            : reaction(
                fid,
                draw < CASTS + FOLLOWS + RECASTS ? ReactionType.RECAST : ReactionType.LIKE,
              )
      if (!made) continue
      i++
      yield made
    }
    if (i >= threadAt && !thread) {
      const root = row(2, (origin) => castAdd(origin, { text: THREAD_TEXT }))
      thread = { fid: 2, hash: root.hash }
      yield root
      for (let reply = 1; reply < REPLIES_OF_THREAD; reply++) {
        const parent = replyTo(thread)
        yield row(2 + (reply % (users - 1)), (origin) =>
          castAdd(origin, { text: `${text()} ${reply}`, parent }),
        )
      }
    }
  }
}

/** The text of the root of the long thread. No other cast has it. */
export const THREAD_TEXT = 'threadroot of five hundred replies'

const PROFILE: readonly (readonly [UserDataType, (fid: number) => string])[] = [
  [UserDataType.USER_DATA_TYPE_DISPLAY, (fid) => `Person ${wordNumber(fid)} ${fid}`],
  [
    UserDataType.USER_DATA_TYPE_PFP,
    (fid) => `https://images.example.org/people/${fid}/picture.png`,
  ],
  [
    UserDataType.USER_DATA_TYPE_BIO,
    (fid) => `Number ${fid} of a bench. Likes ${wordNumber(fid * 7)} and ${wordNumber(fid * 13)}.`,
  ],
]

const channelUrl = (n: number) => `https://farcaster.xyz/~/channel/channel-${n}`
const replyTo = ({ fid, hash }: Cast) =>
  ({ case: 'parentCastId', value: { fid: BigInt(fid), hash } }) as const
const embedOf = ({ fid, hash }: Cast) => ({
  embed: { case: 'castId', value: { fid: BigInt(fid), hash } } as const,
})

const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe qi ro su ta ve wi xo zu'.split(' ')
/** A made-up word; low numbers come up most often. */
export function wordNumber(n: number): string {
  const at = (divisor: number) => SYLLABLES[Math.floor(n / divisor) % SYLLABLES.length]
  return `${at(1)}${at(SYLLABLES.length)}${at(SYLLABLES.length ** 2)}`
}
