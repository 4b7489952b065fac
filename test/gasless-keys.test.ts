// Keys that messages add: built and signed by the published library, merged, used, read and removed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as core from '@farcaster/core'
import { privateKeyToAccount } from 'viem/accounts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { linkAdd } from '../src/kernel/protocol/build.ts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { DAY_SECONDS, MINUTE_MS, networkTime } from '../src/kernel/protocol/time.ts'
import {
  cast,
  custodyKey,
  KEYS_START_MS,
  keyAdd,
  keyOf,
  keyRemove,
  nextMinute,
  owner,
  type Terms,
} from './gasless-keys-support.ts'
import { accepted, bytes, onEngines, refused } from './hub-support.ts'
import { accountEvents, DEVNET, testAccount } from './world.ts'

const { CAST_ADD, LINK_ADD, VERIFICATION_ADD_ETH_ADDRESS } = core.MessageType
const MAX_TTL = 90 * DAY_SECONDS
const INVALID = 'bad_request.validation_failure'

onEngines(
  'gasless keys',
  (world) => {
    test('a key that the published library adds signs what its scopes allow, and is read back as it was added', async () => {
      const [user, app] = [await owner(world(), 11), await owner(world(), 12)]
      const key = keyOf(1)
      refused(await world().submit(cast(world(), 11, key)), { code: 'bad_request.unknown_signer' })
      const add = await keyAdd(world(), user, key, { app, nonce: 5 })
      assert.equal(accepted(await world().validate(add)).valid, true)
      const stored = accepted(await world().submit(add))
      assert.equal(stored.data.type, 'MESSAGE_TYPE_KEY_ADD')
      assert.equal(stored.data.keyAddBody.key, toHex(key.key))
      assert.deepEqual(stored.data.keyAddBody.scopes, [
        'MESSAGE_TYPE_CAST_ADD',
        'MESSAGE_TYPE_CAST_REMOVE',
      ])
      accepted(await world().submit(cast(world(), 11, key)))
      const link = world().sign({ ...key, fid: 11 }, linkAdd(world().origin(user), 'follow', 12))
      refused(await world().submit(link), {
        code: INVALID,
        says: /^message type 5 is not in the scope of the gasless signer/,
      })
      const added = Math.floor(world().clock.now() / 1_000)
      const expected = {
        source: 'SIGNER_SOURCE_OFFCHAIN',
        key: toHex(key.key),
        keyType: 1,
        fid: 11,
        addedAt: added,
        lastUsedAt: added,
        ttl: DAY_SECONDS,
        expiresAt: added + DAY_SECONDS,
        scopes: ['MESSAGE_TYPE_CAST_ADD', 'MESSAGE_TYPE_CAST_REMOVE'],
        requestFid: 12,
        nonce: 5,
      }
      const one = accepted(await world().get(`/v1/signer?fid=11&signer=${toHex(key.key)}`))
      assert.deepEqual(one.signer, expected)
      const list = accepted(
        await world().get('/v1/signersByFid?fid=11&requesterFids=12&requesterFids=13'),
      )
      assert.deepEqual(
        list.signers.map((signer: { source: string }) => signer.source),
        ['SIGNER_SOURCE_ONCHAIN', 'SIGNER_SOURCE_OFFCHAIN'],
      )
      assert.deepEqual(list.signers[1], expected)
      const { signers: _, nextPageToken: __, ...counts } = list
      assert.deepEqual(counts, {
        gaslessSignerCount: 1,
        gaslessSignerLimit: 1_000,
        currentUserNonce: 5,
        requesterFidNonces: { 12: 0, 13: 0 },
      })
    })

    test('the events of a key have the message that added it, and its removal has it as deleted', async () => {
      const user = await owner(world(), 21)
      const key = keyOf(2)
      const { body: before } = await world().get('/v1/events?from_event_id=0&pageSize=1000')
      accepted(await world().submit(await keyAdd(world(), user, key)))
      accepted(await world().submit(await keyRemove(world(), user, key)))
      const { body } = await world().get(`/v1/events?from_event_id=${before.nextPageEventId}`)
      const [added, removed] = body.events.slice(-2)
      assert.equal(added.mergeMessageBody.message.data.type, 'MESSAGE_TYPE_KEY_ADD')
      assert.equal(removed.mergeMessageBody.message.data.type, 'MESSAGE_TYPE_KEY_REMOVE')
      assert.equal(removed.mergeMessageBody.message.data.keyRemoveBody.signatureType, 1)
      assert.deepEqual(
        removed.mergeMessageBody.deletedMessages.map((message: { hash: string }) => message.hash),
        [added.mergeMessageBody.message.hash],
      )
      refused(await world().get(`/v1/signer?fid=21&signer=${toHex(key.key)}`), {
        status: 404,
        code: 'not_found',
      })
    })

    const STATIC: readonly [what: string, terms: Terms, says: RegExp | undefined][] = [
      ['a time to live of one second', { ttl: 1 }, undefined],
      ['a time to live of 90 days', { ttl: MAX_TTL }, undefined],
      ['no time to live', { edit: (b) => ({ ...b, ttl: 0 }) }, /^ttl must be > 0 and <= 7776000/],
      [
        'more than 90 days',
        { edit: (b) => ({ ...b, ttl: MAX_TTL + 1 }) },
        /^ttl must be > 0 and <= 7776000/,
      ],
      ['no scope', { edit: (b) => ({ ...b, scopes: [] }) }, /^scopes must be non-empty/],
      [
        '17 scopes',
        { edit: (b) => ({ ...b, scopes: Array(17).fill(CAST_ADD) }) },
        /^scopes list exceeds max of 16 entries/,
      ],
      ['16 scopes', { scopes: Array(16).fill(CAST_ADD) }, undefined],
      [
        'a scope to add keys',
        { edit: (b) => ({ ...b, scopes: [core.MessageType.KEY_ADD] }) },
        /^scope "16" is not a valid MessageType/,
      ],
      ['a short key', { edit: (b) => ({ ...b, key: bytes(31, 1) }) }, /^key must be 32 bytes/],
      ['another type of key', { edit: (b) => ({ ...b, keyType: 2 }) }, /^invalid key type/],
      ['no deadline', { edit: (b) => ({ ...b, deadline: 0 }) }, /^deadline is missing/],
      [
        'another type of metadata',
        { edit: (b) => ({ ...b, metadataType: 2 }) },
        /^invalid metadata type/,
      ],
      [
        'no metadata',
        { edit: (b) => ({ ...b, metadata: new Uint8Array() }) },
        /^metadata is missing/,
      ],
      [
        'other metadata',
        { edit: (b) => ({ ...b, metadata: bytes(288, 1) }) },
        /^SignedKeyRequest metadata is malformed or signature does not verify/,
      ],
      ['a changed scope', { edit: (b) => ({ ...b, scopes: [LINK_ADD] }) }, /^invalid signature/],
      ['a changed nonce', { edit: (b) => ({ ...b, nonce: 9 }) }, /^invalid signature/],
      [
        'a short signature',
        { edit: (b) => ({ ...b, custodySignature: b.custodySignature.slice(1) }) },
        /^invalid signature/,
      ],
    ]
    for (const [i, [what, terms, says]] of STATIC.entries()) {
      test(`a key with ${what} is ${says ? 'refused' : 'added'}`, async () => {
        const user = await owner(world(), 200 + i)
        const answer = await world().submit(await keyAdd(world(), user, keyOf(200 + i), terms))
        if (says) refused(answer, { code: INVALID, says })
        else accepted(answer)
      })
    }

    test('a key needs the custody signature of the fid, and a request of the custody address of the app', async () => {
      const [user, app] = [await owner(world(), 31), await owner(world(), 32)]
      const key = keyOf(3)
      const byOther = await keyAdd(world(), user, key, { by: app, app })
      refused(await world().submit(byOther), { code: INVALID, says: /^invalid signature/ })
      const wrongApp = await keyAdd(world(), user, key, { requestFid: 32n })
      const says = /^requestSigner does not match custody address of requestFid/
      refused(await world().submit(wrongApp), { code: INVALID, says })
      const unknownApp = await keyAdd(world(), user, key, { app, requestFid: 3_200n })
      refused(await world().submit(unknownApp), { code: INVALID, says })
      accepted(await world().submit(await keyAdd(world(), user, key, { app })))
    })

    test("the app's request is compared with the time of the message, to the second", async () => {
      const user = await owner(world(), 41)
      const now = networkTime(world().clock.now())
      const late = await keyAdd(world(), user, keyOf(4), {
        deadline: now + 10,
        timestamp: now + 11,
      })
      refused(await world().submit(late), {
        code: INVALID,
        says: /^SignedKeyRequest deadline has expired/,
      })
      const last = await keyAdd(world(), user, keyOf(4), {
        deadline: now + 10,
        timestamp: now + 10,
      })
      accepted(await world().submit(last))
    })

    test('a nonce is used once: the next one is higher, for additions and removals together', async () => {
      const user = await owner(world(), 51)
      accepted(await world().submit(await keyAdd(world(), user, keyOf(51), { nonce: 5 })))
      nextMinute(world())
      const conflict = (nonce: number, stored: number) => ({
        code: 'bad_request.conflict',
        says: new RegExp(`^gasless-key nonce ${nonce} is not greater than stored nonce ${stored}`),
      })
      for (const nonce of [0, 4, 5]) {
        refused(
          await world().submit(await keyAdd(world(), user, keyOf(52), { nonce })),
          conflict(nonce, 5),
        )
      }
      accepted(await world().submit(await keyAdd(world(), user, keyOf(52), { nonce: 6 })))
      refused(
        await world().submit(await keyRemove(world(), user, keyOf(51), { nonce: 6 })),
        conflict(6, 6),
      )
      accepted(await world().submit(await keyRemove(world(), user, keyOf(51), { nonce: 7 })))
    })

    test('a fid adds one key a minute; refused additions do not count', async () => {
      const user = await owner(world(), 61)
      const other = await owner(world(), 62)
      refused(await world().submit(await keyAdd(world(), user, keyOf(61), { by: other })), {
        code: INVALID,
      })
      accepted(await world().submit(await keyAdd(world(), user, keyOf(61), { nonce: 1 })))
      const second = await keyAdd(world(), user, keyOf(62), { nonce: 2 })
      world().clock.advance(MINUTE_MS - 1)
      refused(await world().submit(second), { status: 429, code: 'unavailable' })
      accepted(await world().submit(await keyAdd(world(), other, keyOf(63), { nonce: 1 })))
      world().clock.advance(1)
      accepted(await world().submit(second))
    })

    test('a key expires when it was not used for its time to live, by the second, and use moves that', async () => {
      const user = await owner(world(), 71)
      const key = keyOf(7)
      accepted(await world().submit(await keyAdd(world(), user, key, { ttl: 1_000 })))
      const start = networkTime(world().clock.now())
      const expiry = async () => {
        const answer = await world().get(`/v1/signer?fid=71&signer=${toHex(key.key)}`)
        return accepted(answer).signer.expiresAt - 1_609_459_200 - start
      }
      world().clock.advance(300_000)
      accepted(await world().submit(cast(world(), 71, key, 'after 300 s')))
      assert.equal(await expiry(), 1_000, 'a use within 300 seconds is not written')
      world().clock.advance(1_000)
      accepted(await world().submit(cast(world(), 71, key, 'after 301 s')))
      assert.equal(await expiry(), 1_301)
      world().clock.advance(1_000_000)
      accepted(await world().submit(cast(world(), 71, key, 'in its last second')))
      world().clock.advance(1_001_000)
      refused(await world().submit(cast(world(), 71, key, 'too late')), {
        code: 'bad_request.unknown_signer',
        says: /^gasless-key last_used_at expired/,
      })
      accepted(await world().submit(await keyAdd(world(), user, key, { ttl: 1_000, nonce: 2 })))
      accepted(await world().submit(cast(world(), 71, key, 'added again')))
    })

    test('a key that is added again replaces its terms, for the same app only, and never for another fid', async () => {
      const [user, app, other] = [
        await owner(world(), 81),
        await owner(world(), 82),
        await owner(world(), 83),
      ]
      const key = keyOf(8)
      const first = accepted(await world().submit(await keyAdd(world(), user, key, { app })))
      nextMinute(world())
      refused(await world().submit(await keyAdd(world(), user, key, { nonce: 2, app: other })), {
        code: INVALID,
        says: /^key is already registered for this fid by a different requesting fid/,
      })
      refused(await world().submit(await keyAdd(world(), other, key, { app })), {
        code: INVALID,
        says: /^key is already claimed by a different fid/,
      })
      const again = await keyAdd(world(), user, key, { app, nonce: 2, scopes: [LINK_ADD] })
      const answer = accepted(await world().submit(again))
      const { body } = await world().get(`/v1/eventById?event_id=${(await newest()).id}`)
      assert.equal(body.mergeMessageBody.message.hash, answer.hash)
      assert.deepEqual(
        body.mergeMessageBody.deletedMessages.map((message: { hash: string }) => message.hash),
        [first.hash],
      )
      refused(await world().submit(cast(world(), 81, key)), {
        code: INVALID,
        says: /^message type 1 /,
      })
      refused(await world().submit(again), { code: 'bad_request.duplicate' })
      accepted(await world().submit(await keyRemove(world(), user, key, { nonce: 3 })))
      accepted(await world().submit(await keyAdd(world(), other, key, { app, nonce: 2 })))
    })

    const newest = async () => {
      const { body } = await world().get('/v1/events?from_event_id=0&pageSize=1000')
      return body.events.at(-1)
    }

    test('a key that a transaction has added is not added by a message', async () => {
      const user = await owner(world(), 91)
      const onChain = { ...keyOf(0), key: user.key, signer: new core.NobleEd25519Signer(user.seed) }
      refused(await world().submit(await keyAdd(world(), user, onChain)), {
        code: INVALID,
        says: /^key is already registered onchain for this fid/,
      })
    })

    test('a key removes itself with a nonce of its app; its messages stay', async () => {
      const [user, app] = [await owner(world(), 101), await owner(world(), 102)]
      const [key, second] = [keyOf(10), keyOf(11)]
      accepted(await world().submit(await keyAdd(world(), user, key, { app })))
      const message = accepted(await world().submit(cast(world(), 101, key)))
      const byOther = await keyRemove(world(), user, key, {
        by: 'self',
        nonce: 1,
        signer: keyOf(99),
      })
      refused(await world().submit(byOther), { code: INVALID, says: /^invalid signature/ })
      accepted(await world().submit(await keyRemove(world(), user, key, { by: 'self', nonce: 1 })))
      refused(await world().submit(cast(world(), 101, key, 'after')), {
        code: 'bad_request.unknown_signer',
      })
      accepted(await world().get(`/v1/castById?fid=101&hash=${message.hash}`))
      refused(await world().submit(await keyRemove(world(), user, key, { by: 'self', nonce: 2 })), {
        code: INVALID,
        says: /^key is not registered for this fid/,
      })
      nextMinute(world())
      accepted(await world().submit(await keyAdd(world(), user, second, { app, nonce: 2 })))
      refused(
        await world().submit(await keyRemove(world(), user, second, { by: 'self', nonce: 1 })),
        {
          code: 'bad_request.conflict',
        },
      )
      accepted(
        await world().submit(await keyRemove(world(), user, second, { by: 'self', nonce: 2 })),
      )
      const list = accepted(await world().get('/v1/signersByFid?fid=101&requesterFids=102'))
      assert.deepEqual(list.requesterFidNonces, { 102: 2 })
      assert.equal(list.gaslessSignerCount, 0)
    })

    test('keys are listed in pages, those by transactions first, forwards and backwards', async () => {
      const user = await owner(world(), 111)
      for (let i = 0; i < 5; i++) {
        nextMinute(world())
        accepted(
          await world().submit(await keyAdd(world(), user, keyOf(1_110 + i), { nonce: i + 1 })),
        )
      }
      const pages = async (size: number, reverse: boolean) => {
        const keys: string[] = []
        for (let token = ''; ; ) {
          const query = `fid=111&pageSize=${size}&reverse=${reverse}&pageToken=${encodeURIComponent(token)}`
          const body = accepted(await world().get(`/v1/signersByFid?${query}`))
          assert.ok(body.signers.length <= size)
          keys.push(...body.signers.map((signer: { key: string }) => signer.key))
          token = body.nextPageToken
          if (token === '') return keys
        }
      }
      const all = await pages(100, false)
      assert.equal(all.length, 6)
      assert.equal(all[0], toHex(user.key))
      for (const size of [1, 2, 3, 5]) {
        assert.deepEqual(await pages(size, false), all)
        assert.deepEqual(await pages(size, true), all.toReversed())
      }
    })

    test('a fid without storage adds keys, which count as no storage', async () => {
      const wallet = privateKeyToAccount(custodyKey(121))
      const account = { ...testAccount(121), custody: fromHex(wallet.address)! }
      const events = accountEvents(account, Math.floor(world().clock.now() / 1_000), 1)
      await world().app.ledger!.importEvents(events.slice(0, 2))
      const user = {
        ...account,
        account: wallet,
        wallet: new core.ViemLocalEip712Signer(wallet),
      }
      accepted(await world().submit(await keyAdd(world(), user, keyOf(12))))
      refused(await world().submit(cast(world(), 121, keyOf(12))), {
        code: 'bad_request.no_storage',
      })
    })

    test('keys and used nonces survive a restart', async () => {
      const user = await owner(world(), 131)
      accepted(await world().submit(await keyAdd(world(), user, keyOf(13), { nonce: 3 })))
      await world().restart()
      accepted(await world().submit(cast(world(), 131, keyOf(13))))
      nextMinute(world())
      refused(await world().submit(await keyAdd(world(), user, keyOf(14), { nonce: 3 })), {
        code: 'bad_request.conflict',
      })
    })

    test('verify reports a KEY_ADD whose key has no row, and a nonce that may be used again', async () => {
      const user = await owner(world(), 151)
      accepted(await world().submit(await keyAdd(world(), user, keyOf(16), { nonce: 3 })))
      const kinds = async () => (await verifyStore(world().app.storage, { network: DEVNET })).kinds
      assert.deepEqual(await kinds(), {})
      const { storage } = world().app
      await storage.write('hub', async (tx) => {
        await tx.gaslessKeys.remove([keyOf(16).key])
        await tx.gaslessKeys.putNonces([{ fid: 151, user_nonce: 2, app_nonce: 0 }])
      })
      assert.deepEqual(await kinds(), { 'gasless key': 2 })
    })

    test('a batch that adds a key and uses it merges both', async () => {
      const user = await owner(world(), 141)
      const key = keyOf(15)
      const add = await keyAdd(world(), user, key, {
        scopes: [CAST_ADD, VERIFICATION_ADD_ETH_ADDRESS],
      })
      const [first, second] = await Promise.all([
        world().submit(add),
        world().submit(cast(world(), 141, key)),
      ])
      accepted(first)
      if (second.status !== 200) accepted(await world().submit(cast(world(), 141, key)))
    })
  },
  () => ({ startMs: KEYS_START_MS }),
)
