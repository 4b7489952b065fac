import { linkBlockOf } from '../../protocol/block-links.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { MessageType } from '../../protocol/wire/message_pb.js'
import type { StoredMessage } from '../../storage/messages/messages.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Candidate } from './candidate.ts'

// A blocked fid cannot reply to, mention or quote its blocker. A block is a call of the client platform or a link of type
// `block`. No rule of the protocol says so: the hub refuses such a cast only when it merges, validateMessage calls it valid,
// and other hubs may store it.

/** The blocks that a run of messages is checked against: the stored ones, with the changes by links of the run. */
export type Blocks = {
  has(blocker: number, blocked: number): boolean
  /** A message that the run stores. */
  add(row: StoredMessage): void
  /** A message that the run removes. */
  remove(row: StoredMessage): void
  isEmpty(): boolean
}

/** For hubs that do not enforce blocks. */
export const NO_BLOCKS: Blocks = { has: () => false, add() {}, remove() {}, isEmpty: () => true }

/** Reads with one statement which authors are blocked by a fid that their message addresses. */
export async function readBlocks(
  reader: Pick<Reader, 'blocks'>,
  candidates: readonly Candidate[],
): Promise<Blocks> {
  const pairs = candidates.flatMap((candidate) =>
    addressees(candidate).map((blocker) => ({ blocker, blocked: candidate.row.fid })),
  )
  const distinct = [...new Map(pairs.map((pair) => [keyOf(pair), pair])).values()]
  const rows = distinct.length === 0 ? [] : await reader.blocks.among(distinct)
  // Neither is known of a call that a process of an earlier version stored during a rolling upgrade.
  const calls = new Set(
    rows.filter((row) => row.platform_at !== null || row.link_at === null).map(keyOf),
  )
  const links = new Set(rows.filter((row) => row.link_at !== null).map(keyOf))
  return {
    has(blocker, blocked) {
      const key = keyOf({ blocker, blocked })
      return calls.has(key) || links.has(key)
    },
    add(row) {
      const pair = linkBlockOf(row)
      if (pair) links.add(keyOf(pair))
    },
    remove(row) {
      const pair = linkBlockOf(row)
      if (pair) links.delete(keyOf(pair))
    },
    isEmpty: () => calls.size + links.size === 0,
  }
}

/** Throws when the author is blocked by a fid that the message replies to, mentions or quotes. */
export function checkBlocks(blocks: Blocks, candidate: Candidate): void {
  if (blocks.isEmpty()) return
  const blocked = candidate.row.fid
  const blocker = addressees(candidate).find((fid) => blocks.has(fid, blocked))
  if (blocker === undefined) return
  const text = `fid ${blocker} blocks fid ${blocked}, who cannot reply to, mention or quote them`
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
