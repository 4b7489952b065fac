// The published conformance vectors of the deployed node, byte for byte (fixtures/conformance-vectors.json).

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { toJson } from '@bufbuild/protobuf'
import { privateKeyToAddress } from 'viem/accounts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { decodeMessage, encodeMessage } from '../src/kernel/protocol/codec/decode.ts'
import { publicKeyOf, verifyEd25519 } from '../src/kernel/protocol/crypto/ed25519.ts'
import {
  gaslessKeyDomain,
  keyAddTypedData,
  keyRemoveTypedData,
  recoverTypedDataSigner,
  signedKeyRequestTypedData,
} from '../src/kernel/protocol/crypto/eip712.ts'
import { hashOf } from '../src/kernel/protocol/crypto/hash.ts'
import { decodeSignedKeyRequestMetadata } from '../src/kernel/protocol/crypto/key-request-metadata.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { MessageDataSchema, MessageType } from '../src/kernel/protocol/wire/message_pb.js'
import { accepted, onEngines, refused } from './hub-support.ts'
import { accountEvents, type TestAccount } from './world.ts'

type Vector = {
  readonly id: string
  readonly type: string
  /** Whether it merges for an account that has nothing but storage and the key. */
  readonly merges: boolean
  readonly input: Readonly<Record<string, unknown>>
  readonly dataBytes: string
  readonly hash: string
  readonly signature: string
  readonly signer: string
  readonly message: string
}
const file = new URL('../fixtures/conformance-vectors.json', import.meta.url)
const { signerSeed, vectors } = JSON.parse(readFileSync(file, 'utf8')) as {
  signerSeed: string
  vectors: Vector[]
}
const FID = 1234
const TIMESTAMP = 94_608_000
const USER_CUSTODY_KEY = `0x${'11'.repeat(32)}` as const
const APP_CUSTODY_KEY = `0x${'22'.repeat(32)}` as const
const addressOf = (key: `0x${string}`) => privateKeyToAddress(key).toLowerCase()

const plain = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const bytesOf = (vector: Vector) => fromHex(vector.message)!

test('there are 13 vectors, of which 10 merge', () => {
  assert.equal(vectors.length, 13)
  assert.equal(vectors.filter(({ merges }) => merges).length, 10)
})

/** What the body of each vector has to say, from the manifest. */
const BODIES: Record<string, unknown> = {
  cast_add_basic: { castAddBody: { text: 'Hello, Farcaster!' } },
  cast_remove: { castRemoveBody: { targetHash: base64('01', 20) } },
  reaction_add_like: { reactionBody: like() },
  reaction_remove_like: { reactionBody: like() },
  link_add_follow: { linkBody: { type: 'follow', targetFid: '456' } },
  link_remove_follow: { linkBody: { type: 'follow', targetFid: '456' } },
  link_add_block: { linkBody: { type: 'block', targetFid: '456' } },
  link_remove_block: { linkBody: { type: 'block', targetFid: '456' } },
  link_compact_state_follow: {
    linkCompactStateBody: { type: 'follow', targetFids: ['456'] },
  },
  user_data_add_display: {
    userDataBody: { type: 'USER_DATA_TYPE_DISPLAY', value: 'Test User' },
  },
  verification_add_eth: {
    verificationAddAddressBody: {
      address: base64('03', 20),
      claimSignature: base64('05', 65),
      blockHash: base64('04', 32),
    },
  },
}

function like() {
  return {
    type: 'REACTION_TYPE_LIKE',
    targetCastId: { fid: '321', hash: base64('02', 20) },
  }
}

function base64(byte: string, count: number): string {
  return Buffer.from(byte.repeat(count), 'hex').toString('base64')
}

for (const vector of vectors) {
  test(`conformance: the bytes, hash, signature and body of ${vector.id} are those of the vector`, () => {
    const message = decodeMessage(bytesOf(vector))
    assert.equal(plain(message.dataBytes), vector.dataBytes)
    assert.equal(plain(hashOf(message.dataBytes)), vector.hash)
    assert.equal(plain(message.hash), vector.hash)
    assert.equal(plain(message.signature), vector.signature)
    assert.equal(plain(message.signer), vector.signer)
    assert.equal(plain(publicKeyOf(fromHex(signerSeed)!)), vector.signer)
    assert.ok(verifyEd25519(message.signature, message.hash, message.signer))
    const { fid, timestamp, type } = message.data
    assert.deepEqual([Number(fid), timestamp], [FID, TIMESTAMP])
    const typeName = vector.type.replaceAll(/\B[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
    assert.equal(MessageType[type], typeName)
    const body = BODIES[vector.id]
    if (body) {
      const {
        type: _,
        fid: __,
        timestamp: ___,
        network,
        ...rest
      } = Object(toJson(MessageDataSchema, message.data))
      assert.deepEqual(rest, body)
      assert.equal(network, 'NETWORK_MAINNET')
    }
    assert.deepEqual(decodeMessage(encodeMessage(message)).data, message.data)
  })
}

const messageOf = (id: string): SignedMessage =>
  decodeMessage(bytesOf(vectors.find((vector) => vector.id === id)!))

test('conformance: the signatures of key_add_ed25519 are of the custody addresses, in the deployed domain', async () => {
  const { fid, body } = messageOf('key_add_ed25519').data
  assert.ok(body.case === 'keyAddBody')
  const { custodySignature, metadata, key } = body.value
  assert.deepEqual([body.value.scopes, body.value.nonce, body.value.deadline], [[1], 1, 99_999_999])
  const custody = await recoverTypedDataSigner(
    keyAddTypedData({ fid, ...body.value }),
    custodySignature,
  )
  assert.equal(toHex(custody!), addressOf(USER_CUSTODY_KEY))

  const request = decodeSignedKeyRequestMetadata(metadata)!
  assert.equal(request.requestFid, 1234n)
  const asked = signedKeyRequestTypedData({ ...request, key }, gaslessKeyDomain())
  const app = await recoverTypedDataSigner(asked, request.signature)
  assert.equal(toHex(app!), addressOf(APP_CUSTODY_KEY))
  assert.equal(toHex(request.requestSigner), addressOf(APP_CUSTODY_KEY))
})

test('conformance: the signature of key_remove_custody is of the custody address, in the deployed domain', async () => {
  const { fid, body } = messageOf('key_remove_custody').data
  assert.ok(body.case === 'keyRemoveBody')
  assert.deepEqual([body.value.nonce, plain(body.value.key)], [2, '06'.repeat(32)])
  const signer = await recoverTypedDataSigner(
    keyRemoveTypedData({ fid, ...body.value }),
    body.value.signature,
  )
  assert.equal(toHex(signer!), addressOf(USER_CUSTODY_KEY))
})

/** The fields that keep the others from merging: placeholders of claims, a ttl of 0, and a key that was never added. */
const FAULTS: Record<string, string> = {
  verification_add_eth: 'verificationAddAddressBody.claimSignature',
  key_add_ed25519: 'keyAddBody.ttl',
  key_remove_custody: 'keyRemoveBody.key',
}

onEngines('conformance', (world) => {
  test('each vector merges, or is refused, as the corpus says', async () => {
    const account: TestAccount = {
      fid: FID,
      seed: fromHex(signerSeed)!,
      key: publicKeyOf(fromHex(signerSeed)!),
      custody: fromHex(addressOf(USER_CUSTODY_KEY))!,
    }
    const seconds = Math.floor(world().clock.now() / 1_000)
    await world().app.ledger!.importEvents(accountEvents(account, seconds, 10))
    for (const vector of vectors) {
      const answer = await world().submit(bytesOf(vector))
      if (vector.merges) {
        const body = accepted(answer)
        assert.equal(body.hash, `0x${vector.hash}`, vector.id)
      } else {
        const code = 'bad_request.validation_failure'
        const { field } = refused(answer, { status: 400, code })
        assert.equal(field, FAULTS[vector.id], vector.id)
      }
    }
  })
})
