import type { RelayBalance, RelayOptions } from './options.ts'
import { BALANCE_INTERVAL_MS } from './settings.ts'

/** The next transaction may cost more than there is. */
class LowBalanceError extends Error {}

/** What the relay has to pay with, looked at now and then. */
export function createBalance({ rpc, payer, limits, onError = () => {} }: RelayOptions) {
  let balance: RelayBalance | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  return {
    get: () => balance,
    async look(): Promise<void> {
      if (performance.now() - lookedAt < BALANCE_INTERVAL_MS) return
      const wei = BigInt((await rpc('eth_getBalance', [payer.address, 'latest'])) as string)
      lookedAt = performance.now()
      balance = { wei, isLow: wei < limits.maxFee * limits.maxGas }
      if (balance.isLow) onError(new LowBalanceError(`${wei} wei are left`), 'relay: low balance')
    },
  }
}
