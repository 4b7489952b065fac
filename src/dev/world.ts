import {
  buildMessage,
  castAdd,
  type DataInit,
  linkAdd,
  reactionAdd,
  userDataAdd,
} from '../kernel/protocol/build.ts'
import type { SignedMessage } from '../kernel/protocol/message.ts'
import { networkTime } from '../kernel/protocol/time.ts'
import { ReactionType, UserDataType } from '../kernel/protocol/wire/message_pb.js'
import { type DevAccount, nameOf } from './accounts.ts'

// The messages of the first ten accounts: ordinary signed messages.

export type Author = { readonly fid: number; readonly account: DevAccount }
type Time = { readonly nowMs: number; readonly network: number }

const PROFILES = [
  ['Rook', 'Keeps this place. Ask me anything about running it.'],
  ['Raven', 'Reads everything, remembers most of it.'],
  ['Heron', 'Stands still until the tests are green.'],
  ['Puffin', 'Small boats, big fish.'],
  ['Magpie', 'Collects shiny links.'],
  ['Gannet', 'Dives into protocols.'],
  ['Egret', 'Photographs of wetlands.'],
  ['Penguin', 'Runs a server in a cold room.'],
  ['Jackdaw', 'Two sticks make a nest.'],
  ['Albatross', 'Posts once an ocean.'],
] as const

/** Casts in order: author (fid), text, and the earlier cast that it replies to. */
const CASTS: readonly { by: number; text: string; answers?: number }[] = [
  { by: 1, text: 'Welcome to the rookery! Everything here is yours: post, break, reset.' },
  { by: 2, text: 'First! Every message here is signed by its author and stored as it came.' },
  { by: 3, text: 'The tide is out and the build is green.' },
  { by: 5, text: 'Found a shiny one: every interface has its own page of documentation at /docs' },
  { by: 1, text: 'Good eye. The same in a form for programs is at /openapi.json', answers: 3 },
  { by: 4, text: 'How do I let 28 days pass without waiting?' },
  {
    by: 1,
    text: 'POST /dev/clock on the operations port moves the time of this network.',
    answers: 5,
  },
  { by: 4, text: 'Thanks, the winter is over now.', answers: 6 },
  { by: 7, text: 'Fog over the reeds this morning.' },
  { by: 8, text: 'It is 4 °C in the server room. Perfect.' },
  { by: 10, text: 'See you next ocean.' },
  {
    by: 6,
    text: 'A cast, a reply to a cast, a like: three messages, three slots, one winner each.',
  },
  { by: 9, text: 'Add sticks. Repeat.', answers: 11 },
]

/** Likes and recasts: fid, type and cast. */
const REACTIONS: readonly (readonly [fid: number, kind: 'like' | 'recast', cast: number])[] = [
  [2, 'like', 0],
  [3, 'like', 0],
  [4, 'like', 0],
  [9, 'like', 0],
  [2, 'recast', 0],
  [1, 'like', 2],
  [7, 'like', 2],
  [1, 'like', 7],
  [6, 'recast', 6],
  [3, 'like', 8],
  [5, 'recast', 8],
  [10, 'like', 9],
]

/** Everybody follows fid 1, and the next three around the circle. */
const FOLLOWED_NEIGHBOURS = 3
/** Time between casts, and age of the last one. */
const SECONDS_BETWEEN_CASTS = 300

/** Profiles, casts, follows and reactions of the first accounts, ready to be submitted. */
export function worldMessages(authors: readonly Author[], time: Time): SignedMessage[] {
  const now = networkTime(time.nowMs)
  const by = (fid: number, secondsAgo: number, init: Init) =>
    sign(authors[fid - 1]!, now - secondsAgo, time.network, init)
  const oldest = (CASTS.length + 1) * SECONDS_BETWEEN_CASTS
  const profiles = authors.flatMap((author, i) =>
    profileMessages(author, PROFILES[i]!, { ...time, nowMs: time.nowMs - oldest * 1000 }),
  )
  const casts: SignedMessage[] = []
  for (const [i, { by: fid, text, answers }] of CASTS.entries()) {
    const parent = answers === undefined ? undefined : casts[answers]!
    const secondsAgo = (CASTS.length - i) * SECONDS_BETWEEN_CASTS
    casts.push(by(fid, secondsAgo, (origin) => castAdd(origin, { text, ...answerTo(parent) })))
  }
  const follows = authors.flatMap(({ fid }) =>
    followed(fid, authors.length).map((target) =>
      by(fid, oldest, (origin) => linkAdd(origin, 'follow', target)),
    ),
  )
  const reactions = REACTIONS.map(([fid, kind, index]) => {
    const { hash, fid: castBy } = casts[index]!
    return by(fid, 0, (origin) => reactionAdd(origin, REACTION_TYPES[kind], { fid: castBy, hash }))
  })
  return [...profiles, ...casts, ...follows, ...reactions]
}

/** The display name, the bio and the registered name of an account. */
export function profileMessages(
  author: Author,
  [display, bio]: readonly [display: string, bio: string],
  { nowMs, network }: Time,
): SignedMessage[] {
  const values: [UserDataType, string][] = [
    [UserDataType.USER_DATA_TYPE_DISPLAY, display],
    [UserDataType.USER_DATA_TYPE_BIO, bio],
    [UserDataType.USER_DATA_TYPE_USERNAME, nameOf(author)],
  ]
  return values.map(([type, value]) =>
    sign(author, networkTime(nowMs), network, (origin) => userDataAdd(origin, type, value)),
  )
}

type Init = (origin: { fid: number; timestamp: number; network: number }) => DataInit

const sign = ({ fid, account }: Author, timestamp: number, network: number, init: Init) =>
  buildMessage(init({ fid, timestamp, network }), account.appSeed)

const REACTION_TYPES = { like: ReactionType.LIKE, recast: ReactionType.RECAST } as const

const answerTo = (parent: SignedMessage | undefined) =>
  parent && {
    parent: {
      case: 'parentCastId' as const,
      value: { fid: BigInt(parent.fid), hash: parent.hash },
    },
  }

function followed(fid: number, count: number): number[] {
  const steps = Array.from({ length: FOLLOWED_NEIGHBOURS }, (_, i) => i + 1)
  const targets = [1, ...steps.map((step) => ((fid - 1 + step) % count) + 1)]
  return [...new Set(targets)].filter((target) => target !== fid)
}
