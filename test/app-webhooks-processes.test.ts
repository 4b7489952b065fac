// Webhooks by two real server processes on one PostgreSQL, the first of which is killed.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { Configuration, NeynarAPIClient } from '@neynar/nodejs-sdk'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { buildMessage, castAdd } from '../src/kernel/protocol/build.ts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { createPlace, startProgram } from './program.ts'
import { until } from './until.ts'
import { DEVNET } from './world.ts'

const BEFORE_THE_KILL = 3
const AFTER_THE_KILL = 3
const TEXTS = Array.from({ length: BEFORE_THE_KILL + AFTER_THE_KILL }, (_, i) => `cast ${i}`)

test('when one of two processes is killed, the other delivers every event of a webhook, in order and matched once', async (t) => {
  const place = await createPlace('postgres')
  t.after(() => place.remove())
  const env = { ...place.env, ROOKERY_VIEWS: 'on' }
  const first = await startProgram('start', env)
  t.after(() => first.stop('SIGKILL'))
  const second = await startProgram('start', env)
  t.after(() => second.stop('SIGKILL'))

  const got: { id: string; text: string; at: number }[] = []
  const server: Server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const id = String(request.headers['x-rookery-delivery'])
    got.push({ id, text: JSON.parse(body).data.text, at: performance.now() })
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`

  const listed = await fetch(`${second.operations}/dev/accounts`)
  type People = { accounts: { fid: number; appPrivateKey: string }[] }
  const { fid, appPrivateKey } = ((await listed.json()) as People).accounts[0]!
  const basePath = second.client.ROOKERY_APP_URL!
  const client = new NeynarAPIClient(new Configuration({ apiKey: DEVELOPMENT_KEY, basePath }))
  const subscription = { 'cast.created': { author_fids: [fid] } }
  await client.publishWebhook({ name: 'kept', url, subscription })
  const submit = async (text: string) => {
    const origin = { fid, timestamp: networkTime(Date.now()), network: DEVNET }
    const message = buildMessage(castAdd(origin, text), fromHex(appPrivateKey)!)
    const answer = await fetch(`${second.hub}/v1/submitMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: encodeEnvelope(message),
    })
    assert.equal(answer.status, 200, await answer.text())
  }

  for (const text of TEXTS.slice(0, BEFORE_THE_KILL)) await submit(text)
  // The rest are matched or delivered by either process at any moment around its end.
  await until(() => got.length > 0, 'a first delivery')
  const killedAt = performance.now()
  const killed = first.stop('SIGKILL')
  for (const text of TEXTS.slice(BEFORE_THE_KILL)) await submit(text)
  await killed
  await until(() => got.some(({ text }) => text === TEXTS.at(-1)), 'the last delivery')
  t.diagnostic(`the last delivery ${Math.round(got.at(-1)!.at - killedAt)} ms after the kill`)

  // A delivery that was on its way when its sender was killed comes again, by the same id.
  const textOf = new Map(got.map(({ id, text }) => [id, text]))
  assert.deepEqual([...textOf.values()], TEXTS)
})
