import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import Type from 'typebox'
import { Rejection } from '../protocol/rejection.ts'
import { answerMemory } from './answer-memory.ts'
import { CostBudget } from './cost-budget.ts'
import type { InterfaceOptions } from './interface.ts'
import { KeptAnswers } from './kept-answers.ts'
import { anyTextParam, fidParam } from './params.ts'
import { content, JSON_TYPE, jsonAnswer, plainRead, type Route } from './route.ts'
import { serve } from './test-support.ts'

const REQUEST_HEADERS = { 'x-request-id': 'the-same' }
/** What differs between a socket and an injected request. */
const OF_THE_CONNECTION = ['date', 'connection', 'keep-alive']

/** A read that counts how often it is done. */
function counted(read: (fid: number) => string | Uint8Array) {
  const done: number[] = []
  const route: Route = plainRead(
    {
      path: '/v1/plain',
      summary: 'A plain read',
      query: { fid: fidParam },
      reply: Type.Unknown(),
      cost: { cpu: 'small', rows: 1_000 },
      errors: ['not_found'],
    },
    async ({ fid }) => {
      done.push(fid)
      return content(read(fid), JSON_TYPE)
    },
  )
  return { route, done }
}

/** Does the same on a socket and through the framework alone, and returns both answers. */
async function bothWays(
  route: Route,
  path: string,
  options: Partial<InterfaceOptions> = {},
  ownHeaders: Record<string, string> = {},
) {
  const headers = { ...REQUEST_HEADERS, ...ownHeaders }
  const api = serve([route], options)
  const { url } = await api.listen('127.0.0.1', 0)
  try {
    const response = await fetch(url + path, { headers })
    const plain = {
      status: response.status,
      headers: headersOf(Object.fromEntries(response.headers)),
      body: await response.text(),
    }
    const logged = api.logged.map(({ time: _, ms: __, ...rest }) => rest)
    const metrics = await api.metrics()
    const injected = await api.inject({ url: path, headers })
    return {
      plain,
      framework: {
        status: injected.statusCode,
        headers: headersOf(injected.headers),
        body: injected.body,
      },
      logged,
      loggedByFramework: api.logged
        .slice(logged.length)
        .map(({ time: _, ms: __, ...rest }) => rest),
      metrics,
    }
  } finally {
    await api.close()
  }
}

const headersOf = (headers: object) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !OF_THE_CONNECTION.includes(name))
      .map(([name, value]) => [name, String(value)]),
  )

test('a plain read is answered with the same status, headers, body and log line as by the framework', async () => {
  for (const answer of ['{"text":"snow \u2603"}', Buffer.from('{"bytes":1}')]) {
    for (const options of [
      {},
      { headers: { 'x-own': 'yes' }, exposedHeaders: ['x-own', 'x-other'] },
      { corsOrigin: 'https://app.example.org' },
      { trustedProxies: ['127.0.0.1'] },
    ]) {
      const { route, done } = counted(() => answer)
      const both = await bothWays(route, '/v1/plain?fid=7', options)
      assert.deepEqual(both.plain, both.framework)
      assert.equal(both.plain.body, String(answer))
      assert.deepEqual(both.logged, both.loggedByFramework)
      assert.deepEqual(done, [7, 7], 'each request read once')
      assert.match(both.metrics, /_count\{.*route="\/v1\/plain".*status="200".*\} 1/)
    }
  }
})

test('a status and headers of its own, and 304 for what the client has, are those of the framework', async () => {
  let isOpen = 0
  const read = async (kind: string) => {
    isOpen += 1
    const headers = { etag: 'W/"1"', 'cache-control': 'no-store' }
    const hints = { status: kind === 'other status' ? 203 : undefined, headers }
    const onClose = () => (isOpen -= 1)
    if (kind !== 'stream') return content('{"text":"\u2603"}', JSON_TYPE, { ...hints, onClose })
    return content(Readable.from(['{}']).once('close', onClose), JSON_TYPE, hints)
  }
  const query = { kind: anyTextParam }
  const route = plainRead(
    { path: '/v1/own', summary: 'Own', query, reply: Type.Unknown() },
    ({ kind }) => read(kind),
  )
  const limit = { max: 4, windowSeconds: 60, announced: true, exemptLoopback: true }
  for (const [kind, known, status] of [
    ['text', undefined, 200],
    ['text', '"2"', 200],
    ['text', 'W/"1"', 304],
    ['text', '"2", "1"', 304],
    ['text', '*', 304],
    ['other status', undefined, 203],
    ['stream', undefined, 200],
    ['stream', 'W/"1"', 304],
  ] as const) {
    const both = await bothWays(
      { ...route, spec: { ...route.spec, limit: 'reads' } },
      `/v1/own?kind=${kind}`,
      { headers: { 'x-own': 'yes' }, limits: { reads: limit } },
      known ? { 'if-none-match': known } : {},
    )
    assert.deepEqual(both.plain, both.framework)
    assert.equal(both.plain.status, status, `${kind} ${known}`)
    assert.equal(both.plain.headers['cache-control'], 'no-store')
    assert.deepEqual(both.logged, both.loggedByFramework)
    assert.match(both.metrics, new RegExp(`_count\\{.*route="/v1/own".*status="${status}".*\\} 1`))
    while (isOpen > 0) await new Promise((turn) => setImmediate(turn))
  }
})

test('a plain read that fails is answered with the error of the framework', async () => {
  const { route } = counted(() => {
    throw new Rejection('not_found', 'there is no such thing')
  })
  for (const [path, status] of [
    ['/v1/plain?fid=7', 404],
    ['/v1/plain?fid=x', 400],
    ['/v1/plain', 400],
    ['/v1/plain/', 400],
    ['/v1/plain/?fid=7', 404],
    ['/v1/plain?fi%64=x', 400],
    ['/v1/other?fid=7', 404],
  ] as const) {
    const both = await bothWays(route, path)
    assert.deepEqual(both.plain, both.framework)
    assert.equal(both.plain.status, status, path)
    assert.deepEqual(both.logged, both.loggedByFramework)
  }
})

test('a plain read that finds nothing is answered as its route says, and a value is answered as JSON', async () => {
  const route = plainRead(
    { path: '/v1/found', summary: 'Found', query: { fid: fidParam }, reply: Type.Unknown() },
    async ({ fid }) => (fid === 7 ? { fid } : undefined),
    {
      otherwise: ({ fid }, { id }) =>
        jsonAnswer({ missing: fid, requestId: id }, { status: 404, headers: { 'x-own': 'yes' } }),
    },
  )
  for (const [fid, status, body] of [
    [7, 200, { fid: 7 }],
    [8, 404, { missing: 8, requestId: 'the-same' }],
  ] as const) {
    const both = await bothWays(route, `/v1/found?fid=${fid}`)
    assert.deepEqual(both.plain, both.framework)
    assert.equal(both.plain.status, status)
    assert.deepEqual(JSON.parse(both.plain.body), body)
    assert.deepEqual(both.logged, both.loggedByFramework)
  }
})

test('a plain read is charged to its client like every other request and refused when the budget is used up', async () => {
  const limits = {
    unitsPerSecond: 10,
    principalUnitsPerSecond: 10,
    totalUnitsPerSecond: 1_000,
    burstSeconds: 30,
    totalBurstSeconds: 100,
    exemptLoopback: false,
  }
  const answersBeforeRefusal = async (ask: (api: ReturnType<typeof serve>) => Promise<number>) => {
    const costs = new CostBudget(limits, () => 0)
    const api = serve([counted(() => '{}').route], { costs })
    try {
      let answers = 0
      while ((await ask(api)) === 200) answers++
      return answers
    } finally {
      await api.close()
    }
  }
  let url = ''
  const plain = await answersBeforeRefusal(async (api) => {
    url = url || (await api.listen('127.0.0.1', 0)).url
    const response = await fetch(`${url}/v1/plain?fid=7`)
    await response.text()
    return response.status
  })
  const framework = await answersBeforeRefusal(
    async (api) => (await api.inject('/v1/plain?fid=7')).statusCode,
  )
  assert.ok(plain > 1, 'what was not read is given back')
  assert.equal(plain, framework)
})

test('a plain read with a limit is counted once, with the headers of the framework, and refused beyond it', async (t) => {
  const { route } = counted((fid) => {
    if (fid === 1) throw new Rejection('not_found', 'there is no such thing')
    return 'read'
  })
  const limited = { ...route, spec: { ...route.spec, limit: 'reads' } }
  const limit = { max: 4, windowSeconds: 60, announced: true }
  const api = serve([limited], { limits: { reads: limit } })
  t.after(() => api.close())
  const { url } = await api.listen('127.0.0.1', 0)
  const plain = async (fid: number) => {
    const { status, headers } = await fetch(`${url}/v1/plain?fid=${fid}`)
    return [status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]
  }
  const framework = async (fid: number) => {
    const { statusCode, headers } = await api.inject(`/v1/plain?fid=${fid}`)
    return [statusCode, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']].map(
      (value, i) => (i === 0 ? value : String(value)),
    )
  }
  assert.deepEqual(await plain(7), [200, '4', '3'])
  assert.deepEqual(await framework(7), [200, '4', '2'])
  assert.deepEqual(await plain(1), [404, '4', '1'])
  assert.deepEqual(await plain(8), [200, '4', '0'])
  assert.deepEqual(await plain(7), [429, '4', '0'])
  assert.deepEqual(await framework(7), [429, '4', '0'])
})

test('addresses that a limit exempts are shown an unused one by a plain read', async () => {
  const { route } = counted(() => 'read')
  const limited = { ...route, spec: { ...route.spec, limit: 'reads' } }
  const limit = { max: 4, windowSeconds: 60, announced: true, exemptLoopback: true }
  const both = await bothWays(limited, '/v1/plain?fid=7', { limits: { reads: limit } })
  assert.deepEqual(both.plain, both.framework)
  assert.equal(both.plain.headers['x-ratelimit-remaining'], '4')
})

test('a GET with a body and other methods on the path of a plain read go to the framework', async () => {
  const api = serve([counted(() => '{}').route])
  const { url } = await api.listen('127.0.0.1', 0)
  try {
    const statuses = await Promise.all(
      ['HEAD', 'POST', 'OPTIONS'].map(async (method) => {
        const response = await fetch(`${url}/v1/plain?fid=7`, { method })
        await response.text()
        return response.status
      }),
    )
    assert.deepEqual(statuses, [200, 405, 204])
  } finally {
    await api.close()
  }
})

/** A read whose answer names what is stored, of a version that the test sets. */
function versioned() {
  const state = { version: 1, text: 'first', reads: 0, isRead: Promise.resolve() }
  const route = plainRead(
    { path: '/v1/kept', summary: 'Kept', query: { fid: fidParam }, reply: Type.Unknown() },
    async ({ fid }) => {
      state.reads++
      const { text } = state
      await state.isRead
      return content(`${fid} ${text}`, JSON_TYPE)
    },
    { version: () => state.version },
  )
  return { route, state }
}

test('an answer that is given often is kept, and is read anew as soon as its version changes', async (t) => {
  const { route, state } = versioned()
  const api = serve([route], { keptAnswers: new KeptAnswers(100_000) })
  t.after(() => api.close())
  const { url } = await api.listen('127.0.0.1', 0)
  const ask = async (fid = 7) => {
    const response = await fetch(`${url}/v1/kept?fid=${fid}`, { headers: REQUEST_HEADERS })
    return { body: await response.text(), headers: headersOf(Object.fromEntries(response.headers)) }
  }
  const answers = [await ask(), await ask(), await ask(), await ask()]
  for (const answer of answers) assert.deepEqual(answer, answers[0])
  assert.equal(state.reads, 1, 'kept from the first time on')
  assert.equal((await ask(8)).body, '8 first', 'another query has an answer of its own')

  state.version = 2
  state.text = 'second'
  assert.equal((await ask()).body, '7 second')
})

test('an answer that was read before a change is not given after it', async (t) => {
  const { route, state } = versioned()
  const api = serve([route], { keptAnswers: new KeptAnswers(100_000) })
  t.after(() => api.close())
  const { url } = await api.listen('127.0.0.1', 0)
  const ask = async () => (await fetch(`${url}/v1/kept?fid=7`)).text()
  const { promise, resolve } = Promise.withResolvers<void>()
  state.isRead = promise
  const early = ask()
  while (state.reads < 1) await new Promise((turn) => setImmediate(turn))
  state.version = 2
  state.text = 'second'
  resolve()
  assert.equal(await early, '7 first')
  for (let i = 0; i < 3; i++) assert.equal(await ask(), '7 second')
})

test('kept answers stay within their bound in bytes whatever is asked for', () => {
  const bytes = 100_000
  const answers = new KeptAnswers(bytes)
  const noteTwice = (url: string, length: number) => {
    const answer = content('x'.repeat(length), JSON_TYPE)
    for (let i = 0; i < 2; i++) answers.note(url, { query: {}, version: 1, units: 1, answer })
  }
  for (let i = 0; i < 1_000; i++) {
    noteTwice(`/v1/kept?fid=${i}&unknown=${'y'.repeat(i)}`, 17 * (i % 500))
    assert.ok(answers.bytes <= bytes)
  }
  assert.ok(answers.bytes > bytes / 2, 'the bound is used')
  noteTwice('/large', bytes / 2)
  assert.equal(answers.find('/large')?.answer, undefined, 'one answer does not displace all others')
  noteTwice('/often', 100)
  for (let i = 0; i < 1_000; i++) {
    const answer = content('x'.repeat(500), JSON_TYPE)
    answers.note(`/v1/scanned?fid=${i}`, { query: {}, version: 1, units: 1, answer })
  }
  assert.ok(answers.find('/often')?.answer, 'a scan does not displace what was asked for twice')
  assert.ok(answers.find('/v1/scanned?fid=999')?.answer, 'the newest that was given once is kept')
  assert.equal(answers.find('/v1/scanned?fid=0'), undefined)
})

test('large answers of several texts that are sent at the same time do not share memory, and what is kept of it is bounded', async (t) => {
  const size = 300_000
  const route = plainRead(
    { path: '/v1/large', summary: 'Large', query: { fid: fidParam }, reply: Type.Unknown() },
    async ({ fid }) => {
      const letter = String.fromCharCode(97 + (fid % 26))
      return content([letter.repeat(fid), '\xe9', letter.repeat(size)], JSON_TYPE, {
        isOneByte: true,
      })
    },
  )
  const api = serve([route])
  t.after(() => api.close())
  const { url } = await api.listen('127.0.0.1', 0)
  const ask = async (fid: number) =>
    Buffer.from(await (await fetch(`${url}/v1/large?fid=${fid}`)).bytes()).toString('latin1')
  for (let round = 0; round < 2; round++) {
    const fids = Array.from({ length: 60 }, (_, i) => 1 + i)
    const answers = await Promise.all(fids.map(ask))
    for (const [i, fid] of fids.entries()) {
      const letter = String.fromCharCode(97 + (fid % 26))
      assert.equal(answers[i], `${letter.repeat(fid)}\xe9${letter.repeat(size)}`)
    }
    assert.ok(answerMemory.freeBytes > 0, 'it is used again')
    assert.ok(answerMemory.freeBytes <= 8 * 1024 * 1024)
  }
  const injected = await api.inject('/v1/large?fid=7')
  assert.equal(injected.rawPayload.toString('latin1'), await ask(7), 'as by the framework')
})
