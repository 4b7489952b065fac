/**
 * Asks a chain one question. Throws a ChainFault when no node answers, or when the answer is an error, for
 * example a reverted call.
 */
export type Rpc = (method: string, params?: readonly unknown[]) => Promise<unknown>
