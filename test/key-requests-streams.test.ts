// Streams of key requests whose readers come and go, and end with the server.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { effort } from './effort.ts'
import { appKey, keyRequestClient } from './key-requests-support.ts'
import type { Person } from './registry-support.ts'
import { createWorld, type World } from './world.ts'

const ABORTED = effort(150, 10_000)
const AT_A_TIME = 40
/** What one address may have open. */
const PLACES = 50

describe('streams of key requests', { concurrency: 1 }, () => {
  let world: World
  let token: string
  let app: Person
  let client: ReturnType<typeof keyRequestClient>
  before(async () => {
    world = await createWorld()
    client = keyRequestClient(world)
    ;[app] = (await client.people([1])) as [Person]
    token = await client.ask(app, appKey(1))
  })
  after(() => world.close())

  const urlOf = (of: string) =>
    `${world.app.urls.platform}/v2/signed-key-request-events?token=${of}`
  const open = (init?: RequestInit) => fetch(urlOf(token), init)
  /** Waits until every place is free again: a reader that goes away is noticed a moment later. */
  const takeAll = async () => {
    for (;;) {
      const responses = await Promise.all(Array.from({ length: PLACES }, () => open()))
      if (responses.every(({ status }) => status === 200)) return responses
      for (const response of responses) await response.body?.cancel()
    }
  }

  test(`${ABORTED} aborted streams release their places, however early their readers disconnect`, async () => {
    for (let done = 0; done < ABORTED; done += AT_A_TIME) {
      await Promise.all(
        Array.from({ length: AT_A_TIME }, async (_, i) => {
          const leaving = new AbortController()
          const opening = open({ signal: leaving.signal }).catch(() => undefined)
          if (i % 4 === 0) await opening
          else if (i % 4 === 1) setImmediate(() => leaving.abort())
          else if (i % 4 === 2) setTimeout(() => leaving.abort(), i)
          if (i % 2 === 0) leaving.abort()
          await opening
          leaving.abort()
        }),
      )
    }
    for (let i = 0; i < PLACES + 10; i++) {
      assert.ok((await open({ method: 'HEAD' })).status < 500)
    }
    const all = await takeAll()
    const refused = await open()
    assert.equal(refused.status, 503)
    await refused.body?.cancel()
    for (const response of all) await response.body?.cancel()
  })

  test('proxies are told not to compress a stream of a key request', async () => {
    const response = await open()
    await response.body?.cancel()
    assert.equal(response.headers.get('cache-control'), 'no-store, no-transform')
  })

  test('streams of key requests end when the server stops', async () => {
    const streams = await takeAll()
    const ends = Promise.all(streams.map((response) => response.text()))
    await world.restart()
    // A stream that the server had not ended would be cut off after a while, and its text() would fail.
    for (const text of await ends) assert.match(text, /"state":"pending"/)
  })
})

test('security finding 18: addresses of one IPv6 /64 share the places of one client', async () => {
  const world = await createWorld({ env: { ROOKERY_TRUSTED_PROXIES: '127.0.0.1' } })
  const client = keyRequestClient(world)
  const [app] = (await client.people([1])) as [Person]
  const token = await client.ask(app, appKey(1))
  const url = `${world.app.urls.platform}/v2/signed-key-request-events?token=${token}`
  const openFrom = async (address: string) => {
    const response = await fetch(url, { headers: { 'x-forwarded-for': address } })
    return { status: response.status, cancel: () => response.body?.cancel() }
  }
  const inOneNetwork = await Promise.all(
    Array.from({ length: PLACES + 10 }, (_, i) => openFrom(`2001:db8:1:2:${i.toString(16)}::1`)),
  )
  assert.equal(inOneNetwork.filter(({ status }) => status === 200).length, PLACES)
  const elsewhere = await openFrom('2001:db8:1:3::1')
  assert.equal(elsewhere.status, 200)
  for (const { cancel } of [...inOneNetwork, elsewhere]) await cancel()
  await world.close()
})
