import type { SignedMessage } from '../protocol/message.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Reader } from '../storage/storage.ts'
import type { Candidate } from './merge-state.ts'

// Blocks are the client platform's and no rule of the protocol: a hub refuses what they forbid only where its
// operator wants that, and only when it merges. A message stays valid, and other hubs may have it.

/** The addressees of a message that block its author. */
export type Blocks = ReadonlySet<string>

export const NO_BLOCKS: Blocks = new Set()

/** Reads with one statement which authors are blocked by somebody they speak to. */
export async function readBlocks(
  reader: Pick<Reader, 'blocks'>,
  candidates: readonly Candidate[],
): Promise<Blocks> {
  const pairs = candidates.flatMap(({ message }) =>
    addressees(message).map((blocker) => ({ blocker, blocked: message.fid })),
  )
  const distinct = [...new Map(pairs.map((pair) => [keyOf(pair), pair])).values()]
  if (distinct.length === 0) return NO_BLOCKS
  return new Set((await reader.blocks.among(distinct)).map(keyOf))
}

/** Throws when the author is blocked by somebody whom the message answers, mentions or quotes. */
export function checkBlocks(blocks: Blocks, message: SignedMessage): void {
  if (blocks.size === 0) return
  const blocked = message.fid
  const blocker = addressees(message).find((fid) => blocks.has(keyOf({ blocker: fid, blocked })))
  if (blocker === undefined) return
  const text = `fid ${blocker} blocks fid ${blocked}, who cannot answer, mention or quote them`
  throw new Rejection('bad_request.blocked', text, { field: 'data.castAddBody' })
}

/** Whom a cast answers, mentions and quotes, in that order. */
function addressees({ data: { body } }: SignedMessage): number[] {
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
