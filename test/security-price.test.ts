// What the security review could make the server do without paying for it.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { ecdsa } from '../src/kernel/accounts/signatures/ecdsa.ts'
import { callJson, signRemove } from '../src/kernel/accounts/signatures/sign.ts'
import { castAdd, linkAdd } from '../src/kernel/protocol/build.ts'
import { decodeMessage } from '../src/kernel/protocol/codec/decode.ts'
import { encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { keyAdd, keyOf, ownerOf } from './gasless-keys-support.ts'
import { rawClient } from './grpc-support.ts'
import { accepted, post } from './hub-support.ts'
import { type Person, registryClient } from './registry-support.ts'
import { createWorld, enginesOf, type World } from './world.ts'

const OCTETS = {
  method: 'POST',
  headers: { 'content-type': 'application/octet-stream' },
} as const
const { UNAVAILABLE } = status

describe('a server whose clients have small budgets', () => {
  let world: World
  before(async () => {
    world = await createWorld({
      env: {
        ROOKERY_TRUSTED_PROXIES: '127.0.0.1',
        // 100 units a second, and 6,000 at once.
        ROOKERY_CLIENT_CPU_PERCENT: '1',
        ROOKERY_REQUIRE_SPONSOR: 'true',
        ROOKERY_OPS_HOSTS: 'ops.internal,other.internal',
      },
    })
  })
  after(() => world.close())

  const from = (client: string, url: string, init: RequestInit = {}) =>
    fetch(url, { ...init, headers: { ...init.headers, 'x-forwarded-for': client } })

  /** Asks until the client is refused. Returns the number of answers before, and the refusal. */
  async function exhaust(
    client: string,
    url: string | ((count: number) => string),
    init: RequestInit = {},
  ) {
    for (let count = 0; count < 20_000; count++) {
      const response = await from(client, typeof url === 'string' ? url : url(count), init)
      await response.arrayBuffer()
      if (response.status === 429) return { count, response }
    }
    throw new Error(`${client} was never refused`)
  }

  test('security finding 15: one client cannot read for ever, and what it did does not affect others', async () => {
    const account = await world.account(1)
    const links = Array.from({ length: 300 }, (_, i) =>
      world.sign(account, linkAdd(world.origin(account), 'follow', 100 + i)),
    )
    for (const some of [links.slice(0, 150), links.slice(150)]) {
      accepted(await post(world, '/v1/submitBulkMessages', encodeList(some)))
    }
    const list = `${world.app.urls.hub}/v1/linksByFid?fid=1`
    // Another page each time: an answer out of the cache costs a tenth.
    const pages = (count: number) => `${list}&pageSize=${1_000 - (count % 600)}`
    const { count, response } = await exhaust('192.0.2.1', pages)
    // About 130 KB and so 30 units each, and no more than the budget grows in the meantime.
    assert.ok(count > 50 && count < 2_000, `${count} answers`)
    assert.ok(Number(response.headers.get('retry-after')) >= 1)
    // What is left of the budget is less than a page, on every interface. It grows by 100 units a second while
    // a loaded machine is slow.
    const channels = `${world.app.urls.platform}/v2/all-channels`
    const statuses: number[] = []
    while (!statuses.includes(429) && statuses.length < 10) {
      await exhaust('192.0.2.1', pages)
      statuses.push((await from('192.0.2.1', channels)).status)
    }
    assert.ok(statuses.includes(429), `${statuses}`)
    assert.equal((await from('192.0.2.2', list)).status, 200)
    assert.equal((await from('2001:db8::1', list)).status, 200)
  })

  test('security finding 4: registers with many keys use a budget up long before small calls do', async () => {
    const key = {
      keyType: 1,
      key: `0x${'01'.repeat(32)}`,
      metadataType: 1,
      metadata: '0x',
      deadline: 4_000_000_000,
      signature: `0x${'02'.repeat(65)}`,
    }
    const body = {
      to: `0x${'11'.repeat(20)}`,
      recovery: `0x${'00'.repeat(20)}`,
      deadline: 4_000_000_000,
      signature: `0x${'02'.repeat(65)}`,
      keys: Array.from({ length: 16 }, () => key),
    }
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    const { count } = await exhaust('192.0.2.9', `${world.app.urls.accounts}/v1/register`, init)
    assert.ok(count <= 60, `${count} calls`)
  })

  test('security finding 15: a file of megabytes costs a client what its bytes cost', async () => {
    const init = { headers: { 'accept-encoding': 'identity' } }
    const { count } = await exhaust('192.0.2.12', `${world.app.urls.hub}/docs/scalar.js`, init)
    assert.ok(count <= 20, `${count} answers`)
  })

  test('security finding 7: validating costs a client too', async () => {
    const account = await world.account(2)
    const message = world.sign(account, castAdd(world.origin(account), 'hello'))
    assert.equal((await world.validate(message)).status, 200)
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      // A long list of small fields, which costs more than a short message.
      body: new Uint8Array(100_000).fill(1),
    }
    await exhaust('192.0.2.11', `${world.app.urls.hub}/v1/validateMessage`, init)
  })

  test('security finding 9: a server that asks for sponsors refuses a key request without one', async () => {
    const response = await from('192.0.2.20', `${world.app.urls.platform}/v2/signed-key-requests`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        key: `0x${'01'.repeat(32)}`,
        requestFid: 1,
        deadline: 4_000_000_000,
        signature: `0x${'02'.repeat(65)}`,
      }),
    })
    assert.equal(response.status, 400)
    assert.match(await response.text(), /sponsorship is missing/)
  })

  test('a flood of KEY_ADDs that are refused pays for its Ethereum signatures, message by message, in bulk, validated and over gRPC', async () => {
    // Signed well, by somebody else than the custody address: refused after both recoveries.
    const user = { ...ownerOf(11), fid: (await world.account(12)).fid }
    const deadline = networkTime(Date.now()) + 3_600
    let made = 0
    const next = () => keyAdd(world, user, keyOf(++made), { deadline })
    const { hub, grpc } = world.app.urls
    const client = rawClient(grpc)
    const headers = { 'x-forwarded-for': '192.0.2.34' }
    const post = async (address: string, path: string, body: Uint8Array) =>
      (await from(address, hub + path, { ...OCTETS, body: body as Uint8Array<ArrayBuffer> })).status
    const bulk = async () =>
      encodeList((await Promise.all(Array.from({ length: 8 }, next))).map(decodeMessage))
    const floods: [name: string, send: () => Promise<boolean>][] = [
      ['submit', async () => (await post('192.0.2.31', '/v1/submitMessage', await next())) === 429],
      [
        'bulk',
        async () => (await post('192.0.2.32', '/v1/submitBulkMessages', await bulk())) === 429,
      ],
      [
        'validate',
        async () => (await post('192.0.2.33', '/v1/validateMessage', await next())) === 429,
      ],
      [
        'gRPC',
        async () =>
          (await client.call('SubmitMessage', await next(), { headers })).status === UNAVAILABLE,
      ],
    ]
    assert.equal(await post('192.0.2.30', '/v1/submitMessage', await next()), 400)
    for (const [name, send] of floods) {
      const [before, start, first] = [ecdsa.recovered, performance.now(), made]
      while (!(await send())) assert.ok(made < first + 2_000, `${name} is never refused`)
      const recovered = ecdsa.recovered - before
      // 6,000 units at once and 100 a second; a millisecond of recovering is 10 units.
      const budget = 6_000 + ((performance.now() - start) / 1_000 + 1) * 100
      assert.ok(recovered >= 50, `${name} recovers: ${recovered}`)
      assert.ok(recovered * 10 <= budget, `${name}: ${recovered} recoveries for ${budget} units`)
    }
    client.close()
  })

  test('security finding 14: operations answer under the names that the operator configured', async () => {
    const { port } = new URL(world.app.urls.operations)
    const statusOf = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const options = { port, host: '127.0.0.1', path: '/health/live', headers: { host } }
        request(options, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
          .on('error', reject)
          .end()
      })
    const live = await statusOf('localhost')
    assert.equal(await statusOf('ops.internal'), live)
    assert.equal(await statusOf('OTHER.internal:2280'), live)
    assert.equal(await statusOf('evil.example'), 403)
  })
})

for (const engine of enginesOf(import.meta.url)) {
  describe(`an account with many addresses, on ${engine}`, () => {
    let world: World
    let registry: ReturnType<typeof registryClient>
    before(async () => {
      world = await createWorld({
        engine,
        // 100 units a second for an account, and 6,000 at once.
        env: { ROOKERY_TRUSTED_PROXIES: '127.0.0.1', ROOKERY_CLIENT_CPU_PERCENT: '1' },
      })
      registry = registryClient(world)
    })
    after(() => world.close())

    let addresses = 0
    /** Each request comes from another address. */
    const post = async (url: string, body: unknown) => {
      const client = `10.0.${++addresses >> 8}.${addresses & 255}`
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': client }
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
      return { response, text: await response.text() }
    }
    /** The first refusal for want of a budget among so many requests of the same body. */
    async function findRefused(count: number, url: string, body: unknown) {
      for (let done = 0; done < count; done += 20) {
        const answers = await Promise.all(Array.from({ length: 20 }, () => post(url, body)))
        const refused = answers.find(({ response }) => response.status === 429)
        if (refused) return { ...refused, done }
      }
      return undefined
    }
    const transfers = () => `${world.app.urls.registry}/transfers`
    const removes = () => `${world.app.urls.accounts}/v1/removeFor`
    /** Refused again and again after its signature was verified, because the key is not there. */
    const removal = async ({ account }: Pick<Person, 'account'>, fill: number) => {
      const key = new Uint8Array(32).fill(fill)
      return callJson(await signRemove(account, { key, deadline: BigInt(registry.now() + 3_600) }))
    }

    test(`names and account calls are charged to the fid that signs, and published or forged claims are not, on ${engine}`, async () => {
      const [holder, taker] = (await registry.people([1, 2])) as [Person, Person]
      const claim = await registry.sign(holder, { name: 'holder', from: 0, to: 1 })
      assert.equal((await post(transfers(), claim)).response.status, 200)
      const forged = { ...claim, name: 'forged' }
      // About 33 units each: the budget of an account holds 184 of them.
      assert.equal(await findRefused(200, transfers(), claim), undefined)
      assert.equal(await findRefused(200, transfers(), forged), undefined)

      const timestamp = registry.now() + 1
      const taken = await registry.sign(taker, { name: 'holder', from: 0, to: 2, timestamp })
      const refused = await findRefused(1_000, transfers(), taken)
      assert.ok(refused && refused.done >= 160, `${refused?.done} claims`)
      assert.ok(Number(refused.response.headers.get('retry-after')) >= 1)
      assert.match(refused.text, /API rate limit exceeded/)

      // One budget for all interfaces: a fresh one would hold 480 removals of 12.5 units.
      const spent = await findRefused(400, removes(), await removal(taker, 9))
      assert.ok(Number(spent?.response.headers.get('retry-after')) >= 1)
      const other = await post(removes(), await removal(holder, 9))
      assert.equal(other.response.status, 409, other.text)
    })
  })
}
