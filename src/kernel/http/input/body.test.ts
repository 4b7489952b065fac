import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type, { type TSchema } from 'typebox'
import { serve } from '../../../../test/http-support.ts'
import { form, json, octets, route } from '../route.ts'
import { FORM_BODY_LIMIT_BYTES, JSON_BODY_LIMIT_BYTES, MUST_BE } from './body.ts'
import { textParam } from './params.ts'

const submit = route('POST /v1/submit', {
  callers: 'anyone',
  summary: 'Counts bytes',
  body: octets({ description: 'bytes' }),
  reply: Type.Object({ length: Type.Integer() }),
  errors: [],
  cost: 'write',
  handler: (_, { body }) => ({ length: body.length }),
})

const transfer = route('POST /transfers', {
  callers: 'anyone',
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
  errors: [],
  cost: 'write',
  handler: (_, { body }) => body,
})

const strict = route('POST /strict', {
  callers: 'anyone',
  summary: 'Takes no unknown keys',
  body: json(Type.Object({ a: Type.Optional(Type.Integer()) }, { additionalProperties: false })),
  reply: Type.Unknown(),
  errors: [],
  cost: 'write',
  handler: (_, { body }) => body,
})

const sheet = route('POST /sheets/:id', {
  callers: 'anyone',
  summary: 'Takes a form',
  params: { id: textParam({ maxBytes: 8 }) },
  body: form(Type.Object({ name: Type.String({ maxLength: 8 }) })),
  reply: Type.Unknown(),
  errors: [],
  cost: 'write',
  handler: (_, { params, body }) => ({ ...params, ...body }),
})

const api = serve([submit, transfer, strict, sheet])

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
    route(`POST ${path}`, {
      callers: 'anyone',
      summary: 'Takes a text',
      body: json(schema, maxBytes === undefined ? {} : { maxBytes }),
      reply: Type.Object({ length: Type.Integer() }),
      errors: [],
      cost: 'write',
      handler: (_, { body }) => ({ length: body.text.length }),
    })
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

test('a value that breaks a union is told what it was meant for, and all choices when it is none of them', async () => {
  const Request = Type.Object({
    version: Type.Literal('2.0'),
    id: Type.Union([Type.Integer(), Type.String({ maxLength: 3 })]),
    role: Type.Optional(Type.Union([Type.Literal('member'), Type.Literal('guest')])),
    params: Type.Optional(
      Type.Array(Type.Union([Type.Object({ to: Type.String() }), Type.Null()])),
    ),
  })
  const Shape = Type.Union([
    Type.Object({ kind: Type.Literal('circle'), radius: Type.Integer() }),
    Type.Object({ kind: Type.Literal('square'), side: Type.Integer() }),
  ])
  const of = (path: string, schema: TSchema) =>
    route(`POST ${path}`, {
      callers: 'anyone',
      summary: 'Takes',
      body: json(schema),
      reply: Type.Unknown(),
      errors: [],
      cost: 'write',
      handler: () => ({}),
    })
  const batch = Type.Array(Request, { minItems: 1, maxItems: 2 })
  const served = serve([of('/rpc', Type.Union([Request, batch])), of('/shape', Shape)])
  const one = { version: '2.0', id: 1 }
  for (const [url, body, field, message] of [
    ['/rpc', [], undefined, 'the body must not have fewer than 1 items'],
    ['/rpc', [one, one, one], undefined, 'the body must not have more than 2 items'],
    ['/rpc', 'text', undefined, 'the body must be object or array'],
    ['/rpc', { id: 1 }, 'version', 'version is missing'],
    ['/rpc', { ...one, id: 'long' }, 'id', 'id must not have more than 3 characters'],
    ['/rpc', { ...one, id: 1.5 }, 'id', 'id must be integer or string'],
    ['/rpc', { ...one, role: 'owner' }, 'role', 'role must be "member" or "guest"'],
    ['/rpc', { ...one, params: [{ to: 3 }] }, 'params.0.to', 'params.0.to must be string'],
    ['/rpc', { ...one, params: [null, 3] }, 'params.1', 'params.1 must be object or null'],
    ['/rpc', [one, { ...one, id: null }], '1.id', '1.id must be integer or string'],
    ['/shape', { kind: 'square', side: 'long' }, 'side', 'side must be integer'],
    ['/shape', { kind: 'square' }, 'side', 'side is missing'],
  ] as const) {
    const headers = { 'content-type': JSON_TYPE }
    const answer = await served.inject({
      method: 'POST',
      url,
      payload: JSON.stringify(body),
      headers,
    })
    const { field: named, message: said } = answer.json()
    assert.deepEqual([answer.statusCode, named, said], [400, field, message], JSON.stringify(body))
  }
})

test('a pattern with words is refused in them, also where null is allowed', async () => {
  const pattern = '^#[0-9a-f]{6}$'
  const color = Type.String({ pattern, [MUST_BE]: 'a colour like #0b5d57' })
  const schema = Type.Object({
    color: Type.Optional(Type.Union([color, Type.Null()])),
    plain: Type.Optional(Type.String({ pattern })),
  })
  const served = serve([
    route('POST /paint', {
      callers: 'anyone',
      summary: 'Paints',
      body: json(schema),
      reply: Type.Unknown(),
      errors: [],
      cost: 'write',
      handler: () => ({}),
    }),
  ])
  for (const [body, message] of [
    [{ color: 'red' }, 'color must be a colour like #0b5d57'],
    [{ plain: 'red' }, `plain must match pattern "${pattern}"`],
  ] as const) {
    const headers = { 'content-type': JSON_TYPE }
    const payload = JSON.stringify(body)
    const answer = await served.inject({ method: 'POST', url: '/paint', payload, headers })
    assert.deepEqual([answer.statusCode, answer.json().message], [400, message])
    assert.equal(answer.json().field, Object.keys(body)[0])
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
  const bare = route('POST /v1/reset', {
    callers: 'anyone',
    summary: 'Resets',
    reply: Type.Unknown(),
    errors: [],
    cost: 'write',
    handler: () => ({}),
  })
  const headers = { 'content-type': 'text/plain' }
  const request = { method: 'POST', url: '/v1/reset', payload: 'x', headers } as const
  assert.equal((await serve([bare]).inject(request)).statusCode, 200)
})

test('a form beside a path parameter is taken in either encoding, and its fields are checked', async () => {
  const encoded = 'application/x-www-form-urlencoded'
  const multipart = 'multipart/form-data; boundary=b'
  const part = (name: string, value: string, more = '') =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
  const end = '--b--\r\n'
  for (const [type, payload] of [
    [encoded, 'name=a+%C3%A9'],
    [`${encoded}; charset=utf-8`, 'more=x&name=a+%C3%A9'],
    [multipart, part('name', 'a é') + end],
  ] as const) {
    const { statusCode, body } = await post('/sheets/7', payload, type)
    assert.equal(statusCode, 200, body)
    const { id, name } = JSON.parse(body)
    assert.deepEqual([id, name], ['7', 'a é'])
  }
  for (const [type, payload, status, code, field] of [
    [encoded, '', 400, 'bad_request.validation_failure', 'name'],
    [undefined, undefined, 400, 'bad_request.parse_failure', undefined],
    [encoded, 'name=ninechars', 400, 'bad_request.validation_failure', 'name'],
    [encoded, 'name=a&name=b', 400, 'bad_request.validation_failure', 'name'],
    [encoded, '__proto__=a', 400, 'bad_request.validation_failure', 'name'],
    [multipart, part('name', 'a', '; filename="a"') + end, 400, undefined, 'name'],
    [multipart, part('name', 'a'), 400, 'bad_request.parse_failure', undefined],
    ['multipart/form-data', part('name', 'a') + end, 400, undefined, undefined],
    [encoded, `name=a&x=${'x'.repeat(FORM_BODY_LIMIT_BYTES)}`, 413, undefined, undefined],
    [JSON_TYPE, '{"name":"a"}', 415, undefined, undefined],
  ] as const) {
    const response = await post('/sheets/7', payload, type)
    const answer = response.json()
    assert.equal(response.statusCode, status, `${payload}: ${response.body}`)
    if (code) assert.equal(answer.errCode, code, response.body)
    assert.equal(answer.field, field, response.body)
  }
})
