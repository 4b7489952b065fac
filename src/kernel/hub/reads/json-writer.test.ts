// Events with a body, written from stored bytes, must equal the JSON of the decoded event, whatever the bytes are.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { concatBytes, fromHex } from '../../protocol/codec/bytes.ts'
import { bytesField, numberField } from '../../protocol/codec/wire-write.ts'
import { DEFAULT_JSON_OPTIONS } from '../../protocol/json/json.ts'
import { HubEventSchema, HubEventType } from '../../protocol/wire/hub_event_pb.js'
import { OnChainEventSchema, OnChainEventType } from '../../protocol/wire/onchain_event_pb.js'
import { decodedEventText, HubJsonWriter } from './json-writer.ts'

const ID = 3_456_789_012_345_678

const folder = new URL('../../../../fixtures/json/', import.meta.url)
const fixtures = readdirSync(folder).map((name) => {
  const { kind, bytes } = JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
  return { name, kind, bytes: fromHex(bytes)! }
})

const merged = (onChainEvent: MessageInitShape<typeof OnChainEventSchema>): Uint8Array =>
  toBinary(
    HubEventSchema,
    create(HubEventSchema, {
      type: HubEventType.MERGE_ON_CHAIN_EVENT,
      body: { case: 'mergeOnChainEventBody', value: { onChainEvent } },
    }),
  )

const writer = new HubJsonWriter(DEFAULT_JSON_OPTIONS)

function check(body: Uint8Array): void {
  const type = fromBinary(HubEventSchema, body).type
  const rest = { message: null, deleted: null, removed: null, merged: undefined }
  const written = Buffer.from(writer.event({ id: ID, type, body, ...rest })).toString()
  assert.equal(written, decodedEventText(ID, body, DEFAULT_JSON_OPTIONS))
}

for (const { name, bytes } of fixtures.filter(({ kind }) => kind === 'onChainEvent')) {
  test(`the event of ${name} is written from its bytes as its decoded event is`, () => {
    check(merged(fromBinary(OnChainEventSchema, bytes)))
  })
}

for (const { name, bytes } of fixtures.filter(({ kind }) => kind === 'hubEvent')) {
  test(`the stored body of ${name} is written as its decoded event is`, () => {
    const { type, body } = fromBinary(HubEventSchema, bytes)
    check(toBinary(HubEventSchema, create(HubEventSchema, { type, body })))
  })
}

const PAYER = new Uint8Array(20).fill(7)

test('on-chain events of every other kind are written from their bytes as decoded ones are', () => {
  const common = { fid: 2n ** 53n - 1n, txIndex: 9, version: 1 }
  check(merged({}))
  check(
    merged({
      ...common,
      type: OnChainEventType.EVENT_TYPE_TIER_PURCHASE,
      body: { case: 'tierPurchaseEventBody', value: { tierType: 1, forDays: 30n, payer: PAYER } },
    }),
  )
  const channel = { channelKey: 'a "name"\n', expiry: 5n, ownerAddress: PAYER, label: PAYER }
  check(
    merged({
      ...common,
      type: OnChainEventType.EVENT_TYPE_CHANNEL_REGISTER,
      body: { case: 'channelRegisterEventBody', value: channel },
    }),
  )
})

test('unusual encodings of on-chain events are written as decoded ones are', () => {
  const type = numberField(1, HubEventType.MERGE_ON_CHAIN_EVENT)
  const rent = bytesField(12, concatBytes(bytesField(1, PAYER), numberField(2, 1)))
  const migrated = bytesField(10, numberField(1, 4))
  const around = (event: Uint8Array) => concatBytes(type, bytesField(11, bytesField(1, event)))
  for (const body of [
    concatBytes(type, bytesField(11, new Uint8Array(0))),
    concatBytes(around(rent), numberField(12, 8)),
    around(concatBytes(rent, migrated)),
    around(concatBytes(rent, rent)),
    around(numberField(1, 99)),
    around(numberField(30, 1)),
    around(bytesField(10, new Uint8Array(0))),
  ]) {
    check(body)
  }
})
