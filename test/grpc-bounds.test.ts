// What one client can hold of the gRPC port: connections, calls, bodies and patience are bounded, and others are served.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import { createConnection, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Method } from '../src/kernel/grpc/method.ts'
import { GrpcServer } from '../src/kernel/grpc/server.ts'
import { BodyMemory } from '../src/kernel/limits/bodies.ts'
import { readClient } from '../src/kernel/limits/client.ts'
import { ConnectionLimit } from '../src/kernel/limits/connections.ts'
import { Rejection } from '../src/kernel/protocol/rejection.ts'
import { KIB } from '../src/kernel/protocol/sizes.ts'
import { until } from './until.ts'

type Options = Partial<ConstructorParameters<typeof GrpcServer>[0]>

const METHODS: readonly (readonly [string, Method])[] = [
  ['/test/Echo', { kind: 'unary', isShort: true, handle: (request) => request }],
  [
    '/test/Refuse',
    {
      kind: 'unary',
      handle: () => {
        throw new Rejection('not_found', '100% gone')
      },
    },
  ],
  [
    '/test/Follow',
    {
      kind: 'serverStream',
      handle: async (request, call) => {
        call.sendHeaders({ 'x-oldest-event-id': '7' })
        call.write([request, Buffer.from('second')])
        if (request.length > 0) return
        await once(call.signal, 'abort')
      },
    },
  ],
  [
    '/test/EchoAll',
    {
      kind: 'duplex',
      handle: async (requests, call) => {
        for await (const request of requests) await call.write([request])
      },
    },
  ],
]

async function startServer(t: TestContext, { bounds, ...options }: Options = {}) {
  const server = new GrpcServer({
    methods: new Map(METHODS),
    trustedProxies: [],
    onEnd() {},
    onFault(error) {
      throw error
    },
    ...options,
    bounds: { watchMs: 20, ...bounds },
  })
  const port = Number((await server.listen('127.0.0.1', 0)).split(':').at(-1))
  const opened: { destroy(): void }[] = []
  t.after(async () => {
    for (const one of opened) one.destroy()
    await server.close()
  })
  /** A connection from an address of this machine. */
  const socketFrom = (localAddress: string): Socket => {
    const socket = createConnection({ host: '127.0.0.1', port, localAddress })
    socket.on('error', () => {})
    opened.push(socket)
    return socket
  }
  const sessionFrom = (localAddress = '127.0.0.1'): ClientHttp2Session => {
    const session = connect(`http://127.0.0.1:${port}`, {
      createConnection: () => socketFrom(localAddress),
    })
    session.on('error', () => {})
    opened.push(session)
    return session
  }
  return { server, port, socketFrom, sessionFrom }
}

const framed = (message: Uint8Array, flag = 0) => {
  const head = Buffer.alloc(5)
  head[0] = flag
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

function open(
  session: ClientHttp2Session,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  })
  stream.on('error', () => {})
  return stream
}

type Ended = {
  readonly headers: IncomingHttpHeaders
  readonly trailers: IncomingHttpHeaders
  readonly body: Buffer
  readonly reset: number
}

/** Waits for the end of a stream. */
async function ended(stream: ClientHttp2Stream): Promise<Ended> {
  let headers: IncomingHttpHeaders = {}
  let trailers: IncomingHttpHeaders = {}
  const parts: Buffer[] = []
  stream.on('response', (found) => {
    headers = found
    // As clients do that have their answer.
    if ('grpc-status' in found) stream.end()
  })
  stream.on('trailers', (found) => {
    trailers = found
  })
  stream.on('data', (part: Buffer) => parts.push(part))
  await new Promise<void>((resolve) => {
    if (stream.destroyed) resolve()
    else stream.on('close', resolve)
  })
  return { headers, trailers, body: Buffer.concat(parts), reset: stream.rstCode ?? 0 }
}

const echo = async (session: ClientHttp2Session): Promise<string | undefined> => {
  const stream = open(session, '/test/Echo')
  stream.end(framed(Buffer.from('hello')))
  const { headers, trailers } = await ended(stream)
  return (trailers['grpc-status'] ?? headers['grpc-status']) as string | undefined
}

test('security finding F1: requests that do not end share one budget of bytes with those over HTTP, by client and in all', async (t) => {
  const bodies = new BodyMemory({ small: 100 * KIB, large: 500 * KIB, largePerClient: 300 * KIB })
  const { sessionFrom } = await startServer(t, { bodies })
  const session = sessionFrom('127.0.0.2')
  const half = Buffer.concat([framed(Buffer.alloc(200 * KIB)).subarray(0, 5), Buffer.alloc(99_000)])
  const streams = Array.from({ length: 20 }, () => open(session, '/test/Echo'))
  const ends = streams.map(ended)
  for (const stream of streams) stream.write(half)
  const refused = await Promise.race(ends)
  assert.deepEqual(
    [refused.headers['grpc-status'], refused.headers.errcode],
    ['14', 'unavailable.storage_failure'],
  )
  assert.ok(bodies.used > 200 * KIB && bodies.used <= 400 * KIB, `${bodies.used} bytes`)
  assert.equal(await echo(sessionFrom('127.0.0.3')), '0', 'others send small requests')
  const overHttp = bodies.open(readClient('192.0.2.9'), () => {}, 250 * KIB)
  overHttp.hold(250 * KIB)
  assert.ok(bodies.used <= 500 * KIB, 'who has most has lost one to HTTP')
  overHttp.hold(0)
  session.destroy()
  await until(() => bodies.used === 0, 'all bytes are given back')
})

test('a request whose message stops arriving is refused as too slow, and one that came faster is answered', async (t) => {
  const bodies = new BodyMemory({ watchMs: 20 })
  const { sessionFrom } = await startServer(t, { bodies })
  const session = sessionFrom()
  const message = framed(Buffer.alloc(200 * KIB, 3))
  const faster = open(session, '/test/Echo')
  const answer = ended(faster)
  faster.write(message.subarray(0, 150 * KIB))
  const stopped = open(session, '/test/Echo')
  stopped.write(message.subarray(0, 20 * KIB))
  const { headers } = await ended(stopped)
  assert.deepEqual([headers['grpc-status'], headers.errcode], ['3', 'bad_request.parse_failure'])
  assert.match(String(headers['grpc-message']), /must arrive at 8 KiB/)
  faster.end(message.subarray(150 * KIB))
  const { trailers, body } = await answer
  assert.deepEqual([trailers['grpc-status'], body.length], ['0', message.length])
  await until(() => bodies.used === 0, 'all bytes are given back')
})

test('messages that arrive byte by byte count with the memory that they take', async (t) => {
  const bodies = new BodyMemory({ small: 10 * KIB, large: 10 * KIB, largePerClient: 10 * KIB })
  const { sessionFrom } = await startServer(t, { bodies })
  const stream = open(sessionFrom(), '/test/EchoAll')
  const answer = ended(stream)
  const sent = Buffer.concat([framed(Buffer.from('one')), framed(Buffer.alloc(2_000, 2))])
  for (const byte of sent) stream.write(Buffer.of(byte))
  stream.end()
  const { body, trailers } = await answer
  assert.deepEqual(body, sent)
  assert.equal(trailers['grpc-status'], '0')
  await until(() => bodies.used === 0, 'all bytes are given back')
})

test('security finding F5: a client has so many open calls on all its connections, and more are reset', async (t) => {
  const { sessionFrom } = await startServer(t, { bounds: { streamsPerClient: 10, streams: 15 } })
  const sessions = [sessionFrom('127.0.0.2'), sessionFrom('127.0.0.2')]
  const streams = Array.from({ length: 12 }, (_, i) => open(sessions[i % 2]!, '/test/Echo'))
  const resets = () => streams.filter(({ rstCode }) => rstCode !== 0 && rstCode !== undefined)
  await until(() => resets().length === 2, 'two are reset')
  assert.ok(resets().every(({ rstCode }) => rstCode === constants.NGHTTP2_ENHANCE_YOUR_CALM))
  const other = sessionFrom('127.0.0.3')
  assert.equal(await echo(other), '0')
  const more = Array.from({ length: 6 }, () => ended(open(other, '/test/Echo')))
  assert.equal((await Promise.race(more)).reset, constants.NGHTTP2_ENHANCE_YOUR_CALM, 'in all')
  sessions[0]!.destroy()
  for (let status: string | undefined; status !== '0'; ) status = await echo(sessions[1]!)
})

test('security finding F5: calls of a client in debt are refused late, then reset, and at last it gets no connection for a while', async (t) => {
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => {})
  let asked = 0
  const { sessionFrom, server } = await startServer(t, {
    admit({ peer }) {
      if (peer !== '127.0.0.2') return undefined
      asked++
      return () => late.promise
    },
    bounds: { excess: 10, excessMs: 2_000 },
  })
  const session = sessionFrom('127.0.0.2')
  const closed = once(session, 'close')
  const paths = ['/test/Echo', '/no/Such', '/test/Follow']
  const streams = Array.from({ length: 64 }, (_, i) => open(session, paths[i % 3]!))
  for (const stream of streams) stream.end(framed(Buffer.alloc(0)))
  await until(() => asked === 64, 'all are charged, whatever their method')
  assert.ok(streams.every(({ closed }) => !closed))
  const one = await ended(open(session, '/test/Echo'))
  assert.equal(one.reset, constants.NGHTTP2_ENHANCE_YOUR_CALM)
  for (let i = 0; i < 9; i++) open(session, '/test/Echo')
  await closed
  const again = sessionFrom('127.0.0.2')
  await once(again, 'close')
  assert.equal(await echo(sessionFrom('127.0.0.3')), '0')
  late.reject(new Rejection('rate_limited', 'API rate limit exceeded'))
  await until(() => server.connections === 1, 'its connections are gone')
  const before = asked
  while (asked === before) {
    open(sessionFrom('127.0.0.2'), '/test/Echo').end(framed(Buffer.alloc(0)))
    await sleep(50)
  }
})

test('security finding F12: a connection without a preface or without a call is closed', async (t) => {
  const { server, socketFrom, sessionFrom } = await startServer(t, { bounds: { firstCallMs: 300 } })
  const silent = socketFrom('127.0.0.1')
  const withoutCall = sessionFrom()
  await Promise.all([once(silent.resume(), 'close'), once(withoutCall, 'close')])
  await until(() => server.connections === 0, 'none is left')
})

test('security finding F12: an idle connection is closed, but not one that follows', async (t) => {
  const { server, sessionFrom } = await startServer(t, { bounds: { idleMs: 600 } })
  const following = open(sessionFrom(), '/test/Follow')
  following.end(framed(Buffer.alloc(0)))
  await once(following, 'response')
  const idle = sessionFrom()
  assert.equal(await echo(idle), '0')
  const goaway = once(idle, 'goaway')
  await once(idle, 'close')
  assert.deepEqual((await goaway)[0], constants.NGHTTP2_NO_ERROR)
  await until(() => server.connections === 1, 'one is left')
  assert.ok(!following.closed)
})

test('a client that does not answer pings is disconnected', async (t) => {
  const { server, socketFrom } = await startServer(t, {
    bounds: { pingIntervalMs: 50, pingTimeoutMs: 200 },
  })
  const socket = socketFrom('127.0.0.1')
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0')
  await once(socket.resume(), 'close')
  await until(() => server.connections === 0, 'it is not counted any more')
})

test('security finding F12: when all connections are taken, the network with the most connections loses its oldest idle one', async (t) => {
  const connections = new ConnectionLimit({ total: 6, perNetwork: 5 })
  const { socketFrom, sessionFrom } = await startServer(t, { connections })
  const following = open(sessionFrom('127.0.0.2'), '/test/Follow')
  following.end(framed(Buffer.alloc(0)))
  await once(following, 'response')
  const greedy: Socket[] = []
  for (let i = 0; i < 4; i++) {
    const socket = socketFrom('127.0.0.2').resume()
    await once(socket, 'connect')
    greedy.push(socket)
  }
  await until(() => connections.used === 5, 'five are counted')
  const sixth = socketFrom('127.0.0.2').resume()
  await once(sixth, 'close')
  assert.equal(await echo(sessionFrom('127.0.0.3')), '0', 'the last place')
  const lost = once(greedy[0]!, 'close')
  assert.equal(await echo(sessionFrom('127.0.0.4')), '0')
  await lost
  assert.ok(!following.closed && greedy.slice(1).every(({ closed }) => !closed))
  assert.equal(connections.used, 6)
})

test('a request of a read that is too long is refused before it has arrived', async (t) => {
  const short: Method = { kind: 'unary', maxRequestBytes: 100, handle: (request) => request }
  const { sessionFrom } = await startServer(t, { methods: new Map([['/test/Echo', short]]) })
  const stream = open(sessionFrom(), '/test/Echo')
  stream.write(framed(Buffer.alloc(101)).subarray(0, 6))
  const { headers } = await ended(stream)
  assert.deepEqual([headers['grpc-status'], headers.errcode], ['8', 'bad_request.parse_failure'])
  assert.match(String(headers['grpc-message']), /of 101 bytes; at most 100/)
})

test('messages that are compressed with gzip are read up to the same length', async (t) => {
  const method: Method = { kind: 'unary', maxRequestBytes: 1_000, handle: (request) => request }
  const { sessionFrom } = await startServer(t, { methods: new Map([['/test/Echo', method]]) })
  const session = sessionFrom()
  const send = async (bytes: Uint8Array) => {
    const stream = open(session, '/test/Echo', { 'grpc-encoding': 'gzip' })
    stream.end(framed(bytes, 1))
    return ended(stream)
  }
  const { body } = await send(gzipSync(Buffer.alloc(1_000, 'x')))
  assert.deepEqual(body, framed(Buffer.alloc(1_000, 'x')))
  for (const [bytes, status] of [
    [gzipSync(Buffer.alloc(1_001)), '8'],
    [gzipSync(Buffer.alloc(10_000_000)).subarray(0, 900), '8'],
    [Buffer.from('no gzip'), '3'],
  ] as const) {
    assert.equal((await send(bytes)).headers['grpc-status'], status)
  }
})

test('a page calls with gRPC-web: the end of an answer is in its body, and refusals are in its headers', async (t) => {
  const { sessionFrom } = await startServer(t)
  const session = sessionFrom()
  const call = async (path: string, message: Uint8Array) => {
    const stream = open(session, path, { 'content-type': 'application/grpc-web+proto' })
    stream.end(framed(message))
    return ended(stream)
  }
  const asked = session.request({
    ':method': 'OPTIONS',
    ':path': '/test/Echo',
    origin: 'https://app.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type,x-grpc-web',
  })
  asked.end()
  const preflight = (await ended(asked)).headers
  assert.equal(preflight[':status'], 204)
  assert.equal(preflight['access-control-allow-origin'], '*')
  assert.match(String(preflight['access-control-allow-headers']), /content-type.*x-grpc-web/)

  const end = framed(Buffer.from('grpc-status: 0\r\ngrpc-message: OK\r\n'), 0x80)
  const answered = await call('/test/Echo', Buffer.from('hello'))
  assert.deepEqual(answered.body, Buffer.concat([framed(Buffer.from('hello')), end]))
  assert.equal(answered.headers['content-type'], 'application/grpc-web+proto')
  assert.match(String(answered.headers['access-control-expose-headers']), /grpc-status.*errcode/)

  const followed = await call('/test/Follow', Buffer.from('first'))
  const messages = [framed(Buffer.from('first')), framed(Buffer.from('second'))]
  assert.deepEqual(followed.body, Buffer.concat([...messages, end]))
  assert.equal(followed.headers['x-oldest-event-id'], '7')

  const refused = await call('/test/Refuse', Buffer.alloc(0))
  const { 'grpc-status': status, 'grpc-message': text, errcode } = refused.headers
  assert.deepEqual([status, text, errcode], ['5', '100%25 gone', 'not_found'])
})

test('what is no call has a status of HTTP', async (t) => {
  const { sessionFrom } = await startServer(t)
  const session = sessionFrom()
  const statusOf = async (headers: Readonly<Record<string, string>>) => {
    const stream = session.request({ ':path': '/test/Echo', ...headers })
    stream.end()
    return (await ended(stream)).headers[':status']
  }
  assert.equal(await statusOf({ ':method': 'GET' }), 405)
  assert.equal(await statusOf({ ':method': 'POST', 'content-type': 'application/json' }), 415)
  assert.equal(
    await statusOf({ ':method': 'POST', 'content-type': 'application/grpc-web-text' }),
    415,
  )
})
