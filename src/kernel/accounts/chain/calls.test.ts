import { after, before, describe } from 'node:test'
import { mnemonicToAccount } from 'viem/accounts'
import { NOW, sqlite, TEST_PHRASE } from '../../../../test/accounts-support.ts'
import { noAnvil, startAnvil } from '../../../../test/anvil.ts'
import { callsSuite } from '../../../../test/calls-suite.ts'
import { movableClock } from '../../../../test/movable-clock.ts'
import { placeContracts } from '../../../dev/deploy.ts'
import { EventLog } from '../../storage/messages/event-log.ts'
import type { Storage } from '../../storage/storage.ts'
import { mergeOnChainEvents } from '../on-chain-events.ts'
import type { AccountCalls, CallResult } from '../port.ts'
import { storedAccounts } from '../reads.ts'
import { createChainCalls } from './calls.ts'
import { DEPLOYED_CHAIN_CONTRACTS } from './contracts.ts'

const CHAIN_ID = 10
const MAINNET = 1

describe('account calls to the contracts of a chain', { skip: noAnvil }, () => {
  let chain: Awaited<ReturnType<typeof startAnvil>>
  let empty: unknown

  before(async () => {
    chain = await startAnvil(CHAIN_ID, ['--timestamp', String(NOW)])
    // Time stands still unless it is moved.
    await chain.rpc('anvil_setBlockTimestampInterval', [0])
    await placeContracts(chain.rpc)
    empty = await chain.rpc('evm_snapshot')
  })
  after(() => chain?.close())

  callsSuite({
    namesFields: false,
    async open(settings) {
      await chain.rpc('evm_revert', [empty])
      empty = await chain.rpc('evm_snapshot')
      if (settings) await placeContracts(chain.rpc, settings)
      const [storage, remove] = await sqlite.open()
      const clock = movableClock({ now: () => NOW * 1000 })
      const calls = createChainCalls({
        rpc: chain.rpc,
        chainId: CHAIN_ID,
        contracts: DEPLOYED_CHAIN_CONTRACTS,
        payer: mnemonicToAccount(TEST_PHRASE),
        signupUnits: 20,
      })
      return {
        accounts: {
          ...storedAccounts(storage, clock, { network: MAINNET, storageEnds: true }),
          ...followed(calls, storage),
        },
        async advance(seconds) {
          clock.advance(seconds * 1000)
          const time = Math.floor(clock.now() / 1000)
          await chain.rpc('evm_setNextBlockTimestamp', [time])
          await chain.rpc('evm_mine')
        },
        async close() {
          await storage.close()
          await remove()
        },
      }
    },
  })
})

/** Stores what each call has brought about, as a follower of the chain would. */
function followed(calls: AccountCalls, storage: Storage): AccountCalls {
  const merge = (result: CallResult) =>
    storage.write('hub', async (tx) => {
      const log = new EventLog(tx, NOW * 1000)
      await mergeOnChainEvents(tx, log, result.events)
      await log.flush()
    })
  const entries = Object.entries(calls).map(([name, call]) => {
    if (name === 'nonce') return [name, call]
    return [
      name,
      async (args: never) => {
        const result = await call(args)
        await merge(result as CallResult)
        return result
      },
    ]
  })
  return Object.fromEntries(entries) as AccountCalls
}
