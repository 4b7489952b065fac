import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import Type from 'typebox'
import { Rejection } from '../protocol/rejection.ts'
import { ClientBudget } from './client-budget.ts'
import { CostBudget } from './cost-budget.ts'
import type { InterfaceOptions } from './interface.ts'
import { FREE_BODY_BYTES } from './mount.ts'
import { jsonAnswer, jsonText, octets, plainWrite, type Route, uncheckedJson } from './route.ts'
import { serve } from './test-support.ts'

const HEADERS = { 'x-request-id': 'the-same', 'content-type': 'application/octet-stream' }
/** What differs between a socket and an injected request. */
const OF_THE_CONNECTION = ['date', 'connection', 'keep-alive']

/** A write that answers with what it was sent, and refuses a body of 0x00, and fails over one of 0x01. */
function counted() {
  const done: number[] = []
  const route: Route = plainWrite(
    {
      path: '/v1/plain',
      summary: 'A plain write',
      body: octets({ description: 'Bytes' }),
      reply: Type.Unknown(),
      cost: { signatures: 1, writes: 1 },
      limit: 'submit',
      protected: true,
      errors: ['bad_request.duplicate', 'unavailable.overloaded'],
    },
    async (body) => {
      done.push(body.length)
      if (body[0] === 0) throw new Rejection('bad_request.duplicate', 'stored already')
      if (body[0] === 1) throw new TypeError('a fault of this server')
      if (body[0] === 2) {
        throw new Rejection('unavailable.overloaded', 'wait', { retryAfterSeconds: 7 })
      }
      return jsonText(`{"text":"snow \u2603","bytes":${body.length}}`, { headers: { 'x-id': '5' } })
    },
  )
  return { route, done }
}

/** Answers with the JSON it was sent, which an account pays for. */
const echo = () =>
  plainWrite(
    {
      path: '/v1/plain',
      summary: 'A plain write of JSON',
      body: uncheckedJson(Type.Object({ fid: Type.Integer() })),
      reply: Type.Unknown(),
      cost: { recoveries: 1 },
    },
    async (body, payer) => {
      payer.chargeTo(`fid:${body.fid}`)
      return jsonAnswer(body)
    },
  )

const served = (t: TestContext, route: Route, options: Partial<InterfaceOptions>) => {
  const api = serve([route], options)
  t.after(() => api.close())
  return api
}

/** Does the same on a socket of one server and through the framework of another, and returns both answers. */
async function bothWays(
  t: TestContext,
  bodies: readonly Uint8Array[],
  options: () => Partial<InterfaceOptions> = () => ({}),
  headers: Record<string, string> = HEADERS,
  routeOf: () => Route = () => counted().route,
) {
  const apis = [0, 1].map(() => served(t, routeOf(), options()))
  const [plain, framework] = apis as [(typeof apis)[0], (typeof apis)[0]]
  const { url } = await plain.listen('127.0.0.1', 0)
  const answers = { plain: [] as unknown[], framework: [] as unknown[] }
  for (const body of bodies) {
    const response = await fetch(`${url}/v1/plain`, { method: 'POST', headers, body })
    answers.plain.push({
      status: response.status,
      headers: headersOf(Object.fromEntries(response.headers)),
      body: await response.text(),
    })
    const injected = await framework.inject({
      method: 'POST',
      url: '/v1/plain',
      headers,
      payload: Buffer.from(body),
    })
    answers.framework.push({
      status: injected.statusCode,
      headers: headersOf(injected.headers),
      body: injected.body,
    })
  }
  const lines = apis.map(({ logged }) =>
    logged.map(({ time: _, ms: __, err: ___, ...line }) => line),
  )
  const metrics = await Promise.all(apis.map((api) => api.metrics()))
  const counts = metrics.map((text) =>
    text.split('\n').filter((line) => /^http_\w+_(count|total)\{/.test(line)),
  )
  return { ...answers, lines, counts }
}

/** Counts down while the one server is asked after the other. */
const SECONDS_LEFT = ['retry-after', 'x-ratelimit-reset']

const headersOf = (headers: object) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !OF_THE_CONNECTION.includes(name))
      .map(([name, value]) => [name, SECONDS_LEFT.includes(name) ? 'seconds' : String(value)]),
  )

const BODIES = [0, 1, 2, 3].map((first) => Uint8Array.of(first, 9))

test('a plain write and its errors are answered, logged and counted as by the framework', async (t) => {
  for (const options of [
    () => ({}),
    () => ({ headers: { 'x-own': 'yes' }, exposedHeaders: ['x-own', 'x-id'] }),
    () => ({ corsOrigin: 'https://app.example.org' }),
    () => ({ trustedProxies: ['127.0.0.1'] }),
    () => ({ limits: { submit: { max: 100, windowSeconds: 60 } } }),
    () => ({ limits: { submit: { max: 100, windowSeconds: 60, exemptLoopback: true } } }),
    () => ({ basicAuth: [{ user: 'someone', password: 'secret' }] as never }),
  ]) {
    const both = await bothWays(t, BODIES, options)
    assert.deepEqual(both.plain, both.framework)
    assert.deepEqual(both.lines[0], both.lines[1])
    assert.deepEqual(both.counts[0], both.counts[1])
  }
})

test('a body that is empty, large or of another type is answered as by the framework', async (t) => {
  const types: Record<string, string>[] = [
    HEADERS,
    { ...HEADERS, 'content-type': 'application/json' },
    { ...HEADERS, 'content-type': 'Application/Octet-Stream; x=y' },
  ]
  for (const headers of types) {
    const sizes = [0, 1, FREE_BODY_BYTES, FREE_BODY_BYTES + 1, 2_000_000]
    const bodies = sizes.map((size) => new Uint8Array(size).fill(7))
    const both = await bothWays(t, bodies, undefined, headers)
    assert.deepEqual(both.plain, both.framework)
  }
})

test('a plain write beyond the limit or the budget is refused as by the framework', async (t) => {
  const limit = { submit: { max: 3, windowSeconds: 60 } }
  const limited = await bothWays(t, [...BODIES, ...BODIES], () => ({ limits: limit }))
  assert.deepEqual(limited.plain, limited.framework)
  assert.equal((limited.plain[4] as { status: number }).status, 429)
  const costs = () => costBudget({ unitsPerSecond: 1, principalUnitsPerSecond: 1 })
  const charged = await bothWays(t, [...BODIES, ...BODIES], () => ({ costs: costs() }))
  assert.deepEqual(charged.plain, charged.framework)
  assert.equal((charged.plain.at(-1) as { status: number }).status, 429)
})

const costBudget = (limits: { unitsPerSecond: number; principalUnitsPerSecond: number }) =>
  new CostBudget(
    {
      ...limits,
      totalUnitsPerSecond: 1_000,
      burstSeconds: 5,
      totalBurstSeconds: 100,
      exemptLoopback: false,
    },
    () => 0,
  )

test('JSON is read, and accounts are charged for it, as by the framework', async (t) => {
  const bodies = ['{"fid":1}', '{"fid":1}', '{"fid":2}', '{', '[]', '1', '{"__proto__":{}}', '\xff']
  const both = await bothWays(
    t,
    bodies.map((text) => Buffer.from(text, 'latin1')),
    () => ({ costs: costBudget({ unitsPerSecond: 100, principalUnitsPerSecond: 2 }) }),
    { ...HEADERS, 'content-type': 'application/json' },
    echo,
  )
  assert.deepEqual(both.plain, both.framework)
  assert.deepEqual(both.lines[0], both.lines[1])
  assert.deepEqual(both.counts[0], both.counts[1])
  const statuses = (both.plain as { status: number }[]).map(({ status }) => status)
  assert.deepEqual(statuses, [200, 429, 200, 400, 200, 400, 400, 400])
})

test('the bytes of a body that is cut off are given back to the budget of its client', async (t) => {
  const bodyBudget = new ClientBudget({ total: 1_000, perClient: 1_000 })
  const { route, done } = counted()
  const api = served(t, route, { bodyBudget })
  const { port } = await api.listen('127.0.0.1', 0)
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  const head = 'POST /v1/plain HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream'
  socket.write(`${head}\r\ncontent-length: 900\r\n\r\nsome`)
  while (bodyBudget.used === 0) await new Promise(setImmediate)
  assert.equal(bodyBudget.used, 900)
  socket.destroy()
  while (bodyBudget.used > 0) await new Promise(setImmediate)
  assert.deepEqual(done, [])
})
