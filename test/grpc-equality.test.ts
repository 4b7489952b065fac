// Every read answers the same over HTTP and over gRPC: random data, all pages, both directions.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf'
import { toBase64 } from '../src/kernel/protocol/codec/bytes.ts'
import { decodeMessage } from '../src/kernel/protocol/codec/decode.ts'
import { encodeEnvelope, encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import {
  hubEventJson,
  messageJson,
  nameProofJson,
  onChainEventJson,
} from '../src/kernel/protocol/json/json.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { HubEventSchema } from '../src/kernel/protocol/wire/hub_event_pb.js'
import {
  CastIdSchema,
  MessageSchema,
  MessageType,
  type ReactionBody,
  UserNameProofSchema,
} from '../src/kernel/protocol/wire/message_pb.js'
import { OnChainEventSchema } from '../src/kernel/protocol/wire/onchain_event_pb.js'
import * as rpc from '../src/kernel/protocol/wire/rpc_pb.js'
import { LONG } from './effort.ts'
import { type Ended, type RawClient, rawClient } from './grpc-support.ts'
import {
  accountLists,
  FIDS,
  initsOf,
  keyEvents,
  type List,
  messageLists,
  survivors,
} from './hub-lists.ts'
import { accepted, inForm, onEngines, type Params, pathOf, post } from './hub-support.ts'
import { randomFrom, runSeed } from './random.ts'

/** JSON without `dataBytes`, which gRPC always carries and JSON only when it was received. */
const withoutDataBytes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, part) => (key === 'dataBytes' ? undefined : part))

/** 0 is that of a request without a size. */
const PAGE_SIZES = LONG ? [0, 1, 3, 7, 1_000] : [0, 7, 1_000]

type Paging = { pageSize?: number; pageToken?: Uint8Array; reverse?: boolean }

const bytesOf = (value: unknown) =>
  value === undefined ? undefined : Buffer.from(String(value).replace(/^0x/, ''), 'hex')
const fidOf = (value: unknown) => BigInt(value as number)
const encode = <S extends DescMessage>(schema: S, init: MessageInitShape<S>) =>
  toBinary(schema, create(schema, init))
const castId = (fid: unknown, hash: unknown) => ({
  fid: fidOf(fid),
  hash: bytesOf(hash)!,
})

/** The gRPC request that asks what a path and its parameters ask over HTTP. */
function requestOf(path: string, params: Params, paging: Paging): [method: string, Uint8Array] {
  const { fid, target_fid, target_hash, url } = params
  const reactionType = params.reaction_type as number | undefined
  const ofType = { ...paging, ...(reactionType !== undefined && { reactionType }) }
  const linkType = params.link_type as string | undefined
  const ofLinkType = { ...paging, ...(linkType !== undefined && { linkType }) }
  const byFid = (method: string): [string, Uint8Array] => [
    method,
    encode(rpc.FidRequestSchema, { fid: fidOf(fid), ...paging }),
  ]
  switch (path) {
    case 'castsByFid':
      return params.include_removes
        ? [
            'GetAllCastMessagesByFid',
            encode(rpc.FidTimestampRequestSchema, { fid: fidOf(fid), ...paging }),
          ]
        : byFid('GetCastsByFid')
    case 'castsByMention':
      return byFid('GetCastsByMention')
    case 'castsByParent':
      return [
        'GetCastsByParent',
        encode(rpc.CastsByParentRequestSchema, {
          parent: url
            ? { case: 'parentUrl', value: String(url) }
            : { case: 'parentCastId', value: castId(fid, params.hash) },
          ...paging,
        }),
      ]
    case 'reactionsByFid':
      return [
        'GetReactionsByFid',
        encode(rpc.ReactionsByFidRequestSchema, { fid: fidOf(fid), ...ofType }),
      ]
    case 'reactionsByCast':
    case 'reactionsByTarget':
      return [
        path === 'reactionsByCast' ? 'GetReactionsByCast' : 'GetReactionsByTarget',
        encode(rpc.ReactionsByTargetRequestSchema, {
          target: url
            ? { case: 'targetUrl', value: String(url) }
            : { case: 'targetCastId', value: castId(target_fid, target_hash) },
          ...ofType,
        }),
      ]
    case 'linksByFid':
      return [
        'GetLinksByFid',
        encode(rpc.LinksByFidRequestSchema, { fid: fidOf(fid), ...ofLinkType }),
      ]
    case 'linksByTargetFid':
      return [
        'GetLinksByTarget',
        encode(rpc.LinksByTargetRequestSchema, {
          target: { case: 'targetFid', value: fidOf(target_fid) },
          ...ofLinkType,
        }),
      ]
    case 'userDataByFid':
      return byFid('GetUserDataByFid')
    case 'verificationsByFid':
      return byFid('GetVerificationsByFid')
    case 'onChainSignersByFid':
      return byFid('GetOnChainSignersByFid')
    case 'onChainEventsByFid':
      return [
        'GetOnChainEvents',
        encode(rpc.OnChainEventRequestSchema, {
          fid: fidOf(fid),
          eventType: params.event_type === 'EVENT_TYPE_SIGNER' ? 1 : (params.event_type as number),
          ...paging,
        }),
      ]
    case 'fids':
      return ['GetFids', encode(rpc.FidsRequestSchema, paging)]
    default:
      throw new TypeError(`no method for ${path}`)
  }
}

/** What a page holds, rendered as HTTP renders it. */
function readPage(
  path: string,
  bytes: Uint8Array,
): { items: unknown[]; next: Uint8Array | undefined } {
  if (path === 'fids') {
    const { fids, nextPageToken } = fromBinary(rpc.FidsResponseSchema, bytes)
    return { items: fids.map(Number), next: nextPageToken }
  }
  if (path.startsWith('onChain')) {
    const { events, nextPageToken } = fromBinary(rpc.OnChainEventResponseSchema, bytes)
    return { items: events.map(onChainEventJson), next: nextPageToken }
  }
  const { messages, nextPageToken } = fromBinary(rpc.MessagesResponseSchema, bytes)
  for (const { data, dataBytes } of messages) assert.ok(data && dataBytes, 'data in both fields')
  return { items: messages.map(jsonOf), next: nextPageToken }
}

const definedIn = (params: Params): unknown => JSON.parse(JSON.stringify(params))

const jsonOf = (message: Parameters<typeof toBinary<typeof MessageSchema>>[1]) =>
  messageJson(decodeMessage(toBinary(MessageSchema, message)))

const succeeded = ({ bytes, details }: Ended): Buffer => {
  assert.ok(bytes, details)
  return bytes
}

onEngines('HTTP and gRPC', (world) => {
  let client: RawClient
  let all: SignedMessage[] = []
  const seed = runSeed()

  before(async () => {
    console.log(`seed ${seed}`)
    client = rawClient(world().app.urls.grpc)
    const accounts = await world().accounts(FIDS)
    await world().app.ledger!.importEvents(keyEvents(256))
    const random = randomFrom(seed)
    const forms = ['data', 'dataBytes', 'both'] as const
    const messages = random.shuffled(
      accounts.flatMap((author) =>
        initsOf(author, world()).map((init) =>
          inForm(world().sign(author, init), random.pick(forms)),
        ),
      ),
    )
    all = survivors(messages)
    for (let at = 0; at < messages.length; at += 256) {
      const list = encodeList(messages.slice(at, at + 256))
      const { status } = await client.call('SubmitBulkMessages', list)
      assert.equal(status, 0)
    }
  })
  after(() => client.close())

  test('every list has the same items and page tokens over gRPC as over HTTP, by any page size in both directions', async () => {
    const removes: List[] = [
      { path: 'castsByFid', params: { fid: 256, include_removes: true }, expected: [] },
    ]
    for (const { path, params, key = 'messages' } of [
      ...messageLists(all),
      ...accountLists(),
      ...removes,
    ]) {
      for (const reverse of [false, true]) {
        for (const pageSize of PAGE_SIZES) {
          let token: Uint8Array | undefined
          for (let pages = 0; ; pages++) {
            assert.ok(pages < 1_000, `${path} does not end`)
            const paging = { pageSize, reverse, ...(token && { pageToken: token }) }
            const httpParams = { ...params, pageSize, reverse, pageToken: token && toBase64(token) }
            const [http, answer] = await Promise.all([
              world()
                .get(pathOf(`/v1/${path}`, httpParams))
                .then(accepted),
              client.call(...requestOf(path, params, paging)).then(succeeded),
            ])
            const { items, next } = readPage(path, answer)
            const name = `${path} ${JSON.stringify(httpParams)}`
            assert.deepEqual(withoutDataBytes(items), withoutDataBytes(http[key]), name)
            assert.equal(next ? toBase64(next) : '', http.nextPageToken, name)
            if (!next) break
            assert.ok(next.length > 0, 'an empty token would never end a loop')
            token = next
          }
        }
      }
    }
  })

  test('a page token of another list or of other parameters is refused over gRPC as over HTTP', async () => {
    const lists = [...messageLists(all), ...accountLists()]
    const withToken = await Promise.all(
      lists.map(async ({ path, params }) => {
        const { bytes } = await client.call(...requestOf(path, params, { pageSize: 1 }))
        return { path, params, token: readPage(path, bytes!).next }
      }),
    )
    const tokens = withToken.filter(({ token }) => token !== undefined)
    assert.ok(tokens.length > 20)
    for (const list of lists) {
      for (const { path, params, token } of tokens) {
        const paging = { pageSize: 1, pageToken: token! }
        const answer = await client.call(...requestOf(list.path, list.params, paging))
        const isOwn =
          path === list.path && isDeepStrictEqual(definedIn(params), definedIn(list.params))
        assert.equal(answer.status, isOwn ? 0 : 3, `${path} at ${list.path}: ${answer.details}`)
        if (!isOwn) assert.match(answer.details, /^pageToken is not a token of this list/)
      }
    }
    const encoded = encode(rpc.EventsRequestSchema, { pageSize: 1 })
    const events = fromBinary(
      rpc.EventsResponseSchema,
      succeeded(await client.call('GetEvents', encoded)),
    )
    const pageToken = events.nextPageToken!
    const continued = async (init: MessageInitShape<typeof rpc.EventsRequestSchema>) =>
      (await client.call('GetEvents', encode(rpc.EventsRequestSchema, { pageToken, ...init })))
        .status
    assert.deepEqual(
      [
        await continued({}),
        await continued({ pageSize: 5 }),
        await continued({ reverse: true }),
        await continued({ startId: 1n }),
        await continued({ pageToken: tokens[0]!.token! }),
      ],
      [0, 0, 3, 3, 3],
    )
  })

  test('a bound of 0 seconds is no bound, over gRPC as over HTTP', async () => {
    for (const [start, stop, second] of [
      [0n, 0n, undefined],
      [undefined, 0n, undefined],
      [0n, 101n, 101],
    ] as const) {
      const request = encode(rpc.FidTimestampRequestSchema, {
        fid: 256n,
        ...(start !== undefined && { startTimestamp: start }),
        stopTimestamp: stop,
      })
      const path = 'castsByFid'
      const { items } = readPage(
        path,
        succeeded(await client.call('GetAllCastMessagesByFid', request)),
      )
      const params = {
        fid: 256,
        include_removes: true,
        startTimestamp: start?.toString(),
        stopTimestamp: `${stop}`,
      }
      const http = accepted(await world().get(pathOf(`/v1/${path}`, params)))
      assert.deepEqual(withoutDataBytes(items), withoutDataBytes(http.messages))
      const expected = messageLists(all).find((one) => one.path === path && one.params.fid === 256)!
      if (second === undefined) assert.equal(items.length, expected.expected.length)
      else assert.ok(items.length < expected.expected.length)
    }
  })

  test('what is read over gRPC has the bytes that were hashed, in both fields', async () => {
    const request = encode(rpc.FidRequestSchema, { fid: 256n })
    const { messages } = fromBinary(
      rpc.MessagesResponseSchema,
      succeeded(await client.call('GetCastsByFid', request)),
    )
    const sent = new Map(all.map((message) => [toBase64(message.hash), message]))
    assert.ok(messages.length > 10)
    for (const message of messages) {
      const { dataBytes } = sent.get(toBase64(message.hash))!
      assert.equal(toBase64(message.dataBytes!), toBase64(dataBytes))
      assert.equal(
        toBase64(decodeMessage(toBinary(MessageSchema, message)).dataBytes),
        toBase64(dataBytes),
      )
    }
  })

  test('every message is the same by its id over gRPC and over HTTP', async () => {
    const one = (type: MessageType) =>
      all.find(({ data, fid }) => data.type === type && fid === 256)!
    const cast = one(MessageType.CAST_ADD)
    const reaction = one(MessageType.REACTION_ADD).data.body.value as ReactionBody
    const link = one(MessageType.LINK_ADD).data.body.value as {
      type: string
      target: { value: bigint }
    }
    const claim = one(MessageType.VERIFICATION_ADD_ETH_ADDRESS).data.body.value as {
      address: Uint8Array
    }
    const target = reaction.target.value as string | { fid: bigint; hash: Uint8Array }
    const targetParams =
      typeof target === 'string'
        ? { target_url: target }
        : { target_fid: Number(target.fid), target_hash: Buffer.from(target.hash).toString('hex') }
    const address = Buffer.from(claim.address).toString('hex')
    const fid = 256n
    const cases: [method: string, Uint8Array, path: string, Params][] = [
      [
        'GetCast',
        encode(CastIdSchema, { fid, hash: cast.hash }),
        'castById',
        { fid: 256, hash: Buffer.from(cast.hash).toString('hex') },
      ],
      [
        'GetReaction',
        encode(rpc.ReactionRequestSchema, {
          fid,
          reactionType: reaction.type,
          target: reaction.target,
        }),
        'reactionById',
        { fid: 256, reaction_type: reaction.type, ...targetParams },
      ],
      [
        'GetLink',
        encode(rpc.LinkRequestSchema, {
          fid,
          linkType: link.type,
          target: { case: 'targetFid', value: link.target.value },
        }),
        'linkById',
        { fid: 256, link_type: link.type, target_fid: Number(link.target.value) },
      ],
      [
        'GetUserData',
        encode(rpc.UserDataRequestSchema, { fid, userDataType: 1 }),
        'userDataByFid',
        { fid: 256, user_data_type: 1 },
      ],
      [
        'GetVerification',
        encode(rpc.VerificationRequestSchema, { fid, address: claim.address }),
        'verificationsByFid',
        { fid: 256, address: `0x${address}` },
      ],
    ]
    for (const [method, request, path, params] of cases) {
      const http = accepted(await world().get(pathOf(`/v1/${path}`, params)))
      const message = fromBinary(MessageSchema, succeeded(await client.call(method, request)))
      assert.deepEqual(withoutDataBytes(jsonOf(message)), withoutDataBytes(http), method)
    }
  })

  test('every event is the same over gRPC as over HTTP, by its id and in pages of both directions', async () => {
    const http: { id: number }[] = []
    for (let from = 0; ; ) {
      const page = accepted(await world().get(`/v1/events?from_event_id=${from}`))
      http.push(...page.events)
      if (page.events.length === 0) break
      from = page.nextPageEventId
    }
    const render = (bytes: Uint8Array) => hubEventJson(fromBinary(HubEventSchema, bytes))
    for (const reverse of [false, true]) {
      const wanted = reverse ? http.toReversed() : http
      for (const pageSize of [7, 500, 0]) {
        const read: unknown[] = []
        let token: Uint8Array | undefined
        do {
          const request = { pageSize, reverse, ...(token && { pageToken: token }) }
          const answer = succeeded(
            await client.call('GetEvents', encode(rpc.EventsRequestSchema, request)),
          )
          const page = fromBinary(rpc.EventsResponseSchema, answer)
          read.push(...page.events.map((event) => hubEventJson(event)))
          token = page.nextPageToken
          if (reverse || pageSize === 7) if (read.length > 60) break
        } while (token)
        assert.deepEqual(withoutDataBytes(read), withoutDataBytes(wanted.slice(0, read.length)))
        if (!token) assert.equal(read.length, http.length)
      }
    }
    const [first] = http
    const request = encode(rpc.EventRequestSchema, { id: BigInt(first!.id) })
    const event = succeeded(await client.call('GetEvent', request))
    assert.deepEqual(withoutDataBytes(render(event)), withoutDataBytes(first))
    const ids = http.map(({ id }) => id)
    const bounded = { startId: BigInt(ids[3]!), stopId: BigInt(ids[9]!) }
    const { events, nextPageToken } = fromBinary(
      rpc.EventsResponseSchema,
      succeeded(await client.call('GetEvents', encode(rpc.EventsRequestSchema, bounded))),
    )
    assert.deepEqual(
      events.map(({ id }) => Number(id)),
      ids.slice(3, 9),
    )
    assert.equal(nextPageToken, undefined)
  })

  test('accounts, storage limits and the state of the hub are the same over gRPC as over HTTP', async () => {
    const fid = encode(rpc.FidRequestSchema, { fid: 256n })
    const limits = fromBinary(
      rpc.StorageLimitsResponseSchema,
      succeeded(await client.call('GetCurrentStorageLimitsByFid', fid)),
    )
    const httpLimits = accepted(await world().get('/v1/storageLimitsByFid?fid=256'))
    assert.deepEqual(
      limits.limits.map(({ name, limit, used, earliestTimestamp, earliestHash }) => [
        name,
        Number(limit),
        Number(used),
        Number(earliestTimestamp),
        toBase64(earliestHash),
      ]),
      httpLimits.limits.map((one: Record<string, unknown>) => [
        one.name,
        one.limit,
        one.used,
        one.earliestTimestamp,
        one.earliestHash,
      ]),
    )
    assert.equal(limits.units, httpLimits.units)

    const info = fromBinary(
      rpc.HubInfoResponseSchema,
      succeeded(await client.call('GetInfo', new Uint8Array(0))),
    )
    const httpInfo = accepted(await world().get('/v1/info?dbstats=1'))
    assert.deepEqual(
      [info.version, info.nickname, info.isSyncing, info.numShards, info.shardInfos.length],
      [httpInfo.version, httpInfo.nickname, httpInfo.isSyncing, httpInfo.numShards, 1],
    )
    const { dbStats } = info
    assert.deepEqual(
      [dbStats!.numMessages, dbStats!.numFidEvents, dbStats!.numFnameEvents].map(Number),
      [
        httpInfo.dbStats.numMessages,
        httpInfo.dbStats.numFidRegistrations,
        httpInfo.dbStats.numFnameEvents,
      ],
    )

    const registration = succeeded(await client.call('GetIdRegistryOnChainEvent', fid))
    const custody = world().app.storage.accounts.custody(256)
    const address = (await custody)!.address
    const byAddress = encode(rpc.IdRegistryEventByAddressRequestSchema, { address })
    const event = succeeded(await client.call('GetIdRegistryOnChainEventByAddress', byAddress))
    const hex = Buffer.from(address).toString('hex')
    const path = `/v1/onChainIdRegistryEventByAddress?address=${hex}`
    for (const one of [registration, event]) {
      const json = onChainEventJson(fromBinary(OnChainEventSchema, one))
      assert.deepEqual(withoutDataBytes(json), accepted(await world().get(path)))
    }
  })

  test('a key, the verdict on a message and the outcomes of a bulk submit are the same over gRPC as over HTTP', async () => {
    const [key] = accepted(await world().get('/v1/onChainSignersByFid?fid=256')).events
    const signer = bytesOf(key.signerEventBody.key)!
    const hexKey = `0x${signer.toString('hex')}`
    const request = encode(rpc.SignerRequestSchema, { fid: 256n, signer })
    const event = succeeded(await client.call('GetOnChainSigner', request))
    assert.deepEqual(
      withoutDataBytes(onChainEventJson(fromBinary(OnChainEventSchema, event))),
      accepted(await world().get(`/v1/onChainSignersByFid?fid=256&signer=${hexKey}`)),
    )

    const [cast, other] = all.filter(({ data }) => data.type === MessageType.CAST_ADD)
    const broken = { ...other!, signature: new Uint8Array(64) }
    for (const [message, valid] of [
      [cast!, true],
      [broken, false],
    ] as const) {
      const encoded = encodeEnvelope(message)
      const http = await post(world(), '/v1/validateMessage', encoded)
      const { bytes, trailers } = await client.call('ValidateMessage', encoded)
      const verdict = fromBinary(rpc.ValidationResponseSchema, bytes!)
      assert.equal(verdict.valid, valid)
      if (valid) assert.equal(http.body.valid, true)
      else assert.deepEqual(trailers.get('errcode'), [http.body.errCode])
      assert.deepEqual(Buffer.from(verdict.message!.hash), Buffer.from(message.hash))
    }

    const list = encodeList([cast!, broken])
    const http = accepted(await post(world(), '/v1/submitBulkMessages', list))
    const bulk = fromBinary(
      rpc.SubmitBulkMessagesResponseSchema,
      succeeded(await client.call('SubmitBulkMessages', list)),
    )
    const codesOf = bulk.messages.map(({ response }) =>
      response.case === 'messageError' ? response.value.errCode : undefined,
    )
    assert.deepEqual(
      codesOf,
      http.messages.map((one: { errCode?: string }) => one.errCode),
    )
    assert.ok(codesOf.every((code) => code?.startsWith('bad_request.')))
  })

  test('the proofs of names are the same over gRPC as over HTTP', async () => {
    const register = async (name: string, fid: bigint) => {
      await world().app.storage.write('hub', (tx) =>
        tx.nameProofs.put([
          {
            name: Buffer.from(name),
            fid: Number(fid),
            owner: new Uint8Array(20).fill(1),
            timestamp: 1_767_225_000,
            signature: new Uint8Array(65).fill(2),
          },
        ]),
      )
    }
    await register('equal', 257n)
    const one = encode(rpc.UsernameProofRequestSchema, { name: Buffer.from('equal') })
    const proof = fromBinary(
      UserNameProofSchema,
      succeeded(await client.call('GetUsernameProof', one)),
    )
    const http = accepted(await world().get('/v1/userNameProofByName?name=equal'))
    assert.deepEqual(JSON.parse(JSON.stringify(nameProofJson(proof))), http)
    const { proofs } = fromBinary(
      rpc.UsernameProofsResponseSchema,
      succeeded(
        await client.call('GetUserNameProofsByFid', encode(rpc.FidRequestSchema, { fid: 257n })),
      ),
    )
    const list = accepted(await world().get('/v1/userNameProofsByFid?fid=257'))
    assert.deepEqual(JSON.parse(JSON.stringify(proofs.map(nameProofJson))), list.proofs)
  })

  test('a malformed request is refused with the same code and text as over HTTP', async () => {
    const hash = new Uint8Array(20).fill(1)
    const hexHash = Buffer.from(hash).toString('hex')
    const token = new Uint8Array(3)
    const fidRequest = (init: MessageInitShape<typeof rpc.FidRequestSchema>) =>
      encode(rpc.FidRequestSchema, init)
    const cases: [method: string, Uint8Array, path: string][] = [
      ['GetCastsByFid', fidRequest({}), 'castsByFid?fid=0'],
      ['GetCastsByFid', fidRequest({ fid: 2n ** 32n }), `castsByFid?fid=${2 ** 32}`],
      [
        'GetCastsByFid',
        fidRequest({ fid: 1n, pageToken: token }),
        `castsByFid?fid=1&pageToken=${toBase64(token)}`,
      ],
      ['GetCast', encode(CastIdSchema, { fid: 1n }), 'castById?fid=1'],
      ['GetCast', encode(CastIdSchema, { fid: 1n, hash: token }), 'castById?fid=1&hash=0x000000'],
      ['GetCast', encode(CastIdSchema, { fid: 1n, hash }), `castById?fid=1&hash=${hexHash}`],
      ['GetFids', encode(rpc.FidsRequestSchema, { pageToken: token }), 'fids?pageToken=AAAA'],
      ['GetEvent', encode(rpc.EventRequestSchema, { id: 1n }), 'eventById?event_id=1'],
      [
        'GetLink',
        encode(rpc.LinkRequestSchema, { fid: 1n, target: { case: 'targetFid', value: 2n } }),
        'linkById?fid=1&target_fid=2',
      ],
      [
        'GetReaction',
        encode(rpc.ReactionRequestSchema, { fid: 1n, reactionType: 1 }),
        'reactionById?fid=1&reaction_type=1',
      ],
      [
        'GetVerification',
        encode(rpc.VerificationRequestSchema, { fid: 1n, address: token }),
        'verificationsByFid?fid=1&address=0x000000',
      ],
      [
        'GetOnChainSigner',
        encode(rpc.SignerRequestSchema, { fid: 1n, signer: token }),
        'onChainSignersByFid?fid=1&signer=0x000000',
      ],
      [
        'GetUsernameProof',
        encode(rpc.UsernameProofRequestSchema, { name: Buffer.from('nobody') }),
        'userNameProofByName?name=nobody',
      ],
    ]
    for (const [method, request, path] of cases) {
      const { status, errCode, details, trailers } = await client.call(method, request)
      const { body } = await world().get(`/v1/${path}`)
      assert.deepEqual([status, errCode, details], [body.code, body.errCode, body.message], path)
      assert.deepEqual(trailers.get('x-err-code'), [body.errCode])
    }
  })

  test('a submit over gRPC is refused with the same code and text as over HTTP', async () => {
    const cast = all.find(({ data }) => data.type === MessageType.CAST_ADD)!
    const broken = { ...cast, signature: new Uint8Array(64) }
    for (const bytes of [
      new Uint8Array(0),
      Buffer.from('nonsense'),
      encodeEnvelope(cast),
      encodeEnvelope(broken),
    ]) {
      const { status, errCode, details } = await client.call('SubmitMessage', bytes)
      const { body } = await post(world(), '/v1/submitMessage', bytes)
      assert.deepEqual([status, errCode, details], [body.code, body.errCode, body.message])
    }
  })
})
