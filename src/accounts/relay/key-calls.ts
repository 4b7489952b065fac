import type { Registry } from 'prom-client'
import { toHex } from '../../protocol/bytes.ts'
import type { KeyCalls } from '../port.ts'
import { createRelayMetrics } from './metrics.ts'
import type { RelayOptions } from './options.ts'
import { createRelay } from './relay.ts'
import { createUserSent } from './user-sent.ts'

export type ChainKeyCallsOptions = Omit<RelayOptions, 'payer' | 'metrics'> & {
  /** Of the account that pays; without one, users send their calls themselves. */
  readonly relayerKey: Uint8Array | undefined
  readonly metrics: Registry
}

/** Calls about keys where accounts are a chain's. */
export type ChainKeyCalls = {
  readonly keyCalls: KeyCalls
  /** Looks after what is under way; what it answers with ends that. */
  start(): () => Promise<void>
  /** For who runs the server. */
  status(): object
}

const WEI_PER_ETHER = 1e18

export async function createChainKeyCalls({
  relayerKey,
  metrics: registry,
  ...options
}: ChainKeyCallsOptions): Promise<ChainKeyCalls> {
  if (!relayerKey) {
    const nothing = async () => {}
    return {
      keyCalls: createUserSent(options),
      start: () => nothing,
      status: () => ({ account: null }),
    }
  }
  // Only who pays needs what makes transactions.
  const { privateKeyToAccount } = await import('viem/accounts')
  const payer = privateKeyToAccount(toHex(relayerKey) as `0x${string}`)
  const ether = () => {
    const balance = relay.balance()
    return balance && Number(balance.wei) / WEI_PER_ETHER
  }
  const underWay = options.storage.relays.unfinishedCount
  const metrics = createRelayMetrics(registry, { underWay, balance: ether })
  const relay = createRelay({ ...options, payer, metrics })
  return {
    keyCalls: relay,
    start: relay.start,
    status: () => ({
      account: payer.address,
      balanceEther: ether() ?? null,
      isBalanceLow: relay.balance()?.isLow ?? null,
    }),
  }
}
