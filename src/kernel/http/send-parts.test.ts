// Bodies that are read in parts: what is read for whom, in which order, and what it costs.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import Type from 'typebox'
import { costBudget, serve } from '../../../test/http-support.ts'
import { until } from '../../../test/until.ts'
import { unitsOfBytes } from '../limits/cost.ts'
import { UnreadBytes } from '../limits/unread.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { InterfaceOptions } from './options.ts'
import { PART_BYTES, PartedBody } from './parted-body.ts'
import { content, route } from './route.ts'

const PARTS = 80
const LENGTH = PARTS * PART_BYTES

/** A server with one file; `reads` counts its parts that were read. */
async function listening(
  t: TestContext,
  options: Partial<InterfaceOptions> = {},
  { length }: { readonly length: number | undefined } = { length: LENGTH },
) {
  const seen = { reads: 0, fails: false }
  async function* parts() {
    for (let i = 0; i < PARTS; i++) {
      if (seen.fails) throw new Rejection('not_found', 'the file was removed')
      seen.reads += 1
      yield Buffer.alloc(PART_BYTES, i)
    }
  }
  const file = route('GET /file', {
    callers: 'anyone',
    summary: 'A file',
    reply: Type.String(),
    errors: [],
    cost: 'lookup',
    handler: () =>
      content(new PartedBody(length, parts), 'video/mp4', {
        headers: { etag: '"one"', 'cache-control': 'immutable' },
      }),
  })
  const api = serve([file], { trustedProxies: ['127.0.0.1'], closeWaitMs: 100, ...options })
  t.after(() => api.close())
  const { port, url } = await api.listen('127.0.0.1', 0)
  /** A client that asks and takes nothing. */
  const stand = async (client = '192.0.2.1') => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    t.after(() => socket.destroy())
    await once(socket, 'connect')
    socket.write(`GET /file HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: ${client}\r\n\r\n`)
    await once(socket, 'readable')
    const head = String(socket.read(12))
    return { socket, status: Number(head.slice(-3)) }
  }
  const get = (init: RequestInit = {}, client = '192.0.2.1') =>
    fetch(`${url}/file`, { ...init, headers: { 'x-forwarded-for': client, ...init.headers } })
  return { seen, stand, get }
}

test('a reader that stands still has a few parts read for it, and one that reads gets all', async (t) => {
  const { seen, stand, get } = await listening(t)
  const { status } = await stand()
  assert.equal(status, 200)
  // Others are answered meanwhile, so nothing more is read of the first one afterwards.
  for (let i = 0; i < 3; i++) {
    const response = await get()
    assert.equal(response.headers.get('content-length'), `${LENGTH}`)
    const bytes = Buffer.from(await response.arrayBuffer())
    assert.equal(bytes.length, LENGTH)
    assert.equal(bytes.at(-1), PARTS - 1)
  }
  const own = seen.reads - 3 * PARTS
  assert.ok(own < PARTS / 2, `${own} parts were read for a reader that takes none`)
})

test('nothing is read for HEAD and for a client that has the file already', async (t) => {
  const { seen, get } = await listening(t)
  const head = await get({ method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, `${LENGTH}`])
  const again = await get({ headers: { 'if-none-match': '"one"' } })
  assert.deepEqual([again.status, await again.text()], [304, ''])
  assert.equal(seen.reads, 0)
})

test('a file that cannot be read is refused without the headers of the file', async (t) => {
  const { seen, get } = await listening(t)
  seen.fails = true
  const response = await get()
  assert.equal(response.status, 404)
  assert.equal(response.headers.get('cache-control'), null)
  assert.match(await response.text(), /the file was removed/)
})

test('readers of one client share its bytes, and beyond them nothing is read', async (t) => {
  const unread = new UnreadBytes({ total: 8 * PART_BYTES, perClient: 4 * PART_BYTES })
  const { seen, stand, get } = await listening(t, { unread })
  const first = [await stand(), await stand()]
  assert.deepEqual(
    first.map(({ status }) => status),
    [200, 200],
  )
  const refused = await get()
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
  assert.ok(seen.reads < PARTS, `${seen.reads} parts are read for readers that take none`)
  assert.equal((await stand('192.0.2.2')).status, 200)
  for (const { socket } of first) socket.destroy()
  await until(() => unread.usedBy('192.0.2.1') === 0, 'the connections are closed')
  const response = await get()
  assert.equal((await response.arrayBuffer()).byteLength, LENGTH)
})

test('the bytes of a file are charged before it is read, and those that were not read are returned', async (t) => {
  const units = unitsOfBytes(LENGTH)
  const { costs } = costBudget({ unitsPerSecond: units / 4, totalUnitsPerSecond: 1e9 })
  const { seen, get, stand } = await listening(t, { costs })
  const { socket } = await stand()
  const { status } = await get()
  assert.equal(status, 200, 'two files fit into the budget')
  const before = seen.reads
  assert.equal((await get()).status, 429)
  assert.ok(seen.reads - before < PARTS, 'nothing is read for a client without a budget')
  socket.destroy()
  await until(async () => (await get({ method: 'HEAD' })).status === 200, 'units are returned')
})

test('a client that is refused for its unread files pays for it', async (t) => {
  const unitsPerSecond = unitsOfBytes(LENGTH) / 9
  const { costs } = costBudget({ unitsPerSecond, totalUnitsPerSecond: 1e9 })
  const { get } = await listening(t, {
    costs,
    unread: new UnreadBytes({ total: 1, perClient: 1 }),
  })
  const statuses: number[] = []
  while (statuses.at(-1) !== 429 && statuses.length < 20) statuses.push((await get()).status)
  assert.equal(statuses.at(-1), 429, statuses.join(' '))
  assert.ok(statuses.includes(503))
})

test('a body whose length is not known before is charged as it is read, and waits for a client in debt', async (t) => {
  const unitsPerSecond = unitsOfBytes(LENGTH) / 4
  const { costs, advance } = costBudget({ unitsPerSecond, totalUnitsPerSecond: 1e9 })
  const { seen, get } = await listening(t, { costs }, { length: undefined })
  const read = async () => (await (await get()).arrayBuffer()).byteLength
  const first = await get()
  assert.equal(first.headers.get('content-length'), null)
  assert.equal((await first.arrayBuffer()).byteLength, LENGTH)
  const others = Promise.all([read(), read()])
  await until(() => costs.debtMs('192.0.2.1') > 0, 'the budget is used up')
  assert.ok(seen.reads < 3 * PARTS, `${seen.reads} parts were read of a client in debt`)
  advance(60_000)
  assert.deepEqual(await others, [LENGTH, LENGTH])
  assert.equal(seen.reads, 3 * PARTS)
})
