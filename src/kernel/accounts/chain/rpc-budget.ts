import { Counter, Gauge, type Registry } from 'prom-client'
import { currentClient } from '../../limits/current-client.ts'
import { type Exceeded, refusalOf } from '../../limits/exceeded.ts'
import { Quota } from '../../limits/quota.ts'
import { FixedWindow } from '../../limits/window.ts'
import { MINUTE_MS } from '../../protocol/time.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Rpc } from './rpc.ts'

const NAME = 'rpc requests'
const ALL = 'all'
/** Requests for the signature of a contract wallet: it is asked, and when it says no, whether the node is there. */
export const CALLS_OF_SIGNATURE = 2
/** One client may cause this part of it, so that it takes several to leave nothing to others. */
const CLIENT_PART = 1 / 10
/** A process takes this part of the budget at a time, so that not every request costs a transaction. */
const CLAIMED_PART = 1 / 20

/**
 * Bounds what requests to this server may cost at RPC providers: all routes of all processes together cause at
 * most so many RPC requests a minute. Background work (following, the relayer's rounds) does not count: its rate is
 * bounded by its own intervals, and it must go on while users use up the budget.
 */
export type RpcBudget = {
  /**
   * Counts one RPC request. Rejects with `unavailable.overloaded` when nothing of this minute is left, or nothing of the part
   * of the client that causes it.
   */
  consume(): Promise<void>
  /** The same RPC within the budget. */
  limit(rpc: Rpc): Rpc
  /** Counts a request that really went out, failover included. */
  asked(chainId: number, method: string): void
}

export function createRpcBudget(
  maxPerMinute: number,
  registry: Registry,
  storage: Pick<Storage, 'write'>,
  now: () => number = Date.now,
): RpcBudget {
  const tryConsume = consumerOf(maxPerMinute, storage, now)
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

  const maxPerClient = Math.max(CALLS_OF_SIGNATURE, Math.floor(maxPerMinute * CLIENT_PART))
  const byClient = new FixedWindow({ windowMs: MINUTE_MS })
  const checkClient = (): void => {
    const client = currentClient()
    const exceeded = client && byClient.tryConsume(client, maxPerClient, now())
    if (!exceeded) return
    refused.inc()
    const message = `this server makes at most ${maxPerClient} RPC requests a minute for one client; try again later`
    throw refusalOf(exceeded, message, 'unavailable.overloaded')
  }
  const consume = async (): Promise<void> => {
    checkClient()
    const exceeded = await tryConsume()
    if (!exceeded) return
    refused.inc()
    const message = `this server makes at most ${maxPerMinute} RPC requests a minute; try again later`
    throw refusalOf(exceeded, message, 'unavailable.overloaded')
  }
  return {
    consume,
    limit: (rpc) => async (method, params) => {
      await consume()
      return rpc(method, params)
    },
    asked: (chain, method) => requests.inc({ chain, method }),
  }
}

/** Consumes one request of the budget: of the part that this process has claimed, else of a new one. */
function consumerOf(
  max: number,
  storage: Pick<Storage, 'write'>,
  now: () => number,
): () => Promise<Exceeded | undefined> {
  const part = Math.max(1, Math.floor(max * CLAIMED_PART))
  const terms = { windowMs: MINUTE_MS, max: Number.MAX_SAFE_INTEGER, maxAmount: max }
  let claimed = { left: 0, endsAtMs: 0 }
  let claiming: Promise<Exceeded | undefined> | undefined

  const claim = async (): Promise<Exceeded | undefined> => {
    const [exceeded, taken] = await storage.write('all/rpc', async (tx) => {
      const quota = new Quota(NAME, await tx.quotas.used(NAME, [ALL]))
      let left = part
      let refusal = quota.tryConsume(ALL, terms, now(), left)
      if (refusal) {
        left = 1
        refusal = quota.tryConsume(ALL, terms, now(), left)
      }
      await tx.quotas.put(quota.changed)
      const [row] = quota.changed
      return [refusal, row && { left, endsAtMs: row.ends_at }] as const
    })
    if (taken) claimed = taken
    return exceeded
  }
  return async () => {
    while (claimed.left === 0 || now() >= claimed.endsAtMs) {
      // One claim serves all requests that wait.
      claiming ??= claim().finally(() => {
        claiming = undefined
      })
      const exceeded = await claiming
      if (exceeded) return exceeded
    }
    claimed.left--
    return undefined
  }
}
