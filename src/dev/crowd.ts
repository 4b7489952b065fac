import {
  buildMessage,
  castAdd,
  castRemove,
  type DataInit,
  linkAdd,
  type Origin,
  reactionAdd,
} from '../kernel/protocol/build.ts'
import type { SignedMessage } from '../kernel/protocol/message.ts'
import { DAY_SECONDS, networkTime } from '../kernel/protocol/time.ts'
import { CastType, ReactionType } from '../kernel/protocol/wire/message_pb.js'
import type { Author } from './world.ts'

// What `rookery dev seed` adds: people, and what they wrote, followed and liked. The same for the same accounts.

export const SEED_KINDS = ['small', 'busy', 'adversarial'] as const
export type SeedKind = (typeof SEED_KINDS)[number]

type Size = {
  readonly people: number
  readonly casts: number
  readonly follows: number
  readonly reactions: number
}

/** With three messages of each profile, `busy` has about 10,000 messages. */
export const SIZES: Readonly<Record<SeedKind, Size>> = {
  small: { people: 5, casts: 30, follows: 12, reactions: 40 },
  busy: { people: 100, casts: 3_000, follows: 2_000, reactions: 4_700 },
  adversarial: { people: 8, casts: 0, follows: 20, reactions: 60 },
}

const WORDS =
  'tide nest wing moss reef gale dusk foam kelp loft moor pine quay rain salt wren'.split(' ')
const WORDS_OF_CAST = 9
/** Of the casts, every third one answers an earlier one. */
const ANSWERS = 3
const THREAD_LENGTH = 60

/** Texts and shapes that are allowed, and that apps often show wrongly. */
const UNUSUAL_TEXTS = [
  'ا'.repeat(160),
  'שלום to the left, hello to the right 123',
  '👩‍👩‍👧‍👦'.repeat(12),
  `e${'\u0301'.repeat(100)}`,
  'W'.repeat(320),
  'https://example.org/'.padEnd(320, 'long-path/'),
  '\n\n\n\n\n\n\n\n\n\nlines before and after\n\n\n\n\n\n\n\n\n\n',
  '\u200b\u200b\u200b',
  '<b>not bold</b> &amp; "quoted" \'twice\' `and` %s {{filled}} in',
  'null',
  '0',
  '-1e999',
  '@nobody @rook, @rook. @@rook @ROOK rook@example.org',
  '/nochannel #notag $NOCOIN',
  '1. a list\n2. that is\n   - no markdown\n# no heading',
  '日本語の長い文'.repeat(15),
  'Ｆｕｌｌ ｗｉｄｔｈ and 𝔣𝔯𝔞𝔨𝔱𝔲𝔯',
]

/** Chooses by a seed: xorshift of 32 bits. */
function chooser(seed: number): (count: number) => number {
  let state = seed
  return (count) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % count
  }
}

type Time = { readonly nowMs: number; readonly network: number }

/** The messages of a kind of seed, in the order in which they are to be submitted. */
export function crowdMessages(
  kind: SeedKind,
  authors: readonly Author[],
  { nowMs, network }: Time,
): SignedMessage[] {
  const size = SIZES[kind]
  const choose = chooser(authors[0]!.fid)
  const someone = () => authors[choose(authors.length)]!
  const sign = ({ fid, account }: Author, secondsAgo: number, init: (origin: Origin) => DataInit) =>
    buildMessage(
      init({ fid, timestamp: networkTime(nowMs) - secondsAgo, network }),
      account.appSeed,
    )
  const age = (i: number, count: number) => Math.floor((DAY_SECONDS * (count - i)) / (count + 1))

  const casts: SignedMessage[] = []
  for (let i = 0; i < size.casts; i++) {
    const parent = i % ANSWERS === 1 ? casts[choose(casts.length)] : undefined
    const text = `${Array.from({ length: WORDS_OF_CAST }, () => WORDS[choose(WORDS.length)]).join(' ')} ${i}`
    casts.push(
      sign(someone(), age(i, size.casts), (origin) =>
        castAdd(origin, { text, ...answerTo(parent) }),
      ),
    )
  }
  const unusual = kind === 'adversarial' ? unusualMessages(authors, sign) : []
  const targets = [...casts, ...unusual.filter(({ data }) => data.body.case === 'castAddBody')]
  const follows = Array.from({ length: size.follows }, () => {
    const [follower, followed] = [someone(), someone()]
    return follower.fid === followed.fid
      ? undefined
      : sign(follower, DAY_SECONDS, (origin) => linkAdd(origin, 'follow', followed.fid))
  })
  const reactions = Array.from({ length: size.reactions }, () => {
    const { fid, hash } = targets[choose(targets.length)]!
    const type = choose(4) === 0 ? ReactionType.RECAST : ReactionType.LIKE
    return sign(someone(), 0, (origin) => reactionAdd(origin, type, { fid, hash }))
  })
  const all = [...casts, ...unusual, ...follows, ...reactions].filter((one) => one !== undefined)
  // The same follow or like twice is one message.
  return [...new Map(all.map((one) => [Buffer.from(one.hash).toString('hex'), one])).values()]
}

type Sign = (
  author: Author,
  secondsAgo: number,
  init: (origin: Origin) => DataInit,
) => SignedMessage

/** Unusual texts, a long thread, answers to a cast that nobody has, deleted casts with answers, and many mentions. */
function unusualMessages(authors: readonly Author[], sign: Sign): SignedMessage[] {
  const by = (i: number) => authors[i % authors.length]!
  const texts = UNUSUAL_TEXTS.map((text, i) =>
    sign(by(i), 5_000 - i, (origin) => castAdd(origin, { text })),
  )
  const thread = [texts[0]!]
  for (let i = 0; i < THREAD_LENGTH; i++) {
    const parent = answerTo(thread.at(-1))
    const text = `answer ${i + 1} of ${THREAD_LENGTH}`
    thread.push(sign(by(i), 4_000 - i, (origin) => castAdd(origin, { text, ...parent })))
  }
  const nowhere = answerTo({ fid: authors[0]!.fid, hash: new Uint8Array(20).fill(7) })
  const lost = sign(by(1), 900, (origin) =>
    castAdd(origin, { text: 'to a cast that nobody has', ...nowhere }),
  )
  const deleted = sign(by(2), 800, (origin) => castAdd(origin, 'soon deleted'))
  const answer = sign(by(3), 700, (origin) =>
    castAdd(origin, { text: 'an answer that stays', ...answerTo(deleted) }),
  )
  const removal = sign(by(2), 600, (origin) => castRemove(origin, deleted.hash))
  const mentioned = authors.slice(0, 8)
  const mentions = sign(by(4), 500, (origin) =>
    castAdd(origin, {
      text: '',
      mentions: mentioned.map(({ fid }) => BigInt(fid)),
      mentionsPositions: mentioned.map(() => 0),
      type: CastType.CAST,
    }),
  )
  return [...texts, ...thread.slice(1), lost, deleted, answer, mentions, removal]
}

const answerTo = (parent: Pick<SignedMessage, 'fid' | 'hash'> | undefined) =>
  parent && {
    parent: {
      case: 'parentCastId' as const,
      value: { fid: BigInt(parent.fid), hash: parent.hash },
    },
  }
