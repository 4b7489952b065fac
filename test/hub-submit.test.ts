// What a hub takes: every form of envelope, both readings of "what is signed", every type of message.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  castAdd,
  castRemove,
  linkAdd,
  linkCompactState,
  linkRemove,
  reactionAdd,
  reactionRemove,
  userDataAdd,
  verificationAddEth,
  verificationRemove,
} from '../src/kernel/protocol/build.ts'
import { encodeEnvelope, encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import { signEd25519 } from '../src/kernel/protocol/crypto/ed25519.ts'
import { signEthClaim } from '../src/kernel/protocol/crypto/eip712.ts'
import { hashOf } from '../src/kernel/protocol/crypto/hash.ts'
import { addressOfPrivateKey } from '../src/kernel/protocol/crypto/secp256k1.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { MessageType, ReactionType, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import {
  accepted,
  bytes,
  hashesOf,
  hex,
  inForm,
  inWorld,
  onEngines,
  pathOf,
  post,
  refused,
} from './hub-support.ts'
import type { TestAccount, World } from './world.ts'

const cast = (world: World, account: TestAccount, text: string): SignedMessage =>
  world.sign(account, castAdd(world.origin(account), text))

onEngines('submitting', (world) => {
  test('a development network takes messages of any network, and answers with the network that each names', async () => {
    const account = await world().account(900)
    for (const [network, name] of [
      [1, 'MAINNET'],
      [2, 'TESTNET'],
      [3, 'DEVNET'],
    ] as const) {
      const origin = { ...world().origin(account), network }
      const stored = accepted(await world().submit(world().sign(account, castAdd(origin, name))))
      assert.equal(stored.data.network, `SOCIAL_NETWORK_${name}`)
    }
  })

  for (const form of ['data', 'dataBytes', 'both'] as const) {
    test(`a message in the form "${form}" is accepted and returned in that form`, async () => {
      const account = await world().account({ data: 1, dataBytes: 2, both: 3 }[form])
      const message = inForm(cast(world(), account, form), form)
      const answer = accepted(await world().submit(message))
      assert.equal(answer.hash, hex(message.hash))
      const dataBytes =
        form === 'data' ? undefined : Buffer.from(message.dataBytes).toString('base64')
      assert.equal(answer.dataBytes, dataBytes)
      const read = await world().get(
        pathOf('/v1/castById', { fid: account.fid, hash: answer.hash }),
      )
      assert.deepEqual(accepted(read), answer)
    })
  }

  test('data_bytes win when data differs from them', async () => {
    const account = await world().account(4)
    const told = inForm(cast(world(), account, 'told'), 'dataBytes')
    const shown = cast(world(), account, 'shown')
    const data = Buffer.concat([Uint8Array.of(0x0a, shown.dataBytes.length), shown.dataBytes])
    const answer = accepted(await world().submit(Buffer.concat([data, encodeEnvelope(told)])))
    assert.equal(answer.data.castAddBody.text, 'told')
    const wrong = { ...told, hash: shown.hash, signature: shown.signature }
    const refusal = await world().submit(Buffer.concat([data, encodeEnvelope(wrong)]))
    refused(refusal, { code: 'bad_request.validation_failure', says: /invalid hash/ })
  })

  test('data is hashed as received and never encoded again', async () => {
    const account = await world().account(5)
    const { dataBytes } = cast(world(), account, 'x')
    // Empty packed lists written out, as some encoders do; three spellings of one cast.
    const body = [0x2a, 0x07, 0x12, 0x00, 0x22, 0x01, 0x78, 0x2a, 0x00]
    const spelled = Buffer.concat([dataBytes.subarray(0, dataBytes.length - 5), Buffer.from(body)])
    const unknown = Buffer.concat([dataBytes, Buffer.from([0xf8, 0x3f, 0x01])])
    for (const encoding of [dataBytes, spelled, unknown]) {
      const hash = hashOf(encoding)
      const base = { ...cast(world(), account, 'x'), dataBytes: encoding, hash }
      for (const form of ['data', 'dataBytes'] as const) {
        const message = inForm({ ...base, signature: signEd25519(hash, account.seed) }, form)
        const answer = await world().submit(message)
        if (form === 'data') assert.equal(accepted(answer).hash, hex(hash))
        else refused(answer, { code: 'bad_request.duplicate' })
      }
    }
    const casts = await hashesOf(world(), '/v1/castsByFid', { fid: 5 })
    assert.equal(casts.length, 3)
  })

  test('a message of every type is stored, found by its id and listed', async () => {
    const [account] = await world().accounts([6, 7])
    assert.ok(account)
    const origin = world().origin(account)
    const target = { fid: 7, hash: bytes(20, 7) }
    const key = bytes(32, 9)
    const address = addressOfPrivateKey(key)
    const claim = { address, blockHash: bytes(32, 1) }
    const claimSignature = signEthClaim(origin, claim, key)
    const adds = [
      {
        init: castAdd(origin, 'every type'),
        list: '/v1/castsByFid',
        byId: (hash: string) => pathOf('/v1/castById', { fid: 6, hash }),
      },
      {
        init: reactionAdd(origin, ReactionType.LIKE, target),
        list: '/v1/reactionsByFid',
        byId: () =>
          pathOf('/v1/reactionById', {
            fid: 6,
            reaction_type: 'REACTION_TYPE_LIKE',
            target_fid: 7,
            target_hash: hex(target.hash),
          }),
      },
      {
        init: reactionAdd(origin, ReactionType.RECAST, { url: 'chain://eip155:1/x' }),
        list: '/v1/reactionsByFid',
        byId: () =>
          pathOf('/v1/reactionById', {
            fid: 6,
            reaction_type: 2,
            target_url: 'chain://eip155:1/x',
          }),
      },
      {
        init: linkAdd(origin, 'follow', 7),
        list: '/v1/linksByFid',
        byId: () => pathOf('/v1/linkById', { fid: 6, target_fid: 7, link_type: 'follow' }),
      },
      {
        init: userDataAdd(origin, UserDataType.USER_DATA_TYPE_BIO, 'a bio'),
        list: '/v1/userDataByFid',
        byId: () => pathOf('/v1/userDataByFid', { fid: 6, user_data_type: 3 }),
      },
      {
        init: verificationAddEth(origin, { ...claim, claimSignature }),
        list: '/v1/verificationsByFid',
        byId: () => pathOf('/v1/verificationsByFid', { fid: 6, address: hex(address) }),
      },
    ]
    for (const { init, list, byId } of adds) {
      const answer = accepted(await world().submit(world().sign(account, init)))
      assert.deepEqual(accepted(await world().get(byId(answer.hash))), answer)
      assert.ok((await hashesOf(world(), list, { fid: 6 })).includes(answer.hash), list)
    }
    const later = world().origin(account, origin.timestamp + 1)
    const castHash = world().sign(account, castAdd(origin, 'every type')).hash
    const removes = [
      castRemove(later, castHash),
      reactionRemove(later, ReactionType.LIKE, target),
      reactionRemove(later, ReactionType.RECAST, { url: 'chain://eip155:1/x' }),
      linkRemove(later, 'follow', 7),
      undefined,
      verificationRemove(later, address),
    ]
    for (const [i, init] of removes.entries()) {
      if (!init) continue
      const answer = accepted(await world().submit(world().sign(account, init)))
      const path = adds[i]!.byId(hex(castHash))
      refused(await world().get(path), { status: 404, code: 'not_found' })
      assert.deepEqual(await hashesOf(world(), adds[i]!.list, { fid: 6, reaction_type: i }), [])
      if (i > 0) continue
      const all = await hashesOf(world(), '/v1/castsByFid', { fid: 6, include_removes: true })
      assert.deepEqual(all, [answer.hash])
    }
    const compact = world().sign(account, linkCompactState(later, 'follow', [7]))
    assert.equal(accepted(await world().submit(compact)).hash, hex(compact.hash))
  })

  test('a bulk is answered in its order, and a bad message does not affect the others', async () => {
    const account = await world().account(8)
    const good = Array.from({ length: 5 }, (_, i) => cast(world(), account, `bulk ${i}`))
    const bad = { ...good[1]!, signature: bytes(64, 1) }
    const removed = world().sign(account, castRemove(world().origin(account), good[4]!.hash))
    const list = encodeList([good[0]!, bad, good[2]!, good[2]!, good[3]!, good[4]!, removed])
    const answer = accepted(await post(world(), '/v1/submitBulkMessages', list))
    const told = answer.messages.map((one: { errCode?: string }) => one.errCode ?? 'merged')
    const [invalid, duplicate] = ['bad_request.validation_failure', 'bad_request.duplicate']
    assert.deepEqual(told, [
      ...['merged', invalid, 'merged', duplicate, 'merged', 'merged', 'merged'],
    ])
    assert.equal(answer.messages[1].hash, hex(bad.hash))
    assert.equal(answer.messages[1].message, 'invalid signature')
    const stored = [good[0]!, good[2]!, good[3]!].map(({ hash }) => hex(hash)).sort()
    assert.deepEqual(await hashesOf(world(), '/v1/castsByFid', { fid: 8 }), stored)
  })

  test('a bulk submit has the same error codes as a single submit', async () => {
    const account = await world().account(10)
    const pin = { ...castAdd(world().origin(account), 'x'), type: MessageType.CHANNEL_PIN }
    const message = world().sign(account, pin)
    const alone = refused(await world().submit(message), { code: 'not_implemented' })
    const [told] = accepted(
      await post(world(), '/v1/submitBulkMessages', encodeList([message])),
    ).messages
    const { errCode, message: says } = alone
    assert.deepEqual(told, { hash: hex(message.hash), errCode, message: says })
    assert.equal(accepted(await world().validate(message)).errCode, errCode)
  })

  test('a bulk of 256 messages is accepted and one of 257 is refused', async () => {
    const account = await world().account(9)
    const all = Array.from({ length: 257 }, (_, i) => cast(world(), account, `of many ${i}`))
    const many = await post(world(), '/v1/submitBulkMessages', encodeList(all))
    refused(many, { code: 'bad_request.invalid_param', says: /Max is 256/ })
    const answer = accepted(await post(world(), '/v1/submitBulkMessages', encodeList(all.slice(1))))
    assert.equal(answer.messages.filter((one: { data?: unknown }) => one.data).length, 256)
    assert.equal((await hashesOf(world(), '/v1/castsByFid', { fid: 9 })).length, 256)
  })
})

const overData = (message: SignedMessage, { seed }: TestAccount) => ({
  ...message,
  signature: signEd25519(message.dataBytes, seed),
})

inWorld('signatures', (world) => {
  test('a signature may be over the hash or over the data bytes, and over nothing else', async () => {
    const account = await world().account(1)
    accepted(await world().submit(cast(world(), account, 'over the hash')))
    accepted(await world().submit(overData(cast(world(), account, 'over the data'), account)))
    const message = cast(world(), account, 'over neither')
    const neither = { ...message, signature: signEd25519(bytes(20, 1), account.seed) }
    const other = { ...message, signature: cast(world(), account, 'another').signature }
    for (const wrong of [neither, other, { ...message, signature: bytes(64, 0) }]) {
      const refusal = await world().submit(wrong)
      refused(refusal, { code: 'bad_request.validation_failure', says: /^invalid signature$/ })
    }
    assert.equal((await hashesOf(world(), '/v1/castsByFid', { fid: 1 })).length, 2)
  })
})
