// The OpenAPI documents against the running program: every boundary of every schema is sent to every
// operation, and each answer must be one that the document announces.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Compile } from 'typebox/compile'
import { lintOpenapi } from '../scripts/openapi-lint.ts'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { effort } from './effort.ts'
import { PATIENCE_MS } from './patience.ts'
import { createWorld, type World } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents and answers are read by path
type Json = any

type Operation = { name: string; url: string; method: string; path: string; spec: Json }
/** One value of one parameter or body field, and whether the document accepts it. */
type Probe = { what: string; field: string; accepted: boolean; request: Sent }
type Sent = { path: Record<string, string>; query: Record<string, string>; body?: Json }

const INTERFACES = ['hub', 'registry', 'platform', 'accounts', 'app', 'operations'] as const

/** Refusals of the shape of a request. What the values mean is judged after that. */
const SHAPE_CODES = [
  'bad_request.invalid_param',
  'bad_request.parse_failure',
  'bad_request.validation_failure',
  'RequiredField',
  'InvalidField',
  'InvalidCursor',
]

/** Texts that break or keep the patterns of the documents; a schema picks those of interest. */
const HEX_BYTES = [0, 1, 19, 20, 21, 31, 32, 33, 65]
const CANDIDATES = [
  ...HEX_BYTES.flatMap((n) => [`0x${'ab'.repeat(n)}`, `0x${'ab'.repeat(n)}a`]),
  `0X${'AB'.repeat(20)}`,
  'ab'.repeat(32),
  'a',
  'abc',
  'channel-1',
  '-a',
  'AAAA',
  'AA==',
  'A',
  '1',
  '0',
  '123456789012345',
  '1234567890123456',
  'http://example.org/a',
  'a b',
  'ä',
  '%',
  '\u0007',
]
const KEPT_OF_EACH_KIND = 4
/** In so many operations of an interface a field that others have alike is probed at every bound. */
const PROBED_IN_FULL = effort(1, Number.POSITIVE_INFINITY)
/** In more operations than these such a field is not probed. */
const PROBED_AT_ALL = effort(3, Number.POSITIVE_INFINITY)

/**
 * What a schema cannot say: that a text is a URL or a name, that one of two parameters is needed, that
 * nobody blocks themselves, and so on. A shape that is accepted may still be refused for its meaning there.
 */
const JUDGED_BY_MEANING = [
  /^app get \S+ (?:identifier|cursor|q)$/,
  /^app get \/v2\/farcaster\/(?:feed fid|block\/list blocker_fid|channel\/member\/invite\/list channel_id)$/,
  /^\w+ get \S+ (?:pageToken|cursor)$/,
  /^hub get \/v1\/(?:castsByParent url|reactionById target_fid|userNameProofByName name)$/,
  /^accounts get \/v1\/account fid$/,
  /^platform get \/v2\/signers fid$/,
  /^\w+ \w+ \S+ (?:\S+\.)?(?:url|imageUrl|headerImageUrl|actionUrl|actionUrls\.\d+)$/,
  /^platform post \/fc\/blocked-users blockFid$/,
  /^platform \w+ \/fc\/channel-follows channelId$/,
  /^platform post \/v2\/signed-key-requests? (?:requestFid|deadline)$/,
  /^platform delete \/fc\/channel-bans unbanFid$/,
  /^operations put \/server\/translator address$/,
  /^operations post \/platform\/credits amount$/,
  /^operations post \/platform\/(?:blocks|channels|starter-packs)\/import lines\.0(?:\.block\.blockedFid)?$/,
  /^operations post \/v1\/import events\.0$/,
  /^\w+ post \S*\/moderation\/cases\/\{id\}\/decide act$/,
  /^accounts post \/v1\/(?:(?:erase|export)-messages|sealed-keys) deadline$/,
  /^platform post \/v1\/reports (?:fid|castHash)$/,
  /^app get \/v2\/farcaster\/signer\/list message$/,
  /^app post \/v2\/farcaster\/mute (?:fid|muted_fid)$/,
  /^app post \/v2\/farcaster\/signer\/developer_managed\/signed_key (?:app_fid|deadline|signature)$/,
  /^app post \/v2\/farcaster\/message (?:data(?:\.network)?|dataBytes)$/,
  /^(?:platform|operations) \w+ \S+mini-app\S* domain$/,
  /^platform post \/v1\/frame-notifications targetUrl$/,
  /^app \w+ \/v2\/farcaster\/app_host\/user\/event (?:app_domain|signed_message)$/,
  /^app post \/v2\/farcaster\/push\/own endpoint$/,
]

describe('the OpenAPI documents', () => {
  let world: World
  let documents: Record<string, Json>
  let token: string
  before(async () => {
    world = await createWorld({ env: { ROOKERY_VIEWS: 'on' } })
    const [account] = await world.accounts([1, 2, 3])
    token = world.token(account!)
    const channel = { channelId: 'a', name: 'A channel', url: 'https://example.org/a' }
    const made = await world.platform('/fc/channels', { method: 'POST', token, body: channel })
    assert.equal(made.status, 200)
    documents = await documentsOf(world)
  })
  after(() => world.close())

  it('the OpenAPI documents pass the lint rules', async () => {
    for (const name of INTERFACES) assert.deepEqual(await lintOpenapi(documents[name]), [], name)
  })

  it('the lint rules find what a document lacks', async () => {
    const hash = ({ components }: Json) => components.schemas.CastId.properties.hash
    const cases: readonly (readonly [string, (document: Json, cast: Json) => void])[] = [
      ['should be equal "3.1.0"', (document) => Object.assign(document, { openapi: '3.1.1' })],
      ['description is required', ({ info }) => delete info.description],
      ['80 characters', (_, cast) => Object.assign(cast, { summary: 'a'.repeat(81) })],
      ['rule/summary failed', (_, cast) => Object.assign(cast, { summary: 'A cast.' })],
      ['rule/description failed', (_, cast) => Object.assign(cast, { description: 'a cast' })],
      ['rule/tags failed', (_, cast) => Object.assign(cast, { tags: [] })],
      ['tag Other is not used', ({ tags }) => tags.push({ name: 'Other', description: 'Other.' })],
      ['have security defined', (_, cast) => delete cast.security],
      [
        'is not required',
        (_, { parameters }) => Object.assign(parameters[0], { in: 'path', required: false }),
      ],
      ['odd number', (document) => Object.assign(hash(document), { pattern: '^0x[0-9a-f]+$' })],
      ['regular expression', (document) => Object.assign(hash(document), { pattern: '(' })],
      [
        'any properties',
        ({ components }) =>
          Object.assign(components.schemas.CastId, { additionalProperties: true }),
      ],
      [
        'without properties',
        ({ components }) => Object.assign(components.schemas, { Fid: { type: 'object' } }),
      ],
      [
        'never used',
        ({ components }) => Object.assign(components.schemas, { Fid: { type: 'integer' } }),
      ],
    ]
    for (const [fault, change] of cases) {
      const document = structuredClone(documents.hub)
      change(document, document.paths['/v1/castById'].get)
      const found = await lintOpenapi(document)
      assert.ok(
        found.some((one) => one.includes(fault)),
        `${fault} in ${found.slice(0, 3)}`,
      )
    }
  })

  it('every number of a JSON body has a maximum, without which 1e308 is an integer', () => {
    // Their values are judged by the rules of what was signed, not by a schema.
    const judged = [
      'post /transfers',
      'post /v2/farcaster/message',
      'post /v1/import',
      'post /platform/starter-packs/import',
    ]
    const unbounded: string[] = []
    const walk = (schema: Json, components: Json, at: string, seen: readonly string[]): void => {
      const name = schema?.$ref?.split('/').at(-1)
      if (name) {
        if (!seen.includes(name)) walk(components[name], components, at, [...seen, name])
        return
      }
      if (['integer', 'number'].includes(schema?.type) && schema.maximum === undefined) {
        if (schema.enum === undefined && schema.const === undefined) unbounded.push(at)
      }
      for (const [key, one] of Object.entries<Json>(schema?.properties ?? {})) {
        walk(one, components, `${at}.${key}`, seen)
      }
      for (const one of [schema?.items, schema?.anyOf, schema?.oneOf, schema?.allOf].flat()) {
        if (one) walk(one, components, `${at}[]`, seen)
      }
    }
    for (const name of INTERFACES) {
      const { paths, components } = documents[name]
      for (const [path, methods] of Object.entries<Json>(paths)) {
        for (const [method, { requestBody }] of Object.entries<Json>(methods)) {
          if (judged.includes(`${method} ${path}`)) continue
          const schema = requestBody?.content?.['application/json']?.schema
          walk(schema, components?.schemas ?? {}, `${name} ${method} ${path}`, [])
        }
      }
    }
    assert.deepEqual(unbounded, [])
  })

  it('the documents require credentials exactly where the server does', async () => {
    const submit = (document: Json) => document.paths['/v1/submitMessage'].post
    assert.deepEqual(submit(documents.hub).security, [])
    assert.equal(submit(documents.hub).responses[401], undefined)
    const closed = await createWorld({ env: { ROOKERY_RPC_AUTH: 'ann:one', ROOKERY_VIEWS: 'on' } })
    try {
      const { hub } = await documentsOf(closed)
      assert.deepEqual(submit(hub).security, [{ basic: [] }])
      assert.deepEqual(hub.components.securitySchemes, { basic: { type: 'http', scheme: 'basic' } })
      assert.deepEqual(hub.paths['/v1/validateMessage'].post.security, [])
      assert.deepEqual(await lintOpenapi(hub), [])
    } finally {
      await closed.close()
    }
  })

  for (const name of INTERFACES) {
    it(`the document of the ${name} announces every answer to every boundary of its schemas`, async () => {
      const faults: string[] = []
      const document = documents[name]
      let sent = 0
      const places = new Map<string, number>()
      for (const operation of operationsOf(name, world.app.urls[name], document)) {
        for (const probe of someOf([...probesOf(operation, document)], places)) {
          sent += 1
          faults.push(...(await faultsOf(operation, probe, document, token)))
        }
      }
      assert.deepEqual(faults, [])
      assert.ok(sent > 10)
    })
  }
})

describe('a parameter that is given twice', () => {
  let world: World
  let token: string
  let channelToken: string
  before(async () => {
    world = await createWorld({ env: { ROOKERY_VIEWS: 'on' } })
    token = world.token(await world.account(1))
    const body = { siweUri: 'https://app.example/login', domain: 'app.example' }
    channelToken = (await world.platform('/v1/channel', { body })).body.channelToken
  })
  after(() => world.close())

  for (const name of INTERFACES) {
    it(`a parameter that the ${name} is given twice is refused by its name, unless it is a list`, async () => {
      const document = (await documentsOf(world))[name]
      const answers = new Map<string, string>()
      for (const { url, method, path, spec } of operationsOf(
        name,
        world.app.urls[name],
        document,
      )) {
        if (method !== 'get') continue
        // Without a token its absence is told first.
        const bearer = path.startsWith('/v1/channel/') ? channelToken : token
        const headers = { 'x-api-key': DEVELOPMENT_KEY, authorization: `Bearer ${bearer}` }
        for (const { name: field, in: place, description } of spec.parameters ?? []) {
          if (place !== 'query' || /separated by commas/.test(description)) continue
          const target = `${url}${path.replace(/\{\w+\}/g, '1')}?${field}=1&${field}=2`
          const { status, text } = await fetch(target, { headers }).then(async (response) => ({
            status: response.status,
            text: await response.text(),
          }))
          const isRefused =
            status === 400 && /given (?:more than )?once/.test(text) && text.includes(field)
          if (!isRefused) answers.set(`${path} ${field}`, `${status} ${text}`)
        }
      }
      assert.deepEqual([...answers], [])
    })
  }
})

async function documentsOf({ app }: World): Promise<Record<string, Json>> {
  const documents: Record<string, Json> = {}
  for (const name of INTERFACES) {
    documents[name] = await (await fetch(`${app.urls[name]}/openapi.json`)).json()
  }
  return documents
}

const operationsOf = (name: string, url: string, document: Json): Operation[] =>
  Object.entries<Json>(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, spec]) => ({ name, url, method, path, spec })),
  )

/** Of thousands of probes each asks for the same few. */
const resolvedSchemas = new WeakMap<object, Json>()

/**
 * Everyday, a field that several operations have alike is probed at every bound in some of them, and with
 * one right and one wrong value in a few others. `places` counts the operations by field.
 */
function someOf(probes: readonly Probe[], places: Map<string, number>): Probe[] {
  const byField = Map.groupBy(probes, ({ field }) => field)
  return [...byField].flatMap(([field, own]) => {
    const key = `${field.split('.').at(-1)} ${own.map(({ accepted }) => accepted)}`
    const place = (places.get(key) ?? 0) + 1
    places.set(key, place)
    if (field === '' || place <= PROBED_IN_FULL) return own
    if (place > PROBED_AT_ALL) return []
    const kinds = [true, false].map((kind) => own.find(({ accepted }) => accepted === kind))
    return kinds.filter((one) => one !== undefined)
  })
}

/** The schema with every reference replaced by what it refers to. */
function resolved(schema: Json, document: Json): Json {
  if (typeof schema !== 'object' || schema === null) return schema
  const known = resolvedSchemas.get(schema)
  if (known !== undefined) return known
  const made = resolve(schema, document)
  resolvedSchemas.set(schema, made)
  return made
}

function resolve(schema: Json, document: Json): Json {
  if (Array.isArray(schema)) return schema.map((one) => resolved(one, document))
  if (schema.$ref) {
    return resolved(document.components.schemas[schema.$ref.split('/').at(-1)], document)
  }
  return Object.fromEntries(Object.entries(schema).map(([k, v]) => [k, resolved(v, document)]))
}

const validators = new Map<string, ReturnType<typeof Compile>>()
const validatorsBySchema = new WeakMap<object, ReturnType<typeof Compile>>()

function isValid(schema: Json, value: unknown): boolean {
  const validator = validatorsBySchema.get(schema) ?? validatorOf(schema)
  validatorsBySchema.set(schema, validator)
  return validator.Check(value)
}

/** Equal schemas of different places share one. */
function validatorOf(schema: Json): ReturnType<typeof Compile> {
  const key = JSON.stringify(schema)
  const validator = validators.get(key) ?? Compile(schema)
  validators.set(key, validator)
  return validator
}

/** A text in a query stands for a number, too, where the schema has numbers. */
const acceptsText = (schema: Json, text: string): boolean =>
  isValid(schema, text) ||
  ((/^-?\d+(\.\d+)?$/.test(text) || schema.type === 'number') && isValid(schema, Number(text))) ||
  (/^(true|false)$/.test(text) && isValid(schema, text === 'true'))

/** Values around every bound of a schema. */
function valuesOf(schema: Json): unknown[] {
  const parts = [schema, ...(schema.anyOf ?? []), ...(schema.allOf ?? [])]
  const values = parts.flatMap(
    ({ type, minimum, maximum, maxLength, minLength, enum: words, const: one }) => [
      ...(minimum === undefined ? [] : [minimum, minimum - 1]),
      ...(maximum === undefined ? [] : [maximum, maximum + 1]),
      ...(maxLength === undefined ? [] : ['a'.repeat(maxLength), 'a'.repeat(maxLength + 1)]),
      ...(minLength === undefined ? [] : ['a'.repeat(minLength), 'a'.repeat(minLength - 1)]),
      ...(words?.slice(0, 3) ?? []),
      ...(one === undefined ? [] : [one]),
      ...(type === 'boolean' ? [true, false] : []),
      ...(type === 'integer' || type === 'number' ? [1, 1.5] : []),
    ],
  )
  const texts = CANDIDATES.filter((text) => isValid(schema, text)).slice(0, KEPT_OF_EACH_KIND)
  const wrong = CANDIDATES.filter((text) => !isValid(schema, text)).slice(0, KEPT_OF_EACH_KIND)
  return [...new Set([...values, ...texts, ...wrong])]
}

/** A value that the schema accepts. */
function exampleOf(schema: Json): Json {
  if (schema.type === 'object') {
    const required: string[] = schema.required ?? []
    return Object.fromEntries(required.map((key) => [key, exampleOf(schema.properties[key])]))
  }
  if (schema.type === 'array') return (schema.minItems ?? 0) > 0 ? [exampleOf(schema.items)] : []
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(exampleOf))
  const found = valuesOf(schema).find((value) => isValid(schema, value))
  if (found !== undefined) return found
  if (schema.anyOf) return exampleOf(schema.anyOf[0])
  return 'a'
}

function exampleText(schema: Json): string {
  const found = valuesOf(schema).find((value) => value !== '' && acceptsText(schema, String(value)))
  return String(found ?? 'a')
}

function* probesOf(operation: Operation, document: Json): Generator<Probe> {
  const { parameters = [], requestBody } = operation.spec
  const base: Sent = { path: {}, query: {} }
  for (const { name, in: place, required, schema } of parameters) {
    if (required) base[place as 'path' | 'query'][name] = exampleText(schema)
  }
  const content = requestBody?.content['application/json']
  const bodySchema = content && resolved(content.schema, document)
  if (bodySchema) base.body = exampleOf(bodySchema)
  yield { what: 'the example', field: '', accepted: true, request: base }
  for (const { name, in: place, required, schema } of parameters) {
    const where = place as 'path' | 'query'
    for (const value of valuesOf(schema)) {
      const text = String(value)
      if (text === '') continue
      const request = { ...base, [where]: { ...base[where], [name]: text } }
      yield { what: `${name}=${text}`, field: name, accepted: acceptsText(schema, text), request }
    }
    if (where === 'path') continue
    const empty = { ...base, query: { ...base.query, [name]: '' } }
    yield { what: `${name} empty`, field: name, accepted: !required, request: empty }
    const { [name]: _, ...others } = base.query
    const without = { ...base, query: others }
    yield { what: `${name} missing`, field: name, accepted: !required, request: without }
  }
  if (bodySchema) yield* bodyProbes(base, bodySchema)
}

function* bodyProbes(base: Sent, schema: Json): Generator<Probe> {
  for (const { path, property } of fieldsOf(schema, [])) {
    const values = [undefined, ...valuesOf(property), null, [], {}]
    for (const value of values) {
      const body = withValue(schema, base.body, path, value)
      const what = `body ${JSON.stringify(body).slice(0, 200)}`
      const field = path.join('.')
      yield { what, field, accepted: isValid(schema, body), request: { ...base, body } }
    }
  }
  for (const body of [null, [], 'text', 1]) {
    const accepted = isValid(schema, body)
    yield { what: `body ${JSON.stringify(body)}`, field: '', accepted, request: { ...base, body } }
  }
}

/** Every field of a body at every depth; a list is probed by its first item. */
function* fieldsOf(schema: Json, path: string[]): Generator<{ path: string[]; property: Json }> {
  for (const [name, property] of Object.entries<Json>(schema.properties ?? {})) {
    yield { path: [...path, name], property }
    yield* fieldsOf(property, [...path, name])
  }
  if (schema.type === 'array' && schema.items) {
    yield { path: [...path, '0'], property: schema.items }
    yield* fieldsOf(schema.items, [...path, '0'])
  }
}

/** The body with another value in one place; what has to be around it is made from the schema. */
function withValue(schema: Json, body: Json, [name, ...rest]: string[], value: unknown): Json {
  const isList = schema.type === 'array'
  const inner = isList ? schema.items : schema.properties[name!]
  const present = body?.[name!]
  const changed =
    rest.length === 0 ? value : withValue(inner, present ?? exampleOf(inner), rest, value)
  if (isList) return changed === undefined ? [] : [changed]
  const { [name!]: _, ...others } = body ?? {}
  return changed === undefined ? others : { ...others, [name!]: changed }
}

async function faultsOf(
  operation: Operation,
  probe: Probe,
  document: Json,
  token: string,
): Promise<string[]> {
  const { name, url, method, path, spec } = operation
  const { request } = probe
  const place = `${name} ${method} ${path} with ${probe.what}`
  const filled = path.replace(/\{(\w+)\}/g, (_, key) =>
    encodeURIComponent(request.path[key] ?? 'x'),
  )
  const isOctets = spec.requestBody?.content['application/octet-stream'] !== undefined
  const form = spec.requestBody?.content['application/x-www-form-urlencoded']
  // Where a token is optional, none is sent: the document describes the body of that case.
  const asksForToken = spec.security.length === 1 && spec.security[0].bearer !== undefined
  const response = await fetch(`${url}${filled}?${new URLSearchParams(request.query)}`, {
    method: method.toUpperCase(),
    headers: {
      ...(asksForToken && { authorization: `Bearer ${token}` }),
      ...(name === 'app' && { 'x-api-key': DEVELOPMENT_KEY }),
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
      ...(isOctets && { 'content-type': 'application/octet-stream' }),
    },
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    ...(isOctets && { body: 'x' }),
    ...(form && { body: new URLSearchParams(exampleOf(resolved(form.schema, document))) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  const { status } = response
  // A stream of events does not end.
  const isEndless = response.headers.get('content-type') === 'text/event-stream'
  if (isEndless) await response.body?.cancel()
  const text = isEndless ? '' : await response.text()
  const announced = spec.responses[status]
  if (announced === undefined) return [`${place}: ${status} is not announced: ${text}`]
  const type = Object.keys(announced.content ?? {})[0]
  if (type !== 'application/json') return []
  const body = JSON.parse(text)
  const schema = resolved(announced.content[type].schema, document)
  if (!isValid(schema, body)) {
    return [`${place}: the body of ${status} is not as announced: ${text.slice(0, 300)}`]
  }
  const code = name === 'hub' ? body.errCode : body.code
  if (!probe.accepted && status < 400) return [`${place}: refused by the document, but ${status}`]
  const field = `${name} ${method} ${path} ${probe.field}`
  if (JUDGED_BY_MEANING.some((pattern) => pattern.test(field))) return []
  if (
    probe.accepted &&
    SHAPE_CODES.includes(code) &&
    (body.field ?? body.property) === probe.field
  ) {
    return [`${place}: accepted by the document, but ${text.slice(0, 300)}`]
  }
  return []
}
