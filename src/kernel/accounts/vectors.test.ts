import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { privateKeyToAccount } from 'viem/accounts'
import { fromHex, toHex } from '../protocol/codec/bytes.ts'
import { accountDomains } from '../protocol/crypto/account-domains.ts'
import { typedDataDigest } from '../protocol/crypto/eip712.ts'
import { addressOf, signAdd, signedKeyRequestMetadata, signRemove } from './signatures/sign.ts'
import { verifySignature } from './signatures/signature.ts'
import {
  addTypedData,
  registerTypedData,
  removeTypedData,
  transferTypedData,
} from './signatures/typed-data.ts'

// The digests and signatures of the contracts' specification, on chain 10 at the deployed addresses.

const app = privateKeyToAccount(
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
)
const owner = privateKeyToAccount(
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
)
const key = fromHex('0xd04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737')!
const deadline = 1893456000n
const domains = accountDomains()
const ADD_SIGNATURE =
  '0x555deb9613fbde620d2996cd4b1041c238540b4ae66d23f148b24a46225598663f4119c377ddc7865c567b0efc3e3b2e735c9698a76e22b227e65f507c07b6b41c'

const metadata = await signedKeyRequestMetadata(app, { requestFid: 9152, key, deadline })

test('the metadata of a signed key request equal the published vector', () => {
  assert.equal(metadata.length, 288)
  assert.equal(
    toHex(keccak_256(metadata)),
    '0xb20c5ca0691eae74e5a74842c372527691a90e1d6537658267324ee5a8da34a8',
  )
})

test('the digests that owners sign equal the published vectors', () => {
  const by = { owner: addressOf(owner), nonce: 0, deadline }
  const digest = (typedData: Parameters<typeof typedDataDigest>[0]) =>
    toHex(typedDataDigest(typedData))
  assert.equal(
    digest(addTypedData(domains, { ...by, keyType: 1, key, metadataType: 1, metadata })),
    '0x5de054acd99a7c11a4ce647cf4fdfc2efc2b57519dc73064e4245a0093626d95',
  )
  assert.equal(
    digest(removeTypedData(domains, { ...by, key })),
    '0x40695a3d4b1911de27ac6ebe22c639814a0e44903bd341cc225274381c9adef8',
  )
  const to = addressOf(owner)
  assert.equal(
    digest(registerTypedData(domains, { to, recovery: addressOf(app), nonce: 0, deadline })),
    '0x833fedeb4faf7b96dab8fddaa2ad8d9918f5eae91c1500e4ceb0270860452be6',
  )
  assert.equal(
    digest(transferTypedData(domains, { fid: 2, to: addressOf(app), nonce: 0, deadline })),
    '0xfa82c539162ffa64505ed36fe3ed871d42d0815129e33b76cb7253cdaeda6eec',
  )
})

test('the signature of a key addition and its signer equal the published vector', async () => {
  const add = await signAdd(owner, { key, metadata, deadline })
  assert.equal(toHex(add.signature), ADD_SIGNATURE)
  const digest = typedDataDigest(addTypedData(domains, { ...add, nonce: 0 }))
  assert.equal(await verifySignature(addressOf(owner), digest, add.signature), true)
  assert.equal(await verifySignature(addressOf(app), digest, add.signature), false)
})

test('only the strict form of a signature counts', async () => {
  const remove = await signRemove(owner, { key, deadline })
  const digest = typedDataDigest(removeTypedData(domains, { ...remove, nonce: 0 }))
  const { signature } = remove
  const holds = (changed: Uint8Array) => verifySignature(addressOf(owner), digest, changed)
  assert.equal(await holds(signature), true)
  assert.equal(await holds(withV(signature, signature[64]! - 27)), false, 'v of 0 or 1')
  assert.equal(await holds(highTwin(signature)), false, 'high s')
  assert.equal(await holds(signature.subarray(0, 64)), false, '64 bytes')
  assert.equal(await holds(Buffer.concat([signature, Uint8Array.of(0)])), false, '66 bytes')
  assert.equal(await holds(new Uint8Array(0)), false)
})

function withV(signature: Uint8Array, v: number): Uint8Array {
  return Buffer.concat([signature.subarray(0, 64), Uint8Array.of(v)])
}

/** The other signature of the same key over the same digest: s and v mirrored. */
function highTwin(signature: Uint8Array): Uint8Array {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const s = order - BigInt(toHex(signature.subarray(32, 64)))
  const mirrored = fromHex(s.toString(16).padStart(64, '0'))!
  return Buffer.concat([
    signature.subarray(0, 32),
    mirrored,
    Uint8Array.of(signature[64] === 27 ? 28 : 27),
  ])
}
