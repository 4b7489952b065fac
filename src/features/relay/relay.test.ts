import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { type Hex, parseEther } from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import {
  alice,
  bob,
  type Engine,
  enroll,
  keyOf,
  LATER,
  NOW,
  newKey,
  onEngines,
  type person,
  refusal,
  TEST_PHRASE,
} from '../../../test/accounts-support.ts'
import { noAnvil, startAnvil } from '../../../test/anvil.ts'
import { movableClock } from '../../../test/movable-clock.ts'
import { placeContracts } from '../../dev/deploy.ts'
import { createChainCalls } from '../../kernel/accounts/chain/calls.ts'
import { DEPLOYED_CHAIN_CONTRACTS } from '../../kernel/accounts/chain/contracts.ts'
import type { Rpc } from '../../kernel/accounts/chain/rpc.ts'
import type { SubmitResult } from '../../kernel/accounts/port.ts'
import { signRemove } from '../../kernel/accounts/signatures/sign.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { FailedCall, RelayOptions } from './options.ts'
import { Relayer } from './relay.ts'
import { LOST_MS, MAX_REPLACEMENTS, SEND_AGAIN_MS, STUCK_MS } from './settings.ts'
import { relayRows } from './tables/relays.ts'

const CHAIN_ID = 10
const GWEI = 10n ** 9n
const LIMITS = { maxFee: 20n * GWEI, maxGas: 1_000_000n, gasPerFid: 2e6, gasPerDay: 1e8 }
/** Pays for the tests' own calls; alice's registration and the like. */
const BANK = mnemonicToAccount(TEST_PHRASE)
const PAYER = privateKeyToAccount(`0x${'42'.repeat(32)}`)
const ADD_TOPIC = '0x7d285df41058466977811345cd453c0c52e8d841ffaabc74fc050f277ad4de02'

type Person = ReturnType<typeof person>

describe('a relay', { skip: noAnvil }, () => {
  let chain: Awaited<ReturnType<typeof startAnvil>>
  let empty: unknown

  before(async () => {
    chain = await startAnvil(CHAIN_ID, ['--timestamp', String(NOW)])
    await chain.rpc('anvil_setBlockTimestampInterval', [0])
    await placeContracts(chain.rpc)
    await enroll(
      createChainCalls({ ...CHAIN, rpc: chain.rpc, payer: BANK, signupUnits: 1 }),
      alice,
      bob,
    )
    await fund(parseEther('1'))
    empty = await chain.rpc('evm_snapshot')
  })
  after(() => chain?.close())

  const fund = (wei: bigint) =>
    chain.rpc('anvil_setBalance', [PAYER.address, `0x${wei.toString(16)}`])

  onEngines('the relay', (engine: Engine) => {
    let storage: Storage
    let clock: ReturnType<typeof movableClock>
    let failed: FailedCall[]
    let cleanUp: () => Promise<void>

    beforeEach(async () => {
      await chain.rpc('evm_revert', [empty])
      empty = await chain.rpc('evm_snapshot')
      // Blocks are made when a test says so.
      await chain.rpc('evm_setAutomine', [false])
      const [opened, remove] = await engine.open()
      storage = opened
      cleanUp = async () => {
        await storage.close()
        await remove()
      }
      clock = movableClock({ now: () => NOW * 1000 })
      failed = []
    })
    afterEach(() => cleanUp())

    /** A process; several may work on one store. */
    const relayOf = (options: Partial<RelayOptions> = {}): Relayer =>
      new Relayer({
        ...CHAIN,
        storage,
        clock,
        rpc: chain.rpc,
        payer: PAYER,
        limits: LIMITS,
        confirmations: 0,
        onFailed: (_tx, call) => {
          failed.push(call)
        },
        ...options,
      })
    test('security finding 9: a fid cannot spend more gas than its budget of the day, nor all together', async () => {
      const call = await add()
      for (const tight of [{ gasPerFid: 60_000 }, { gasPerDay: 60_000 }]) {
        const relay = relayOf({ limits: { ...LIMITS, ...tight } })
        assert.equal(await codeOf(relay.addFor(call)), 'rate_limited')
      }
      assert.equal(await unfinished(), 0)
      await relayOf().addFor(call)
      const [sent] = await storage.of(relayRows).unfinished(bytesOf(PAYER), 10)
      const day = Math.floor(clock.now() / 86_400_000)
      assert.equal(await storage.of(relayRows).gasOn(day, 0), sent!.gas)
      // The budget is stored: another process counts on, and the next day it is whole again.
      const another = relayOf({ limits: { ...LIMITS, gasPerDay: sent!.gas + 60_000 } })
      await mine()
      await another.round()
      const remove = await signRemove(alice, { key: keyOf(1), deadline: BigInt(NOW + 200_000) })
      assert.equal(await codeOf(another.removeFor(remove)), 'rate_limited')
      clock.advance(86_400_000)
      assert.equal((await another.removeFor(remove)).outcome, 'accepted')
      await mine()
    })

    const add = (owner: Person = alice, byte = 1, nonce = 0) =>
      newKey(owner, keyOf(byte), { requestFid: owner === alice ? 1 : 2, nonce })
    const mine = () => chain.rpc('evm_mine')
    const unfinished = () => storage.of(relayRows).unfinishedCount()
    /** Keys that were added by any sender, and what the payer has sent. */
    const added = async () => {
      const filter = { fromBlock: '0x0', toBlock: 'latest', topics: [ADD_TOPIC] }
      return ((await chain.rpc('eth_getLogs', [filter])) as unknown[]).length
    }
    const sent = async () =>
      Number(await chain.rpc('eth_getTransactionCount', [PAYER.address, 'latest']))
    const codeOf = async (promise: Promise<unknown>) => (await refusal(promise)).split(' ')[0]

    test('the relayer adds a key and removes it', async () => {
      const relay = relayOf()
      await relay.simulateAddFor(await add())
      assert.deepEqual([await added(), await sent()], [0, 0], 'a simulation sends nothing')
      const hash = hashOf(await relay.addFor(await add()))
      await mine()
      const receipt = await chain.client.getTransactionReceipt({ hash })
      assert.deepEqual([receipt.status, await added()], ['success', 1])
      assert.equal(await unfinished(), 1)
      await relay.round()
      assert.equal(await unfinished(), 0)
      assert.equal(await relay.nonce('keyGateway', bytesOf(alice)), 1)
      await relay.removeFor(await signRemove(alice, { key: keyOf(1), deadline: LATER }))
      await mine()
      await relay.round()
      assert.deepEqual([await unfinished(), await sent(), failed], [0, 2, []])
    })

    test('the relayer refuses what the contracts would refuse, and sends nothing', async () => {
      const relay = relayOf()
      assert.equal(await codeOf(relay.addFor(await add(alice, 1, 7))), 'InvalidSignature')
      const nobodys = await newKey(alice, keyOf(1), { requestFid: 0 })
      assert.equal(await codeOf(relay.addFor(nobodys)), 'InvalidMetadata')
      const unknown = await signRemove(alice, { key: keyOf(9), deadline: LATER })
      assert.equal(await codeOf(relay.removeFor(unknown)), 'InvalidState')
      const frugal = relayOf({ limits: { ...LIMITS, maxFee: GWEI, maxGas: 50_000n } })
      assert.equal(await codeOf(frugal.addFor(await add())), 'unavailable')
      assert.deepEqual([await unfinished(), await sent()], [0, 0])
    })

    test('the same call is sent once, however often and to however many processes it is submitted', async () => {
      const [one, other] = [relayOf(), relayOf()]
      const call = await add()
      const results = await Promise.all([one, other, one].map((relay) => relay.addFor(call)))
      await mine()
      await Promise.all([one.round(), other.round()])
      // Also when it is done.
      const hashes = [...results, await one.addFor(call)].map(hashOf)
      assert.equal(new Set(hashes).size, 1)
      assert.deepEqual([await added(), await sent()], [1, 1])
    })

    test('an owner with a pending call is asked to wait with the next one', async () => {
      const relay = relayOf()
      await relay.addFor(await add())
      assert.equal(await codeOf(relay.addFor(await add(alice, 2, 1))), 'unavailable.overloaded')
      await relay.addFor(await add(bob))
      await mine()
      await relay.round()
      await relay.addFor(await add(alice, 2, 1))
      await mine()
      assert.equal(await added(), 3)
    })

    for (const [when, fails] of [
      ['before it sent', 'before'],
      ['after it sent', 'after'],
    ] as const) {
      test(`when a process ends just ${when}, another one continues and the key is added once`, async () => {
        // The node hears of it or not; the process never learns which.
        const dying: Rpc = async (method, params) => {
          if (method !== 'eth_sendRawTransaction') return chain.rpc(method, params)
          if (fails === 'after') await chain.rpc(method, params)
          return new Promise(() => {})
        }
        const call = await add()
        relayOf({ rpc: dying }).addFor(call)
        while ((await unfinished()) === 0) await new Promise(setImmediate)
        const next = relayOf()
        await next.round()
        await mine()
        await next.round()
        assert.deepEqual([await unfinished(), await added(), await sent()], [0, 1, 1])
        await next.addFor(call)
        await mine()
        assert.equal(await sent(), 1)
      })
    }

    test('a transaction that cannot be stored is not sent', async () => {
      const broken = new Proxy(storage, {
        get: (target, name) =>
          name === 'write' ? async () => assert.fail('disk full') : Reflect.get(target, name),
      })
      await assert.rejects(relayOf({ storage: broken }).addFor(await add()), /disk full/)
      await relayOf().addFor(await add())
      await mine()
      assert.deepEqual([await added(), await sent()], [1, 1])
    })

    test('a transaction that the nodes have lost is sent again', async () => {
      const relay = relayOf()
      await relay.addFor(await add())
      await chain.rpc('anvil_dropAllTransactions')
      clock.advance(SEND_AGAIN_MS)
      await relay.round()
      await mine()
      await relay.round()
      assert.deepEqual([await unfinished(), await added()], [0, 1])
    })

    test('one process raises the fee of a stuck transaction, up to its limit', async () => {
      const relays = [relayOf(), relayOf()]
      await relays[0]!.addFor(await add())
      await relays[0]!.addFor(await add(bob))
      for (let i = 0; i < MAX_REPLACEMENTS + 3; i++) {
        clock.advance(STUCK_MS)
        await Promise.all(relays.map((relay) => relay.round()))
      }
      const [first, second] = await storage.of(relayRows).unfinished(bytesOf(PAYER), 10)
      const attempts = await storage.of(relayRows).attempts([first!.id])
      assert.equal(attempts.length, 1 + MAX_REPLACEMENTS)
      assert.equal(
        (await storage.of(relayRows).attempts([second!.id])).length,
        1,
        'it waits for the first',
      )
      for (const [i, { max_fee }] of attempts.entries()) {
        if (i > 0) assert.ok(max_fee >= attempts[i - 1]!.max_fee * 1.1)
        assert.ok(BigInt(max_fee) <= 20n * GWEI)
      }
      await mine()
      await relays[0]!.round()
      assert.deepEqual([await unfinished(), await added(), await sent()], [0, 2, 2])
    })

    test('the reason why a transaction reverted is reported once', async () => {
      const relay = relayOf()
      const call = await add()
      await relay.addFor(call)
      // The owner was faster.
      await chain.rpc('anvil_dropAllTransactions')
      const calls = createChainCalls({ ...CHAIN, rpc: chain.rpc, payer: BANK, signupUnits: 1 })
      await chain.rpc('evm_setAutomine', [true])
      await calls.addFor(call)
      await chain.rpc('evm_setAutomine', [false])
      clock.advance(SEND_AGAIN_MS)
      await relay.round()
      await mine()
      await Promise.all([relay.round(), relayOf().round()])
      assert.deepEqual(
        failed.map(({ owner, key, error }) => [toHex(owner), toHex(key), error.code]),
        [[toHex(bytesOf(alice)), toHex(keyOf(1)), 'InvalidSignature']],
      )
      assert.deepEqual([await unfinished(), await added(), await sent()], [0, 1, 1])
    })

    test('a call is abandoned after its deadline, and its nonce is still freed', async () => {
      const relay = relayOf()
      await relay.addFor(await add())
      clock.advance(24 * 3_600_000)
      await relay.round()
      await relay.round()
      assert.deepEqual(
        failed.map(({ error }) => error.code),
        ['SignatureExpired'],
      )
      const late = Number(LATER) + 1
      await chain.rpc('evm_setNextBlockTimestamp', [late])
      await mine()
      await relay.round()
      assert.deepEqual([await unfinished(), await added(), await sent()], [0, 0, 1])
      assert.equal(failed.length, 1)
    })

    test('a call gets another nonce when a foreign transaction used its own', async () => {
      const relay = relayOf()
      await relay.addFor(await add())
      await chain.rpc('anvil_dropAllTransactions')
      await payElsewhere(0)
      await mine()
      await relay.round()
      assert.equal(await unfinished(), 1, 'a node may only be late')
      clock.advance(LOST_MS)
      await relay.round()
      await mine()
      await relay.round()
      assert.deepEqual([await unfinished(), await added(), await sent()], [0, 1, 2])
    })

    test('an unused nonce that blocks later ones is filled with an empty transaction', async () => {
      const relay = relayOf()
      await relay.addFor(await add())
      await relay.addFor(await add(bob))
      const [first] = await storage.of(relayRows).unfinished(bytesOf(PAYER), 10)
      await storage.write('hub', (tx) => tx.of(relayRows).remove(first!.id))
      await chain.rpc('anvil_dropAllTransactions')
      clock.advance(SEND_AGAIN_MS)
      await relay.round()
      await mine()
      await relay.round()
      assert.deepEqual([await unfinished(), await added(), await sent(), failed], [0, 1, 2, []])
    })

    test('a transaction counts as done after enough confirmations', async () => {
      const relay = relayOf({ confirmations: 2 })
      await relay.addFor(await add())
      for (const waiting of [1, 1, 0]) {
        await mine()
        await relay.round()
        assert.equal(await unfinished(), waiting)
      }
    })

    test('a transaction that a reorg removed is sent again', async () => {
      const relay = relayOf({ confirmations: 2 })
      await relay.addFor(await add())
      await mine()
      await relay.round()
      await chain.rpc('anvil_reorg', [1, []])
      assert.equal(await added(), 0)
      clock.advance(SEND_AGAIN_MS)
      for (let i = 0; i < 3; i++) {
        await relay.round()
        await mine()
      }
      await relay.round()
      assert.deepEqual([await unfinished(), await added()], [0, 1])
    })

    test('a completed call is sent again when a later reorg removes its block', async () => {
      const relay = relayOf()
      const hash = hashOf(await relay.addFor(await add()))
      await mine()
      await relay.round()
      assert.equal(await unfinished(), 0)
      await chain.rpc('anvil_reorg', [1, []])
      assert.deepEqual([await added(), await sent()], [0, 0])
      await storage.write('hub', (tx) =>
        tx.of(relayRows).reopen([Buffer.from(hash.slice(2), 'hex')]),
      )
      await relay.round()
      await mine()
      await relay.round()
      assert.deepEqual([await unfinished(), await added(), await sent(), failed], [0, 1, 1, []])
    })

    test('an earlier call that blocks a later one is sent again without flooding the node', async () => {
      let sends = 0
      const rpc: Rpc = (method, params) => {
        if (method === 'eth_sendRawTransaction') sends++
        return chain.rpc(method, params)
      }
      const relay = relayOf({ rpc })
      await relay.addFor(await add())
      await mine()
      await relay.round()
      await chain.rpc('anvil_reorg', [1, []])
      await relay.addFor(await add(bob))
      for (let i = 0; i < 4; i++) await relay.round()
      assert.equal(sends, 3, 'each once, and one once more')
      assert.equal(await unfinished(), 2)
      await mine()
      await relay.round()
      assert.deepEqual([await unfinished(), await added(), await sent()], [0, 2, 2])
    })

    test('an expired call does not keep its owner from the next call', async () => {
      await relayOf().addFor(await add())
      await chain.rpc('anvil_dropAllTransactions')
      clock.advance(25 * 3_600_000)
      const other = privateKeyToAccount(`0x${'43'.repeat(32)}`)
      await chain.rpc('anvil_setBalance', [other.address, '0xde0b6b3a7640000'])
      const next = await newKey(alice, keyOf(2), { requestFid: 1 })
      assert.equal((await relayOf({ payer: other }).addFor(next)).outcome, 'accepted')
    })

    test('the balance counts as low when the next transaction may cost more', async () => {
      const relay = relayOf()
      assert.equal(relay.balance, undefined)
      await relay.round()
      assert.deepEqual(relay.balance, { wei: parseEther('1'), isLow: false })
      await fund(10n ** 15n)
      const next = relayOf()
      await next.round()
      assert.equal(next.balance?.isLow, true)
    })

    test('callers are asked to retry while the chain does not answer', async () => {
      const silent = relayOf({ rpc: () => Promise.reject(new Error('ECONNREFUSED')) })
      const away = 'unavailable.network_failure'
      assert.equal(await codeOf(silent.addFor(await add())), away)
      assert.equal(await codeOf(silent.simulateAddFor(await add())), away)
      assert.equal(await codeOf(silent.nonce('keyGateway', bytesOf(alice))), away)
      assert.equal(await unfinished(), 0)
    })

    /** Something else that the payer's key signs. */
    async function payElsewhere(nonce: number) {
      const raw = await PAYER.signTransaction({
        chainId: CHAIN_ID,
        nonce,
        to: PAYER.address,
        gas: 21_000n,
        maxFeePerGas: 20n * GWEI,
        maxPriorityFeePerGas: GWEI,
        type: 'eip1559',
      })
      await chain.rpc('eth_sendRawTransaction', [raw])
    }
  })
})

const CHAIN = { chainId: CHAIN_ID, contracts: DEPLOYED_CHAIN_CONTRACTS }
const hashOf = (result: SubmitResult): Hex => {
  assert.equal(result.outcome, 'accepted')
  return toHex(result.transactionHash) as Hex
}
const bytesOf = ({ address }: { address: Hex }) => Buffer.from(address.slice(2), 'hex')
