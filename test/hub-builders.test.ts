// One message of every type as the published library builds and signs it, accepted and read back.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as core from '@farcaster/core'
import { base58 } from '@scure/base'
import { privateKeyToAccount } from 'viem/accounts'
import { publicKeyOf, signEd25519 } from '../src/kernel/protocol/crypto/ed25519.ts'
import { DAY_SECONDS, networkTime } from '../src/kernel/protocol/time.ts'
import { startFakeChain } from './fake-chain.ts'
import { keyOf, type Owner, owner } from './gasless-keys-support.ts'
import { accepted, bytes, hex, inWorld, refused } from './hub-support.ts'
import { createWorld, type World } from './world.ts'

const FID = 1
const options = { fid: FID, network: core.FarcasterNetwork.DEVNET }
const target = { fid: 2, hash: bytes(20, 2) }
const { ETHEREUM, SOLANA } = core.Protocol

type Built = Promise<core.HubResult<core.Message>>
type Build = (signer: core.Signer, world: World, account: Owner) => Built | Promise<Built>

const BUILDERS: readonly [type: string, build: Build][] = [
  [
    'CAST_ADD',
    (signer) =>
      core.makeCastAdd(
        {
          text: 'built ',
          embeds: [{ url: 'https://e.example' }, { castId: target }],
          embedsDeprecated: [],
          mentions: [2],
          mentionsPositions: [6],
          parentUrl: 'https://p.example',
          type: core.CastType.CAST,
        },
        options,
        signer,
      ),
  ],
  [
    'CAST_ADD',
    (signer) =>
      core.makeCastAdd(
        {
          text: 'long '.repeat(100),
          embeds: [],
          embedsDeprecated: [],
          mentions: [],
          mentionsPositions: [],
          parentCastId: target,
          type: core.CastType.LONG_CAST,
        },
        options,
        signer,
      ),
  ],
  ['CAST_REMOVE', (signer) => core.makeCastRemove({ targetHash: bytes(20, 3) }, options, signer)],
  [
    'REACTION_ADD',
    (signer) => core.makeReactionAdd({ type: 1, targetCastId: target }, options, signer),
  ],
  [
    'REACTION_REMOVE',
    (signer) => core.makeReactionRemove({ type: 2, targetUrl: 'u' }, options, signer),
  ],
  ['LINK_ADD', (signer) => core.makeLinkAdd({ type: 'follow', targetFid: 2 }, options, signer)],
  [
    'LINK_REMOVE',
    (signer) => core.makeLinkRemove({ type: 'follow', targetFid: 3 }, options, signer),
  ],
  [
    'LINK_COMPACT_STATE',
    (signer) => core.makeLinkCompactState({ type: 'block', targetFids: [4, 5] }, options, signer),
  ],
  [
    'VERIFICATION_ADD_ETH_ADDRESS',
    async (signer) => {
      const wallet = new core.ViemLocalEip712Signer(privateKeyToAccount(hex(bytes(32, 6)) as never))
      const address = (await wallet.getSignerKey())._unsafeUnwrap()
      const blockHash = bytes(32, 1)
      const claim = core
        .makeVerificationAddressClaim(FID, address, options.network, blockHash, ETHEREUM)
        ._unsafeUnwrap()
      const claimSignature = (await wallet.signVerificationEthAddressClaim(claim))._unsafeUnwrap()
      const body = {
        address,
        blockHash,
        claimSignature,
        verificationType: 0,
        chainId: 0,
        protocol: ETHEREUM,
      }
      return core.makeVerificationAddEthAddress(body, options, signer)
    },
  ],
  [
    'VERIFICATION_ADD_ETH_ADDRESS',
    (signer) => {
      const [seed, blockHash] = [bytes(32, 7), bytes(32, 2)]
      const address = publicKeyOf(seed)
      const claim = `fid: ${FID} address: ${base58.encode(address)} network: 3 blockHash: ${base58.encode(blockHash)} protocol: 1`
      const body = {
        address,
        blockHash,
        claimSignature: signEd25519(Buffer.from(claim), seed),
        verificationType: 0,
        chainId: 0,
        protocol: SOLANA,
      }
      return core.makeVerificationAddEthAddress(body, options, signer)
    },
  ],
  [
    'VERIFICATION_REMOVE',
    (signer) =>
      core.makeVerificationRemove({ address: bytes(20, 8), protocol: ETHEREUM }, options, signer),
  ],
  [
    'USER_DATA_ADD',
    (signer) =>
      core.makeUserDataAdd(
        { type: core.UserDataType.LOCATION, value: 'geo:1.00,2.00' },
        options,
        signer,
      ),
  ],
  [
    'USERNAME_PROOF',
    (signer, world, account) => {
      const timestamp = Math.floor(world.clock.now() / 1000)
      const body = {
        timestamp,
        name: Buffer.from('built.eth'),
        owner: account.custody,
        signature: bytes(65, 1),
        fid: FID,
        type: core.UserNameType.USERNAME_TYPE_ENS_L1,
      }
      const at = core.toFarcasterTime(timestamp * 1000)._unsafeUnwrap()
      return core.makeUsernameProof(body, { ...options, timestamp: at }, signer)
    },
  ],
  [
    'KEY_ADD',
    async (_, world, { wallet }) => {
      const { key, signer } = keyOf(1)
      const scopes = [core.MessageType.CAST_ADD]
      const deadline = networkTime(world.clock.now()) + DAY_SECONDS
      const terms = { fid: BigInt(FID), key, scopes, ttl: DAY_SECONDS, nonce: 1, deadline }
      const body = await core.makeKeyAddBody({ ...terms, requestFid: BigInt(FID) }, wallet, wallet)
      return core.makeKeyAdd(body._unsafeUnwrap(), options, signer)
    },
  ],
  [
    'KEY_REMOVE',
    async (_, world, { wallet }) => {
      const { key, signer } = keyOf(1)
      const deadline = networkTime(world.clock.now()) + DAY_SECONDS
      const terms = { fid: BigInt(FID), key, nonce: 2, deadline }
      const body = await core.makeKeyRemoveBody(terms, wallet)
      return core.makeKeyRemove(body._unsafeUnwrap(), options, signer)
    },
  ],
]

/** How a repeat is refused that is not a duplicate. */
const REPEATS: Readonly<Record<string, string>> = {
  LINK_COMPACT_STATE: 'bad_request.conflict',
  KEY_REMOVE: 'bad_request.validation_failure',
}

describe('what the published library builds', () => {
  let chain: Awaited<ReturnType<typeof startFakeChain>>
  let world: World
  let account: Owner
  before(async () => {
    chain = await startFakeChain()
    const env = { ROOKERY_ETH_RPC_URLS: `1=${chain.url}` }
    world = await createWorld({ startMs: Date.now(), env })
    account = await owner(world, FID)
    chain.names.set('built.eth', account.custody)
  })
  after(async () => {
    await world.close()
    await chain.close()
  })

  for (const [type, build] of BUILDERS) {
    test(`a built ${type} is accepted and reported in an event`, async () => {
      const signer = new core.NobleEd25519Signer(account.seed)
      const message = (await build(signer, world, account))._unsafeUnwrap()
      const encoded = core.Message.encode(message).finish()
      assert.equal(accepted(await world.validate(encoded)).valid, true)
      const stored = accepted(await world.submit(encoded))
      assert.equal(stored.data.type, `MESSAGE_TYPE_${type}`)
      assert.equal(stored.hash, hex(message.hash))
      assert.equal(stored.dataBytes, Buffer.from(message.dataBytes ?? []).toString('base64'))
      const newest = await world.app.storage.events.newestId()
      const event = accepted(await world.get(`/v1/eventById?event_id=${newest}`))
      const { mergeMessageBody, mergeUsernameProofBody } = event
      const told = mergeMessageBody?.message ?? mergeUsernameProofBody.usernameProofMessage
      assert.deepEqual(told, stored)
      refused(await world.submit(encoded), { code: REPEATS[type] ?? 'bad_request.duplicate' })
    })
  }

  test('a built FRAME_ACTION is valid and never stored', async () => {
    const body = {
      url: Buffer.from('https://f.example'),
      buttonIndex: 1,
      castId: target,
      inputText: Buffer.from(''),
      state: Buffer.from(''),
      transactionId: Buffer.from(''),
      address: Buffer.from(''),
    }
    const signer = new core.NobleEd25519Signer(account.seed)
    const message = (await core.makeFrameAction(body, options, signer))._unsafeUnwrap()
    const encoded = core.Message.encode(message).finish()
    assert.equal(accepted(await world.validate(encoded)).valid, true)
    const answer = await world.submit(encoded)
    refused(answer, { code: 'bad_request.validation_failure', says: /^invalid message type$/ })
  })
})

inWorld('bodies of newer types', (world) => {
  test('validate shows the bodies of invalid messages that add and remove keys and lend storage', async () => {
    const account = await world().account(FID)
    const signer = new core.NobleEd25519Signer(account.seed)
    const [key, signature, metadata] = [bytes(32, 8), bytes(65, 9), bytes(40, 10)]
    const terms = { key, deadline: 5, nonce: 6 }
    const data = {
      fid: FID,
      network: options.network,
      timestamp: core.getFarcasterTime()._unsafeUnwrap(),
    }
    const bodies = [
      [
        core.MessageType.KEY_ADD,
        {
          keyAddBody: {
            ...terms,
            keyType: 1,
            custodySignature: signature,
            metadata,
            metadataType: 1,
            registrationTxHash: bytes(32, 11),
            scopes: [core.MessageType.CAST_ADD, core.MessageType.LINK_REMOVE],
            ttl: 86_400,
          },
        },
        {
          keyAddBody: {
            key: hex(key),
            keyType: 1,
            custodySignature: hex(signature),
            deadline: 5,
            nonce: 6,
            metadata: hex(metadata),
            metadataType: 1,
            registrationTxHash: hex(bytes(32, 11)),
            scopes: ['MESSAGE_TYPE_CAST_ADD', 'MESSAGE_TYPE_LINK_REMOVE'],
            ttl: 86_400,
          },
        },
      ],
      [
        core.MessageType.KEY_REMOVE,
        { keyRemoveBody: { ...terms, signature, signatureType: 1 } },
        {
          keyRemoveBody: {
            key: hex(key),
            signature: hex(signature),
            signatureType: 1,
            deadline: 5,
            nonce: 6,
          },
        },
      ],
      [
        core.MessageType.LEND_STORAGE,
        {
          lendStorageBody: {
            toFid: 3,
            numUnits: 5_001,
            unitType: core.StorageUnitType.UNIT_TYPE_2025,
          },
        },
        { lendStorageBody: { toFid: 3, numUnits: 5_001, unitType: 'UNIT_TYPE_2025' } },
      ],
    ] as [core.MessageType, Partial<core.MessageData>, object][]
    for (const [type, body, shown] of bodies) {
      const given = core.MessageData.create({ ...data, type, ...body })
      const message = (await core.makeMessage(given, signer))._unsafeUnwrap()
      const encoded = core.Message.encode(message).finish()
      const answer = accepted(await world().validate(encoded))
      assert.equal(answer.valid, false)
      const { type: name, fid, timestamp: _, network: __, ...rest } = answer.message.data
      assert.deepEqual([name, fid, rest], [`MESSAGE_TYPE_${core.MessageType[type]}`, FID, shown])
      assert.equal((await world().submit(encoded)).status, 400)
    }
  })
})

inWorld(
  'JSON with the deployed network names',
  (world) => {
    test('the built data is read back by the published library', async () => {
      const account = await world().account(FID)
      const signer = new core.NobleEd25519Signer(account.seed)
      const link = await core.makeLinkAdd({ type: 'follow', targetFid: 2 }, options, signer)
      const message = link._unsafeUnwrap()
      const stored = accepted(await world().submit(core.Message.encode(message).finish()))
      assert.deepEqual(core.MessageData.fromJSON(stored.data), message.data)
    })
  },
  { startMs: Date.now(), env: { ROOKERY_JSON: 'deployed' } },
)
