import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { costBudget, serve } from '../../../test/http-support.ts'
import { BASE_UNITS, unitsOf } from '../limits/cost.ts'
import { pageOf, paging } from './input/paging.ts'
import { json, jsonText, octets, route } from './route.ts'

const list = route('GET /list', {
  callers: 'anyone',
  summary: 'Rows',
  query: paging,
  reply: Type.Object({}),
  cost: { rows: 1_000 },
  errors: [],
  handler: (_, { query }) => jsonText(`"${'x'.repeat(pageOf(query).size)}"`),
})
const heavy = route('POST /heavy', {
  callers: 'anyone',
  summary: 'Signatures',
  body: json(Type.Object({ keys: Type.Array(Type.String()) })),
  reply: Type.Object({}),
  cost: { recoveries: 1 },
  costOfBody: ({ keys }) => ({ recoveries: 2 * keys.length }),
  errors: [],
  handler: () => ({}),
})
const submit = route('POST /submit', {
  callers: 'anyone',
  summary: 'Bytes',
  body: octets({ description: 'bytes' }),
  reply: Type.Object({}),
  cost: { signatures: 1, writes: 1 },
  errors: [],
  handler: () => ({}),
})

test('security finding 15: reads cost what they answer, and a client that overspends is told when to come back', async () => {
  const { costs, advance } = costBudget()
  const api = serve([list], { costs })
  const ask = (url = '/list') => api.inject({ method: 'GET', url })
  // A small answer costs little, although the declared page is large: 1,000 units last for long.
  for (let i = 0; i < 100; i++) assert.equal((await ask('/list?pageSize=1')).statusCode, 200)
  let answered = 0
  while ((await ask()).statusCode === 200) answered++
  assert.ok(answered > 100 && answered < 1_000, `${answered} answers`)
  const refused = await ask()
  assert.equal(refused.statusCode, 429)
  assert.ok(Number(refused.headers['retry-after']) >= 1)
  assert.match(refused.body, /rate limit/i)
  advance(10_000)
  assert.equal((await ask()).statusCode, 200)
})

test('security finding 4: a call is charged for the signatures that its body asks for, before they are checked', async () => {
  const { costs } = costBudget()
  const api = serve([heavy], { costs })
  const call = (keys: number) =>
    api.inject({
      method: 'POST',
      url: '/heavy',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ keys: Array(keys).fill('k') }),
    })
  const units = BASE_UNITS + unitsOf({ recoveries: 33 })
  let calls = 0
  while ((await call(16)).statusCode === 200) calls++
  assert.equal(calls, Math.floor(1_000 / units))
})

test('a request in the name of an account is charged to it, wherever it comes from', async () => {
  const { costs, advance } = costBudget({ principalUnitsPerSecond: 1 })
  const named = route('POST /named', {
    callers: 'anyone',
    summary: 'Named',
    reply: Type.Object({}),
    cost: {},
    errors: [],
    handler: (_, { request }) => {
      request.chargeTo(`fid:${request.headers['x-fid']}`)
      return {}
    },
  })
  const api = serve([named], { costs })
  const call = (remoteAddress: string, fid: string) =>
    api.inject({ method: 'POST', url: '/named', remoteAddress, headers: { 'x-fid': fid } })
  for (let i = 0; i < 10; i++) assert.equal((await call(`192.0.2.${i}`, '1')).statusCode, 200)
  const refused = await call('192.0.2.99', '1')
  assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [429, '1'])
  assert.equal((await call('192.0.2.99', '2')).statusCode, 200)
  advance(1_000)
  assert.equal((await call('192.0.2.99', '1')).statusCode, 200)
})

test('a request is charged for the bytes of its body, and for what its parameters may make it look at', async () => {
  const scan = route('GET /scan', {
    callers: 'anyone',
    summary: 'Looks at many rows',
    query: paging,
    reply: Type.Object({}),
    cost: {},
    costOfQuery: ({ reverse }) => (reverse ? { scanned: 40_000 } : {}),
    errors: [],
    handler: () => ({}),
  })
  const { costs } = costBudget({ totalUnitsPerSecond: 1e6 })
  const api = serve([scan, submit], { costs })
  const answered = async (ask: () => Promise<{ statusCode: number }>) => {
    let count = 0
    while ((await ask()).statusCode === 200) count++
    return count
  }
  const from = (remoteAddress: string) => ({ method: 'GET' as const, remoteAddress })
  assert.equal(await answered(() => api.inject({ ...from('192.0.2.1'), url: '/scan' })), 1_000)
  const scans = () => api.inject({ ...from('192.0.2.2'), url: '/scan?reverse=true' })
  assert.equal(await answered(scans), 9)
  const submits = (remoteAddress: string, bytes: number) => () =>
    api.inject({
      method: 'POST',
      url: '/submit',
      remoteAddress,
      headers: { 'content-type': 'application/octet-stream' },
      payload: Buffer.alloc(bytes),
    })
  assert.equal(await answered(submits('192.0.2.3', 4_096)), 500)
  assert.equal(await answered(submits('192.0.2.4', 409_600)), 9)
})

test('an answer is paid for by its bytes where its route declares no rows', async () => {
  const file = route('GET /file', {
    callers: 'anyone',
    summary: 'A file',
    reply: Type.Object({}),
    cost: {},
    errors: [],
    handler: () => jsonText(`"${'x'.repeat(409_600)}"`),
  })
  const { costs } = costBudget()
  const api = serve([file], { costs })
  let answered = 0
  while ((await api.inject({ method: 'GET', url: '/file' })).statusCode === 200) answered++
  assert.equal(answered, 10, '1,000 units, and about 100 for the bytes of each')
})

test('a body that holds several requests counts as many in the limit of its route', async () => {
  const bulk = route('POST /bulk', {
    callers: 'anyone',
    summary: 'As many requests as bytes',
    body: octets({ description: 'bytes' }),
    reply: Type.Object({}),
    limit: 'submit',
    countOfBody: ({ length }) => length,
    errors: [],
    cost: 'write',
    handler: () => ({}),
  })
  const api = serve([bulk], { limits: { submit: { max: 10, windowSeconds: 60 } } })
  const send = async (count: number) => {
    const answer = await api.inject({
      method: 'POST',
      url: '/bulk',
      headers: { 'content-type': 'application/octet-stream' },
      payload: Buffer.alloc(count),
    })
    return answer.statusCode
  }
  assert.equal(await send(4), 200)
  assert.equal(await send(7), 429, 'all of its requests count, or none but the first')
  assert.equal(await send(5), 200)
  assert.equal(await send(1), 429)
})

test('what is refused costs its base price, and so do preflights: unknown paths, other methods, bad parameters and bodies', async () => {
  const headers = { 'content-type': 'text/plain' }
  const preflight = { origin: 'https://app.example', 'access-control-request-method': 'GET' }
  const requests = [
    [204, { method: 'OPTIONS', url: '/list', headers: preflight }],
    [404, { method: 'GET', url: '/nowhere' }],
    [405, { method: 'DELETE', url: '/list' }],
    [400, { method: 'GET', url: '/list?pageSize=x' }],
    [415, { method: 'POST', url: '/submit', headers, payload: 'x' }],
  ] as const
  for (const [status, request] of requests) {
    const { costs } = costBudget({ unitsPerSecond: 30, totalUnitsPerSecond: 1e6 })
    const api = serve([list, submit], { costs })
    const statuses: number[] = []
    while (statuses.at(-1) !== 429 && statuses.length < 1_000)
      statuses.push((await api.inject(request)).statusCode)
    assert.ok(statuses.length > 10 && statuses.length <= 301, `${statuses.length} of ${status}`)
    assert.deepEqual([...new Set(statuses)], [status, 429])
  }
})

test('a client that repeats refused requests without a pause gets its refusals late', async () => {
  const { costs, advance } = costBudget({ unitsPerSecond: 0.1, totalUnitsPerSecond: 1e6 })
  const api = serve([submit], { costs })
  const ask = () => api.inject({ method: 'GET', url: '/nowhere' })
  assert.equal((await ask()).statusCode, 404)
  for (let i = 0; i < 40; i++) assert.equal((await ask()).statusCode, 429)
  advance(1_900)
  const asked = performance.now()
  assert.equal((await ask()).statusCode, 429)
  assert.ok(performance.now() - asked > 90, `${performance.now() - asked} ms`)
})

test('requests over the budget of all clients are answered that the server is overloaded', async () => {
  const { costs } = costBudget({ totalUnitsPerSecond: 1, totalBurstSeconds: 5 })
  const api = serve([submit], { costs })
  let answer = await api.inject({ method: 'GET', url: '/nowhere' })
  for (let i = 0; i < 10; i++) answer = await api.inject({ method: 'GET', url: '/nowhere' })
  assert.equal(answer.statusCode, 503)
  assert.ok(Number(answer.headers['retry-after']) >= 1)
})
