// The live event feed of a process: one reader of the log, and subscribers that are positions in it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FeedEvent, FeedEventInfo } from '../src/kernel/hub/events/event-feed.ts'
import { FEED_BATCH_BYTES } from '../src/kernel/hub/events/event-feed.ts'
import { type FeedBounds, LogFeed } from '../src/kernel/hub/events/event-feed-reader.ts'
import { HubJsonWriter } from '../src/kernel/hub/reads/json-writer.ts'
import { buildMessage, castAdd, linkAdd } from '../src/kernel/protocol/build.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { DEFAULT_JSON_OPTIONS } from '../src/kernel/protocol/json/json.ts'
import { KIB } from '../src/kernel/protocol/sizes.ts'
import { HubEventType } from '../src/kernel/protocol/wire/hub_event_pb.js'
import { EventLog } from '../src/kernel/storage/messages/event-log.ts'
import type { EventReader } from '../src/kernel/storage/messages/events.ts'
import { effort } from './effort.ts'
import { UNANNOUNCED } from './event-stream-support.ts'
import { onEngines } from './hub-support.ts'
import { randomFrom } from './random.ts'
import { until } from './until.ts'
import { DEVNET, testAccount } from './world.ts'

const { MERGE_MESSAGE, PRUNE_MESSAGE, REVOKE_MESSAGE } = HubEventType
const TYPES = [MERGE_MESSAGE, PRUNE_MESSAGE, REVOKE_MESSAGE]
const SILENT = { info() {}, warn() {} }

/** Casts of these fids, as an event keeps them once they are gone: signed once and used many times. */
const messages = [1, 2, 3, 4, 5, 6, 7].flatMap((fid) => {
  const { seed } = testAccount(fid)
  const origin = { fid, timestamp: 1_000, network: DEVNET }
  return [
    castAdd(origin, 'x'.repeat(40 * fid)),
    castAdd(origin, {
      text: 'in a channel',
      parent: { case: 'parentUrl', value: `https://channel.test/${fid % 2}` },
    }),
    linkAdd(origin, 'follow', (fid % 3) + 100),
  ].map((init) => encodeEnvelope(buildMessage(init, seed)))
})

type Reading = { readonly events: FeedEvent[]; stop(): void; readonly done: Promise<void> }

/** Reads on until it is stopped. */
async function read(
  feed: LogFeed,
  fromId: number | undefined,
  options: { matches?: (event: FeedEventInfo) => boolean; pauseMs?: () => number } = {},
): Promise<Reading> {
  const abort = new AbortController()
  const subscription = await feed.subscribe({ fromId, signal: abort.signal, ...options })
  const events: FeedEvent[] = []
  const run = async () => {
    for (;;) {
      const batch = await subscription.next()
      if (batch.length === 0) return
      assert.ok(batch.length === 1 || sizeOf(batch) <= FEED_BATCH_BYTES)
      events.push(...batch)
      if (options.pauseMs) await sleep(options.pauseMs())
    }
  }
  const done = run()
  // Most tests end by closing the feed, which their readers need not be asked about.
  done.catch(() => {})
  return { events, stop: () => abort.abort(), done }
}

const sizeOf = (batch: readonly FeedEvent[]) =>
  batch.reduce((sum, { bytes }) => sum + bytes.length, 0)
const idsOf = (events: readonly { id: number }[]) => events.map(({ id }) => id)

onEngines('the event feed', (world) => {
  /** Commits events about messages in one transaction. */
  async function commit(count: number, at = randomFrom(count)): Promise<number[]> {
    const { storage } = world().app
    return storage.write('hub', async (tx) => {
      const log = new EventLog(tx, world().clock.now())
      const ids = Array.from({ length: count }, () => log.nextId())
      for (const id of ids) {
        const type = at.pick(TYPES)
        log.append({ id, type, message: at.pick(messages) })
      }
      await log.flush()
      return ids
    })
  }

  const feedOf = (bounds: Partial<FeedBounds> = {}, events?: EventReader) =>
    new LogFeed({
      events: events ?? world().app.storage.events,
      signals: UNANNOUNCED,
      json: new HubJsonWriter(DEFAULT_JSON_OPTIONS),
      log: SILENT,
      bounds,
    })
  const logFrom = async (fromId: number) =>
    idsOf(await world().app.storage.events.list(fromId, 1e6))
  const newestId = () => world().app.storage.events.newestId()

  test('subscribers get every event once and in order while 64 writers commit, wherever they begin', async () => {
    await commit(effort(100, 300))
    const started = await newestId()
    // A ring of some dozens of events, so that readers fall behind it and come back.
    const feed = feedOf({ ringBytes: 64 * KIB })
    const writers = Array.from({ length: 64 }, async (_, writer) => {
      const at = randomFrom(writer)
      for (let i = 0; i < effort(2, 6); i++) {
        await commit(1 + at.int(12), at)
        if (writer % 2) feed.wake()
      }
    })
    const readings: { from: number | undefined; begun: number; reading: Reading }[] = []
    const begin = async (from: number | undefined, pauseMs?: () => number) => {
      const begun = await newestId()
      readings.push({ from, begun, reading: await read(feed, from, pauseMs ? { pauseMs } : {}) })
    }
    const pause = randomFrom(7)
    for (let i = 0; i < effort(3, 8); i++) {
      await begin(undefined)
      await begin(0)
      await begin(started)
      await begin(started + 1, () => pause.int(20))
      await begin(await newestId())
      await sleep(5)
    }
    await Promise.all(writers)
    const last = (await commit(2)).at(-1)
    await until(
      () => readings.every(({ reading }) => reading.events.at(-1)?.id === last),
      'all read',
    )
    for (const { from, begun, reading } of readings) {
      const ids = idsOf(reading.events)
      if (from !== undefined) assert.deepEqual(ids, await logFrom(from))
      else {
        // What was committed while it subscribed may or may not be there; from its first event on, all is.
        assert.ok(ids[0]! > begun)
        assert.deepEqual(ids, await logFrom(ids[0]!))
      }
      reading.stop()
      await reading.done
    }
    assert.deepEqual(feed.subscriptions, { live: 0, behind: 0 })
    assert.equal(feed.ringBytes, 0)
    await feed.close()
  })

  test('a subscription that begins at any position gets one of six documented answers', async () => {
    const ids = await commit(5)
    const last = ids.at(-1)!
    const all = await logFrom(0)
    const feed = feedOf()
    const begins: [from: number | undefined, before: number[]][] = [
      [undefined, []],
      [0, all],
      [last, [last]],
      [last + 1, []],
      [ids[1]! + 1, ids.slice(2)],
      [1, all],
    ]
    const readings = await Promise.all(begins.map(([from]) => read(feed, from)))
    const next = await commit(2)
    feed.wake()
    await until(() => readings.every(({ events }) => events.at(-1)?.id === next.at(-1)), 'all read')
    for (const [i, [, before]] of begins.entries()) {
      assert.deepEqual(idsOf(readings[i]!.events), [...before, ...next])
    }
    await world().app.storage.write('hub', (tx) => tx.events.prune(ids[2]!, 1e6))
    const late = await read(feed, ids[0]!)
    await until(() => late.events.length > 0, 'the reader that begins at a pruned id reads')
    assert.equal(late.events[0]!.id, ids[2])
    const signal = new AbortController().signal
    assert.equal((await feed.subscribe({ fromId: ids[0]!, signal })).oldestId, ids[2])
    assert.equal((await feed.subscribe({ fromId: 0, signal })).oldestId, undefined)
    assert.equal((await feed.subscribe({ fromId: ids[2]!, signal })).oldestId, undefined)
    for (const fromId of [next.at(-1)! + 2, 2 ** 53 - 1]) {
      const refusal = { code: 'bad_request.future_event', field: 'from_event_id' }
      await assert.rejects(feed.subscribe({ fromId, signal }), refusal)
    }
    await feed.close()
    await assert.rejects(late.done, { code: 'unavailable' })
  })

  test('a filtered subscription gets what a filter leaves of the whole log, replayed and live', async () => {
    await commit(3_000)
    const feed = feedOf({ ringBytes: 256 * KIB })
    const filters: ((event: FeedEventInfo) => boolean)[] = [
      ({ type }) => type === PRUNE_MESSAGE,
      ({ fid }) => fid === 3 || fid === 5,
      ({ subject }) => subject.parentUrls.includes('https://channel.test/1'),
      ({ subject }) => subject.targetFids.includes(101),
      ({ type, subject }) => type === REVOKE_MESSAGE && subject.targetFids.includes(102),
      ({ id }) => id % 1_000 === 7,
      () => false,
    ]
    const whole = await read(feed, 0)
    const filtered = await Promise.all(filters.map((matches) => read(feed, 0, { matches })))
    for (let i = 0; i < 20; i++) {
      await commit(50, randomFrom(i))
      feed.wake()
    }
    const log = await logFrom(0)
    await until(() => whole.events.length === log.length, 'the whole log is read')
    for (const [i, matches] of filters.entries()) {
      const expected = idsOf(whole.events.filter(matches))
      await until(() => filtered[i]!.events.length >= expected.length, `filter ${i} has read all`)
      assert.deepEqual(idsOf(filtered[i]!.events), expected)
    }
    assert.ok(filtered.slice(0, 5).every(({ events }) => events.length > 50))
    await feed.close()
  })

  test('a filter that matches nothing looks at each event of a long log once, and then at each new one', async () => {
    const count = effort(10_000, 100_000)
    for (let left = count; left > 0; left -= 5_000) await commit(Math.min(left, 5_000))
    const logged = await logFrom(0)
    const looked: number[] = []
    const feed = feedOf()
    const wanted = 99
    const matches = ({ id, type }: FeedEventInfo) => {
      looked.push(id)
      return type === wanted
    }
    const { events, stop, done } = await read(feed, 0, { matches })
    await until(() => looked.length >= logged.length, 'the whole log is looked at')
    const [next] = await commit(1)
    feed.wake()
    await until(() => looked.at(-1) === next, 'the new event is looked at')
    assert.deepEqual(looked, [...logged, next])
    assert.deepEqual([events, feed.subscriptions], [[], { live: 1, behind: 0 }])
    stop()
    await done
    await feed.close()
  })

  test('a subscriber that stops reading costs nothing, delays no other and continues later', async () => {
    const feed = feedOf({ ringBytes: 128 * KIB })
    const from = (await newestId()) + 1
    const signal = new AbortController().signal
    const stalled = await feed.subscribe({ fromId: undefined, signal })
    const reader = await read(feed, undefined)
    for (let i = 0; i < 40; i++) await commit(25, randomFrom(i))
    const expected = await logFrom(from)
    assert.equal(expected.length, 1_000)
    await until(() => reader.events.length === expected.length, 'the other subscriber reads all')
    assert.deepEqual(idsOf(reader.events), expected)
    assert.ok(feed.ringBytes <= 128 * KIB)
    assert.deepEqual(feed.subscriptions, { live: 1, behind: 1 })
    const ids: number[] = []
    while (ids.length < expected.length) ids.push(...idsOf(await stalled.next()))
    assert.deepEqual(ids, expected)
    assert.deepEqual(feed.subscriptions, { live: 2, behind: 0 })
    await feed.close()
  })

  test('an event is encoded once for all subscribers', async () => {
    const feed = feedOf()
    const readings = await Promise.all(Array.from({ length: 5 }, () => read(feed, undefined)))
    await commit(10)
    feed.wake()
    await until(() => readings.every(({ events }) => events.length === 10), 'all read')
    for (const { events } of readings) {
      for (const [i, event] of events.entries()) {
        assert.equal(event.bytes, readings[0]!.events[i]!.bytes)
        assert.equal(event.serverSentBytes, readings[0]!.events[i]!.serverSentBytes)
      }
    }
    await feed.close()
  })

  test('a poll finds events that were not announced', async () => {
    const feed = feedOf()
    const reading = await read(feed, undefined)
    const ids = await commit(3)
    await until(() => reading.events.length === 3, 'the events are found')
    assert.deepEqual(idsOf(reading.events), ids)
    await feed.close()
  })

  test('a subscription continues at its position after the store could not be read', async () => {
    const real = world().app.storage.events
    let isBroken = false
    const events: EventReader = {
      ...real,
      async list(...request) {
        if (isBroken) throw new Error('the store is away')
        return real.list(...request)
      },
    }
    const feed = feedOf({ retryMs: 5 }, events)
    const from = (await newestId()) + 1
    const live = await read(feed, undefined)
    isBroken = true
    const replaying = await read(feed, from - 1)
    await commit(20)
    await sleep(30)
    isBroken = false
    const expected = await logFrom(from)
    await until(() => live.events.length === expected.length, 'the live subscriber has all')
    await until(() => replaying.events.length === expected.length + 1, 'the other one has all')
    assert.deepEqual(idsOf(live.events), expected)
    assert.deepEqual(idsOf(replaying.events).slice(1), expected)
    await feed.close()
  })

  test('subscriptions end when the store cannot be read for a long time', async () => {
    const real = world().app.storage.events
    const events: EventReader = {
      ...real,
      list: () => Promise.reject(new Error('the store is away')),
    }
    const feed = feedOf({ retryMs: 5, maxOutageMs: 20 }, events)
    const live = await read(feed, undefined)
    const replaying = await read(feed, 0)
    await assert.rejects(live.done, { code: 'unavailable', message: /event log cannot be read/ })
    await assert.rejects(replaying.done, { code: 'unavailable' })
    assert.deepEqual(feed.subscriptions, { live: 0, behind: 0 })
    await feed.close()
  })

  test('a subscription ends by its signal, and all end when the feed is closed', async () => {
    const feed = feedOf()
    const [first, second] = await Promise.all([read(feed, undefined), read(feed, undefined)])
    first.stop()
    await first.done
    assert.equal(feed.subscriptions.live, 1)
    await feed.close()
    await assert.rejects(second.done, { code: 'unavailable', message: 'the hub is stopping' })
    await assert.rejects(read(feed, undefined), { code: 'unavailable' })
    const aborted = AbortSignal.abort()
    const other = feedOf()
    assert.deepEqual(await (await other.subscribe({ fromId: 0, signal: aborted })).next(), [])
    assert.equal(other.subscriptions.live, 0)
    await other.close()
  })
})
