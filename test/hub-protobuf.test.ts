// Both presenters write the same: what the protobuf presenter wrote is read by the codec and compared with JSON.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromBinary } from '@bufbuild/protobuf'
import * as core from '@farcaster/core'
import { HubJsonWriter } from '../src/kernel/hub/reads/json-writer.ts'
import {
  hubEventBytes,
  messagesResponse,
  onChainEventResponse,
} from '../src/kernel/hub/reads/protobuf-presenter.ts'
import {
  castAdd,
  castRemove,
  type DataInit,
  linkAdd,
  linkCompactState,
  reactionAdd,
  userDataAdd,
} from '../src/kernel/protocol/build.ts'
import { decodeMessage } from '../src/kernel/protocol/codec/decode.ts'
import { DEFAULT_JSON_OPTIONS, hubEventJson } from '../src/kernel/protocol/json/json.ts'
import { MESSAGE_SETS } from '../src/kernel/protocol/slots.ts'
import { HubEventSchema } from '../src/kernel/protocol/wire/hub_event_pb.js'
import { ReactionType, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { accepted, hex, inForm, onEngines } from './hub-support.ts'

/** JSON without `dataBytes`, which protobuf always carries and JSON only when it was received. */
const withoutDataBytes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, part) => (key === 'dataBytes' ? undefined : part))

onEngines('the protobuf presenter', (world) => {
  test('every event reads the same as protobuf and as JSON, whatever form its message came in', async () => {
    const account = await world().account(1)
    const at = (seconds: number) => world().origin(account, seconds)
    const sign = (init: DataInit) => world().sign(account, init)
    const cast = sign(castAdd(at(100), 'to be removed'))
    const { USER_DATA_TYPE_BIO } = UserDataType
    const messages = [
      inForm(cast, 'data'),
      inForm(sign(castRemove(at(101), cast.hash)), 'dataBytes'),
      sign(reactionAdd(at(102), ReactionType.LIKE, { url: 'https://example.com' })),
      inForm(sign(userDataAdd(at(103), USER_DATA_TYPE_BIO, 'first')), 'dataBytes'),
      inForm(sign(userDataAdd(at(104), USER_DATA_TYPE_BIO, 'second')), 'data'),
      sign(linkAdd(at(105), 'follow', 2)),
      sign(linkCompactState(at(106), 'follow', [3])),
      sign(linkCompactState(at(107), 'follow', [4])),
    ]
    for (const message of messages) accepted(await world().submit(message))
    const events = await world().app.storage.events.list(0, 1_000)
    assert.ok(events.length > messages.length, 'messages and on-chain events')
    const writer = new HubJsonWriter(DEFAULT_JSON_OPTIONS)
    for (const event of events) {
      const wire = fromBinary(HubEventSchema, hubEventBytes(event))
      const json = JSON.parse(writer.event(event).toString())
      assert.deepEqual(withoutDataBytes(hubEventJson(wire)), withoutDataBytes(json))
    }
  })

  test('a page of messages is read by the client library, with data in both fields and a token only when more follows', async () => {
    const account = await world().account(2)
    const sent = ['data', 'dataBytes', 'both'].map((form, i) =>
      inForm(
        world().sign(account, castAdd(world().origin(account, 100 + i), `cast ${i}`)),
        form as 'data' | 'dataBytes' | 'both',
      ),
    )
    for (const message of sent) accepted(await world().submit(message))
    const messages = world().app.storage.published.envelopes
    const list = { fid: 2, store: MESSAGE_SETS.casts }
    const first = await messages.listByFid(list, { size: 2 })
    const rest = await messages.listByFid(list, { size: 2, token: first.next })
    const [read, last] = [first, rest].map((page) =>
      core.MessagesResponse.decode(messagesResponse(page)),
    )
    assert.deepEqual(read!.nextPageToken && hex(read!.nextPageToken), hex(first.next!))
    assert.equal(last!.nextPageToken, undefined)
    const all = [...read!.messages, ...last!.messages]
    assert.deepEqual(
      all.map(({ data, dataBytes, hash }) => [data?.castAddBody?.text, hex(dataBytes!), hex(hash)]),
      sent.map(({ dataBytes, hash }, i) => [`cast ${i}`, hex(dataBytes), hex(hash)]),
    )
    for (const message of all) decodeMessage(core.Message.encode(message).finish())
  })

  test('a page of on-chain events is read by the client library', async () => {
    await world().account(3)
    const page = await world().app.storage.accounts.listEvents(3, 1, { size: 10 })
    const { events, nextPageToken } = core.OnChainEventResponse.decode(onChainEventResponse(page))
    assert.equal(nextPageToken, undefined)
    assert.deepEqual(
      events.map(({ fid, type }) => [fid, type]),
      page.items.map(() => [3, 1]),
    )
    assert.equal(events.length, 1)
  })
})
