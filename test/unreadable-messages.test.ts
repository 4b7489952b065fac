// Messages that published clients cannot decode: no way into the hub takes them, and those that an earlier version took
// are found and revoked, on both engines.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { getAddress } from 'viem'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { castAdd, type Origin, userDataAdd } from '../src/kernel/protocol/build.ts'
import { concatBytes, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope, encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import { bytesField, numberField } from '../src/kernel/protocol/codec/wire-write.ts'
import { signEd25519 } from '../src/kernel/protocol/crypto/ed25519.ts'
import { hashOf } from '../src/kernel/protocol/crypto/hash.ts'
import { MESSAGE_FORMS, type SignedMessage } from '../src/kernel/protocol/message.ts'
import { DAY_MS } from '../src/kernel/protocol/time.ts'
import { HubEventType } from '../src/kernel/protocol/wire/hub_event_pb.js'
import { MessageDataSchema, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { EventLog } from '../src/kernel/storage/messages/event-log.ts'
import { toStored } from '../src/kernel/storage/messages/message-rows.ts'
import { createNetwork, type Network } from './app-api-support.ts'
import { rawClient } from './grpc-support.ts'
import { claimOf } from './hub-lists.ts'
import { accepted, post } from './hub-support.ts'
import { CLIENT_VERSIONS, type ClientVersion, stockClient } from './stock-clients.ts'
import { longVarint } from './wire-mutations.ts'
import { DEVNET, ENGINES, type TestAccount, type World } from './world.ts'

const UNREADABLE_BYTES = 6
const CAST = 5
const REACTION = 7
const LINK = 14
const USER_DATA = 12
const CAST_ADD = 1
const REACTION_ADD = 3
const LINK_ADD = 5
const USER_DATA_ADD = 11

/** A number field whose value takes six bytes. */
const longNumber = (field: number, value: bigint) =>
  Uint8Array.of(field * 8, ...longVarint(value, UNREADABLE_BYTES))
/** A field whose length takes six bytes. */
const longLength = (field: number, value: Uint8Array) =>
  concatBytes(
    Uint8Array.of(field * 8 + 2, ...longVarint(BigInt(value.length), UNREADABLE_BYTES)),
    value,
  )
const text = (field: number, value: string) => bytesField(field, Buffer.from(value))

type Attack = { readonly what: string; readonly field: string; readonly message: SignedMessage }

/** What a stranger may write to a victim, in encodings that clients cannot read. */
function attacksOf(world: World, stranger: TestAccount, victim: SignedMessage): Attack[] {
  const { timestamp, network } = world.origin(stranger)
  const head = (type: number) =>
    concatBytes(
      numberField(1, type),
      numberField(2, stranger.fid),
      numberField(3, timestamp),
      numberField(4, network),
    )
  const target = concatBytes(numberField(1, victim.fid), bytesField(2, victim.hash))
  const mention = bytesField(2, numberField(0, victim.fid).subarray(1))
  const reply = concatBytes(mention, bytesField(3, target), text(4, 'a'))
  const at0 = bytesField(5, Uint8Array.of(0))
  const cast = (...parts: Uint8Array[]) =>
    concatBytes(head(CAST_ADD), bytesField(CAST, concatBytes(...parts)))
  const like = (type: Uint8Array) =>
    concatBytes(head(REACTION_ADD), bytesField(REACTION, concatBytes(type, bytesField(2, target))))
  const datas: [string, string, Uint8Array][] = [
    ['a cast type in six bytes', 'castAddBody.type', cast(reply, at0, longNumber(8, 0n))],
    [
      'a position beyond 32 bits',
      'castAddBody.mentionsPositions',
      cast(reply, bytesField(5, Uint8Array.from(longVarint(2n ** 36n)))),
    ],
    [
      'the length of a text in six bytes',
      'castAddBody.text',
      cast(reply, at0, longLength(4, Buffer.from('b'))),
    ],
    [
      'the length of a body in six bytes',
      'data.castAddBody',
      concatBytes(head(CAST_ADD), longLength(CAST, text(4, 'c'))),
    ],
    [
      'a timestamp in six bytes',
      'data.timestamp',
      concatBytes(
        numberField(1, CAST_ADD),
        numberField(2, stranger.fid),
        longNumber(3, BigInt(timestamp)),
        numberField(4, network),
        bytesField(CAST, text(4, 'd')),
      ),
    ],
    ['a like in six bytes', 'reactionBody.type', like(longNumber(1, 1n))],
    ['a recast beyond 32 bits', 'reactionBody.type', like(longNumber(1, 2n ** 36n + 2n))],
    [
      'the length of a link type in six bytes',
      'linkBody.type',
      concatBytes(
        head(LINK_ADD),
        bytesField(
          LINK,
          concatBytes(longLength(1, Buffer.from('follow')), numberField(3, victim.fid)),
        ),
      ),
    ],
    [
      'the type of a profile field in six bytes',
      'userDataBody.type',
      concatBytes(
        head(USER_DATA_ADD),
        bytesField(USER_DATA, concatBytes(longNumber(1, 3n), text(2, 'a bio'))),
      ),
    ],
  ]
  return datas.map(([what, field, data]) => ({ what, field, message: signed(stranger, data) }))
}

/** Signed data. Decoded as an earlier version decoded it. */
function signed(account: TestAccount, dataBytes: Uint8Array): SignedMessage {
  const hash = hashOf(dataBytes)
  return {
    data: fromBinary(MessageDataSchema, dataBytes),
    fid: account.fid,
    dataBytes,
    form: MESSAGE_FORMS.dataBytes,
    hash,
    hashScheme: 1,
    signature: signEd25519(hash, account.seed),
    signatureScheme: 1,
    signer: account.key,
  }
}

/** A verification whose type takes six bytes, of an address that the author names in the profile. */
function longClaim(world: World, account: TestAccount): SignedMessage {
  const data = create(MessageDataSchema, claimOf(world.origin(account), 1))
  assert.ok(data.body.case === 'verificationAddAddressBody')
  const body = concatBytes(
    bytesField(1, data.body.value.address),
    bytesField(2, data.body.value.claimSignature),
    bytesField(3, data.body.value.blockHash),
    longNumber(7, 0n),
  )
  const head = toBinary(MessageDataSchema, { ...data, body: { case: undefined } })
  return signed(account, concatBytes(head, bytesField(9, body)))
}

/** How many messages each client reads in the lists of the victim, and the error where it reads none. */
async function listsOf(world: World, version: ClientVersion, victim: SignedMessage) {
  const client = stockClient(world, version)
  const { fid, hash } = victim
  const castId = { fid, hash }
  const lists = {
    replies: client.getCastsByParent({ parentCastId: castId }),
    mentions: client.getCastsByMention({ fid }),
    likes: client.getReactionsByTarget({ targetCastId: castId }),
    followers: client.getLinksByTarget({ targetFid: fid }),
  }
  const read: Record<string, number | string> = {}
  for (const [name, list] of Object.entries(lists)) {
    const result = await list
    read[name] = result.isOk() ? result.value.messages.length : result.error.message
  }
  client.close()
  return read
}

/** The events from the first to one of this id, as a client follows them; throws the error that ends the stream. */
async function followTo(world: World, version: ClientVersion, lastId: number) {
  const client = stockClient(world, version)
  const stream = (await client.subscribe({ eventTypes: [], fromId: 1 }))._unsafeUnwrap()
  const revoked: string[] = []
  try {
    for await (const event of stream) {
      const hash = event.revokeMessageBody?.message?.hash
      if (hash) revoked.push(toHex(hash))
      if (event.id >= lastId) return revoked
    }
    return assert.fail('the stream has ended')
  } finally {
    stream.cancel()
    client.close()
  }
}

for (const engine of ENGINES) {
  describe(`messages that clients cannot read, on ${engine}`, () => {
    let network: Network
    let world: World
    let victim: SignedMessage
    let attacks: Attack[]
    let stranger: TestAccount
    before(async () => {
      network = await createNetwork(engine, [1, 2, 3])
      world = network.world
      stranger = network.accounts[1]!
      victim = await network.send(network.accounts[0]!, (origin) => castAdd(origin, 'hello'))
      attacks = attacksOf(world, stranger, victim)
    })
    after(() => world.close())

    const verify = async () => {
      await network.indexed()
      return verifyStore(world.app.storage, { network: DEVNET })
    }
    /** As earlier versions stored messages: without the check of their encoding. */
    const storeUnchecked = (...messages: SignedMessage[]) =>
      world.app.storage.write('hub', async (tx) => {
        const log = new EventLog(tx, world.clock.now())
        for (const message of messages) {
          const id = log.nextId()
          log.append({ id, type: HubEventType.MERGE_MESSAGE })
          await tx.messages.insert([toStored(message, id)])
        }
        await log.flush()
      })

    test('an unreadable message is refused with its field over HTTP, gRPC, bulk submits and the app API', async () => {
      const grpc = rawClient(world.app.urls.grpc)
      for (const { what, field, message } of attacks) {
        const envelope = encodeEnvelope(message)
        for (const path of ['/v1/submitMessage', '/v1/validateMessage']) {
          const { status, body } = await post(world, path, envelope)
          assert.deepEqual([status, body.errCode], [400, 'bad_request.parse_failure'], what)
          assert.ok(body.details.includes(`${field} `), body.details)
        }
        const bulk = await post(world, '/v1/submitBulkMessages', encodeList([message]))
        const [one] = accepted(bulk).messages
        assert.equal(one.errCode, 'bad_request.parse_failure', what)
        for (const method of ['SubmitMessage', 'ValidateMessage']) {
          const ended = await grpc.call(method, envelope)
          assert.deepEqual([ended.status, ended.errCode], [3, 'bad_request.parse_failure'], what)
        }
        const bulkCall = await grpc.call('SubmitBulkMessages', encodeList([message]))
        assert.ok(Buffer.from(bulkCall.bytes!).includes('parse_failure'), what)
        const response = await fetch(`${world.app.urls.app}/v2/farcaster/message`, {
          method: 'POST',
          headers: { 'x-api-key': DEVELOPMENT_KEY, 'content-type': 'application/json' },
          body: JSON.stringify({
            dataBytes: Buffer.from(message.dataBytes).toString('base64'),
            hash: Buffer.from(message.hash).toString('base64'),
            hashScheme: 1,
            signature: Buffer.from(message.signature).toString('base64'),
            signatureScheme: 1,
            signer: Buffer.from(message.signer).toString('base64'),
          }),
        })
        assert.equal(response.status, 400, what)
      }
      grpc.close()
      const schemeInSixBytes = concatBytes(
        bytesField(2, victim.hash),
        longNumber(3, 1n),
        bytesField(4, victim.signature),
        numberField(5, 1),
        bytesField(6, victim.signer),
        bytesField(7, victim.dataBytes),
      )
      const { status, body } = await post(world, '/v1/submitMessage', schemeInSixBytes)
      assert.equal(status, 400)
      assert.ok(body.details.includes('hashScheme '), body.details)
      assert.deepEqual((await verify()).examples, [])
    })

    test('stored messages that clients cannot read are found by verify and revoked', async () => {
      const { storage } = world.app
      const [, , claimant] = network.accounts
      const claim = longClaim(world, claimant!)
      const { body } = claim.data
      assert.ok(body.case === 'verificationAddAddressBody')
      const address = getAddress(toHex(body.value.address) as `0x${string}`)
      await storeUnchecked(...attacks.map(({ message }) => message), claim)
      const profile = (type: UserDataType, value: string) => (origin: Origin) =>
        userDataAdd(origin, type, value)
      await network.send(
        claimant!,
        profile(UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM, address),
      )
      // It replaces an unreadable message, which remains in events alone.
      await network.send(stranger, profile(UserDataType.USER_DATA_TYPE_BIO, 'another bio'))
      // Without the replaced one, with the verification.
      const stored = attacks.length - 1 + 1
      const { kinds } = await verify()
      assert.equal(kinds['unreadable message'], stored)
      assert.equal(kinds['unreadable event'], 2)
      for (const version of CLIENT_VERSIONS) {
        const read = await listsOf(world, version, victim)
        for (const list of Object.values(read)) assert.equal(typeof list, 'string')
      }

      await world.app.jobs.run('revoke unreadable messages')
      const { examples, differences } = await verify()
      assert.deepEqual(examples, [])
      assert.equal(differences, 0)
      const { newestId } = await storage.events.logState(0)
      const gone = [...attacks.map(({ message }) => message), claim].map(({ hash }) => toHex(hash))
      for (const version of CLIENT_VERSIONS) {
        const read = await listsOf(world, version, victim)
        assert.deepEqual(read, { replies: 0, mentions: 0, likes: 0, followers: 0 })
        const revoked = await followTo(world, version, newestId)
        const bio = toHex(attacks.at(-1)!.message.hash)
        const expected = gone.filter((hash) => hash !== bio)
        assert.deepEqual(
          expected.filter((hash) => !revoked.includes(hash)),
          [],
        )
        // The primary address that the revoked verification stood for goes with it.
        assert.equal(revoked.length, expected.length + 1)
      }
      const { events } = accepted(await world.get('/v1/events?from_event_id=0'))
      assert.ok(events.length > attacks.length)
    })

    test('a day after its first run, the job that revokes unreadable messages does nothing more', async () => {
      world.clock.advance(DAY_MS + 1)
      await network.send(stranger, (origin) => castAdd(origin, 'a day later'))
      await world.app.jobs.run('revoke unreadable messages')
      const [again] = attacksOf(world, stranger, victim)
      await storeUnchecked(again!.message)
      await world.app.jobs.run('revoke unreadable messages')
      assert.deepEqual((await verify()).kinds, { 'unreadable message': 1 })
    })
  })
}
