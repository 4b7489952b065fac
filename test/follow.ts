// Following a chain in a test: time passes only when the follower waits, and what it stores can be compared.

import { Registry } from 'prom-client'
import { DEPLOYED_CHAIN_CONTRACTS } from '../src/kernel/accounts/chain/contracts.ts'
import { ChainFollower } from '../src/kernel/accounts/chain/follower.ts'
import { createChainMetrics } from '../src/kernel/accounts/chain/metrics.ts'
import { type ChainSource, followed } from '../src/kernel/accounts/chain/source.ts'
import type { OnMerged, OnReorg } from '../src/kernel/module.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import type { Storage } from '../src/kernel/storage/storage.ts'

export const POLL_MS = 1_000

export const sourceAt = (
  urls: readonly string[],
  settings: Partial<ChainSource> = {},
): ChainSource => ({
  name: 'accounts',
  urls,
  chainId: 10,
  startBlock: 1,
  confirmations: 0,
  contracts: followed(settings.name ?? 'accounts', DEPLOYED_CHAIN_CONTRACTS),
  pollMs: POLL_MS,
  ...settings,
})

export type Following = {
  readonly follower: ChainFollower
  readonly source: ChainSource
  /** Milliseconds that it has waited so far. */
  readonly waited: () => number
  /** Steps, and waits as told, until there is nothing more to read. */
  catchUp(maxSteps?: number): Promise<void>
  step(): Promise<number>
  /** How often nodes failed, as kind@url. */
  faults(): Promise<Record<string, number>>
  metric(name: string): Promise<number>
  readonly warnings: string[]
}

export function follow(
  storage: Storage,
  source: ChainSource,
  options: {
    onMerged?: OnMerged
    onReorg?: OnReorg
    random?: () => number
    timeoutMs?: number
  } = {},
): Following {
  let nowMs = 0
  const registry = new Registry()
  const warnings: string[] = []
  const note = (_facts: object, text: string) => void warnings.push(text)
  const metrics = createChainMetrics(registry, [
    { source: source.name, urls: source.urls.length, status: () => follower.status() },
  ])
  const follower = new ChainFollower({
    storage,
    clock: { now: () => 1_767_300_000_000 },
    onMerged: options.onMerged ?? (() => {}),
    ...(options.onReorg && { onReorg: options.onReorg }),
    source,
    metrics,
    log: { warn: note, error: note },
    random: options.random ?? (() => 0.5),
    now: () => nowMs,
    ...(options.timeoutMs && { timeoutMs: options.timeoutMs }),
  })
  const step = async () => {
    const waitMs = await follower.step()
    nowMs += waitMs
    return waitMs
  }
  const values = async (name: string) => (await registry.getSingleMetric(name)!.get()).values
  return {
    follower,
    source,
    waited: () => nowMs,
    step,
    async catchUp(maxSteps = 200) {
      for (let i = 0; i < maxSteps; i++) {
        const waitMs = await step()
        const { isCaughtUp, faults, stopped } = follower.status()
        if (stopped !== undefined) return
        const isWell = faults.some((fault) => fault === undefined)
        if (isCaughtUp && isWell && waitMs === POLL_MS) return
      }
      throw new Error(`not caught up after ${maxSteps} steps: ${JSON.stringify(follower.status())}`)
    },
    async faults() {
      const found = (await values('rookery_chain_failures_total')).filter(({ value }) => value > 0)
      return Object.fromEntries(
        found.map(({ labels, value }) => [`${labels.kind}@${labels.url}`, value]),
      )
    },
    metric: async (name) => (await values(name)).reduce((sum, { value }) => sum + value, 0),
    warnings,
  }
}

/** All that following stores but its own position: text that is the same for the same accounts. */
export async function accountTables(storage: Storage): Promise<string> {
  const lines: string[] = []
  for (let after = -1; ; ) {
    const fids = await storage.audit.accountsAfter(after, 500)
    if (fids.length === 0) break
    after = fids.at(-1)!
    const rows = {
      event: await storage.audit.chainEventsOf(fids),
      custody: await storage.accounts.custodies(fids),
      signer: await storage.audit.signersOf(fids),
      rent: await storage.accounts.rents(fids),
    }
    for (const [table, of] of Object.entries(rows)) {
      for (const row of of as readonly object[]) lines.push(`${table} ${textOf(row)}`)
    }
  }
  return lines.sort().join('\n')
}

const textOf = (row: object): string =>
  Object.entries(row)
    .map(([key, value]) => `${key}=${value instanceof Uint8Array ? toHex(value) : value}`)
    .sort()
    .join(' ')
