// Every kind of event over gRPC: contents as over HTTP, and what the filters of Subscribe leave.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { jumpHash } from '../src/kernel/grpc/subscribe.ts'
import type { NameFeed } from '../src/kernel/hub/names.ts'
import {
  castAdd,
  castRemove,
  type DataInit,
  linkAdd,
  linkCompactState,
  linkRemove,
  reactionAdd,
  userDataAdd,
  usernameProof,
  verificationRemove,
} from '../src/kernel/protocol/build.ts'
import { encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import { hashOf } from '../src/kernel/protocol/crypto/hash.ts'
import { hubEventJson } from '../src/kernel/protocol/json/json.ts'
import {
  type HubEvent,
  HubEventSchema,
  HubEventType,
} from '../src/kernel/protocol/wire/hub_event_pb.js'
import {
  type Message,
  ReactionType,
  UserDataType,
  UserNameType,
} from '../src/kernel/protocol/wire/message_pb.js'
import * as rpc from '../src/kernel/protocol/wire/rpc_pb.js'
import { startFakeChain } from './fake-chain.ts'
import { followEvents, type RawClient, rawClient, subscribeRequest } from './grpc-support.ts'
import { accepted, bytes, inForm, removeKey } from './hub-support.ts'
import { createWorld, enginesOf, type TestAccount, type World } from './world.ts'

const FORMS = ['data', 'dataBytes', 'both'] as const
const TYPES = [
  HubEventType.MERGE_MESSAGE,
  HubEventType.PRUNE_MESSAGE,
  HubEventType.REVOKE_MESSAGE,
  HubEventType.MERGE_USERNAME_PROOF,
  HubEventType.MERGE_ON_CHAIN_EVENT,
]

/** JSON without `dataBytes`, which gRPC always carries and JSON only when it was received. */
const withoutDataBytes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, part) => (key === 'dataBytes' ? undefined : part))

/** All messages that an event contains. */
function messagesIn({ body }: HubEvent): Message[] {
  switch (body.case) {
    case 'mergeMessageBody':
      return [body.value.message!, ...body.value.deletedMessages]
    case 'pruneMessageBody':
    case 'revokeMessageBody':
      return [body.value.message!]
    case 'mergeUsernameProofBody':
      return [body.value.usernameProofMessage, body.value.deletedUsernameProofMessage].filter(
        (message) => message !== undefined,
      )
    default:
      return []
  }
}

for (const engine of enginesOf(import.meta.url)) {
  describe(`events over gRPC, on ${engine}`, () => {
    let chain: Awaited<ReturnType<typeof startFakeChain>>
    let world: World
    let client: RawClient
    // biome-ignore lint/suspicious/noExplicitAny: events are read as JSON
    const http: any[] = []
    const published: Awaited<ReturnType<NameFeed['transfersAfter']>>[number][] = []

    before(async () => {
      chain = await startFakeChain()
      world = await createWorld({
        engine,
        env: {
          ROOKERY_ETH_RPC_URLS: `1=${chain.url},8453=${chain.url}/8453`,
          ROOKERY_REVOKE_ON_KEY_REMOVAL: 'true',
          ROOKERY_STORAGE_GROWS: 'off',
        },
        names: { transfersAfter: async (id) => published.filter((one) => one.id > id) },
      })
      client = rawClient(world.app.urls.grpc)
      await makeEveryKind()
      for (let from = 0; ; ) {
        const page = accepted(await world.get(`/v1/events?from_event_id=${from}`))
        http.push(...page.events)
        if (page.events.length === 0) break
        from = page.nextPageEventId
      }
    })
    after(async () => {
      client.close()
      await world.close()
      await chain.close()
    })

    async function makeEveryKind(): Promise<void> {
      const [first, second, third, small] = (await world.accounts([1, 2, 301, 4], {
        units: 1,
      })) as [TestAccount, TestAccount, TestAccount, TestAccount]
      let seconds = 1_000
      const next = (account: TestAccount) => world.origin(account, seconds++)
      let sent = 0
      const send = async (account: TestAccount, ...inits: DataInit[]) => {
        const signed = inits.map((init) =>
          inForm(world.sign(account, init), FORMS[sent++ % FORMS.length]!),
        )
        const { bytes } = await client.call('SubmitBulkMessages', encodeList(signed))
        const { messages } = fromBinary(rpc.SubmitBulkMessagesResponseSchema, bytes!)
        for (const { response } of messages) assert.equal(response.case, 'message')
        return signed
      }
      for (const account of [first, second, third]) {
        const [cast] = await send(account, castAdd(next(account), `of ${account.fid}`))
        await send(
          account,
          castAdd(next(account), 'kept'),
          castRemove(next(account), cast!.hash),
          reactionAdd(next(account), ReactionType.LIKE, { fid: 1, hash: bytes(20, 1) }),
          userDataAdd(next(account), UserDataType.USER_DATA_TYPE_BIO, 'before'),
          userDataAdd(next(account), UserDataType.USER_DATA_TYPE_BIO, 'after'),
          linkAdd(next(account), 'follow', 7),
          linkRemove(next(account), 'follow', 7),
          linkAdd(next(account), 'follow', 8),
          linkCompactState(next(account), 'follow', [7, 9]),
          linkCompactState(next(account), 'follow', [9]),
        )
      }
      // More than a unit holds.
      const removals = [1, 2, 3, 4, 5, 6, 7].map((n) =>
        verificationRemove(next(small), bytes(20, n)),
      )
      await send(small, ...removals)
      await removeKey(world, third)

      const transfer = (from: number, to: number) => ({
        id: published.length + 1,
        timestamp: 1_700_000_000 + published.length,
        username: 'registered',
        from,
        to,
        owner: bytes(20, to + 1),
        serverSignature: bytes(65, published.length),
      })
      for (const [from, to] of [
        [0, 1],
        [1, 2],
        [2, 0],
      ] as const) {
        published.push(transfer(from, to))
        await world.app.hub.catchUpNames()
      }
      for (const account of [first, second]) {
        world.clock.advance(1_000)
        chain.names.set('holder.eth', account.custody)
        const proof = usernameProof(world.origin(account), {
          name: 'holder.eth',
          owner: account.custody,
          signature: bytes(65, 1),
          type: UserNameType.USERNAME_TYPE_ENS_L1,
        })
        await send(account, proof)
      }
    }

    const getEvents = async (): Promise<HubEvent[]> => {
      const events: HubEvent[] = []
      for (let pageToken: Uint8Array | undefined; ; ) {
        const request = create(rpc.EventsRequestSchema, { ...(pageToken && { pageToken }) })
        const answer = await client.call('GetEvents', toBinary(rpc.EventsRequestSchema, request))
        const page = fromBinary(rpc.EventsResponseSchema, answer.bytes!)
        events.push(...page.events)
        pageToken = page.nextPageToken
        if (!pageToken) return events
      }
    }

    test(`every kind of event has the same content over Subscribe, GetEvents, GetEvent and HTTP, on ${engine}`, async () => {
      const stream = client.serverStream('Subscribe', subscribeRequest({ fromId: 0n }))
      const streamed: Buffer[] = []
      stream.on('data', (one: Buffer) => streamed.push(one))
      await followEvents(stream).until(http.at(-1).id)
      stream.cancel()
      const events = streamed.map((one) => fromBinary(HubEventSchema, one))
      assert.deepEqual(
        withoutDataBytes(events.map((one) => hubEventJson(one))),
        withoutDataBytes(http),
      )
      const listed = await getEvents()
      assert.deepEqual(
        listed.map((one) => toBinary(HubEventSchema, one)),
        events.map((one) => toBinary(HubEventSchema, one)),
      )
      for (const [i, event] of events.entries()) {
        const request = create(rpc.EventRequestSchema, { id: event.id })
        const one = await client.call('GetEvent', toBinary(rpc.EventRequestSchema, request))
        assert.deepEqual(one.bytes, streamed[i])
        for (const { data, dataBytes, hash } of messagesIn(event)) {
          assert.ok(data && dataBytes, 'every message has its data in both fields')
          assert.deepEqual(Buffer.from(hashOf(dataBytes)), Buffer.from(hash))
        }
      }
      const seen = new Set(events.map(({ type }) => type))
      assert.deepEqual([...seen].sort(), [...TYPES].sort())
      const proofs = events.flatMap(({ body }) =>
        body.case === 'mergeUsernameProofBody' ? [body.value] : [],
      )
      const has = (names: (keyof (typeof proofs)[number])[]) =>
        proofs.some((proof) => names.every((name) => proof[name] !== undefined))
      assert.ok(has(['usernameProof']), 'a name was registered')
      assert.ok(has(['usernameProof', 'deletedUsernameProof']), 'a name has moved')
      assert.ok(
        has(['usernameProofMessage', 'deletedUsernameProofMessage']),
        'a proof was replaced',
      )
      const compact = events.filter(({ body }) => {
        const message = body.case === 'mergeMessageBody' ? body.value.message : undefined
        return message?.data?.body.case === 'linkCompactStateBody'
      })
      assert.equal(compact.length, 6)
      for (const { body } of compact) {
        assert.ok(body.case === 'mergeMessageBody' && body.value.deletedMessages.length === 0)
      }
    })

    test(`every set of event types and every shard gives exactly its events, on ${engine}`, async () => {
      const events = await getEvents()
      const open: { expected: number[]; ids: readonly number[]; stop(): void }[] = []
      const subscribe = async (
        filter: Parameters<typeof subscribeRequest>[0],
        expected: number[],
      ): Promise<void> => {
        const stream = client.serverStream('Subscribe', subscribeRequest({ fromId: 0n, ...filter }))
        const followed = followEvents(stream)
        open.push({ expected, ids: followed.ids, stop: () => stream.cancel() })
        await followed.begun
        const last = expected.at(-1)
        if (last !== undefined) await followed.until(last)
      }
      const idsOf = (wanted: (event: HubEvent) => boolean) =>
        events.filter(wanted).map(({ id }) => Number(id))
      for (let set = 0; set < 2 ** TYPES.length; set++) {
        const eventTypes = TYPES.filter((_, bit) => set & (1 << bit))
        await subscribe(
          { eventTypes },
          idsOf(({ type }) => set === 0 || eventTypes.includes(type)),
        )
      }
      // An unknown type matches nothing.
      await subscribe({ eventTypes: [99 as HubEventType] }, [])
      const onFirstShard = [HubEventType.MERGE_USERNAME_PROOF, HubEventType.MERGE_ON_CHAIN_EVENT]
      for (const total of [1, 2, 3, 10]) {
        for (let index = 0; index < total; index++) {
          const expected = idsOf((event) => {
            const fid = Number(messagesIn(event)[0]?.data?.fid ?? 0)
            const shard = onFirstShard.includes(event.type) ? 0 : jumpHash(fid, total)
            return shard === index
          })
          await subscribe({ totalShards: BigInt(total), shardIndex: BigInt(index) }, expected)
        }
      }
      for (const { expected, ids, stop } of open) {
        assert.deepEqual(ids, expected)
        stop()
      }
    })
  })
}
