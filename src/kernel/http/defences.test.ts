import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import Type from 'typebox'
import { serve } from '../../../test/http-support.ts'
import { PATIENCE_MS } from '../../../test/patience.ts'
import { BodyMemory } from '../limits/bodies.ts'
import { clientOf, forwardedAddresses } from '../limits/client.ts'
import { ConnectionLimit } from '../limits/connections.ts'
import { UnreadBytes } from '../limits/unread.ts'
import { UnreadableHops } from '../limits/unreadable-hops.ts'
import { Rejection } from '../protocol/rejection.ts'
import { paging } from './input/paging.ts'
import type { InterfaceOptions } from './options.ts'
import { content, jsonText, octets, route, uploadedOctets } from './route.ts'

const submit = route('POST /v1/submit', {
  callers: 'anyone',
  summary: 'Counts the bytes of its body',
  body: octets({ description: 'bytes' }),
  reply: Type.Object({ length: Type.Integer() }),
  errors: [],
  cost: 'write',
  handler: (_, { body }) => ({ length: body.length }),
})
const bodyless = route('POST /v1/do', {
  callers: 'anyone',
  summary: 'Takes no body',
  reply: Type.Object({}),
  errors: [],
  cost: 'write',
  handler: () => ({}),
})

/** More than the buffers of a connection hold. */
const LARGE_BYTES = 20_000_000
const large = route('GET /v1/large', {
  callers: 'anyone',
  summary: 'A large answer',
  reply: Type.Unknown(),
  errors: [],
  cost: 'lookup',
  handler: () => content(Buffer.alloc(LARGE_BYTES), 'application/octet-stream'),
})

async function listening(t: TestContext, options: Partial<InterfaceOptions> = {}) {
  const api = serve([submit, bodyless, large], options)
  t.after(() => api.close())
  const { port } = await api.listen('127.0.0.1', 0)
  return { api, port }
}

/** An open connection, with what came over it so far. */
async function open(t: TestContext, port: number) {
  const socket: Socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.on('error', () => {})
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  return { socket, received: () => received }
}

async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (!holds()) {
    assert.ok(Date.now() < deadline, what)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** The head of a POST that announces a body and sends none of it. */
const head = (path: string, lines: string[]): string =>
  [`POST ${path} HTTP/1.1`, 'host: localhost', ...lines, '', ''].join('\r\n')
const OCTETS = 'content-type: application/octet-stream'

test('security finding 11: a request is refused before its body is read', async (t) => {
  const { port } = await listening(t)
  const cases: [path: string, lines: string[], status: number][] = [
    ['/nowhere', [OCTETS, 'content-length: 1000000'], 404],
    ['/nowhere', [OCTETS, 'transfer-encoding: chunked'], 404],
    ['/v1/submit', ['content-type: text/plain', 'content-length: 1000000'], 415],
    ['/v1/submit', ['transfer-encoding: chunked'], 415],
    ['/v1/submit', [OCTETS, 'content-length: 1048577'], 413],
    ['/openapi.json', [OCTETS, 'content-length: 1000000'], 405],
  ]
  for (const [path, lines, status] of cases) {
    const { socket, received } = await open(t, port)
    socket.write(head(path, lines))
    await until(() => received().includes('\r\n\r\n'), `an answer to ${path} ${lines}`)
    assert.match(received(), new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*connection: close`, 'i'))
    await until(() => socket.closed, 'the connection is closed')
  }
})

test('security finding 11: a body that a route does not declare is discarded, not kept', async (t) => {
  const bodies = new BodyMemory({ small: 1, large: 1, largePerClient: 1 })
  const { port } = await listening(t, { bodies })
  const response = await fetch(`http://127.0.0.1:${port}/v1/do`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(500_000),
  })
  assert.deepEqual([response.status, await response.json()], [200, {}])
})

test('security finding 11: bodies that never end are bounded in bytes, for one client and in all', async (t) => {
  const bodies = new BodyMemory({ large: 400_000, largePerClient: 200_000 })
  const { api, port } = await listening(t, { bodies, trustedProxies: ['127.0.0.1'] })
  const begin = async (client: string, bytes: number) => {
    const connection = await open(t, port)
    connection.socket.write(
      head('/v1/submit', [OCTETS, 'content-length: 250000', `x-forwarded-for: ${client}`]),
    )
    connection.socket.write('x'.repeat(bytes))
    return connection
  }
  const first = await begin('192.0.2.1', 150_000)
  await until(() => bodies.used === 150_000, 'the first body has arrived in part')

  const sameClient = await begin('192.0.2.1', 70_000)
  await until(() => sameClient.received() !== '', 'the same client is refused')
  assert.match(sameClient.received(), /^HTTP\/1.1 503 [\s\S]*retry-after: /)
  assert.match(sameClient.received(), /too many request bodies are being received/)
  await until(() => bodies.used === 150_000, 'what had arrived of it is given back')

  const other = await begin('192.0.2.2', 190_000)
  await until(() => bodies.used === 340_000, 'another client may send')
  const third = await begin('192.0.2.3', 100_000)
  await until(() => other.received() !== '', 'who has most loses it to one who has less')
  assert.match(other.received(), /^HTTP\/1.1 503 /)
  await until(() => bodies.used === 250_000, 'the third is received')

  first.socket.destroy()
  await until(() => bodies.used === 100_000, 'a connection that closes returns its bytes')
  third.socket.write('x'.repeat(90_000))
  await until(() => bodies.used === 190_000, 'the third goes on')
  assert.equal(third.received(), '')
  assert.match(await api.metrics(), /code="unavailable.overloaded"\} 2/)
})

const announcedUpload = (client: string): string =>
  head('/v1/upload', [OCTETS, 'content-length: 2000000', `x-forwarded-for: ${client}`])

test('an upload is read only when its handler asks for it, and unfinished ones keep nobody from small bodies', async (t) => {
  const bodies = new BodyMemory({ large: 1_000_000, largePerClient: 500_000 })
  const upload = route('POST /v1/upload', {
    callers: 'user',
    summary: 'Takes a file of those with a token',
    body: uploadedOctets({ description: 'bytes', maxBytes: 2_000_000 }),
    reply: Type.Object({ length: Type.Integer() }),
    errors: [],
    cost: 'write',
    handler: async (_, { body, request }) => {
      if (request.headers.authorization === undefined) {
        throw new Rejection('unauthenticated', 'a token is needed')
      }
      return { length: (await body()).length }
    },
  })
  const api = serve([upload, submit], { bodies, trustedProxies: ['127.0.0.1'] })
  t.after(() => api.close())
  const { port } = await api.listen('127.0.0.1', 0)
  const strangers = await Promise.all(Array.from({ length: 4 }, () => open(t, port)))
  for (const [i, { socket, received }] of strangers.entries()) {
    socket.write(announcedUpload(`192.0.2.${i}`))
    await until(() => received() !== '', 'a stranger is refused before the body')
    assert.match(received(), /^HTTP\/1.1 401 [\s\S]*connection: close/i)
    await until(() => socket.closed, 'the connection is closed')
  }
  assert.equal(bodies.used, 0)

  const authorized = announcedUpload('192.0.2.9').replace('content-type', 'authorization: a\r\n$&')
  const member = await open(t, port)
  member.socket.write(authorized)
  member.socket.write('x'.repeat(400_000))
  await until(() => bodies.used === 400_000, 'a member has begun')
  const url = `http://127.0.0.1:${port}/v1/submit`
  const headers = { 'content-type': 'application/octet-stream', 'x-forwarded-for': '192.0.2.7' }
  const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(65_536) })
  assert.deepEqual([response.status, await response.json()], [200, { length: 65_536 }])
  const empty = await fetch(`http://127.0.0.1:${port}/v1/upload`, {
    method: 'POST',
    headers: { authorization: 'a' },
  })
  assert.deepEqual([empty.status, await empty.json()], [200, { length: 0 }])
})

test('an upload whose client leaves before it is asked for ends, and a whole one is read', async (t) => {
  const bodies = new BodyMemory()
  const asked = Promise.withResolvers<void>()
  const proven = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<unknown>()
  const upload = route('POST /v1/upload', {
    callers: 'anyone',
    summary: 'Takes a file after a while',
    body: uploadedOctets({ description: 'bytes', maxBytes: 2_000_000 }),
    reply: Type.Object({ length: Type.Integer() }),
    errors: [],
    cost: 'write',
    handler: async (_, { body }) => {
      asked.resolve()
      await proven.promise
      const bytes = await body().catch(gone.resolve)
      return { length: bytes?.length ?? 0 }
    },
  })
  const connections = new ConnectionLimit({ total: 10, perNetwork: 10 })
  const api = serve([upload], { bodies, connections })
  t.after(() => api.close())
  const { port } = await api.listen('127.0.0.1', 0)
  const client = await open(t, port)
  client.socket.write(announcedUpload('192.0.2.1'))
  await asked.promise
  client.socket.destroy()
  await until(() => connections.used === 0, 'the connection has ended')
  proven.resolve()
  assert.match(String(await gone.promise), /the request was cut off/)
  const response = await fetch(`http://127.0.0.1:${port}/v1/upload`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(2_000_000),
  })
  assert.deepEqual([response.status, await response.json()], [200, { length: 2_000_000 }])
  assert.equal(bodies.used, 0)
})

test('a body that stops in the middle is answered 408, and its connection ends', async (t) => {
  const bodies = new BodyMemory({ watchMs: 10 })
  const { port } = await listening(t, { bodies })
  const { socket, received } = await open(t, port)
  socket.write(`${head('/v1/submit', [OCTETS, 'content-length: 100000'])}half`)
  await until(() => socket.closed, 'the connection ends')
  assert.match(received(), /^HTTP\/1.1 408 [\s\S]*connection: close[\s\S]*too_slow|KiB a second/i)
  assert.equal(bodies.used, 0)
})

test('security finding 11: a body that does not arrive in time ends its connection', async (t) => {
  const { port } = await listening(t, { requestTimeoutMs: 300 })
  const { socket, received } = await open(t, port)
  socket.write(`${head('/v1/submit', [OCTETS, 'content-length: 10'])}half`)
  await once(socket, 'close', { signal: AbortSignal.timeout(PATIENCE_MS) })
  assert.match(received(), /^HTTP\/1.1 408 /)
})

/** Asks for an answer and reads nothing of it. */
async function askWithoutReading(t: TestContext, port: number, client: string, path: string) {
  const connection = await open(t, port)
  connection.socket.pause()
  const lines = ['host: localhost', `x-forwarded-for: ${client}`]
  connection.socket.write([`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
  return connection
}

test('answers that are not read are bounded in bytes, for one client and in all', async (t) => {
  const unread = new UnreadBytes({ total: 50_000_000, perClient: 30_000_000 })
  const { port } = await listening(t, { unread, trustedProxies: ['127.0.0.1'] })
  const first = await askWithoutReading(t, port, '192.0.2.1', '/v1/large')
  await until(() => unread.used === LARGE_BYTES, 'the first answer waits for its reader')
  const url = `http://127.0.0.1:${port}/v1/large`
  const from = (client: string) => fetch(url, { headers: { 'x-forwarded-for': client } })
  const refused = await from('192.0.2.1')
  assert.equal(refused.status, 503)
  assert.match(await refused.text(), /too many answers were not read yet/)
  await askWithoutReading(t, port, '192.0.2.2', '/v1/large')
  await until(() => unread.used === 2 * LARGE_BYTES, 'another client may have one')
  assert.equal((await from('192.0.2.3')).status, 503, 'the bound in all is reached')
  first.socket.destroy()
  await until(() => unread.used === LARGE_BYTES, 'a closed connection returns its bytes')
  const read = await from('192.0.2.3')
  assert.equal((await read.arrayBuffer()).byteLength, LARGE_BYTES)
  await until(() => unread.used === LARGE_BYTES, 'an answer that was read returns its bytes')
})

test('when all answers that are not read reach their bound, who has most loses them, and others are answered', async (t) => {
  const unread = new UnreadBytes({ total: 5 * LARGE_BYTES, perClient: 3 * LARGE_BYTES })
  const { port } = await listening(t, { unread, trustedProxies: ['127.0.0.1'] })
  const stand = (client: string) => askWithoutReading(t, port, client, '/v1/large')
  const greedy = [await stand('192.0.2.1'), await stand('192.0.2.1'), await stand('192.0.2.1')]
  const modest = [await stand('192.0.2.2'), await stand('192.0.2.2')]
  await until(() => unread.used === 5 * LARGE_BYTES, 'all that may wait is waiting')
  const answer = await fetch(`http://127.0.0.1:${port}/v1/large`, {
    headers: { 'x-forwarded-for': '192.0.2.3' },
  })
  assert.equal((await answer.arrayBuffer()).byteLength, LARGE_BYTES)
  for (const { socket } of greedy) {
    socket.resume()
    await until(() => socket.closed, 'the greedy client has lost its connections')
  }
  assert.equal(unread.usedBy('192.0.2.2'), 2 * LARGE_BYTES)
  for (const { socket } of modest) assert.equal(socket.closed, false)
})

test('a client that takes nothing of an answer loses its connection, and one that pauses between requests does not', async (t) => {
  const unread = new UnreadBytes({ total: 50_000_000, perClient: 50_000_000 })
  const { port } = await listening(t, { unread, stallTimeoutMs: 200 })
  const { socket } = await askWithoutReading(t, port, '192.0.2.1', '/v1/large')
  await until(() => unread.used === LARGE_BYTES, 'the answer waits for its reader')
  await until(() => unread.used === 0, 'the server gives up')
  socket.resume()
  await until(() => socket.closed, 'the connection was closed')
})

test('security finding 11: connections are bounded for one client', async (t) => {
  const connections = new ConnectionLimit({ total: 100, perNetwork: 3 })
  const { port } = await listening(t, { connections })
  const held = await Promise.all([1, 2, 3].map(() => open(t, port)))
  await until(() => connections.used === 3, 'three connections are counted')
  const refused = await open(t, port)
  await until(() => refused.socket.closed, 'the connection is closed')
  assert.match(refused.received(), /^HTTP\/1.1 503 [\s\S]*too many connections are open/)
  held[0]!.socket.destroy()
  await until(() => connections.used === 2, 'a closed connection is not counted any more')
  const response = await fetch(`http://127.0.0.1:${port}/v1/do`, { method: 'POST' })
  assert.equal(response.status, 200)
})

test('security finding 11: connections of a trusted proxy do not count as one client', async (t) => {
  const connections = new ConnectionLimit({ total: 2, perNetwork: 2 })
  const { port } = await listening(t, { connections, trustedProxies: ['127.0.0.0/8'] })
  const held = await Promise.all([1, 2, 3, 4].map(() => open(t, port)))
  for (const { socket, received } of held) {
    socket.write(head('/v1/do', ['content-length: 0']))
    await until(() => received() !== '', 'an answer')
    assert.match(received(), /^HTTP\/1.1 200 /)
  }
})

test('one client is an IPv4 address or the /64 of an IPv6 address', () => {
  assert.equal(clientOf('192.0.2.1'), '192.0.2.1')
  assert.equal(clientOf('::ffff:192.0.2.1'), '192.0.2.1')
  assert.equal(clientOf('2001:db8:1:2::1'), clientOf('2001:db8:1:2:ffff::9'))
  assert.notEqual(clientOf('2001:db8:1:2::1'), clientOf('2001:db8:1:3::1'))
  assert.equal(clientOf('64:ff9b::192.0.2.1'), '192.0.2.1', 'of an IPv4 client behind a translator')
  assert.equal(clientOf(undefined), 'unknown')
})

test('a client that a proxy names with a port, brackets or quotes is known by its address', () => {
  const unreadable: string[] = []
  const onUnreadable = (hop: string) => unreadable.push(hop.trim())
  const addressOf = forwardedAddresses({ trustedProxies: ['10.0.0.0/8'], onUnreadable })
  const cases: [header: string, address: string][] = [
    ['203.0.113.4', '203.0.113.4'],
    ['203.0.113.4:50123', '203.0.113.4'],
    ['2001:db8::7', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['"[2001:db8::7]:443"', '2001:db8::7'],
    ['198.51.100.1, 203.0.113.4:1 , 10.0.0.2:8080', '203.0.113.4'],
    ['203.0.113.4,,', '203.0.113.4'],
    ['10.0.0.3', '10.0.0.3'],
    ['', '10.0.0.1'],
  ]
  for (const [header, address] of cases)
    assert.equal(addressOf('10.0.0.1', header), address, header)
  assert.deepEqual(unreadable, [])
  // What is left of an entry that nobody can read may be made up by the client.
  for (const hop of [
    'unknown',
    '_hidden',
    '203',
    '0x7f.1',
    '203.0.113.4:5:6',
    '[203.0.113.4',
    '[]',
  ]) {
    assert.equal(addressOf('10.0.0.1', `198.51.100.1, ${hop}`), '10.0.0.1', hop)
    assert.equal(unreadable.pop(), hop)
  }
  assert.equal(addressOf('192.0.2.9', '203.0.113.4'), '192.0.2.9', 'no proxy')
})

test('clients behind a proxy that writes ports have limits of their own', async () => {
  const limited = route('POST /v1/limited', {
    callers: 'anyone',
    summary: 'Once a minute',
    reply: Type.Object({}),
    limit: { max: 1, windowSeconds: 60 },
    errors: [],
    cost: 'write',
    handler: () => ({}),
  })
  const hops: string[] = []
  const onUnreadableHop = (hop: string) => hops.push(hop)
  const api = serve([limited], { trustedProxies: ['127.0.0.1'], onUnreadableHop })
  const statusOf = async (forwardedFor: string) => {
    const headers = { 'x-forwarded-for': forwardedFor }
    return (await api.inject({ method: 'POST', url: '/v1/limited', headers })).statusCode
  }
  for (const client of ['203.0.113.1:1', '203.0.113.2:1', '[2001:db8::7]:443']) {
    assert.deepEqual([await statusOf(client), await statusOf(client)], [200, 429], client)
  }
  assert.deepEqual(hops, [])
  assert.deepEqual([await statusOf('unknown'), hops], [200, ['unknown']])
})

test('an operator is warned once of entries of X-Forwarded-For that are no address', () => {
  const warned: string[] = []
  const hops = new UnreadableHops((text) => warned.push(text))
  assert.equal(hops.warning, undefined)
  hops.note(`unknown${'x'.repeat(500)}\n`)
  hops.note('other')
  assert.deepEqual(warned, [hops.warning])
  assert.match(warned[0]!, /"unknownx{53}", which is no address.*ROOKERY_TRUSTED_PROXIES/)
})

test('security finding 14: a page whose name points to loopback does not reach operations', async () => {
  const api = serve([bodyless], {
    name: 'operations',
    errors: 'plain',
    hostNames: ['ops.internal'],
  })
  const statusOf = async (host: string, origin?: string) => {
    const headers = { host, ...(origin && { origin }) }
    return (await api.inject({ method: 'POST', url: '/v1/do', headers })).statusCode
  }
  for (const host of [
    'evil.example:14200',
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.nip.io',
  ]) {
    assert.equal(await statusOf(host, `http://${host}`), 403, host)
    assert.equal(await statusOf(host), 403, host)
  }
  for (const host of [
    'localhost:2280',
    '127.0.0.1',
    '[::1]:2280',
    'LOCALHOST',
    'ops.internal:80',
  ]) {
    assert.equal(await statusOf(host, `http://${host}`), 200, host)
    assert.equal(await statusOf(host, 'http://evil.example'), 403, host)
  }
  const open = serve([bodyless])
  const response = await open.inject({
    method: 'POST',
    url: '/v1/do',
    headers: { host: 'hub.example.org' },
  })
  assert.equal(response.statusCode, 200)
})

test('many requests of one client do not delay one of another behind the same proxy', async (t) => {
  const begun: string[] = []
  const slow = route('GET /v1/slow', {
    callers: 'anyone',
    summary: 'Keeps the thread for a while',
    reply: Type.Unknown(),
    errors: [],
    cost: 'lookup',
    handler: (_, { request }) => {
      begun.push(request.ip)
      const end = performance.now() + 5
      while (performance.now() < end);
      return jsonText('{}')
    },
  })
  const api = serve([slow], { trustedProxies: ['127.0.0.1'] })
  t.after(() => api.close())
  const { port } = await api.listen('127.0.0.1', 0)
  const other = await open(t, port)
  const greedy = await Promise.all(Array.from({ length: 40 }, () => open(t, port)))
  const ask = ({ socket }: { socket: Socket }, address: string) =>
    socket.write(`GET /v1/slow HTTP/1.1\r\nhost: a\r\nx-forwarded-for: ${address}\r\n\r\n`)
  // Each connection has been accepted once it has an answer.
  for (const one of greedy) ask(one, '192.0.2.1')
  await until(() => greedy.every(({ received }) => received() !== ''), 'all are connected')
  begun.length = 0
  for (const one of greedy) ask(one, '192.0.2.1')
  ask(other, '192.0.2.2')
  await until(() => begun.length === 41, 'all are answered')
  const before = begun.indexOf('192.0.2.2')
  assert.ok(before < 10, `${before} requests were begun before that of another client`)
})

test('large reads of one client take turns with the requests of others', async (t) => {
  let reads = 0
  const expensive = route('GET /v1/expensive', {
    callers: 'anyone',
    summary: 'Keeps the thread for a while',
    query: paging,
    reply: Type.Unknown(),
    errors: [],
    cost: 'list',
    handler: async () => {
      reads++
      const end = performance.now() + 5
      while (performance.now() < end);
      return jsonText('{}')
    },
  })
  const api = serve([expensive, bodyless], { trustedProxies: ['127.0.0.1'] })
  t.after(() => api.close())
  const { port } = await api.listen('127.0.0.1', 0)
  // New connections wait behind those that came before, which are accepted one in each turn.
  const other = await open(t, port)
  const small = 'POST /v1/do HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 192.0.2.2\r\n\r\n'
  other.socket.write(small)
  await until(() => other.received().includes('200 OK'), 'the other client is connected')
  await Promise.all(
    Array.from({ length: 200 }, async () => {
      const { socket } = await open(t, port)
      socket.write('GET /v1/expensive HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 192.0.2.1\r\n\r\n')
    }),
  )
  await until(() => reads > 0, 'the first large read runs')
  let before = 0
  other.socket.once('data', () => {
    before = reads
  })
  other.socket.write(small)
  await until(() => before > 0, 'another client is answered')
  assert.ok(before < 150, `${before} large reads were done before the request of another client`)
})

test('large reads that wait for a client that has gone are not done', async (t) => {
  let reads = 0
  const released = Promise.withResolvers<void>()
  const expensive = route('GET /v1/expensive', {
    callers: 'anyone',
    summary: 'Waits',
    query: paging,
    reply: Type.Unknown(),
    errors: [],
    cost: 'list',
    handler: async () => {
      reads++
      await released.promise
      return jsonText('{}')
    },
  })
  const connections = new ConnectionLimit({ total: 100, perNetwork: 100 })
  const api = serve([expensive, bodyless], { connections })
  t.after(() => api.close())
  const { port } = await api.listen('127.0.0.1', 0)
  const other = await open(t, port)
  const greedy = await Promise.all(Array.from({ length: 20 }, () => open(t, port)))
  for (const { socket } of greedy) socket.write('GET /v1/expensive HTTP/1.1\r\nhost: a\r\n\r\n')
  // One client has two of them at a time.
  await until(() => reads === 2, 'large reads run')
  other.socket.write('POST /v1/do HTTP/1.1\r\nhost: a\r\n\r\n')
  await until(() => other.received().includes('200 OK'), 'another request is answered meanwhile')
  assert.equal(reads, 2)
  for (const { socket } of greedy) socket.destroy()
  await until(() => connections.used === 1, 'the connections have ended')
  released.resolve()
  other.socket.write('GET /v1/expensive HTTP/1.1\r\nhost: a\r\n\r\n')
  await until(() => other.received().split('200 OK').length === 3, 'a later read is answered')
  assert.equal(reads, 3)
})
