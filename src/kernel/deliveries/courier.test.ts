import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Lookup } from '../http/outgoing.ts'
import {
  BACK_OFF_MS,
  Courier,
  type Delivery,
  type DeliveryQueue,
  GIVE_UP_MS,
  MAX_IN_FLIGHT,
  MAX_WAITING,
} from './courier.ts'
import { sendDelivery } from './send.ts'

const NOW = 1_767_225_600_000
const never = new AbortController().signal

type Answering = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** A receiver that notes what it gets and answers as it is told. */
async function receiver(answer: Answering = (_request, response) => response.end()) {
  const got: { body: string; headers: IncomingMessage['headers'] }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    got.push({ body, headers: request.headers })
    answer(request, response, body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { got, url: new URL(`http://127.0.0.1:${port}/hook?key=secret`) }
}

type Row = Delivery & { readonly n: number }

/** A queue in memory, in the order of `n`. */
function queueOf(deliveries: Row[]): DeliveryQueue<Row> & { rows: Row[] } {
  const rows = [...deliveries]
  const sorted = () => rows.sort((a, b) => a.n - b.n)
  const at = ({ target, n }: Row) => rows.findIndex((row) => row.target === target && row.n === n)
  return {
    rows,
    heads: async () => [
      ...new Map(
        sorted()
          .toReversed()
          .map((row) => [row.target, row]),
      ).values(),
    ],
    head: async (target) => sorted().find((row) => row.target === target),
    count: async (target, limit) =>
      Math.min(limit, rows.filter((row) => row.target === target).length),
    end: async (row) => {
      rows.splice(at(row), 1)
    },
    postpone: async (row, attempts, due) => {
      rows[at(row)] = { ...rows[at(row)]!, attempts, due }
    },
    drop: async (target) => {
      for (let i = rows.length - 1; i >= 0; i--) if (rows[i]!.target === target) rows.splice(i, 1)
    },
  }
}

const delivery = (target: string, n: number, queuedAt = NOW): Row => ({
  target,
  n,
  attempts: 0,
  due: 0,
  queuedAt,
})

function courierOf(
  queue: DeliveryQueue<Row>,
  urlOf: (target: string) => URL,
  { timeoutMs = () => 60_000, lookup }: { timeoutMs?: () => number; lookup?: Lookup } = {},
) {
  const clock = { ms: NOW }
  const faults = new Map<string, string>()
  const outcomes: string[] = []
  const courier = new Courier({
    queue,
    nowMs: () => clock.ms,
    send: ({ target, n }, stop) =>
      sendDelivery(
        {
          url: urlOf(target),
          body: JSON.stringify({ number: n }),
          headers: { 'x-signature': `of ${n}` },
          deliveryId: `${target}:${n}`,
        },
        { allowLoopback: true, ...(lookup && { lookup }) },
        { stop, timeoutMs: timeoutMs() },
      ),
    giveUp: async (target, fault) => {
      faults.set(target, fault)
      await queue.drop(target, fault)
    },
    count: (outcome) => outcomes.push(outcome),
    log: { info: () => {}, warn: () => {} },
  })
  return { courier, clock, faults, outcomes, run: (stop = never) => courier.run(stop) }
}

const numbersOf = (got: readonly { body: string }[]) =>
  got.map(({ body }) => JSON.parse(body).number)

describe('deliveries of webhooks', () => {
  test('deliveries of a webhook arrive in order, with the headers of their sender and a name', async () => {
    const { got, url } = await receiver()
    const queue = queueOf([3, 1, 2].map((number) => delivery('w', number)))
    const { run } = courierOf(queue, () => url)
    await run()
    assert.deepEqual(numbersOf(got), [1, 2, 3])
    assert.deepEqual(queue.rows, [])
    const [{ headers }] = got as [(typeof got)[0]]
    assert.equal(headers['x-signature'], 'of 1')
    assert.equal(headers['x-rookery-delivery'], 'w:1')
    assert.equal(headers['content-type'], 'application/json')
  })

  test('receivers that are slow leave their places to others after each delivery', async () => {
    const slow = Array.from({ length: MAX_IN_FLIGHT }, (_, i) => `slow ${i}`)
    const waiting = slow.flatMap((target) => [1, 2, 3, 4, 5].map((n) => delivery(target, n)))
    const queue = queueOf([...waiting, delivery('quick', 0)])
    const sent: string[] = []
    const clock = { ms: NOW }
    const courier = new Courier({
      queue,
      nowMs: () => clock.ms,
      async send({ target }) {
        sent.push(target)
        clock.ms += 5_000
        return { outcome: 'delivered', status: 200 }
      },
      giveUp: async () => {},
      count: () => {},
      log: { info: () => {}, warn: () => {} },
    })
    while (queue.rows.length > 0) await courier.run(never)
    assert.equal(sent.length, waiting.length + 1)
    assert.ok(sent.indexOf('quick') <= 2 * MAX_IN_FLIGHT, String(sent.indexOf('quick')))
  })

  test('a delivery that succeeds while waiting ones are listed is sent once', async () => {
    const listed = Promise.withResolvers<void>()
    const { got, url } = await receiver(async (_request, response) => {
      await listed.promise
      response.end()
    })
    const queue = queueOf([delivery('w', 1)])
    let lists = 0
    const heads = async () => {
      const rows = await queue.heads()
      if (++lists === 2) {
        listed.resolve()
        while (queue.rows.length > 0) await delay(1)
        await delay(1)
      }
      return rows
    }
    const { run, outcomes } = courierOf({ ...queue, heads }, () => url)
    await run()
    assert.equal(lists, 2)
    assert.deepEqual(numbersOf(got), [1])
    assert.deepEqual(outcomes, ['delivered'])
  })

  test('a failed delivery is repeated after each wait of the table, and what follows it waits', async () => {
    const { got, url } = await receiver((_request, response) => {
      response.statusCode = 503
      response.end()
    })
    const queue = queueOf([delivery('w', 1), delivery('w', 2)])
    const { run, clock } = courierOf(queue, () => url)
    const waits = [...BACK_OFF_MS, 3_600_000, 3_600_000]
    for (const [i, wait] of waits.entries()) {
      await run()
      assert.equal(got.length, i + 1)
      clock.ms += wait - 1
      await run()
      assert.equal(got.length, i + 1, `attempt ${i + 2} waits ${wait} ms`)
      clock.ms += 1
    }
    assert.deepEqual(new Set(numbersOf(got)), new Set([1]))
    assert.equal(new Set(got.map(({ headers }) => headers['x-rookery-delivery'])).size, 1)
  })

  test('a receiver that hangs, resets or fails gets every event in order once it works again', async () => {
    let calls = 0
    const { got, url } = await receiver((request, response) => {
      calls++
      if (calls === 1) return
      if (calls === 3) request.socket.destroy()
      else if (calls === 5) response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
      else response.end()
    })
    const queue = queueOf([1, 2, 3].map((number) => delivery('w', number)))
    // Only what hangs takes so long; a busy machine may take as long for the others.
    const timeoutMs = () => (calls === 0 ? 2_000 : 60_000)
    const { run, clock, outcomes } = courierOf(queue, () => url, { timeoutMs })
    for (let round = 0; queue.rows.length > 0 && round < 10; round++) {
      await run()
      clock.ms += 1_000
    }
    assert.deepEqual(numbersOf(got), [1, 1, 2, 2, 3, 3])
    assert.equal(outcomes.filter((outcome) => outcome === 'failed').length, 3)
  })

  test('a webhook whose receiver answers 410 is switched off and what waits is deleted', async () => {
    const { got, url } = await receiver((_request, response) => response.writeHead(410).end())
    const queue = queueOf([delivery('w', 1), delivery('w', 2), delivery('v', 3)])
    const other = await receiver()
    const { run, faults } = courierOf(queue, (target) => (target === 'w' ? url : other.url))
    await run()
    assert.equal(got.length, 1)
    assert.deepEqual([...faults], [['w', 'the receiver answered 410']])
    assert.deepEqual(numbersOf(other.got), [3])
    assert.deepEqual(queue.rows, [])
  })

  test('a webhook is switched off 24 hours after an event that could not be delivered', async () => {
    const { url } = await receiver((_request, response) => response.writeHead(500).end())
    const atMs = NOW - GIVE_UP_MS
    const queue = queueOf([delivery('w', 1, atMs + 1), delivery('v', 1, atMs)])
    const { run, faults } = courierOf(queue, () => url)
    await run()
    assert.deepEqual([...faults.keys()], ['v'])
    assert.match(faults.get('v')!, /answered 500/)
    assert.equal(queue.rows[0]!.target, 'w')
  })

  test('a webhook with more than 100,000 waiting deliveries is switched off', async () => {
    const { got, url } = await receiver()
    const queue = queueOf([delivery('w', 1), delivery('v', 1)])
    queue.count = async (target, limit) =>
      Math.min(limit, target === 'w' ? MAX_WAITING + 1 : MAX_WAITING)
    const { run, faults } = courierOf(queue, () => url)
    await run()
    assert.deepEqual([...faults.keys()], ['w'])
    assert.equal(got.length, 2)
  })

  test('at most 64 deliveries are in flight, and one of each webhook', async () => {
    let open = 0
    let most = 0
    const perWebhook = new Map<unknown, number>()
    let mostOfOne = 0
    const { got, url } = await receiver((request, response) => {
      const [webhook] = String(request.headers['x-rookery-delivery']).split(':')
      const own = (perWebhook.get(webhook) ?? 0) + 1
      perWebhook.set(webhook, own)
      most = Math.max(most, ++open)
      mostOfOne = Math.max(mostOfOne, own)
      setTimeout(() => {
        open--
        perWebhook.set(webhook, own - 1)
        response.end()
      }, 5)
    })
    const queue = queueOf(
      Array.from({ length: 100 }, (_, i) => [delivery(`w${i}`, 1), delivery(`w${i}`, 2)]).flat(),
    )
    const { run } = courierOf(queue, () => url)
    await run()
    assert.equal(got.length, 200)
    assert.ok(most <= MAX_IN_FLIGHT, `${most} in flight`)
    assert.equal(mostOfOne, 1)
  })

  test('a stop ends a delivery that hangs without counting it as a failure', async () => {
    const { got, url } = await receiver(() => {})
    const queue = queueOf([delivery('w', 1)])
    const { run, outcomes } = courierOf(queue, () => url)
    const stop = new AbortController()
    const running = run(stop.signal)
    while (got.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    stop.abort()
    await running
    assert.deepEqual(outcomes, [])
    assert.deepEqual(queue.rows, [delivery('w', 1)])
  })

  test('a failure of the store ends the run with its error', async () => {
    const { url } = await receiver()
    const queue = queueOf([delivery('w', 1)])
    queue.end = async () => {
      throw new Error('the disk is full')
    }
    const { run } = courierOf(queue, () => url)
    await assert.rejects(run(), /the disk is full/)
  })
})

describe('where webhooks are sent', () => {
  const send = (url: string, lookup?: Lookup, allowLoopback = false) =>
    sendDelivery(
      { url: new URL(url), body: '{}', deliveryId: 'w:1' },
      { allowLoopback, ...(lookup && { lookup }) },
      { stop: never },
    )
  const refused = async (work: ReturnType<typeof send>, why: RegExp) => {
    const result = await work
    assert.equal(result.outcome, 'failed')
    if (result.outcome === 'failed') assert.match(result.reason, why)
  }

  test('a webhook at a private address, at http or with a user name is not sent', async () => {
    const { got, url } = await receiver()
    await refused(send(url.href), /not at a public address/)
    await refused(send('https://10.0.0.1/'), /not at a public address/)
    await refused(send('http://example.com/'), /must begin with https/)
    await refused(send('https://user@example.com/'), /user name/)
    assert.equal(got.length, 0)
  })

  test('a name that now resolves to a private address is not connected to', async () => {
    const { got } = await receiver()
    // Public when the webhook was made; private, or partly private, when it is sent.
    const answers = [['127.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['169.254.169.254'], []]
    let asked = 0
    for (const addresses of answers) {
      const lookup: Lookup = async () => {
        asked++
        return addresses.map((address) => ({ address, family: 4 }))
      }
      await refused(send('https://hooks.example.com/', lookup), /not at a public address/)
    }
    assert.equal(asked, answers.length, 'each name is resolved once')
    assert.equal(got.length, 0)
  })

  test('a reason does not tell the query of the target', async () => {
    const { url } = await receiver((request) => request.socket.destroy())
    const result = await send(url.href, undefined, true)
    assert.equal(result.outcome, 'failed')
    assert.equal(JSON.stringify(result).includes('secret'), false)
  })
})
