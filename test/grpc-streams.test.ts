// Subscribe, StreamFetch and what the transport does with calls that go wrong.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import type * as grpc from '@grpc/grpc-js'
import { MAX_REQUEST_BYTES } from '../src/kernel/grpc/method.ts'
import { statusOf } from '../src/kernel/grpc/status.ts'
import { filterOf, jumpHash } from '../src/kernel/grpc/subscribe.ts'
import { castAdd, linkAdd, linkCompactState } from '../src/kernel/protocol/build.ts'
import { Rejection } from '../src/kernel/protocol/rejection.ts'
import * as rpc from '../src/kernel/protocol/wire/rpc_pb.js'
import { followEvents as follow, rawClient, subscribeRequest } from './grpc-support.ts'
import { accepted, inWorld, onEngines } from './hub-support.ts'
import { PATIENCE_MS } from './patience.ts'
import { createWorld, type TestAccount, type World } from './world.ts'

async function submitCast(world: World, author: TestAccount, second: number): Promise<number> {
  const init = castAdd(world.origin(author, second), `cast ${second}`)
  accepted(await world.submit(world.sign(author, init)))
  return world.app.storage.events.newestId()
}

onEngines('Subscribe over gRPC', (world) => {
  test('a stream begins where it is asked to: at the oldest event, at an id, or with the next submit', async () => {
    const author = await world().account(1)
    for (const second of [100, 101, 102]) await submitCast(world(), author, second)
    const all = (await world().app.storage.events.list(0, 1_000)).map(({ id }) => id)
    const last = all.at(-1)!
    const client = rawClient(world().app.urls.grpc)
    const starts: [fromId: bigint | undefined, stored: number[]][] = [
      [0n, all],
      [BigInt(all[2]!), all.slice(2)],
      [BigInt(last), [last]],
      [BigInt(last + 1), []],
      [undefined, []],
    ]
    const followed = starts.map(([fromId, stored]) => {
      const request = subscribeRequest(fromId === undefined ? {} : { fromId })
      const stream = client.serverStream('Subscribe', request)
      return { stream, stored, ...follow(stream) }
    })
    for (const { begun } of followed) await begun
    const next = await submitCast(world(), author, 103)
    for (const { ids, stored, until, stream } of followed) {
      await until(next)
      assert.deepEqual(ids, [...stored, next])
      stream.cancel()
    }
    client.close()
  })

  test('a reader that continues above the newest event is refused by Subscribe and by GetEvents', async () => {
    const newest = await world().app.storage.events.newestId()
    const client = rawClient(world().app.urls.grpc)
    for (const fromId of [BigInt(newest + 2), 2n ** 60n]) {
      const stream = client.serverStream('Subscribe', subscribeRequest({ fromId }))
      stream.resume()
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const [error] = (await once(stream, 'error', { signal })) as [grpc.ServiceError]
      assert.equal(error.code, 3)
      assert.match(error.details, /^from_id is above the newest event, \d+: .*read the lists/)
      assert.deepEqual(error.metadata.get('errcode'), ['bad_request.future_event'])
      assert.deepEqual(error.metadata.get('field'), ['from_id'])
      const schema = rpc.EventsRequestSchema
      const request = toBinary(schema, create(schema, { startId: fromId }))
      const refusal = await client.call('GetEvents', request)
      assert.deepEqual([refusal.status, refusal.errCode], [3, 'bad_request.future_event'])
      assert.match(refusal.details, /^start_id is above the newest event, \d+: .*read the lists/)
    }
    client.close()
  })

  test('a stream from before the oldest event begins at the oldest one and names it in a header', async () => {
    const author = await world().account(2)
    await submitCast(world(), author, 100)
    const newest = await world().app.storage.events.newestId()
    await world().app.storage.write('hub', (tx) => tx.events.prune(newest, 10_000))
    const client = rawClient(world().app.urls.grpc)
    const stream = client.serverStream('Subscribe', subscribeRequest({ fromId: 1n }))
    const { ids, begun, until } = follow(stream)
    const headers = await begun
    assert.deepEqual(headers.get('x-oldest-event-id'), [String(newest)])
    await until(newest)
    assert.deepEqual(ids, [newest])
    stream.cancel()
    client.close()
  })

  test('subscribers that come and go while many write get every event once, in order', async () => {
    const author = await world().account(3, { units: 50 })
    const client = rawClient(world().app.urls.grpc)
    const from = BigInt((await world().app.storage.events.newestId()) + 1)
    const followed = []
    for (let round = 0; round < 6; round++) {
      const stream = client.serverStream(
        'Subscribe',
        subscribeRequest({ fromId: round % 2 ? 0n : from }),
      )
      const one = { stream, isWhole: round % 2 === 1, ...follow(stream) }
      if (round === 0) await one.begun
      followed.push(one)
      const seconds = Array.from({ length: 20 }, (_, i) => 200 + round * 20 + i)
      await Promise.all(seconds.map((second) => submitCast(world(), author, second)))
    }
    const all = (await world().app.storage.events.list(0, 10_000)).map(({ id }) => id)
    for (const { ids, isWhole, until, stream } of followed) {
      await until(all.at(-1)!)
      assert.deepEqual(ids, isWhole ? all : all.filter((id) => id >= Number(from)))
      stream.cancel()
    }
    client.close()
  })

  test('a stopping hub ends streams with status 14', async () => {
    const other = await createWorld({})
    const client = rawClient(other.app.urls.grpc)
    const stream = client.serverStream('Subscribe', subscribeRequest({}))
    const { begun, status } = follow(stream)
    const fetching = client.duplex('StreamFetch')
    const fetched = new Promise<grpc.StatusObject>((resolve) => fetching.on('status', resolve))
    fetching.on('error', () => {})
    fetching.resume()
    await begun
    await other.close()
    const { code, metadata } = await status
    assert.deepEqual([code, metadata.get('errcode')], [14, ['unavailable']])
    assert.equal((await fetched).code, 14)
    client.close()
  })
})

test('fids are placed on shards as the deployed hubs place them', () => {
  const fids = [1, 2, 3, 202, 301, 6_833, 20_114, 310_826, 2 ** 32 - 1]
  const shards: [total: number, number[]][] = [
    [2, [0, 0, 0, 0, 1, 0, 1, 0, 0]],
    [3, [0, 0, 2, 2, 1, 2, 1, 0, 2]],
    [10, [6, 6, 8, 2, 1, 7, 7, 9, 5]],
  ]
  for (const [total, expected] of shards) {
    assert.deepEqual(
      fids.map((fid) => jumpHash(fid, total)),
      expected,
    )
  }
})

test('a Subscribe filter gives each event to one shard, and events without a message to the first', () => {
  const of = (init: MessageInitShape<typeof rpc.SubscribeRequestSchema>) =>
    filterOf(create(rpc.SubscribeRequestSchema, init))
  assert.equal(of({}), undefined)
  assert.equal(of({ shardIndex: 1n }), undefined, 'the only shard has everything')
  assert.throws(() => of({ shardIndex: 2n }), /shard_index must be 0 or 1: this hub has one shard/)
  assert.equal(of({ totalShards: 0n, shardIndex: 1n }), undefined)
  for (let total = 1; total <= 10; total++) {
    const filters = Array.from(
      { length: total },
      (_, index) => of({ totalShards: BigInt(total), shardIndex: BigInt(index) })!,
    )
    for (const type of [1, 2, 3, 6, 9]) {
      for (const fid of [1, 2, 301, 310_826]) {
        const shards = filters.flatMap((filter, index) => (filter({ type, fid }) ? [index] : []))
        assert.equal(shards.length, 1)
        if (type === 6 || type === 9) assert.deepEqual(shards, [0])
      }
    }
  }
  const ofTypes = of({ eventTypes: [1, 9] })!
  assert.deepEqual(
    [1, 2, 9].map((type) => ofTypes({ type, fid: 1 })),
    [true, false, true],
  )
  assert.throws(() => of({ totalShards: 11n, shardIndex: 0n }), /totalShards must be less than 10/)
  assert.throws(() => of({ totalShards: 2n }), /invalid shard index/)
  assert.throws(() => of({ totalShards: 2n, shardIndex: 2n }), /invalid shard index/)
})

onEngines('StreamFetch over gRPC', (world) => {
  test('requests of one stream are answered in their order, a failure with its key, and links end with compact states', async () => {
    const author = await world().account(10)
    const at = (second: number) => world().origin(author, second)
    await submitCast(world(), author, 100)
    accepted(await world().submit(world().sign(author, linkAdd(at(101), 'follow', 2))))
    accepted(await world().submit(world().sign(author, linkCompactState(at(99), 'block', [3]))))
    const client = rawClient(world().app.urls.grpc)
    const stream = client.duplex('StreamFetch')
    const answers: rpc.StreamFetchResponse[] = []
    stream.on('data', (bytes: Buffer) =>
      answers.push(fromBinary(rpc.StreamFetchResponseSchema, bytes)),
    )
    const ended = new Promise<grpc.StatusObject>((resolve) => stream.on('status', resolve))
    const kinds = [
      'castMessagesByFid',
      'reactionMessagesByFid',
      'verificationMessagesByFid',
      'userDataMessagesByFid',
      'linkMessagesByFid',
    ] as const
    const ask = (idempotencyKey: string, request: rpc.StreamFetchRequest['request']) =>
      stream.write(
        toBinary(
          rpc.StreamFetchRequestSchema,
          create(rpc.StreamFetchRequestSchema, { idempotencyKey, request }),
        ),
      )
    const request = (fid: bigint) => create(rpc.FidTimestampRequestSchema, { fid })
    for (let i = 0; i < 100; i++) ask(`key ${i}`, { case: kinds[i % 5]!, value: request(10n) })
    ask('nothing asked', { case: undefined })
    ask('refused', { case: 'castMessagesByFid', value: request(0n) })
    stream.end()
    assert.equal((await ended).code, 0)
    assert.deepEqual(
      answers.map(({ idempotencyKey }) => idempotencyKey),
      [...Array.from({ length: 100 }, (_, i) => `key ${i}`), 'refused'],
    )
    const counts = answers
      .slice(0, 5)
      .map(({ response }) => (response.case === 'messages' ? response.value.messages.length : -1))
    assert.deepEqual(counts, [1, 0, 0, 0, 2])
    const { response } = answers.at(-1)!
    assert.equal(response.case, 'error')
    const { errCode, message, request: what } = response.value as rpc.StreamError
    assert.deepEqual(
      [errCode, message, what],
      ['bad_request.validation_failure', 'fid is missing', 'fetch'],
    )
    client.close()
  })
})

inWorld('the gRPC transport', (world) => {
  test('the health check answers that the hub serves', async () => {
    const client = rawClient(world().app.urls.grpc)
    const { bytes } = await client.call('/grpc.health.v1.Health/Check', new Uint8Array(0))
    assert.deepEqual([...bytes!], [8, 1])
    client.close()
  })

  test('a method that is not served and a path that is unknown have status 12', async () => {
    const client = rawClient(world().app.urls.grpc)
    const known = await client.call('ForceSync', new Uint8Array(0))
    assert.deepEqual(
      [known.status, known.errCode, known.details],
      [12, 'not_implemented', 'ForceSync is not implemented'],
    )
    assert.equal((await client.call('/AdminService/RebuildSyncTrie', new Uint8Array(0))).status, 12)
    client.close()
  })

  test('a request that is not of its type is refused as unparsable', async () => {
    const client = rawClient(world().app.urls.grpc)
    const { status, errCode } = await client.call('GetCast', Buffer.from('ffff', 'hex'))
    assert.deepEqual([status, errCode], [3, 'bad_request.parse_failure'])
    client.close()
  })

  test('a message of 4 MiB is read and one byte more is refused, also when it is much larger', async () => {
    const client = rawClient(world().app.urls.grpc)
    const largest = await client.call('SubmitMessage', new Uint8Array(MAX_REQUEST_BYTES))
    assert.equal(largest.status, 3, largest.details)
    const larger = await client.call('SubmitMessage', new Uint8Array(MAX_REQUEST_BYTES + 1))
    assert.deepEqual([larger.status, larger.errCode], [8, 'bad_request.parse_failure'])
    const huge = await client.call('SubmitMessage', new Uint8Array(4 * MAX_REQUEST_BYTES))
    assert.equal(huge.status, 8)
    client.close()
  })

  test('texts of refusals arrive with percent signs, newlines and letters of other scripts', async () => {
    const client = rawClient(world().app.urls.grpc)
    const name = Buffer.from('100% größe\nname')
    const request = toBinary(
      rpc.UsernameProofRequestSchema,
      create(rpc.UsernameProofRequestSchema, { name }),
    )
    const { details } = await client.call('GetUsernameProof', request)
    const http = await world().get(
      `/v1/userNameProofByName?name=${encodeURIComponent(String(name))}`,
    )
    assert.equal(details, http.body.message)
    const { details: broken } = statusOf(new Rejection('bad_request', 'half a pair: \ud800'))
    assert.doesNotThrow(() => encodeURI(broken))
    client.close()
  })

  test('a call whose deadline is over ends with status 4, and later calls on the connection succeed', async () => {
    const client = rawClient(world().app.urls.grpc)
    const { status } = await client.call('GetInfo', new Uint8Array(0), { deadlineMs: -1 })
    assert.equal(status, 4)
    assert.equal((await client.call('GetInfo', new Uint8Array(0))).status, 0)
    client.close()
  })

  test('HTTP/1 and garbage on the port close their connection and disturb no other client', async () => {
    const client = rawClient(world().app.urls.grpc)
    const [host, port] = world().app.urls.grpc.split(':')
    for (const text of ['GET / HTTP/1.1\r\nhost: hub\r\n\r\n', '\0'.repeat(1_000)]) {
      const socket = connect(Number(port), host)
      socket.on('error', () => {})
      socket.resume()
      socket.write(text)
      await once(socket, 'close')
    }
    assert.equal((await client.call('GetInfo', new Uint8Array(0))).status, 0)
    client.close()
  })

  test('1,024 calls at once on one connection are all answered', async () => {
    const client = rawClient(world().app.urls.grpc)
    const calls = Array.from({ length: 1_024 }, () => client.call('GetFids', new Uint8Array(0)))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    assert.deepEqual([...new Set(statuses)], [0])
    client.close()
  })
})

inWorld(
  'gRPC limits',
  (world) => {
    const from = (address: string) => ({ 'x-forwarded-for': address })

    test('a foreign address has 16 subscriptions, one more with credentials, and a free one when one ends', async () => {
      const client = rawClient(world().app.urls.grpc)
      const foreign = from('203.0.113.7')
      const open = (headers: Record<string, string>) => {
        const stream = client.serverStream('Subscribe', subscribeRequest({}), headers)
        return { stream, ...follow(stream) }
      }
      const streams = Array.from({ length: 16 }, () => open(foreign))
      for (const { begun } of streams) await begun
      const { code, details, metadata } = await open(foreign).status
      assert.deepEqual(
        [code, details, metadata.get('errcode')],
        [14, 'Too many connections from this IP: 203.0.113.7', ['unavailable']],
      )
      const credentials = Buffer.from('alice:secret').toString('base64')
      await open({ ...foreign, authorization: `Basic ${credentials}` }).begun
      await open(from('203.0.113.8')).begun
      streams[0]!.stream.cancel()
      // The end of a stream reaches the hub some time after its client gave it up.
      for (let isFree = false; !isFree; ) {
        const { begun, status } = open(foreign)
        isFree = await Promise.race([begun.then(() => true), status.then(() => false)])
      }
      client.close()
    })

    test('submits of a foreign address are limited by the minute, and those without credentials count', async () => {
      const client = rawClient(world().app.urls.grpc)
      const submit = () =>
        client.call('SubmitMessage', new Uint8Array(0), { headers: from('203.0.113.9') })
      const codes = []
      for (let i = 0; i < 4; i++) codes.push((await submit()).errCode)
      assert.deepEqual(codes, [
        'unauthenticated',
        'unauthenticated',
        'unauthenticated',
        'unavailable',
      ])
      client.close()
    })
  },
  {
    env: {
      ROOKERY_TRUSTED_PROXIES: '127.0.0.1',
      ROOKERY_RPC_AUTH: 'alice:secret',
      ROOKERY_SUBMIT_LIMIT: '3',
    },
  },
)
