import { type CastId, checkCastId } from './check-cast.ts'
import { checkNetwork, checkNumber } from './checks.ts'
import type { Message } from './generated/hub.ts'
import { toHex } from './hex.ts'
import type { Network } from './network.ts'
import { paginate } from './paginate.ts'
import type { CallOptions } from './transport.ts'

/** A cast with the answers to it, each with its own; the oldest first. */
export type Thread = {
  readonly cast: Message
  readonly replies: readonly Thread[]
}

export type ThreadOptions = CallOptions & {
  /** Casts to read at most, with the first; 1,000 unless given. What is nearer to the first cast is read first. */
  readonly max?: number
}

const MAX_CASTS = 1_000

/**
 * Reads a cast and all answers to it, whoever wrote them, from the hub: a request for the first cast and at least one
 * for each cast that was read. `isComplete` says whether nothing was left out.
 */
export async function thread(
  network: Network,
  castId: CastId,
  { max = MAX_CASTS, ...options }: ThreadOptions = {},
): Promise<Thread & { readonly isComplete: boolean }> {
  checkNetwork(network)
  checkCastId(castId, 'the cast')
  checkNumber(max, 'max', 1, Number.MAX_SAFE_INTEGER)
  const { hub } = network
  const { fid, hash } = castId
  const cast = await hub.get('/v1/castById', { fid, hash: hexOf(hash) }, options)
  const first = { cast, replies: [] as Growing[] }
  // Grows while it is read: answers of one generation stand before those of the next.
  const found: Growing[] = [first]
  for (const parent of found) {
    const { data, hash } = parent.cast
    for await (const { messages } of paginate(
      hub,
      '/v1/castsByParent',
      { fid: data.fid, hash },
      options,
    )) {
      for (const answer of messages) {
        if (found.length === max) return { ...first, isComplete: false }
        const reply = { cast: answer, replies: [] }
        parent.replies.push(reply)
        found.push(reply)
      }
    }
  }
  return { ...first, isComplete: true }
}

type Growing = { readonly cast: Message; readonly replies: Growing[] }

const hexOf = (hash: CastId['hash']) => (typeof hash === 'string' ? hash : toHex(hash))
