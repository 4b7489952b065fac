import { EDGE_KINDS, type EdgeKind } from '../../kernel/storage/tables/graph.ts'
import { WEIGHTS } from './rules.ts'

// The trust graph in typed arrays: a million accounts and twenty million edges take 250 MB while they are
// collected and 100 MB afterwards. Accounts are named by their index in the ascending list of fids.

/** Source and kind of an edge: index × 4 + kind. */
const KINDS = EDGE_KINDS.length
export const KIND_WEIGHTS = EDGE_KINDS.map((kind) => WEIGHTS[kind])
export const fromOf = (entry: number): number => entry >>> 2
export const kindOf = (entry: number): number => entry & 3
/** Indexes have 30 bits. */
const MAX_ACCOUNTS = 2 ** 30

export type Graph = {
  /** Ascending. */
  readonly fids: Uint32Array
  /** The offset of each account's edges; one more at the end. */
  readonly offsets: Uint32Array
  /** The incoming edges of each account, ascending, each source and kind once. */
  readonly entries: Uint32Array
  /** The total weight of each account's outgoing edges. */
  readonly budgets: Uint32Array
}

/** The index of the last fid that is not above this one, among ascending ones; -1 when all are. */
export function lastIndexUpTo(fids: Uint32Array, fid: number): number {
  let low = 0
  let high = fids.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (fids[middle]! <= fid) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The index of a fid; -1 when it is missing. */
export function indexOfFid(fids: Uint32Array, fid: number): number {
  const index = lastIndexUpTo(fids, fid)
  return fids[index] === fid ? index : -1
}

const CHUNK_EDGES = 2 ** 20
type Chunk = { readonly to: Uint32Array; readonly entries: Uint32Array }

/** Collects edges in any order; the graph is the same. */
export class GraphBuilder {
  readonly #fids: Uint32Array
  readonly #chunks: Chunk[] = []
  /** The last target of each account and kind: most duplicates are adjacent. */
  readonly #lastTo: Uint32Array
  #lastFid = -1
  #lastIndex = -1
  #used = CHUNK_EDGES

  /** `fids` ascending; edges of other accounts are ignored. */
  constructor(fids: Uint32Array) {
    if (fids.length > MAX_ACCOUNTS) throw new RangeError('too many accounts')
    this.#fids = fids
    this.#lastTo = new Uint32Array(fids.length * KINDS).fill(0xffff_ffff)
  }

  add(kind: EdgeKind, fromFid: number, toFid: number): void {
    if (fromFid === toFid) return
    const to = this.#indexOfTarget(toFid)
    const from = indexOfFid(this.#fids, fromFid)
    if (to < 0 || from < 0) return
    const entry = from * KINDS + EDGE_KINDS.indexOf(kind)
    if (this.#lastTo[entry] === to) return
    this.#lastTo[entry] = to
    this.#push(to, entry)
  }

  /** May be called once. */
  build(): Graph {
    const { offsets, entries } = this.#byTarget()
    const count = dropRepeats(offsets, entries)
    const graph = { fids: this.#fids, offsets, entries: entries.subarray(0, count) }
    return { ...graph, budgets: budgetsOf(this.#fids.length, graph.entries) }
  }

  #indexOfTarget(fid: number): number {
    if (fid !== this.#lastFid) {
      this.#lastFid = fid
      this.#lastIndex = indexOfFid(this.#fids, fid)
    }
    return this.#lastIndex
  }

  #push(to: number, entry: number): void {
    if (this.#used === CHUNK_EDGES) {
      const [toList, entries] = [new Uint32Array(CHUNK_EDGES), new Uint32Array(CHUNK_EDGES)]
      this.#chunks.push({ to: toList, entries })
      this.#used = 0
    }
    const chunk = this.#chunks.at(-1)!
    chunk.to[this.#used] = to
    chunk.entries[this.#used++] = entry
  }

  /** A counting sort by target; each chunk is freed once it is placed. */
  #byTarget() {
    const n = this.#fids.length
    const sizes = this.#chunks.map((_, i) =>
      i + 1 < this.#chunks.length ? CHUNK_EDGES : this.#used,
    )
    const offsets = new Uint32Array(n + 1)
    this.#chunks.forEach(({ to }, i) => {
      for (let at = 0; at < sizes[i]!; at++) offsets[to[at]! + 1]!++
    })
    for (let i = 0; i < n; i++) offsets[i + 1]! += offsets[i]!
    const entries = new Uint32Array(offsets[n]!)
    const next = offsets.slice(0, n)
    for (const size of sizes) {
      const chunk = this.#chunks.shift()!
      for (let at = 0; at < size; at++) entries[next[chunk.to[at]!]!++] = chunk.entries[at]!
    }
    return { offsets, entries }
  }
}

/** Sorts each account's edges and removes duplicates, in place; returns how many are left. */
function dropRepeats(offsets: Uint32Array, entries: Uint32Array): number {
  let kept = 0
  let start = 0
  for (let to = 0; to + 1 < offsets.length; to++) {
    const end = offsets[to + 1]!
    entries.subarray(start, end).sort()
    const first = kept
    for (let at = start; at < end; at++) {
      if (kept === first || entries[kept - 1] !== entries[at]) entries[kept++] = entries[at]!
    }
    offsets[to + 1] = kept
    start = end
  }
  return kept
}

function budgetsOf(accounts: number, entries: Uint32Array): Uint32Array {
  const budgets = new Uint32Array(accounts)
  for (const entry of entries) budgets[fromOf(entry)]! += KIND_WEIGHTS[kindOf(entry)]!
  return budgets
}
