// Clients that do not read: what waits for them is bounded in bytes and in time, and others are served.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import { type TestContext, test } from 'node:test'
import type { Method } from '../src/kernel/grpc/method.ts'
import { type GrpcBounds, GrpcServer } from '../src/kernel/grpc/server.ts'
import { subscribe } from '../src/kernel/grpc/subscribe.ts'
import { LogFeed } from '../src/kernel/hub/events/event-feed-reader.ts'
import { HubJsonWriter } from '../src/kernel/hub/reads/json-writer.ts'
import { UnreadBytes } from '../src/kernel/limits/unread.ts'
import { buildMessage, castAdd } from '../src/kernel/protocol/build.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { DEFAULT_JSON_OPTIONS } from '../src/kernel/protocol/json/json.ts'
import { MIB } from '../src/kernel/protocol/sizes.ts'
import { HubEventType } from '../src/kernel/protocol/wire/hub_event_pb.js'
import { EventLog } from '../src/kernel/storage/messages/event-log.ts'
import { effort } from './effort.ts'
import { UNANNOUNCED } from './event-stream-support.ts'
import { followEvents, rawClient, subscribeRequest } from './grpc-support.ts'
import { startTcpProxy } from './tcp-proxy.ts'
import { until } from './until.ts'
import { createWorld, DEVNET, testAccount } from './world.ts'

const LARGE = Buffer.alloc(MIB, 1)
/** Prefix of a message: not compressed, four bytes of length. */
const framed = (message: Uint8Array) => {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

/** A server with a method of large answers, one of small answers, and others; it ends with the test. */
async function startServer(
  t: TestContext,
  {
    clientBytes = 16 * MIB,
    totalBytes = 128 * MIB,
    ...bounds
  }: Partial<GrpcBounds> & { readonly clientBytes?: number; readonly totalBytes?: number },
  methods: readonly (readonly [string, Method])[] = [],
) {
  const counts = { handled: 0, ended: [] as number[] }
  const server = new GrpcServer({
    methods: new Map<string, Method>([
      [
        '/test/Large',
        {
          kind: 'unary',
          handle: () => {
            counts.handled++
            return LARGE
          },
        },
      ],
      ['/test/Small', { kind: 'unary', handle: () => Buffer.from('small') }],
      ...methods,
    ]),
    // Clients of one machine are told apart by the address that their proxy would give.
    trustedProxies: ['127.0.0.1'],
    bounds: { watchMs: 20, ...bounds },
    unread: new UnreadBytes({ total: totalBytes, perClient: clientBytes }),
    onEnd: (_, status) => counts.ended.push(status),
    onFault(error) {
      throw error
    },
  })
  const address = await server.listen('127.0.0.1', 0)
  const sessions: ClientHttp2Session[] = []
  const client = rawClient(address)
  t.after(async () => {
    client.close()
    for (const session of sessions) session.destroy()
    await server.close()
  })
  /** A connection whose streams take `window` bytes. */
  const port = Number(address.split(':').at(-1))
  const open = (window: number, through = port) => {
    const session = connect(`http://127.0.0.1:${through}`, {
      settings: { initialWindowSize: window },
    })
    session.on('error', () => {})
    sessions.push(session)
    return session
  }
  return { server, counts, open, client, port }
}

type Reading = { readonly stream: ClientHttp2Stream; bytes: number; isClosed: boolean }

function request(
  session: ClientHttp2Session,
  path: string,
  { message = new Uint8Array(0), client = '192.0.2.1' } = {},
): Reading {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    'x-forwarded-for': client,
  })
  const reading: Reading = { stream, bytes: 0, isClosed: false }
  stream.on('error', () => {})
  stream.on('close', () => {
    reading.isClosed = true
  })
  stream.end(framed(message))
  return reading
}

test('a client that reads none of its large answers is not given more until it reads, and gets all then', async (t) => {
  const calls = 40
  const bounds = { clientBytes: 4 * MIB, pagesPerClient: 4 }
  const { server, counts, open, client } = await startServer(t, bounds)
  const session = open(0)
  const readings = Array.from({ length: calls }, () => request(session, '/test/Large'))
  await until(() => server.unreadBytes >= bounds.clientBytes, 'the answers wait')
  for (let i = 0; i < 10; i++) {
    assert.equal((await client.call('/test/Small', LARGE.subarray(0, 10))).status, 0)
  }
  const most = bounds.clientBytes / MIB + bounds.pagesPerClient
  assert.ok(counts.handled <= most, `${counts.handled} calls are handled`)
  assert.ok(server.unreadBytes <= most * (MIB + 100))
  session.settings({ initialWindowSize: 2 * MIB })
  session.setLocalWindowSize(64 * MIB)
  for (const reading of readings) {
    reading.stream.on('data', (part: Buffer) => {
      reading.bytes += part.length
    })
  }
  await until(() => readings.every(({ isClosed }) => isClosed), 'all answers are read')
  assert.ok(readings.every(({ bytes }) => bytes === LARGE.length + 5))
  await until(() => server.unreadBytes === 0, 'nothing is unread')
})

test('empty answers are not kept for their clients', async (t) => {
  const empty: Method = { kind: 'unary', handle: () => Buffer.alloc(0) }
  const { server, client } = await startServer(t, {}, [['/test/Empty', empty]])
  for (let i = 0; i < 10; i++) {
    const { status } = await client.call('/test/Empty', Buffer.alloc(0))
    assert.equal(status, 0)
  }
  await until(() => server.unreadCalls === 0, 'nothing is kept')
})

test('an answer that is not read in time is reset, and what waited behind it is answered in its place', async (t) => {
  const bounds = { clientBytes: MIB, pagesPerClient: 1, stallMs: 200 }
  const { server, counts, open } = await startServer(t, bounds)
  const session = open(0)
  const readings = [1, 2, 3].map(() => request(session, '/test/Large'))
  await until(() => readings.every(({ isClosed }) => isClosed), 'all calls are reset')
  assert.ok(readings.every(({ stream }) => stream.rstCode === constants.NGHTTP2_ENHANCE_YOUR_CALM))
  assert.equal(counts.handled, 3)
  await until(() => server.unreadBytes === 0, 'nothing is unread')
})

test('when all clients together leave too much unread, the calls of the one with the most are reset', async (t) => {
  const { server, open } = await startServer(t, { totalBytes: 6.5 * MIB })
  const [greedy, modest] = [open(0), open(0)]
  const client = '192.0.2.2'
  const some = [1, 2].map(() => request(modest, '/test/Large', { client }))
  await until(() => server.unreadBytes >= 2 * MIB, 'the modest one waits')
  const many = [1, 2, 3, 4, 5].map(() => request(greedy, '/test/Large'))
  await until(() => many.every(({ isClosed }) => isClosed), 'the greedy one is reset')
  assert.ok(some.every(({ isClosed }) => !isClosed))
  assert.ok(server.unreadBytes <= 6.5 * MIB)
})

test('a stalled Subscribe stream is ended with its reason, or reset when its socket is not read either', async (t) => {
  const events = effort(4_000, 100_000)
  const streams = effort(8, 50)
  const world = await createWorld()
  t.after(() => world.close())
  const { storage } = world.app
  const init = castAdd({ fid: 1, timestamp: 1_000, network: DEVNET }, 'x'.repeat(300))
  const message = encodeEnvelope(buildMessage(init, testAccount(1).seed))
  for (let left = events; left > 0; left -= 2_000) {
    await storage.write('hub', async (tx) => {
      const log = new EventLog(tx, world.clock.now())
      for (let i = 0; i < 2_000; i++) {
        log.append({ id: log.nextId(), type: HubEventType.PRUNE_MESSAGE, message })
      }
      await log.flush()
    })
  }
  const newest = await storage.events.newestId()
  const feed = new LogFeed({
    events: storage.events,
    signals: UNANNOUNCED,
    json: new HubJsonWriter(DEFAULT_JSON_OPTIONS),
    log: { info() {}, warn() {} },
  })
  let delivered = 0
  let open = 0
  const options = {
    feed,
    limits: {
      openSubscription: () => {
        open++
        return () => void open--
      },
    },
    stopping: new AbortController().signal,
    repeatMs: 0,
    onDelivered: (count: number) => {
      delivered += count
    },
  }
  const method = (stallTimeoutMs: number): Method => ({
    kind: 'serverStream',
    handle: subscribe({ ...options, stallTimeoutMs }),
  })
  const { server, counts, ...clients } = await startServer(t, { streamStallMs: 2_500 }, [
    ['/HubService/Subscribe', method(500)],
    ['/test/Subscribe', method(60_000)],
  ])
  t.after(() => feed.close())
  const fromOldest = subscribeRequest({ fromId: 0n })

  // A client whose windows are full: it gets the status when it reads on.
  const paused = request(clients.open(65_535), '/HubService/Subscribe', {
    message: fromOldest,
  })
  await until(() => counts.ended.includes(14), 'the stream is ended')
  const trailers = once(paused.stream, 'trailers')
  paused.stream.resume()
  const [{ 'grpc-status': status, 'grpc-message': text }] = await trailers
  assert.equal(status, '14')
  assert.equal(
    decodeURI(text),
    'Stream is backed up, please consume events faster. Closing stream.',
  )

  // Clients with endless windows that do not read their sockets.
  const before = delivered
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: clients.port })
  t.after(() => proxy.close())
  const session = clients.open(2 ** 30, proxy.port)
  await once(session, 'remoteSettings')
  session.setLocalWindowSize(2 ** 30)
  const readings = Array.from({ length: streams }, () =>
    request(session, '/HubService/Subscribe', { message: fromOldest }),
  )
  await once(readings.at(-1)!.stream, 'response')
  proxy.freeze()
  await until(() => open === 0 && counts.ended.length >= streams + 1, 'all streams are ended')
  const share = (delivered - before) / (streams * events)
  t.diagnostic(`${(share * 100).toFixed(0)} % of the events were sent before the sockets were full`)
  await until(() => server.unreadCalls === 0, 'nothing is kept for them')
  assert.equal(server.unreadBytes, 0)
  // Somebody who reads gets everything.
  const reader = clients.client.serverStream('/test/Subscribe', fromOldest)
  const followed = followEvents(reader)
  await followed.until(newest)
  assert.equal(followed.ids.length, events)
  reader.cancel()
})
