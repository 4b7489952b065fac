// The event feed: where a reader may begin, what it is told then, and how long events are kept.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import * as grpc from '@grpc/grpc-js'
import {
  castAdd,
  castRemove,
  linkAdd,
  linkCompactState,
  linkRemove,
  userDataAdd,
} from '../src/kernel/protocol/build.ts'
import { firstEventIdAt } from '../src/kernel/protocol/event-id.ts'
import { DAY_MS, HOUR_MS, networkTime } from '../src/kernel/protocol/time.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import {
  EventRequestSchema,
  EventsRequestSchema,
  EventsResponseSchema,
  FidsRequestSchema,
} from '../src/kernel/protocol/wire/rpc_pb.js'
import { rawClient } from './grpc-support.ts'
import { accepted, eventsAfter, inWorld, newestEventId, onEngines, refused } from './hub-support.ts'
import { WORLD_START_MS, type World } from './world.ts'

const YEAR_2040_MS = Date.UTC(2040, 0, 1)

const eventsFrom = async (world: World, id?: number) =>
  accepted(await world.get(`/v1/events${id === undefined ? '' : `?from_event_id=${id}`}`))

const idsOf = (body: { events: { id: number }[] }) => body.events.map(({ id }) => id)

type EventMessage = { readonly hash: string; readonly data: Record<string, unknown> }

/** The messages that a reader of these events holds who deletes what docs/hub.md tells them to. */
function heldByGuide(events: Awaited<ReturnType<typeof eventsAfter>>): EventMessage[] {
  const guide = readFileSync(new URL('../docs/hub.md', import.meta.url), 'utf8')
  const rule = /```js\n([^`]*isDeleted[^`]*)```/.exec(guide)?.[1]
  assert.ok(rule, 'docs/hub.md has the rule of compact states')
  const ruleOf = new Function('event', `${rule}; return isDeleted`)
  let held: EventMessage[] = []
  for (const event of events) {
    const { message, deletedMessages } = event.mergeMessageBody
    const gone = new Set(deletedMessages.map(({ hash }: EventMessage) => hash))
    const isDeleted = message.data.linkCompactStateBody ? ruleOf(event) : () => false
    held = [...held.filter((one) => !gone.has(one.hash) && !isDeleted(one)), message]
  }
  return held
}

onEngines('the event feed', (world) => {
  test('a new event feed is empty and keeps the position of a reader', async () => {
    assert.deepEqual(await eventsFrom(world()), { nextPageEventId: 0, events: [] })
    assert.deepEqual(await eventsFrom(world(), 1), { nextPageEventId: 1, events: [] })
  })

  test('reading events from any position gives one of six documented answers', async () => {
    const account = await world().account(1)
    for (const text of ['one', 'two', 'three']) {
      world().clock.advance(1_000)
      accepted(await world().submit(world().sign(account, castAdd(world().origin(account), text))))
    }
    const all = idsOf(await eventsFrom(world()))
    const last = all.at(-1)!
    assert.equal(all.length, 6)

    assert.deepEqual(idsOf(await eventsFrom(world(), 0)), all) // 0 is the beginning, like no id
    const atLast = await eventsFrom(world(), last) // an id itself is included
    assert.deepEqual([idsOf(atLast), atLast.nextPageEventId], [[last], last + 1])
    assert.deepEqual(await eventsFrom(world(), last + 1), {
      nextPageEventId: last + 1,
      events: [],
    })
    // Above the next id there was never anything to read: the reader is told to begin again.
    for (const id of [last + 2, last + 1_000_000_000, Number.MAX_SAFE_INTEGER]) {
      for (const filter of ['', '&fids=1']) {
        const answer = await world().get(`/v1/events?from_event_id=${id}${filter}`)
        const body = refused(answer, {
          status: 400,
          code: 'bad_request.future_event',
          says: new RegExp(`^from_event_id is above the newest event, ${last}: .*read the lists`),
        })
        assert.equal(body.field, 'from_event_id')
      }
    }
    const between = await eventsFrom(world(), all[3]! + 1)
    assert.deepEqual(idsOf(between), all.slice(4))
    assert.equal('oldestEventId' in between, false)

    // Pruned: it begins at the oldest there is, and says so.
    world().clock.set(WORLD_START_MS + 3 * DAY_MS + 2_500)
    await world().app.jobs.runAll()
    const late = await eventsFrom(world(), all[0]!)
    assert.deepEqual(idsOf(late), all.slice(5))
    assert.equal(late.oldestEventId, last)
    assert.equal('oldestEventId' in (await eventsFrom(world(), 0)), false)
    assert.equal('oldestEventId' in (await eventsFrom(world(), last)), false)
    refused(await world().get(`/v1/eventById?event_id=${all[0]}`), {
      status: 404,
      code: 'not_found',
    })
  })

  test('events are kept for three days, to the millisecond', async () => {
    const account = await world().account(2)
    accepted(await world().submit(world().sign(account, castAdd(world().origin(account), 'kept'))))
    const id = await newestEventId(world())
    world().clock.advance(3 * DAY_MS)
    await world().app.jobs.runAll()
    accepted(await world().get(`/v1/eventById?event_id=${id}`))
    world().clock.advance(1)
    await world().app.jobs.runAll()
    refused(await world().get(`/v1/eventById?event_id=${id}`), { status: 404, code: 'not_found' })
    assert.equal((await eventsFrom(world())).events.length, 0)
    // The message itself is no event: it stays.
    assert.equal(accepted(await world().get('/v1/castsByFid?fid=2')).messages.length, 1)
  })

  test('event ids contain the time and only grow, also over a restart with the clock set back', async () => {
    const account = await world().account(3)
    const submit = async (text: string) => {
      const message = world().sign(account, castAdd(world().origin(account, 100), text))
      accepted(await world().submit(message))
      return newestEventId(world())
    }
    world().clock.advance(HOUR_MS)
    const now = world().clock.now()
    const first = await submit('now')
    assert.equal(first, firstEventIdAt(now))
    const event = accepted(await world().get(`/v1/eventById?id=${first}`))
    assert.deepEqual([event.id, event.timestamp], [first, networkTime(now)])
    const second = await submit('the same millisecond')
    assert.equal(second, first + 1)
    world().clock.set(now - HOUR_MS)
    const third = await submit('an hour ago')
    assert.equal(third, second + 1)
    await world().restart()
    assert.equal(await submit('after the restart'), third + 1)
    world().clock.set(now)
  })

  test('stop_id, reverse and pageToken choose the same events over HTTP and gRPC, in pages of any size', async () => {
    const account = await world().account(40)
    const start = (await newestEventId(world())) + 1
    for (let i = 0; i < 70; i++) {
      const origin = world().origin(account)
      accepted(await world().submit(world().sign(account, castAdd(origin, `event ${i}`))))
    }
    const all = idsOf(await eventsFrom(world(), start))
    assert.ok(all.length >= 70)
    const stop = all[60]!
    const walk = async (query: string, size: number) => {
      const pages: number[][] = []
      for (let token = ''; ; ) {
        const at = token && `&pageToken=${encodeURIComponent(token)}`
        const path = `/v1/events?from_event_id=${start}&pageSize=${size}${query}${at}`
        const body = accepted(await world().get(path))
        pages.push(idsOf(body))
        assert.ok(body.events.length <= size)
        assert.ok(idsOf(body).every((id) => id < body.nextPageEventId))
        token = body.nextPageToken ?? ''
        if (!token) return pages.flat()
      }
    }
    for (const size of [1, 31, 32, 33, 1_000]) {
      assert.deepEqual(await walk('&reverse=true', size), all.toReversed(), `reverse by ${size}`)
      assert.deepEqual(await walk(`&stop_id=${stop}`, size), all.slice(0, 60), `stop by ${size}`)
      const both = await walk(`&reverse=1&stop_id=${stop}`, size)
      assert.deepEqual(both, all.slice(0, 60).toReversed(), `both by ${size}`)
      const filtered = await walk('&reverse=true&event_types=MERGE_MESSAGE&fids=40', size)
      assert.deepEqual(filtered, all.slice(-70).toReversed(), `filtered by ${size}`)
    }
    const newest = accepted(await world().get('/v1/events?reverse=true&pageSize=2'))
    assert.deepEqual(idsOf(newest), all.slice(-2).toReversed())
    assert.equal(newest.nextPageEventId, all.at(-1)! + 1)

    const client = rawClient(world().app.urls.grpc)
    const request = create(EventsRequestSchema, {
      startId: BigInt(start),
      stopId: BigInt(stop),
      reverse: true,
      pageSize: 2,
    })
    const { bytes } = await client.call('GetEvents', toBinary(EventsRequestSchema, request))
    client.close()
    const page = fromBinary(EventsResponseSchema, bytes!)
    const token = encodeURIComponent(Buffer.from(page.nextPageToken!).toString('base64'))
    const query = `from_event_id=${start}&stop_id=${stop}&reverse=true&pageSize=2`
    const http = accepted(await world().get(`/v1/events?${query}&pageToken=${token}`))
    assert.deepEqual(idsOf(http), all.slice(56, 58).toReversed())

    for (const [wrong, field] of [
      ['stop_id=x', 'stop_id'],
      ['reverse=yes', 'reverse'],
      ['pageToken=AA==', 'pageToken'],
      ['pageToken=%25', 'pageToken'],
    ] as const) {
      const code = 'bad_request.invalid_param'
      const body = refused(await world().get(`/v1/events?${wrong}`), { status: 400, code })
      assert.equal(body.field, field)
    }
  })

  test('a request may name the only shard; another one is refused over HTTP and gRPC', async () => {
    const id = await newestEventId(world())
    const event = accepted(await world().get(`/v1/eventById?event_id=${id}`))
    const read = async (path: string) => accepted(await world().get(path))
    for (const shard of [0, 1]) {
      const { events } = await read(`/v1/events?from_event_id=${id}&shard_index=${shard}`)
      assert.deepEqual(events, [event])
      assert.deepEqual(await read(`/v1/eventById?event_id=${id}&shard_index=${shard}`), event)
      assert.ok((await read(`/v1/fids?shard_id=${shard}`)).fids.length > 0)
    }
    for (const [path, field] of [
      ['/v1/events?shard_index=2', 'shard_index'],
      [`/v1/eventById?event_id=${id}&shard_index=9`, 'shard_index'],
      ['/v1/events/stream?shard_index=2', 'shard_index'],
      ['/v1/fids?shard_id=2', 'shard_id'],
      ['/v1/fids?shard_id=-1', 'shard_id'],
    ] as const) {
      const answer = await world().get(path)
      const body = refused(answer, { status: 400, code: 'bad_request.invalid_param' })
      assert.equal(body.field, field, path)
    }

    const client = rawClient(world().app.urls.grpc)
    const ended = async (method: string, bytes: Uint8Array) =>
      (await client.call(method, bytes)).status
    for (const [shardIndex, code] of [
      [0, grpc.status.OK],
      [1, grpc.status.OK],
      [2, grpc.status.INVALID_ARGUMENT],
    ] as const) {
      const one = toBinary(
        EventRequestSchema,
        create(EventRequestSchema, { id: BigInt(id), shardIndex }),
      )
      const many = toBinary(EventsRequestSchema, create(EventsRequestSchema, { shardIndex }))
      const fids = toBinary(FidsRequestSchema, create(FidsRequestSchema, { shardId: shardIndex }))
      assert.equal(await ended('GetEvent', one), code)
      assert.equal(await ended('GetEvents', many), code)
      assert.equal(await ended('GetFids', fids), code)
    }
    client.close()
  })

  test('a merge event contains replaced messages, also after its own message is gone', async () => {
    const account = await world().account(4)
    const at = (seconds: number) => world().origin(account, seconds)
    const { USER_DATA_TYPE_BIO } = UserDataType
    const [first, second] = ['first', 'second'].map((text, i) =>
      world().sign(account, userDataAdd(at(100 + i), USER_DATA_TYPE_BIO, text)),
    )
    const cast = world().sign(account, castAdd(at(100), 'to be removed'))
    const before = await newestEventId(world())
    const link = world().sign(account, linkAdd(at(100), 'follow', 5))
    for (const message of [first!, second!, cast, link]) accepted(await world().submit(message))
    accepted(await world().submit(world().sign(account, castRemove(at(100), cast.hash))))
    const events = await eventsAfter(world(), before)
    const told = events.map(({ mergeMessageBody }) => [
      mergeMessageBody.message.data.type.replace('MESSAGE_TYPE_', ''),
      mergeMessageBody.deletedMessages.map((one: { hash: string }) => one.hash.length),
    ])
    assert.deepEqual(told, [
      ['USER_DATA_ADD', []],
      ['USER_DATA_ADD', [42]],
      ['CAST_ADD', []],
      ['LINK_ADD', []],
      ['CAST_REMOVE', [42]],
    ])
    assert.equal(events[0]!.mergeMessageBody.message.data.userDataBody.value, 'first')
    assert.equal(
      events[1]!.mergeMessageBody.deletedMessages[0].hash,
      events[0]!.mergeMessageBody.message.hash,
    )
    assert.equal(events[2]!.mergeMessageBody.message.data.castAddBody.text, 'to be removed')
  })

  test('the merge event of a compact state lists no deleted messages, not even the compact state that it replaced', async () => {
    const account = await world().account(6)
    const at = (seconds: number) => world().origin(account, seconds)
    const before = await newestEventId(world())
    const sent = [
      linkAdd(at(100), 'follow', 5),
      linkCompactState(at(200), 'follow', [1, 2]),
      linkCompactState(at(300), 'follow', [2]),
    ].map((init) => world().sign(account, init))
    for (const message of sent) accepted(await world().submit(message))
    const events = await eventsAfter(world(), before)
    assert.deepEqual(
      events.map(({ mergeMessageBody }) => mergeMessageBody.deletedMessages),
      [[], [], []],
    )
    const newest = accepted(await world().get(`/v1/eventById?event_id=${events[2]!.id}`))
    assert.deepEqual(newest.mergeMessageBody.deletedMessages, [])
    assert.deepEqual(newest.mergeMessageBody.message.data.linkCompactStateBody.targetFids, [2])
  })

  test('a reader of events that follows the guide holds the links that the hub lists after each compact state', async () => {
    const account = await world().account(7)
    const at = (seconds: number) => world().origin(account, seconds)
    const before = await newestEventId(world())
    const sent = [
      linkAdd(at(100), 'follow', 1),
      linkAdd(at(100), 'follow', 2),
      linkAdd(at(101), 'block', 2),
      linkRemove(at(100), 'follow', 3),
      linkAdd(at(210), 'follow', 4),
      linkCompactState(at(200), 'follow', [1, 4]),
      linkCompactState(at(300), 'follow', [4]),
    ].map((init) => world().sign(account, init))
    for (const message of sent) accepted(await world().submit(message))
    const kept = heldByGuide(await eventsAfter(world(), before))
    const { messages } = accepted(await world().get('/v1/linksByFid?fid=7'))
    const listed = messages.map(({ hash }: { hash: string }) => hash)
    const links = kept.filter(({ data }) => data.linkBody).map(({ hash }) => hash)
    assert.deepEqual(links.sort(), listed.sort())
    assert.equal(links.length, 2)
    const states = kept.filter(({ data }) => data.linkCompactStateBody).map(({ hash }) => hash)
    assert.deepEqual(states, [`0x${Buffer.from(sent.at(-1)!.hash).toString('hex')}`])
  })
})

inWorld(
  'in the year 2040',
  (world) => {
    test('in the year 2040 messages are still accepted, stored and reported', async () => {
      const account = await world().account(1)
      const cast = castAdd(world().origin(account), 'hello from there')
      const { data } = accepted(await world().submit(world().sign(account, cast)))
      assert.equal(data.timestamp, networkTime(YEAR_2040_MS))
      const { events } = await eventsFrom(world())
      const last = events.at(-1)
      assert.ok(Number.isSafeInteger(last.id))
      assert.equal(last.timestamp, networkTime(YEAR_2040_MS))
      await world().app.jobs.runAll()
      assert.equal(accepted(await world().get('/v1/castsByFid?fid=1')).messages.length, 1)
    })
  },
  { startMs: YEAR_2040_MS },
)
