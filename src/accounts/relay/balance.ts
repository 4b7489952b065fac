import type { RelayBalance, RelayOptions } from './options.ts'
import { BALANCE_INTERVAL_MS } from './settings.ts'

/** The balance is low when the next transaction may cost more. */
class LowBalanceError extends Error {}

/** The balance of the relayer's account, read now and then. */
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
