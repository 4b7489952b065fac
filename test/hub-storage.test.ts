// How much a fid may store, what gives way, and what goes when a key, an address or the storage goes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getAddress } from 'viem/utils'
import {
  castAdd,
  type DataInit,
  linkAdd,
  linkCompactState,
  linkRemove,
  reactionAdd,
  userDataAdd,
  verificationAddEth,
  verificationRemove,
} from '../src/kernel/protocol/build.ts'
import { encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import { signEthClaim } from '../src/kernel/protocol/crypto/eip712.ts'
import { addressOfPrivateKey } from '../src/kernel/protocol/crypto/secp256k1.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { ReactionType, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { SignerEventType } from '../src/kernel/protocol/wire/onchain_event_pb.js'
import {
  accepted,
  bytes,
  eventsAfter,
  hashesOf,
  hex,
  keyEvent,
  newestEventId,
  onEngines,
  pathOf,
  post,
  refused,
  removeKey,
} from './hub-support.ts'
import { type TestAccount, testAccount, type World } from './world.ts'

const submit = (world: World, account: TestAccount, init: DataInit) =>
  world.submit(world.sign(account, init))

/** One message for each second, so that the first is the oldest. */
const STORES: readonly [string, number, number, (at: ReturnType<World['origin']>) => DataInit][] = [
  ['CASTS', 1, 100, (at) => castAdd(at, `second ${at.timestamp}`)],
  ['LINKS', 2, 200, (at) => linkAdd(at, 'follow', at.timestamp)],
  ['REACTIONS', 3, 200, (at) => reactionAdd(at, ReactionType.LIKE, { url: `of ${at.timestamp}` })],
  ['VERIFICATIONS', 5, 5, (at) => verificationRemove(at, bytes(20, at.timestamp - 1_000))],
]

const usageOf = async (world: World, fid: number, name: string) => {
  const body = accepted(await world.get(pathOf('/v1/storageLimitsByFid', { fid })))
  const { used, limit } = body.limits.find((one: { name: string }) => one.name === name)
  return [used, limit]
}

onEngines(
  'storage',
  (world) => {
    for (const [name, store, limit, make] of STORES) {
      test(`storage of ${name} holds its limit, and one more message prunes the oldest`, async () => {
        const account = await world().account(store, { units: 1 })
        const at = (i: number) => world().sign(account, make(world().origin(account, 1_000 + i)))
        const list = Array.from({ length: limit }, (_, i) => at(i + 1))
        accepted(await post(world(), '/v1/submitBulkMessages', encodeList(list.slice(1))))
        assert.deepEqual(await usageOf(world(), store, name), [limit - 1, limit])
        accepted(await world().submit(list[0]!))
        assert.deepEqual(await usageOf(world(), store, name), [limit, limit])
        refused(await world().submit(at(0)), { code: 'bad_request.prunable' })

        const before = await newestEventId(world())
        accepted(await world().submit(at(limit + 1)))
        assert.deepEqual(await usageOf(world(), store, name), [limit, limit])
        const events = await eventsAfter(world(), before)
        assert.deepEqual(
          events.map((event) => event.type),
          ['MERGE_MESSAGE', 'PRUNE_MESSAGE'],
        )
        assert.equal(events[1]!.pruneMessageBody.message.hash, hex(list[0]!.hash))
        // What was pruned is older than all that is left: it cannot come back.
        refused(await world().submit(list[0]!), { code: 'bad_request.prunable' })
      })
    }

    test('storage keeps the newest messages in any order of arrival', async () => {
      const account = await world().account(20, { units: 1 })
      const casts = Array.from({ length: 160 }, (_, i) =>
        world().sign(account, castAdd(world().origin(account, (i * 7) % 40), `cast ${i}`)),
      )
      for (const part of [casts.slice(0, 110), casts.slice(110)]) {
        accepted(await post(world(), '/v1/submitBulkMessages', encodeList(part)))
      }
      const newest = casts.sort(byTimeAndHash).slice(-100)
      const stored = await hashesOf(world(), '/v1/castsByFid', { fid: 20 })
      assert.deepEqual(
        stored,
        newest.map(({ hash }) => hex(hash)),
      )
      assert.deepEqual(await usageOf(world(), 20, 'CASTS'), [100, 100])
    })

    test('storage holds one link for a type and target, however often it is added and removed', async () => {
      const account = await world().account(25)
      for (let length = 1; length <= 8; length++) {
        const type = 'follower'.slice(0, length)
        const at = (seconds: number) => world().origin(account, seconds)
        accepted(await submit(world(), account, linkAdd(at(1), type, 9)))
        accepted(await submit(world(), account, linkRemove(at(2), type, 9)))
        const last = accepted(await submit(world(), account, linkAdd(at(3), type, 9)))
        const listed = await hashesOf(world(), '/v1/linksByFid', { fid: 25, link_type: type })
        assert.deepEqual(listed, [last.hash])
        const byId = pathOf('/v1/linkById', { fid: 25, target_fid: 9, link_type: type })
        assert.deepEqual(accepted(await world().get(byId)), last)
      }
      const { messages } = accepted(await world().get('/v1/linksByTargetFid?target_fid=9'))
      assert.equal(messages.length, 8)
      assert.deepEqual(await usageOf(world(), 25, 'LINKS'), [8, 2_000])
    })

    test('storage counts the links that a compact state lists', async () => {
      const account = await world().account(30)
      const at = (seconds: number) => world().origin(account, seconds)
      const links = [linkAdd(at(10), 'follow', 1), linkAdd(at(10), 'follow', 2)]
      const others = [linkAdd(at(10), 'block', 2), linkAdd(at(21), 'follow', 3)]
      const gone = linkRemove(at(10), 'follow', 4)
      for (const init of [...links, ...others, gone]) accepted(await submit(world(), account, init))
      const before = await newestEventId(world())
      accepted(await submit(world(), account, linkCompactState(at(20), 'follow', [30, 2, 5])))
      const events = await eventsAfter(world(), before)
      assert.deepEqual(
        events.map(({ type, mergeMessageBody }) => [type, mergeMessageBody.deletedMessages]),
        [['MERGE_MESSAGE', []]],
      )
      const kept = [links[1]!, ...others].map((init) => world().sign(account, init))
      const stored = await hashesOf(world(), '/v1/linksByFid', { fid: 30 })
      assert.deepEqual(
        stored,
        kept.sort(byTimeAndHash).map(({ hash }) => hex(hash)),
      )
      assert.deepEqual(await usageOf(world(), 30, 'LINKS'), [3, 2_000])

      const answers: [DataInit, string | undefined][] = [
        [linkAdd(at(19), 'follow', 9), 'bad_request.conflict'], // older and not listed
        [linkAdd(at(19), 'follow', 5), undefined], // older but listed
        [linkAdd(at(20), 'follow', 9), undefined], // of the same second
        [linkRemove(at(19), 'follow', 2), 'bad_request.prunable'],
        [linkRemove(at(20), 'follow', 2), undefined],
        [linkAdd(at(19), 'block', 9), undefined], // another type
        [linkCompactState(at(20), 'follow', [1]), 'bad_request.conflict'],
        [linkCompactState(at(19), 'follow', [1]), 'bad_request.conflict'],
      ]
      for (const [init, code] of answers) {
        const answer = await submit(world(), account, init)
        if (code) refused(answer, { code })
        else accepted(answer)
      }
      accepted(await submit(world(), account, linkCompactState(at(22), 'follow', [77])))
      const left = accepted(await world().get('/v1/linksByFid?fid=30&link_type=follow'))
      assert.deepEqual(left.messages, [])
    })

    test('storage holds compact states of sixteen link types', async () => {
      const account = await world().account(35)
      const state = (type: string, second: number) =>
        submit(world(), account, linkCompactState(world().origin(account, second), type, [1]))
      for (let i = 0; i < 16; i++) accepted(await state(`type${i}`, 10))
      refused(await state('onemore', 10), { code: 'bad_request.no_storage', says: /16 link types/ })
      accepted(await state('type3', 11))
    })

    test('messages of a removed key are kept, and new ones are refused', async () => {
      const account = await world().account(40)
      accepted(await submit(world(), account, castAdd(world().origin(account), 'before')))
      await removeKey(world(), account)
      const answer = await submit(world(), account, castAdd(world().origin(account), 'after'))
      refused(answer, { code: 'bad_request.unknown_signer' })
      const signers = accepted(await world().get('/v1/onChainSignersByFid?fid=40'))
      assert.deepEqual(signers, { events: [], nextPageToken: '' })
      const one = await world().get(
        pathOf('/v1/onChainSignersByFid', { fid: 40, signer: hex(account.key) }),
      )
      refused(one, { status: 404, code: 'not_found', says: /^no such active signer$/ })
      assert.equal((await hashesOf(world(), '/v1/castsByFid', { fid: 40 })).length, 1)
    })

    test('removing a verification revokes the primary address', async () => {
      const account = await world().account(50)
      const [origin, later] = [0, 1].map((s) => world().origin(account, 500 + s)) as [never, never]
      const key = bytes(32, 5)
      const claim = { address: addressOfPrivateKey(key), blockHash: bytes(32, 2) }
      const claimSignature = signEthClaim(origin, claim, key)
      const type = UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM
      const primary = userDataAdd(origin, type, getAddress(hex(claim.address) as `0x${string}`))
      refused(await submit(world(), account, primary), { code: 'bad_request.validation_failure' })
      accepted(
        await submit(world(), account, verificationAddEth(origin, { ...claim, claimSignature })),
      )
      const set = accepted(await submit(world(), account, primary))
      const before = await newestEventId(world())
      accepted(await submit(world(), account, verificationRemove(later, claim.address)))
      const [merged, revoked] = await eventsAfter(world(), before)
      assert.equal(merged!.mergeMessageBody.deletedMessages.length, 1)
      assert.equal(revoked!.revokeMessageBody.message.hash, set.hash)
      const read = await world().get(pathOf('/v1/userDataByFid', { fid: 50, user_data_type: 11 }))
      refused(read, { status: 404, code: 'not_found' })
    })
  },
  () => ({ env: { ROOKERY_STORAGE_GROWS: 'off' } }),
)

onEngines(
  'storage, where a removed key takes its messages along',
  (world) => {
    test('a removed key revokes its messages and no others when the setting says so', async () => {
      const account = await world().account(1, { units: 12 })
      const second = { ...testAccount(2), fid: 1 }
      await world().app.ledger!.importEvents([
        keyEvent(second, SignerEventType.ADD, { blockNumber: 2 }),
      ])
      const mine = await submit(world(), account, castAdd(world().origin(account), 'by the first'))
      const theirs = Array.from({ length: 1_100 }, (_, i) =>
        world().sign(second, castAdd(world().origin(second, i), 'by the second')),
      )
      for (let at = 0; at < theirs.length; at += 220) {
        const list = encodeList(theirs.slice(at, at + 220))
        accepted(await post(world(), '/v1/submitBulkMessages', list))
      }
      const before = await newestEventId(world())
      await removeKey(world(), second)
      const first = await eventsAfter(world(), before)
      const events = [...first, ...(await eventsAfter(world(), first.at(-1)!.id))]
      const revoked = events.flatMap(({ revokeMessageBody: body }) => body?.message.hash ?? [])
      assert.equal(events[0]!.type, 'MERGE_ON_CHAIN_EVENT')
      assert.deepEqual(revoked.sort(), theirs.map(({ hash }) => hex(hash)).sort())
      assert.deepEqual(await hashesOf(world(), '/v1/castsByFid', { fid: 1 }), [mine.body.hash])
      assert.deepEqual(await usageOf(world(), 1, 'CASTS'), [1, 1_200])
    })

    test('revoking a verification revokes the messages that depend on it', async () => {
      const account = await world().account(3)
      const second = { ...testAccount(4), fid: 3 }
      await world().app.ledger!.importEvents([
        keyEvent(second, SignerEventType.ADD, { blockNumber: 2 }),
      ])
      const origin = world().origin(account)
      const key = bytes(32, 6)
      const claim = { address: addressOfPrivateKey(key), blockHash: bytes(32, 2) }
      const claimSignature = signEthClaim(origin, claim, key)
      const verification = verificationAddEth(origin, { ...claim, claimSignature })
      accepted(await submit(world(), second, verification))
      const type = UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM
      const value = getAddress(hex(claim.address) as `0x${string}`)
      accepted(await submit(world(), account, userDataAdd(origin, type, value)))
      const before = await newestEventId(world())
      await removeKey(world(), second)
      const events = await eventsAfter(world(), before)
      assert.deepEqual(
        events.map((event) => event.revokeMessageBody?.message.data.type),
        [undefined, 'MESSAGE_TYPE_VERIFICATION_ADD_ETH_ADDRESS', 'MESSAGE_TYPE_USER_DATA_ADD'],
      )
    })
  },
  () => ({ env: { ROOKERY_REVOKE_ON_KEY_REMOVAL: 'true' } }),
)

const byTimeAndHash = (a: SignedMessage, b: SignedMessage) =>
  a.data.timestamp - b.data.timestamp || Buffer.compare(a.hash, b.hash)
