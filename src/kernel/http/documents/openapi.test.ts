import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { serve } from '../../../../test/http-support.ts'
import { parseCredentials } from '../auth.ts'
import { pageSizeParam } from '../input/paging.ts'
import { alias, fidParam, optional, textParam } from '../input/params.ts'
import { form, json, octets, type Route, route } from '../route.ts'

const Message = Type.Object({ hash: Type.String() }, { $id: 'Message' })
const List = Type.Object({ messages: Type.Array(Message) })

const routes: Route[] = [
  route('GET /v1/list/:name', {
    callers: 'anyone',
    summary: 'A list',
    params: { name: textParam({ maxBytes: 16 }) },
    query: { event_id: alias(fidParam, 'id'), pageSize: pageSizeParam },
    reply: List,
    errors: ['not_found'],
    tags: [{ name: 'Lists', description: 'Lists.' }],
    cost: 'list',
    handler: () => ({ messages: [] }),
  }),
  route('POST /v1/submit', {
    callers: 'credentials',
    summary: 'Takes a message',
    body: octets({ description: 'a message' }),
    limit: 'submit',
    reply: Message,
    errors: [],
    cost: 'write',
    handler: () => ({ hash: '0x' }),
  }),
  route('POST /v1/json', {
    callers: 'anyone',
    summary: 'Takes JSON',
    body: json(Type.Object({ fid: Type.Integer() })),
    status: 201,
    reply: Message,
    errors: [],
    cost: 'write',
    handler: () => ({ hash: '0x' }),
  }),
  route('POST /v1/form', {
    callers: 'anyone',
    summary: 'Takes a form',
    body: form(Type.Object({ name: Type.String() })),
    reply: Message,
    errors: [],
    cost: 'write',
    handler: () => ({ hash: '0x' }),
  }),
  ...(['user', 'anyone or user'] as const).map((callers) =>
    route(`PUT ${callers === 'user' ? '/v1/token' : '/v1/perhaps'}`, {
      callers,
      summary: 'Takes a token',
      reply: Message,
      errors: [],
      cost: 'write',
      handler: () => ({ hash: '0x' }),
    }),
  ),
]

// biome-ignore lint/suspicious/noExplicitAny: a document is read by path
type Document = any

const api = serve(routes, { basicAuth: parseCredentials('a:b') })
const document: Document = api.openapi()

test('the document lists just the routes that are served, and is served itself', async () => {
  const declared = routes.map(({ spec }) => `${spec.method} ${spec.path}`).sort()
  const listed = Object.entries<object>(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map(
      (method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
    ),
  )
  assert.deepEqual(listed.sort(), declared)
  const served = await api.inject('/openapi.json')
  assert.deepEqual(served.json(), JSON.parse(JSON.stringify(document)))
  assert.equal(served.json().openapi, '3.1.0')
})

test('a path answers the methods of the document and no others', async () => {
  for (const [path, operations] of Object.entries<object>(document.paths)) {
    const url = path.replace(/\{\w+\}/g, 'x')
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const { statusCode } = await api.inject({ method, url })
      const isListed = method.toLowerCase() in operations
      assert.equal(statusCode !== 405, isListed, `${method} ${url}`)
    }
  }
})

test('parameters are documented with their place, whether they are required, and their aliases', () => {
  const [name, eventId, pageSize] = document.paths['/v1/list/{name}'].get.parameters
  assert.deepEqual([name.in, name.required], ['path', true])
  assert.deepEqual([eventId.name, eventId.in, eventId.required], ['event_id', 'query', true])
  assert.match(eventId.description, /`id`.*`eventId`/)
  assert.deepEqual([pageSize.required, pageSize.schema.default], [false, 1000])
})

test('a named schema is defined once and referenced', () => {
  const { get } = document.paths['/v1/list/{name}']
  const reply = get.responses[200].content['application/json'].schema
  assert.deepEqual(reply.properties.messages.items, { $ref: '#/components/schemas/Message' })
  assert.equal(document.components.schemas.Message.properties.hash.type, 'string')
  assert.doesNotMatch(JSON.stringify(document), /\$id/)
})

test('a route lists the statuses that follow from its declaration', () => {
  const statuses = (path: string, method: string) =>
    Object.keys(document.paths[path][method].responses).join(' ')
  assert.equal(statuses('/v1/list/{name}', 'get'), '200 400 404 408 431 500 503')
  assert.equal(statuses('/v1/submit', 'post'), '200 400 401 408 413 415 429 431 500 503')
  assert.equal(statuses('/v1/json', 'post'), '201 400 408 413 415 431 500 503')
  assert.deepEqual(document.paths['/v1/submit'].post.security, [{ basic: [] }])
  assert.deepEqual(document.paths['/v1/token'].put.security, [{ bearer: [] }])
  assert.deepEqual(document.paths['/v1/perhaps'].put.security, [{}, { bearer: [] }])
})

test('bodies are documented by their media type', () => {
  const bodyOf = (path: string) => document.paths[path].post.requestBody.content
  assert.deepEqual(Object.keys(bodyOf('/v1/submit')), ['application/octet-stream'])
  const forms = bodyOf('/v1/form')
  assert.deepEqual(Object.keys(forms), ['application/x-www-form-urlencoded', 'multipart/form-data'])
  assert.deepEqual(forms['multipart/form-data'].schema.required, ['name'])
  assert.equal(bodyOf('/v1/json')['application/json'].schema.properties.fid.type, 'integer')
})

test('each interface describes its own errors', async () => {
  for (const errors of ['hub', 'registry', 'platform', 'plain'] as const) {
    const other = serve(routes, { errors })
    const schema = (other.openapi() as Document).components.schemas.Error
    const body = (await other.inject('/v1/list/x?id=0')).json()
    for (const key of schema.required) assert.ok(key in body, `${errors} ${key}`)
    for (const key of Object.keys(body)) assert.ok(key in schema.properties, `${errors} ${key}`)
    const request = { method: 'POST', url: '/v1/json', payload: {} } as const
    const [fault = {}] = (await other.inject(request)).json().errors ?? []
    const { items } = schema.properties.errors ?? {}
    for (const key of Object.keys(fault)) assert.ok(key in items.properties, `${errors} ${key}`)
  }
})

test('a value that a handler returns is answered with the documented status', async () => {
  const request = { method: 'POST', url: '/v1/json', payload: { fid: 1 } } as const
  assert.equal((await api.inject(request)).statusCode, 201)
})

test('the start page links the documentation, which loads nothing from third parties', async () => {
  const start = (await api.inject('/')).json()
  assert.deepEqual(start, {
    name: 'hub',
    version: '1.2.3',
    docs: '/docs',
    openapi: '/openapi.json',
  })
  const page = await api.inject('/docs')
  assert.equal(page.statusCode, 200)
  assert.match(String(page.headers['content-type']), /html/)
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'; script-src 'self'/)
  assert.doesNotMatch(policy, /http/)
  const sources = [...page.body.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(
    ([, source]) => source!,
  )
  assert.ok(sources.length > 0)
  for (const source of sources) {
    assert.match(source, /^\/docs/)
    assert.equal((await api.inject(source)).statusCode, 200, source)
  }
  const [, shown] = /"url":"([^"]+)"/.exec((await api.inject('/docs/start.js')).body)!
  assert.deepEqual(
    (await api.inject(shown!)).json().paths,
    JSON.parse(JSON.stringify(document)).paths,
  )
})

test('optional parameters are documented as not required', () => {
  const maybe = route('GET /m', {
    callers: 'anyone',
    summary: 'm',
    query: { fid: optional(fidParam) },
    reply: List,
    errors: [],
    cost: 'lookup',
    handler: () => ({ messages: [] }),
  })
  const parameters = (serve([maybe]).openapi() as Document).paths['/m'].get.parameters
  assert.equal(parameters[0].required, false)
})
