import { Rejection } from '../../protocol/rejection.ts'
import { MessageType } from '../../protocol/wire/message_pb.js'
import type { Reader } from '../../storage/storage.ts'
import type { Candidate } from '../submit/candidate.ts'
import { type Effects, type MergeState, Part, type PartOf } from './effects.ts'

// A blocked fid cannot reply to, mention or quote its blocker. A block is a call of the client platform or a link of type
// `block`. No rule of the protocol says so: the hub refuses such a cast only when it merges, validateMessage calls it valid,
// and other hubs may store it.

type BlockPair = { readonly blocker: number; readonly blocked: number }

/** The blocks that casts of a batch are checked against: the stored ones, with the changes by links of the batch. */
class Blocks extends Part {
  readonly isEnforced: boolean
  readonly #calls: Set<string>
  readonly #links: Set<string>

  constructor(isEnforced: boolean, calls: readonly string[] = [], links: readonly string[] = []) {
    super()
    this.isEnforced = isEnforced
    this.#calls = new Set(calls)
    this.#links = new Set(links)
  }

  has(pair: BlockPair): boolean {
    const key = keyOf(pair)
    return this.#calls.has(key) || this.#links.has(key)
  }

  /** By a link that the batch stores. */
  add(pair: BlockPair): void {
    this.#links.add(keyOf(pair))
  }

  /** By a link that the batch removes. */
  remove(pair: BlockPair): void {
    this.#links.delete(keyOf(pair))
  }

  get isEmpty(): boolean {
    return this.#calls.size + this.#links.size === 0
  }
}

export const BLOCKS: PartOf<Blocks> = {
  read: async (reader, casts, { terms }) =>
    terms.enforceBlocks ? readBlocks(reader, casts) : new Blocks(false),
}

export const castEffects: Effects = { part: BLOCKS, checkPolicy: checkBlocks }

/** Reads with one statement which authors are blocked by a fid that their cast addresses. */
async function readBlocks(
  reader: Pick<Reader, 'blocks'>,
  casts: readonly Candidate[],
): Promise<Blocks> {
  const pairs = casts.flatMap((cast) =>
    addressees(cast).map((blocker) => ({ blocker, blocked: cast.row.fid })),
  )
  const distinct = [...new Map(pairs.map((pair) => [keyOf(pair), pair])).values()]
  const rows = distinct.length === 0 ? [] : await reader.blocks.among(distinct)
  // Neither is known of a call that a process of an earlier version stored during a rolling upgrade.
  const calls = rows.filter((row) => row.platform_at !== null || row.link_at === null)
  const links = rows.filter((row) => row.link_at !== null)
  return new Blocks(true, calls.map(keyOf), links.map(keyOf))
}

/** Throws when the author is blocked by a fid that the cast replies to, mentions or quotes. */
function checkBlocks(cast: Candidate, state: MergeState): void {
  const blocks = state.part(BLOCKS)
  if (!blocks.isEnforced || blocks.isEmpty) return
  const blocked = cast.row.fid
  const blocker = addressees(cast).find((fid) => blocks.has({ blocker: fid, blocked }))
  if (blocker === undefined) return
  const text = `fid ${blocker} blocks fid ${blocked}, who cannot reply to, mention or quote them`
  throw new Rejection('bad_request.blocked', text, { field: 'data.castAddBody' })
}

/** The fids that a cast replies to, mentions and quotes, in that order; nobody for the removal of a cast. */
function addressees(cast: Candidate): number[] {
  if (cast.row.type !== MessageType.CAST_ADD) return []
  const { body } = cast
  if (body.case !== 'castAddBody') return []
  const { parent, mentions, embeds } = body.value
  const quoted = embeds.flatMap(({ embed }) =>
    embed.case === 'castId' ? [Number(embed.value.fid)] : [],
  )
  const answered = parent.case === 'parentCastId' ? [Number(parent.value.fid)] : []
  return [...answered, ...mentions.map(Number), ...quoted]
}

const keyOf = ({ blocker, blocked }: BlockPair) => `${blocker}/${blocked}`
