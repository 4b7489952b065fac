// The schema against the client library's: each field of ours, alone, goes through its codec and back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DescField, type DescMessage, fromBinary, ScalarType } from '@bufbuild/protobuf'
import * as core from '@farcaster/core'
import { file_hub_event } from '../wire/hub_event_pb.js'
import { file_message } from '../wire/message_pb.js'
import { file_onchain_event } from '../wire/onchain_event_pb.js'
import { file_rpc } from '../wire/rpc_pb.js'

type Codec = {
  decode(bytes: Uint8Array): unknown
  encode(message: unknown): { finish(): Uint8Array }
}
const library = core as unknown as Readonly<Record<string, Codec | undefined>>

/** Fields of the generation before the library's, and of channels, which it does not have yet. */
const NOT_IN_LIBRARY: ReadonlySet<string> = new Set([
  'DbStats.num_fname_events',
  'SubscribeRequest.total_shards',
  'HubEvent.channel_owner_change_hint_body',
  'MessageData.channel_member_body',
  'MessageData.channel_moderate_body',
  'MessageData.channel_pin_body',
  'MessageData.channel_update_body',
  'OnChainEvent.channel_register_event_body',
])

const types = [file_message, file_onchain_event, file_hub_event, file_rpc].flatMap(
  (file) => file.messages,
)
const shared = types.filter((type) => library[type.name])

test('the client library knows most of our message types', (t) => {
  const unknown = types.filter((type) => !library[type.name]).map((type) => type.name)
  t.diagnostic(`not known to it: ${unknown.join(' ')}`)
  assert.ok(shared.length > 60, `${shared.length} of ${types.length}`)
})

for (const type of shared) {
  for (const field of type.fields) {
    const name = `${type.name}.${field.name}`
    test(`our codec and the client library decode ${name} alike`, () => {
      const codec = library[type.name]!
      const wire = bytesOf(field)
      const theirs = codec.encode(codec.decode(wire)).finish()
      const same = JSON.stringify(read(type, theirs)) === JSON.stringify(read(type, wire))
      assert.equal(same, !NOT_IN_LIBRARY.has(name))
    })
  }
}

function read(type: DescMessage, bytes: Uint8Array): object {
  return jsonOf(fromBinary(type, bytes, { readUnknownFields: false })) as object
}

function jsonOf(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner)),
  )
}

/** The field alone with a value that is not its default; messages inside have their first field. */
function bytesOf(field: DescField, depth = 0): Uint8Array {
  if (field.fieldKind === 'map') return delimited(field.number, Uint8Array.of(8, 1, 16, 1))
  if (field.message) {
    const [first] = field.message.fields
    const inner = first && depth < 4 ? bytesOf(first, depth + 1) : new Uint8Array()
    return delimited(field.number, inner)
  }
  const isText = field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES
  if (isText) return delimited(field.number, Uint8Array.of(97))
  return Uint8Array.of(...tag(field.number, 0), 1)
}

function delimited(number: number, bytes: Uint8Array): Uint8Array {
  return Uint8Array.of(...tag(number, 2), bytes.length, ...bytes)
}

function tag(number: number, wireType: number): number[] {
  const value = number * 8 + wireType
  return value < 128 ? [value] : [(value & 127) | 128, value >> 7]
}
