// What `rookery/client` makes for gasless keys, against the published library, viem and a running server.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as core from '@farcaster/core'
import * as client from 'rookery/client'
import { hashTypedData } from 'viem'
import { SCOPES } from '../src/client/scopes.ts'
import {
  gaslessKeyDomain,
  KEY_ADD_TYPES,
  KEY_REMOVE_TYPES,
  keyAddTypedData,
  keyRemoveTypedData,
  SIGNED_KEY_REQUEST_TYPES,
  signedKeyRequestTypedData,
  typedDataDigest,
} from '../src/kernel/protocol/crypto/eip712.ts'
import { encodeSignedKeyRequestMetadata } from '../src/kernel/protocol/crypto/key-request-metadata.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { cast, nextMinute, owner } from './gasless-keys-support.ts'
import { accepted, bytes, hex, onEngines } from './hub-support.ts'

const KEY = bytes(32, 3)
const LARGEST_FID = 4_294_967_295

describe('gasless keys of rookery/client', () => {
  const domain = gaslessKeyDomain()
  const contract = { ...domain, name: 'another', verifyingContract: hex(bytes(20, 1)) }
  const structs = {
    KeyAdd: { domain, types: KEY_ADD_TYPES },
    KeyRemove: { domain, types: KEY_REMOVE_TYPES },
    SignedKeyRequest: { domain: contract, types: SIGNED_KEY_REQUEST_TYPES },
  }
  /** As a wallet hashes what it gets in JSON. */
  const digest = (typedData: client.WalletTypedData) =>
    hashTypedData(JSON.parse(JSON.stringify(typedData)))

  test('wallets sign the same digests as the hub computes', () => {
    for (const fid of [1, LARGEST_FID]) {
      const terms = { fid, key: KEY, nonce: 4, deadline: 157_770_000 }
      const more = { ttl: 86_400, scopes: [1, 15] }
      assert.equal(
        digest(
          client.keyAddTypedData(structs, {
            ...terms,
            ...more,
            scopes: ['castAdd', 'lendStorage'],
          }),
        ),
        hex(typedDataDigest(keyAddTypedData({ ...terms, ...more }))),
      )
      assert.equal(
        digest(client.keyRemoveTypedData(structs, { ...terms, key: hex(KEY) })),
        hex(typedDataDigest(keyRemoveTypedData(terms))),
      )
      const request = { requestFid: fid, key: KEY, deadline: terms.deadline }
      assert.equal(
        digest(client.keyRequestTypedData(structs, request)),
        hex(typedDataDigest(signedKeyRequestTypedData(request, domain))),
      )
    }
    const { types } = client.keyAddTypedData(structs, {
      fid: 1,
      key: KEY,
      nonce: 1,
      deadline: 1,
      ttl: 1,
      scopes: [],
    })
    assert.deepEqual(
      types.EIP712Domain!.map(({ name }) => name),
      Object.keys(domain),
    )
    assert.throws(
      () => client.keyRemoveTypedData({}, { fid: 1, key: KEY, nonce: 1, deadline: 1 }),
      /the structs have no KeyRemove: pass those of \/v1\/domains/,
    )
    assert.throws(
      () => client.keyRemoveTypedData(structs, { fid: 1, key: '0x12', nonce: 1, deadline: 1 }),
      /the key must have 32 bytes, not 1/,
    )
  })

  test('metadata has the bytes of an ABI encoder for signatures of every length', () => {
    let compared = 0
    for (const length of [0, 1, 31, 32, 33, 64, 65, 96, 97, 1_000]) {
      for (const requestFid of [0, 1, 65_536, LARGEST_FID]) {
        const request = { requestSigner: bytes(20, 5), signature: bytes(length, 6) }
        const deadline = 157_770_000
        const ours = client.keyRequestMetadata({ ...request, requestFid, deadline })
        const [fid, until] = [BigInt(requestFid), BigInt(deadline)]
        const expected = { ...request, requestFid: fid, deadline: until }
        assert.equal(hex(ours), hex(encodeSignedKeyRequestMetadata(expected)))
        const theirs = core.encodeGaslessSignedKeyRequestMetadata({
          requestFid: fid,
          requestSigner: hex(request.requestSigner) as `0x${string}`,
          signature: request.signature,
          deadline: until,
        })
        if (theirs.isOk()) compared += 1
        if (theirs.isOk()) assert.equal(hex(ours), hex(theirs.value))
      }
    }
    assert.ok(compared > 0, 'the published library encodes some of them')
  })

  test('the scopes are those that the published library admits', () => {
    const numbers: number[] = Object.values(SCOPES)
    assert.deepEqual(numbers.toSorted(), [...core.ADMISSIBLE_KEY_ADD_SCOPES].toSorted())
  })
})

onEngines('gasless keys by rookery/client', (world) => {
  test('an app adds a key that expires, reads its nonces, and removes it with the key alone', async () => {
    const [user, app] = [await owner(world(), 11), await owner(world(), 12)]
    const hub = client.createHub({ url: `${world().app.urls.web}/hub` })
    const accounts = client.createAccounts({ url: `${world().app.urls.web}/accounts` })
    const { structs } = await accounts.get('/v1/domains')
    const signer = await client.keySigner(KEY)
    const key = signer.publicKey
    const now = () => networkTime(world().clock.now())
    const submit = async (body: client.MessageBody) => {
      const author = { fid: 11, network: 'devnet', timestamp: now() } as const
      return hub.post('/v1/submitMessage', (await client.signMessage(body, author, signer)).bytes)
    }
    const sign = (by: typeof user, typedData: client.WalletTypedData) =>
      by.account.signTypedData(JSON.parse(JSON.stringify(typedData)))
    const add = async (nonce: number) => {
      const deadline = now() + 60
      const request = { requestFid: 12, key, deadline }
      const signature = await sign(app, client.keyRequestTypedData(structs, request))
      const requestSigner = hex(app.custody)
      const metadata = client.keyRequestMetadata({ ...request, requestSigner, signature })
      const terms = { key, deadline, nonce, ttl: 86_400, scopes: ['castAdd'] as const }
      const typedData = client.keyAddTypedData(structs, { fid: 11, ...terms })
      const custodySignature = await sign(user, typedData)
      await submit(client.keyAdd({ ...terms, metadata, custodySignature }))
    }
    const read = () => hub.get('/v1/signersByFid', { fid: 11, requesterFids: '12' })

    await add((await read()).currentUserNonce + 1)
    const seed = { ...user, fid: 11, seed: KEY, key: key as Uint8Array }
    accepted(await world().submit(cast(world(), 11, seed as never)))
    const { signers, requesterFidNonces } = await read()
    const added = signers.find((one) => one.key === hex(key as Uint8Array))!
    assert.deepEqual(
      [added.source, added.requestFid, added.scopes],
      ['SIGNER_SOURCE_OFFCHAIN', 12, ['MESSAGE_TYPE_CAST_ADD']],
    )
    const nonce = (requesterFidNonces as Record<string, number>)[12]! + 1
    await submit(client.keyRemove({ key, nonce, deadline: now() + 60 }))
    assert.equal((await read()).gaslessSignerCount, 0)
    nextMinute(world())
    await add((await read()).currentUserNonce + 1)
    const terms = { key, nonce: (await read()).currentUserNonce + 1, deadline: now() + 60 }
    const signature = await sign(user, client.keyRemoveTypedData(structs, { fid: 11, ...terms }))
    await submit(client.keyRemove({ ...terms, signature }))
    assert.equal((await read()).gaslessSignerCount, 0)
  })
})
