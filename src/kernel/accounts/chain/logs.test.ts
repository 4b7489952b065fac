import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  addressNamed,
  keyAdded,
  keyNamed,
  keyRemoved,
  keyReset,
  recoveryChanged,
  registered,
  rented,
  transferred,
  type Written,
  written,
} from '../../../../test/log-chain.ts'
import { fromHex, toHex } from '../../protocol/codec/bytes.ts'
import { onChainEventJson } from '../../protocol/json/json.ts'
import {
  IdRegisterEventType,
  OnChainEventType,
  SignerEventType,
} from '../../protocol/wire/onchain_event_pb.js'
import type { Log } from './answers.ts'
import { type FollowedContract, readLog, topicsOf, UnreadableLogError } from './logs.ts'

const TIME = 1_767_225_600

const placed = ({ address, topics, data }: Written): Log => ({
  address,
  topics,
  data,
  blockNumber: 120_000_000,
  blockHash: new Uint8Array(32).fill(1),
  blockTimestamp: TIME,
  transactionHash: new Uint8Array(32).fill(2),
  transactionIndex: 7,
  logIndex: 9,
})

const read = (contract: FollowedContract, log: Written) =>
  readLog(contract, placed(log), { chainId: 10, blockTime: TIME })!

const bytes = (hex: string) => fromHex(hex)!

describe('reading logs of the contracts', () => {
  test('the log topics are those of the deployed contracts', () => {
    assert.deepEqual(topicsOf(['idRegistry', 'keyRegistry', 'storageRegistry', 'tierRegistry']), [
      '0xf2e19a901b0748d8b08e428d0468896a039ac751ec4fec49b44b7b9c28097e45',
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
      '0x8e700b803af43e14651431cd73c9fe7d11b131ad797576a70b893ce5766f65c3',
      '0x7d285df41058466977811345cd453c0c52e8d841ffaabc74fc050f277ad4de02',
      '0x09e77066e0155f46785be12f6938a6b2e4be4381e59058129ce15f355cb96958',
      '0x1ecc1009ebad5d2fb61239462f4f9f6f152662defe1845fc87f07d96bd1c60b4',
      '0xe4a25c0c2cbe89d6ad8b64c61a7dbdd20d1f781f6023f1ab94ebb7fe0aef6ab8',
      '0xaabd75b90fb7114eb9587a54f00ce5ebe8cb4a70627f3a6c26e506ffd771fe2f',
      '0x793544f1eebcd80eaa24d7c6e32b707488daf4303d0ec3349b34ea9d05323285',
    ])
  })

  test('an event has its chain id, block and log index', () => {
    const event = read('idRegistry', registered(5, 'alice'))
    const { chainId, blockNumber, blockTimestamp, logIndex, txIndex, version } = event
    const place = { chainId, blockNumber, blockTimestamp, logIndex, txIndex, version }
    assert.deepEqual(place, {
      chainId: 10,
      blockNumber: 120_000_000,
      blockTimestamp: BigInt(TIME),
      logIndex: 9,
      txIndex: 7,
      version: 0,
    })
    assert.deepEqual(event.blockHash, new Uint8Array(32).fill(1))
    assert.deepEqual(event.transactionHash, new Uint8Array(32).fill(2))
  })

  test('Register, Transfer and ChangeRecoveryAddress become events of their fid', () => {
    const { fid, type, body } = read('idRegistry', registered(5, 'alice', 'rescuer'))
    assert.deepEqual([fid, type], [5n, OnChainEventType.EVENT_TYPE_ID_REGISTER])
    assert(body.case === 'idRegisterEventBody')
    assert.equal(body.value.eventType, IdRegisterEventType.REGISTER)
    assert.equal(toHex(body.value.to), addressNamed('alice'))
    assert.equal(toHex(body.value.recoveryAddress), addressNamed('rescuer'))
    assert.equal(body.value.from.length, 0)

    const moved = read('idRegistry', transferred(5, 'alice', 'bob')).body
    assert(moved.case === 'idRegisterEventBody')
    assert.equal(moved.value.eventType, IdRegisterEventType.TRANSFER)
    assert.equal(toHex(moved.value.from), addressNamed('alice'))
    assert.equal(toHex(moved.value.to), addressNamed('bob'))

    const changed = read('idRegistry', recoveryChanged(5, 'friend')).body
    assert(changed.case === 'idRegisterEventBody')
    assert.equal(changed.value.eventType, IdRegisterEventType.CHANGE_RECOVERY)
    assert.equal(toHex(changed.value.recoveryAddress), addressNamed('friend'))
    assert.equal(changed.value.to.length, 0)
  })

  test('keys are read from the data, because the topic is only their hash', () => {
    const added = read('keyRegistry', keyAdded(5, 'phone')).body
    assert(added.case === 'signerEventBody')
    const { eventType, key, keyType, metadata, metadataType } = added.value
    assert.deepEqual([eventType, keyType, metadataType], [SignerEventType.ADD, 1, 1])
    assert.equal(toHex(key), keyNamed('phone'))
    assert.equal(toHex(metadata), '0xda7a')
    for (const [log, type] of [
      [keyRemoved(5, 'phone'), SignerEventType.REMOVE],
      [keyReset(5, 'phone'), SignerEventType.ADMIN_RESET],
    ] as const) {
      const { body } = read('keyRegistry', log)
      assert(body.case === 'signerEventBody')
      assert.deepEqual([body.value.eventType, toHex(body.value.key)], [type, keyNamed('phone')])
      assert.deepEqual([body.value.keyType, body.value.metadata.length], [0, 0])
    }
  })

  test("the metadata of the specification's key request are kept as they are", () => {
    const word = (hex: string) => hex.padStart(64, '0')
    const metadata = `0x${[
      word('20'),
      word('23c0'),
      word('70997970c51812dc3a010c7d01b50e0d17dc79c8'),
      word('80'),
      word('70dbd880'),
      word('41'),
      '7b1a9a9ec44c7b0382a6836a6461366fea1c960fbeba6285cd48a242fcd0567d',
      '069c3a0000d25729cf5aa28651bb5dd4df5ef5a0f37e6bf63e904ea88be96edb',
      '1b'.padEnd(64, '0'),
    ].join('')}`
    const key = '0xd04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737'
    const args = { fid: 2n, keyType: 1, key, keyBytes: key, metadataType: 1, metadata }
    const log = written('Add', args)
    assert.equal(
      log.topics[3],
      '0x75ac42ac9bcadc234dd36a3e2af4cccf719ddbd7a33e34f3840d53f794b8a799',
    )
    const event = read('keyRegistry', log)
    assert(event.body.case === 'signerEventBody')
    assert.equal(toHex(event.body.value.metadata), metadata)
  })

  test('a key is added even if its metadata cannot be decoded', () => {
    for (const metadata of ['0x', '0x00', `0x${'ff'.repeat(3000)}`]) {
      const key = keyNamed('odd')
      const args = { fid: 2n, keyType: 1, key, keyBytes: key, metadataType: 255, metadata }
      const { body } = read('keyRegistry', written('Add', args))
      assert(body.case === 'signerEventBody')
      assert.equal(toHex(body.value.metadata) || '0x', metadata)
    }
  })

  test('a rent lasts from the time of its block', () => {
    const { type, fid, body } = read('storageRegistry', rented(5, 3))
    assert.deepEqual([type, fid], [OnChainEventType.EVENT_TYPE_STORAGE_RENT, 5n])
    assert(body.case === 'storageRentEventBody')
    assert.deepEqual([body.value.units, body.value.expiry], [3, TIME + 31_536_000])
    assert.equal(toHex(body.value.payer), addressNamed('payer'))
  })

  test('the migration event has no fid', () => {
    const event = read('keyRegistry', written('Migrated', { migratedAt: 1_700_000_000n }))
    assert.deepEqual([event.type, event.fid], [OnChainEventType.EVENT_TYPE_SIGNER_MIGRATED, 0n])
    assert(event.body.case === 'signerMigratedEventBody')
    assert.equal(event.body.value.migratedAt, 1_700_000_000)
  })

  test('a tier purchase is read from its own chain', () => {
    const bought = { fid: 5n, tier: 1n, forDays: 365n, payer: addressNamed('payer') }
    const log = placed(written('PurchasedTier', bought))
    const event = readLog('tierRegistry', log, { chainId: 8453, blockTime: TIME })!
    assert.deepEqual([event.chainId, event.fid], [8453, 5n])
    assert(event.body.case === 'tierPurchaseEventBody')
    const { tierType, forDays, payer } = event.body.value
    assert.deepEqual([tierType, forDays, toHex(payer)], [1, 365n, addressNamed('payer')])
    assert.equal((onChainEventJson(event) as { chainId: number }).chainId, 8453)
  })

  test('an event of another contract is ignored', () => {
    assert.equal(read('keyRegistry', registered(5, 'alice')), undefined)
    assert.equal(read('storageRegistry', transferred(5, 'alice', 'bob')), undefined)
    const args = { from: addressNamed('a'), to: addressNamed('b'), id: 5n }
    assert.equal(read('idRegistry', written('Recover', args)), undefined)
  })

  const add = written('Add', {
    fid: 2n,
    keyType: 1,
    key: '0x11',
    keyBytes: keyNamed('k'),
    metadataType: 1,
    metadata: '0x',
  })
  const unreadable: readonly [string, FollowedContract, Written][] = [
    ['a fid beyond 32 bits', 'idRegistry', registered(2 ** 32, 'alice')],
    ['a fid of 0', 'storageRegistry', rented(0, 1)],
    ['units beyond 32 bits', 'storageRegistry', rented(5, 2 ** 32)],
    ['a time beyond 32 bits', 'keyRegistry', written('Migrated', { migratedAt: 2n ** 32n })],
    ['no data', 'keyRegistry', { ...keyAdded(5, 'k'), data: '0x' }],
    ['cut data', 'keyRegistry', { ...add, data: add.data.slice(0, -66) as `0x${string}` }],
    ['data that point beyond their end', 'keyRegistry', { ...add, data: `0x${'f'.repeat(192)}` }],
    ['a missing topic', 'keyRegistry', { ...add, topics: add.topics.slice(0, 3) }],
    ['a token instead of a fid', 'idRegistry', { ...transferred(5, 'a', 'b'), data: '0x' }],
    [
      'an Ed25519 key of 31 bytes',
      'keyRegistry',
      written('Add', {
        fid: 2n,
        keyType: 1,
        key: '0x11',
        keyBytes: `0x${'11'.repeat(31)}`,
        metadataType: 1,
        metadata: '0x',
      }),
    ],
    ['a key of no bytes', 'keyRegistry', written('Remove', { fid: 2n, key: '0x', keyBytes: '0x' })],
  ]
  for (const [what, contract, log] of unreadable) {
    test(`a log is not an event: ${what}`, () => {
      const topics = what.startsWith('a token') ? log.topics.slice(0, 3) : log.topics
      assert.throws(() => read(contract, { ...log, topics }), UnreadableLogError)
    })
  }

  test('keys of other types may have other lengths', () => {
    const keyBytes = addressNamed('auth')
    const args = { fid: 2n, keyType: 2, key: keyBytes, keyBytes, metadataType: 1, metadata: '0x' }
    const { body } = read('keyRegistry', written('Add', args))
    assert(body.case === 'signerEventBody')
    assert.deepEqual([body.value.keyType, body.value.key], [2, bytes(keyBytes)])
  })
})
