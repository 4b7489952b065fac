// What a mini app may post to the page around it, and what it gets back. No browser: the rules know no window.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { METHODS } from '../web/frame/methods.ts'
import { MAX_MESSAGE_CHARACTERS, plainFault } from '../web/frame/plain.ts'
import { type Call, createWire, type Refused } from '../web/frame/wire.ts'
import { randomFrom, runSeed } from './random.ts'
import { until } from './until.ts'

const ORIGIN = 'https://app.example'
const APP = { window: 'of the app' }

// biome-ignore lint/suspicious/noExplicitAny: messages of any shape
type Json = any

function start(onCall?: (call: Call, wire: ReturnType<typeof createWire>) => void) {
  const posted: Json[] = []
  const calls: Call[] = []
  const refused: Refused[] = []
  const clock = { ms: 0 }
  const wire: ReturnType<typeof createWire> = createWire({
    source: APP,
    origin: ORIGIN,
    post: (message) => posted.push(message),
    onCall: (call) => {
      calls.push(call)
      onCall?.(call, wire)
    },
    onRefused: (one) => refused.push(one),
    now: () => clock.ms,
  })
  const say = (data: unknown, at: { source?: unknown; origin?: string } = {}) =>
    wire.receive({ source: APP, origin: ORIGIN, ...at, data })
  return { wire, say, posted, calls, refused, clock }
}

const apply = (id: string, name: string, ...args: unknown[]) => ({
  id,
  type: 'APPLY',
  path: [name],
  argumentList: args.map((value) => ({ type: 'RAW', value })),
})
const reasonOf = (message: Json): string => message.value?.value?.message

describe('the wire of a mini app', () => {
  it('messages of another window or another origin are neither run nor answered', () => {
    const { say, posted, calls } = start()
    const call = apply('1', 'close')
    say(call, { source: {} })
    say(call, { source: null })
    for (const origin of ['https://app.example.evil.example', 'http://app.example', 'null', '']) {
      say(call, { origin })
    }
    assert.deepEqual([posted, calls], [[], []])
    say(call)
    assert.equal(calls.length, 1)
  })

  it('every refused call is answered with the reason', () => {
    const { say, posted, calls } = start()
    const cases: [object, RegExp][] = [
      [apply('a', 'steal'), /host\.steal is not a function/],
      [apply('b', '__proto__'), /is not a function/],
      [apply('c', 'constructor'), /is not a function/],
      [{ id: 'd', type: 'GET', path: ['keys'] }, /no property keys/],
      [{ id: 'e', type: 'SET', path: ['context'], value: 1 }, /answers GET of context/],
      [{ id: 'f', type: 'CONSTRUCT', path: ['close'] }, /answers GET of context/],
      [{ id: 'g', type: 'ENDPOINT' }, /answers GET of context/],
      [{ id: 'h', type: 'GET', path: ['context', 'user'] }, /no property/],
      [{ id: 'i' }, /answers GET of context/],
      [
        { ...apply('j', 'close'), argumentList: [{ type: 'HANDLER', name: 'proxy', value: 1 }] },
        /plain values/,
      ],
      [{ ...apply('k', 'close'), argumentList: 7 }, /plain values/],
      [apply('l', 'viewProfile', { fid: -1 }), /argument 1\.fid must be a fid/],
      [apply('m', 'viewProfile'), /argument 1 must be an object/],
      [apply('n', 'setPrimaryButton', { text: 'x'.repeat(33) }), /at most 32 characters/],
      [apply('o', 'composeCast', { embeds: ['a', 'b', 'c'] }), /a list of at most 2/],
      [apply('p', 'openUrl', `https://a.example/${'x'.repeat(1_024)}`), /at most 1024 characters/],
      [apply('q', 'ready', { at: new Date() }), /values that JSON does not have/],
      [apply('r', 'ready', { list: 'x'.repeat(MAX_MESSAGE_CHARACTERS) }), /longer than 65536/],
      [apply('s', 'impactOccurred', ['light']), /one of light, medium/],
    ]
    for (const [message, reason] of cases) {
      say(message)
      const last = posted.at(-1)
      assert.deepEqual([last.id, last.type, last.name], [(message as Json).id, 'HANDLER', 'throw'])
      assert.match(reasonOf(last), reason)
    }
    assert.equal(posted.length, cases.length)
    assert.deepEqual(calls, [])
  })

  it('a message without an id of its own is ignored, because nobody waits for the answer', () => {
    const { say, posted } = start()
    for (const data of [null, 'text', 7, {}, { id: 7 }, { id: '' }, { id: 'x'.repeat(129) }, []]) {
      say(data)
    }
    assert.deepEqual(posted, [])
  })

  it('an app may call 50 times in a second and have 20 calls open', () => {
    const { wire, say, posted, calls, clock } = start()
    for (let i = 0; i < 25; i++) say(apply(`w${i}`, 'signIn', { nonce: 'abcdefgh' }))
    assert.equal(calls.length, 20)
    assert.match(reasonOf(posted.at(-1)), /20 calls are not answered/)
    for (const { id } of calls) wire.answer(id, {})
    for (let i = 0; i < 30; i++) say(apply(`x${i}`, 'close'))
    assert.match(reasonOf(posted.at(-1)), /more than 50 calls in a second/)
    clock.ms = 1_000
    for (const { id } of calls) wire.answer(id, {})
    say(apply('y', 'close'))
    assert.equal(calls.at(-1)?.id, 'y')
  })

  it('a call that the user does not answer in five minutes is answered', () => {
    const { wire, say, posted, clock } = start()
    say(apply('1', 'addMiniApp'))
    clock.ms = 299_999
    wire.expire()
    assert.deepEqual(posted, [])
    clock.ms = 300_000
    wire.expire()
    assert.match(reasonOf(posted[0]), /did not answer in time/)
    wire.answer('1', { result: {} })
    assert.equal(posted.length, 1)
  })

  it('the end answers what waits, and nothing comes after it', () => {
    const { wire, say, posted, calls } = start()
    say(apply('1', 'addMiniApp'))
    wire.end('the app was closed')
    say(apply('2', 'close'))
    wire.answer('1', {})
    assert.deepEqual(posted.map(reasonOf), ['the app was closed'])
    assert.equal(calls.length, 1)
  })

  it('all methods of the published SDK are known, and no other', () => {
    // As WireMiniAppHost of @farcaster/miniapp-core 0.6.0 declares them, without `context`.
    const published =
      'close ready openUrl signIn signManifest setPrimaryButton ethProviderRequest ethProviderRequestV2 eip6963RequestProvider solanaProviderRequest addFrame addMiniApp viewCast viewProfile viewToken sendToken swapToken openMiniApp composeCast requestCameraAndMicrophoneAccess impactOccurred notificationOccurred selectionChanged getCapabilities getChains updateBackState'
    assert.deepEqual(Object.keys(METHODS).sort(), published.split(' ').sort())
    assert.equal(Object.keys(METHODS).length, 26)
  })
})

test('a value is measured without reading more of it than is permitted', () => {
  const nested: Json = {}
  nested.self = nested
  assert.match(plainFault(nested)!, /JSON does not have|longer/)
  const wide = Array.from({ length: 1_000_000 }, (_, i) => i)
  assert.ok(plainFault(wide))
  assert.equal(plainFault({ a: [1, 'x', null, true, undefined, { b: {} }] }), undefined)
  for (const odd of [new Map(), new Uint8Array(3), 1n, new Error('x'), new (class A {})()]) {
    assert.match(plainFault({ odd })!, /JSON does not have/)
  }
})

test('of 100,000 random messages each id gets exactly one answer, and only declared methods run', () => {
  const seed = runSeed()
  const random = randomFrom(seed)
  const { wire, say, posted, calls, clock } = start()
  const names = [...Object.keys(METHODS), 'toString', '__proto__', 'then', '', 'context', 'bind']
  const value = (depth = 0): Json => {
    const kind = random.int(depth > 4 ? 6 : 9)
    if (kind === 0) return random.int(1e9) - 5e8
    if (kind === 1) return random.pick(['', 'x', 'ready', '\u0000', '0x', 'https://a.example/'])
    if (kind === 2) return random.pick([null, undefined, true, false, Number.NaN, 1e308])
    if (kind === 3) return random.pick([new Date(0), new Uint8Array(2), 1n, new Map([[1, 2]])])
    if (kind === 4) return 'y'.repeat(random.int(200))
    if (kind === 5) return { type: random.pick(['RAW', 'HANDLER']), value: random.int(9) }
    if (kind === 6) return Array.from({ length: random.int(4) }, () => value(depth + 1))
    return Object.fromEntries(
      Array.from({ length: random.int(4) }, () => [
        random.pick(['nonce', 'fid', 'text', 'url', 'hash', 'visible', 'method', '__proto__']),
        value(depth + 1),
      ]),
    )
  }
  const asked = new Set<string>()
  for (let i = 0; i < 100_000; i++) {
    const id = random.int(10) === 0 ? value() : `id ${i}`
    const message = random.pick([
      () => ({ ...value(4), ...apply(String(id), random.pick(names), value(), value()), id }),
      () => ({ id, type: random.pick(['GET', 'SET', 'APPLY', 'RELEASE', 7]), path: value() }),
      () => ({ id, type: 'APPLY', path: [random.pick(names)], argumentList: value() }),
      () => ({ id, type: 'GET', path: ['context'] }),
      () => value(),
    ])()
    const isOwn = random.int(20) > 0
    const { id: ownId } = message ?? {}
    if (isOwn && typeof ownId === 'string' && ownId !== '' && ownId.length <= 128) asked.add(ownId)
    say(message, isOwn ? {} : { origin: 'https://evil.example' })
    clock.ms += random.int(60)
    if (random.int(3) === 0) {
      for (const call of calls.splice(0)) {
        assert.ok(call.method === 'context' || Object.hasOwn(METHODS, call.method), `seed ${seed}`)
        if (random.int(2) === 0) wire.answer(call.id, value())
        else wire.fail(call.id, 'no')
      }
    }
  }
  wire.end('over')
  const answers = new Map<string, number>()
  for (const { id } of posted) answers.set(id, (answers.get(id) ?? 0) + 1)
  // Ids of `value()` repeat; those that count up do not.
  const unanswered = [...asked].filter((id) => !answers.has(id))
  const twice = [...answers].filter(([id, count]) => /^id \d+$/.test(id) && count !== 1)
  assert.deepEqual([unanswered, twice], [[], []], `seed ${seed}`)
  assert.ok(posted.length > 50_000, `${posted.length} answers`)
})

// The same conversation with the published host, which is the reference for the shapes of answers.

const CONTEXT = { user: { fid: 3 }, client: { clientFid: 3, added: false } }
const CONVERSATION: readonly Json[] = [
  { id: '1', type: 'GET', path: ['context'] },
  apply('2', 'ready', {}),
  apply('3', 'addFrame'),
  apply('4', 'addMiniApp'),
  apply('5', 'signIn', { nonce: 'abcdefgh', acceptAuthAddress: true }),
  apply('6', 'getCapabilities'),
  apply('7', 'getChains'),
  apply('8', 'composeCast', { text: 'Hello', embeds: [] }),
  apply('9', 'viewProfile', { fid: 3 }),
  apply('10', 'ethProviderRequestV2', { id: 1, jsonrpc: '2.0', method: 'eth_chainId' }),
  apply('11', 'setPrimaryButton', { text: 'Go' }),
  apply('12', 'openMiniApp', { url: 'https://other.example' }),
  apply('13', 'swapToken', {}),
  apply('14', 'selectionChanged'),
  apply('15', 'updateBackState', { visible: true }),
]
const SIGNED = { message: 'm', signature: '0x', authMethod: 'custody' as const }
/** The refusal of a user, as each host wants it from its handlers. */
class RejectedByUser extends Error {}

/** What both hosts do. */
const handlersWith = (Rejected: new () => Error) => ({
  ready: () => undefined,
  addMiniApp: async () => {
    throw new Rejected()
  },
  signIn: async () => SIGNED,
  getCapabilities: async () => ['actions.ready'],
  getChains: async () => ['eip155:10'],
  composeCast: async () => ({ cast: null }),
  viewProfile: async () => undefined,
  ethProviderRequestV2: async ({ id }: Json) => ({ id, jsonrpc: '2.0', result: '0xa' }),
  setPrimaryButton: () => undefined,
  openMiniApp: async () => {
    throw new Error('this server does not know other.example')
  },
  swapToken: async () => ({ success: false, reason: 'swap_failed' }),
  selectionChanged: async () => undefined,
  updateBackState: async () => undefined,
})

test('the wire and the published host answer one conversation alike', async (t) => {
  const byPublished = await answersOfPublishedHost(t)
  const { say, posted } = start(async (call, wire) => {
    if (call.method === 'context') return wire.answer(call.id, CONTEXT)
    const name = call.method === 'addFrame' ? 'addMiniApp' : call.method
    const handler = (handlersWith(RejectedByUser) as Json)[name]
    try {
      const value = await handler(...call.args)
      wire.answer(call.id, name === 'signIn' ? { result: value } : value)
    } catch (error) {
      if (error instanceof RejectedByUser)
        wire.answer(call.id, { error: { type: 'rejected_by_user' } })
      else wire.fail(call.id, (error as Error).message)
    }
  })
  for (const message of CONVERSATION) say(message)
  await until(() => posted.length === CONVERSATION.length)
  assert.deepEqual(sorted(posted), sorted(byPublished))
})

/** The package as it is published, bundled because Node does not find its files without their extensions. */
async function publishedHost(t: TestContext): Promise<Json> {
  const at = createRequire(import.meta.url).resolve('@farcaster/miniapp-host')
  const core = createRequire(at).resolve('@farcaster/miniapp-core')
  const entry = '\0entry'
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) =>
          id === entry
            ? `export { exposeToEndpoint } from ${JSON.stringify(at)}\nexport { AddMiniApp } from ${JSON.stringify(core)}`
            : null,
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  const dir = mkdtempSync(join(tmpdir(), 'rookery-host-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const file = join(dir, 'host.mjs')
  writeFileSync(file, output[0].code)
  return import(pathToFileURL(file).href)
}

async function answersOfPublishedHost(t: TestContext): Promise<Json[]> {
  const { exposeToEndpoint, AddMiniApp } = await publishedHost(t)
  const answers: Json[] = []
  let receive: ((event: Json) => void) | undefined
  exposeToEndpoint({
    endpoint: {
      postMessage: (message: Json) => answers.push(structuredClone(message)),
      addEventListener: (_: string, listener: Json) => {
        receive = listener
      },
      removeEventListener: () => {},
      emit: () => {},
      emitEthProvider: () => {},
    } as Json,
    sdk: { context: CONTEXT, ...handlersWith(AddMiniApp.RejectedByUser) },
    miniAppOrigin: ORIGIN,
  })
  for (const data of CONVERSATION) receive!({ origin: ORIGIN, data })
  await until(() => answers.length === CONVERSATION.length)
  return answers
}

/** By id, without the traces of errors, which name files. */
const sorted = (answers: readonly Json[]): Json[] =>
  answers
    .map((answer) => {
      const { stack: _, ...error } = answer.value?.value ?? {}
      return answer.name === 'throw'
        ? { ...answer, value: { ...answer.value, value: error } }
        : answer
    })
    .toSorted((a, b) => Number(a.id) - Number(b.id))
