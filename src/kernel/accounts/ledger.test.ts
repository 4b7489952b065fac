import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import {
  alice,
  type Bench,
  bench,
  bob,
  carol,
  enroll,
  keyOf,
  LATER,
  NOBODY,
  NOW,
  newKey,
  onEngines,
  refusal,
} from '../../../test/accounts-support.ts'
import { callsSuite } from '../../../test/calls-suite.ts'
import type { JobRun } from '../jobs/job.ts'
import { fromHex, toHex } from '../protocol/codec/bytes.ts'
import { accountDomains } from '../protocol/crypto/account-domains.ts'
import { NO_END } from '../protocol/storage-units.ts'
import { DAY_SECONDS } from '../protocol/time.ts'
import { EventLog } from '../storage/messages/event-log.ts'
import { decodeOnChainEvent, fidRegistered, sealBlock, storageRented } from './events.ts'
import { ledgerKeyCalls } from './ledger.ts'
import { mergeOnChainEvents } from './on-chain-events.ts'
import type { CallResult } from './port.ts'
import { STORAGE_REGISTRY } from './settings.ts'
import { signRegister, signRemove } from './signatures/sign.ts'

const YEAR = 365 * DAY_SECONDS
const RUN: JobRun = {
  signal: new AbortController().signal,
  lease: undefined,
  repeatAfter: () => {},
}

/** Accounts with 20 units as the versions before 25 November 2026 made them: every rent declared a year. */
const earlierEvents = (fids: readonly number[]) =>
  fids.flatMap((fid) => {
    const address = keyOf(fid).slice(0, 20)
    const events = [
      fidRegistered(fid, address, NOBODY),
      storageRented(fid, { payer: address, units: 20, rentedAt: NOW }),
    ]
    const place = { chainId: 10, blockNumber: 1, timestamp: NOW }
    return sealBlock(events, place)
  })

onEngines('the ledger', (engine) => {
  describe('as the contracts', () => {
    callsSuite({
      namesFields: true,
      async open(settings) {
        // As on a chain, storage ends.
        const { ledger, clock, close } = await bench(engine, { storageDays: 365, ...settings })
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
  })

  test('as much storage can be rented again once it has ended, where it ends', async () => {
    await it.close()
    it = await bench(engine, { storageDays: 30 })
    const { events } = await it.ledger.rent({ fid: 5, units: 1000 })
    const { body } = events[0]!
    assert.ok(body.case === 'storageRentEventBody')
    assert.equal(body.value.expiry, NOW + 30 * DAY_SECONDS)
    it.clock.advance((30 * DAY_SECONDS - 1) * 1_000)
    assert.equal(await refusal(it.ledger.rent({ fid: 5, units: 1 })), 'ExceedsCapacity units')
    it.clock.advance(1_000)
    await it.ledger.rent({ fid: 5, units: 1000 })
    assert.equal((await it.ledger.storageUnits(5)).u2025, 1000)
  })

  test('storage has no end, and its events say so in the 32 bits that clients read', async () => {
    await enroll(it.ledger, alice)
    await it.ledger.rent({ fid: 1, units: 5 })
    const page = await it.storage.accounts.listEvents(1, 4, { size: 10 })
    const bodies = page.items.map((row) => decodeOnChainEvent(row.body).body)
    const expiries = bodies.map((body) =>
      body.case === 'storageRentEventBody' ? body.value.expiry : 0,
    )
    assert.deepEqual(expiries, [2 ** 32 - 1, 2 ** 32 - 1])
    it.clock.advance(79 * YEAR * 1_000)
    assert.equal((await it.ledger.storageUnits(1)).u2025, 25)
    // Still bounded.
    assert.equal(await refusal(it.ledger.rent({ fid: 1, units: 976 })), 'ExceedsCapacity units')
  })

  test('storage of an earlier version is renewed once, within 30 days before its end', async () => {
    await it.storage.write('hub', async (tx) => {
      const log = new EventLog(tx, NOW * 1_000)
      await mergeOnChainEvents(tx, log, earlierEvents([1, 2]))
      await log.flush()
    })
    const run = (ledger = it.ledger) => ledger.renewJob.run(RUN)
    const expiries = async (fid: number) =>
      (await it.storage.accounts.rents([fid]))
        .map(({ units, ends_at }) => [units, ends_at])
        .sort(([, a], [, b]) => a! - b!)
    // Rented on 1 January 2026 it lasts two years, as at the deployed hubs.
    const end = (NOW + 2 * YEAR) * 1_000
    it.clock.advance(end - 30 * DAY_SECONDS * 1_000 - NOW * 1_000)
    await run()
    assert.deepEqual(await expiries(1), [[20, 0]])
    it.clock.advance(1_000)
    // Two processes at once, and one after them.
    await Promise.all([run(), run(it.another())])
    await run()
    const renewed = [
      [20, 0],
      [20, NO_END],
    ]
    for (const fid of [1, 2]) {
      assert.deepEqual(await expiries(fid), renewed)
      assert.equal((await it.ledger.storageUnits(fid)).u2025, 20)
    }
    assert.equal(it.told.length, 1)
    assert.deepEqual(
      it.told[0]!.map(({ blockNumber, logIndex }) => [blockNumber, logIndex]),
      [
        [2, 0],
        [2, 1],
      ],
    )
    it.clock.advance(10 * YEAR * 1_000)
    await run()
    assert.deepEqual(await expiries(1), renewed)
    assert.equal((await it.ledger.storageUnits(1)).u2025, 20)
  })

  test('renewed storage stays when the operator sets an end later, and so does what other storage has left', async () => {
    await it.ledger.importEvents(earlierEvents([1, 2]))
    // Renting renews what the account has.
    await it.ledger.rent({ fid: 1, units: 5 })
    assert.equal((await it.ledger.storageUnits(1)).u2025, 25)
    const limited = it.another({ storageDays: 100 })
    await limited.rent({ fid: 1, units: 7 })
    assert.equal((await limited.storageUnits(1)).u2025, 32)
    await limited.rent({ fid: 2, units: 7 })
    assert.equal((await limited.storageUnits(2)).u2025, 27)
    it.clock.advance(100 * DAY_SECONDS * 1_000)
    assert.equal((await limited.storageUnits(1)).u2025, 25)
    assert.equal((await limited.storageUnits(2)).u2025, 20)
    it.clock.advance(2 * YEAR * 1_000)
    assert.equal((await limited.storageUnits(1)).u2025, 25)
    assert.equal((await limited.storageUnits(2)).u2025, 0)
    // Without the setting nothing has ended.
    assert.equal((await it.ledger.storageUnits(2)).u2025, 27)
  })

  test('older kinds of storage units are renewed by as many units as hold the same', async () => {
    const [register, rent] = earlierEvents([1])
    const legacy = { ...rent!, blockTimestamp: 1_724_889_599n, blockNumber: 1 }
    await it.ledger.importEvents([register!, legacy])
    assert.deepEqual(await it.ledger.storageUnits(1), { legacy: 20, u2024: 0, u2025: 0 })
    it.clock.advance(4 * YEAR * 1_000)
    await it.ledger.renewJob.run(RUN)
    assert.deepEqual(await it.ledger.storageUnits(1), { legacy: 0, u2024: 0, u2025: 20 * 50 })
  })
})
