// `rookery/client` against the running program: every operation has its types, and a whole story needs nothing else.

import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import * as client from 'rookery/client'
import { encodeAbiParameters } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { cliCalls } from '../scripts/cli-calls.ts'
import { clientTypes, faultType } from '../scripts/client-types.ts'
import { documentsOf } from '../scripts/documents.ts'
import { ask } from '../src/cli/client.ts'
import { Failure } from '../src/cli/failure.ts'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { bytes, hex, inWorld, onEngines } from './hub-support.ts'
import { PATIENCE_MS } from './patience.ts'
import { ROOT } from './program.ts'
import type { World } from './world.ts'

const GENERATED = join(ROOT, 'src/client/generated')
const POLL_MS = 20
const VIEWS = { env: { ROOKERY_VIEWS: 'on' } }

inWorld(
  'the types of rookery/client',
  (world) => {
    test('the types are those of the documents that the server gives', async () => {
      const documents = await documentsOf(world().app)
      for (const [file, text] of Object.entries(await clientTypes(documents))) {
        const committed = readFileSync(join(GENERATED, file), 'utf8')
        assert.ok(committed === text, `${file} is stale: npm run generate -- client`)
      }
      const calls = readFileSync(join(ROOT, 'src/cli/generated/calls.ts'), 'utf8')
      assert.ok(calls === cliCalls(documents), 'calls.ts is stale: npm run generate -- client')
      const fault = readFileSync(join(ROOT, 'src/testing/generated/fault.ts'), 'utf8')
      assert.ok(fault === (await faultType()), 'fault.ts is stale: npm run generate -- client')
      assert.ok(Object.keys(documents).length >= 6)
      for (const [name, { paths }] of Object.entries(documents)) {
        const text = readFileSync(join(GENERATED, `${name}.ts`), 'utf8')
        for (const path of Object.keys(paths)) {
          const { length } = Object.keys(paths[path])
          assert.equal(text.split(`    '${path}': {\n`).length - 1, length, `${name} ${path}`)
        }
      }
    })
  },
  VIEWS,
)

onEngines(
  'rookery/client',
  (world) => {
    const at = (name: 'hub' | 'registry' | 'platform' | 'accounts') => {
      return { url: `${world().app.urls.web}/${name}` }
    }
    const now = () => networkTime(world().clock.now())

    test('a newcomer registers, takes a name, posts, is liked and is found in a feed', async () => {
      const fid = await register(world())
      const hub = client.createHub(at('hub'))
      const { network } = await hub.get('/v1/info')
      const author = { fid, network: network as client.NetworkName, timestamp: now() }
      const signer = await client.keySigner(KEY.seed)
      const submit = async (body: client.MessageBody) => {
        const signed = await client.signMessage(body, author, signer)
        const message = await hub.post('/v1/submitMessage', signed.bytes)
        assert.equal(message.hash, signed.hash)
        return message
      }
      await takeName(world(), fid)
      await submit(client.userData('username', NAME))
      const cast = await submit(client.castAdd({ text: 'made with rookery/client' }))
      await submit(client.reactionAdd('like', { fid, hash: cast.hash }))
      await submit(client.linkAdd('follow', fid + 1))
      const page = await hub.get('/v1/castsByFid', { fid, pageSize: 1, reverse: true })
      assert.deepEqual(page.messages, [cast])
      await assertInFeed(world(), fid, cast.hash)
      await submit(client.castRemove(cast.hash))
      await assert.rejects(hub.get('/v1/castById', { fid, hash: cast.hash }), { status: 404 })
    })

    test('a stream of events continues after the last one that was seen', async () => {
      const author = await world().account(50)
      const signer = await client.keySigner(author.seed)
      const hub = client.createHub(at('hub'))
      const post = async (text: string) => {
        const origin = { fid: 50, network: 'devnet', timestamp: now() } as const
        const { bytes } = await client.signMessage(client.castAdd({ text }), origin, signer)
        return hub.post('/v1/submitMessage', bytes)
      }
      const stop = new AbortController()
      const { signal } = stop
      const input = { event_types: 'MERGE_MESSAGE', fids: '50' }
      const told = client.follow(
        hub,
        '/v1/events/stream',
        { ...input, from_event_id: 0 },
        { signal },
      )
      const first = await post('first')
      const seen = (await told.next()).value!
      assert.equal(seen.data.mergeMessageBody.message.hash, first.hash)
      await told.return()
      const second = await post('second')
      const rest = client.follow(hub, '/v1/events/stream', input, { signal, lastEventId: seen.id! })
      const next = (await rest.next()).value!
      assert.equal(next.data.mergeMessageBody.message.hash, second.hash)
      stop.abort()
      assert.deepEqual(await rest.next(), { value: undefined, done: true })
    })

    test('a refusal has the status, the code, the field and the request id', async () => {
      const hub = client.createHub(at('hub'))
      const refused = await failure(hub.get('/v1/castById', { fid: 1, hash: '0x12' }))
      assert.deepEqual(
        [refused.status, refused.code, refused.field],
        [400, 'bad_request.validation_failure', 'hash'],
      )
      assert.match(refused.requestId!, /\S/)
      assert.match(refused.message, /hash/)
      const platform = client.createPlatform({ ...at('platform'), credentials: { bearer: 'x' } })
      const body = { channelId: 'a' }
      const unknown = await failure(platform.post('/fc/channel-follows', body))
      assert.deepEqual([unknown.status, unknown.code], [401, 'unauthenticated'])
      const app = client.createApp({ url: `${world().app.urls.web}/app` })
      const noKey = await failure(app.get('/v2/farcaster/user/bulk', { fids: '1' }))
      assert.deepEqual([noKey.status, noKey.code], [401, 'Unauthorized'])
    })
  },
  () => VIEWS,
)

test('a read is repeated as Retry-After says, and a write never', async (t) => {
  const server = await answering(t, [503, 429, 200, 503])
  const hub = client.createHub({ url: server.url })
  assert.deepEqual(await hub.get('/v1/fids'), { fids: [] })
  assert.deepEqual(server.asked, ['GET', 'GET', 'GET'])
  const refused = await failure(hub.post('/v1/submitMessage', bytes(3, 1)))
  assert.deepEqual([refused.status, refused.retryAfterSeconds], [503, 0])
  assert.equal(server.asked.length, 4)
})

test('a read is given up when the retries are used up or the wait is too long', async (t) => {
  const server = await answering(t, [503, 503, 503])
  const hub = client.createHub({ url: server.url, retries: 1 })
  assert.equal((await failure(hub.get('/v1/fids'))).status, 503)
  assert.equal(server.asked.length, 2)
  const patient = await answering(t, [503], '31')
  const error = await failure(client.createHub({ url: patient.url }).get('/v1/fids'))
  assert.equal(error.retryAfterSeconds, 31)
})

test('an abort, a timeout and a server that is not there are told apart without AbortSignal.any', async (t) => {
  const { any, timeout } = AbortSignal
  // As in React Native.
  for (const name of ['any', 'timeout']) Reflect.deleteProperty(AbortSignal, name)
  t.after(() => Object.assign(AbortSignal, { any, timeout }))
  const server = await answering(t, ['never'])
  const hub = client.createHub({ url: server.url })
  const stop = new AbortController()
  const call = hub.get('/v1/fids', {}, { signal: stop.signal })
  stop.abort(new Error('changed my mind'))
  await assert.rejects(call, /changed my mind/)
  await assert.rejects(hub.get('/v1/fids', {}, { signal: stop.signal }), /changed my mind/)
  const hurried = client.createHub({ url: server.url, timeoutMs: 20 })
  assert.equal((await failure(hurried.get('/v1/fids'))).code, 'timeout')
  await server.close()
  const error = await failure(hub.get('/v1/fids'))
  assert.deepEqual([error.status, error.code], [0, 'network_failure'])
})

test('a request leaves no timer and no listener, whether it is answered, refused or given up', async (t) => {
  const set = t.mock.method(globalThis, 'setTimeout')
  const clear = t.mock.method(globalThis, 'clearTimeout')
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>()
  const answers = [
    async () => new Response('{"fids":[]}', { headers: { 'content-type': 'application/json' } }),
    async () => new Response('{}', { status: 400 }),
    (signal: AbortSignal) =>
      new Promise<Response>((_, reject) => {
        const refuse = () => reject(signal.reason)
        signal.addEventListener('abort', refuse, { once: true })
        // As fetch does: a signal that is aborted already sends no event.
        if (signal.aborted) refuse()
        asked()
      }),
    async () => new Response('id: 1\ndata: {}\n\n'),
  ]
  const given = { signal: new AbortController().signal }
  const stop = new AbortController()
  const hub = client.createHub({
    url: 'http://127.0.0.1:1',
    fetch: async (_, init) => answers.shift()!(init!.signal!),
  })
  await hub.get('/v1/fids', {}, given)
  await failure(hub.get('/v1/fids', {}, given))
  const leaving = hub.get('/v1/fids', {}, { signal: stop.signal })
  await isAsked
  stop.abort(new Error('enough'))
  await assert.rejects(leaving, /enough/)
  let events = 0
  for await (const { id } of client.follow(
    hub,
    '/v1/events/stream',
    {},
    { ...given, once: true },
  )) {
    assert.equal(id, '1')
    events++
  }
  assert.equal(events, 1)
  assert.ok(set.mock.callCount() >= 4)
  const cleared = clear.mock.calls.map(({ arguments: [timer] }) => timer)
  for (const {
    arguments: [, ms],
    result,
  } of set.mock.calls) {
    assert.ok(ms! <= 60_000 && cleared.includes(result), `a timer of ${ms} ms is left`)
  }
  for (const one of [given.signal, stop.signal]) {
    assert.equal(getEventListeners(one, 'abort').length, 0)
  }
})

for (const status of [200, 400]) {
  test(`an answer ${status} of which half comes is no answer, and an abort keeps its reason`, async (t) => {
    const { url } = await answeringHalf(t, status)
    const { origin } = new URL(url)
    const late = client.createHub({ url: `${url}/stalls`, timeoutMs: 50 })
    const timeout = await failure(late.get('/v1/fids'))
    assert.deepEqual([timeout.status, timeout.code], [0, 'timeout'])
    const isLate = `${origin} did not end its answer in time: what was asked for may be done`
    assert.equal(timeout.message, isLate)
    const broken = client.createHub({ url: `${url}/breaks` })
    const lost = await failure(broken.get('/v1/fids'))
    assert.deepEqual([lost.status, lost.code], [0, 'network_failure'])
    const says = `${origin} broke off while its answer was read: what was asked for may be done`
    assert.equal(lost.message, says)
    const stop = new AbortController()
    const left = client.createHub({
      url: `${url}/stalls`,
      fetch: async (...args) => {
        const response = await fetch(...args)
        setImmediate(() => stop.abort(new Error('enough')))
        return response
      },
    })
    await assert.rejects(left.get('/v1/fids', {}, { signal: stop.signal }), /^Error: enough$/)
    const request = { method: 'get', path: '', input: undefined } as const
    for (const [end, timeoutMs, why] of [
      ['stalls', 50, /cannot be reached \(timed out\)/],
      ['breaks', PATIENCE_MS, /broke off while its answer was read: .* \(connection closed\)$/],
    ] as const) {
      await assert.rejects(ask({ url: `${url}/${end}`, timeoutMs }, request), (error: Error) => {
        assert.ok(error instanceof Failure, String(error))
        return why.test(error.message)
      })
    }
  })
}

test('a stream whose headers do not come, or whose refusal stalls, has the time of a silent one', async (t) => {
  const hubs = [await answering(t, ['never']), await answeringHalf(t, 503)]
  for (const { url } of hubs) {
    const hub = client.createHub({ url: `${url}/stalls` })
    const events = client.follow(hub, '/v1/events/stream', {}, { once: true, maxSilenceMs: 50 })
    assert.equal((await failure(events.next())).code, 'timeout')
  }
})

test('a stream whose silence has no limit waits for its next event', async (t) => {
  let stream: ServerResponse | undefined
  const server = createServer((request, response) => {
    if (request.url !== '/next') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void response.write('id: 1\ndata: {}\n\n')
    }
    stream!.end('id: 2\ndata: {}\n\n')
    response.end()
  })
  const { url } = await listening(t, server)
  const given = { once: true, maxSilenceMs: Number.POSITIVE_INFINITY }
  const ids: unknown[] = []
  for await (const { id } of client.follow(
    client.createHub({ url }),
    '/v1/events/stream',
    {},
    given,
  )) {
    ids.push(id)
    if (id === '1') setTimeout(() => void fetch(`${url}/next`), 20)
  }
  assert.deepEqual(ids, ['1', '2'])
})

test('without Web Crypto a key is refused in words that say what to give', async (t) => {
  const { crypto } = globalThis
  Object.defineProperty(globalThis, 'crypto', { value: {}, configurable: true })
  t.after(() => Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true }))
  await assert.rejects(
    client.keySigner(`0x${'11'.repeat(32)}`),
    /no Web Crypto here .*give a signer/,
  )
})

/** A server that answers one status after the other; `never` leaves the request open. */
async function answering(
  t: { after(end: () => Promise<void>): void },
  statuses: readonly (number | 'never')[],
  retryAfter = '0',
) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const status = statuses[Math.min(asked.length, statuses.length - 1)]!
    asked.push(request.method!)
    if (status === 'never') return
    const headers = { 'content-type': 'application/json', 'retry-after': retryAfter }
    response.writeHead(status, headers).end('{"fids":[]}')
  })
  return { ...(await listening(t, server)), asked }
}

async function listening(t: { after(end: () => Promise<void>): void }, server: Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  t.after(close)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

/** A server that begins an answer, and ends it before its time below `/breaks`. */
async function answeringHalf(t: { after(end: () => Promise<void>): void }, status: number) {
  const server = createServer((request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': 100 })
    response.write('{"half', () => {
      if (request.url!.startsWith('/breaks')) response.destroy()
    })
  })
  return listening(t, server)
}

async function failure(call: Promise<unknown>): Promise<client.RookeryError> {
  const error = await call.then(
    () => undefined,
    (error) => error,
  )
  assert.ok(error instanceof client.RookeryError, String(error))
  return error
}

const WALLET = privateKeyToAccount(hex(bytes(32, 77)) as `0x${string}`)
const KEY = { seed: bytes(32, 78) }
const NAME = 'newcomer'

/** A fid with a key, made as an app in a browser does it: the server says what a wallet signs. */
async function register(world: World): Promise<number> {
  const accounts = client.createAccounts({ url: `${world.app.urls.web}/accounts` })
  const { structs } = await accounts.get('/v1/domains')
  const deadline = Math.floor(world.clock.now() / 1000) + 600
  const { address } = WALLET
  const sign = (primaryType: string, message: Record<string, unknown>) => {
    const { domain, types } = structs[primaryType]!
    const whole = { ...message, deadline: BigInt(deadline) }
    return WALLET.signTypedData({ domain, types, primaryType, message: whole } as never)
  }
  const to = { to: address, recovery: `0x${'00'.repeat(20)}` }
  const signature = await sign('Register', { ...to, nonce: 0n })
  const { fid } = await accounts.post('/v1/registerFor', { ...to, deadline, signature })
  const key = hex((await client.keySigner(KEY.seed)).publicKey as Uint8Array)
  const request = await sign('SignedKeyRequest', { requestFid: BigInt(fid), key })
  const metadata = encodeAbiParameters(KEY_REQUEST, [
    {
      requestFid: BigInt(fid),
      requestSigner: address,
      signature: request,
      deadline: BigInt(deadline),
    },
  ])
  const { nonce } = await accounts.get('/v1/nonce', { contract: 'keyGateway', address })
  const added = { owner: address, keyType: 1, key, metadataType: 1, metadata }
  const approval = await sign('Add', { ...added, nonce: BigInt(nonce) })
  await accounts.post('/v1/addFor', { ...added, deadline, signature: approval })
  return fid
}

const KEY_REQUEST = [
  {
    type: 'tuple',
    components: [
      { name: 'requestFid', type: 'uint256' },
      { name: 'requestSigner', type: 'address' },
      { name: 'signature', type: 'bytes' },
      { name: 'deadline', type: 'uint256' },
    ],
  },
] as const

async function takeName(world: World, fid: number): Promise<void> {
  const registry = client.createRegistry({ url: `${world.app.urls.web}/registry` })
  assert.equal((await registry.get('/availability', { name: NAME })).status, 'free')
  const { domain, types } = (await registry.get('/domains')).structs.UserNameProof!
  const timestamp = Math.floor(world.clock.now() / 1000)
  const message = { name: NAME, timestamp: BigInt(timestamp), owner: WALLET.address }
  const struct = { domain, types, primaryType: 'UserNameProof', message }
  const signature = await WALLET.signTypedData(struct as never)
  const change = { name: NAME, from: 0, to: fid, fid, owner: WALLET.address, timestamp, signature }
  const { transfer } = await registry.post('/transfers', change)
  assert.equal(transfer.username, NAME)
}

/** Views are brought up to date in the background. */
async function assertInFeed(world: World, fid: number, hash: string): Promise<void> {
  const app = client.createApp({
    url: `${world.app.urls.web}/app`,
    credentials: { key: DEVELOPMENT_KEY },
    retries: 20,
  })
  for (;;) {
    const { casts } = await app.get('/v2/farcaster/feed/user/casts', { fid, viewer_fid: fid })
    const found = casts.find((cast) => cast.hash === hash)
    if (found?.reactions.likes_count === 1 && found.author.username === NAME) return
    await delay(POLL_MS)
  }
}
