// Many subscribers, and subscribers that do not read: nothing is lost, others go on, and memory stays flat.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { buildMessage, castAdd } from '../src/kernel/protocol/build.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { HubEventType } from '../src/kernel/protocol/wire/hub_event_pb.js'
import { EventLog } from '../src/kernel/storage/messages/event-log.ts'
import type { Storage } from '../src/kernel/storage/storage.ts'
import { effort } from './effort.ts'
import { eventIdOf, followEvents, rawClient, subscribeRequest } from './grpc-support.ts'
import { accepted, inWorld } from './hub-support.ts'
import { createPlace, type Program, startProgram } from './program.ts'
import { startTcpProxy } from './tcp-proxy.ts'
import { DEVNET, testAccount } from './world.ts'

/** The reader itself holds less than 1 MB; the rest is when garbage is collected. */
const MAX_GROWTH_STALLED_MB = effort(60, 20)

const UNREAD_STREAMS = 50
const MAX_GROWTH_UNREAD_MB = 100

/** A cast of 300 bytes as an event keeps it. */
const cast = encodeEnvelope(
  buildMessage(
    castAdd({ fid: 1, timestamp: 1_000, network: DEVNET }, 'x'.repeat(150)),
    testAccount(1).seed,
  ),
)

/** Commits events about pruned messages. */
async function commitEvents(storage: Storage, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 5_000) {
    await storage.write('hub', async (tx) => {
      const log = new EventLog(tx, Date.now())
      for (let i = 0; i < Math.min(left, 5_000); i++) {
        log.append({ id: log.nextId(), type: HubEventType.PRUNE_MESSAGE, message: cast })
      }
      await log.flush()
    })
  }
}

/** Subscribes to the whole log without a gRPC library, which would cost ten times as much as the hub. */
function subscribeAll(session: ClientHttp2Session): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': '/HubService/Subscribe',
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  stream.on('error', () => {})
  const request = subscribeRequest({ fromId: 0n })
  stream.end(Buffer.concat([Buffer.of(0, 0, 0, 0, request.length), request]))
  return stream
}

const HEAD_BYTES = 5

/** Reads a stream of events up to this one. */
async function readIds(stream: ClientHttp2Stream, lastId: number): Promise<number[]> {
  const ids: number[] = []
  let rest = Buffer.alloc(0)
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.concat([rest, chunk])
    let at = 0
    while (at + HEAD_BYTES <= bytes.length) {
      const end = at + HEAD_BYTES + bytes.readUInt32BE(at + 1)
      if (end > bytes.length) break
      ids.push(eventIdOf(bytes.subarray(at + HEAD_BYTES, end)))
      at = end
    }
    rest = bytes.subarray(at)
    if ((ids.at(-1) ?? 0) >= lastId) return ids
  }
  throw new Error(`the stream ended after ${ids.length} events`)
}

const rssOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

const isLinux = process.platform === 'linux'

test('stalled readers of a long log cost the hub little memory, delay no other reader and read to the end later', {
  skip: !isLinux && 'reads /proc',
}, async (t) => {
  const count = effort(6_000, 1_000_000)
  const place = await createPlace('sqlite')
  const store = await openStore(readConfig(place.env, 'development'))
  await commitEvents(store, count)
  const newest = await store.events.newestId()
  await store.close()
  const program = await startProgram('start', place.env)
  try {
    const sessions = [0, 1].map(() => connect(`http://${program.grpc}`))
    /** The most memory of the hub while two others, on two connections, read the whole log. */
    const peakWhileRead = async (): Promise<number> => {
      let peak = rssOf(program.child.pid!)
      const streams = sessions.map(subscribeAll)
      const reading = Promise.all(streams.map((stream) => readIds(stream, newest)))
      while (!(await Promise.race([reading.then(() => true), sleep(50).then(() => false)]))) {
        peak = Math.max(peak, rssOf(program.child.pid!))
      }
      for (const stream of streams) stream.close()
      return peak
    }
    // What the others cost is known before one of them stalls.
    const before = await peakWhileRead()
    const stalled = subscribeAll(sessions[0]!)
    await once(stalled, 'response')
    const grown = (await peakWhileRead()) - before
    t.diagnostic(`a stalled reader of ${count} events: ${grown.toFixed(0)} MB more at most`)
    assert.ok(grown < MAX_GROWTH_STALLED_MB, `${grown} MB`)
    const ids = await readIds(stalled, newest)
    assert.ok(ids.length >= count)
    assert.ok(ids.every((id, i) => i === 0 || id > ids[i - 1]!))
    for (const session of sessions) session.destroy()
    const unread = await growthOfUnread(program)
    t.diagnostic(
      `${UNREAD_STREAMS} streams of an unread socket: ${unread.toFixed(0)} MB more at most`,
    )
    assert.ok(unread < MAX_GROWTH_UNREAD_MB, `${unread} MB`)
  } finally {
    await program.stop()
    await place.remove()
  }
})

/** How many MB a client costs whose windows take everything and which stops reading its socket. */
async function growthOfUnread(program: Program): Promise<number> {
  const [host = '', port] = program.grpc.split(':')
  const proxy = await startTcpProxy({ host, port: Number(port) })
  const session = connect(`http://127.0.0.1:${proxy.port}`, {
    settings: { initialWindowSize: 2 ** 30 },
  })
  try {
    session.on('error', () => {})
    await once(session, 'remoteSettings')
    session.setLocalWindowSize(2 ** 30)
    const before = rssOf(program.child.pid!)
    const streams = Array.from({ length: UNREAD_STREAMS }, () => subscribeAll(session))
    await once(streams.at(-1)!, 'response')
    proxy.freeze()
    // Memory stops growing once what waits does.
    let [waiting, last, grown] = [0, -1, 0]
    for (; waiting === 0 || waiting !== last; await sleep(250)) {
      last = waiting
      waiting = await unreadBytes(program)
      grown = Math.max(grown, rssOf(program.child.pid!) - before)
    }
    return grown
  } finally {
    session.destroy()
    await proxy.close()
  }
}

async function unreadBytes({ operations }: Program): Promise<number> {
  const text = await (await fetch(`${operations}/metrics`)).text()
  return Number(/^\S*grpc_unread_bytes\S* (\d+)/m.exec(text)?.[1])
}

inWorld('many subscribers over gRPC', (world) => {
  const SUBSCRIBERS = effort(80, 1_000)
  const STALLED = 20

  test(`${SUBSCRIBERS} subscribers on 10 connections, ${STALLED} of them stalled, get every event in order`, async () => {
    const submits = effort(20, 200)
    const author = await world().account(1)
    const clients = Array.from({ length: 10 }, () => rawClient(world().app.urls.grpc))
    const from = BigInt((await world().app.storage.events.newestId()) + 1)
    const open = Array.from({ length: SUBSCRIBERS }, (_, i) =>
      clients[i % 10]!.serverStream('Subscribe', subscribeRequest(i % 2 ? { fromId: from } : {})),
    )
    const stalled = open.slice(0, STALLED)
    for (const stream of stalled) stream.on('error', () => {})
    const followed = open.slice(STALLED).map(followEvents)
    await Promise.all(followed.map(({ begun }) => begun))
    for (let i = 0; i < submits; i++) {
      const init = castAdd(world().origin(author, 1_000 + i), `cast ${i}`)
      accepted(await world().submit(world().sign(author, init)))
    }
    const ids = (await world().app.storage.events.list(Number(from), 10_000)).map(({ id }) => id)
    assert.equal(ids.length, submits)
    for (const one of [...followed, ...stalled.map(followEvents)]) {
      await one.until(ids.at(-1)!)
      assert.deepEqual(one.ids, ids)
    }
    for (const stream of open) stream.cancel()
    for (const client of clients) client.close()
  })
})
