// Real server processes: events of one reach the subscribers of another, and none is lost when one is killed.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type App, openStore, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { buildMessage, castAdd } from '../src/kernel/protocol/build.ts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { effort } from './effort.ts'
import { readEventStream } from './event-stream-support.ts'
import { followEvents, rawClient, subscribeRequest } from './grpc-support.ts'
import { isNotification, startPostgresProxy } from './postgres-proxy.ts'
import { createPlace, type Env, type Program, startProgram } from './program.ts'
import { DEVNET, enginesOf } from './world.ts'

type Person = { readonly fid: number; readonly appPrivateKey: string }

/** What the tests' submits must not be stopped by. */
const LIMITS: Env = { ROOKERY_SUBMIT_LIMIT: '1000000', ROOKERY_SUBSCRIBE_LIMIT: '1000' }

// biome-ignore lint/suspicious/noExplicitAny: JSON of several interfaces
const getJson = async (url: string): Promise<any> => (await fetch(url)).json()

const peopleOf = async ({ operations }: Program): Promise<Person[]> =>
  (await getJson(`${operations}/dev/accounts`)).accounts

let serial = 0

/** Submits a cast over gRPC; resolves to its hash when it was acknowledged, and undefined otherwise. */
async function submitCast(
  client: ReturnType<typeof rawClient>,
  { fid, appPrivateKey }: Person,
): Promise<string | undefined> {
  const origin = { fid, timestamp: networkTime(Date.now()), network: DEVNET }
  const message = buildMessage(castAdd(origin, `cast ${++serial}`), fromHex(appPrivateKey)!)
  const { status } = await client.call('SubmitMessage', encodeEnvelope(message))
  return status === 0 ? toHex(message.hash) : undefined
}

/** The ids of all events of a hub, and the hashes of the casts that they report. */
async function readLog(hub: string): Promise<{ ids: number[]; casts: Set<string> }> {
  const ids: number[] = []
  const casts = new Set<string>()
  for (let next = 0; ; ) {
    const page = await getJson(`${hub}/v1/events?from_event_id=${next}`)
    for (const event of page.events) {
      ids.push(event.id)
      const message = event.mergeMessageBody?.message
      if (message?.data.castAddBody) casts.add(message.hash)
    }
    if (page.events.length === 0) return { ids, casts }
    next = page.nextPageEventId
  }
}

const newestId = async (hub: string): Promise<number> =>
  (await getJson(`${hub}/v1/events?from_event_id=latest`)).nextPageEventId - 1

describe('two server processes on one PostgreSQL', () => {
  let place: Awaited<ReturnType<typeof createPlace>>
  let proxy: Awaited<ReturnType<typeof startPostgresProxy>>
  let writer: App
  let reader: Program
  let people: Person[]
  let isDropping = false
  let dropped = 0
  before(async () => {
    place = await createPlace('postgres')
    proxy = await startPostgresProxy(place.env.DATABASE_URL!, (message) => {
      if (!isDropping || !isNotification(message)) return message.bytes
      dropped++
      return undefined
    })
    reader = await startProgram('start', { ...place.env, ...LIMITS, DATABASE_URL: proxy.url })
    people = await peopleOf(reader)
    // This process is the other one.
    writer = await startApp({
      config: readConfig({ ...place.env, ...LIMITS }, 'development'),
      logger: createLogger({ level: 'fatal' }),
    })
  })
  after(async () => {
    await reader?.stop()
    await writer?.stop()
    await proxy?.close()
    await place?.remove()
  })

  /** Submits at one process, each when the last one has arrived at the other; milliseconds of each. */
  async function follow(count: number): Promise<number[]> {
    const [submitting, subscribing] = [rawClient(writer.urls.grpc), rawClient(reader.grpc)]
    const stream = subscribing.serverStream('Subscribe', subscribeRequest({}))
    const { begun, ids, until } = followEvents(stream)
    await begun
    const first = (await newestId(writer.urls.hub)) + 1
    const latencies: number[] = []
    for (let i = 0; i < count; i++) {
      assert.ok(await submitCast(submitting, people[i % people.length]!))
      const answeredAt = performance.now()
      await until(await newestId(writer.urls.hub))
      latencies.push(performance.now() - answeredAt)
    }
    const log = (await readLog(writer.urls.hub)).ids.filter((id) => id >= first)
    assert.deepEqual(ids, log)
    stream.cancel()
    submitting.close()
    subscribing.close()
    return latencies.sort((a, b) => a - b)
  }

  test('an event of one process wakes a subscriber of the other one long before its poll', async (t) => {
    const latencies = await follow(effort(15, 200))
    const [quarter, median] = [2, 1].map((bits) => latencies[latencies.length >> bits]!)
    t.diagnostic(`lower quartile ${quarter!.toFixed(1)} ms, median ${median!.toFixed(1)} ms`)
    // By polls alone each but the first would take about a second: the next submit follows upon the arrival.
    assert.ok(quarter! < 500, `lower quartile ${quarter} ms`)
  })

  test('events reach the subscribers of the other process when every notification is lost', async () => {
    isDropping = true
    const before = dropped
    await follow(3)
    assert.ok(dropped > before, 'notifications were sent and lost')
    isDropping = false
  })

  test('20 writers at two processes and subscribers that come and go at both see one log', async () => {
    const clients = [rawClient(writer.urls.grpc), rawClient(reader.grpc)]
    const from = (await newestId(writer.urls.hub)) + 1
    let isOver = false
    let submitted = 0
    const writers = Array.from({ length: 20 }, async (_, i) => {
      while (!isOver) {
        if (await submitCast(clients[i % 2]!, people[i % people.length]!)) submitted++
      }
    })
    const followed: {
      stream: { cancel(): void }
      one: ReturnType<typeof followEvents>
      from: number
    }[] = []
    const endsAt = performance.now() + effort(300, 10_000)
    const isDone = () => performance.now() >= endsAt && submitted >= 50 && followed.length >= 5
    for (let i = 0; !isDone(); i++) {
      const start = i % 3 === 0 ? from : await newestId(writer.urls.hub)
      const stream = clients[i % 2]!.serverStream(
        'Subscribe',
        subscribeRequest({ fromId: BigInt(start) }),
      )
      followed.push({ stream, one: followEvents(stream), from: start })
      // Some go before everything has happened.
      if (i % 5 === 4) followed.splice(i % 4, 1)[0]?.stream.cancel()
      await sleep(50)
    }
    isOver = true
    await Promise.all(writers)
    const { ids } = await readLog(writer.urls.hub)
    for (const { stream, one, from: start } of followed) {
      await one.until(ids.at(-1)!)
      assert.deepEqual(
        one.ids,
        ids.filter((id) => id >= start),
      )
      stream.cancel()
    }
    for (const client of clients) client.close()
  })
})

/** The hashes of the messages that a store's log reports as merged, and the ids of all its events. */
async function storedLog(env: Env): Promise<{ ids: number[]; merged: Set<string> }> {
  const store = await openStore(readConfig(env, 'development'))
  const events = await store.events.list(0, 1e6)
  await store.close()
  const merged = new Set(events.flatMap(({ merged }) => (merged ? [toHex(merged.hash)] : [])))
  return { ids: events.map(({ id }) => id), merged }
}

for (const engine of enginesOf(import.meta.url)) {
  describe(`a hub with subscribers and submitters on ${engine}`, () => {
    test(`a hub that is killed loses no acknowledged message and no event over gRPC or HTTP, and one that is stopped ends its calls, on ${engine}`, async () => {
      const place = await createPlace(engine)
      const acknowledged = new Set<string>()
      const readers = Array.from({ length: 4 }, () => ({ ids: [] as number[] }))
      const streamed: number[] = []
      try {
        const kills = Array.from({ length: effort(1, 10) }, () => 'SIGKILL' as const)
        for (const ending of [...kills, 'SIGTERM' as const]) {
          const program = await startProgram('start', { ...place.env, ...LIMITS })
          const people = await peopleOf(program)
          const client = rawClient(program.grpc)
          const statuses = readers.map(({ ids }) => {
            // The last id that was handled comes once more.
            const fromId = BigInt(ids.at(-1) ?? 0)
            const stream = client.serverStream('Subscribe', subscribeRequest({ fromId }))
            const followed = followEvents(stream)
            const repeated = ids.length > 0 ? 1 : 0
            return followed.status.then((status) => {
              if (repeated && followed.ids.length > 0) assert.equal(followed.ids[0], ids.at(-1))
              ids.push(...followed.ids.slice(repeated))
              return status
            })
          })
          const eventStream = await readEventStream(
            `${program.hub}/v1/events/stream?from_event_id=0`,
            streamed.length > 0 ? { 'last-event-id': String(streamed.at(-1)) } : {},
          )
          let isOver = false
          let count = 0
          const submitters = people.slice(0, 8).map(async (person) => {
            while (!isOver) {
              const hash = await submitCast(client, person)
              if (hash === undefined) return
              acknowledged.add(hash)
              count++
            }
          })
          while (count < 40) await sleep(5)
          await program.stop(ending)
          isOver = true
          await Promise.all(submitters)
          for (const { code, metadata } of await Promise.all(statuses)) {
            assert.equal(code, 14)
            if (ending === 'SIGTERM') assert.deepEqual(metadata.get('errcode'), ['unavailable'])
          }
          await eventStream.done
          streamed.push(...eventStream.events.map(({ id }) => id))
          client.close()
        }
        const { ids, merged } = await storedLog({ ...place.env, ...LIMITS })
        for (const hash of acknowledged) assert.ok(merged.has(hash), `${hash} was acknowledged`)
        for (const read of [...readers.map((reader) => reader.ids), streamed]) {
          assert.ok(read.length > 40)
          assert.deepEqual(read, ids.slice(0, read.length))
        }
      } finally {
        await place.remove()
      }
    })
  })
}
