import { ChainFault, type FaultKind, type JsonRpc, jsonRpc } from './json-rpc.ts'

/** Asks a chain; throws a ChainFault when there is no answer, or when the answer is no. */
export type Rpc = (method: string, params?: readonly unknown[]) => Promise<unknown>

/** What is wrong with a node, and not with the question. */
const OF_THE_NODE: readonly FaultKind[] = [
  'network',
  'timeout',
  'status',
  'rate limit',
  'malformed',
  'wrong chain',
]

/** Somebody waits for the answer. */
const TIMEOUT_MS = 10_000
/** A node that failed is for so long the last to be asked. */
const REST_MS = 30_000

export type RpcOptions = {
  /** The longest wait for each node. */
  readonly timeoutMs?: number
  /** Ends whatever is under way. */
  readonly signal?: AbortSignal
}

/** One question at a time, to the first of these nodes that answers it and is of this chain. */
export function rpcTo(urls: readonly string[], chainId: number, options: RpcOptions = {}): Rpc {
  const { timeoutMs = TIMEOUT_MS, signal = new AbortController().signal } = options
  const nodes = urls.map((url) => {
    const ask = checked(jsonRpc({ url, signal, timeoutMs, onAsked: () => {} }), chainId)
    return { ask, restsUntil: Number.NEGATIVE_INFINITY }
  })
  return async (method, params = []) => {
    const now = performance.now()
    const rests = ({ restsUntil }: { restsUntil: number }) => Number(restsUntil > now)
    let fault: unknown
    for (const node of nodes.toSorted((a, b) => rests(a) - rests(b))) {
      try {
        return await node.ask(method, ...params)
      } catch (error) {
        if (!(error instanceof ChainFault) || !OF_THE_NODE.includes(error.kind)) throw error
        node.restsUntil = performance.now() + REST_MS
        fault ??= error
      }
    }
    throw fault
  }
}

/** Whose chain is not known since it failed last says so first: its address may lead elsewhere by now. */
function checked(node: JsonRpc, chainId: number): JsonRpc['ask'] {
  let isRight = false
  return async (method, ...params) => {
    try {
      if (!isRight) await checkChain(node, chainId)
      isRight = true
      return await node.ask(method, ...params)
    } catch (error) {
      if (error instanceof ChainFault && OF_THE_NODE.includes(error.kind)) isRight = false
      throw error
    }
  }
}

async function checkChain(node: JsonRpc, chainId: number): Promise<void> {
  const answer = Number(await node.ask('eth_chainId'))
  if (answer !== chainId) throw new ChainFault('wrong chain', `it is chain ${answer}`)
}
