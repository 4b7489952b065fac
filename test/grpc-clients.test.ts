// The published client library, unmodified and in the versions of both generations, against a real hub.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { before, test } from 'node:test'
import { Metadata } from '@grpc/grpc-js'
import { validations } from 'hub-nodejs-0.17'
import {
  castAdd,
  linkAdd,
  linkCompactState,
  reactionAdd,
  userDataAdd,
} from '../src/kernel/protocol/build.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { claimOf } from './hub-lists.ts'
import { inForm, onEngines } from './hub-support.ts'
import { PATIENCE_MS } from './patience.ts'
import { CLIENT_LIBRARIES, CLIENT_VERSIONS, stockClient } from './stock-clients.ts'
import type { TestAccount, World } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: three versions with different types run the same test
type Any = any

/** Calls that a version declares and no hub of one process can answer. */
const UNSERVED: ReadonlySet<string> = new Set([
  'stopSync',
  'forceSync',
  'getAllSyncIdsByPrefix',
  'getAllMessagesBySyncIds',
  'getSyncMetadataByPrefix',
  'getSyncSnapshotByPrefix',
  'getShardChunks',
  'getTrieMetadataByPrefix',
  'getMeshView',
  'getMeshTopology',
  'getChannelOwner',
  'getChannelsByAddress',
  'getChannelsByFid',
  'getChannelMember',
  'getChannelMembers',
  'getChannelPin',
  'getChannelModerations',
  'getChannelMetadata',
  'getChannelMembershipsByFid',
  'getChannelFollowers',
  'getChannelFollowerCount',
  'getChannelFollows',
  'isFollowingChannel',
])
const STREAMS: ReadonlySet<string> = new Set([
  'subscribe',
  'streamSync',
  'streamFetch',
  'getBlocks',
])

type Sent = {
  readonly author: TestAccount
  readonly cast: SignedMessage
  readonly reaction: SignedMessage
  readonly link: SignedMessage
  readonly profile: SignedMessage
  /** The address of a verification. */
  readonly claimed: Uint8Array
}

/** For each read: a request that finds something, whether there is something to miss, and an invalid request. */
function reads(
  { author, cast, link, claimed }: Sent,
  firstEventId: number,
): Record<string, { found: object; missing?: object; invalid?: object }> {
  const { fid } = author
  const none = 4_000_000
  const castId = { fid, hash: cast.hash }
  const like = { fid, reactionType: 1, targetCastId: castId }
  const follow = { fid, linkType: 'follow', targetFid: 2 }
  const list = { found: { fid }, invalid: { fid: 0 } }
  return {
    getEvent: { found: { id: firstEventId, shardIndex: 0 }, missing: { id: 1, shardIndex: 0 } },
    getEvents: {
      found: { startId: 0, pageSize: 5 },
      invalid: { startId: 0, pageToken: link.hash },
    },
    getCast: {
      found: castId,
      missing: { fid, hash: link.hash },
      invalid: { fid, hash: new Uint8Array(3) },
    },
    getCastsByFid: list,
    getCastsByMention: list,
    getCastsByParent: { found: { parentUrl: 'https://parent.example' }, invalid: {} },
    getReaction: {
      found: like,
      missing: { ...like, reactionType: 2 },
      invalid: { ...like, reactionType: 0 },
    },
    getReactionsByFid: list,
    getReactionsByCast: { found: { targetCastId: castId }, invalid: {} },
    getReactionsByTarget: { found: { targetCastId: castId }, invalid: {} },
    getUserData: {
      found: { fid, userDataType: 3 },
      missing: { fid, userDataType: 5 },
      invalid: { fid: 0, userDataType: 3 },
    },
    getUserDataByFid: list,
    getUsernameProof: {
      found: { name: Buffer.from('found') },
      missing: { name: Buffer.from('missing') },
      invalid: { name: Buffer.from('!') },
    },
    getUserNameProofsByFid: list,
    getVerification: {
      found: { fid, address: claimed },
      missing: { fid, address: new Uint8Array(20) },
      invalid: { fid: 0, address: new Uint8Array(20) },
    },
    getVerificationsByFid: list,
    getLink: {
      found: follow,
      missing: { ...follow, targetFid: 3 },
      invalid: { ...follow, linkType: '' },
    },
    getLinksByFid: list,
    getLinksByTarget: { found: { targetFid: 2 }, invalid: {} },
    getLinkCompactStateMessageByFid: list,
    getAllCastMessagesByFid: list,
    getAllReactionMessagesByFid: list,
    getAllVerificationMessagesByFid: list,
    getAllUserDataMessagesByFid: list,
    getAllLinkMessagesByFid: list,
    getAllLendStorageMessagesByFid: { found: { fid } },
    getOnChainSigner: {
      found: { fid, signer: author.key },
      missing: { fid, signer: new Uint8Array(32) },
      invalid: { fid, signer: new Uint8Array(3) },
    },
    getOnChainSignersByFid: list,
    getOnChainEvents: { found: { fid, eventType: 1 }, invalid: { fid: 0, eventType: 1 } },
    getIdRegistryOnChainEvent: { found: { fid }, missing: { fid: none }, invalid: { fid: 0 } },
    getIdRegistryOnChainEventByAddress: {
      found: { address: author.custody },
      missing: { address: new Uint8Array(20) },
      invalid: { address: new Uint8Array(3) },
    },
    getCurrentStorageLimitsByFid: list,
    getFids: { found: {}, invalid: { pageToken: new Uint8Array(3) } },
    getSigner: {
      found: { fid, signer: author.key },
      missing: { fid, signer: new Uint8Array(32) },
    },
    getSignersByFid: { found: { fid, requesterFids: [1] }, invalid: { fid: 0, requesterFids: [] } },
    getFidAddressType: {
      found: { fid, address: author.custody },
      invalid: { fid: 0, address: author.custody },
    },
    getInfo: { found: { dbStats: true } },
    getCurrentPeers: { found: {} },
    getConnectedPeers: { found: {} },
    getSyncStatus: { found: {} },
  }
}

onEngines('stock hub-nodejs clients', (world) => {
  let sent: Sent
  let firstEventId: number

  before(async () => {
    const author = await world().account(700)
    const at = (seconds: number) => world().origin(author, seconds)
    const cast = world().sign(
      author,
      castAdd(at(100), {
        text: 'hello',
        parent: { case: 'parentUrl', value: 'https://parent.example' },
      }),
    )
    const castId = { fid: 700, hash: cast.hash }
    const claim = world().sign(author, claimOf(at(104), 1))
    sent = {
      author,
      cast: inForm(cast, 'dataBytes'),
      reaction: world().sign(author, reactionAdd(at(101), 1, castId)),
      link: world().sign(author, linkAdd(at(102), 'follow', 2)),
      profile: world().sign(author, userDataAdd(at(103), 3, 'a bio')),
      claimed: (claim.data.body.value as { address: Uint8Array }).address,
    }
    const { cast: first, reaction, link, profile } = sent
    for (const message of [first, reaction, link, profile, claim]) {
      assert.equal((await world().submit(message)).status, 200)
    }
    await world().submit(world().sign(author, linkCompactState(at(99), 'block', [3])))
    await world().app.storage.write('hub', (tx) =>
      tx.nameProofs.put([
        {
          name: Buffer.from('found'),
          fid: 700,
          owner: author.custody,
          timestamp: 1_767_225_000,
          signature: new Uint8Array(65).fill(2),
        },
      ]),
    )
    firstEventId = (await world().app.storage.events.list(0, 1))[0]!.id
  })

  for (const version of CLIENT_VERSIONS) {
    test(`hub-nodejs ${version} finds what is there, gets not_found and refusals with their codes, for every method it declares`, async () => {
      const client = stockClient(world(), version) as Any
      await new Promise<void>((resolve, reject) => {
        client.$.waitForReady(Date.now() + PATIENCE_MS, (error: unknown) =>
          error ? reject(error) : resolve(),
        )
      })
      const cases = reads(sent, firstEventId)
      const declared = Object.keys(Object.getPrototypeOf(client.$))
      assert.ok(declared.length >= 40, `${declared.length} methods`)
      for (const method of declared) {
        if (STREAMS.has(method)) continue
        if (['submitMessage', 'submitBulkMessages', 'validateMessage'].includes(method)) continue
        if (UNSERVED.has(method)) {
          const result = await client[method](emptyRequestOf(method))
          assert.equal(result.error?.errCode, 'not_implemented', method)
          continue
        }
        const { found, missing, invalid } = cases[method] ?? assert.fail(`no case for ${method}`)
        const result = await client[method](found)
        assert.ok(result.isOk(), `${method}: ${result.error?.message}`)
        if (missing) {
          const { error } = await client[method](missing)
          assert.equal(error?.errCode, 'not_found', method)
        }
        if (invalid) {
          const { error } = await client[method](invalid)
          assert.match(error?.errCode, /^bad_request\./, method)
        }
      }
      client.$.close()
      const library = CLIENT_LIBRARIES[version] as Any
      const operators = await library.getAdminRpcClient(world().app.urls.grpc)
      const refused = await operators.submitOnChainEvent(library.OnChainEvent.create({}))
      // It is served, and this is no event.
      assert.match(refused.error?.errCode, /^bad_request\./)
    })

    test(`hub-nodejs ${version} fetches over a stream, and its streams that are not served end with their code`, async () => {
      const client = stockClient(world(), version) as Any
      const outcomes = [...STREAMS].map(async (method) => {
        if (method === 'subscribe' || !client.$[method]) return undefined
        const stream = client.$[method](...(method === 'getBlocks' ? [emptyRequestOf(method)] : []))
        const ended = new Promise<Any>((resolve) => {
          stream.on('error', resolve).on('data', resolve)
        })
        if (method === 'streamFetch') {
          stream.write({ idempotencyKey: 'one', castMessagesByFid: { fid: 700 } })
        }
        const outcome = await ended
        stream.cancel()
        if (method === 'streamFetch') {
          assert.equal(outcome.idempotencyKey, 'one')
          assert.ok(outcome.messages.messages.length > 0)
        } else {
          assert.equal(outcome.code, 12, method)
          assert.deepEqual(outcome.metadata.get('errcode'), ['not_implemented'], method)
        }
        return method
      })
      const tried = (await Promise.all(outcomes)).filter((method) => method !== undefined)
      // The oldest version has no other stream than subscribe.
      assert.equal(tried.length > 0, version !== '0.11.24')
      client.$.close()
    })

    test(`hub-nodejs ${version} submits, validates and reads messages whose hash and signature it can check`, async () => {
      const client = stockClient(world(), version) as Any
      const library = CLIENT_LIBRARIES[version] as Any
      const index = CLIENT_VERSIONS.indexOf(version)
      const init = castAdd(world().origin(sent.author, 200 + index), `from ${version}`)
      const message = library.Message.decode(encodeEnvelope(world().sign(sent.author, init)))

      const valid = await client.validateMessage(message)
      assert.equal(valid._unsafeUnwrap().valid, true)
      const echoed = (await client.submitMessage(message))._unsafeUnwrap()
      assert.deepEqual(
        library.Message.encode(echoed).finish(),
        library.Message.encode(message).finish(),
      )
      const again = await client.submitMessage(message)
      assert.equal(again.error.errCode, 'bad_request.duplicate')
      const broken = { ...message, signature: new Uint8Array(64) }
      assert.equal(
        (await client.submitMessage(broken)).error.errCode,
        'bad_request.validation_failure',
      )
      const verdict = (await client.validateMessage(broken))._unsafeUnwrap()
      assert.equal(verdict.valid, false)
      // The oldest version has no bulk submit.
      if (client.submitBulkMessages) {
        const bulk = (
          await client.submitBulkMessages({ messages: [message, broken] })
        )._unsafeUnwrap()
        assert.deepEqual(
          bulk.messages.map((one: Any) => one.messageError?.errCode),
          ['bad_request.duplicate', 'bad_request.validation_failure'],
        )
      }

      const read = (await client.getCastsByFid({ fid: 700 }))._unsafeUnwrap()
      assert.ok(read.messages.length >= 2 && read.nextPageToken === undefined)
      for (const one of read.messages) {
        assert.ok((await library.validations.validateMessage(one)).isOk())
        assert.ok(one.data)
      }
      client.$.close()
    })

    test(`hub-nodejs ${version} follows the events from the first one on and sees the next submit`, async () => {
      const client = stockClient(world(), version) as Any
      const stream = (await client.subscribe({ eventTypes: [], fromId: 0 }))._unsafeUnwrap()
      const ids: number[] = []
      const reached = Promise.withResolvers<void>()
      let wanted = Number.POSITIVE_INFINITY
      stream.on('error', () => {})
      stream.on('data', (event: { id: number }) => {
        ids.push(Number(event.id))
        if (ids.at(-1)! >= wanted) reached.resolve()
      })
      const index = CLIENT_VERSIONS.indexOf(version)
      const init = castAdd(world().origin(sent.author, 300 + index), `live for ${version}`)
      assert.equal((await world().submit(world().sign(sent.author, init))).status, 200)
      wanted = await world().app.storage.events.newestId()
      if ((ids.at(-1) ?? 0) >= wanted) reached.resolve()
      await reached.promise
      const all = (await world().app.storage.events.list(0, 1_000)).map(({ id }) => id)
      assert.deepEqual(ids, all)
      stream.cancel()
      client.$.close()
    })
  }

  test('what the current client library reads passes its own validation', async () => {
    const client = stockClient(world(), '0.17.0') as Any
    for (const method of [
      'getCastsByFid',
      'getReactionsByFid',
      'getLinksByFid',
      'getUserDataByFid',
    ]) {
      const { messages } = (await client[method]({ fid: 700 }))._unsafeUnwrap()
      assert.ok(messages.length > 0, method)
      for (const message of messages) assert.ok((await validations.validateMessage(message)).isOk())
    }
    client.$.close()
  })
})

/** A request that the client can encode for a method that is not served. */
function emptyRequestOf(method: string): object {
  if (method === 'getAllMessagesBySyncIds') return { syncIds: [] }
  return { prefix: new Uint8Array(0), fid: 1, shardId: 1, startBlockNumber: 0 }
}

onEngines(
  'credentials of gRPC submits',
  (world: () => World) => {
    for (const version of CLIENT_VERSIONS) {
      test(`hub-nodejs ${version} must send credentials to submit, and reads without them`, async () => {
        const client = stockClient(world(), version) as Any
        const library = CLIENT_LIBRARIES[version] as Any
        const author = await world().account(800 + CLIENT_VERSIONS.indexOf(version))
        const init = castAdd(world().origin(author, 100), 'with credentials')
        const message = library.Message.decode(encodeEnvelope(world().sign(author, init)))
        const none = await client.submitMessage(message)
        assert.deepEqual(
          [none.error.errCode, none.error.message],
          ['unauthenticated', 'Authorization header is empty'],
        )
        const wrong = await client.submitMessage(message, library.getAuthMetadata('alice', 'wrong'))
        assert.deepEqual(
          [wrong.error.errCode, wrong.error.message],
          ['unauthenticated', 'invalid username or password'],
        )
        const right = library.getAuthMetadata('alice', 'secret')
        assert.ok((await client.submitMessage(message, right)).isOk())
        const other = new Metadata()
        other.set('x-api-key', 'ignored')
        assert.ok((await client.getCastsByFid({ fid: author.fid }, right)).isOk())
        client.$.close()
      })
    }

    test('a submit without the right credentials is refused before its message has arrived', async (t) => {
      const session = connect(`http://${world().app.urls.grpc}`)
      t.after(() => session.destroy())
      const author = await world().account(810)
      const init = castAdd(world().origin(author, 100), 'in two halves')
      const message = encodeEnvelope(world().sign(author, init))
      const sent = Buffer.concat([Buffer.alloc(5), message])
      sent.writeUInt32BE(message.length, 1)
      const half = Math.floor(sent.length / 2)
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const begin = (method: string, credentials?: string) => {
        const stream = session.request({
          ...{ ':method': 'POST', ':path': `/HubService/${method}`, te: 'trailers' },
          'content-type': 'application/grpc',
          ...(credentials && { authorization: `Basic ${btoa(credentials)}` }),
        })
        stream.on('error', () => {})
        stream.write(sent.subarray(0, half))
        return stream
      }
      for (const method of ['SubmitMessage', 'SubmitBulkMessages']) {
        for (const credentials of [undefined, 'alice:wrong']) {
          const [headers] = await once(begin(method, credentials), 'response', { signal })
          assert.deepEqual(
            [headers['grpc-status'], headers.errcode],
            ['16', 'unauthenticated'],
            `${method} by ${credentials}`,
          )
        }
      }
      const admitted = begin('SubmitMessage', 'alice:secret').resume()
      const trailers = once(admitted, 'trailers', { signal })
      admitted.end(sent.subarray(half))
      assert.equal((await trailers)[0]['grpc-status'], '0')
    })
  },
  () => ({ env: { ROOKERY_RPC_AUTH: 'alice:secret' } }),
)
