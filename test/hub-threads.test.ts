// Several threads that serve the reads of the hub answer as one does.

import assert from 'node:assert/strict'
import { Agent, get, type IncomingMessage, type RequestOptions } from 'node:http'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { castAdd, castRemove } from '../src/protocol/build.ts'
import { toHex } from '../src/protocol/bytes.ts'
import { encodeEnvelope } from '../src/protocol/envelope.ts'
import { accepted } from './hub-support.ts'
import { emptyStore, startServer } from './production.ts'
import { createWorld } from './world.ts'

const THREADS = 3
const CONNECTIONS = 24

type Read = {
  readonly status: number
  readonly headers: string
  readonly text: string
  readonly id: string
}

/** A request without a body, a GET unless it is said, over one connection that stays open. */
function read(agent: Agent, url: string, options: RequestOptions = {}): Promise<Read> {
  return new Promise((resolve, reject) => {
    const answered = async (response: IncomingMessage) => {
      const text = (await response.setEncoding('utf8').toArray()).join('')
      const { date: _, 'x-request-id': id, ...headers } = response.headers
      const status = response.statusCode!
      resolve({ status, headers: JSON.stringify(headers), text, id: String(id) })
    }
    get(url, { ...options, agent }, (response) => void answered(response).catch(reject)).on(
      'error',
      reject,
    )
  })
}

/** Ids of requests begin with what is another one in each thread. */
const threadOf = ({ id }: Read): string => id.split('-')[0]!

const withoutIds = ({ status, headers, text }: Read) => ({
  status,
  headers,
  text: text.replace(/"requestId":"[^"]*"/, ''),
})

/** One connection to each thread, once all listen: the system spreads them. */
async function connectionsTo(t: TestContext, url: string, threads = THREADS): Promise<Agent[]> {
  const found = new Map<string, Agent>()
  while (found.size < threads) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.after(() => agent.destroy())
    const thread = threadOf(await read(agent, `${url}/v1/fids`))
    if (!found.has(thread)) found.set(thread, agent)
    else {
      agent.destroy()
      await delay(5)
    }
  }
  return [...found.values()]
}

/** A GET whose answer does not end. */
const stream = (agent: Agent, url: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(url, { agent }, resolve).on('error', reject)
  })

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await delay(20)
}

test('three threads answer reads, and what is no plain read, as one does', async (t) => {
  const workers: Worker[] = []
  const noticed = (worker: Worker) => void workers.push(worker)
  process.on('worker', noticed)
  t.after(() => process.off('worker', noticed))
  const logLines: string[] = []
  const env = { ROOKERY_HUB_THREADS: String(THREADS) }
  const world = await createWorld({ env, logLines })
  const { hub } = world.app.urls
  const account = await world.account(1)
  const cast = world.sign(account, castAdd(world.origin(account), 'hello'))
  accepted(await world.submit(cast))
  const agents = await connectionsTo(t, hub)
  const readAll = (path: string, options?: RequestOptions) =>
    Promise.all(agents.map((agent) => read(agent, hub + path, options)))
  const castsOf = async () =>
    (await readAll('/v1/castsByFid?fid=1')).map(({ text }) => JSON.parse(text).messages.length)

  await t.test('every answer is the same, byte for byte', async () => {
    const origin = { origin: 'https://app.example.org' }
    const preflight = { ...origin, 'access-control-request-method': 'POST' }
    for (const [expected, path, options] of [
      [200, '/v1/fids'],
      [200, `/v1/castById?fid=1&hash=${toHex(cast.hash)}`],
      [200, '/v1/castsByFid?fid=1&pageSize=1'],
      [200, '/v1/events?limit=5'],
      [200, '/v1/onChainSignersByFid?fid=1'],
      [200, '/v1/storageLimitsByFid?fid=1'],
      [200, '/v1/info?dbstats=1'],
      [404, `/v1/castById?fid=1&hash=0x${'00'.repeat(20)}`],
      [400, '/v1/castsByFid?fid=x'],
      [404, '/v1/nothing'],
      [200, '/openapi.json'],
      [200, '/v1/fids', { method: 'HEAD' }],
      [200, '/openapi.json', { method: 'HEAD' }],
      [405, '/v1/fids', { method: 'DELETE' }],
      [204, '/v1/submitMessage', { method: 'OPTIONS', headers: preflight }],
      [200, '/v1/castsByFid?fid=1', { headers: { ...origin, 'accept-encoding': 'gzip, br' } }],
      [200, '/v1/castsByFid?fid=1', { headers: { 'if-none-match': '*', range: 'bytes=0-1' } }],
      [200, '/v1/fids', { headers: { expect: '100-continue' } }],
    ] as readonly (readonly [number, string, RequestOptions?])[]) {
      // Ids that are counted differ in length.
      const headers = { 'x-request-id': 'given', ...options?.headers }
      const [first, ...others] = await readAll(path, { ...options, headers })
      assert.equal(first!.status, expected, path)
      for (const other of others) assert.deepEqual(withoutIds(other), withoutIds(first!), path)
    }
  })

  await t.test('all threads show a write from the moment that its writer is told of', async () => {
    for (let i = 2; i < 12; i++) {
      // The second time, an answer is kept.
      await castsOf()
      await castsOf()
      accepted(await world.submit(world.sign(account, castAdd(world.origin(account), `${i}`))))
      assert.deepEqual(await castsOf(), [i, i, i])
    }
    const remove = world.sign(account, castRemove(world.origin(account), cast.hash))
    accepted(await world.submit(remove))
    assert.deepEqual(await castsOf(), [10, 10, 10])
  })

  await t.test('reads and submits of one connection are answered in order', async () => {
    const body = encodeEnvelope(world.sign(account, castAdd(world.origin(account), 'in order')))
    const { hostname, port } = new URL(hub)
    for (let i = 0; i < CONNECTIONS; i++) {
      const socket = connect(Number(port), hostname)
      t.after(() => socket.destroy())
      const head = (line: string, rest = '') => `${line} HTTP/1.1\r\nHost: x\r\n${rest}\r\n`
      socket.write(head('GET /v1/fids'))
      const type = 'Content-Type: application/octet-stream\r\n'
      socket.write(head('POST /v1/submitMessage', `${type}Content-Length: ${body.length}\r\n`))
      socket.write(body)
      socket.write(head('GET /v1/nothing'))
      socket.write(head('GET /v1/castsByFid?fid=1', 'Connection: close\r\n'))
      const text = (await socket.setEncoding('latin1').toArray()).join('')
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
      assert.deepEqual(statuses, ['200', i === 0 ? '200' : '400', '404', '200'])
    }
  })

  await t.test('metrics and log have the requests of all threads', async () => {
    const count = /^http_request_duration_seconds_count\{.*"\/v1\/linksByFid".*\} (\d+)$/m
    const from = logLines.length
    const asked = await Promise.all([1, 2].map(() => readAll('/v1/linksByFid?fid=1')))
    await until(async () => {
      const metrics = await (await fetch(`${world.app.urls.operations}/metrics`)).text()
      return count.exec(metrics)?.[1] === String(asked.flat().length)
    })
    const ids = asked.flat().map(({ id }) => id)
    await until(() =>
      ids.every((id) => logLines.slice(from).some((text) => text.includes(`"requestId":"${id}"`))),
    )
  })

  await t.test('a thread that ends is logged and replaced', async () => {
    const serving = workers.find(({ threadName }) => threadName === 'read-thread')!
    await serving.terminate()
    await until(() => logLines.some((text) => text.includes('a serving thread ended')))
    await connectionsTo(t, hub)
  })

  await t.test('streams of all threads show events, and end when the server stops', async () => {
    const streams = await Promise.all(
      (await connectionsTo(t, hub)).map((agent) => stream(agent, `${hub}/v1/events/stream`)),
    )
    const shown = streams.map(async (response) => {
      const chunks = response.setEncoding('utf8').iterator({ destroyOnReturn: false })
      for await (const chunk of chunks) if (String(chunk).includes('streamed')) break
    })
    accepted(await world.submit(world.sign(account, castAdd(world.origin(account), 'streamed'))))
    await Promise.all(shown)
    const ended = streams.map((response) => response.resume().toArray())
    await world.close()
    await Promise.all(ended)
  })
})

test('a client has one budget, however many threads it asks', async (t) => {
  const app = await startServer(t, {
    ...(await emptyStore(t)),
    ROOKERY_HUB_THREADS: '2',
    // 60,000 units, of which 1,000 come back in a second; a request costs about 102.
    ROOKERY_CLIENT_CPU_PERCENT: '10',
  })
  const startedMs = performance.now()
  const agents = await connectionsTo(t, app.urls.hub, 2)
  const answered = await Promise.all(
    agents.map(async (agent) => {
      const url = `${app.urls.hub}/v1/events?event_types=1`
      const statuses: number[] = []
      while (statuses.at(-1) !== 429) statuses.push((await read(agent, url)).status)
      return statuses.length - 1
    }),
  )
  const total = answered.reduce((sum, one) => sum + one)
  const earned = 1_000 * ((performance.now() - startedMs) / 1_000)
  // Each thread may be ahead by 5,000 units and one request.
  const most = (60_000 + earned + 2 * 5_302) / 102
  assert.ok(total > 500 && total < most, `${answered} were answered, at most ${most} expected`)
})
