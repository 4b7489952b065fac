import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { serve } from '../../../test/http-support.ts'
import { json, octets, route } from '../route.ts'
import { JSON_BODY_LIMIT_BYTES } from './body.ts'

const submit = route(
  {
    method: 'POST',
    path: '/v1/submit',
    summary: 'Counts bytes',
    body: octets({ description: 'bytes' }),
    reply: Type.Object({ length: Type.Integer() }),
  },
  ({ body }) => ({ length: body.length }),
)

const transfer = route(
  {
    method: 'POST',
    path: '/transfers',
    summary: 'Says what it got',
    body: json(
      Type.Object({
        name: Type.String(),
        from: Type.Integer(),
        fid: Type.Optional(Type.Integer()),
        list: Type.Optional(Type.Array(Type.Object({ url: Type.String() }))),
      }),
    ),
    reply: Type.Unknown(),
  },
  ({ body }) => body,
)

const strict = route(
  {
    method: 'POST',
    path: '/strict',
    summary: 'Takes no unknown keys',
    body: json(Type.Object({ a: Type.Optional(Type.Integer()) }, { additionalProperties: false })),
    reply: Type.Unknown(),
  },
  ({ body }) => body,
)

const api = serve([submit, transfer, strict])

const post = (url: string, payload: string | Buffer | undefined, contentType?: string) =>
  api.inject({
    method: 'POST',
    url,
    ...(payload !== undefined && { payload }),
    headers: contentType === undefined ? {} : { 'content-type': contentType },
  })

const OCTETS = 'application/octet-stream'
const JSON_TYPE = 'application/json'

test('a body of application/octet-stream is accepted in any case and with parameters', async () => {
  for (const type of [OCTETS, 'Application/Octet-Stream', `${OCTETS}; charset=utf-8`]) {
    const response = await post('/v1/submit', Buffer.from([1, 2, 0xff]), type)
    assert.deepEqual([response.statusCode, response.json()], [200, { length: 3 }], type)
  }
})

test('an empty body is read as no bytes, with and without a content type', async () => {
  for (const type of [OCTETS, undefined]) {
    assert.deepEqual((await post('/v1/submit', undefined, type)).json(), { length: 0 })
  }
})

test('another content type, or none, is refused with 415', async () => {
  const types = [undefined, JSON_TYPE, 'text/xml', 'text/plain', 'x', 'multipart/form-data', ';;']
  for (const type of types) {
    const response = await post('/v1/submit', Buffer.from('{'), type)
    assert.equal(response.statusCode, 415, String(type))
    assert.equal(response.json().errCode, 'bad_request.parse_failure')
    assert.equal(response.json().error, 'Unsupported Media Type')
  }
  const jsonAsText = await post('/transfers', '{}', 'text/plain')
  assert.equal(jsonAsText.statusCode, 415)
})

test('a body of one MiB is accepted, one byte more is refused with 413', async () => {
  const limit = await post('/v1/submit', Buffer.alloc(1_048_576), OCTETS)
  assert.deepEqual(limit.json(), { length: 1_048_576 })
  const over = await post('/v1/submit', Buffer.alloc(1_048_577), OCTETS)
  assert.deepEqual([over.statusCode, over.json().error], [413, 'Request body is too large'])
  assert.equal(over.headers['access-control-allow-origin'], '*')
})

test('the body limit is a setting of the interface', async () => {
  const small = serve([submit], { bodyLimitBytes: 4 })
  const status = async (length: number) => {
    const payload = Buffer.alloc(length)
    const headers = { 'content-type': OCTETS }
    return (await small.inject({ method: 'POST', url: '/v1/submit', payload, headers })).statusCode
  }
  assert.deepEqual([await status(4), await status(5)], [200, 413])
})

test('a JSON body of 64 KiB is accepted, one byte more is refused with 413, unless the route takes more', async () => {
  const schema = Type.Object({ text: Type.String() })
  const of = (path: string, maxBytes?: number) =>
    route(
      {
        method: 'POST',
        path,
        summary: 'Takes a text',
        body: json(schema, maxBytes === undefined ? {} : { maxBytes }),
        reply: Type.Object({ length: Type.Integer() }),
      },
      ({ body }) => ({ length: body.text.length }),
    )
  const api = serve([of('/small'), of('/large', 70_000)])
  const operations = serve([of('/small')], { name: 'operations', errors: 'plain' })
  const statusOf = async (url: string, bytes: number, served = api) => {
    const payload = JSON.stringify({ text: 'x'.repeat(bytes - 11) })
    assert.equal(payload.length, bytes)
    const headers = { 'content-type': 'application/json' }
    return (await served.inject({ method: 'POST', url, payload, headers })).statusCode
  }
  assert.equal(await statusOf('/small', JSON_BODY_LIMIT_BYTES), 200)
  assert.equal(await statusOf('/small', JSON_BODY_LIMIT_BYTES + 1), 413)
  assert.equal(await statusOf('/large', 70_000), 200)
  assert.equal(await statusOf('/large', 70_001), 413)
  // Operators import lists.
  assert.equal(await statusOf('/small', 1_048_576, operations), 200)
})

test('a JSON body is passed on unchanged', async () => {
  const body = '{"name":"a","from":0,"more":[1]}'
  const response = await post('/transfers', body, 'application/json; charset=utf-8')
  assert.deepEqual([response.statusCode, response.json()], [200, JSON.parse(body)])
})

test('no value of a body is converted, and the field at fault is named', async () => {
  const cases: [string, string, RegExp][] = [
    ['{"name":"a","from":"0"}', 'from', /from must be integer/],
    ['{"name":"a","from":1.5}', 'from', /from must be integer/],
    ['{"name":1,"from":0}', 'name', /name must be string/],
    ['{"name":null,"from":0}', 'name', /name must be string/],
    ['{"from":0}', 'name', /name is missing/],
    ['{"name":"a","from":0,"fid":null}', 'fid', /fid must be integer/],
    ['{"name":"a","from":0,"list":[{"url":"x"},{}]}', 'list.1.url', /list\.1\.url is missing/],
    ['{"name":"a","from":0,"list":[{"url":7}]}', 'list.0.url', /list\.0\.url must be string/],
  ]
  for (const [body, field, message] of cases) {
    const response = await post('/transfers', body, JSON_TYPE)
    assert.equal(response.statusCode, 400, body)
    assert.equal(response.json().errCode, 'bad_request.validation_failure')
    assert.equal(response.json().field, field)
    assert.match(response.json().message, message)
  }
})

test('a body that is not an object is refused without a field', async () => {
  for (const body of ['null', '3', '[]', '"text"']) {
    const response = await post('/transfers', body, JSON_TYPE)
    assert.deepEqual([response.statusCode, response.json().field], [400, undefined], body)
  }
})

test('an unknown key is refused where the schema says so', async () => {
  const response = await post('/strict', '{"a":1,"b":2}', JSON_TYPE)
  assert.deepEqual([response.statusCode, response.json().field], [400, 'b'])
  assert.match(response.json().message, /b is not a known field/)
})

test('invalid JSON, invalid UTF-8 and prototype keys are refused', async () => {
  const bodies = [
    '',
    '{',
    '{"a":1,}',
    'undefined',
    '\u{feff}x',
    '{"__proto__":{"a":1}}',
    '{"\\u005f_proto__":{"a":1}}',
    '{"constructor":{"prototype":{"a":1}}}',
    Buffer.from('{"name":"\xff","from":0}', 'latin1'),
  ]
  for (const body of bodies) {
    const response = await post('/strict', body, JSON_TYPE)
    assert.equal(response.statusCode, 400, String(body))
    assert.equal(response.json().errCode, 'bad_request.parse_failure', String(body))
    assert.doesNotMatch(response.body, /position|line \d/)
  }
})

test('a route without a body ignores one', async () => {
  const bare = route(
    { method: 'POST', path: '/v1/reset', summary: 'Resets', reply: Type.Unknown() },
    () => ({}),
  )
  const headers = { 'content-type': 'text/plain' }
  const request = { method: 'POST', url: '/v1/reset', payload: 'x', headers } as const
  assert.equal((await serve([bare]).inject(request)).statusCode, 200)
})
