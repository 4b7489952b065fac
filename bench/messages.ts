import {
  buildMessage,
  castAdd,
  type DataInit,
  linkAdd,
  reactionAdd,
} from '../src/kernel/protocol/build.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { ReactionType } from '../src/kernel/protocol/wire/message_pb.js'
import { benchAccount } from './accounts.ts'

type Batch = { readonly messages: SignedMessage[]; readonly bytes: Uint8Array[] }

const DEVNET = 3
/** The oldest timestamp of a message, seconds before now. */
const TIMESTAMPS = 100_000
const TEXT =
  'The quick brown fox jumps over the lazy dog while the rooks in the elm trees look on, amused. '

/** A mix as in real networks: of ten messages two casts, two replies, four likes and two follows. */
export function makeMessages(count: number, accounts: number, from = 0, authorOf = inTurn): Batch {
  const now = networkTime(Date.now())
  const messages = Array.from({ length: count }, (_, i) => {
    const fid = authorOf(from + i, accounts)
    return buildMessage(messageData(from + i, accounts, now, fid), benchAccount(fid).seed)
  })
  return { messages, bytes: messages.map(encodeEnvelope) }
}

/** A like of each of these casts by each account. */
export function likesOfAll(casts: number, accounts: number): Batch {
  const timestamp = networkTime(Date.now())
  const messages = Array.from({ length: casts * accounts }, (_, i) => {
    const { fid, seed } = benchAccount((i % accounts) + 1)
    const origin = { fid, timestamp, network: DEVNET }
    const target = likedCast(Math.floor(i / accounts))
    return buildMessage(reactionAdd(origin, ReactionType.LIKE, target), seed)
  })
  return { messages, bytes: messages.map(encodeEnvelope) }
}

/** The `n`th cast that everybody likes; hubs need not have it. */
export const likedCast = (n: number) => ({ fid: n + 1, hash: Buffer.alloc(20, n) })

/** Ten consecutive messages belong to one account, so that each account has the whole mix. */
export const inTurn = (n: number, accounts: number): number => (Math.floor(n / 10) % accounts) + 1

/** The `n`th message of the mix, `now` in the network's time. */
export function messageData(
  n: number,
  accounts: number,
  now: number,
  fid = inTurn(n, accounts),
): DataInit {
  const origin = { fid, timestamp: now - (n % TIMESTAMPS), network: DEVNET }
  const target = { fid: ((n * 7) % accounts) + 1, hash: hashNumber(n % 5_000) }
  switch (n % 10) {
    case 0:
    case 1:
      return castAdd(origin, { text: TEXT + n })
    case 2:
    case 3:
      return castAdd(origin, {
        text: TEXT + n,
        parent: { case: 'parentCastId', value: { fid: BigInt(target.fid), hash: target.hash } },
      })
    case 4:
    case 5:
      return linkAdd(origin, 'follow', n + 1_000_000)
    default:
      return reactionAdd(origin, ReactionType.LIKE, { fid: target.fid, hash: hashNumber(n) })
  }
}

function hashNumber(n: number): Uint8Array {
  const hash = Buffer.alloc(20, 7)
  hash.writeUInt32BE(n)
  return hash
}
