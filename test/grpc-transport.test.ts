// What the transport does with every kind of error, with large answers, broken bytes, TLS and silence.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { StatusObject } from '@grpc/grpc-js'
import { MAX_REQUEST_BYTES, type Method } from '../src/kernel/grpc/method.ts'
import { GrpcServer } from '../src/kernel/grpc/server.ts'
import { errCodeOf, statusOf } from '../src/kernel/grpc/status.ts'
import { ERRORS } from '../src/kernel/http/errors.ts'
import { castAdd, castRemove, linkCompactState } from '../src/kernel/protocol/build.ts'
import { encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import { Rejection, type RejectionCode } from '../src/kernel/protocol/rejection.ts'
import type { MessagesResponse } from '../src/kernel/protocol/wire/rpc_pb.js'
import * as rpc from '../src/kernel/protocol/wire/rpc_pb.js'
import { effort } from './effort.ts'
import {
  type Ended,
  followEvents,
  type RawClient,
  rawClient,
  subscribeRequest,
} from './grpc-support.ts'
import { startGrpcTlsProxy } from './grpc-tls-proxy.ts'
import { accepted, inForm, inWorld } from './hub-support.ts'
import { PATIENCE_MS } from './patience.ts'
import { ROOT } from './program.ts'
import { randomFrom, runSeed } from './random.ts'
import type { TestAccount } from './world.ts'

const run = promisify(execFile)
const NOTHING = new Uint8Array(0)
const NASTY_TEXT = '100% größe\n\t"quoted" 漢字 \u{1f426} 50%25 \x7f'

/** The headers with which a call ends. */
async function endOf(
  session: ClientHttp2Session,
  path: string,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: Buffer },
): Promise<IncomingHttpHeaders> {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  })
  let end: IncomingHttpHeaders = {}
  const note = (found: IncomingHttpHeaders) => {
    if (found['grpc-status'] !== undefined) end = found
  }
  stream.on('response', note).on('trailers', note).resume()
  stream.end(body)
  await once(stream, 'close')
  return end
}

describe('the ends of calls', () => {
  let server: GrpcServer
  let client: RawClient
  let refusal = new Rejection('bad_request', '')
  let isFault = false
  let cancelled = 0
  const release = Promise.withResolvers<void>()
  before(async () => {
    server = new GrpcServer({
      methods: new Map<string, Method>([
        [
          '/test/Refuse',
          {
            kind: 'unary',
            handle: () => {
              throw isFault ? new Error('a secret of ours') : refusal
            },
          },
        ],
        [
          '/test/RefuseStream',
          {
            kind: 'serverStream',
            handle: async () => {
              throw refusal
            },
          },
        ],
        [
          '/test/Wait',
          {
            kind: 'serverStream',
            handle: async (_request, call) => {
              call.write([Buffer.from('begun')])
              await new Promise<void>((resolve) =>
                call.signal.addEventListener('abort', () => resolve()),
              )
              cancelled++
              // A stream that is gone takes writes without an error.
              call.write([Buffer.from('late')])
            },
          },
        ],
        [
          '/test/Slow',
          {
            kind: 'unary',
            handle: async () => {
              await release.promise
              return Buffer.from('done')
            },
          },
        ],
      ]),
      trustedProxies: [],
      onEnd() {},
      onFault() {},
    })
    client = rawClient(await server.listen('127.0.0.1', 0))
  })
  after(async () => {
    client.close()
    await server.close()
  })

  for (const code of Object.keys(ERRORS) as RejectionCode[]) {
    test(`the error ${code} reaches clients with its number, both trailers and its whole text`, async () => {
      refusal = new Rejection(code, NASTY_TEXT)
      const errCode = errCodeOf(refusal)
      const unary = await client.call('/test/Refuse', NOTHING)
      const stream = client.serverStream('/test/RefuseStream', NOTHING)
      const streamed = await followEvents(stream).status
      for (const { status, details, trailers } of [
        unary,
        { status: streamed.code, details: streamed.details, trailers: streamed.metadata },
      ]) {
        assert.deepEqual(
          [status, details, trailers.get('errcode'), trailers.get('x-err-code')],
          [statusOf(refusal).code, statusOf(refusal).details, [errCode], [errCode]],
        )
      }
      if (ERRORS[code].status < 500) assert.equal(unary.details, NASTY_TEXT)
    })
  }

  test('a fault of ours is told without its text', async () => {
    isFault = true
    const { status, details } = await client.call('/test/Refuse', NOTHING)
    isFault = false
    assert.equal(status, 13)
    assert.ok(!details.includes('secret'))
  })

  test('a call whose deadline runs out during the work ends with status 4, and its result is dropped', async () => {
    const { status } = await client.call('/test/Slow', NOTHING, { deadlineMs: 30 })
    assert.equal(status, 4)
    // What the server says: the client has given up by itself.
    const session = connectHttp2(`http://${client.address}`)
    const headers = { 'grpc-timeout': '30m' }
    const end = await endOf(session, '/test/Slow', { headers, body: Buffer.alloc(5) })
    assert.deepEqual(
      [end['grpc-status'], end.errcode, end['x-err-code']],
      ['4', 'unavailable', 'unavailable'],
    )
    session.close()
    release.resolve()
    assert.equal(String((await client.call('/test/Slow', NOTHING)).bytes), 'done')
  })

  test('headers that grpc-js cannot read are left out without a line for each', async (t) => {
    const written = t.mock.method(console, 'error', () => {})
    const session = connectHttp2(`http://${client.address}`)
    const headers = { 'a-%d': 'x', 'grpc-timeout': '9S' }
    refusal = new Rejection('not_found', '')
    const end = await endOf(session, '/test/Refuse', { headers, body: Buffer.alloc(5) })
    assert.deepEqual([end.errcode, written.mock.callCount()], ['not_found', 0])
    session.close()
  })

  test('a handler is told when its client has cancelled, reset or lost the call', async () => {
    const before = cancelled
    const stream = client.serverStream('/test/Wait', NOTHING)
    stream.on('error', () => {})
    await once(stream, 'data')
    stream.cancel()
    const other = rawClient(client.address)
    const lost = other.serverStream('/test/Wait', NOTHING)
    lost.on('error', () => {})
    await once(lost, 'data')
    other.close()
    lost.cancel()
    while (cancelled < before + 2) await sleep(2)
  })
})

inWorld('large answers over gRPC', (world) => {
  let client: RawClient
  let author: TestAccount
  before(async () => {
    client = rawClient(world().app.urls.grpc)
    author = await world().account(1, { units: 200 })
  })
  after(() => client.close())

  const bulk = async (messages: Parameters<typeof encodeList>[0]) => {
    const answer = await client.call('SubmitBulkMessages', encodeList(messages))
    assert.equal(answer.status, 0, answer.details)
    const { messages: answers } = fromBinary(rpc.SubmitBulkMessagesResponseSchema, answer.bytes!)
    for (const { response } of answers) {
      assert.equal(response.case, 'message', JSON.stringify(response, bigintsAsText))
    }
    return { bytes: answer.bytes!, answers }
  }
  /** Reads a list to its end; each answer must fit into what clients take. */
  const readAll = async (method: string, request: { fid: bigint }) => {
    const pages: MessagesResponse[] = []
    for (let pageToken: Uint8Array | undefined; ; ) {
      const message = create(rpc.FidRequestSchema, {
        ...request,
        ...(pageToken && { pageToken }),
      })
      const { bytes, status, details } = await client.call(
        method,
        toBinary(rpc.FidRequestSchema, message),
      )
      assert.equal(status, 0, details)
      assert.ok(bytes!.length <= MAX_REQUEST_BYTES)
      const page = fromBinary(rpc.MessagesResponseSchema, bytes!)
      pages.push(page)
      pageToken = page.nextPageToken
      if (pageToken === undefined) return pages
      assert.ok(pageToken.length > 0)
    }
  }

  test('messages of the largest size are answered in pages below 4 MiB, over bulk submits too', async () => {
    const targets = Array.from({ length: 9_000 }, (_, i) => 2 ** 28 + i)
    const authors = await world().accounts([11, 12, 13, 14])
    const states = authors.flatMap((one) =>
      Array.from({ length: 12 }, (_, i) =>
        inForm(
          world().sign(one, linkCompactState(world().origin(one, 5_000), `type ${i}`, targets)),
          'dataBytes',
        ),
      ),
    )
    const sent = encodeList(states)
    assert.ok(sent.length > MAX_REQUEST_BYTES / 2, 'in both forms the answer would be too long')
    const { bytes, answers } = await bulk(states)
    assert.ok(bytes.length <= MAX_REQUEST_BYTES)
    for (const [i, { response }] of answers.entries()) {
      assert.ok(response.case === 'message' && response.value.data, 'clients read data')
      assert.deepEqual(Buffer.from(response.value.hash), Buffer.from(states[i]!.hash))
    }
    const pages = await readAll('GetLinkCompactStateMessageByFid', { fid: 11n })
    assert.equal(pages.flatMap(({ messages }) => messages).length, 12)
  })

  test('a bulk submit whose answer might exceed 4 MiB is refused before anything of it is stored', async () => {
    const before = await world().app.storage.events.newestId()
    const [message] = [world().sign(author, castAdd(world().origin(author, 9_000), 'not stored'))]
    const padding = new Uint8Array(MAX_REQUEST_BYTES - 1_000).fill(0xff)
    const request = Buffer.concat([
      encodeList([message!]),
      Buffer.from([0x0a, ...varint(padding.length)]),
      padding,
    ])
    assert.ok(request.length <= MAX_REQUEST_BYTES)
    const { status, details, errCode } = await client.call('SubmitBulkMessages', request)
    assert.deepEqual([status, errCode], [8, 'bad_request.parse_failure'], details)
    assert.equal(await world().app.storage.events.newestId(), before)
  })

  test('a path that no deployed hub has is refused at once like a method that is not served, whatever the kind of call', async () => {
    const client = rawClient(world().app.urls.grpc)
    const expected = (name: string) => [12, `${name} is not implemented`, 'not_implemented']
    for (const path of ['GetNothing', '/Other/Thing', `/HubService/${'x'.repeat(100)}`]) {
      const { status, details, errCode } = await client.call(path, Buffer.alloc(20, 1))
      assert.deepEqual([status, details, errCode], expected(path.split('/').at(-1)!))
    }
    // Neither half-closes before it has its answer.
    const streams = [client.serverStream('GetNothing', NOTHING), client.duplex('GetNothing')]
    const ends = streams.map((stream) => {
      stream.on('error', () => {}).resume()
      return new Promise<StatusObject>((resolve) => stream.on('status', resolve))
    })
    for (const { code, details, metadata } of await Promise.all(ends)) {
      assert.deepEqual([code, details, metadata.get('errcode')[0]], expected('GetNothing'))
    }
    client.close()
    const metrics = await (await fetch(`${world().app.urls.operations}/metrics`)).text()
    const named = /grpc_request_duration_seconds_count\{method="(\w+)",status="12"\}/g
    const names = [...metrics.matchAll(named)].map(([, name]) => name)
    assert.deepEqual(names, ['unknown'], 'clients cannot make up series')
  })
})

const bigintsAsText = (_key: string, value: unknown) =>
  typeof value === 'bigint' ? String(value) : value

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}

inWorld(
  'silent streams over gRPC',
  (world) => {
    test('a silent Subscribe stream is sent its last event again, and only that one', async () => {
      const author = await world().account(1)
      const client = rawClient(world().app.urls.grpc)
      const stream = client.serverStream('Subscribe', subscribeRequest({}))
      const { ids, begun } = followEvents(stream)
      await begun
      const submit = async (text: string) => {
        const cast = castAdd(world().origin(author), text)
        accepted(await world().submit(world().sign(author, cast)))
        return world().app.storage.events.newestId()
      }
      const first = await submit('first')
      while (ids.length < 3) await once(stream, 'id')
      const second = await submit('second')
      while (ids.at(-1) !== second || ids.at(-2) !== second) await once(stream, 'id')
      assert.deepEqual(
        [...new Set(ids)],
        [first, second],
        'events grow, and each is repeated until the next one comes',
      )
      assert.deepEqual(
        ids,
        ids.toSorted((a, b) => a - b),
      )
      stream.cancel()
      client.close()
    })
  },
  { env: { ROOKERY_SUBSCRIBE_REPEAT_SECONDS: '1' } },
)

inWorld('reads over gRPC that are repeated', (world) => {
  test('an answer that was given often shows the next cast and the next removal at once', async () => {
    const author = await world().account(1)
    const client = rawClient(world().app.urls.grpc)
    const request = toBinary(rpc.FidRequestSchema, create(rpc.FidRequestSchema, { fid: 1n }))
    const texts = async () => {
      const { bytes } = await client.call('GetCastsByFid', request)
      const { messages } = fromBinary(rpc.MessagesResponseSchema, bytes!)
      return messages.map(
        ({ data }) => data?.body.value && 'text' in data.body.value && data.body.value.text,
      )
    }
    const expected: string[] = []
    const sent = []
    for (const text of ['first', 'second', 'third']) {
      const cast = world().sign(author, castAdd(world().origin(author, 100 + sent.length), text))
      accepted(await world().submit(cast))
      sent.push(cast)
      expected.push(text)
      for (let i = 0; i < 4; i++) assert.deepEqual(await texts(), expected)
    }
    const removal = castRemove(world().origin(author, 200), sent[1]!.hash)
    accepted(await world().submit(world().sign(author, removal)))
    for (let i = 0; i < 4; i++) assert.deepEqual(await texts(), ['first', 'third'])
    client.close()
  })
})

inWorld('broken bytes on the gRPC port', (world) => {
  const seed = runSeed()
  let client: RawClient
  before(() => {
    client = rawClient(world().app.urls.grpc)
  })
  after(() => client.close())

  const isServed = async () => assert.equal((await client.call('GetInfo', NOTHING)).status, 0)
  const open = (): Socket => {
    const [host, port] = world().app.urls.grpc.split(':')
    const socket = connect(Number(port), host)
    socket.on('error', () => {})
    socket.resume()
    return socket
  }

  /** Everything that a stock client sends for some calls. */
  async function record(): Promise<Buffer> {
    const parts: Buffer[] = []
    const [host, port] = world().app.urls.grpc.split(':')
    const proxy = createServer((inbound) => {
      const outbound = connect(Number(port), host)
      inbound.on('data', (bytes: Buffer) => parts.push(bytes))
      for (const socket of [inbound, outbound]) socket.on('error', () => {})
      inbound.pipe(outbound).pipe(inbound)
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    const recorded = rawClient(`127.0.0.1:${(proxy.address() as AddressInfo).port}`)
    for (const method of ['GetInfo', 'GetFids', 'SubmitMessage', 'Unknown']) {
      await recorded.call(method, Buffer.alloc(20, 1))
    }
    const stream = recorded.serverStream('Subscribe', subscribeRequest({ fromId: 0n }))
    await followEvents(stream).begun
    stream.cancel()
    recorded.close()
    proxy.close()
    return Buffer.concat(parts)
  }

  test(`bit flips, cuts and random bytes on ${effort(150, 5_000)} connections stop no other client`, async (t) => {
    t.diagnostic(`TEST_SEED=${seed}`)
    const random = randomFrom(seed)
    const conversation = await record()
    const rssBefore = process.memoryUsage().rss
    for (let round = 0; round < effort(150, 5_000); round++) {
      const bytes = Buffer.from(conversation)
      for (let flips = 1 + random.int(8); flips > 0; flips--) {
        // Mostly behind the preface, so that frames and header blocks are read.
        const at =
          random.int(10) === 0 ? random.int(bytes.length) : 24 + random.int(bytes.length - 24)
        bytes[at] = bytes[at]! ^ (1 << random.int(8))
      }
      const socket = open()
      socket.write(random.int(3) === 0 ? bytes.subarray(0, random.int(bytes.length)) : bytes)
      const closed = once(socket, 'close')
      await Promise.race([closed, sleep(5)])
      if (random.int(2)) socket.resetAndDestroy()
      else socket.destroy()
      if (round % 25 === 0) await isServed()
    }
    await isServed()
    const grown = (process.memoryUsage().rss - rssBefore) / 1024 ** 2
    t.diagnostic(`${grown.toFixed(0)} MB more`)
    assert.ok(grown < 200, `${grown} MB`)
  })

  test('calls that are reset in any state leave nothing behind', async () => {
    const session = connectHttp2(`http://${world().app.urls.grpc}`)
    session.on('error', () => {})
    const headers = {
      ':method': 'POST',
      ':path': '/HubService/Subscribe',
      'content-type': 'application/grpc',
      te: 'trailers',
    }
    const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, 2]), Buffer.from([0x10, 0])])
    for (let i = 0; i < 200; i++) {
      const stream = session.request(headers)
      stream.on('error', () => {})
      if (i % 4 > 0) stream.write(i % 4 === 1 ? frame.subarray(0, 3) : frame)
      if (i % 4 === 3) stream.end()
      // The answer begins once the request has arrived.
      if (i % 4 === 3 && i % 8 > 3) await once(stream, 'response')
      stream.close(constants.NGHTTP2_CANCEL)
    }
    session.destroy()
    for (;;) {
      const metrics = await (await fetch(`${world().app.urls.operations}/metrics`)).text()
      const open = [...metrics.matchAll(/^grpc_subscriptions (\d+)$/gm)]
      assert.ok(open.length > 0, 'the metric is there')
      if (open.every(([, count]) => count === '0')) break
      await sleep(20)
    }
    await isServed()
  })

  test('a read is answered alike with a deadline, which is handled apart, and when it comes byte by byte', async () => {
    const client = rawClient(world().app.urls.grpc)
    const told = ({ bytes, status, details, errCode }: Ended) => [
      bytes?.toString('hex'),
      status,
      details,
      errCode,
    ]
    const requests: [method: string, request: Uint8Array][] = [
      ['GetFids', NOTHING],
      ['GetUsernameProof', Buffer.from([0x0a, 4, ...Buffer.from('%\u00fc!')])],
      ['GetCast', Buffer.from([0x0a])],
      ['GetCast', NOTHING],
      ['GetCastsByFid', Buffer.alloc(65_537)],
      ['/grpc.health.v1.Health/Check', NOTHING],
    ]
    for (const [method, request] of requests) {
      const plain = told(await client.call(method, request))
      assert.deepEqual(told(await client.call(method, request, { deadlineMs: 60_000 })), plain)
    }
    client.close()
    const session = connectHttp2(`http://${world().app.urls.grpc}`)
    const stream = session.request({
      ':method': 'POST',
      ':path': '/HubService/GetFidAddressType',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    const answer: Buffer[] = []
    stream.on('data', (chunk: Buffer) => answer.push(chunk))
    const trailers = once(stream, 'trailers')
    for (const byte of [0, 0, 0, 0, 3, 8, 0xb8, 1]) stream.write(Buffer.of(byte))
    stream.end()
    assert.equal((await trailers)[0]['grpc-status'], '0')
    assert.deepEqual(Buffer.concat(answer), Buffer.alloc(5), 'an empty message')
    session.close()
  })

  test('what the transport refuses by itself has a code for clients: a compressed message, a second one, none, a time-out that is none', async () => {
    const message = (flag: number, ...bytes: number[]) =>
      Buffer.from([flag, 0, 0, 0, bytes.length, ...bytes])
    const calls: [Buffer, headers: Record<string, string>, status: string, errCode: string][] = [
      [message(1, 8, 1), { 'grpc-encoding': 'snappy' }, '12', 'not_implemented'],
      [Buffer.concat([message(0), message(0)]), {}, '12', 'not_implemented'],
      [Buffer.alloc(0), {}, '12', 'not_implemented'],
      [message(0), { 'grpc-timeout': 'soon' }, '13', 'bad_request.parse_failure'],
    ]
    const session = connectHttp2(`http://${world().app.urls.grpc}`)
    for (const [body, headers, ...expected] of calls) {
      const end = await endOf(session, '/HubService/GetInfo', { headers, body })
      const found = [end['grpc-status'], end.errcode, end['x-err-code']]
      assert.deepEqual(found, [...expected, expected[1]], body.toString('hex'))
    }
    session.close()
    await isServed()
  })
})

inWorld('gRPC behind a TLS proxy', (world) => {
  test('stock clients of every version connect through a proxy that ends TLS', async () => {
    const proxy = await startGrpcTlsProxy(world().app.urls.grpc)
    const author = await world().account(1)
    accepted(await world().submit(world().sign(author, castAdd(world().origin(author), 'by TLS'))))
    for (const version of ['0.11', '0.14', '0.17']) {
      // The library reads its roots when it is loaded.
      const program = `import { getSSLHubRpcClient } from 'hub-nodejs-${version}'
        const client = getSSLHubRpcClient('${proxy.address}')
        const casts = (await client.getCastsByFid({ fid: 1 }))._unsafeUnwrap()
        const stream = (await client.subscribe({ eventTypes: [], fromId: 0 }))._unsafeUnwrap()
        for await (const event of stream) {
          console.log(casts.messages[0].data.castAddBody.text, event.id > 0)
          process.exit()
        }`
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
        cwd: ROOT,
        env: { PATH: process.env.PATH, GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: proxy.certificate },
        timeout: PATIENCE_MS,
      })
      assert.equal(stdout.trim(), 'by TLS true', version)
    }
    proxy.close()
  })
})
