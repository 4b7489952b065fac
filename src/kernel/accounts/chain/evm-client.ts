import { ChainFault, type FaultKind } from './fault.ts'
import { NodePool } from './node-pool.ts'
import type { Rpc } from './rpc.ts'
import { RpcNode } from './rpc-node.ts'

/**
 * Kinds of faults that are failures of the node. Any other fault is its answer, for example a reverted call.
 */
const NODE_FAULTS: readonly FaultKind[] = [
  'network',
  'timeout',
  'status',
  'rate limit',
  'malformed',
  'wrong chain',
]

/** The longest wait for one node. */
const TIMEOUT_MS = 10_000
/** The longest wait for an answer, over all nodes that are asked. A user waits for it. */
const DEADLINE_MS = 15_000
/** Largest answer to a single request: a receipt with many logs. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

type RpcOptions = {
  readonly timeoutMs?: number
  readonly deadlineMs?: number
  /** Milliseconds, for the backoff of nodes and the deadline. */
  readonly now?: () => number
  /** Aborts requests that are under way. */
  readonly signal?: AbortSignal
  /** Called for every request; `url` is the place of the node's URL in the setting. */
  readonly onAsked?: (url: number, method: string) => void
}

/**
 * Asks the first node that answers and is of this chain, by the failover policy of NodePool. Throws the
 * fault of the first node that failed when no node answers before the deadline.
 */
export function rpcTo(urls: readonly string[], chainId: number, options: RpcOptions = {}): Rpc {
  const {
    timeoutMs = TIMEOUT_MS,
    deadlineMs = DEADLINE_MS,
    now = () => performance.now(),
  } = options
  const signal = options.signal ?? new AbortController().signal
  const pool = new NodePool(
    urls.map((url, index) => {
      const onAsked = (method: string) => options.onAsked?.(index, method)
      const maxAnswerBytes = MAX_ANSWER_BYTES
      return new RpcNode({ url, index, chainId, signal, timeoutMs, maxAnswerBytes, onAsked })
    }),
    { now, random: Math.random },
  )
  return async (method, params = []) => {
    const deadline = now() + deadlineMs
    const leftMs = () => Math.max(1, Math.ceil(deadline - now()))
    let fault: unknown
    for (const node of pool.inOrder()) {
      if (fault && now() >= deadline) break
      try {
        await node.checkChain(leftMs())
        const answer = await node.ask(method, params, leftMs())
        pool.succeeded(node)
        return answer
      } catch (error) {
        const isOfNode = error instanceof ChainFault && NODE_FAULTS.includes(error.kind)
        if (!isOfNode || signal.aborted) throw error
        pool.failed(node, error)
        fault ??= error
      }
    }
    throw fault
  }
}
