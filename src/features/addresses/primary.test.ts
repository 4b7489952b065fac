import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresPlace, sqlitePlace } from '../../../test/storage-support.ts'
import {
  buildMessage,
  userDataAdd,
  verificationAddEth,
  verificationAddSol,
} from '../../kernel/protocol/build.ts'
import type { SignedMessage } from '../../kernel/protocol/message.ts'
import { UserDataType } from '../../kernel/protocol/wire/message_pb.js'
import { toStored } from '../../kernel/storage/messages/message-rows.ts'
import { primaryAddresses } from './primary.ts'

const SEED = new Uint8Array(32).fill(1)
const ETHEREUM = [
  '0x0101010101010101010101010101010101010101',
  '0x0202020202020202020202020202020202020202',
]
const SOLANA = '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi'
const at = (fid: number, timestamp: number) => ({ fid, timestamp, network: 3 as const })
const claim = { claimSignature: new Uint8Array(65), blockHash: new Uint8Array(32) }
const ethereum = (fid: number, timestamp: number, byte: number) =>
  buildMessage(
    verificationAddEth(at(fid, timestamp), { ...claim, address: new Uint8Array(20).fill(byte) }),
    SEED,
  )
const solana = (fid: number, timestamp: number, byte: number) =>
  buildMessage(
    verificationAddSol(at(fid, timestamp), { ...claim, address: new Uint8Array(32).fill(byte) }),
    SEED,
  )

for (const [engine, open] of [
  ['sqlite', sqlitePlace],
  ['postgres', () => postgresPlace('template1')],
] as const) {
  test(`the primary address is the one that the profile names, else the newest verified one of its protocol, on ${engine}`, async (t) => {
    const place = await open()
    const storage = await place.open()
    t.after(async () => {
      await storage.close()
      await place.drop()
    })
    const named = userDataAdd(
      at(3, 30),
      UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM,
      ETHEREUM[1]!,
    )
    const messages: SignedMessage[] = [
      ethereum(1, 10, 2),
      ethereum(1, 20, 1),
      solana(1, 30, 1),
      solana(2, 10, 1),
      ethereum(2, 5, 2),
      solana(2, 20, 9),
      ethereum(3, 40, 1),
      buildMessage(named, SEED),
    ]
    await storage.write('hub', (tx) =>
      tx.messages.insert(messages.map((message, i) => toStored(message, i + 1))),
    )
    const of = async (protocol: 'ethereum' | 'solana') =>
      [...(await primaryAddresses(storage, [1, 2, 3, 4], protocol))].sort()
    assert.deepEqual(await of('ethereum'), [
      [1, ETHEREUM[0]],
      [2, ETHEREUM[1]],
      [3, ETHEREUM[1]],
    ])
    const found = await of('solana')
    assert.deepEqual(found[0], [1, SOLANA])
    assert.deepEqual(
      found.map(([fid]) => fid),
      [1, 2],
    )
    assert.notEqual(found[1]![1], SOLANA, 'the newer one of two')
  })
}
