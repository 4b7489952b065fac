// The transport of the app API: keys, limits, errors, and calls that it does not have.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { sdkSource } from '../scripts/sdk-source.ts'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { LEFT_OUT, READS, WRONG_VALUES } from './app-api-operations.ts'
import { indexed } from './indexed.ts'
import { type Answer, createWorld, enginesOf, type World } from './world.ts'

const CALL = '/v2/farcaster/topic/trending/'
const KEY = { 'x-api-key': DEVELOPMENT_KEY }

async function ask(world: World, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(world.app.urls.app + path, init)
  return { status: response.status, body: await response.json(), headers: response.headers }
}

for (const engine of enginesOf(import.meta.url)) {
  describe(`apps on ${engine}`, () => {
    let world: World
    before(async () => {
      world = await createWorld({ engine, env: { ROOKERY_VIEWS: 'on' } })
    })
    after(() => world.close())
    const codeWith = async (headers: Record<string, string>) =>
      (await ask(world, CALL, { headers })).body.code

    it('a development network knows the key development, in both headers', async () => {
      assert.equal(await codeWith(KEY), 'NotSupported')
      assert.equal(await codeWith({ api_key: DEVELOPMENT_KEY }), 'NotSupported')
    })

    it('a request without a key, or with one that is not known, gets 401', async () => {
      for (const headers of [{}, { 'x-api-key': '' }, { 'x-api-key': 'no' }, { api_key: 'x' }]) {
        const { status, body } = await ask(world, CALL, { headers })
        assert.equal(status, 401)
        assert.equal(body.code, 'Unauthorized')
      }
    })

    it('a long answer is compressed for a client that accepts it, and is the same', async () => {
      for (let fid = 1; fid <= 20; fid++) await world.account(fid)
      await indexed(world.app)
      const fids = Array.from({ length: 20 }, (_, i) => i + 1)
      const get = async (count: number, accepted: string) => {
        const url = `${world.app.urls.app}/v2/farcaster/user/bulk?fids=${fids.slice(0, count).join()}`
        const headers = { ...KEY, 'accept-encoding': accepted }
        const answer = await new Promise<IncomingMessage>((resolve, reject) =>
          request(url, { headers }, resolve).on('error', reject).end(),
        )
        return { encoding: answer.headers['content-encoding'], bytes: await buffer(answer) }
      }
      const [plain, packed] = [await get(20, 'identity'), await get(20, 'gzip, br')]
      assert.deepEqual([plain.encoding, packed.encoding], [undefined, 'gzip'])
      assert.ok(plain.bytes.length > 4_096 && packed.bytes.length < plain.bytes.length / 4)
      assert.deepEqual(gunzipSync(packed.bytes), plain.bytes)
      assert.equal((await get(1, 'gzip')).encoding, undefined)
    })

    it('the operator creates apps and keys, and a revoked key is refused at once', async () => {
      const made = await world.operate('/app/apps', { body: { name: 'My client', fid: 7 } })
      assert.equal(made.status, 200)
      const { uuid, key } = made.body
      const second = (await world.operate(`/app/apps/${uuid}/keys`, { method: 'POST' })).body.key
      assert.equal(await codeWith({ 'x-api-key': key }), 'NotSupported')
      assert.equal(await codeWith({ 'x-api-key': second }), 'NotSupported')

      const listed = (await world.operate('/app/apps')).body.apps
      assert.deepEqual(
        listed.map(({ name, fid }: { name: string; fid: number }) => [name, fid]),
        [
          ['development', 1],
          ['My client', 7],
        ],
      )
      const { keys } = listed[1]
      assert.equal(keys.length, 2)
      assert.ok(!JSON.stringify(listed).includes(key), 'keys are shown once')
      for (const { id } of keys) await world.operate(`/app/keys/${id}`, { method: 'DELETE' })
      assert.equal(await codeWith({ 'x-api-key': key }), 'Unauthorized')
      assert.equal(await codeWith({ 'x-api-key': second }), 'Unauthorized')
      const none = await world.operate(`/app/keys/0x${'0'.repeat(64)}`, { method: 'DELETE' })
      assert.equal(none.status, 404)
    })

    it('an app may have its own limits, and each key is counted apart', async () => {
      const body = { name: 'Slow', fid: 7, readLimit: 2 }
      const made = (await world.operate('/app/apps', { body })).body
      const second = (await world.operate(`/app/apps/${made.uuid}/keys`, { method: 'POST' })).body
      const headers = { 'x-api-key': made.key }
      const answers: Answer[] = []
      for (let i = 0; i < 3; i++) answers.push(await ask(world, CALL, { headers }))
      assert.deepEqual(
        answers.map(({ status, headers }) => [status, headers.get('x-ratelimit-remaining')]),
        [
          [400, '1'],
          [400, '0'],
          [429, '0'],
        ],
      )
      assert.equal(answers[2]!.body.code, 'RateLimited')
      assert.ok(Number(answers[2]!.headers.get('retry-after')) >= 1)
      assert.equal(await codeWith({ 'x-api-key': second.key }), 'NotSupported')
      assert.equal(await codeWith(KEY), 'NotSupported')
    })
  })
}

test('the schemas of the published client are those of the installed version', () => {
  const file = new URL('../fixtures/app-api/sdk-schemas.json', import.meta.url)
  const { source } = JSON.parse(readFileSync(file, 'utf8'))
  assert.deepEqual(source, sdkSource(), 'run: npm run generate -- schemas')
})

describe('errors of the app API', () => {
  let world: World
  before(async () => {
    world = await createWorld({ env: { ROOKERY_VIEWS: 'on' } })
  })
  after(() => world.close())

  const checkShape = ({ status, body }: Pick<Answer, 'status' | 'body'>) => {
    assert.deepEqual(Object.keys(body).toSorted(), ['code', 'message', 'requestId', 'status'])
    assert.equal(typeof body.message, 'string')
    assert.equal(body.status, status)
  }

  it('every error is an object with a message: unknown routes, methods and broken requests too', async () => {
    const unknown = await ask(world, '/v2/farcaster/nothing')
    checkShape(unknown)
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'NotFound'])
    checkShape(await ask(world, '/v2/farcaster/%ff'))
    checkShape(await ask(world, '/health/live', { method: 'POST' }))
    const raw = await answerTo(world.app.urls.app, 'this is not HTTP\r\n\r\n')
    checkShape(raw)
    const long = `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(40_000)}\r\n\r\n`
    const tooLong = await answerTo(world.app.urls.app, long)
    assert.equal(tooLong.status, 431)
    checkShape(tooLong)
  })

  it('each read names the parameter that is missing or wrong, has its page sizes, and answers what is unknown', async () => {
    const get = (path: string, query: Readonly<Record<string, string>>) =>
      ask(world, `/v2/farcaster${path}?${new URLSearchParams(query)}`, { headers: KEY })
    const refused = async (path: string, query: Readonly<Record<string, string>>) => {
      const { status, body } = await get(path, query)
      return [status, body.code, body.property]
    }
    const faults: string[] = []
    const expect = (what: string, found: unknown, expected: unknown) => {
      if (!isDeepStrictEqual(found, expected)) faults.push(`${what}: ${JSON.stringify(found)}`)
    }
    await indexed(world.app)
    for (const { path, needs, page, unknown } of READS) {
      for (const name of Object.keys(needs)) {
        const { [name]: _, ...others } = needs
        const got = await refused(path, others)
        expect(`${path} without ${name}`, got, [400, 'RequiredField', name])
      }
      const answer = await get(`${path}/`, needs)
      expect(path, answer.status, unknown === 'not found' ? 404 : 200)
      if (unknown === 'empty') expect(`entries of ${path}`, entriesOf(answer.body), 0)
      if (!page) continue
      const [, max] = page
      for (const limit of ['0', '-1', '1.5', 'x', `${max + 1}`]) {
        const got = await refused(path, { ...needs, limit })
        expect(`${path} with limit ${limit}`, got, [400, 'InvalidField', 'limit'])
      }
      const most = await get(path, { ...needs, limit: `${max}` })
      expect(`${path} with limit ${max}`, most.status, answer.status)
      const bad = await refused(path, { ...needs, cursor: 'AAAA' })
      expect(`${path} with a cursor`, bad, [400, 'InvalidCursor', 'cursor'])
    }
    for (const [path, name, value] of WRONG_VALUES) {
      const { needs } = READS.find((one) => one.path === path)!
      const got = await refused(path, { ...needs, [name]: value })
      expect(`${path} with a wrong ${name}`, got, [400, 'InvalidField', name])
    }
    assert.deepEqual(faults, [])
  })

  it('the document has the default and the greatest page size of each read', async () => {
    const { body } = await ask(world, '/openapi.json')
    for (const { path, page } of READS) {
      const { parameters } = body.paths[`/v2/farcaster${path}`].get
      const limit = parameters.find(({ name }: { name: string }) => name === 'limit')
      const sizes = limit && [limit.schema.default, limit.schema.maximum]
      assert.deepEqual(sizes, page, path)
    }
  })

  it('calls that are left out say so, with any method and with or without a slash', async () => {
    const calls: [string, string][] = [
      ['GET', '/v2/farcaster/feed/topic'],
      ['GET', '/v2/farcaster/user/subscriptions_created'],
      ['PUT', '/v2/farcaster/frame/transaction/pay'],
      ['POST', '/v2/fungible/send'],
      ['GET', '/v2/farcaster/fungible/trades'],
      ['DELETE', '/portal/x'],
    ]
    for (const path of LEFT_OUT) calls.push(['GET', path], ['POST', `${path}/`])
    for (const [method, path] of calls) {
      const answer = await ask(world, path, { method, headers: KEY })
      checkShape(answer)
      assert.deepEqual([answer.status, answer.body.code], [400, 'NotSupported'], path)
    }
  })
})

/** The number of entries of all lists of an answer. */
function entriesOf(value: unknown): number {
  if (Array.isArray(value)) return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, one) => sum + entriesOf(one), 0)
}

/** Sends bytes and reads the answer until the server closes the connection. */
function answerTo(url: string, sent: string): Promise<Pick<Answer, 'status' | 'body'>> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(sent))
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const body = text.slice(text.indexOf('\r\n\r\n') + 4)
      resolve({ status: Number(text.split(' ')[1]), body: JSON.parse(body) })
    })
  })
}
