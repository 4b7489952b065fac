/**
 * Sends one JSON-RPC request to a chain. Throws a ChainFault when no node answers, or when the answer is an
 * error, for example a reverted call.
 */
export type Rpc = (method: string, params?: readonly unknown[]) => Promise<unknown>
