import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Registry } from 'prom-client'
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
  person,
  sqlite,
} from '../../../test/accounts-support.ts'
import { until } from '../../../test/until.ts'
import { Runner } from '../jobs/runner.ts'
import { Rejection } from '../protocol/rejection.ts'
import { createLedger } from './ledger.ts'
import { addressOf, signRegister, signRemove, signTransfer } from './signatures/sign.ts'

onEngines('confirmation', (engine) => {
  let it: Bench
  beforeEach(async () => {
    it = await bench(engine, { confirmationMs: 4000, maxPendingEvents: 10 })
  })
  afterEach(() => it.close())

  const code = (call: Promise<unknown>) =>
    call.then(
      () => 'accepted',
      (error) => (error as Rejection).code,
    )

  test('a call becomes visible to others after the confirmation time', async () => {
    const result = await it.ledger.registerFor(await signRegister(alice, { deadline: LATER }))
    assert.deepEqual(
      [result.fid, result.confirmed, result.confirmsAt],
      [1, false, (NOW + 4) * 1000],
    )
    it.clock.advance(3999)
    assert.equal(await it.ledger.confirmDue(), 0)
    assert.equal(await it.ledger.custodyOf(1), undefined)
    assert.equal(await it.storage.events.newestId(), 0)
    it.clock.advance(1)
    assert.equal(await it.ledger.confirmDue(), 2)
    assert.equal(await it.ledger.fidOf(addressOf(alice)), 1)
    assert.equal(it.told.length, 1)
    assert.deepEqual(
      it.told[0]!.map(({ logIndex }) => logIndex),
      [0, 1],
    )
    assert.equal(await it.ledger.confirmDue(), 0)
  })

  test('later calls see an unconfirmed call at once', async () => {
    await enroll(it.ledger, alice)
    assert.equal(await it.ledger.nonce('idGateway', addressOf(alice)), 1)
    const again = await signRegister(alice, { deadline: LATER, nonce: 1 })
    assert.equal(await code(it.ledger.registerFor(again)), 'HasId')
    await it.ledger.addFor(await newKey(alice, keyOf(1), { requestFid: 1 }))
    const readded = await newKey(alice, keyOf(1), { requestFid: 1, nonce: 1 })
    assert.equal(await code(it.ledger.addFor(readded)), 'InvalidState')
    await it.ledger.removeFor(await signRemove(alice, { key: keyOf(1), deadline: LATER }))
    assert.equal(await code(it.ledger.addFor(readded)), 'InvalidState')
    const moved = await it.ledger.transferFor(
      await signTransfer(alice, bob, { fid: 1, deadline: LATER }),
    )
    const next = await it.ledger.registerFor(again)
    assert.deepEqual(
      [moved.blockNumber, next.blockNumber, next.fid, next.confirmed],
      [4, 5, 2, false],
    )
    it.clock.advance(4000)
    assert.equal(await it.ledger.confirmDue(), 7)
    assert.equal(await it.ledger.fidOf(addressOf(bob)), 1)
    assert.equal(await it.ledger.fidOf(addressOf(alice)), 2)
    assert.equal(await it.ledger.isActiveKey(1, keyOf(1)), false)
  })

  test('pending keys and units count against the limits', async () => {
    await it.close()
    it = await bench(engine, { confirmationMs: 1, maxKeysPerFid: 1, maxUnitsPerFid: 30 })
    await enroll(it.ledger, alice)
    await it.ledger.addFor(await newKey(alice, keyOf(1), { requestFid: 1 }))
    const second = await newKey(alice, keyOf(2), { requestFid: 1, nonce: 1 })
    assert.equal(await code(it.ledger.addFor(second)), 'ExceedsMaximum')
    assert.equal(await code(it.ledger.rent({ fid: 1, units: 11 })), 'ExceedsCapacity')
    await it.ledger.removeFor(await signRemove(alice, { key: keyOf(1), deadline: LATER }))
    assert.equal(await code(it.ledger.addFor(second)), 'accepted')
    assert.equal(await code(it.ledger.rent({ fid: 1, units: 10 })), 'accepted')
  })

  test('several processes confirm everything once', async () => {
    for (let i = 0; i < 4; i++) await enroll(it.ledger, person(i))
    it.clock.advance(4000)
    const counts = await Promise.all(
      [it.ledger, it.another(), it.another()].map((ledger) => ledger.confirmDue()),
    )
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      8,
    )
    assert.equal(it.told.flat().length, 8)
    assert.equal((await it.storage.events.list(0, 100)).length, 8)
  })

  test('the number of unconfirmed calls is bounded', async () => {
    for (let i = 0; i < 5; i++) await enroll(it.ledger, person(i))
    const bad = await signRegister(carol, { deadline: LATER, nonce: 1 })
    const sixth = await signRegister(person(6), { deadline: LATER })
    const error = await it.ledger.registerFor(sixth).catch((error) => error)
    assert.ok(error instanceof Rejection)
    assert.deepEqual([error.code, error.retryAfterSeconds], ['unavailable.overloaded', 4])
    assert.equal(await it.ledger.nonce('idGateway', addressOf(person(6))), 0)
    assert.equal(await code(it.ledger.registerFor(bad)), 'HasId')
    it.clock.advance(4000)
    await it.ledger.confirmDue()
    assert.equal((await it.ledger.registerFor(sixth)).fid, 6)
  })

  test('waiting calls keep their order when the confirmation time becomes zero', async () => {
    await enroll(it.ledger, alice)
    const { storage, clock } = it
    const prompt = createLedger({ storage, clock, settings: { confirmationMs: 0 } })
    const second = await prompt.registerFor(await signRegister(bob, { deadline: LATER }))
    assert.deepEqual([second.confirmed, second.confirmsAt], [false, (NOW + 4) * 1000])
    clock.advance(4000)
    assert.equal(await prompt.confirmDue(), 4)
    const third = await prompt.registerFor(await signRegister(carol, { deadline: LATER }))
    assert.equal(third.confirmed, true)
  })

  test('a call stays unconfirmed when a listener throws', async () => {
    const { storage, clock } = it
    const settings = { confirmationMs: 1 }
    let fails = true
    const onMerged = () => {
      if (fails) throw new Error('not now')
    }
    const ledger = createLedger({ storage, clock, settings, onMerged })
    await enroll(ledger, alice)
    clock.advance(1)
    await assert.rejects(ledger.confirmDue(), /not now/)
    assert.equal(await ledger.custodyOf(1), undefined)
    fails = false
    assert.equal(await ledger.confirmDue(), 2)
  })
})

test('the job confirms calls when they are due, until it is stopped', async () => {
  const it = await bench(sqlite, { confirmationMs: 1 })
  const errors: unknown[] = []
  const log = { info() {}, warn() {}, error: (facts: object) => errors.push(facts) }
  const jobs = new Runner({ storage: it.storage, metrics: new Registry(), log })
  jobs.add([it.ledger.confirmJob])
  await jobs.start()
  await enroll(it.ledger, alice)
  it.clock.advance(1)
  await until(() => it.told.length === 1, 'the call is confirmed')
  await jobs.stop()
  await enroll(it.ledger, bob)
  it.clock.advance(1)
  await wait(300)
  assert.equal(it.told.length, 1)
  assert.deepEqual(errors, [])
  await it.close()
})

test('a long queue is confirmed in order, call by call', async () => {
  const it = await bench(sqlite, { confirmationMs: 1 })
  for (let i = 0; i < 70; i++) {
    const keys = [await newKey(person(i), keyOf(1), { requestFid: i + 1 })]
    // Three events a call: the bound of a batch falls into the middle of one.
    const register = await signRegister(person(i), { deadline: LATER })
    await it.ledger.register({ ...register, keys })
  }
  it.clock.advance(1)
  assert.equal(await it.ledger.confirmDue(), 210)
  assert.deepEqual(
    it.told.map((events) => events.length),
    [198, 12],
  )
  await it.close()
})
