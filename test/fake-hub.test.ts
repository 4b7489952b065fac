import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import * as grpc from '@grpc/grpc-js'
import * as hub from 'hub-nodejs-0.17'
import {
  buildMessage,
  castAdd,
  castRemove,
  type DataInit,
  linkAdd,
  linkCompactState,
  type Origin,
  userDataAdd,
} from '../src/kernel/protocol/build.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { hashOf } from '../src/kernel/protocol/crypto/hash.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import { EVENTS_PER_BLOCK } from './fake-hub/shard.ts'
import { bucketOf, trieNode } from './fake-hub/trie.ts'
import type { TestAccount } from './world.ts'

const NOW_MS = 1_767_225_600_000
const START = (NOW_MS - 1_609_459_200_000) / 1000
const ALL_TYPES = [1, 2, 3, 6, 9, 10, 11]

describe('a scripted hub, read by the published client', () => {
  let fake: FakeHub
  let client: hub.HubRpcClient
  let accounts: TestAccount[]

  before(async () => {
    fake = await startFakeHub({ now: () => NOW_MS })
    client = hub.getInsecureHubRpcClient(fake.address)
    accounts = [3, 5, 6, 12].map((fid) => fake.account(fid))
  })
  after(async () => {
    client.close()
    await fake.close()
  })

  test('lists have adds and removes in order, and a full last page is followed by an empty one', async () => {
    const account = accounts[0]!
    const casts = [1, 2, 3].map((at) =>
      sign(account, at, (o) => castAdd(o, { text: `cast ${at}` })),
    )
    const removal = sign(account, 4, (o) => castRemove(o, casts[0]!.hash))
    fake.merge(...casts)
    fake.merge(removal)
    const request = hub.FidTimestampRequest.create({ fid: account.fid, pageSize: 3 })
    const first = ok(await client.getAllCastMessagesByFid(request))
    assert.deepEqual(
      first.messages.map(({ hash }) => hex(hash)),
      [casts[1]!, casts[2]!, removal].map(({ hash }) => hex(hash)),
    )
    assert.ok(first.nextPageToken?.length)
    const second = ok(
      await client.getAllCastMessagesByFid({ ...request, pageToken: first.nextPageToken }),
    )
    assert.deepEqual([second.messages.length, second.nextPageToken], [0, undefined])
    for (const message of first.messages) {
      assert.ok((await hub.validations.validateMessage(message)).isOk(), 'the client accepts it')
    }
  })

  test('GetFids needs a shard, and takes an empty token for a position', async () => {
    const fids = await Promise.all(
      [1, 2].map(async (shardId) => ok(await client.getFids({ shardId })).fids),
    )
    assert.deepEqual(
      fids.flat().sort((a, b) => a - b),
      fake.fids,
    )
    for (const [i, own] of fids.entries()) {
      for (const fid of own) assert.equal(bucketOf(fid, 2), i)
    }
    const empty = ok(await client.getFids({ shardId: 1, pageToken: new Uint8Array(0) }))
    assert.deepEqual(empty.fids, [])
    assert.ok((await client.getFids({ shardId: 9 })).isErr())
  })

  test('events have ids of their block, and the confirmation of a block counts them', async () => {
    const account = accounts[1]!
    const shardIndex = bucketOf(account.fid, 2) + 1
    const profile = sign(account, 1, (o) => userDataAdd(o, 2, 'five'))
    fake.queueMerge(
      profile,
      sign(account, 2, (o) => castAdd(o, { text: 'one block' })),
    )
    fake.commit()
    const { events, nextPageToken } = ok(
      await client.getEvents({ startId: 0, shardIndex, pageSize: 1_000 }),
    )
    assert.equal(text(nextPageToken), '[null]')
    const confirmed = events.findLast(({ type }) => type === hub.HubEventType.BLOCK_CONFIRMED)!
    const { blockNumber, totalEvents } = confirmed.blockConfirmedBody!
    assert.equal(confirmed.id, blockNumber * EVENTS_PER_BLOCK)
    const block = events.filter((event) => event.blockNumber === blockNumber)
    assert.deepEqual(
      block.map(({ id }) => id - confirmed.id),
      [0, 1, 2],
    )
    assert.equal(totalEvents, 3)
    assert.equal(hex(block[1]!.mergeMessageBody!.message!.hash), hex(profile.hash))
    const all = ok(await client.getEvents({ startId: 0 }))
    assert.equal(text(all.nextPageToken), '[null,null]', 'joined tokens are never absent')
    assert.ok(all.events.length > events.length)
  })

  test('a compact state deletes links, and its event does not list them', async () => {
    const account = accounts[2]!
    const links = [3, 5].map((target) => sign(account, 1, (o) => linkAdd(o, 'follow', target)))
    const state = sign(account, 2, (o) => linkCompactState(o, 'follow', [5]))
    fake.merge(...links)
    fake.merge(state)
    assert.deepEqual(fake.hashes(account.fid).links, [hex(links[1]!.hash)])
    const { events } = ok(await client.getEvents({ startId: 0, pageSize: 1_000 }))
    const merged = events.find(
      ({ mergeMessageBody }) =>
        mergeMessageBody && hex(mergeMessageBody.message!.hash) === hex(state.hash),
    )
    assert.deepEqual(merged!.mergeMessageBody!.deletedMessages, [])
    const request = hub.FidRequest.create({ fid: account.fid })
    const states = ok(await client.getLinkCompactStateMessageByFid(request))
    assert.equal(states.messages.length, 1)
  })

  test('the trie counts and hashes what is stored, by fid and type', async () => {
    const { fid } = accounts[2]!
    const shardId = bucketOf(fid, 2) + 1
    const prefix = Buffer.alloc(6)
    prefix.writeUInt8(bucketOf(fid, 256))
    prefix.writeUInt32BE(fid, 1)
    prefix.writeUInt8(hub.MessageType.LINK_ADD << 3, 5)
    const links = ok(await client.getTrieMetadataByPrefix({ shardId, prefix }))
    assert.equal(links.numMessages, 1)
    const key = Buffer.concat([prefix, Buffer.from(fake.hashes(fid).links[0]!, 'hex')])
    const digits = Uint8Array.from([...key].flatMap((byte) => [byte >> 4, byte & 15]))
    assert.equal(links.hash, hex(hashOf(digits)))
    const whole = ok(await client.getTrieMetadataByPrefix({ shardId, prefix: new Uint8Array(0) }))
    const info = ok(await client.getInfo(hub.GetInfoRequest.create()))
    const own = info.shardInfos.find((shard) => shard.shardId === shardId)!
    assert.equal(whole.numMessages, own.numMessages)
    const missing = await client.getTrieMetadataByPrefix({ shardId, prefix: Buffer.alloc(6, 255) })
    assert.match(missing._unsafeUnwrapErr().message, /Node not found/)
  })

  test('a stream of no types is silent, and one of all types replays and goes on', async () => {
    const account = accounts[3]!
    const shardIndex = bucketOf(account.fid, 2) + 1
    const none = await follow(client, { eventTypes: [], fromId: 0, shardIndex })
    const all = await follow(client, { eventTypes: ALL_TYPES, fromId: 0, shardIndex })
    const before = ok(await client.getEvents({ startId: 0, shardIndex })).events.length
    await all.until(before)
    fake.merge(sign(account, 1, (o) => castAdd(o, { text: 'live' })))
    await all.until(before + 2)
    assert.deepEqual(
      all.ids,
      [...all.ids].sort((a, b) => a - b),
    )
    assert.deepEqual(none.ids, [])
    none.stream.cancel()
    all.stream.cancel()
  })

  test('what a reader of the deployed hub may lose is lost when the script says so', async () => {
    const account = accounts[3]!
    const shardIndex = bucketOf(account.fid, 2) + 1
    const say = (at: number) => fake.merge(sign(account, at, (o) => castAdd(o, { text: `${at}` })))
    fake.joinGap(1)
    const reader = await follow(client, { eventTypes: ALL_TYPES, fromId: 0, shardIndex })
    const newest = async () => ok(await client.getEvents({ startId: 0, shardIndex })).events
    let events = await newest()
    await reader.until(events.length)
    say(10)
    say(11)
    await reader.until(events.length + 2)
    fake.lag(2)
    say(12)
    const block = events.at(-1)!.blockNumber + 4
    fake.gap(block, { shard: shardIndex, part: 'confirmation' })
    say(13)
    fake.duplicate(2)
    fake.reorder(1)
    say(14)
    await reader.until(events.length + 2 + 1 + 4)
    fake.heal()
    const begun = events.length
    events = await newest()
    const ids = events.slice(begun).map(({ id }) => id)
    assert.deepEqual(
      reader.ids.slice(begun).map((id) => ids.indexOf(id)),
      // 0 and 1 fell between replay and live events, 4 and 5 were lost, 6 is the confirmation.
      [2, 3, 7, 9, 9, 8, 8],
    )
    reader.stream.cancel()
  })

  test('a silent stream has neither what was stored when it began nor what happens', async () => {
    const account = accounts[3]!
    const shardIndex = bucketOf(account.fid, 2) + 1
    const say = (at: number) => fake.merge(sign(account, at, (o) => castAdd(o, { text: `${at}` })))
    fake.silent('streams')
    const reader = await follow(client, { eventTypes: ALL_TYPES, fromId: 0, shardIndex })
    say(15)
    fake.heal()
    say(16)
    await reader.until(2)
    const { events } = ok(await client.getEvents({ startId: 0, shardIndex }))
    assert.deepEqual(
      reader.ids,
      events.slice(-2).map(({ id }) => id),
    )
    reader.stream.cancel()
  })

  test('a pruned log begins at its oldest event without an error', async () => {
    const shardIndex = bucketOf(accounts[0]!.fid, 2) + 1
    const before = ok(await client.getEvents({ startId: 0, shardIndex })).events
    const middle = before[Math.floor(before.length / 2)]!.blockNumber
    fake.pruneLog(middle)
    const { events } = ok(await client.getEvents({ startId: 0, shardIndex }))
    assert.equal(events[0]!.blockNumber, middle)
  })

  test('each lie is found out by the published client, or by what the test knows', async () => {
    const account = accounts[0]!
    const [hash] = fake.hashes(account.fid).casts
    const bytes = Buffer.from(hash!, 'hex')
    const read = async () => {
      const { messages } = ok(
        await client.getAllCastMessagesByFid(hub.FidTimestampRequest.create({ fid: account.fid })),
      )
      const lies = await Promise.all(
        messages.map(async (message) => ({
          message,
          isValid: (await hub.validations.validateMessage(message)).isOk(),
        })),
      )
      return lies.find(
        ({ message }) =>
          !fake.hashes(account.fid).casts.includes(hex(message.hash)) || hex(message.hash) === hash,
      )!
    }
    for (const lie of ['hash', 'signature'] as const) {
      fake.lie(lie, bytes)
      assert.equal((await read()).isValid, false, lie)
    }
    fake.lie('fid', bytes)
    assert.equal((await read()).message.data!.fid, account.fid + 1)
    fake.lie('network', bytes)
    assert.notEqual((await read()).message.data!.network, 3)
    fake.lie('key', bytes)
    assert.notEqual(hex((await read()).message.signer), hex(account.key))
    fake.lie('empty list', account.fid)
    const none = ok(
      await client.getAllCastMessagesByFid(hub.FidTimestampRequest.create({ fid: account.fid })),
    )
    assert.deepEqual(none.messages, [])
    fake.heal()
  })

  test('submits wait for a block, and are refused, lost or left without an answer as the script says', async () => {
    const account = accounts[1]!
    const wire = (at: number) => {
      const signed = sign(account, at, (o) => castAdd(o, { text: `submit ${at}` }))
      return { signed, message: hub.Message.decode(encodeEnvelope(signed)) }
    }
    const one = wire(20)
    const { data: _, ...withoutData } = one.message
    ok(await client.submitMessage({ ...withoutData, data: undefined }))
    assert.ok(!fake.hashes(account.fid).casts.includes(hex(one.signed.hash)))
    fake.commit()
    assert.ok(fake.hashes(account.fid).casts.includes(hex(one.signed.hash)))
    const again = (await client.submitMessage(one.message))._unsafeUnwrapErr()
    assert.match(again.message, /duplicate/)
    const noBytes = await client.submitMessage({ ...wire(21).message, dataBytes: undefined })
    assert.match(noBytes._unsafeUnwrapErr().message, /validation_failure/)
    fake.loseSubmits(1)
    const lost = wire(22)
    ok(await client.submitMessage(lost.message))
    fake.commitAll()
    assert.ok(!fake.hashes(account.fid).casts.includes(hex(lost.signed.hash)))
  })

  test('limits are answered as a proxy or the hub does, and say when to come back', async () => {
    fake.limit({ retryAfterSeconds: 7, calls: 1 })
    const raw = new grpc.Client(fake.address, grpc.credentials.createInsecure(), {
      'grpc.use_local_subchannel_pool': 1,
    })
    const call = () =>
      new Promise<{ code: number; details: string; retryAfter: unknown }>((resolve) => {
        let headers = new grpc.Metadata()
        const sent = raw.makeUnaryRequest(
          '/HubService/GetInfo',
          () => Buffer.alloc(0),
          (bytes) => bytes,
          {},
          () => {},
        )
        sent.on('metadata', (metadata) => {
          headers = metadata
        })
        sent.on('status', ({ code, details, metadata }) =>
          resolve({
            code,
            details,
            retryAfter: metadata.get('retry-after')[0] ?? headers.get('retry-after')[0],
          }),
        )
      })
    const proxied = await call()
    assert.equal(proxied.code, grpc.status.UNAVAILABLE)
    assert.match(proxied.details, /429/)
    assert.equal(proxied.retryAfter, '7')
    fake.limit({ status: grpc.status.RESOURCE_EXHAUSTED, retryAfterSeconds: 3 })
    const refused = await call()
    assert.deepEqual([refused.code, refused.retryAfter], [grpc.status.RESOURCE_EXHAUSTED, '3'])
    assert.equal((await call()).code, grpc.status.OK)
    raw.close()
  })

  test('connections are cut, and another node has other block hashes for the same messages', async () => {
    const account = accounts[3]!
    const shardIndex = bucketOf(account.fid, 2) + 1
    const reader = await follow(client, { eventTypes: ALL_TYPES, shardIndex })
    fake.otherNode()
    await reader.ended
    const hashOfNewest = async () => {
      fake.commitAll()
      const { events } = ok(await client.getEvents({ startId: 0, shardIndex }))
      return hex(events.at(-1)!.blockConfirmedBody!.blockHash)
    }
    const first = await hashOfNewest()
    assert.match(first, /^[0-9a-f]{40}$/)
    fake.version('0.15.0', START + 60)
    const info = ok(await client.getInfo(hub.GetInfoRequest.create()))
    assert.deepEqual([info.version, info.nextEngineVersionTimestamp], ['0.15.0', START + 60])
    fake.unimplemented('getSignersByFid')
    assert.match(
      (await client.getSignersByFid({ fid: account.fid, requesterFids: [] }))._unsafeUnwrapErr()
        .message,
      /not implemented/,
    )
  })
})

test('a node of the trie below a single key of a type does not exist', () => {
  const alone = `${'0'.repeat(12)}abcd`
  const prefix = (digits: string) => Buffer.from(digits, 'hex')
  assert.equal(trieNode([alone], prefix('0'.repeat(12)))?.items, 1)
  assert.equal(trieNode([alone], prefix(alone.slice(0, 14))), undefined)
  const other = `${'0'.repeat(12)}abff`
  assert.equal(trieNode([alone, other], prefix(alone.slice(0, 14)))?.items, 2)
  assert.equal(trieNode([alone, other], prefix(alone)), undefined)
})

test('fids belong to shards by the first four bytes of their SHA-256', () => {
  const bytes = Buffer.from([0, 0, 0, 3])
  const first = createHash('sha256').update(bytes).digest().readUInt32BE(0)
  assert.equal(bucketOf(3, 4), first % 4)
})

function sign(account: TestAccount, at: number, init: (origin: Origin) => DataInit): SignedMessage {
  return buildMessage(init({ fid: account.fid, timestamp: START + at, network: 3 }), account.seed)
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString()

function ok<T>(result: hub.HubResult<T>): T {
  if (result.isErr()) throw result.error
  return result.value
}

/** Reads a stream, and waits for numbers of events. */
async function follow(client: hub.HubRpcClient, request: Partial<hub.SubscribeRequest>) {
  const stream = ok(await client.subscribe(hub.SubscribeRequest.create(request)))
  const ids: number[] = []
  let wake = () => {}
  stream.on('data', ({ id }: hub.HubEvent) => {
    ids.push(id)
    wake()
  })
  const ended = new Promise<void>((resolve) => {
    stream.on('error', () => resolve()).on('close', () => resolve())
  })
  await new Promise((resolve) => stream.once('metadata', resolve))
  return {
    stream,
    ids,
    ended,
    async until(count: number) {
      while (ids.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
