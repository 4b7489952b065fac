// The gRPC interface beside the HTTP one, and live delivery: each figure with the aim it is measured against.

import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { buildMessage, castAdd } from '../src/kernel/protocol/build.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { CastIdSchema, CastType } from '../src/kernel/protocol/wire/message_pb.js'
import { FidRequestSchema, MessagesResponseSchema } from '../src/kernel/protocol/wire/rpc_pb.js'
import { followEvents, type RawClient, rawClient, subscribeRequest } from '../test/grpc-support.ts'
import { benchAccount } from './accounts.ts'
import { get, load, post } from './client.ts'
import { bulksOf, Casts } from './hub.ts'
import { makeMessages } from './messages.ts'
import { randomNumbers } from './random.ts'
import { type Server, startServer } from './server-process.ts'

/** Few enough that each account has 1,000 casts. */
const ACCOUNTS = 8
const CALLS = 5_000
/** Different casts of the calls. All of them fit into the default cache, few into that of the server with a small one. */
const CASTS = 1_000
const IN_FLIGHT = 64
/** About the size of a cast. */
const CALL_BYTES = 300
const PAGE = 1_000
const PAGES = 48
/** Subscribers of the two measurements whose difference is the cost of a delivery. */
const FEW = 10
const MANY = 210
const IDLE = 1_000
const CONNECTIONS = 10
const DELIVERIES = 200
const LARGE_CASTS = 10_000
const DEVNET = 3
const REPLAYS = 3
const TEN = 10
const SUBMITS_FOLLOWED = 200

type Env = Readonly<Record<string, string>>
type Aimed = {
  readonly what: string
  readonly measured: number
  readonly unit: string
  readonly aim: number
  /** The parts of the figure. */
  readonly detail: string
}

/** Stores `count` messages and prints the cost of gRPC calls, replays and deliveries beside the aims. */
export async function benchGrpc(given: Env, count: number): Promise<void> {
  // Indexing for the app API would be part of the figures.
  const env: Env = { ...given, ROOKERY_VIEWS: 'off' }
  console.log('| what | measured | aim | |\n| --- | --- | --- | --- |')
  const floorUs = await benchFloor(CALL_BYTES, CALLS)
  const server = await startServer('rookery', ACCOUNTS, env)
  const client = rawClient(server.grpc)
  const casts = await fill(server, count)
  await benchReads(server, casts, { state: 'asked again', floorUs })
  printAim(await benchIdle(server))
  // Before the large casts are stored: the aim is for events of usual sizes.
  printAim(await benchReplay(server, client))
  printAim(await benchLargePages(server, client))
  await benchDelivery(server, count)
  printAim(await benchLatency('the same process', server, server, { from: 2 * count, aimMs: 30 }))
  if (env.DATABASE_URL) {
    const other = await startServer('rookery', 0, env)
    printAim(await benchLatency('another process', server, other, { from: 3 * count, aimMs: 150 }))
    other.stop()
  }
  client.close()
  server.stop()
}

function printAim({ what, measured, unit, aim, detail }: Aimed): void {
  const value = `${measured.toFixed(measured < 10 ? 2 : 0)} ${unit}`
  const verdict = measured <= aim ? '' : ', missed'
  console.log(`| ${what} | ${value} | ${aim} ${unit}${verdict} | ${detail} |`)
}

async function fill(server: Server, count: number): Promise<Casts> {
  const { messages, bytes } = makeMessages(count, ACCOUNTS)
  await submitInBulk(server, bytes)
  const casts = new Casts(count)
  casts.addAll(messages)
  return casts
}

async function submitInBulk(server: Server, messages: readonly Uint8Array[]): Promise<void> {
  const { failures } = await load(server.url, bulksOf(messages), 1)
  if (failures > 0) throw new Error(`${failures} bulk submits failed`)
}

/** CPU of the server for each of `units` while `work` runs, microseconds. */
async function cpuUsOf(server: Server, units: number, work: () => Promise<unknown>) {
  const before = await server.usage()
  await work()
  return (((await server.usage()).cpuSeconds - before.cpuSeconds) / units) * 1e6
}

/** Sends all requests on one connection, `inFlight` at a time. */
async function callAll(
  client: RawClient,
  method: string,
  requests: readonly Uint8Array[],
  inFlight = IN_FLIGHT,
) {
  const source = requests[Symbol.iterator]()
  const drive = async () => {
    for (const request of source) {
      const { status, details } = await client.call(method, request)
      if (status !== 0) throw new Error(`${method}: ${details}`)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, drive))
}

type HowRead = {
  readonly state: string
  /** CPU of a call to a server that does nothing. */
  readonly floorUs: number
}

/** CPU of a call to a bare node:http2 server that answers with this many bytes. */
async function benchFloor(bytes: number, calls: number, inFlight?: number): Promise<number> {
  const server = await startServer('bare-http2', bytes, {})
  const client = rawClient(server.grpc)
  const requests = Array.from({ length: calls }, () => Buffer.alloc(30))
  const run = () => callAll(client, HEALTH_CHECK, requests, inFlight)
  const cpuUs = await measured(server, calls, run)
  client.close()
  server.stop()
  return cpuUs
}

/** Look-ups and pages over gRPC and over HTTP, each after a warm-up. */
async function benchReads(server: Server, casts: Casts, how: HowRead): Promise<void> {
  const client = rawClient(server.grpc)
  printAim(await benchGetCast(server, client, casts, how))
  printAim(await benchPages(server, client, how))
  client.close()
}

async function benchGetCast(
  server: Server,
  client: RawClient,
  casts: Casts,
  { state, floorUs }: HowRead,
): Promise<Aimed> {
  const random = randomNumbers(7)
  const picked = Array.from({ length: CASTS }, () => Math.floor(random() * casts.count))
  const calls = Array.from({ length: CALLS }, (_, n) => picked[n % CASTS]!)
  const paths = calls.map((n) => get(casts.path(n)))
  const requests = calls.map((n) => toBinary(CastIdSchema, create(CastIdSchema, casts.id(n))))
  const cost = (run: () => Promise<unknown>) => measured(server, CALLS, run)
  const http = await cost(() => load(server.url, paths, IN_FLIGHT))
  const grpc = await cost(() => callAll(client, 'GetCast', requests))
  const transport = await cost(() => callAll(client, HEALTH_CHECK, requests))
  return {
    what: `CPU of a GetCast beside castById, ${state}`,
    measured: grpc / http,
    unit: 'times',
    aim: 1.5,
    detail: `${us(grpc)} and ${us(http)}; a call that reads nothing ${us(transport)}, by bare node:http2 ${us(floorUs)}`,
  }
}

/** CPU of the server for each of `units` once `run` is compiled and its answers are cached, microseconds. */
async function measured(server: Server, units: number, run: () => Promise<unknown>) {
  await run()
  return cpuUsOf(server, units, run)
}

const HEALTH_CHECK = '/grpc.health.v1.Health/Check'

const us = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} us`

async function benchPages(server: Server, client: RawClient, { state }: HowRead): Promise<Aimed> {
  const fids = Array.from({ length: PAGES }, (_, n) => (n % ACCOUNTS) + 1)
  const paths = fids.map((fid) => get(`/v1/castsByFid?fid=${fid}&pageSize=${PAGE}`))
  const requests = fids.map((fid) =>
    toBinary(FidRequestSchema, create(FidRequestSchema, { fid: BigInt(fid), pageSize: PAGE })),
  )
  const cost = (run: () => Promise<unknown>) => measured(server, PAGES, run)
  const http = await cost(() => load(server.url, paths, CONNECTIONS))
  const grpc = await cost(() => callAll(client, 'GetCastsByFid', requests, CONNECTIONS))
  const { bytes } = await client.call('GetCastsByFid', requests[0]!)
  const floorUs = await benchFloor(bytes!.length, PAGES, CONNECTIONS)
  return {
    what: `CPU of a page of ${PAGE} casts beside HTTP's, ${state}`,
    measured: grpc / http,
    unit: 'times',
    aim: 0.5,
    detail: `${us(grpc)} and ${us(http)}; its ${bytes!.length} bytes by bare node:http2 ${us(floorUs)}`,
  }
}

/** Reads a list of casts of 2 KB page by page, as large as pages can be. */
async function benchLargePages(server: Server, client: RawClient): Promise<Aimed> {
  const { seed, fid } = benchAccount(ACCOUNTS)
  const now = networkTime(Date.now())
  const url = `https://large.example/${'u'.repeat(220)}`
  const messages = Array.from({ length: LARGE_CASTS }, (_, n) => {
    const cast = {
      type: CastType.LONG_CAST,
      text: `${'x'.repeat(1_000)}${n}`,
      embeds: ['a', 'b'].map((end) => ({ embed: { case: 'url' as const, value: url + end } })),
      parent: { case: 'parentUrl' as const, value: url },
    }
    return encodeEnvelope(
      buildMessage(castAdd({ fid, timestamp: now - n, network: DEVNET }, cast), seed),
    )
  })
  await submitInBulk(server, messages)
  let [casts, bytes] = [0, 0]
  const readAll = async () => {
    let pageToken: Uint8Array | undefined
    do {
      const fields = { fid: BigInt(fid), pageSize: LARGE_CASTS, ...(pageToken && { pageToken }) }
      const request = toBinary(FidRequestSchema, create(FidRequestSchema, fields))
      const answer = (await client.call('GetCastsByFid', request)).bytes!
      bytes += answer.length
      const page = fromBinary(MessagesResponseSchema, answer)
      casts += page.messages.length
      pageToken = page.nextPageToken
    } while (pageToken)
  }
  await readAll()
  await server.usage('stalls from now on')
  await readAll()
  const { longestStallMs } = await server.usage()
  return {
    what: `longest stall while ${LARGE_CASTS} casts of 2 KB and others are read`,
    measured: longestStallMs,
    unit: 'ms',
    aim: 50,
    detail: `${casts / 2} casts, ${(bytes / 2 / 2 ** 20).toFixed(0)} MB`,
  }
}

async function benchReplay(server: Server, client: RawClient): Promise<Aimed> {
  const newest = await newestId(server)
  const replay = async () => {
    const stream = client.serverStream('Subscribe', subscribeRequest({ fromId: 0n }))
    const { ids, until } = followEvents(stream)
    await until(newest)
    stream.cancel()
    return ids.length
  }
  const events = await replay()
  await replay()
  const cpuUs = await cpuUsOf(server, REPLAYS * events, async () => {
    for (let i = 0; i < REPLAYS; i++) await replay()
  })
  const detail = `${events} events, ${REPLAYS} times`
  return { what: 'CPU of an event of a replay', measured: cpuUs, unit: 'us', aim: 12, detail }
}

const newestId = async ({ url }: Server): Promise<number> => {
  const page = await fetch(`${url}/v1/events?from_event_id=latest`)
  return ((await page.json()) as { nextPageEventId: number }).nextPageEventId - 1
}

/** Subscribers that count events. */
type Audience = { received(): number; readonly size: number; close(): Promise<void> }

async function openAudience(server: Server, size: number): Promise<Audience> {
  const clients = Array.from({ length: CONNECTIONS }, () => rawClient(server.grpc))
  let received = 0
  const streams = Array.from({ length: size }, (_, i) => {
    const stream = clients[i % CONNECTIONS]!.serverStream('Subscribe', subscribeRequest({}))
    stream.on('error', () => {})
    stream.on('data', () => received++)
    return stream
  })
  await Promise.all(streams.map((stream) => once(stream, 'metadata')))
  return {
    size,
    received: () => received,
    async close() {
      const closed = streams.map(
        (stream) => new Promise((resolve) => stream.once('status', resolve)),
      )
      for (const stream of streams) stream.cancel()
      await Promise.all(closed)
      for (const client of clients) client.close()
    },
  }
}

/** Commits batches of events, each after all subscribers have received the previous one. */
async function deliver(server: Server, audience: Audience, batches: readonly Uint8Array[][]) {
  let expected = audience.received()
  for (const batch of batches) {
    await submitInBulk(server, batch)
    expected += batch.length * audience.size
    while (audience.received() < expected) await sleep(1)
  }
}

async function benchDelivery(server: Server, count: number): Promise<void> {
  let from = count
  for (const [events, aim] of [
    [1, 12],
    [TEN, 1.5],
  ] as const) {
    const cpu: number[] = []
    for (const size of [FEW, MANY]) {
      const audience = await openAudience(server, size)
      const batchesOf = (number: number) =>
        Array.from({ length: number }, () => {
          const { bytes } = makeMessages(events, ACCOUNTS, from)
          from += events
          return bytes
        })
      await deliver(server, audience, batchesOf(DELIVERIES / 4))
      const batches = batchesOf(DELIVERIES)
      cpu.push(await cpuUsOf(server, DELIVERIES, () => deliver(server, audience, batches)))
      await audience.close()
    }
    printAim({
      what: `CPU of an event delivered to a subscriber, ${events} at a time`,
      measured: (cpu[1]! - cpu[0]!) / (MANY - FEW) / events,
      unit: 'us',
      aim,
      detail: `${MANY} subscribers, ${FEW} of them deducted`,
    })
  }
}

async function benchIdle(server: Server): Promise<Aimed> {
  const before = await server.usage('after a collection')
  const audience = await openAudience(server, IDLE)
  const after = await server.usage('after a collection')
  await audience.close()
  const mb = (bytes: number) => bytes / 2 ** 20
  return {
    what: `heap and buffers of ${IDLE} idle subscribers after a collection`,
    measured: mb(after.heldBytes - before.heldBytes),
    unit: 'MB',
    aim: 30,
    detail: `${CONNECTIONS} connections; RSS ${mb(after.rssBytes - before.rssBytes).toFixed(0)} MB more`,
  }
}

/** Submits at one server and waits for each event at a subscriber of the other. */
async function benchLatency(
  where: string,
  writer: Server,
  reader: Server,
  { from, aimMs }: { from: number; aimMs: number },
): Promise<Aimed> {
  const client = rawClient(reader.grpc)
  const stream = client.serverStream('Subscribe', subscribeRequest({}))
  let arrivedAt = 0
  let received = 0
  stream.on('error', () => {})
  stream.on('data', () => {
    arrivedAt = performance.now()
    received++
    stream.emit('event')
  })
  await once(stream, 'metadata')
  const latencies: number[] = []
  for (const [n, bytes] of makeMessages(SUBMITS_FOLLOWED, ACCOUNTS, from).bytes.entries()) {
    await load(writer.url, [post('/v1/submitMessage', bytes)], 1)
    const answeredAt = performance.now()
    while (received <= n) await once(stream, 'event')
    latencies.push(Math.max(0, arrivedAt - answeredAt))
  }
  stream.cancel()
  client.close()
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)]!
  return {
    what: `from the answer to a submit to a subscriber of ${where}, p99`,
    measured: at(0.99),
    unit: 'ms',
    aim: aimMs,
    detail: `p50 ${at(0.5).toFixed(1)} ms, at most ${at(1).toFixed(1)} ms`,
  }
}
