import type { App } from '../src/app.ts'
import { buildMessage, castAdd, linkAdd, reactionAdd } from '../src/protocol/build.ts'
import type { SignedMessage } from '../src/protocol/message.ts'
import { networkTime } from '../src/protocol/time.ts'
import { ReactionType } from '../src/protocol/wire/message_pb.js'
import { benchAccount } from './accounts.ts'
import { randomNumbers } from './random.ts'

// A network as clients of the app API see it: casts, some of them in channels, replies, likes, recasts and follows.

const DEVNET = 3
/** Of the client that tried today's interfaces first: see docs/performance.md. */
export const FOLLOWS_OF_READER = 203
const CHANNELS = 10
const BATCH = 1_000
const SPAN_SECONDS = 5 * 86_400

/** Submits about so many messages of so many accounts, and waits until the views have them. */
export async function fillNetwork(
  { hub, views, storage }: App,
  messages: number,
  users: number,
): Promise<void> {
  const next = randomNumbers(1)
  const random = { int: (below: number) => Math.floor(next() * below) }
  const now = networkTime(Date.now())
  const casts: { fid: number; hash: Uint8Array }[] = []
  const message = (n: number): SignedMessage => {
    const fid = n < FOLLOWS_OF_READER ? 1 : 1 + random.int(users)
    const { seed } = benchAccount(fid)
    const origin = {
      fid,
      timestamp: now - SPAN_SECONDS + Math.floor((n / messages) * SPAN_SECONDS),
      network: DEVNET,
    }
    const target =
      casts.length > 0
        ? casts[casts.length - 1 - random.int(Math.min(casts.length, 5_000))]!
        : undefined
    const kind = n < FOLLOWS_OF_READER ? 9 : random.int(10)
    if (kind === 9)
      return buildMessage(linkAdd(origin, 'follow', 2 + ((n * 7) % (users - 1))), seed)
    if (kind >= 4 && target) {
      const type = kind === 8 ? ReactionType.RECAST : ReactionType.LIKE
      return buildMessage(reactionAdd(origin, type, target), seed)
    }
    const parent =
      kind >= 2 && target
        ? ({ case: 'parentCastId', value: { fid: BigInt(target.fid), hash: target.hash } } as const)
        : kind === 1
          ? ({
              case: 'parentUrl',
              value: `https://farcaster.xyz/~/channel/channel-${n % CHANNELS}`,
            } as const)
          : undefined
    const text = `The quick brown fox number ${n} looks at rook ${n % 97}`
    const cast = buildMessage(castAdd(origin, { text, ...(parent && { parent }) }), seed)
    casts.push({ fid, hash: cast.hash })
    return cast
  }
  for (let n = 0; n < messages; n += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, messages - n) }, (_, i) => message(n + i))
    await hub.submitAll(batch)
  }
  while (!(await views!.passed(await storage.events.newestId(), 60_000)));
}
