// Pages of events, whose events are read in several steps and in several ways, must be the log, one event after the other.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { create, toBinary } from '@bufbuild/protobuf'
import { randomFrom, runSeed } from '../../test/random.ts'
import { castAdd } from '../protocol/build.ts'
import { DEFAULT_JSON_OPTIONS } from '../protocol/json.ts'
import { HubEventSchema, HubEventType } from '../protocol/wire/hub_event_pb.js'
import { MessageDataSchema } from '../protocol/wire/message_pb.js'
import type { NewEvent } from '../storage/events.ts'
import type { NewMessage } from '../storage/messages.ts'
import { messageRows } from '../storage/storage-suite.ts'
import { sqlitePlace } from '../storage/test-support.ts'
import { eventJson } from './event-json.ts'
import { RenderedEvents } from './rendered-events.ts'
import { encodeStored } from './stored.ts'

const EVENTS = 3_000
/** More than what is fetched at a time. */
const LONGEST_RUN = 700
const KEPT_BYTES = 100_000

const seed = runSeed()
console.log(`rendered events: TEST_SEED=${seed}`)
const random = randomFrom(seed)

const place = await sqlitePlace()
const storage = await place.open()
after(async () => {
  await storage.close()
  await place.drop()
})

const messages = messageRows(EVENTS, (n) => {
  const init = castAdd({ fid: 5, timestamp: n, network: 3 }, `cast ${n}`)
  return { data: toBinary(MessageDataSchema, create(MessageDataSchema, init)) }
})

type Kind = (message: NewMessage) => Omit<NewEvent, 'id'>

const onChain: Kind = ({ id }) => {
  const type = HubEventType.MERGE_ON_CHAIN_EVENT
  const value = { onChainEvent: { fid: BigInt(id) } }
  const event = create(HubEventSchema, { type, body: { case: 'mergeOnChainEventBody', value } })
  return { type, body: toBinary(HubEventSchema, event) }
}

const merged: Kind = () => ({ type: HubEventType.MERGE_MESSAGE })
const revoked: Kind = (message) => ({
  type: HubEventType.REVOKE_MESSAGE,
  message: encodeStored(message),
})

test('pages of events are the log, whatever kinds of events follow each other', async () => {
  const events: NewEvent[] = []
  while (events.length < EVENTS) {
    const kind = random.pick([merged, revoked, onChain])
    const run = messages.slice(events.length, events.length + 1 + random.int(LONGEST_RUN))
    for (const message of run) events.push({ id: message.id, ...kind(message) })
  }
  await storage.write('hub', async (tx) => {
    await tx.messages.insert(messages.filter((_, i) => events[i]!.message === undefined))
    await tx.events.append(events)
  })
  const { published } = storage
  const rendered = new RenderedEvents(
    {
      headers: published.eventHeaders,
      published: published.events,
      log: storage.events,
      rows: [storage.events],
      parts: storage.messageParts,
      bodies: storage.eventBodies,
    },
    DEFAULT_JSON_OPTIONS,
    KEPT_BYTES,
  )
  for (let from = 0; ; ) {
    const limit = 1 + random.int(1_000)
    const listed = await storage.events.list(from, limit)
    const { nextId, write } = await rendered.page(from, limit)
    const written = Buffer.from(write('[', ']') as string, 'latin1').toString()
    assert.equal(written, `[${listed.map((one) => eventJson(one, DEFAULT_JSON_OPTIONS)).join()}]`)
    if (listed.length === 0) break
    assert.equal(nextId, listed.at(-1)!.id + 1)
    from = nextId
  }
})
