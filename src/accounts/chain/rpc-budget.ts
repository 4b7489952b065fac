import { Counter, Gauge, type Registry } from 'prom-client'
import { FixedWindow } from '../../fixed-window.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { Rpc } from './rpc.ts'

const MINUTE_MS = 60_000

/**
 * Bounds what requests to this server may cost at RPC providers: all routes together cause at most so many
 * RPC requests a minute. Background work (following, the relayer's rounds) does not count: its rate is
 * bounded by its own intervals, and it must go on while users use up the budget.
 */
export type RpcBudget = {
  /** Counts one RPC request. Throws `unavailable.overloaded` when the budget of this minute is used up. */
  spend(): void
  /** The same RPC within the budget. */
  limit(rpc: Rpc): Rpc
  /** Counts a request that really went out, failover included. */
  asked(chainId: number, method: string): void
}

export function createRpcBudget(
  maxPerMinute: number,
  registry: Registry,
  now: () => number = () => performance.now(),
): RpcBudget {
  const window = new FixedWindow({ windowMs: MINUTE_MS, maxKeys: 1 })
  const registers = [registry]
  const requests = new Counter({
    name: 'rookery_rpc_requests_total',
    help: 'RPC requests that routes caused, by chain and method',
    labelNames: ['chain', 'method'],
    registers,
  })
  const refused = new Counter({
    name: 'rookery_rpc_over_budget_total',
    help: 'RPC requests that were not made because the budget of the minute was used up',
    registers,
  })
  new Gauge({
    name: 'rookery_rpc_budget_requests_per_minute',
    help: 'RPC requests that routes may cause in a minute',
    registers,
  }).set(maxPerMinute)

  const spend = (): void => {
    const exceeded = window.take('all', maxPerMinute, now())
    if (!exceeded) return
    refused.inc()
    const message = `this server makes at most ${maxPerMinute} RPC requests a minute; try again later`
    const retryAfterSeconds = Math.max(1, Math.ceil(exceeded.retryAfterMs / 1000))
    throw new Rejection('unavailable.overloaded', message, { retryAfterSeconds })
  }
  return {
    spend,
    limit: (rpc) => async (method, params) => {
      spend()
      return rpc(method, params)
    },
    asked: (chain, method) => requests.inc({ chain, method }),
  }
}
