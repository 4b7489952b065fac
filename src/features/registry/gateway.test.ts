import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeAbiParameters, namehash } from 'viem'
import { decodeAbiParameters, hashTypedData } from 'viem/utils'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import {
  recoverTypedDataSigner,
  signTypedData,
  typedDataDigest,
  usernameProofDomain,
  usernameProofTypedData,
} from '../../kernel/protocol/crypto/eip712.ts'
import { addressOfPrivateKey } from '../../kernel/protocol/crypto/secp256k1.ts'
import type { Rejection } from '../../kernel/protocol/rejection.ts'
import { answerLookup } from './gateway.ts'
import type { Registry } from './registry.ts'
import type { StoredTransfer } from './tables/name-transfers.ts'

// Vectors of the deployed registry: the keys are the first three accounts of the public test phrase.
const SERVER_KEY = fromHex('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')!
const USER_KEYS = [
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
].map((key) => fromHex(key)!)
const RESOLVER = fromHex('0x4ea0be853219be8c9ce27200bdeee36881612ff2')!

const CLAIMS = [
  {
    name: 'alice',
    timestamp: 1_700_000_000,
    owner: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    digest: '0xd8f81f519fb8890c558c43bbd7484bd69a0ec720173bf1bf646e1cc02ca64f9f',
    user: '0x53790456fe7e33ae8c28d9d1464d32205479ed9f849037b1e4382e0813c27a9f160713797d003cae9806a67707873b041ca9a4deb755adb219424aa5fcc62d301b',
    server:
      '0xfe20f524f5dacae8491b8bd87a2cbe9462d37d089a828085d8eac65f6658f43176f743f4dddec4ba9c6dc6186fc3fea46e19b1f1f5a518a8c612e60b00db3ecd1b',
  },
  {
    name: 'bob-1',
    timestamp: 1_750_000_000,
    owner: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    digest: '0x541663170b8f0cdf470e33d749afaf46bcbe0544d9769a52d9afb8f0348ccdcf',
    user: '0x0d1d52c41547ff2420ae44a27c3ee0e9e3902ecda6b4783294a58873fcfe515c60c98dcae6074a14bcec9eecd72e2a86017501e8d1bc5e5c54492d3af7835c4b1c',
    server:
      '0x55708a8611c8311099c42a3b121317bbee8429b982c6eae77b6d626b5b2e2641608403129e4dcbd3844ea95731325d39458fe3cace96b79d80efe5df253164781b',
  },
] as const
const GATEWAY_DIGEST = '0x7ab3cb8d613b405c2322353e3ee71cbd28275700e0c6e4c08ecda7037cd209f2'
const GATEWAY_SIGNATURE =
  '0xbef81dd163f02a34efa6690a948465962cdcbc6387165d00236ceebffa4a02bd5919bde892ff0a694473ed45388900053d28f86fdb08bd12d77e04d3ffecd37d1c'

test('claims are signed as the deployed registry and its users sign them', () => {
  for (const [i, { name, timestamp, owner, digest, user, server }] of CLAIMS.entries()) {
    const claim = usernameProofTypedData({ name, timestamp, owner: fromHex(owner)! })
    assert.equal(toHex(typedDataDigest(claim)), digest)
    assert.equal(toHex(signTypedData(claim, USER_KEYS[i]!)), user)
    assert.equal(toHex(signTypedData(claim, SERVER_KEY)), server)
  }
  assert.equal(toHex(addressOfPrivateKey(SERVER_KEY)), '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
})

test('the first row of the deployed registry has the digest that it signed', () => {
  const claim = usernameProofTypedData({
    name: 'farcaster',
    timestamp: 1_628_882_891,
    owner: fromHex('0x8773442740c17c9d0f0b87022c722f9a136206ed')!,
  })
  const digest = '0x047687db9e657ae0fd622624d8a474de66a694a0e6ee238bc57e47cee6970514'
  assert.equal(toHex(typedDataDigest(claim)), digest)
  assert.equal(hashTypedData(claim as never), digest)
})

const [alice] = CLAIMS
const row: StoredTransfer = {
  id: 1,
  timestamp: alice.timestamp,
  username: alice.name,
  owner: fromHex(alice.owner)!,
  from_fid: 0,
  to_fid: 5,
  user_signature: fromHex(alice.user)!,
  server_signature: fromHex(alice.server)!,
  acting_fid: 5,
}

/** A registry that knows these rows. */
const registryOf = (...rows: StoredTransfer[]) =>
  ({
    settings: {
      serverKey: SERVER_KEY,
      resolvers: new Map(['fcast.id', 'names.eth'].map((domain) => [domain, RESOLVER])),
    },
    transfers: { latestOf: async (name: string) => rows.find((one) => one.username === name) },
  }) as unknown as Registry

const wireOf = (name: string) =>
  Buffer.concat([
    ...(name === '' ? [] : name.split('.')).map((label) =>
      Buffer.from([Buffer.byteLength(label), ...Buffer.from(label)]),
    ),
    Buffer.of(0),
  ])
const callOf = (wire: Uint8Array, data = '0x3b3b57de') =>
  fromHex(
    `0x9061b923${encodeAbiParameters(
      [{ type: 'bytes' }, { type: 'bytes' }],
      [`0x${Buffer.from(wire).toString('hex')}`, data as `0x${string}`],
    ).slice(2)}`,
  )!

const OUTPUTS = ['string', 'uint256', 'address', 'bytes'].map((type) => ({ type }))
const lookup = async (call: Uint8Array, ...rows: StoredTransfer[]) =>
  decodeAbiParameters(OUTPUTS, await answerLookup(registryOf(...rows), call))
const EMPTY = ['', 0n, `0x${'00'.repeat(20)}`, '0x']

test('the gateway answers with the row and the signature of the deployed one', async () => {
  const data = `0x3b3b57de${namehash('alice.fcast.id').slice(2)}`
  const [name, timestamp, owner, signature] = await lookup(
    callOf(wireOf('alice.fcast.id'), data),
    row,
  )
  assert.deepEqual([name, timestamp, owner], ['alice', 1_700_000_000n, alice.owner])
  assert.equal(signature, GATEWAY_SIGNATURE)
  const domain = usernameProofDomain({ verifyingContract: toHex(RESOLVER) as `0x${string}` })
  const claim = usernameProofTypedData({ ...alice, owner: row.owner }, domain)
  assert.equal(toHex(typedDataDigest(claim)), GATEWAY_DIGEST)
  const signer = recoverTypedDataSigner(claim, fromHex(GATEWAY_SIGNATURE)!)
  assert.deepEqual(signer, addressOfPrivateKey(SERVER_KEY))
})

test('the gateway answers every record type, under each of its domains', async () => {
  for (const call of [
    callOf(wireOf('alice.fcast.id'), '0x'),
    callOf(wireOf('alice.fcast.id'), '0x59d1d43c'),
    callOf(wireOf('alice.names.eth')),
    callOf(wireOf('alice.FCAST.id')),
  ]) {
    assert.equal((await lookup(call, row))[0], 'alice')
  }
})

test('the gateway answers an empty address for a name that is not registered', async () => {
  const names = ['', 'alice', 'bob.fcast.id', 'sub.alice.fcast.id', 'alice.other.id', 'fcast.id']
  for (const name of [...names, 'ALICE.fcast.id', 'a\0.fcast.id', 'ä.fcast.id']) {
    assert.deepEqual(await lookup(callOf(wireOf(name)), row), EMPTY, name)
  }
  const released = { ...row, from_fid: 5, to_fid: 0 }
  assert.deepEqual(await lookup(callOf(wireOf('alice.fcast.id')), released), EMPTY)
})

test('the gateway refuses a malformed request', async () => {
  const wires = [[], [5], [5, 97], [1, 97], [1, 97, 0, 0], [0, 0], [1, 0xff, 0], [64]]
  for (const call of [
    ...wires.map((wire) => callOf(Uint8Array.from(wire))),
    fromHex('0x9061b923')!,
    fromHex(`0x9061b923${'ff'.repeat(64)}`)!,
    callOf(wireOf('alice.fcast.id')).subarray(0, 80),
  ]) {
    await assert.rejects(lookup(call, row), (error: Rejection) => {
      assert.deepEqual([error.code, error.field], ['bad_request.invalid_param', 'data'])
      return true
    })
  }
  for (const call of ['0x', '0x3b', '0x3b3b57de00']) {
    await assert.rejects(lookup(fromHex(call)!, row), (error: Rejection) => {
      assert.equal(error.code, 'not_found')
      assert.match(error.message, /^No implementation for function with selector 0x/)
      return true
    })
  }
})

test('security finding 15: the gateway signs an answer once, however often it is asked for', async () => {
  const registry = registryOf(row)
  const { settings } = registry as { settings: { serverKey: Uint8Array } }
  const call = callOf(wireOf('alice.fcast.id'))
  const answer = await answerLookup(registry, call)
  // With a key that cannot sign, only what was signed before can be answered.
  settings.serverKey = new Uint8Array(32)
  assert.equal(await answerLookup(registry, call), answer)
  const changed = { settings, transfers: registryOf({ ...row, timestamp: 1 }).transfers }
  await assert.rejects(answerLookup(changed as unknown as Registry, call))
})
