// Events of mini apps by two server processes on one PostgreSQL, and by one that is killed.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { custodian, manifestAt, signEvent } from './mini-apps-support.ts'
import { createPlace, type Program, startProgram } from './program.ts'
import { until } from './until.ts'
import { appToken, enginesOf } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any

/** The server of an app that notes which delivery it got, and refuses all while it is down. */
async function startReceiver(t: TestContext) {
  const got: { id: string; event: string; fid: number }[] = []
  const state = { isDown: false, refused: 0 }
  const server = createServer(async (request, response) => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end(JSON.stringify({ miniapp: manifestAt(origin) }))
    }
    let body = ''
    for await (const part of request) body += part
    if (state.isDown) {
      state.refused++
      return response.writeHead(503).end()
    }
    const { header, payload } = JSON.parse(body)
    const decoded = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString())
    const id = String(request.headers['x-rookery-delivery'])
    got.push({ id, event: decoded(payload).event, fid: decoded(header).fid })
    return response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { got, state, domain: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function act(program: Program, fid: number, domain: string, event: string): Promise<void> {
  const exp = Math.floor(Date.now() / 1_000) + 300
  const ask = async (method: string, body: object): Promise<Json> => {
    const response = await fetch(`${program.platform}/fc/mini-app-events`, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${appToken(custodian(fid), { exp })}`,
      },
      body: JSON.stringify(body),
    })
    const answer = (await response.json()) as Json
    assert.equal(response.status, 200, JSON.stringify(answer))
    return answer.result
  }
  const unsigned = await ask('POST', { domain, event })
  await ask('PUT', signEvent(custodian(fid), unsigned))
}

for (const engine of enginesOf(import.meta.url)) {
  test(`events that were stored before a kill reach the server of the app after it, on ${engine}`, async (t) => {
    const place = await createPlace(engine)
    t.after(() => place.remove())
    const { got, state, domain } = await startReceiver(t)
    state.isDown = true
    const killed = await startProgram('start', place.env)
    t.after(() => killed.stop('SIGKILL'))
    for (const event of ['miniapp_added', 'notifications_disabled']) {
      await act(killed, 1, domain, event)
    }
    await until(() => state.refused > 0, 'a first attempt')
    await killed.stop('SIGKILL')
    state.isDown = false
    const again = await startProgram('start', place.env)
    t.after(() => again.stop())
    await until(() => got.length === 2, 'both events')
    assert.deepEqual(
      got.map(({ event }) => event),
      ['miniapp_added', 'notifications_disabled'],
    )
  })
}

test('two processes on one PostgreSQL send no event twice, and each app gets its own in order', async (t) => {
  const place = await createPlace('postgres')
  t.after(() => place.remove())
  const { got, domain } = await startReceiver(t)
  const programs = [await startProgram('start', place.env), await startProgram('start', place.env)]
  for (const program of programs) t.after(() => program.stop())
  const people = [1, 2, 3, 4, 5, 6]
  const events = [
    'miniapp_added',
    'notifications_disabled',
    'notifications_enabled',
    'miniapp_removed',
  ]
  for (const event of events) {
    await Promise.all(people.map((fid) => act(programs[fid % 2]!, fid, domain, event)))
  }
  const count = people.length * events.length
  await until(() => got.length >= count, 'every event')
  // What was sent twice would come before what is stored later.
  await act(programs[0]!, 7, domain, 'miniapp_added')
  await until(() => got.some(({ fid }) => fid === 7), 'a last event')
  assert.equal(got.length, count + 1)
  assert.equal(new Set(got.map(({ id }) => id)).size, got.length)
  for (const fid of people) {
    assert.deepEqual(
      got.filter((one) => one.fid === fid).map(({ event }) => event),
      events,
    )
  }
})
