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

/** One question at a time, to the first of these nodes that answers it and is of this chain. */
export function rpcTo(urls: readonly string[], chainId: number): Rpc {
  const { signal } = new AbortController()
  const nodes = urls.map((url) => checked(jsonRpc({ url, signal, onAsked: () => {} }), chainId))
  return async (method, params = []) => {
    let fault: unknown
    for (const ask of nodes) {
      try {
        return await ask(method, ...params)
      } catch (error) {
        if (!(error instanceof ChainFault) || !OF_THE_NODE.includes(error.kind)) throw error
        fault ??= error
      }
    }
    throw fault
  }
}

function checked(node: JsonRpc, chainId: number): JsonRpc['ask'] {
  let isRight = false
  return async (method, ...params) => {
    if (!isRight) {
      const answer = Number(await node.ask('eth_chainId'))
      if (answer !== chainId) throw new ChainFault('wrong chain', `it is chain ${answer}`)
      isRight = true
    }
    return node.ask(method, ...params)
  }
}
