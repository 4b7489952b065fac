// The longest input that is accepted, of the kind that is worst for parsers, for every regular expression, every
// operation of every interface and every gRPC method: none costs much more than a harmless input of its length.

import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { MAX_READ_REQUEST_BYTES } from '../src/kernel/grpc/price.ts'
import { JSON_BODY_LIMIT_BYTES } from '../src/kernel/http/input/body.ts'
import { bytesField } from '../src/kernel/protocol/codec/wire-write.ts'
import { sendHttp } from './defences/fuzz.ts'
import { grpcMethods, type Operation, operationsOf, type Schema } from './defences/operations.ts'
import { hostileTexts, type Pattern, patternsOfSources } from './defences/patterns.ts'
import { effort, LONG } from './effort.ts'
import { type RawClient, rawClient } from './grpc-support.ts'
import { processorSlowness } from './patience.ts'
import { createWorld, type World } from './world.ts'

/** Request line and headers together may have 16 KiB, a body 1 MiB. */
const HEAD_CHARACTERS = 15_500
const BODY_BYTES = 1024 * 1024
/** Half of the longest text is enough to tell linear from quadratic, as a test below shows. */
const PATTERN_CHARACTERS = effort(HEAD_CHARACTERS / 2, HEAD_CHARACTERS)
/** The median of so many harmless ones is what the others are measured by. */
const HARMLESS_RUNS = effort(5, 9)
/** An input may cost so many times what a harmless one of its length costs, and so many milliseconds of the usual machine. */
const MAX_RATIO = 20
const SLACK_MS = 10
/** A measurement that is disturbed by the collector or the compiler is repeated. */
const ATTEMPTS = 8

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

async function cpuOf(work: () => unknown): Promise<number> {
  const begun = cpuMs()
  await work()
  return cpuMs() - begun
}

/** The least CPU time of several attempts, as soon as one is within the bound. */
async function leastCpuOf(work: () => unknown, boundMs: number, attempts: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < attempts && least > boundMs; attempt++) {
    least = Math.min(least, await cpuOf(work))
  }
  return least
}

const median = (list: number[]): number => list.sort((a, b) => a - b)[list.length >> 1]!

/** What an input may cost. Other programs slow a processor down, so it is measured again before an input is blamed. */
class Bound {
  readonly #harmless: () => unknown
  #ms: number | undefined

  constructor(harmless: () => unknown) {
    this.#harmless = harmless
  }

  /** Says how much too expensive work is; undefined when it is not. */
  async exceededBy(work: () => unknown, attempts = ATTEMPTS): Promise<string | undefined> {
    this.#ms ??= await this.#measure()
    if ((await leastCpuOf(work, this.#ms, attempts)) <= this.#ms) return undefined
    this.#ms = Math.max(this.#ms, await this.#measure())
    const ms = await leastCpuOf(work, this.#ms, attempts)
    if (ms <= this.#ms) return undefined
    return `${Math.round(ms)} ms of CPU, over ${Math.round(this.#ms)}`
  }

  async #measure(): Promise<number> {
    const times: number[] = []
    for (let i = 0; i < HARMLESS_RUNS; i++) times.push(await cpuOf(this.#harmless))
    return MAX_RATIO * median(times) + SLACK_MS * Math.max(1, processorSlowness())
  }
}

async function checkPatterns(
  patterns: readonly Pattern[],
  length: number,
  attempts = ATTEMPTS,
): Promise<string[]> {
  const harmless = 'x'.repeat(length)
  const bound = new Bound(() => /^(?:[a-w]+)$/.test(harmless))
  const faults: string[] = []
  for (const { where, regex } of patterns) {
    for (const text of hostileTexts(regex, length, 1)) {
      const replace = () => {
        regex.lastIndex = 0
        text.replace(regex, '')
      }
      const excess = await bound.exceededBy(replace, attempts)
      if (excess === undefined) continue
      faults.push(`${where} takes ${excess}, for ${JSON.stringify(text.slice(0, 60))}…`)
      break
    }
  }
  return faults
}

test('security finding 2: no regular expression of the sources takes long for the longest hostile text', async () => {
  const literals = patternsOfSources()
  assert.ok(literals.length > 100, `${literals.length} expressions`)
  assert.deepEqual(await checkPatterns(literals, PATTERN_CHARACTERS), [])
})

test('security finding 2: the expressions above would fail if one of them backtracked', async () => {
  const hostile = [/=+$/, /^(a+)+$/, /^\s+|\s+$/g, /(\w+\.)*@/].map((regex) => ({
    where: String(regex),
    regex,
  }))
  for (const one of hostile.filter(({ regex }) => regex.source !== '^(a+)+$')) {
    assert.equal((await checkPatterns([one], PATTERN_CHARACTERS, 1)).length, 1, one.where)
  }
  // An exponential one would not come back from the full length.
  assert.equal((await checkPatterns([hostile[1]!], 26, 1)).length, 1)
})

/** Texts that are long and mean something to a parser. */
const units = [
  '=',
  '0',
  'a',
  '-',
  '.',
  ',',
  '%25',
  '%F0',
  '1,',
  '0x',
  ':',
  '/',
  '+',
  '[',
  '%00',
  'a=',
]
const longText = (unit: string, length: number) => unit.repeat(length / unit.length)
const longTexts = units.map((unit) => `${longText(unit, HEAD_CHARACTERS - 700)}!`)
/** Two of the texts for the nth parameter, so that every text meets many parameters; all of them in the long run. */
const textsFor = (n: number) =>
  LONG ? longTexts : [longTexts[0]!, longTexts[1 + (n % (longTexts.length - 1))]!]

const LONG_BODY = BODY_BYTES - 200
const LONG_JSON = JSON_BODY_LIMIT_BYTES - 200
/** One unknown field, and one unknown key. */
const harmlessBytes = (length: number) => Buffer.from(bytesField(15, Buffer.alloc(length, 'x')))
const HARMLESS_JSON = Buffer.from(JSON.stringify({ x: 'x'.repeat(LONG_JSON) }))

describe('operations with the longest inputs', () => {
  let world: World
  let operations: Operation[]
  let token: string
  let grpc: RawClient
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  before(async () => {
    world = await createWorld({ env: { ROOKERY_VIEWS: 'on' } })
    const [account] = await world.accounts([1, 2, 3])
    token = world.token(account!)
    operations = await operationsOf(world.app)
    const names = new Set(operations.map((one) => one.interface))
    const interfaces = Object.keys(world.app.urls).filter((name) => name !== 'grpc')
    assert.deepEqual([...names].sort(), interfaces.sort())
    grpc = rawClient(world.app.urls.grpc)
  })
  after(async () => {
    agent.destroy()
    grpc.close()
    await world.close()
  })

  const request = (
    operation: Operation,
    parts: { query?: string; headers?: object; body?: Buffer },
  ) =>
    sendHttp(agent, {
      url: `${operation.url}${operation.path.replace(/\{\w+\}/g, '1')}${parts.query ?? ''}`,
      method: operation.method,
      headers: { authorization: `Bearer ${token}`, 'x-api-key': DEVELOPMENT_KEY, ...parts.headers },
      body: parts.body,
      isEndless: operation.isEndless,
    })

  /** Sends what `inputs` gives and collects those beyond the bound. */
  async function faultsOf(
    inputs: Iterable<{ readonly what: string; send(): Promise<unknown> }>,
    bound: Bound,
  ): Promise<string[]> {
    const faults: string[] = []
    for (const { what, send } of inputs) {
      const excess = await bound.exceededBy(send)
      if (excess !== undefined) faults.push(`${what}: ${excess}`)
    }
    return faults
  }

  test('security finding 2: no parameter or header of any operation makes a request expensive', async () => {
    const plain = operations.find(({ path }) => path === '/v1/info')!
    const harmless = `?x=${'x'.repeat(HEAD_CHARACTERS - 700)}`
    const bound = new Bound(() => request(plain, { query: harmless }))
    const inputs = operations.flatMap((operation, i) => [
      ...operation.parameters.flatMap((parameter, k) =>
        textsFor(i + k).map((text) => ({
          what: `${operation.method} ${operation.path} ${parameter.name}=${text.slice(0, 10)}`,
          send: () => {
            if (parameter.in !== 'path')
              return request(operation, queryOf(operation, parameter.name, text))
            const path = operation.path.replace(`{${parameter.name}}`, text)
            return request({ ...operation, path }, {})
          },
        })),
      ),
      ...[
        'authorization',
        'last-event-id',
        'if-none-match',
        'content-type',
        'origin',
        'x-request-id',
      ]
        .filter((_, k) => LONG || (i + k) % 3 === 0)
        .map((header) => ({
          what: `${operation.method} ${operation.path} with a long ${header}`,
          send: () =>
            request(operation, {
              headers: { [header]: `Bearer ${longText('a.', HEAD_CHARACTERS - 800)}` },
            }),
        })),
      {
        what: `${operation.method} ${operation.path} with many parameters`,
        send: () => request(operation, { query: `?${longText('a=&', HEAD_CHARACTERS - 700)}` }),
      },
    ])
    assert.ok(inputs.length > 700, `${inputs.length} inputs`)
    assert.deepEqual(await faultsOf(inputs, bound), [])
  })

  test('security finding 4: no body of any operation makes a request expensive', async () => {
    // Operators are trusted: without their token nothing of a body is read.
    const withBody = operations.filter(
      (one) => one.interface !== 'operations' && (one.json || one.takesOctets),
    )
    const send = (operation: Operation, body: Buffer) => {
      const type = operation.takesOctets ? 'application/octet-stream' : 'application/json'
      return request(operation, { headers: { 'content-type': type }, body })
    }
    for (const takesOctets of [false, true]) {
      const some = withBody.filter((one) => one.takesOctets === takesOctets)
      const harmless = takesOctets ? harmlessBytes(LONG_BODY) : HARMLESS_JSON
      const bound = new Bound(() => send(some[0]!, harmless))
      const inputs = some.flatMap((operation) =>
        [...(takesOctets ? hostileBytes(LONG_BODY) : hostileJson(operation.json))].map(
          ({ what, body }) => ({
            what: `${operation.method} ${operation.path} with ${what}`,
            send: () => send(operation, body),
          }),
        ),
      )
      assert.ok(inputs.length >= (takesOctets ? 15 : 100), `${inputs.length} inputs`)
      assert.deepEqual(await faultsOf(inputs, bound), [])
    }
  })

  test('security finding 4: no request makes a gRPC method expensive', async () => {
    const unary = grpcMethods.filter(({ kind }) => kind === 'unary')
    for (const takesMessages of [true, false]) {
      const names = unary
        .map(({ name }) => name)
        .filter((name) => /^(?:Submit|Validate)/.test(name) === takesMessages)
      const bytes = takesMessages ? LONG_BODY : MAX_READ_REQUEST_BYTES
      const bound = new Bound(() => grpc.call(names[0]!, harmlessBytes(bytes - 10)))
      const inputs = names.flatMap((name) =>
        [...hostileBytes(bytes)].map(({ what, body }) => ({
          what: `${name} with ${what}`,
          send: () => grpc.call(name, body),
        })),
      )
      assert.ok(inputs.length >= (takesMessages ? 15 : 200), `${inputs.length} inputs`)
      assert.deepEqual(await faultsOf(inputs, bound), [])
    }
  })
})

/** The other required parameters have values that may be right. */
function queryOf({ parameters }: Operation, name: string, text: string): { query: string } {
  const others = parameters
    .filter((one) => one.in === 'query' && one.required && one.name !== name)
    .map((one) => `${one.name}=${one.schema.type === 'boolean' ? 'true' : '1'}`)
  return { query: `?${[...others, `${name}=${text}`].join('&')}` }
}

/** Protobuf that is long in every way it can be: fields, nested messages, varints, packed numbers. */
function* hostileBytes(length: number): Generator<{ what: string; body: Buffer }> {
  const filled = (...unit: number[]) => Buffer.alloc(length, Buffer.from(unit))
  yield { what: 'zeros', body: filled(0) }
  yield { what: 'empty messages', body: filled(0x0a, 0x00) }
  yield { what: 'numbers', body: filled(0x08, 0x01) }
  yield { what: 'unknown fields', body: filled(0x78, 0x01) }
  yield { what: 'a varint without end', body: filled(0x80) }
  if (LONG) {
    yield { what: 'groups', body: filled(0x0b) }
    yield { what: 'strings', body: filled(0x12, 0x01, 0x61) }
    yield { what: 'invalid UTF-8', body: filled(0x12, 0x01, 0xff) }
  }
}

/** JSON that is long in every way it can be, in every place where the schema takes something. */
function* hostileJson(schema: Schema): Generator<{ what: string; body: Buffer }> {
  const texts = { brackets: longText('[', LONG_JSON), digits: longText('1', LONG_JSON) }
  for (const [what, text] of Object.entries(texts)) yield { what, body: Buffer.from(text) }
  yield { what: 'nested objects', body: Buffer.from(longText('{"a":', LONG_JSON)) }
  const keys = Array.from({ length: LONG_JSON / 14 }, (_, i) => `"k${i}":0`)
  yield { what: 'many keys', body: Buffer.from(`{${keys.join(',')}}`) }
  yield { what: 'escapes', body: Buffer.from(`"${longText('\\u0000', LONG_JSON)}"`) }
  const properties = Object.entries<Schema>(schema.properties ?? {})
  const required = Object.fromEntries(properties.map(([name, one]) => [name, harmlessValue(one)]))
  for (const [name, property] of LONG ? properties : properties.slice(0, 4)) {
    const value = property.type === 'array' ? '[1,' : '0x'
    const long =
      property.type === 'array'
        ? Array(Math.floor(LONG_JSON / 8)).fill(harmlessValue(property.items ?? {}))
        : longText(value, LONG_JSON)
    const body = Buffer.from(JSON.stringify({ ...required, [name]: long })).subarray(0, LONG_JSON)
    yield { what: `a long ${name}`, body }
  }
}

function harmlessValue({ type, enum: words }: Schema): unknown {
  if (words) return words[0]
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  return type === 'array' ? [] : type === 'object' ? {} : '0x'
}
