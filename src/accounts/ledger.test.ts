import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { accountDomains } from '../protocol/account-domains.ts'
import { fromHex, toHex } from '../protocol/bytes.ts'
import { callsSuite } from './calls-suite.ts'
import { ledgerKeyCalls } from './ledger.ts'
import type { CallResult } from './port.ts'
import { STORAGE_REGISTRY } from './settings.ts'
import { signRegister, signRemove } from './sign.ts'
import {
  alice,
  type Bench,
  bench,
  bob,
  carol,
  enroll,
  keyOf,
  LATER,
  NOW,
  newKey,
  onEngines,
  refusal,
} from './test-support.ts'

onEngines('the ledger', (engine) => {
  describe('as the contracts', () => {
    callsSuite({
      namesFields: true,
      async open(settings) {
        const { ledger, clock, close } = await bench(engine, settings)
        return { accounts: ledger, advance: async (s) => clock.advance(s * 1000), close }
      },
    })
  })

  let it: Bench
  beforeEach(async () => {
    it = await bench(engine)
  })
  afterEach(() => it.close())

  test('the ledger reports events at once when they need no confirmation', async () => {
    const call = await signRegister(alice, { deadline: LATER })
    const { confirmed, confirmsAt, blockNumber, events } = await it.ledger.registerFor(call)
    assert.deepEqual([confirmed, confirmsAt, blockNumber], [true, NOW * 1000, 1])
    assert.deepEqual(it.told, [events])
  })

  test('extra storage is added to the granted units and is bounded', async () => {
    const sign = (extraStorage: number) => signRegister(alice, { deadline: LATER, extraStorage })
    const tooMany = await sign(981)
    assert.equal(await refusal(it.ledger.registerFor(tooMany)), 'ExceedsCapacity extraStorage')
    await it.ledger.registerFor(await sign(980))
    assert.equal((await it.ledger.storageUnits(1)).u2025, 1000)
  })

  test('every call is a block of its own, above all earlier blocks', async () => {
    const results: CallResult[] = []
    for (const one of [alice, bob]) {
      results.push(await it.ledger.registerFor(await signRegister(one, { deadline: LATER })))
    }
    assert.deepEqual(
      results.map(({ blockNumber }) => blockNumber),
      [1, 2],
    )
    const foreign = structuredClone(results[0]!.events[0]!)
    await it.ledger.importEvents([{ ...foreign, fid: 77n, blockNumber: 150_000_000 }])
    const next = await it.ledger.registerFor(await signRegister(carol, { deadline: LATER }))
    assert.deepEqual([next.blockNumber, next.fid], [150_000_001, 78])
    const hashes = [...results, next].flatMap(({ transactionHash, events }) => [
      toHex(transactionHash),
      toHex(events[0]!.blockHash),
    ])
    assert.equal(new Set(hashes).size, 6)
  })

  test('the EIP-712 domains of another network have its own name', async () => {
    await it.close()
    const domains = accountDomains({ chainId: 31337, brand: 'Other' })
    it = await bench(engine, { chainId: 31337, domains })
    const deployed = await signRegister(alice, { deadline: LATER })
    assert.equal(await refusal(it.ledger.registerFor(deployed)), 'InvalidSignature signature')
    const { events } = await it.ledger.registerFor(
      await signRegister(alice, { deadline: LATER, domains }),
    )
    assert.equal(events[0]!.chainId, 31337)
  })

  test('a simulated key addition reports its refusal and changes nothing', async () => {
    await enroll(it.ledger, alice)
    const keys = ledgerKeyCalls(it.ledger)
    const call = await newKey(alice, keyOf(1), { requestFid: 1 })
    await keys.simulateAddFor(call)
    assert.equal(await keys.nonce('keyGateway', call.owner), 0)
    const early = await newKey(alice, keyOf(1), { requestFid: 1, nonce: 1 })
    assert.equal(await refusal(keys.simulateAddFor(early)), 'InvalidSignature signature')
    assert.equal((await keys.addFor(call)).outcome, 'accepted')
    assert.equal(await refusal(keys.simulateAddFor(early)), 'InvalidState key')
    assert.equal(await it.ledger.isActiveKey(1, keyOf(1)), true)
    const removal = await signRemove(alice, { key: keyOf(1), deadline: LATER })
    assert.equal((await keys.removeFor(removal)).outcome, 'accepted')
    assert.equal(await it.ledger.isActiveKey(1, keyOf(1)), false)
  })

  test('storage can be rented up to the maximum of a fid', async () => {
    const { rent } = it.ledger
    assert.equal(await refusal(rent({ fid: 5, units: 1001 })), 'ExceedsCapacity units')
    const { events } = await rent({ fid: 5, units: 1000 })
    const body = events[0]!.body
    assert.ok(body.case === 'storageRentEventBody')
    assert.deepEqual(body.value.payer, fromHex(STORAGE_REGISTRY))
    assert.equal(await refusal(rent({ fid: 5, units: 1 })), 'ExceedsCapacity units')
    assert.equal((await it.ledger.storageUnits(5)).u2025, 1000)
    // Once they have run out, as many can be rented again.
    it.clock.advance(3 * 365 * 86_400_000)
    await rent({ fid: 5, units: 1000 })
    assert.equal((await it.ledger.storageUnits(5)).u2025, 1000)
  })
})
