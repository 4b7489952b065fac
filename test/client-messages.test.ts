// The messages that `rookery/client` builds, against the published library and the schema of the wire.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DescField, DescMessage } from '@bufbuild/protobuf'
import * as core from '@farcaster/core'
import * as client from 'rookery/client'
import type { Fields } from '../src/client/fields.ts'
import { KINDS } from '../src/kernel/protocol/kinds/kinds.ts'
import { MessageDataSchema } from '../src/kernel/protocol/wire/message_pb.js'
import { bytes, hex } from './hub-support.ts'

const FID = 4_294_967_295
const SEED = bytes(32, 9)
const TIMESTAMP = 157_766_400
const options = { fid: FID, network: core.FarcasterNetwork.DEVNET, timestamp: TIMESTAMP }
const target = { fid: 2, hash: bytes(20, 2) }
const cast = { embedsDeprecated: [], mentions: [], mentionsPositions: [], embeds: [] }
const address = bytes(20, 4)
const solana = { address: bytes(32, 5), claimSignature: bytes(64, 6), blockHash: bytes(32, 7) }
const proof = { timestamp: 1_767_225_600, owner: address, signature: bytes(65, 3), fid: FID }
const key = { key: bytes(32, 10), deadline: 157_770_000, nonce: 300 }
const { CastType, MessageType, Protocol, UserDataType } = core

/** The type on the wire, the body as the published library takes it, and what the client makes. */
const PAIRS: readonly [number, object, client.MessageBody][] = [
  [
    MessageType.CAST_ADD,
    {
      castAddBody: {
        ...cast,
        text: 'Grüße an  🐦',
        embeds: [{ url: 'https://e.example' }, { castId: target }],
        mentions: [2, 300, 4_294_967_295],
        mentionsPositions: [11, 11, 12],
        parentCastId: target,
        type: CastType.CAST,
      },
    },
    client.castAdd({
      text: 'Grüße an  🐦',
      embeds: [{ url: 'https://e.example' }, { castId: target }],
      mentions: [2, 300, 4_294_967_295],
      mentionsPositions: [11, 11, 12],
      parent: { fid: 2, hash: hex(target.hash) },
    }),
  ],
  [
    MessageType.CAST_ADD,
    { castAddBody: { ...cast, text: 'x'.repeat(500), parentUrl: 'c', type: CastType.LONG_CAST } },
    client.castAdd({ text: 'x'.repeat(500), parent: { url: 'c' }, length: 'long' }),
  ],
  [
    MessageType.CAST_REMOVE,
    { castRemoveBody: { targetHash: target.hash } },
    client.castRemove(hex(target.hash)),
  ],
  [
    MessageType.REACTION_ADD,
    { reactionBody: { type: 1, targetCastId: target } },
    client.reactionAdd('like', target),
  ],
  [
    MessageType.REACTION_REMOVE,
    { reactionBody: { type: 2, targetUrl: 'u' } },
    client.reactionRemove('recast', { url: 'u' }),
  ],
  [
    MessageType.LINK_ADD,
    { linkBody: { type: 'follow', targetFid: 2, displayTimestamp: 0 } },
    client.linkAdd('follow', 2, 0),
  ],
  [
    MessageType.LINK_REMOVE,
    { linkBody: { type: 'follow', targetFid: 300 } },
    client.linkRemove('follow', 300),
  ],
  [
    MessageType.LINK_COMPACT_STATE,
    { linkCompactStateBody: { type: 'block', targetFids: [4, 500] } },
    client.linkCompactState('block', [4, 500]),
  ],
  [
    MessageType.LINK_COMPACT_STATE,
    { linkCompactStateBody: { type: 'block', targetFids: [] } },
    client.linkCompactState('block', []),
  ],
  [
    MessageType.LEND_STORAGE,
    { lendStorageBody: { toFid: 500, numUnits: 3, unitType: 2 } },
    client.lendStorage(500, 3),
  ],
  [
    MessageType.VERIFICATION_ADD_ETH_ADDRESS,
    {
      verificationAddAddressBody: {
        address,
        claimSignature: bytes(65, 1),
        blockHash: bytes(32, 2),
        verificationType: 1,
        chainId: 10,
        protocol: Protocol.ETHEREUM,
      },
    },
    client.verificationAdd({
      address,
      claimSignature: hex(bytes(65, 1)),
      blockHash: bytes(32, 2),
      verificationType: 1,
      chainId: 10,
    }),
  ],
  [
    MessageType.VERIFICATION_ADD_ETH_ADDRESS,
    {
      verificationAddAddressBody: {
        ...solana,
        verificationType: 0,
        chainId: 0,
        protocol: Protocol.SOLANA,
      },
    },
    client.verificationAdd({ ...solana, protocol: 'solana' }),
  ],
  [
    MessageType.VERIFICATION_REMOVE,
    { verificationRemoveBody: { address, protocol: Protocol.ETHEREUM } },
    client.verificationRemove(address),
  ],
  [
    MessageType.USER_DATA_ADD,
    { userDataBody: { type: UserDataType.BIO, value: 'Vögel' } },
    client.userData('bio', 'Vögel'),
  ],
  [
    MessageType.USER_DATA_ADD,
    { userDataBody: { type: UserDataType.PFP, value: '' } },
    client.userData('pfp', ''),
  ],
  [
    MessageType.USERNAME_PROOF,
    { usernameProofBody: { ...proof, name: new TextEncoder().encode('a.eth'), type: 2 } },
    client.usernameProof({ ...proof, name: 'a.eth' }),
  ],
  [
    MessageType.KEY_ADD,
    {
      keyAddBody: {
        ...key,
        keyType: 1,
        custodySignature: bytes(65, 11),
        metadata: bytes(288, 12),
        metadataType: 1,
        registrationTxHash: new Uint8Array(),
        scopes: [MessageType.CAST_ADD, MessageType.LEND_STORAGE],
        ttl: 86_400,
      },
    },
    client.keyAdd({
      ...key,
      custodySignature: hex(bytes(65, 11)),
      metadata: bytes(288, 12),
      scopes: ['castAdd', 'lendStorage'],
      ttl: 86_400,
    }),
  ],
  [
    MessageType.KEY_REMOVE,
    { keyRemoveBody: { ...key, signature: bytes(65, 13), signatureType: 1 } },
    client.keyRemove({ ...key, signature: bytes(65, 13) }),
  ],
  [
    MessageType.KEY_REMOVE,
    { keyRemoveBody: { ...key, signature: new Uint8Array(), signatureType: 2 } },
    client.keyRemove({ ...key, key: hex(key.key) }),
  ],
  [
    MessageType.FRAME_ACTION,
    {
      frameActionBody: {
        url: Buffer.from('https://f.example'),
        buttonIndex: 1,
        castId: target,
        inputText: Buffer.from('in'),
        state: new Uint8Array(),
        transactionId: new Uint8Array(),
        address,
      },
    },
    client.frameAction({
      url: 'https://f.example',
      buttonIndex: 1,
      castId: target,
      inputText: 'in',
      address,
    }),
  ],
]

const author = { fid: FID, network: 'devnet', timestamp: TIMESTAMP } as const

describe('messages of rookery/client', () => {
  it('every kind has the same bytes as built by the published library', async () => {
    const signer = await client.keySigner(SEED)
    for (const [type, body, ours] of PAIRS) {
      const data = core.MessageData.create({
        ...options,
        type,
        ...body,
      } as Partial<core.MessageData>)
      const theirs = await core.makeMessage(data, new core.NobleEd25519Signer(SEED))
      const expected = core.Message.encode(theirs._unsafeUnwrap()).finish()
      const message = await client.signMessage(ours, author, signer)
      assert.equal(hex(message.bytes), hex(expected), `message type ${type}`)
      assert.equal(message.hash, hex(theirs._unsafeUnwrap().hash))
    }
    const built = new Set(PAIRS.map(([type]) => type))
    assert.deepEqual([...built].sort(), KINDS.map(({ type }) => type as number).sort())
  })

  it('every field has the number and the type of the wire schema', () => {
    for (const [, , { type, number, fields }] of PAIRS) {
      const kind = KINDS.find((one) => one.type === type)!
      const body = MessageDataSchema.fields.find((one) => one.number === number)!
      assert.equal(body.localName, kind.body)
      assertSameFields(fields, body.message!)
    }
  })

  it('a signer may be a callback or a pair of keys that cannot be exported', async () => {
    const byKey = await client.keySigner(hex(SEED))
    const body = client.castAdd({ text: 'signed elsewhere' })
    const expected = await client.signMessage(body, author, byKey)
    const callback = { publicKey: hex(byKey.publicKey as Uint8Array), sign: byKey.sign }
    assert.deepEqual(await client.signMessage(body, author, callback), expected)
    const pair = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
    const keys = await client.keyPairSigner(pair as client.KeyPair)
    const { bytes: encoded } = await client.signMessage(body, author, keys)
    const decoded = core.Message.decode(encoded)
    assert.ok((await core.validations.validateMessage(decoded)).isOk())
  })

  it('a value that cannot be signed is refused with its name', async () => {
    const signer = await client.keySigner(SEED)
    assert.throws(() => client.castRemove('0x12'), /the hash of a cast must have 20 bytes, not 1/)
    assert.throws(() => client.castRemove('0xzz'), /the hash of a cast must be hex digits/)
    await assert.rejects(client.keySigner('0x12'), /the private key must have 32 bytes, not 1/)
    const body = client.castAdd({ text: 'x' })
    const elsewhere = { fid: 1, network: 'moon' as client.NetworkName }
    await assert.rejects(
      client.signMessage(body, elsewhere, signer),
      /the network must be mainnet, testnet or devnet, not "moon"/,
    )
    const short = { publicKey: signer.publicKey, sign: () => bytes(63, 1) }
    await assert.rejects(
      client.signMessage(body, author, short),
      /the signature must have 64 bytes/,
    )
  })
})

function assertSameFields(fields: Fields, schema: DescMessage): void {
  const numbers = Object.values(fields).map(([number]) => number)
  assert.deepEqual(
    numbers.sort((a, b) => a - b),
    schema.fields.map(({ number }) => number).sort((a, b) => a - b),
    schema.typeName,
  )
  for (const [number, kind] of Object.values(fields)) {
    const field = schema.fields.find((one) => one.number === number)!
    if (typeof kind === 'object') {
      assertSameFields(kind.fields, field.message!)
      assert.equal(kind.isList ?? false, field.fieldKind === 'list')
    } else assert.ok(KIND_OF[kind]!(field), `${schema.typeName}.${field.name} is not ${kind}`)
  }
}

const isNumber = (field: DescField) =>
  field.fieldKind === 'enum' || (field.fieldKind === 'scalar' && !isTextOrBytes(field))
const isTextOrBytes = ({ scalar }: DescField) => scalar === 9 || scalar === 12
const hasPresence = ({ presence }: DescField) => presence === 1

const KIND_OF: Record<string, (field: DescField) => boolean> = {
  number: (field) => isNumber(field) && !hasPresence(field),
  optional: (field) => isNumber(field) && hasPresence(field),
  bytes: (field) => field.scalar === 12,
  text: (field) => field.scalar === 9 && !hasPresence(field),
  choice: (field) => field.scalar === 9 && hasPresence(field),
  packed: (field) => field.fieldKind === 'list' && isPackable(field),
  texts: (field) => field.fieldKind === 'list' && field.listKind === 'scalar' && field.scalar === 9,
}
const isPackable = (field: DescField) =>
  field.fieldKind === 'list' && field.listKind === 'scalar' && !isTextOrBytes(field)
