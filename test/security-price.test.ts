// What the security review could make the server do without paying for it.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { castAdd, linkAdd } from '../src/protocol/build.ts'
import { createWorld, type World } from './world.ts'

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
  async function exhaust(client: string, url: string, init: RequestInit = {}) {
    for (let count = 0; count < 20_000; count++) {
      const response = await from(client, url, init)
      await response.arrayBuffer()
      if (response.status === 429) return { count, response }
    }
    throw new Error(`${client} was never refused`)
  }

  test('security finding 15: one client cannot read for ever, and what it did does not affect others', async () => {
    const account = await world.account(1)
    for (let i = 0; i < 300; i++) {
      await world.submit(world.sign(account, linkAdd(world.origin(account), 'follow', 100 + i)))
    }
    const list = `${world.app.urls.hub}/v1/linksByFid?fid=1`
    const { count, response } = await exhaust('192.0.2.1', list)
    // About 130 KB and so 30 units each, and no more than the budget grows in the meantime.
    assert.ok(count > 50 && count < 2_000, `${count} answers`)
    assert.ok(Number(response.headers.get('retry-after')) >= 1)
    // What is left of the budget is less than a page, on every interface. It grows by 100 units a second while
    // a loaded machine is slow.
    const channels = `${world.app.urls.platform}/v2/all-channels`
    const statuses: number[] = []
    while (!statuses.includes(429) && statuses.length < 10) {
      await exhaust('192.0.2.1', list)
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

  test('security finding 7: validating costs a client too', async () => {
    const account = await world.account(2)
    const message = world.sign(account, castAdd(world.origin(account), 'hello'))
    assert.equal((await world.validate(message)).status, 200)
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: new Uint8Array([1, 2, 3]),
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
