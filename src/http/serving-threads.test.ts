// Clients that are many, slow or silent, and threads that fail, on an interface with several serving threads.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ClientBudget } from './client-budget.ts'
import type { InterfaceOptions } from './options.ts'
import { routes } from './serving-thread-test-support.ts'
import { serve } from './test-support.ts'

const THREADS = 2
const ALL_CONNECTIONS = 1_000

async function listening(t: TestContext, options: Partial<InterfaceOptions> = {}) {
  const script = new URL('./serving-thread-test-support.ts', import.meta.url)
  const connectionBudget = new ClientBudget({ total: ALL_CONNECTIONS, perClient: ALL_CONNECTIONS })
  const api = serve(routes, {
    connectionBudget,
    ...options,
    threads: { count: THREADS - 1, script, settings: undefined },
  })
  t.after(() => api.close())
  const { port } = await api.listen('127.0.0.1', 0)
  return { api, port, connectionBudget: options.connectionBudget ?? connectionBudget }
}

type Connection = { readonly socket: Socket; received(): string }

async function open(t: TestContext, port: number): Promise<Connection> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let received = ''
  socket
    .on('error', () => {})
    .on('data', (chunk) => {
      received += chunk
    })
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  return { socket, received: () => received }
}

const head = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n')
const GET_THREAD = head('GET /v1/thread')

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(5)
}

/** The thread of a connection; 0 is the process's own. */
async function threadOf({ socket, received }: Connection): Promise<number> {
  const from = received().length
  socket.write(GET_THREAD)
  await until(() => received().slice(from).includes('\r\n\r\n') || socket.closed)
  return Number(received().slice(from).split('\r\n\r\n')[1])
}

/** A connection to a thread besides the process's own: the system spreads them. */
async function openElsewhere(t: TestContext, port: number, thread?: number): Promise<Connection> {
  for (;;) {
    const connection = await open(t, port)
    const found = await threadOf(connection)
    // Not a number while connections that were closed are still counted.
    if (found > 0 && (thread ?? found) === found) return connection
    connection.socket.destroy()
    await delay(5)
  }
}

const closed = async ({ socket }: Connection): Promise<void> => {
  if (!socket.closed) await once(socket, 'close')
}

test('connections of all threads count together, for one client and when a thread ends', async (t) => {
  const connectionBudget = new ClientBudget({ total: ALL_CONNECTIONS, perClient: 4 })
  const { api, port } = await listening(t, { connectionBudget })
  const first = await openElsewhere(t, port)
  await until(() => connectionBudget.used === 1)
  const held = [first]
  while (held.length < 4) held.push(await open(t, port))
  await until(() => connectionBudget.used === 4)
  for (let n = 0; n < 12; n++) {
    const refused = await open(t, port)
    await closed(refused)
    assert.match(refused.received(), /^HTTP\/1.1 503 [\s\S]*too many connections are open/)
  }
  assert.equal(connectionBudget.used, 4)
  for (const { socket } of held.slice(1)) socket.destroy()
  await until(() => connectionBudget.used === 1)

  const ended = await threadOf(first)
  first.socket.write(head('GET /v1/fault'))
  await closed(first)
  await until(() => connectionBudget.used === 0)
  const [line] = api.logged.filter(({ msg }) => String(msg).startsWith('a serving thread ended'))
  assert.match(JSON.stringify(line), /a fault of a serving thread/)
  const found = new Set<number>()
  while (found.size < THREADS - 1) {
    const connection = await openElsewhere(t, port)
    found.add(await threadOf(connection))
    connection.socket.destroy()
  }
  assert.ok(!found.has(ended), 'another one took its place')
})

test('a request that does not arrive in time is refused by a thread, and so is a forwarded one', async (t) => {
  const { port, connectionBudget } = await listening(t, { requestTimeoutMs: 300 })
  for (const sent of [
    'GET /v1/thread HTTP/1.1\r\nhost: loc',
    `${head('POST /v1/submit', 'content-type: application/octet-stream', 'content-length: 10')}half`,
  ]) {
    const connection = await openElsewhere(t, port)
    const from = connection.received().length
    connection.socket.write(sent)
    await closed(connection)
    assert.match(connection.received().slice(from), /^HTTP\/1.1 408 [\s\S]*took too long/)
  }
  await until(() => connectionBudget.used === 0)
})

test('a client that does not read holds up neither its thread nor, for long, a stop', async (t) => {
  const { api, port } = await listening(t, { closeWaitMs: 200 })
  const unread = await openElsewhere(t, port)
  const thread = await threadOf(unread)
  unread.socket.pause()
  unread.socket.write(head('GET /v1/large'))
  const unanswered = await openElsewhere(t, port, thread)
  unanswered.socket.write(head('GET /v1/never'))
  const half = await openElsewhere(t, port, thread)
  half.socket.write('GET /v1/thread HTTP/1.1\r\n')
  const honest = await openElsewhere(t, port, thread)
  for (let n = 0; n < 100; n++) assert.equal(await threadOf(honest), thread)

  await api.close()
  unread.socket.resume()
  for (const connection of [unread, unanswered, half, honest]) await closed(connection)
  const refused = connect(port, '127.0.0.1')
  await assert.rejects(once(refused, 'connect'), { code: 'ECONNREFUSED' })
})
