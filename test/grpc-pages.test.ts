// Pages of many and of large messages: StreamFetch as clients reconcile by it, and answers below the clients' limit.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { MAX_PAGE_BYTES, readInBatches } from '../src/kernel/grpc/pages.ts'
import {
  castAdd,
  type DataInit,
  linkAdd,
  linkCompactState,
  reactionAdd,
  userDataAdd,
  verificationRemove,
} from '../src/kernel/protocol/build.ts'
import { hashOf } from '../src/kernel/protocol/crypto/hash.ts'
import { MESSAGE_FORMS } from '../src/kernel/protocol/message.ts'
import { HubEventType } from '../src/kernel/protocol/wire/hub_event_pb.js'
import {
  HashScheme,
  MessageDataSchema,
  SignatureScheme,
} from '../src/kernel/protocol/wire/message_pb.js'
import * as rpc from '../src/kernel/protocol/wire/rpc_pb.js'
import { EventLog } from '../src/kernel/storage/messages/event-log.ts'
import { toStored } from '../src/kernel/storage/messages/message-rows.ts'
import { effort } from './effort.ts'
import { type RawClient, rawClient } from './grpc-support.ts'
import { bytes, inWorld, onEngines } from './hub-support.ts'
import type { World } from './world.ts'

/** The largest answer that the published clients accept. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const FETCH_PAGE = 500
const IN_ONE_TRANSACTION = 1_000

const KINDS = {
  castMessagesByFid: 'GetAllCastMessagesByFid',
  reactionMessagesByFid: 'GetAllReactionMessagesByFid',
  verificationMessagesByFid: 'GetAllVerificationMessagesByFid',
  userDataMessagesByFid: 'GetAllUserDataMessagesByFid',
  linkMessagesByFid: 'GetAllLinkMessagesByFid',
} as const
type Kind = keyof typeof KINDS

const origin = (fid: number, timestamp: number) => ({ fid, timestamp, network: 3 })
const signature = bytes(64, 1)
const signer = bytes(32, 1)

/** Stores messages with their events as a merge does, without what signing and checking them takes. */
async function store(world: World, inits: readonly DataInit[]): Promise<void> {
  for (let at = 0; at < inits.length; at += IN_ONE_TRANSACTION) {
    await world.app.storage.write('hub', async (tx) => {
      const log = new EventLog(tx, world.clock.now())
      const rows = inits.slice(at, at + IN_ONE_TRANSACTION).map((init) => {
        const data = create(MessageDataSchema, init)
        const dataBytes = toBinary(MessageDataSchema, data)
        const id = log.nextId()
        log.append({ id, type: HubEventType.MERGE_MESSAGE })
        return toStored(
          {
            data,
            fid: Number(data.fid),
            dataBytes,
            form: MESSAGE_FORMS.data,
            hash: hashOf(dataBytes),
            hashScheme: HashScheme.BLAKE3,
            signature,
            signatureScheme: SignatureScheme.ED25519,
            signer,
          },
          id,
        )
      })
      await tx.messages.insert(rows)
      await log.flush()
    })
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

/** A compact state of almost 64 KiB. */
const largeState = (fid: number, n: number) =>
  linkCompactState(
    origin(fid, 1_000 + n),
    `type-${n}`,
    numbers(12_900).map((i) => 4_000_000_000 - i),
  )

/** A StreamFetch stream: each request is answered in its turn. */
function openFetch(client: RawClient) {
  const stream = client.duplex('StreamFetch')
  const answers: Buffer[] = []
  const waiting: ((answer: Buffer) => void)[] = []
  stream.on('error', () => {})
  stream.on('data', (answer: Buffer) => {
    const resolve = waiting.shift()
    if (resolve) resolve(answer)
    else answers.push(answer)
  })
  const status = new Promise<number>((resolve) => stream.on('status', ({ code }) => resolve(code)))
  return {
    status,
    end: () => stream.end(),
    ask(idempotencyKey: string, kind: Kind, value: object) {
      const request = create(rpc.StreamFetchRequestSchema, {
        idempotencyKey,
        request: { case: kind, value: create(rpc.FidTimestampRequestSchema, value) },
      })
      stream.write(toBinary(rpc.StreamFetchRequestSchema, request))
    },
    async answer(): Promise<{ answer: rpc.StreamFetchResponse; size: number }> {
      const encoded =
        answers.shift() ?? (await new Promise<Buffer>((resolve) => waiting.push(resolve)))
      return { answer: fromBinary(rpc.StreamFetchResponseSchema, encoded), size: encoded.length }
    },
  }
}

const messagesIn = ({ response }: rpc.StreamFetchResponse): rpc.MessagesResponse => {
  assert.ok(response.case === 'messages', response.case === 'error' ? response.value.message : '')
  return response.value
}

const hashesIn = ({ messages }: rpc.MessagesResponse) =>
  messages.map(({ hash }) => Buffer.from(hash).toString('hex'))

onEngines('StreamFetch in pages', (world) => {
  test('each of the five kinds comes in pages of 500 as from its own method, on one stream that stays open in silence and behind an error', async () => {
    const fid = 20
    const count = FETCH_PAGE + 1
    const target = (n: number) => ({ fid: 1, hash: hashOf(Buffer.from(String(n))) })
    await store(world(), [
      ...numbers(count).map((n) => castAdd(origin(fid, n), `cast ${n}`)),
      ...numbers(count).map((n) => reactionAdd(origin(fid, n), 1, target(n))),
      ...numbers(count).map((n) =>
        verificationRemove(origin(fid, n), target(n).hash.subarray(0, 20)),
      ),
      ...numbers(count).map((n) => linkAdd(origin(fid, n), 'follow', n + 1)),
      userDataAdd(origin(fid, 1), 3, 'a bio'),
      linkCompactState(origin(fid, 2_000), 'block', [3]),
    ])
    const client = rawClient(world().app.urls.grpc)
    const fetching = openFetch(client)
    const fetched: Record<string, number[]> = {}
    for (const [kind, method] of Object.entries(KINDS) as [Kind, string][]) {
      const pages: number[] = []
      let pageToken: Uint8Array | undefined
      do {
        const request = { fid: BigInt(fid), pageSize: FETCH_PAGE, ...(pageToken && { pageToken }) }
        fetching.ask(`${kind} ${pages.length}`, kind, request)
        const { answer } = await fetching.answer()
        assert.equal(answer.idempotencyKey, `${kind} ${pages.length}`)
        const page = messagesIn(answer)
        const own = await client.call(
          method,
          toBinary(rpc.FidTimestampRequestSchema, create(rpc.FidTimestampRequestSchema, request)),
        )
        const alone = fromBinary(rpc.MessagesResponseSchema, own.bytes!)
        assert.deepEqual(page.nextPageToken, alone.nextPageToken)
        assert.deepEqual(page.messages.slice(0, alone.messages.length), alone.messages)
        pages.push(page.messages.length)
        pageToken = page.nextPageToken
      } while (pageToken)
      fetched[kind] = pages
      fetching.ask(`${kind} refused`, kind, { fid: 0n })
      const { answer } = await fetching.answer()
      assert.deepEqual([answer.idempotencyKey, answer.response.case], [`${kind} refused`, 'error'])
    }
    assert.deepEqual(fetched, {
      castMessagesByFid: [500, 1],
      reactionMessagesByFid: [500, 1],
      verificationMessagesByFid: [500, 1],
      userDataMessagesByFid: [1],
      // The compact state comes behind the last link.
      linkMessagesByFid: [500, 2],
    })
    await sleep(effort(100, 15_000))
    fetching.ask('after a silence', 'castMessagesByFid', { fid: BigInt(fid), pageSize: 1 })
    assert.equal((await fetching.answer()).answer.idempotencyKey, 'after a silence')
    fetching.end()
    assert.equal(await fetching.status, 0)
    client.close()
  })
})

inWorld('large pages over gRPC', (world) => {
  const CASTS = effort(2_000, 10_000)

  /** Reads every page; answers below the limit, by the greatest length, and the hashes. */
  async function readAll(
    method: string,
    request: object,
  ): Promise<{ pages: number; largest: number; hashes: string[] }> {
    const client = rawClient(world().app.urls.grpc)
    const hashes: string[] = []
    let [pages, largest] = [0, 0]
    let pageToken: Uint8Array | undefined
    do {
      const whole = { ...request, ...(pageToken && { pageToken }) }
      const encoded = toBinary(
        rpc.FidTimestampRequestSchema,
        create(rpc.FidTimestampRequestSchema, whole),
      )
      const { bytes: answer, details } = await client.call(method, encoded)
      assert.ok(answer, details)
      const page = fromBinary(rpc.MessagesResponseSchema, answer)
      hashes.push(...hashesIn(page))
      pages++
      largest = Math.max(largest, answer.length)
      pageToken = page.nextPageToken
    } while (pageToken)
    client.close()
    assert.ok(largest <= MAX_ANSWER_BYTES, `${largest} bytes`)
    assert.equal(new Set(hashes).size, hashes.length)
    return { pages, largest, hashes }
  }

  test(`${CASTS} casts of 2 KB that are asked for at once come whole, in answers below 4 MiB`, async () => {
    const text = 'x'.repeat(2_000)
    await store(
      world(),
      numbers(CASTS).map((n) => castAdd(origin(30, n), `${text}${n}`)),
    )
    for (const reverse of [false, true]) {
      const request = { fid: 30n, pageSize: 10_000, reverse }
      const { pages, largest, hashes } = await readAll('GetAllCastMessagesByFid', request)
      assert.equal(hashes.length, CASTS)
      assert.ok(pages >= (CASTS * 4_100) / MAX_ANSWER_BYTES, `${pages} pages`)
      assert.ok(largest > 0.95 * MAX_PAGE_BYTES, `${largest} bytes: pages are full`)
    }
  })

  test('compact states of 64 KiB come whole, and with many links in an answer of their own', async () => {
    const states = 16
    const links = effort(9_900, 9_999)
    await store(world(), [
      ...numbers(states).map((n) => largeState(31, n)),
      ...numbers(links).map((n) => linkAdd(origin(31, n), 'follow', n + 1)),
    ])
    const own = await readAll('GetLinkCompactStateMessageByFid', { fid: 31n })
    assert.equal(own.hashes.length, states)
    assert.ok(own.largest > 2 * states * 64_000, `${own.largest} bytes`)
    const client = rawClient(world().app.urls.grpc)
    const fetching = openFetch(client)
    const found: string[] = []
    let lastPage = 0
    let pageToken: Uint8Array | undefined
    do {
      fetching.ask('key', 'linkMessagesByFid', { fid: 31n, ...(pageToken && { pageToken }) })
      const { answer, size } = await fetching.answer()
      assert.ok(size <= MAX_ANSWER_BYTES, `${size} bytes`)
      const page = messagesIn(answer)
      lastPage = page.messages.length
      found.push(...hashesIn(page))
      pageToken = page.nextPageToken
    } while (pageToken)
    fetching.end()
    await fetching.status
    client.close()
    assert.deepEqual([found.length, lastPage], [links + states, states])
    assert.deepEqual(found.slice(links), own.hashes)
  })

  test('events of large messages come in pages below 4 MiB, each once', async () => {
    const from = (await world().app.storage.events.newestId()) + 1
    await store(
      world(),
      numbers(40).map((n) => largeState(32, n)),
    )
    const wanted = (await world().app.storage.events.list(from, 100)).map(({ id }) => id)
    const client = rawClient(world().app.urls.grpc)
    for (const reverse of [false, true]) {
      const ids: number[] = []
      let pageToken: Uint8Array | undefined
      do {
        const request = { startId: BigInt(from), reverse, ...(pageToken && { pageToken }) }
        const { bytes: answer, details } = await client.call(
          'GetEvents',
          toBinary(rpc.EventsRequestSchema, create(rpc.EventsRequestSchema, request)),
        )
        assert.ok(answer && answer.length <= MAX_ANSWER_BYTES, details)
        const page = fromBinary(rpc.EventsResponseSchema, answer)
        ids.push(...page.events.map(({ id }) => Number(id)))
        pageToken = page.nextPageToken
      } while (pageToken)
      assert.deepEqual(ids, reverse ? wanted.toReversed() : wanted)
    }
    client.close()
  })
})

test('a large page is read in portions, with a turn of the event loop after each', async () => {
  let turns = 0
  let isOver = false
  const turning = (async () => {
    for (; !isOver; turns++) await nextTurn()
  })()
  const asked: { turn: number; size: number }[] = []
  const token = bytes(24, 1)
  const { items } = await readInBatches(
    { size: 10_000, token: undefined, reverse: false },
    async ({ size }) => {
      asked.push({ turn: turns, size })
      return { items: Array(size).fill(0), next: token }
    },
    () => 100,
    { isCancelled: () => false },
  )
  isOver = true
  await turning
  assert.equal(items.length, 10_000)
  assert.ok(asked.every(({ size }) => size <= 1_000))
  for (const [i, { turn }] of asked.entries()) {
    if (i > 0) assert.ok(turn > asked[i - 1]!.turn, `portions ${i - 1} and ${i} in one turn`)
  }
})
