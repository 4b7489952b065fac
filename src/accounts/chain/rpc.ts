/** Asks a node: the answer's result. Throws an `RpcError` when it says no. */
export type Rpc = (method: string, params?: readonly unknown[]) => Promise<unknown>

/** A node's own no. A node that is silent or makes no sense is another error. */
export class RpcError extends Error {
  /** Of a call that was reverted: in which words, in hex. */
  readonly data: unknown

  constructor(message: string, data: unknown) {
    super(message)
    this.name = 'RpcError'
    this.data = data
  }
}

const TIMEOUT_MS = 10_000

/** One node, asked once. Its address may carry a key and is in no error. */
export function rpcTo(url: string): Rpc {
  let id = 0
  return async (method, params = []) => {
    const { result, error } = await post(url, { jsonrpc: '2.0', id: ++id, method, params })
    if (error) throw new RpcError(`${method}: ${error.message}`, error.data)
    return result
  }
}

type Answer = { result?: unknown; error?: { message: string; data?: unknown } }

async function post(url: string, body: object): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  return (await response.json()) as Answer
}
