// Events over HTTP: the stream of server-sent events, and pages with the same filters.

import assert from 'node:assert/strict'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import type { FeedEventInfo } from '../src/kernel/hub/events/event-feed.ts'
import { LogFeed } from '../src/kernel/hub/events/event-feed-reader.ts'
import { createEventStreams } from '../src/kernel/hub/events/event-stream.ts'
import { HubJsonWriter } from '../src/kernel/hub/reads/json-writer.ts'
import {
  castAdd,
  castRemove,
  linkAdd,
  linkRemove,
  reactionAdd,
  userDataAdd,
} from '../src/kernel/protocol/build.ts'
import { DEFAULT_JSON_OPTIONS } from '../src/kernel/protocol/json/json.ts'
import { ReactionType, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { EventLog } from '../src/kernel/storage/messages/event-log.ts'
import { type EventStreamReader, readEventStream, UNANNOUNCED } from './event-stream-support.ts'
import type { FeedEvent } from './feed.ts'
import { accepted, inWorld, newestEventId, onEngines, refused } from './hub-support.ts'
import { until } from './until.ts'
import type { TestAccount, World } from './world.ts'

const SILENT = { info() {}, warn() {} }
const CHANNEL = 'https://channel.test/birds'

const idsOf = (events: readonly { id: number }[]) => events.map(({ id }) => id)
const hubOf = (world: World) => world.app.urls.hub

const follow = (world: World, query = '', headers: Record<string, string> = {}) =>
  readEventStream(`${hubOf(world)}/v1/events/stream${query}`, headers)

/** All events of a hub, by pages. */
async function pagesOf(hubUrl: string, query = '', from = 0): Promise<FeedEvent[]> {
  const events: FeedEvent[] = []
  for (let next = from; ; ) {
    const response = await fetch(`${hubUrl}/v1/events?from_event_id=${next}${query}`)
    const page = (await response.json()) as { events: FeedEvent[]; nextPageEventId: number }
    assert.equal(response.status, 200, JSON.stringify(page))
    events.push(...page.events)
    if (page.nextPageEventId === next) return events
    next = page.nextPageEventId
  }
}

const submitCast = async (world: World, account: TestAccount, text: string): Promise<number> => {
  accepted(await world.submit(world.sign(account, castAdd(world.origin(account), text))))
  return newestEventId(world)
}

/** Some of everything that filters can tell apart. */
async function fill(world: World, fids: readonly [number, number, number]): Promise<void> {
  const accounts = await world.accounts(fids)
  const [ann, bob, cat] = accounts as [TestAccount, TestAccount, TestAccount]
  const send = async (account: TestAccount, init: Parameters<World['sign']>[1]) => {
    const message = world.sign(account, init)
    accepted(await world.submit(message))
    return message
  }
  const at = (account: TestAccount, seconds = 1_000) => world.origin(account, seconds)
  const cast = await send(ann, castAdd(at(ann), 'a cast'))
  const castId = { fid: ann.fid, hash: cast.hash }
  const inChannel = await send(
    bob,
    castAdd(at(bob), { text: 'birds', parent: { case: 'parentUrl', value: CHANNEL } }),
  )
  await send(
    cat,
    castAdd(at(cat), { text: 'a reply', parent: { case: 'parentCastId', value: wire(castId) } }),
  )
  await send(
    cat,
    castAdd(at(cat), { text: 'hello ', mentions: [BigInt(ann.fid)], mentionsPositions: [6] }),
  )
  await send(bob, reactionAdd(at(bob), ReactionType.LIKE, castId))
  await send(bob, linkAdd(at(bob), 'follow', ann.fid))
  await send(bob, linkRemove(at(bob, 1_001), 'follow', ann.fid))
  await send(bob, castRemove(at(bob, 1_001), inChannel.hash))
  await send(ann, userDataAdd(at(ann), UserDataType.USER_DATA_TYPE_BIO, 'bio'))
}

const wire = ({ fid, hash }: { fid: number; hash: Uint8Array }) =>
  ({ fid: BigInt(fid), hash }) as never

onEngines('events over HTTP', (world, engine) => {
  test('the stream has what /v1/events has, wherever a reader begins', async () => {
    await fill(world(), [1, 2, 3])
    const all = await pagesOf(hubOf(world()))
    const ids = idsOf(all)
    const last = ids.at(-1)!
    const begins: [query: string, headers: Record<string, string>, before: FeedEvent[]][] = [
      ['', {}, []],
      ['?from_event_id=latest', {}, []],
      ['?from_event_id=0', {}, all],
      [`?from_event_id=${last}`, {}, all.slice(-1)],
      [`?from_event_id=${last + 1}`, {}, []],
      [`?from_event_id=${ids[4]}`, {}, all.slice(4)],
      ['', { 'last-event-id': String(ids[4]) }, all.slice(5)],
      ['?from_event_id=0', { 'last-event-id': String(last) }, []],
      ['?from_event_id=latest', { 'last-event-id': '0' }, all],
    ]
    const readers = await Promise.all(begins.map(([query, it]) => follow(world(), query, it)))
    const live = await world().account(4)
    await submitCast(world(), live, 'live')
    const after = await pagesOf(hubOf(world()), '', last + 1)
    for (const [i, [query, headers, before]] of begins.entries()) {
      const reader = readers[i]!
      const what = `${query} ${JSON.stringify(headers)}`
      await until(() => reader.events.length >= before.length + after.length, what)
      assert.deepEqual(reader.events, [...before, ...after], what)
      assert.deepEqual(reader.named, [])
      reader.stop()
      await reader.done
    }
  })

  test('proxies are told not to compress or hold back a stream of events', async () => {
    const { response, stop } = await follow(world())
    stop()
    const { headers } = response
    assert.equal(headers.get('cache-control'), 'no-store, no-transform')
    assert.equal(headers.get('x-accel-buffering'), 'no')
  })

  test('a reader that continues above the newest event is refused, with the newest id', async () => {
    const newest = await newestEventId(world())
    const ahead: [query: string, headers: Record<string, string>, field: string][] = [
      [`?from_event_id=${newest + 2}`, {}, 'from_event_id'],
      [`?from_event_id=${2 ** 53 - 1}&fids=1`, {}, 'from_event_id'],
      ['', { 'last-event-id': String(newest + 1) }, 'Last-Event-ID'],
      ['?from_event_id=0', { 'last-event-id': String(2 ** 53 - 2) }, 'Last-Event-ID'],
    ]
    for (const [query, headers, field] of ahead) {
      const response = await fetch(`${hubOf(world())}/v1/events/stream${query}`, { headers })
      if (response.status === 200) await response.body?.cancel()
      assert.equal(response.status, 400, query)
      const body = (await response.json()) as { errCode: string; field: string }
      assert.deepEqual([body.errCode, body.field], ['bad_request.future_event', field])
    }
  })

  test('a reader that begins at a pruned event is told where the events begin', async () => {
    const ids = idsOf(await pagesOf(hubOf(world())))
    await world().app.storage.write('hub', (tx) => tx.events.prune(ids[3]!, 1_000))
    const reader = await follow(world(), `?from_event_id=${ids[1]}`)
    await until(() => reader.events.length === ids.length - 3, 'all that is left is read')
    const data = JSON.stringify({ oldestEventId: ids[3] })
    assert.deepEqual(reader.named, [{ event: 'pruned', data }])
    assert.deepEqual(idsOf(reader.events), ids.slice(3))
    reader.stop()
  })

  test('filters leave the same of the stream, of the pages and of the whole log', async () => {
    await fill(world(), [11, 12, 13])
    const all = await pagesOf(hubOf(world()))
    const dataOf = ({ mergeMessageBody: body }: FeedEvent) =>
      body ? [body.message, ...body.deletedMessages].map(({ data }) => data) : []
    const filters: [query: string, matches: (event: FeedEvent) => boolean, atLeast: number][] = [
      ['event_types=9', ({ type }) => type.endsWith('ON_CHAIN_EVENT'), 12],
      ['event_types=merge_message,PRUNE_MESSAGE', ({ type }) => type.endsWith('_MESSAGE'), 15],
      ['fids=12', (event) => fidOf(event) === 12, 5],
      ['fids=11,13', (event) => [11, 13].includes(fidOf(event)), 7],
      [
        `parent_url=${encodeURIComponent(CHANNEL)}`,
        (event) => dataOf(event).some(({ castAddBody }) => castAddBody?.parentUrl === CHANNEL),
        3,
      ],
      ['target_fid=11', (event) => dataOf(event).some((data) => pointsAt(data, 11)), 5],
      [
        'target_fid=11&fids=13&event_types=1',
        (event) => fidOf(event) === 13 && dataOf(event).some((data) => pointsAt(data, 11)),
        2,
      ],
      ['target_fid=999999', () => false, 0],
    ]
    for (const [query, matches, atLeast] of filters) {
      const expected = all.filter(matches)
      assert.ok(expected.length >= atLeast, `${query}: ${expected.length}`)
      assert.deepEqual(idsOf(await pagesOf(hubOf(world()), `&${query}`)), idsOf(expected), query)
      const paged = await pagesOf(hubOf(world()), `&${query}&limit=2`)
      assert.deepEqual(idsOf(paged), idsOf(expected), query)
      const reader = await follow(world(), `?from_event_id=0&${query}`)
      await until(() => reader.events.length >= expected.length, query)
      assert.deepEqual(reader.events, expected, query)
      reader.stop()
    }
  })

  test('a page has at most the events and about the bytes it may have, and latest is the position after the newest', async () => {
    const [account] = await world().accounts([21])
    const page = async (query: string) => accepted(await world().get(`/v1/events?${query}`))
    const latest = await page('from_event_id=latest')
    assert.deepEqual(latest, { nextPageEventId: (await newestEventId(world())) + 1, events: [] })
    const id = await submitCast(world(), account!, 'after')
    assert.deepEqual(idsOf((await page(`from_event_id=${latest.nextPageEventId}`)).events), [id])
    assert.equal((await page('limit=3')).events.length, 3)
    assert.equal((await page('pageSize=3')).events.length, 3)
    // Events that are as large as messages can be.
    const message = new Uint8Array(130_000)
    await world().app.storage.write('hub', async (tx) => {
      const log = new EventLog(tx, world().clock.now())
      for (let i = 0; i < 40; i++)
        log.append({ id: log.nextId(), type: 99, body: largeBody(message) })
      await log.flush()
    })
    const newest = await newestEventId(world())
    const ids: number[] = []
    for (let next = id + 1; ids.at(-1) !== newest; ) {
      const { events, nextPageEventId } = await page(`from_event_id=${next}`)
      assert.ok(events.length > 0 && events.length <= 18, `${events.length} events`)
      ids.push(...idsOf(events))
      next = nextPageEventId
    }
    assert.equal(ids.length, 40)
  })

  test('a filter or a position that cannot be understood is refused by name', async () => {
    for (const path of ['/v1/events', '/v1/events/stream']) {
      for (const [query, says] of [
        ['event_types=MERGE_EVERYTHING', /event_types must be one of/],
        ['event_types=1,,2', /event_types/],
        ['fids=1,0', /fids/],
        [`fids=${Array.from({ length: 1_001 }, () => 1)}`, /fids may have at most 1000 items/],
        ['fids=5000000000', /fids/],
        ['target_fid=x', /target_fid/],
        [`parent_url=${'x'.repeat(257)}`, /parent_url/],
        ['from_event_id=newest', /from_event_id/],
      ] as const) {
        const answer = await world().get(`${path}?${query}`)
        assert.equal(answer.status, 400, `${path}?${query}`)
        assert.match(answer.body.details, says)
      }
    }
    for (const id of ['x', '-1', '1.5', '9'.repeat(17)]) {
      const headers = { 'last-event-id': id }
      const answer = await fetch(`${hubOf(world())}/v1/events/stream`, { headers })
      assert.equal(answer.status, 400, id)
      assert.match(await answer.text(), /Last-Event-ID/)
    }
  })

  test(`a reader that connects again with Last-Event-ID misses nothing when the hub is restarted, on ${engine}`, async () => {
    const account = await world().account(31)
    const begin = (await newestEventId(world())) + 1
    const events: FeedEvent[] = []
    let reader: EventStreamReader | undefined
    for (let round = 0; round < 3; round++) {
      const headers = reader ? { 'last-event-id': reader.lastId } : undefined
      reader = await follow(world(), `?from_event_id=${begin}`, headers)
      const ids: number[] = []
      for (let i = 0; i < 10; i++) ids.push(await submitCast(world(), account, `${round} ${i}`))
      // Every other time it is cut in the middle of what it reads.
      if (round !== 1) await until(() => reader!.events.at(-1)?.id === ids.at(-1), 'all is read')
      await world().restart()
      await reader.done
      events.push(...reader.events)
    }
    const rest = await follow(world(), '', { 'last-event-id': reader!.lastId })
    const all = await pagesOf(hubOf(world()), '', begin)
    await until(() => events.length + rest.events.length >= all.length, 'the rest is read')
    assert.deepEqual([...events, ...rest.events], all)
    rest.stop()
  })
})

const pointsAt = (data: FeedEvent['data'], fid: number): boolean =>
  data.castAddBody?.parentCastId?.fid === fid ||
  data.castAddBody?.mentions.includes(fid) ||
  data.reactionBody?.targetCastId?.fid === fid ||
  data.linkBody?.targetFid === fid

const fidOf = (event: FeedEvent): number =>
  event.mergeMessageBody?.message.data.fid ??
  event.mergeOnChainEventBody?.onChainEvent.fid ??
  event.mergeUsernameProofBody?.usernameProof?.fid

/** A HubEvent with an unknown field of these bytes. */
function largeBody(bytes: Uint8Array): Uint8Array {
  const header = [0x08, 9, 0xfa, 0x3e]
  const length: number[] = []
  for (let rest = bytes.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest)
    if (rest <= 127) break
  }
  return Uint8Array.from([...header, ...length, ...bytes])
}

inWorld('streams of events of many readers', (world) => {
  test('one address may have 64 streams, and a place is free again when a reader is gone', async () => {
    const url = `${hubOf(world())}/v1/events/stream`
    const open = () => fetch(url)
    const places = await Promise.all(Array.from({ length: 64 }, open))
    assert.ok(places.every(({ status }) => status === 200))
    refused(await world().get('/v1/events/stream'), {
      status: 503,
      code: 'unavailable.storage_failure',
      says: /too many event streams are open/,
    })
    await places[7]!.body!.cancel()
    const again = await until(async () => {
      const answer = await open()
      if (answer.status === 200) return answer
      await answer.body?.cancel()
      return undefined
    }, 'the place is free again')
    const ends = [...places.filter((_, i) => i !== 7), again].map((place) => place.text())
    await world().restart()
    assert.equal((await Promise.all(ends)).length, 64)
  })

  test('a reader that does not take what it is sent delays no other reader and reads 1,000 writes later', async () => {
    const account = await world().account(1, { units: 100 })
    const begin = (await newestEventId(world())) + 1
    const stalled = await new Promise<IncomingMessage>((resolve) => {
      httpGet(`${hubOf(world())}/v1/events/stream?from_event_id=${begin}`, resolve)
    })
    stalled.pause()
    const other = await follow(world(), `?from_event_id=${begin}`)
    for (let i = 0; i < 1_000; i += 50) {
      const casts = Array.from({ length: 50 }, (_, n) =>
        world().submit(
          world().sign(account, castAdd(world().origin(account), `${i + n} ${'x'.repeat(300)}`)),
        ),
      )
      for (const answer of await Promise.all(casts)) accepted(answer)
    }
    await until(() => other.events.length === 1_000, 'the other reader reads all')
    let text = ''
    stalled.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    stalled.resume()
    const read = () => [...text.matchAll(/^data: .*$/gm)].map(([line]) => JSON.parse(line.slice(6)))
    await until(() => text.split('\ndata: ').length > 1_000 && text.endsWith('\n\n'), 'all is read')
    assert.deepEqual(idsOf(read()), idsOf(other.events))
    stalled.destroy()
    other.stop()
  })

  test('heartbeats move the position on for a reader whose filter matches nothing', async () => {
    const { storage } = world().app
    const feed = new LogFeed({
      events: storage.events,
      signals: storage.signals,
      json: new HubJsonWriter(DEFAULT_JSON_OPTIONS),
      log: SILENT,
    })
    const streams = createEventStreams({ feed, maxPerClient: 1_000, heartbeatMs: 20 })
    const stream = await streams.open({
      fromId: undefined,
      lastEventId: undefined,
      matches: () => false,
      ip: '192.0.2.1',
    })
    let text = ''
    stream.on('data', (chunk) => {
      text += chunk
    })
    const account = await world().account(2)
    const id = await submitCast(world(), account, 'not for it')
    feed.wake()
    await until(() => text.includes(`id: ${id}\n\n`), 'a heartbeat with the newest id')
    assert.ok(!text.includes('data:'))
    await feed.close()
    await until(() => stream.destroyed, 'the stream has ended')
  })

  test('a reader that takes nothing for too long is disconnected', async () => {
    const { storage } = world().app
    const feed = new LogFeed({
      events: storage.events,
      signals: storage.signals,
      json: new HubJsonWriter(DEFAULT_JSON_OPTIONS),
      log: SILENT,
    })
    const request = { fromId: 0, lastEventId: undefined, matches: undefined, ip: '192.0.2.1' }
    const patient = createEventStreams({ feed, maxPerClient: 1 })
    for (const [ip, same] of [
      [request.ip, request.ip],
      // Another address of the same IPv6 /64 is the same client.
      ['2001:db8::1', '2001:db8::2'],
    ] as const) {
      const open = await patient.open({ ...request, ip })
      await assert.rejects(patient.open({ ...request, ip: same }), {
        code: 'unavailable.overloaded',
      })
      open.destroy()
    }
    const streams = createEventStreams({ feed, maxPerClient: 1, heartbeatMs: 20, stalledMs: 60 })
    const stalled = await streams.open(request)
    await until(() => stalled.destroyed, 'the reader is disconnected')
    assert.deepEqual(feed.subscriptions, { live: 0, behind: 0 })
    ;(await streams.open(request)).destroy()
    await feed.close()
  })

  test('1,000 subscribers get every event of 200 writes, and idle ones hold little memory', async () => {
    const feed = new LogFeed({
      events: world().app.storage.events,
      signals: UNANNOUNCED,
      json: new HubJsonWriter(DEFAULT_JSON_OPTIONS),
      log: SILENT,
    })
    const streams = createEventStreams({ feed, maxPerClient: 1_000 })
    const before = process.memoryUsage().heapUsed
    const matches = undefined as ((event: FeedEventInfo) => boolean) | undefined
    const all = await Promise.all(
      Array.from({ length: 1_000 }, () =>
        streams.open({ fromId: undefined, lastEventId: undefined, matches, ip: '192.0.2.1' }),
      ),
    )
    const counts = all.map((stream) => {
      const count = { events: 0 }
      stream.on('data', (chunk: Buffer) => {
        count.events += chunk.toString().split('data: ').length - 1
      })
      return count
    })
    const heapOfEach = (process.memoryUsage().heapUsed - before) / all.length
    assert.ok(heapOfEach < 40_000, `${Math.round(heapOfEach)} bytes each`)
    const account = await world().account(5, { units: 100 })
    const accountEvents = 3
    await until(() => counts.every(({ events }) => events >= accountEvents), 'the account is seen')
    const casts = Array.from({ length: 200 }, (_, i) =>
      world().submit(world().sign(account, castAdd(world().origin(account), `to all ${i}`))),
    )
    for (const answer of await Promise.all(casts)) accepted(answer)
    await until(() => counts.every(({ events }) => events === accountEvents + 200), 'all is read')
    await feed.close()
  })
})
