import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import Type from 'typebox'
import { serve } from '../../../test/http-support.ts'
import { PATIENCE_MS } from '../../../test/patience.ts'
import { Rejection, type RejectionCode } from '../protocol/rejection.ts'
import { parseCredentials } from './auth.ts'
import { ERRORS } from './errors.ts'
import { pageTokenParam } from './input/paging.ts'
import { fidParam, optional, textParam } from './input/params.ts'
import { CLOSE_WAIT_MS } from './interface.ts'
import { content, jsonAnswer, jsonText, noContent, octets, type Route, route } from './route.ts'

const echo = route('GET /v1/echo', {
  callers: 'anyone',
  summary: 'Says what it read',
  query: { fid: fidParam, pageToken: pageTokenParam },
  reply: Type.Object({ fid: Type.Integer(), token: Type.String() }),
  errors: [],
  cost: 'lookup',
  handler: (_, { query }) => ({
    fid: query.fid,
    token: Buffer.from(query.pageToken ?? []).toString('base64'),
  }),
})

/** A route that does as told. */
const doing = (handler: Route['handler'], method: 'GET' | 'POST' = 'GET'): Route =>
  route(`${method} /v1/do`, {
    callers: 'anyone',
    summary: 'Does as told',
    reply: Type.Unknown(),
    errors: [],
    cost: 'lookup',
    handler,
  })

test('a handler may return JSON, text, parts of text, bytes or nothing', async () => {
  const answers: [Parameters<typeof doing>[0], number, string | undefined, string][] = [
    [() => ({ a: 1 }), 200, 'application/json; charset=utf-8', '{"a":1}'],
    [async () => ({ a: 1 }), 200, 'application/json; charset=utf-8', '{"a":1}'],
    [() => jsonText('{"b":2}'), 200, 'application/json; charset=utf-8', '{"b":2}'],
    [
      () => jsonAnswer({ c: 3 }, { status: 404 }),
      404,
      'application/json; charset=utf-8',
      '{"c":3}',
    ],
    [() => content(Buffer.from('x'), 'image/png'), 200, 'image/png', 'x'],
    [() => noContent, 204, undefined, ''],
  ]
  for (const [handler, status, type, body] of answers) {
    const response = await serve([doing(handler)]).inject('/v1/do')
    assert.deepEqual(
      [response.statusCode, response.headers['content-type'], response.body],
      [status, type, body],
    )
  }
})

test('a stream is sent as it comes and destroyed when its reader leaves', async () => {
  const streams: Readable[] = []
  const handler = () => {
    const stream = new Readable({ read() {} })
    streams.push(stream)
    stream.push('first')
    return content(stream, 'text/event-stream', { headers: { 'cache-control': 'no-store' } })
  }
  const api = serve([doing(handler)])
  const { url } = await api.listen('127.0.0.1', 0)
  const ended = () => {
    const stream = streams.at(-1)!
    return stream.closed
      ? undefined
      : once(stream, 'close', { signal: AbortSignal.timeout(PATIENCE_MS) })
  }
  try {
    const whole = await fetch(`${url}/v1/do`)
    assert.equal(whole.headers.get('content-type'), 'text/event-stream')
    streams[0]!.push(' and last')
    streams[0]!.push(null)
    assert.equal(await whole.text(), 'first and last')

    const left = new AbortController()
    await fetch(`${url}/v1/do`, { signal: left.signal })
    left.abort()
    await ended()

    const head = await fetch(`${url}/v1/do`, { method: 'HEAD' })
    assert.equal(head.status, 200)
    assert.equal(head.headers.get('cache-control'), 'no-store')
    await ended()
    assert.equal(streams.length, 3)
  } finally {
    await api.close()
  }
})

test('bytes that answers share are let go once they were received or their reader has left, and not before', async (t) => {
  // More than the buffers of a connection hold.
  const shared = Buffer.alloc(64 * 1024 * 1024, 'x')
  let held = 0
  const handler = () => {
    held += 1
    const headers = { etag: '"one"' }
    return content(shared, 'text/plain', { headers, onClose: () => (held -= 1) })
  }
  const api = serve([doing(handler)])
  t.after(() => api.close())
  const { url, port } = await api.listen('127.0.0.1', 0)
  const untilHeld = async (count: number) => {
    while (held !== count) await new Promise((turn) => setImmediate(turn))
  }
  const slow = connect(port, '127.0.0.1')
  t.after(() => slow.destroy())
  slow.write('GET /v1/do HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(slow, 'readable')
  for (const [init, status, length] of [
    [{}, 200, shared.length],
    [{ method: 'HEAD' }, 200, 0],
    [{ headers: { 'if-none-match': '"one"' } }, 304, 0],
  ] as const) {
    const answer = await fetch(`${url}/v1/do`, init)
    assert.equal(answer.status, status)
    assert.equal((await answer.bytes()).length, length)
    await untilHeld(1)
  }
  slow.destroy()
  await untilHeld(0)
})

test('a client that already has the current answer gets 304', async () => {
  const handler = () => jsonText('{}', { headers: { etag: '"7"', 'cache-control': 'no-cache' } })
  const api = serve([doing(handler)])
  for (const known of ['"7"', 'W/"7"', '"6", "7"', '*']) {
    const response = await api.inject({ url: '/v1/do', headers: { 'if-none-match': known } })
    assert.deepEqual([response.statusCode, response.body, response.headers.etag], [304, '', '"7"'])
  }
  const other = await api.inject({ url: '/v1/do', headers: { 'if-none-match': '"8"' } })
  assert.equal(other.statusCode, 200)
})

test('each rejection is answered with the status of its code', async () => {
  for (const code of Object.keys(ERRORS) as RejectionCode[]) {
    const handler = () => {
      throw new Rejection(code, 'because', { field: 'f' })
    }
    for (const thrower of [handler, async () => handler()]) {
      const response = await serve([doing(thrower)]).inject('/v1/do')
      assert.equal(response.statusCode, ERRORS[code].status)
      assert.equal(response.json().message, 'because')
      assert.equal(response.json().field, 'f')
    }
  }
})

test('answers 429 and 503 have retry-after', async () => {
  const busy = () => {
    throw new Rejection('unavailable.overloaded', 'full', { retryAfterSeconds: 3 })
  }
  const response = await serve([doing(busy)]).inject('/v1/do')
  assert.deepEqual([response.statusCode, response.headers['retry-after']], [503, '3'])
})

test('an internal error shows only an id, and the log has its stack under that id', async () => {
  const fault = () => {
    throw new Error('select * from secrets')
  }
  const throwers = [fault, async () => fault(), () => ({ big: 1n }), () => Promise.reject('text')]
  for (const handler of throwers) {
    for (const errors of ['hub', 'registry', 'platform', 'plain'] as const) {
      const api = serve([doing(handler as never)], { errors })
      const response = await api.inject('/v1/do')
      assert.equal(response.statusCode, 500)
      assert.doesNotMatch(response.body, /secrets|BigInt|text|stack|\.ts/)
      const { requestId } = response.json()
      assert.equal(requestId, response.headers['x-request-id'])
      const entry = api.logged.find(({ msg }) => msg === 'fault')
      assert.equal(entry?.requestId, requestId)
      assert.match(JSON.stringify(entry?.err), /"stack":".*Error/)
    }
  }
})

test('faulty parameters are named, and an empty page token is the first page', async () => {
  const api = serve([echo])
  const bad = await api.inject('/v1/echo?fid=x')
  assert.deepEqual([bad.statusCode, bad.json().field], [400, 'fid'])
  const first = await api.inject('/v1/echo?fid=1&pageToken=')
  assert.deepEqual(first.json(), { fid: 1, token: '' })
  const raw = await api.inject('/v1/echo?fid=1&page_token=+//+')
  assert.deepEqual(raw.json(), { fid: 1, token: '+//+' })
})

test('HEAD is answered like GET without the body', async () => {
  const api = serve([echo])
  const get = await api.inject('/v1/echo?fid=1')
  const head = await api.inject({ method: 'HEAD', url: '/v1/echo?fid=1' })
  assert.deepEqual([head.statusCode, head.body], [200, ''])
  assert.equal(head.headers['content-length'], get.headers['content-length'])
  assert.equal((await api.inject({ method: 'HEAD', url: '/v1/echo' })).statusCode, 400)
})

test('a wrong method is answered with 405 and the allowed methods', async () => {
  const api = serve([echo, doing(() => ({}), 'POST')])
  const cases: [string, string, string][] = [
    ['POST', '/v1/echo', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/v1/echo', 'GET, HEAD, OPTIONS'],
    ['TRACE', '/v1/echo', 'GET, HEAD, OPTIONS'],
    ['GET', '/v1/do', 'POST, OPTIONS'],
    ['HEAD', '/v1/do', 'POST, OPTIONS'],
  ]
  for (const [method, url, allow] of cases) {
    const response = await api.inject({ method: method as 'GET', url })
    assert.deepEqual([response.statusCode, response.headers.allow], [405, allow], method)
  }
})

test('an unknown path is 404 in the shape of the interface', async () => {
  for (const url of ['/nope', '/nope/', '/v1/Echo', '/v1/echo/x?fid=1']) {
    const response = await serve([echo]).inject(url)
    assert.deepEqual([response.statusCode, response.json().errCode], [404, 'not_found'], url)
  }
  const platform = await serve([echo], { errors: 'platform' }).inject('/nope')
  assert.equal(platform.json().errors[0].message, 'no route /nope')
})

test('an interface may ignore the case of paths but keeps that of path parameters', async () => {
  const gateway = route('GET /ccip/:sender/:data.json', {
    callers: 'anyone',
    summary: 'Two parts, one before an ending',
    params: { sender: textParam({ maxBytes: 42 }), data: textParam({ maxBytes: 9000 }) },
    reply: Type.Unknown(),
    errors: [],
    cost: 'lookup',
    handler: (_, { params }) => params,
  })
  const api = serve([gateway], { ignoresPathCase: true })
  for (const url of ['/ccip/0xAb/0xCd.json', '/CCIP/0xAb/0xCd.json', '/ccip/0xAb/0xCd.json/']) {
    assert.deepEqual((await api.inject(url)).json(), { sender: '0xAb', data: '0xCd' }, url)
  }
  assert.equal((await serve([gateway]).inject('/CCIP/0xAb/0xCd.json')).statusCode, 404)
})

test('malformed URLs are answered with 400', async () => {
  const part = route('GET /v1/part/:part', {
    callers: 'anyone',
    summary: 'A part of the path',
    params: { part: optional(textParam({ maxBytes: 9000 })) },
    reply: Type.Unknown(),
    errors: [],
    cost: 'lookup',
    handler: (_, { params }) => ({ part: params.part }),
  })
  const api = serve([echo, part])
  for (const url of ['/%', '/v1/%zz', '/v1/echo?fid=%zz', '/v1/part/%ff', '/v1/part/%F0%9F']) {
    const response = await api.inject(url)
    assert.equal(response.statusCode, 400, url)
    assert.equal(response.json().errCode, 'bad_request.parse_failure', url)
    assert.equal(response.headers['access-control-allow-origin'], '*')
  }
  const long = await api.inject(`/v1/part/${'a'.repeat(8000)}`)
  assert.equal(long.json().part.length, 8000)
})

test('every answer may be read by any web page', async () => {
  const fault = doing(() => {
    throw new Error('fault')
  })
  const api = serve([echo, fault])
  const requests: [string, number][] = [
    ['/v1/echo?fid=1', 200],
    ['/v1/echo', 400],
    ['/nope', 404],
    ['/v1/do', 500],
  ]
  for (const [url, status] of requests) {
    const response = await api.inject({ url, headers: { origin: 'https://a.example' } })
    assert.equal(response.statusCode, status)
    assert.equal(response.headers['access-control-allow-origin'], '*')
  }
})

test('a preflight allows the headers it asks for, on any path', async () => {
  for (const url of ['/v1/echo', '/nope']) {
    const response = await serve([echo]).inject({
      method: 'OPTIONS',
      url,
      headers: {
        origin: 'https://a.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-api-key',
      },
    })
    assert.equal(response.statusCode, 204)
    assert.equal(response.headers['access-control-allow-methods'], 'GET,HEAD,PUT,PATCH,POST,DELETE')
    assert.equal(response.headers['access-control-allow-headers'], 'content-type,x-api-key')
  }
})

test('when one origin is allowed, other origins get no permission', async () => {
  const api = serve([echo], { corsOrigin: 'https://a.example' })
  const ask = async (origin: string) => {
    const response = await api.inject({ url: '/v1/echo?fid=1', headers: { origin } })
    return response.headers['access-control-allow-origin']
  }
  assert.equal(await ask('https://a.example'), 'https://a.example')
  assert.equal(await ask('https://b.example'), undefined)
})

test('a valid request id is kept and an invalid one is replaced', async () => {
  const api = serve([echo])
  const idOf = async (given?: string) => {
    const headers = given === undefined ? {} : { 'x-request-id': given }
    return (await api.inject({ url: '/v1/echo', headers })).json().requestId as string
  }
  assert.equal(await idOf('Trace-1._'), 'Trace-1._')
  assert.equal(await idOf('a'.repeat(64)), 'a'.repeat(64))
  for (const odd of ['a'.repeat(65), 'a b', '"; drop', 'ü']) assert.notEqual(await idOf(odd), odd)
  assert.notEqual(await idOf(), await idOf())
})

const guarded = (limit?: string) =>
  route('POST /v1/submit', {
    callers: 'credentials',
    summary: 'Asks who calls',
    reply: Type.Unknown(),
    ...(limit && { limit }),
    errors: [],
    cost: 'write',
    handler: () => ({}),
  })

test('protected routes require credentials when some are configured, and other routes never do', async () => {
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`
  const open = serve([guarded()])
  const closed = serve([guarded(), echo], { basicAuth: parseCredentials('ann:one') })
  const ask = async (api: typeof open, authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization }
    return api.inject({ method: 'POST', url: '/v1/submit', headers })
  }
  for (const header of [undefined, 'Bearer key', basic('ann:two'), 'nonsense']) {
    assert.equal((await ask(open, header)).statusCode, 200)
    const refused = await ask(closed, header)
    assert.deepEqual([refused.statusCode, refused.json().errCode], [401, 'unauthenticated'])
    assert.match(String(refused.headers['www-authenticate']), /^Basic/)
  }
  assert.equal((await ask(closed, basic('ann:one'))).statusCode, 200)
  assert.equal((await closed.inject('/v1/echo?fid=1')).statusCode, 200)
})

test('a script in a browser gets no challenge for which the browser asks people for a password', async () => {
  const api = serve([guarded()], { basicAuth: parseCredentials('ann:one') })
  const challengeOf = async (destination: string) => {
    const headers = { 'sec-fetch-dest': destination }
    const { headers: answer } = await api.inject({ method: 'POST', url: '/v1/submit', headers })
    return answer['www-authenticate']
  }
  assert.equal(await challengeOf('empty'), 'Bearer')
  assert.match(String(await challengeOf('document')), /^Basic/)
})

const tenAMinute = { submit: { max: 10, windowSeconds: 60 } }

test('exactly as many of 100 concurrent requests pass as the rate limit allows', async () => {
  const api = serve([guarded('submit')], { limits: tenAMinute })
  const request = { method: 'POST', url: '/v1/submit', remoteAddress: '192.0.2.7' } as const
  const responses = await Promise.all(Array.from({ length: 100 }, () => api.inject(request)))
  const passed = responses.filter(({ statusCode }) => statusCode === 200)
  const refused = responses.find(({ statusCode }) => statusCode === 429)!
  assert.equal(passed.length, 10)
  assert.equal(refused.json().errCode, 'unavailable')
  assert.equal(refused.json().message, 'API rate limit exceeded')
  assert.ok(Number(refused.headers['retry-after']) > 0)
  const neighbour = await api.inject({ ...request, remoteAddress: '192.0.2.8' })
  assert.equal(neighbour.statusCode, 200)
})

test('routes with the same limit share its count, which includes requests with wrong credentials', async () => {
  const other = { ...guarded('submit'), spec: { ...guarded('submit').spec, path: '/v1/other' } }
  const api = serve([guarded('submit'), other], {
    limits: { submit: { max: 2, windowSeconds: 60 } },
    basicAuth: parseCredentials('ann:one'),
  })
  const statuses: number[] = []
  for (const url of ['/v1/submit', '/v1/other', '/v1/submit', '/v1/other']) {
    statuses.push((await api.inject({ method: 'POST', url })).statusCode)
  }
  assert.deepEqual(statuses, [401, 401, 429, 429])
})

test('a route with a limit of its own counts apart from those of its interface', async () => {
  const { spec, handler } = guarded('submit')
  const own = { spec: { ...spec, path: '/v1/own', limit: { max: 1, windowSeconds: 60 } }, handler }
  const api = serve([guarded('submit'), own], { limits: tenAMinute })
  const statuses: number[] = []
  for (const url of ['/v1/own', '/v1/submit', '/v1/own', '/v1/submit']) {
    statuses.push((await api.inject({ method: 'POST', url })).statusCode)
  }
  assert.deepEqual(statuses, [200, 200, 429, 200])
})

test('loopback is not counted where the limit says so', async () => {
  const limits = { submit: { max: 1, windowSeconds: 60, exemptLoopback: true } }
  const api = serve([guarded('submit')], { limits })
  const twice = async (remoteAddress: string) => {
    const request = { method: 'POST', url: '/v1/submit', remoteAddress } as const
    await api.inject(request)
    return (await api.inject(request)).statusCode
  }
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    assert.equal(await twice(address), 200, address)
  }
  for (const address of ['192.0.2.1', '::ffff:192.0.2.9', '2001:db8::1']) {
    assert.equal(await twice(address), 429, address)
  }
})

test('an announced limit is in the headers of counted and uncounted answers', async () => {
  const limit = { max: 3, windowSeconds: 10, exemptLoopback: true, announced: true }
  const api = serve([guarded('submit')], { limits: { submit: limit }, errors: 'platform' })
  const told = async (remoteAddress: string) => {
    const answer = await api.inject({ method: 'POST', url: '/v1/submit', remoteAddress })
    const named = (name: string) => Number(answer.headers[`x-ratelimit-${name}`])
    assert.ok(named('reset') > 0 && named('reset') <= 10)
    return [answer.statusCode, named('limit'), named('remaining')]
  }
  for (const remaining of [2, 1, 0]) {
    assert.deepEqual(await told('192.0.2.1'), [200, 3, remaining])
    assert.deepEqual(await told('127.0.0.1'), [200, 3, 3])
  }
  assert.deepEqual(await told('192.0.2.1'), [429, 3, 0])
  const { errors } = (
    await api.inject({ method: 'POST', url: '/v1/submit', remoteAddress: '192.0.2.1' })
  ).json()
  assert.equal(errors[0].message, 'Too many requests')
})

test('every answer has the headers of its interface, and scripts of other origins read what clients need', async () => {
  const headers = { 'x-content-type-options': 'nosniff' }
  const api = serve([guarded('submit')], { headers })
  for (const url of ['/v1/submit', '/nowhere', '/openapi.json']) {
    const answer = await api.inject({ url, headers: { origin: 'https://app.example.org' } })
    assert.equal(answer.headers['x-content-type-options'], 'nosniff', url)
    const exposed = String(answer.headers['access-control-expose-headers']).split(', ')
    for (const name of ['etag', 'retry-after', 'x-request-id'])
      assert.ok(exposed.includes(name), url)
  }
})

test('only a trusted proxy can name the client address in a header', async () => {
  const pass = async (remoteAddress: string, forwarded: (i: number) => string) => {
    const api = serve([guarded('submit')], {
      limits: tenAMinute,
      trustedProxies: ['10.0.0.0/8', '::1'],
    })
    let passed = 0
    for (let i = 0; i < 20; i++) {
      const headers = { 'x-forwarded-for': forwarded(i) }
      const request = { method: 'POST', url: '/v1/submit', headers, remoteAddress } as const
      if ((await api.inject(request)).statusCode === 200) passed += 1
    }
    return passed
  }
  assert.equal(await pass('192.0.2.1', (i) => `198.51.100.${i}`), 10)
  assert.equal(await pass('10.1.2.3', (i) => `198.51.100.${i}`), 20)
  assert.equal(await pass('10.1.2.3', (i) => `203.0.113.${i}, 198.51.100.1`), 10)
})

test('without trusted proxies forwarded addresses are ignored', async () => {
  const api = serve([doing((_, { request }) => ({ ip: request.ip }))])
  const headers = { 'x-forwarded-for': '203.0.113.5' }
  const response = await api.inject({ url: '/v1/do', headers, remoteAddress: '10.0.0.1' })
  assert.equal(response.json().ip, '10.0.0.1')
})

test('the log has one line for each request, with its route and without query and secrets', async () => {
  const tell = doing((_, { request }) => {
    request.log.warn({ headers: request.headers, token: 'hush', user: { password: 'hush' } })
    return {}
  })
  const api = serve([tell])
  await api.inject({
    url: '/v1/do?token=hush',
    headers: { authorization: 'Bearer hush', 'x-request-id': 'r-1' },
  })
  const line = api.logged.find(({ msg }) => msg === 'request')!
  assert.equal(typeof line.ms, 'number')
  assert.deepEqual(
    [line.requestId, line.method, line.route, line.status],
    ['r-1', 'GET', '/v1/do', 200],
  )
  const told = api.logged.find(({ level }) => level === 40)!
  assert.equal(told.requestId, 'r-1')
  assert.doesNotMatch(JSON.stringify(api.logged), /hush/)
})

test('a refusal has the same code and id in the answer, the log and the metrics', async () => {
  const api = serve([echo])
  const { requestId, errCode } = (await api.inject('/v1/echo?fid=0')).json()
  const line = api.logged.find(({ msg }) => msg === 'request')!
  assert.deepEqual([line.requestId, line.code], [requestId, errCode])
  const metrics = await api.metrics()
  assert.match(
    metrics,
    new RegExp(`http_rejections_total\\{interface="hub",code="${errCode}"\\} 1`),
  )
  assert.match(
    metrics,
    /http_request_duration_seconds_count\{interface="hub",route="\/v1\/echo",method="GET",status="400"\} 1/,
  )
})

test('undeclared paths are one route in the metrics', async () => {
  const api = serve([echo])
  for (const url of ['/a', '/b', '/c/d']) await api.inject(url)
  assert.match(await api.metrics(), /count\{interface="hub",route="unmatched".*status="404"\} 3/)
})

/** What a server says to these bytes. */
const raw = async (port: number, bytes: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1')
  socket.end(bytes)
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return answer
}

test('invalid and too large HTTP requests are answered as JSON', async (t) => {
  const api = serve([echo])
  t.after(() => api.close())
  const { port } = await api.listen('127.0.0.1', 0)
  const garbage = await raw(port, 'hello\r\n\r\n')
  assert.match(garbage, /^HTTP\/1\.1 400 /)
  assert.match(garbage, /access-control-allow-origin: \*[\s\S]*\{"errCode":"bad_request\.parse/)
  const huge = await raw(port, `GET /v1/echo?fid=${'1'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`)
  assert.match(huge, /^HTTP\/1\.1 431 [\s\S]*\{"errCode":/)
  assert.match(await raw(port, 'GET /v1/echo?fid=1 HTTP/1.1\r\nhost: x\r\n\r\n'), /^HTTP\/1\.1 200/)
})

test('a stop finishes requests in progress, refuses new ones, and soon ends', async () => {
  const { promise: started, resolve: start } = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const slow = doing(async () => {
    start()
    await finish.promise
    return { done: true }
  })
  const api = serve([slow])
  const { url } = await api.listen('127.0.0.1', 0)
  const inFlight = fetch(`${url}/v1/do`)
  await started
  const before = performance.now()
  const closed = api.close()
  await assert.rejects(fetch(`${url}/v1/do`))
  finish.resolve()
  assert.deepEqual(await (await inFlight).json(), { done: true })
  await closed
  assert.ok(performance.now() - before < CLOSE_WAIT_MS, 'no connection was closed by force')
})

/** Resolves when a server of this process has received a request for this address. */
const nextRequest = (url: string): Promise<void> =>
  new Promise((resolve) => {
    const listener = (message: unknown) => {
      if ((message as { request: IncomingMessage }).request.url !== url) return
      unsubscribe(REQUEST_START, listener)
      resolve()
    }
    subscribe(REQUEST_START, listener)
  })
const REQUEST_START = 'http.server.request.start'

test('a request over an open connection during the stop is answered with 503', async () => {
  const { promise: started, resolve: start } = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const slow = doing(async () => {
    start()
    await finish.promise
    return {}
  })
  const api = serve([slow, echo])
  const { port } = await api.listen('127.0.0.1', 0)
  const socket = connect(port, '127.0.0.1')
  let answers = ''
  socket.on('data', (chunk) => {
    answers += chunk
  })
  socket.write('GET /v1/do HTTP/1.1\r\nhost: x\r\n\r\n')
  await started
  const closed = api.close()
  const arrived = nextRequest('/v1/echo?fid=1')
  socket.write('GET /v1/echo?fid=1 HTTP/1.1\r\nhost: x\r\n\r\n')
  await arrived
  finish.resolve()
  await Promise.all([closed, once(socket, 'close')])
  assert.match(answers, /^HTTP\/1\.1 200[\s\S]*HTTP\/1\.1 503[\s\S]*"errCode":"unavailable"/)
})

test('a client that disconnects during its body causes no internal error', async () => {
  const submit = route('POST /v1/submit', {
    callers: 'anyone',
    summary: 'Takes bytes',
    body: octets({ description: 'bytes' }),
    reply: Type.Unknown(),
    errors: [],
    cost: 'write',
    handler: () => ({}),
  })
  const api = serve([submit])
  const { port } = await api.listen('127.0.0.1', 0)
  const socket = connect(port, '127.0.0.1')
  const head = ['POST /v1/submit HTTP/1.1', 'host: x', 'content-type: application/octet-stream']
  const arrived = nextRequest('/v1/submit')
  socket.write(`${head.join('\r\n')}\r\ncontent-length: 10\r\n\r\nhalf`)
  await arrived
  socket.resetAndDestroy()
  await api.close()
  assert.equal(
    api.logged.find(({ msg }) => msg === 'fault'),
    undefined,
  )
})

test('listening returns the URL and the port', async (t) => {
  const api = serve([echo])
  t.after(() => api.close())
  const { url, port } = await api.listen('127.0.0.1', 0)
  assert.equal(url, `http://127.0.0.1:${port}`)
  const response = await fetch(`${url}/v1/echo?fid=1`)
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('keep-alive'), 'timeout=72')
})
