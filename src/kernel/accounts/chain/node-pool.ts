import { backoffMs } from '../../base/backoff.ts'
import type { ChainFault, FaultKind } from './fault.ts'
import type { RpcNode } from './rpc-node.ts'

/** `now` in milliseconds that only grow, independent of the network's clock; `random` from 0 to 1. */
export type Terms = { readonly now: () => number; readonly random: () => number }

const BACKOFF = { firstMs: 1_000, maxMs: 5 * 60_000 }

type State = { failures: number; availableAt: number; lastFault: FaultKind | undefined }

/**
 * The failover policy for the nodes of a chain: they are used in the order of the setting, and one that
 * failed is left alone for an exponential backoff with jitter, or for its Retry-After if that is longer.
 */
export class NodePool<Node extends RpcNode> {
  readonly #nodes: readonly Node[]
  readonly #states: readonly State[]
  readonly #terms: Terms

  constructor(nodes: readonly Node[], terms: Terms) {
    this.#nodes = nodes
    this.#states = nodes.map(() => ({ failures: 0, availableAt: 0, lastFault: undefined }))
    this.#terms = terms
  }

  /** The first node that is not in backoff; undefined while all are. */
  find(): Node | undefined {
    const now = this.#terms.now()
    return this.#nodes.find(({ index }) => this.#states[index]!.availableAt <= now)
  }

  /** All nodes, for a caller that cannot wait: those in backoff last, the first to leave it before others. */
  inOrder(): Node[] {
    const now = this.#terms.now()
    const waitOf = ({ index }: Node) => Math.max(0, this.#states[index]!.availableAt - now)
    return this.#nodes.toSorted((a, b) => waitOf(a) - waitOf(b))
  }

  /** Milliseconds until a node leaves its backoff. */
  waitMs(): number {
    const next = Math.min(...this.#states.map(({ availableAt }) => availableAt))
    return Math.max(0, next - this.#terms.now())
  }

  succeeded({ index }: Node): void {
    Object.assign(this.#states[index]!, { failures: 0, lastFault: undefined })
  }

  failed(node: Node, fault: ChainFault): void {
    const state = this.#states[node.index]!
    state.failures++
    const backoff = backoffMs(BACKOFF, state.failures, this.#terms.random)
    const waitMs = Math.max(backoff, fault.retryAfterMs ?? 0)
    state.lastFault = fault.kind
    state.availableAt = this.#terms.now() + waitMs
    node.distrust()
  }

  /** The last failure of each node; undefined after a success. */
  faults(): (FaultKind | undefined)[] {
    return this.#states.map(({ lastFault }) => lastFault)
  }
}
