import type { ChainFault, FaultKind } from './json-rpc.ts'
import type { ChainNode } from './node.ts'

/** `now` in milliseconds that only grow, whatever the clock of the network does; `random` from 0 to 1. */
export type Terms = { readonly now: () => number; readonly random: () => number }

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 5 * 60_000

type State = { failures: number; availableAt: number; lastFault: FaultKind | undefined }

/** The nodes in the order of preference; one that failed is left alone for a while, each time for longer. */
export class ChainNodes {
  readonly #nodes: readonly ChainNode[]
  readonly #states: readonly State[]
  readonly #terms: Terms

  constructor(nodes: readonly ChainNode[], terms: Terms) {
    this.#nodes = nodes
    this.#states = nodes.map(() => ({ failures: 0, availableAt: 0, lastFault: undefined }))
    this.#terms = terms
  }

  /** The first that may be asked; undefined while all are left alone. */
  find(): ChainNode | undefined {
    const now = this.#terms.now()
    return this.#nodes.find(({ index }) => this.#states[index]!.availableAt <= now)
  }

  /** Until one may be asked, in milliseconds. */
  waitMs(): number {
    const next = Math.min(...this.#states.map(({ availableAt }) => availableAt))
    return Math.max(0, next - this.#terms.now())
  }

  succeeded({ index }: ChainNode): void {
    Object.assign(this.#states[index]!, { failures: 0, lastFault: undefined })
  }

  /** Twice as long as last time, and not when others who failed with us come back. */
  failed(node: ChainNode, fault: ChainFault): void {
    const state = this.#states[node.index]!
    const longest = Math.min(FIRST_WAIT_MS * 2 ** state.failures, MAX_WAIT_MS)
    const waitMs = Math.max(longest * (0.5 + this.#terms.random() / 2), fault.retryAfterMs ?? 0)
    state.failures++
    state.lastFault = fault.kind
    state.availableAt = this.#terms.now() + waitMs
    node.distrust()
  }

  /** What each node last failed with, as long as it has not answered since. */
  faults(): (FaultKind | undefined)[] {
    return this.#states.map(({ lastFault }) => lastFault)
  }
}
