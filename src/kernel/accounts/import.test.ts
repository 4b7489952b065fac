import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as core from '@farcaster/core'
import {
  alice,
  bench,
  dave,
  enroll,
  keyOf,
  LATER,
  newKey,
  sqlite,
} from '../../../test/accounts-support.ts'
import { toBase64, toHex } from '../protocol/codec/bytes.ts'
import { onChainEventJson } from '../protocol/json/json.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { OnChainEvent } from '../protocol/wire/onchain_event_pb.js'
import { encodeOnChainEvent } from './events.ts'
import { checkImport, MAX_IMPORT_EVENTS, readOnChainEvent } from './import.ts'
import { addressOf, signRegister, signTransferAndChangeRecovery } from './signatures/sign.ts'

const it = await bench(sqlite)
await enroll(it.ledger, alice)
const key = await newKey(alice, keyOf(1), { requestFid: 1 })
const [registration, rent] = it.told[0] as [OnChainEvent, OnChainEvent]
const [added] = (await it.ledger.addFor(key)).events as [OnChainEvent]
const [recovered] = (
  await it.ledger.transferAndChangeRecoveryFor(
    await signTransferAndChangeRecovery(alice, dave, {
      fid: 1,
      recovery: addressOf(alice),
      deadline: LATER,
    }),
  )
).events.slice(1) as [OnChainEvent]
test.after(() => it.close())

const everyKind = [registration, rent, added, recovered]

test('an event is read back unchanged from its JSON and from its bytes', () => {
  for (const event of everyKind) {
    const bytes = encodeOnChainEvent(event)
    for (const form of [onChainEventJson(event), toHex(bytes), toBase64(bytes)]) {
      const json: unknown = JSON.parse(JSON.stringify(form))
      assert.deepEqual(encodeOnChainEvent(readOnChainEvent(json, 'events.0')), bytes)
    }
  }
})

test('an event is read from the JSON of Hubble, with its payer, and of Snapchain, with its names and nulls', () => {
  const theirs = core.OnChainEvent.toJSON(core.OnChainEvent.decode(encodeOnChainEvent(rent)))
  const { storageRentEventBody } = theirs as Record<string, object>
  const ours = onChainEventJson(rent) as Record<string, object>
  const paid = readOnChainEvent({ ...ours, storageRentEventBody }, 'events.0')
  assert.deepEqual(encodeOnChainEvent(paid), encodeOnChainEvent(rent))
  const json = onChainEventJson(registration) as Record<string, object>
  for (const [name, type] of [
    ['Register', 1],
    ['Transfer', 2],
    ['ChangeRecovery', 3],
  ]) {
    const idRegisterEventBody = { ...json.idRegisterEventBody, eventType: name }
    const snapchain = { ...json, idRegisterEventBody, tier_purchase_event_body: null }
    const { body } = readOnChainEvent(snapchain, 'events.0')
    assert.equal(body.case === 'idRegisterEventBody' && body.value.eventType, type)
  }
})

test('an import error names the unreadable event and its position', () => {
  const json = onChainEventJson(registration) as Record<string, object>
  const cases: [unknown, RegExp][] = [
    ['0xzz', /neither hex nor base64/],
    ['0x08', /./],
    [null, /./],
    [[], /./],
    [{ ...json, blockHash: '0x1' }, /blockHash is not hex/],
    [{ ...json, blockNumber: -1 }, /blockNumber|block_number/],
    [{ ...json, type: 'EVENT_TYPE_OTHER' }, /EVENT_TYPE_OTHER/],
    [{ ...json, more: 1 }, /more/],
    [{ ...json, idRegisterEventBody: { ...json.idRegisterEventBody, to: 'x' } }, /to is not hex/],
  ]
  for (const [value, message] of cases) {
    assert.throws(
      () => readOnChainEvent(value, 'events.3'),
      (error) => {
        assert.ok(error instanceof Rejection)
        assert.equal(error.field, 'events.3')
        assert.match(error.message, message)
        return true
      },
    )
  }
})

test('a malformed event is refused with its index and field', () => {
  const changed = (event: OnChainEvent, change: object): OnChainEvent => ({ ...event, ...change })
  const body = (event: OnChainEvent, change: object): OnChainEvent =>
    ({
      ...event,
      body: { ...event.body, value: { ...event.body.value, ...change } },
    }) as OnChainEvent
  const short = new Uint8Array(19)
  const cases: [OnChainEvent, string][] = [
    [changed(rent, { type: 0 }), 'type'],
    [changed(rent, { type: 7 }), 'type'],
    [changed(rent, { body: registration.body }), 'storageRentEventBody'],
    [changed(rent, { body: { case: undefined } }), 'storageRentEventBody'],
    [changed(rent, { chainId: 1 }), 'chainId'],
    [changed(rent, { blockHash: short }), 'blockHash'],
    [changed(rent, { transactionHash: short }), 'transactionHash'],
    [changed(rent, { blockNumber: 4_000_000_001 }), 'blockNumber'],
    [changed(rent, { blockTimestamp: 0n }), 'blockTimestamp'],
    [changed(rent, { blockTimestamp: 1_767_225_600_000n }), 'blockTimestamp'],
    [changed(rent, { fid: 0n }), 'fid'],
    [changed(rent, { fid: 2n ** 32n }), 'fid'],
    [body(rent, { payer: short }), 'storageRentEventBody.payer'],
    [body(added, { eventType: 0 }), 'signerEventBody.eventType'],
    [body(added, { eventType: 4 }), 'signerEventBody.eventType'],
    [body(added, { key: short }), 'signerEventBody.key'],
    [body(added, { key: new Uint8Array(0), keyType: 2 }), 'signerEventBody.key'],
    [body(added, { metadata: new Uint8Array(16_385) }), 'signerEventBody.metadata'],
    [body(registration, { to: short }), 'idRegisterEventBody.to'],
    [body(registration, { to: new Uint8Array(0) }), 'idRegisterEventBody.to'],
    [body(registration, { from: short }), 'idRegisterEventBody.from'],
    [
      body(recovered, { recoveryAddress: new Uint8Array(0) }),
      'idRegisterEventBody.recoveryAddress',
    ],
  ]
  checkImport(everyKind, { chainId: 10 })
  checkImport([changed(rent, { fid: 2n ** 32n - 1n, blockNumber: 4_000_000_000 })], { chainId: 10 })
  for (const [event, field] of cases) {
    assert.throws(
      () => checkImport([registration, event], { chainId: 10 }),
      (error) => error instanceof Rejection && error.field === `events.1.${field}`,
      field,
    )
  }
})

test('an import accepts a bounded number of events', () => {
  const many = (count: number) => Array<OnChainEvent>(count).fill(rent)
  checkImport(many(MAX_IMPORT_EVENTS), { chainId: 10 })
  assert.throws(() => checkImport(many(MAX_IMPORT_EVENTS + 1), { chainId: 10 }), /at most 1000/)
})

test('imported accounts can be changed by calls to the ledger', async () => {
  const there = await bench(sqlite)
  const moved = everyKind.map((event) => ({ ...event, blockNumber: event.blockNumber + 1000 }))
  assert.deepEqual(await there.ledger.importEvents(moved), { merged: 4, duplicates: 0 })
  assert.deepEqual(await there.ledger.importEvents(moved), { merged: 0, duplicates: 4 })
  assert.equal(there.told.length, 1)
  assert.equal(await there.ledger.isActiveKey(1, keyOf(1)), true)
  const { fid } = await there.ledger.registerFor(await signRegister(dave, { deadline: LATER }))
  assert.equal(fid, 2)
  await there.close()
})

test('one malformed event refuses the whole list', async () => {
  const there = await bench(sqlite)
  const bad = { ...rent, chainId: 1 }
  await assert.rejects(async () => there.ledger.importEvents([registration, bad]), Rejection)
  assert.equal(await there.ledger.custodyOf(1), undefined)
  await there.close()
})
