// Fixed bytes and the JSON they must give, key order included; and the client library's own JSON, with
// the deployed hub's rewriting of bytes, as an oracle that knows nothing of ours.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fromBinary } from '@bufbuild/protobuf'
import * as core from '@farcaster/core'
import { base58 } from '@scure/base'
import { fromBase64, fromHex, toHex } from '../codec/bytes.ts'
import { decodeMessage } from '../codec/decode.ts'
import { HubEventSchema } from '../wire/hub_event_pb.js'
import { UserNameProofSchema } from '../wire/message_pb.js'
import { OnChainEventSchema } from '../wire/onchain_event_pb.js'
import {
  DEFAULT_JSON_OPTIONS,
  hubEventJson,
  messageJson,
  messageText,
  nameProofJson,
  onChainEventJson,
} from './json.ts'

type Fixture = { kind: string; bytes: string; options?: object; json: unknown }

const folder = new URL('../../../../fixtures/json/', import.meta.url)
const names = readdirSync(folder).filter((name) => name.endsWith('.json'))

const RENDER: Readonly<Record<string, (bytes: Uint8Array, options: object) => unknown>> = {
  message: (bytes, options) =>
    messageJson(decodeMessage(bytes), { ...DEFAULT_JSON_OPTIONS, ...options }),
  hubEvent: (bytes, options) =>
    hubEventJson(fromBinary(HubEventSchema, bytes), { ...DEFAULT_JSON_OPTIONS, ...options }),
  onChainEvent: (bytes) => onChainEventJson(fromBinary(OnChainEventSchema, bytes)),
  userNameProof: (bytes) => nameProofJson(fromBinary(UserNameProofSchema, bytes)),
}

for (const name of names) {
  const { kind, bytes, options = {}, json } = read(name)
  test(`the JSON of ${name} equals the fixture`, () => {
    const rendered = RENDER[kind]!(fromHex(bytes)!, options)
    assert.equal(JSON.stringify(rendered, null, 2), JSON.stringify(json, null, 2))
  })
}

for (const name of names.filter((name) => read(name).kind === 'message')) {
  test(`the JSON of ${name} equals that of the deployed hub`, () => {
    const bytes = fromHex(read(name).bytes)!
    const options = { networkPrefix: 'FARCASTER_NETWORK', frameBytes: 'base64' } as const
    assert.deepEqual({ ...messageJson(decodeMessage(bytes), options) }, deployedJson(bytes))
  })
}

for (const name of names.filter((name) => read(name).kind === 'message')) {
  test(`the JSON text of ${name} is written directly and equals its JSON object`, () => {
    const message = decodeMessage(fromHex(read(name).bytes)!)
    assert.equal(messageText(message), JSON.stringify(messageJson(message)))
  })
}

for (const name of names.filter((name) => read(name).kind === 'onChainEvent')) {
  test(`the JSON of ${name} equals that of the deployed hub apart from the payer`, () => {
    const bytes = fromHex(read(name).bytes)!
    const event = onChainEventJson(fromBinary(OnChainEventSchema, bytes))
    const theirs = rewritten(core.OnChainEvent.toJSON(core.OnChainEvent.decode(bytes)))
    const { storageRentEventBody: rent } = theirs as { storageRentEventBody?: { payer: string } }
    if (rent) rent.payer = toHex(fromBase64(rent.payer)!)
    assert.deepEqual({ ...event }, theirs)
  })
}

function read(name: string): Fixture {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Fixture
}

function deployedJson(bytes: Uint8Array): unknown {
  const message = core.Message.decode(bytes)
  if (message.dataBytes) message.data = core.MessageData.decode(message.dataBytes)
  return rewritten(core.Message.toJSON(message))
}

const HEX_KEYS = new Set([
  'hash',
  'signer',
  'transactionHash',
  'key',
  'owner',
  'to',
  'from',
  'recoveryAddress',
])

/** What the deployed hub does to the library's JSON, from its description. */
function rewritten(value: unknown, protocol?: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => rewritten(item))
  if (typeof value !== 'object' || value === null) return value
  const source = value as Record<string, unknown>
  const result: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(source)) {
    if (typeof inner === 'string')
      result[key] = rewrittenText(key, inner, source.protocol ?? protocol)
    else result[key] = rewritten(inner)
  }
  if ('claimSignature' in result) result.ethSignature = result.claimSignature
  if ('verificationAddAddressBody' in result) {
    result.verificationAddEthAddressBody = result.verificationAddAddressBody
  }
  return result
}

function rewrittenText(key: string, text: string, protocol: unknown): string {
  const bytes = fromBase64(text)
  if (!bytes) return text
  if (HEX_KEYS.has(key)) return toHex(bytes)
  if (key === 'name') return Buffer.from(bytes).toString()
  if (key !== 'address' && key !== 'blockHash') return text
  return protocol === 'PROTOCOL_SOLANA' ? base58.encode(bytes) : toHex(bytes)
}
