// The hub as an HTTP server: its paths and verbs, bodies and their types, credentials, CORS, rate limits.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { accepted, inWorld, refused } from './hub-support.ts'
import type { Answer, World } from './world.ts'

const OCTETS = 'application/octet-stream'
const ONE_MIB = 1_048_576

/** The whole interface: what the brief asks for, what stock clients call besides, and the bulk submit. */
const PATHS = {
  POST: ['submitMessage', 'submitBulkMessages', 'validateMessage'],
  GET: [
    ...['castById', 'castsByFid', 'castsByParent', 'castsByMention'],
    ...['reactionById', 'reactionsByFid', 'reactionsByCast', 'reactionsByTarget'],
    ...['linkById', 'linksByFid', 'linksByTargetFid'],
    ...['userDataByFid', 'verificationsByFid'],
    ...['userNameProofByName', 'userNameProofsByFid'],
    ...['eventById', 'events', 'events/stream', 'info', 'fids', 'storageLimitsByFid'],
    ...['signer', 'signersByFid', 'fidAddressType'],
    ...['onChainSignersByFid', 'onChainEventsByFid', 'onChainIdRegistryEventByAddress'],
  ],
}

async function ask(world: World, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(world.app.urls.hub + path, init)
  const text = await response.text()
  const body = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, body, headers: response.headers }
}

const castOf = async (world: World, text: string): Promise<Uint8Array<ArrayBuffer>> => {
  const account = await world.account(1)
  const message = world.sign(account, castAdd(world.origin(account), text))
  return Uint8Array.from(encodeEnvelope(message))
}

const submit = (
  world: World,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) =>
  ask(world, '/v1/submitMessage', {
    method: 'POST',
    headers: { 'content-type': OCTETS, ...headers },
    body,
  })

inWorld('the hub over HTTP', (world) => {
  before(() => world().account(1))

  test('the hub serves exactly the documented paths', async () => {
    const document = accepted(await ask(world(), '/openapi.json'))
    const found = Object.entries(document.paths).flatMap(([path, verbs]) =>
      Object.keys(verbs as object).map((verb) => `${verb.toUpperCase()} ${path}`),
    )
    const wanted = Object.entries(PATHS).flatMap(([verb, paths]) =>
      paths.map((path) => `${verb} /v1/${path}`),
    )
    assert.deepEqual(found.filter((one) => one.includes('/v1/')).sort(), wanted.sort())
  })

  test('another method on a path is answered with 405 and the allowed methods', async () => {
    for (const [verb, paths] of Object.entries(PATHS)) {
      const allowed = verb === 'GET' ? ['GET', 'HEAD'] : ['POST']
      for (const path of paths) {
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
          if (method === verb) continue
          const answer = await ask(world(), `/v1/${path}`, { method })
          refused(answer, { status: 405, code: 'bad_request' })
          const allow = (answer.headers.get('allow') ?? '').split(/,\s*/)
          for (const one of allowed) assert.ok(allow.includes(one), `${method} ${path}`)
          assert.ok(!allow.includes(method))
        }
      }
    }
  })

  test('HEAD is answered like GET, without the body', async () => {
    for (const path of ['/v1/info', '/v1/fids', '/v1/castsByFid?fid=x']) {
      const [head, get] = [await ask(world(), path, { method: 'HEAD' }), await ask(world(), path)]
      assert.equal(head.status, get.status)
      assert.equal(head.body, undefined)
      assert.equal(head.headers.get('content-type'), 'application/json; charset=utf-8')
    }
  })

  test('submit accepts application/octet-stream in any spelling and no other content type', async () => {
    let n = 0
    for (const type of [OCTETS, `${OCTETS}; charset=utf-8`, 'Application/Octet-Stream']) {
      const body = await castOf(world(), `typed ${n++}`)
      accepted(await submit(world(), body, { 'content-type': type }))
    }
    const types = [
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'application/x-protobuf',
      'x',
    ]
    for (const type of types) {
      const answer = await submit(world(), '{"bad"', { 'content-type': type })
      refused(answer, { status: 415, code: 'bad_request.parse_failure', says: /not supported/ })
    }
    const untyped = new Blob([await castOf(world(), 'untyped')])
    const answer = await ask(world(), '/v1/submitMessage', { method: 'POST', body: untyped })
    refused(answer, { status: 415, code: 'bad_request.parse_failure' })
  })

  test('a body of one MiB is read and one byte more is refused', async () => {
    const most = await submit(world(), new Uint8Array(ONE_MIB))
    refused(most, { code: 'bad_request.parse_failure' })
    const more = await submit(world(), new Uint8Array(ONE_MIB + 1))
    refused(more, { status: 413, code: 'bad_request.parse_failure', says: /too large/ })
    accepted(await ask(world(), '/v1/info'))
  })

  test('web pages of any origin may read answers and errors', async () => {
    const origin = 'https://app.example'
    const preflight = await ask(world(), '/v1/submitMessage', {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-api-key',
      },
    })
    assert.equal(preflight.status, 204)
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /POST/)
    const headers = preflight.headers.get('access-control-allow-headers')
    assert.equal(headers, 'content-type,x-api-key')
    const answers = [
      preflight,
      await ask(world(), '/v1/info', { headers: { origin } }),
      await ask(world(), '/v1/castById?fid=x', { headers: { origin } }),
      await ask(world(), '/v1/nothing', { headers: { origin } }),
      await submit(world(), '{}', { 'content-type': 'text/plain', origin }),
    ]
    for (const { headers } of answers) assert.equal(headers.get('access-control-allow-origin'), '*')
  })

  test('info has the fields that clients read, as numbers that JSON holds exactly', async () => {
    const plain = accepted(await ask(world(), '/v1/info'))
    assert.equal('dbStats' in plain, false)
    const info = accepted(await ask(world(), '/v1/info?dbstats=true'))
    const keys = ['version', 'isSyncing', 'nickname', 'rootHash', 'peerId', 'hubOperatorFid']
    for (const key of [...keys, 'numShards', 'shardInfos']) assert.ok(key in info, key)
    assert.match(info.storeId, /^[0-9a-f]{32}$/)
    const { numMessages, numFidEvents, numFidRegistrations, approxSize } = info.dbStats
    assert.deepEqual([numFidEvents, numFidRegistrations], [1, 1])
    for (const value of [numMessages, approxSize]) assert.ok(Number.isSafeInteger(value))
    assert.ok(numMessages >= 0 && approxSize > 0)
  })

  test('credentials are ignored when the hub requires none', async () => {
    for (const authorization of ['Bearer key', 'Basic !', 'nonsense']) {
      const body = await castOf(world(), authorization)
      accepted(await submit(world(), body, { authorization, 'x-api-key': 'key' }))
    }
  })
})

const basic = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` })

inWorld(
  'with credentials',
  (world) => {
    test('with credentials set, submits require them and reads and validation do not', async () => {
      const body = await castOf(world(), 'with credentials')
      for (const [headers, says] of [
        [{}, /Authorization header is empty/],
        [basic('ann:wrong'), /invalid username or password/],
        [basic('bob:right'), /invalid username or password/],
        [{ authorization: 'Bearer right' }, /invalid username or password/],
      ] as const) {
        for (const path of ['/v1/submitMessage', '/v1/submitBulkMessages']) {
          const answer = await ask(world(), path, {
            method: 'POST',
            headers: { 'content-type': OCTETS, ...headers },
            body,
          })
          refused(answer, { status: 401, code: 'unauthenticated', says })
        }
      }
      const verdict = await ask(world(), '/v1/validateMessage', {
        method: 'POST',
        headers: { 'content-type': OCTETS },
        body,
      })
      assert.equal(accepted(verdict).valid, true)
      assert.deepEqual(accepted(await ask(world(), '/v1/castsByFid?fid=1')).messages, [])
      accepted(await submit(world(), body, basic('ann:right')))
      accepted(await submit(world(), await castOf(world(), 'second'), basic('ann:with:colons')))
    })
  },
  { env: { ROOKERY_RPC_AUTH: 'ann:right,ann:with:colons' } },
)

inWorld(
  'from one address',
  (world) => {
    test('exactly as many submits pass as the rate limit allows, and forged headers do not change that', async () => {
      const from = (address: string) => ({ 'x-forwarded-for': address })
      const send = async (address: string, i: number) =>
        submit(world(), await castOf(world(), `${address} ${i}`), from(address))
      const answers = await Promise.all(
        Array.from({ length: 25 }, (_, i) => send('198.51.100.7', i)),
      )
      const passed = answers.filter(({ status }) => status === 200)
      assert.equal(passed.length, 20)
      for (const answer of answers.filter((one) => one.status !== 200)) {
        refused(answer, { status: 429, code: 'unavailable', says: /^API rate limit exceeded$/ })
        assert.ok(Number(answer.headers.get('retry-after')) > 0)
      }
      accepted(await send('198.51.100.8', 0))
      accepted(await ask(world(), '/v1/info', { headers: from('198.51.100.7') }))
    })
  },
  { env: { ROOKERY_SUBMIT_LIMIT: '20', ROOKERY_TRUSTED_PROXIES: '127.0.0.1' } },
)
