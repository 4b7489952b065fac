import { Rejection } from '../protocol/rejection.ts'
import { MessageType } from '../protocol/wire/message_pb.js'
import type { Reader } from '../storage/storage.ts'
import type { Candidate } from './candidate.ts'

// Blocks belong to the client platform and are no rule of the protocol. A hub enforces them only where a
// setting says so, and only when it merges: a refused message stays valid, and other hubs may store it.

/** Pairs of a blocking fid and a blocked author, as `keyOf` writes them. */
export type Blocks = ReadonlySet<string>

export const NO_BLOCKS: Blocks = new Set()

/** Reads with one statement which authors are blocked by a fid that their message addresses. */
export async function readBlocks(
  reader: Pick<Reader, 'blocks'>,
  candidates: readonly Candidate[],
): Promise<Blocks> {
  const pairs = candidates.flatMap((candidate) =>
    addressees(candidate).map((blocker) => ({ blocker, blocked: candidate.row.fid })),
  )
  const distinct = [...new Map(pairs.map((pair) => [keyOf(pair), pair])).values()]
  if (distinct.length === 0) return NO_BLOCKS
  return new Set((await reader.blocks.among(distinct)).map(keyOf))
}

/** Throws when the author is blocked by a fid that the message replies to, mentions or quotes. */
export function checkBlocks(blocks: Blocks, candidate: Candidate): void {
  if (blocks.size === 0) return
  const blocked = candidate.row.fid
  const blocker = addressees(candidate).find((fid) => blocks.has(keyOf({ blocker: fid, blocked })))
  if (blocker === undefined) return
  const text = `fid ${blocker} blocks fid ${blocked}, who cannot answer, mention or quote them`
  throw new Rejection('bad_request.blocked', text, { field: 'data.castAddBody' })
}

/** The fids that a cast replies to, mentions and quotes, in that order. */
function addressees(candidate: Candidate): number[] {
  if (candidate.row.type !== MessageType.CAST_ADD) return []
  const { body } = candidate
  if (body.case !== 'castAddBody') return []
  const { parent, mentions, embeds } = body.value
  const quoted = embeds.flatMap(({ embed }) =>
    embed.case === 'castId' ? [Number(embed.value.fid)] : [],
  )
  const answered = parent.case === 'parentCastId' ? [Number(parent.value.fid)] : []
  return [...answered, ...mentions.map(Number), ...quoted]
}

const keyOf = ({ blocker, blocked }: { blocker: number; blocked: number }) =>
  `${blocker}/${blocked}`
