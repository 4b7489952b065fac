// U+0000 in every text of every documented request: both engines answer the same, and nothing fails.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, type DescMessage, toBinary } from '@bufbuild/protobuf'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { grpcMethods, type Operation, operationsOf, type Schema } from './defences/operations.ts'
import { rawClient } from './grpc-support.ts'
import { accepted, hex } from './hub-support.ts'
import { indexed } from './indexed.ts'
import { PATIENCE_MS } from './patience.ts'
import { createWorld, ENGINES, type EngineName, type World } from './world.ts'

const WITH_NUL = 'a\0b'
const NOT_IMPLEMENTED = 501
/** What starts long work or ends the server says nothing about texts. */
const LEFT_OUT = /^\/(?:dev|backups|views\/rebuild)/
/** Statuses of gRPC: unknown, internal, data loss. */
const GRPC_FAILURES = new Set([2, 13, 15])

type Body = { readonly what: string; readonly body: unknown }

test('NUL in any parameter or field of any operation is answered alike on both engines, without failure', async (t) => {
  const answers = await Promise.all(ENGINES.map((engine) => answersOf(t, engine)))
  const [sqlite, postgres] = answers as [Map<string, string>, Map<string, string>]
  assert.ok(sqlite.size > 300, `${sqlite.size} requests`)
  assert.deepEqual(
    [...sqlite].filter(([, answer]) => answer.startsWith('failed')),
    [],
  )
  assert.deepEqual([...postgres], [...sqlite])
})

/** How one engine answers each request. */
async function answersOf(
  t: { after(end: () => Promise<void>): void },
  engine: EngineName,
): Promise<Map<string, string>> {
  const world = await createWorld({ engine, env: { ROOKERY_VIEWS: 'on' } })
  t.after(() => world.close())
  const [account] = await world.accounts([1, 2, 3])
  const cast = world.sign(account!, castAdd(world.origin(account!), 'a cast'))
  accepted(await world.submit(cast))
  const known: Known = { token: world.token(account!), hash: hex(cast.hash) }
  await indexed(world.app)
  const found = new Map<string, string>()
  for (const operation of await operationsOf(world.app)) {
    if (LEFT_OUT.test(operation.path) || operation.isEndless || operation.method === 'OPTIONS')
      continue
    const name = `${operation.interface} ${operation.method} ${operation.path}`
    for (const { name: parameter, in: place, schema } of operation.parameters) {
      if (place === 'header' || !takesText(schema)) continue
      const given = { [parameter]: WITH_NUL }
      found.set(
        `${name} ${parameter}`,
        await statusOf(operation, given, examples(operation.json), known),
      )
    }
    for (const { what, body } of bodiesWithNul(operation.json)) {
      found.set(`${name} ${what}`, await statusOf(operation, {}, body, known))
    }
  }
  for (const [name, answer] of await grpcAnswers(world)) found.set(name, answer)
  return found
}

type Known = { readonly token: string; readonly hash: string }

const takesText = (schema: Schema): boolean =>
  schema?.type === 'string' || [...(schema?.anyOf ?? []), ...(schema?.oneOf ?? [])].some(takesText)

/** A value for each field, the optional ones included. */
function examples(schema: Schema): unknown {
  if (schema === undefined) return undefined
  const [first] = schema.anyOf ?? schema.oneOf ?? []
  if (first) return examples(first)
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(examples))
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(1, schema.minimum ?? 1)
  if (schema.type === 'boolean') return true
  if (schema.type === 'array') return [examples(schema.items)]
  if (schema.properties) {
    return Object.fromEntries(
      Object.entries<Schema>(schema.properties).map(([name, one]) => [name, examples(one)]),
    )
  }
  const bytes = /\{(\d+)\}/.exec(schema.pattern ?? '')?.[1]
  return bytes ? `0x${'ab'.repeat(Number(bytes) / 2)}` : 'abc'
}

/** The examples once for each text, which has NUL. */
function bodiesWithNul(schema: Schema): Body[] {
  const whole = examples(schema)
  return textsIn(whole, []).map((path) => ({
    what: `body ${path.join('.')}`,
    body: withText(whole, path),
  }))
}

function textsIn(value: unknown, path: string[]): string[][] {
  if (typeof value === 'string') return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => textsIn(one, [...path, name]))
}

function withText(value: unknown, [name, ...rest]: string[]): unknown {
  if (name === undefined) return WITH_NUL
  const changed = withText((value as Record<string, unknown>)[name], rest)
  return Array.isArray(value) ? [changed] : { ...(value as object), [name]: changed }
}

async function statusOf(
  { interface: name, url, method, path, parameters }: Operation,
  given: Readonly<Record<string, string>>,
  body: unknown,
  { token, hash }: Known,
): Promise<string> {
  const query = new URLSearchParams()
  let filled = path
  for (const { name: parameter, in: place, required, schema } of parameters) {
    const value = given[parameter] ?? (required ? String(examples(schema)) : undefined)
    if (value === undefined || place === 'header') continue
    if (place === 'query') query.set(parameter, value)
    else filled = filled.replace(`{${parameter}}`, encodeURIComponent(value))
  }
  const response = await fetch(`${url}${filled}?${query}`.replace(`0x${'ab'.repeat(20)}`, hash), {
    method,
    redirect: 'manual',
    headers: {
      ...(name === 'platform' && { authorization: `Bearer ${token}` }),
      ...(name === 'app' && { 'x-api-key': DEVELOPMENT_KEY }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && method !== 'GET' && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  const text = await response.text()
  const { status } = response
  if (status < 500 || status === NOT_IMPLEMENTED) return String(status)
  return `failed with ${status}: ${text.slice(0, 200)}`
}

/** The status of each unary method of the hub with NUL in all texts of its request. */
async function grpcAnswers(world: World): Promise<[string, string][]> {
  const client = rawClient(world.app.urls.grpc)
  try {
    const found: [string, string][] = []
    for (const { name, kind, input } of grpcMethods) {
      const texts = input.fields.filter(
        ({ scalar, fieldKind }) => fieldKind === 'scalar' && scalar === 9,
      )
      if (kind !== 'unary' || texts.length === 0) continue
      const request = Object.fromEntries(texts.map(({ localName }) => [localName, WITH_NUL]))
      const bytes = toBinary(
        input as DescMessage,
        create(input as DescMessage, { fid: 1n, ...request } as Record<string, unknown>),
      )
      const { status } = await client.call(name, bytes)
      found.push([
        `grpc ${name}`,
        GRPC_FAILURES.has(status) ? `failed with ${status}` : String(status),
      ])
    }
    return found
  } finally {
    client.close()
  }
}
