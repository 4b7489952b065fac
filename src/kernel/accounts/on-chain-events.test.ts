import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { create, fromBinary } from '@bufbuild/protobuf'
import { keyOf, NOW, onEngines } from '../../../test/accounts-support.ts'
import { toHex } from '../protocol/codec/bytes.ts'
import { HubEventSchema } from '../protocol/wire/hub_event_pb.js'
import {
  IdRegisterEventType,
  type OnChainEvent,
  OnChainEventSchema,
  OnChainEventType,
  SignerEventType,
} from '../protocol/wire/onchain_event_pb.js'
import { EventLog } from '../storage/messages/event-log.ts'
import type { Storage } from '../storage/storage.ts'
import { encodeOnChainEvent } from './events.ts'
import { type MergeOptions, mergeOnChainEvents, newestBlock } from './on-chain-events.ts'

type At = readonly [block: number, log: number]

const at = (fid: number, [blockNumber, logIndex]: At) => ({
  chainId: 10,
  blockNumber,
  logIndex,
  blockHash: keyOf(blockNumber % 256),
  transactionHash: keyOf(logIndex),
  blockTimestamp: BigInt(NOW + blockNumber),
  fid: BigInt(fid),
})

const address = (name: string) => new Uint8Array(20).fill(name.codePointAt(0)!)

const id = (fid: number, place: At, eventType: IdRegisterEventType, body: object) =>
  create(OnChainEventSchema, {
    ...at(fid, place),
    type: OnChainEventType.EVENT_TYPE_ID_REGISTER,
    body: { case: 'idRegisterEventBody', value: { eventType, ...body } },
  })
const registered = (fid: number, place: At, to: string, recovery: string) =>
  id(fid, place, IdRegisterEventType.REGISTER, {
    to: address(to),
    recoveryAddress: address(recovery),
  })
const transferred = (fid: number, place: At, from: string, to: string) =>
  id(fid, place, IdRegisterEventType.TRANSFER, { from: address(from), to: address(to) })
const recoverable = (fid: number, place: At, recovery: string) =>
  id(fid, place, IdRegisterEventType.CHANGE_RECOVERY, { recoveryAddress: address(recovery) })

const signer = (fid: number, place: At, eventType: SignerEventType, key: number, keyType = 0) =>
  create(OnChainEventSchema, {
    ...at(fid, place),
    type: OnChainEventType.EVENT_TYPE_SIGNER,
    body: { case: 'signerEventBody', value: { eventType, key: keyOf(key), keyType } },
  })
const added = (fid: number, place: At, key: number, keyType = 1) =>
  signer(fid, place, SignerEventType.ADD, key, keyType)
const removed = (fid: number, place: At, key: number) =>
  signer(fid, place, SignerEventType.REMOVE, key)
const reset = (fid: number, place: At, key: number) =>
  signer(fid, place, SignerEventType.ADMIN_RESET, key)

const rented = (fid: number, place: At, units: number) =>
  create(OnChainEventSchema, {
    ...at(fid, place),
    type: OnChainEventType.EVENT_TYPE_STORAGE_RENT,
    body: { case: 'storageRentEventBody', value: { payer: address('p'), units } },
  })

/** A life of two fids, `f` and the one after it, and of an address that had both. */
const history = (f: number): OnChainEvent[] => [
  rented(f, [1, 0], 1),
  registered(f, [2, 0], 'a', 'r'),
  rented(f, [2, 1], 5),
  added(f, [2, 2], 1),
  added(f, [3, 0], 2, 2),
  added(f, [3, 1], 3),
  recoverable(f, [4, 0], 's'),
  transferred(f, [5, 0], 'a', 'b'),
  removed(f, [5, 1], 3),
  registered(f + 1, [6, 0], 'a', 'q'),
  added(f, [6, 1], 4),
  removed(f, [7, 0], 4),
  reset(f, [8, 0], 4),
  reset(f, [8, 1], 5),
  transferred(f, [9, 0], 'b', 'c'),
  recoverable(f, [9, 1], 't'),
  added(f + 1, [10, 0], 1),
]

/** A small generator of its own, so that a failing order can be had again by its seed. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  let state = seed
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

onEngines('merging on-chain events', (engine) => {
  let storage: Storage
  let remove: () => Promise<void>
  before(async () => {
    const [opened, drop] = await engine.open()
    storage = opened
    remove = drop
  })
  after(async () => {
    await storage.close()
    await remove()
  })

  const merge = (events: readonly OnChainEvent[], options?: MergeOptions) =>
    storage.write('hub', async (tx) => {
      const log = new EventLog(tx, NOW * 1000)
      const merged = await mergeOnChainEvents(tx, log, events, options)
      await log.flush()
      return merged
    })

  /** All account state of the two fids of a history. */
  const stateOf = async (f: number) => {
    const { accounts } = storage
    const custodies = await accounts.custodies([f, f + 1])
    const keys = [1, 2, 3, 4, 5].flatMap((key) =>
      [f, f + 1].map((fid) => ({ fid, key: keyOf(key) })),
    )
    const signers = await accounts.signers(keys)
    return {
      custodies: custodies
        .sort((x, y) => x.fid - y.fid)
        .map((c) => ({
          fid: c.fid - f,
          address: toHex(c.address),
          recovery: toHex(c.recovery),
          at: [c.block_number, c.log_index],
          recoveryAt: [c.recovery_block, c.recovery_log],
        })),
      signers: signers
        .map((s) => `${s.fid - f} ${s.key[0]} ${s.active} ${s.block_number}:${s.log_index}`)
        .sort(),
      rents: (await accounts.rents([f])).map((r) => `${r.units} at ${r.rented_at - NOW}`).sort(),
      events: (await accounts.eventsOf([1, 3, 4].map((type) => ({ fid: f, type })))).length,
    }
  }

  test('a history of on-chain events gives the expected account state', async () => {
    await merge(history(100))
    assert.deepEqual(await stateOf(100), {
      custodies: [
        {
          fid: 0,
          address: toHex(address('c')),
          recovery: toHex(address('t')),
          at: [9, 0],
          recoveryAt: [9, 1],
        },
        {
          fid: 1,
          address: toHex(address('a')),
          recovery: toHex(address('q')),
          at: [6, 0],
          recoveryAt: [6, 0],
        },
      ],
      signers: ['0 1 1 2:2', '0 2 0 3:0', '0 3 0 5:1', '0 4 0 8:0', '0 5 0 8:1', '1 1 1 10:0'],
      rents: ['1 at 1', '5 at 2'],
      events: 15,
    })
    assert.equal((await storage.accounts.byAddress(address('a')))?.fid, 101)
    assert.equal(await storage.accounts.byAddress(address('b')), undefined)
  })

  test('events delivered twice, in parts and in any order give the same account state', async () => {
    const expected = await stateOf(100)
    for (let seed = 1; seed <= 40; seed++) {
      const f = 1000 + 10 * seed
      const events = history(f)
      const deliveries = shuffled([...events, ...events], seed)
      const size = 1 + (seed % 7)
      let merged = 0
      for (let i = 0; i < deliveries.length; i += size) {
        merged += (await merge(deliveries.slice(i, i + size))).length
      }
      assert.equal(merged, events.length, `seed ${seed}`)
      assert.deepEqual(await stateOf(f), expected, `seed ${seed}`)
    }
  })

  test('a reset makes a key active as it was first added when deployed hubs are replayed', async () => {
    const options = { resetActivates: true }
    await merge(history(5000), options)
    const expected = await stateOf(5000)
    assert.ok(expected.signers.includes('0 4 1 6:1'), 'back to its add')
    assert.ok(expected.signers.includes('0 5 0 8:1'), 'no add to go back to')
    for (let seed = 1; seed <= 20; seed++) {
      const f = 6000 + 10 * seed
      const deliveries = shuffled([...history(f), ...history(f)], seed)
      for (let i = 0; i < deliveries.length; i += 3) {
        await merge(deliveries.slice(i, i + 3), options)
      }
      assert.deepEqual(await stateOf(f), expected, `seed ${seed}`)
    }
  })

  test('each new on-chain event is reported once, in chain order, as a hub event', async () => {
    const from = (await storage.events.newestId()) + 1
    const events = history(7000)
    const merged = await merge([...events.toReversed(), ...events])
    assert.deepEqual(merged, events)
    assert.deepEqual(await merge(events), [])
    const reported = await storage.events.list(from, 100)
    assert.equal(reported.length, events.length)
    for (const [i, row] of reported.entries()) {
      assert.deepEqual([row.type, row.message], [9, null])
      const { type, id, body } = fromBinary(HubEventSchema, row.body!)
      assert.deepEqual([type, id], [9, 0n])
      assert.ok(body.case === 'mergeOnChainEventBody')
      assert.equal(
        toHex(encodeOnChainEvent(body.value.onChainEvent!)),
        toHex(encodeOnChainEvent(events[i]!)),
      )
    }
  })

  test('events without a fid are stored and change no account', async () => {
    const migrated = create(OnChainEventSchema, {
      ...at(0, [500, 0]),
      type: OnChainEventType.EVENT_TYPE_SIGNER_MIGRATED,
      body: { case: 'signerMigratedEventBody', value: { migratedAt: NOW } },
    })
    assert.equal((await merge([migrated])).length, 1)
    assert.equal((await merge([migrated])).length, 0)
    assert.equal(await newestBlock(storage), 500)
    assert.equal(await storage.accounts.custody(0), undefined)
  })

  test('for an address that holds two fids the newer one is returned', async () => {
    await merge([registered(8001, [602, 0], 'z', 'r'), registered(8000, [601, 0], 'z', 'r')])
    assert.equal((await storage.accounts.byAddress(address('z')))?.fid, 8001)
  })
})
