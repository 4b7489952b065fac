import type { Registry } from 'prom-client'
import type { Job } from '../../jobs/job.ts'
import { toHex } from '../../protocol/codec/bytes.ts'
import type { KeyCalls } from '../port.ts'
import { createRelayMetrics } from './metrics.ts'
import type { RelayOptions } from './options.ts'
import { Relayer } from './relay.ts'
import { createUserSent } from './user-sent.ts'

type ChainKeyCallsOptions = Omit<RelayOptions, 'payer' | 'metrics'> & {
  /** The key of the paying account; without one, users send their calls themselves. */
  readonly relayerKey: Uint8Array | undefined
  readonly metrics: Registry
}

/** Key calls where accounts are on a chain. */
type ChainKeyCalls = {
  readonly keyCalls: KeyCalls
  readonly jobs: readonly Job[]
  /** Facts for the operator, shown by the health check. */
  status(): object
}

const WEI_PER_ETHER = 1e18

export async function createChainKeyCalls({
  relayerKey,
  metrics: registry,
  ...options
}: ChainKeyCallsOptions): Promise<ChainKeyCalls> {
  if (!relayerKey) {
    return {
      keyCalls: createUserSent(options),
      jobs: [],
      status: () => ({ account: null }),
    }
  }
  // Only the relayer loads the code that makes transactions.
  const { privateKeyToAccount } = await import('viem/accounts')
  const payer = privateKeyToAccount(toHex(relayerKey) as `0x${string}`)
  const ether = () => {
    return relay.balance && Number(relay.balance.wei) / WEI_PER_ETHER
  }
  const underWay = options.storage.relays.unfinishedCount
  const metrics = createRelayMetrics(registry, { underWay, balance: ether })
  const relay = new Relayer({ ...options, payer, metrics })
  return {
    keyCalls: relay,
    jobs: [relay.job],
    status: () => ({
      account: payer.address,
      balanceEther: ether() ?? null,
      isBalanceLow: relay.balance?.isLow ?? null,
    }),
  }
}
