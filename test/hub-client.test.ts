// The published HTTP client, unmodified, against a hub of its own network: it posts with its own signer
// (data only, its own encoder), walks every list to its end, and gets null for what is missing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  HubRestAPIClient,
  OnChainEventType,
  UserDataType as ProfileType,
  ReactionType,
} from '@standard-crypto/farcaster-js-hub-rest'
import axios from 'axios'
import { AS_DEPLOYED } from '../src/cli/as-deployed.ts'
import { userDataAdd } from '../src/kernel/protocol/build.ts'
import { addressOfPrivateKey } from '../src/kernel/protocol/crypto/secp256k1.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { accepted, bytes, hex, inWorld } from './hub-support.ts'
import type { TestAccount, World } from './world.ts'

const MAINNET = 1

/** All that the client can ask for: the hub's interface but for the bulk submit. */
const PATHS = [
  ...['castById', 'castsByFid', 'castsByMention', 'castsByParent', 'eventById', 'events', 'fids'],
  ...['info', 'linkById', 'linksByFid', 'linksByTargetFid', 'onChainEventsByFid'],
  ...['onChainIdRegistryEventByAddress', 'onChainSignersByFid', 'reactionById'],
  ...['reactionsByCast', 'reactionsByFid', 'reactionsByTarget', 'storageLimitsByFid'],
  ...['submitMessage', 'userDataByFid', 'userNameProofByName', 'userNameProofsByFid'],
  ...['validateMessage', 'verificationsByFid'],
]

const NAME = 'client-test'
const url = 'https://page.example/?q=1'

inWorld(
  'the stock client',
  (world) => {
    const asked = new Set<string>()
    const clientOf = () => {
      const axiosInstance = axios.create()
      axiosInstance.interceptors.request.use((config) => {
        asked.add(new URL(config.url ?? '').pathname.replace('/v1/', ''))
        return config
      })
      return new HubRestAPIClient({ hubUrl: world().app.urls.hub, axiosInstance })
    }
    const signerOf = ({ seed }: TestAccount) => hex(seed)

    test('the client posts casts, reactions, links and verifications, and removes them', async () => {
      const client = clientOf()
      const [account, friend] = (await world().accounts([1, 2])) as [TestAccount, TestAccount]
      const signer = signerOf(account)
      const cast = await client.submitCast({ text: 'from the client' }, 1, signer)
      assert.equal(cast.data.network, 'FARCASTER_NETWORK_MAINNET')
      assert.equal('dataBytes' in cast, false)
      assert.deepEqual(await client.getCastById({ fid: 1, hash: cast.hash }), cast)

      const parentCastId = { fid: 1, hash: cast.hash }
      const reply = await client.submitCast(
        { text: 'hi ', mentions: [1], mentionsPositions: [3], parentCastId },
        2,
        signerOf(friend),
      )
      assert.deepEqual(await all(client.listCastsByParent(parentCastId)), [reply])
      assert.deepEqual(await all(client.listCastsByMention(1)), [reply])
      await client.submitCast(
        { text: 'on a page', parentUrl: `${url}/`, embeds: [{ url }] },
        1,
        signer,
      )

      for (const target of [{ fid: 1, hash: cast.hash }, { url }]) {
        const like = await client.submitReaction({ type: 'like', target }, 2, signerOf(friend))
        const list =
          'url' in target
            ? client.listReactionsByTarget(url, ReactionType.Like)
            : client.listReactionsByCast(1, cast.hash, ReactionType.Like)
        assert.deepEqual(await all(list), [like])
        await client.removeReaction({ type: 'like', target }, 2, signerOf(friend))
      }
      const byId = { fid: 2, targetFid: 1, targetHash: cast.hash } as const
      const gone = await client.getReactionById({ ...byId, reactionType: ReactionType.Like })
      assert.equal(gone, null)

      const follow = await client.followUser(2, 1, signer)
      assert.deepEqual(await client.getLinkById(1, 2), follow)
      await client.unfollowUser(2, 1, signer)
      assert.equal(await client.getLinkById(1, 2), null)
      await client.removeCast(cast.hash, 1, signer)
      assert.equal(await client.getCastById({ fid: 1, hash: cast.hash }), null)
    })

    test('the client verifies an address, and removes the verification', async (t) => {
      const client = clientOf()
      const account = await world().account(3)
      answerLatestBlock(t)
      const key = bytes(32, 3)
      const verification = await client.submitVerification(
        {
          verifiedAddressMnemonicOrPrivateKey: hex(key),
          network: 'MAINNET',
          verificationType: 'EOA',
          chainId: 0,
        } as never,
        3,
        signerOf(account),
      )
      const body = verification.data.verificationAddEthAddressBody
      assert.equal(body.address, hex(addressOfPrivateKey(key)))
      assert.ok(body.ethSignature)
      assert.deepEqual(await all(client.listVerificationsByFid(3)), [verification])
      await client.removeVerification(body.address, 3, signerOf(account))
      assert.deepEqual(await all(client.listVerificationsByFid(3)), [])
    })

    test('the client reads every list to its end, with any page size, in both directions', async () => {
      const client = clientOf()
      const [account] = await world().accounts([10, 11, 12, 13])
      await fill(client, world(), account!)
      const lists: [number, (options: object) => AsyncGenerator<unknown>][] = [
        [5, (options) => client.listCastsByFid(10, options)],
        [5, (options) => client.listCastsByMention(11, options)],
        [5, (options) => client.listCastsByParent({ url }, options)],
        [5, (options) => client.listReactionsByFid(10, ReactionType.Like, options)],
        [1, (options) => client.listReactionsByTarget('u2', ReactionType.Like, options)],
        [0, (options) => client.listReactionsByFid(10, ReactionType.Recast, options)],
        [
          0,
          (options) => client.listReactionsByCast(1, hex(bytes(20, 1)), ReactionType.Like, options),
        ],
        [5, (options) => client.listLinksByFid(10, options)],
        [1, (options) => client.listLinksByTargetFid(12, options)],
        [4, (options) => client.listAllUserDataByFid(10, options)],
        [0, (options) => client.listVerificationsByFid(10, options)],
      ]
      for (const [n, list] of lists) {
        const whole = await all(list({}))
        assert.equal(whole.length, n, String(list))
        for (let pageSize = 1; pageSize <= n + 1; pageSize++) {
          assert.deepEqual(await all(list({ pageSize, reverse: false })), whole)
          assert.deepEqual(await all(list({ pageSize, reverse: true })), whole.toReversed())
        }
      }
      const fids = await all(client.listFids({ pageSize: 2 }))
      assert.ok([10, 11, 12, 13].every((fid) => fids.includes(fid)))
      assert.equal(new Set(fids).size, fids.length)
    })

    test('the client reads the events to the end', async () => {
      const client = clientOf()
      const events = await all(client.listHubEvents())
      const ids = events.map(({ id }) => id)
      assert.deepEqual(
        ids,
        [...new Set(ids)].sort((a, b) => a - b),
      )
      assert.deepEqual(await all(client.listHubEvents(ids.at(-1)! + 1)), [])
      assert.deepEqual(await client.getHubEventById(ids[3]!), events[3])
    })

    test('the client reads accounts, storage, names and the info of the hub', async () => {
      const client = clientOf()
      const account = await world().account(20)
      await world().app.hub.catchUpNames()
      const registered = await client.getOnChainIdRegistryEventByAddress(hex(account.custody))
      assert.deepEqual(await client.listOnChainEventsByFid(20, OnChainEventType.IdRegister), [
        registered,
      ])
      const signer = await client.getOnChainSignerEventBySigner(20, hex(account.key))
      assert.equal(signer?.signerEventBody.key, hex(account.key))
      const [casts] = await client.getStorageLimitsByFid(20)
      assert.deepEqual([casts?.storeType, casts?.limit], ['STORE_TYPE_CASTS', 1_000])
      const proof = await client.getUsernameProof(NAME)
      assert.equal(proof?.fid, 20)
      assert.deepEqual(await client.listUsernameProofsForFid(20), [proof])
      const info = await client.getHubInfo({ includeDbStats: true })
      assert.ok(info.dbStats.numFidEvents > 0)
    })

    test('the client learns whether a message is valid', async () => {
      const client = clientOf()
      const account = await world().account(21)
      const sent: Uint8Array[] = []
      const silent = axios.create({
        adapter: async (config) => {
          sent.push(config.data as Uint8Array)
          return { data: {}, status: 200, statusText: '', headers: {}, config }
        },
      })
      const recorder = new HubRestAPIClient({ hubUrl: 'http://nowhere', axiosInstance: silent })
      await recorder.submitCast({ text: 'to validate' }, 21, signerOf(account))
      await recorder.submitCast({ text: 'by another' }, 22, signerOf(account))
      const verdicts = []
      for (const body of sent) verdicts.push(await client.validateMessage(hex(body)))
      assert.deepEqual(
        verdicts.map(({ valid }) => valid),
        [true, false],
      )
    })

    test('the client gets null for what does not exist', async () => {
      const client = clientOf()
      const hash = hex(bytes(20, 9))
      const [targetFid, targetHash] = [1, hash]
      const reaction = {
        fid: 99,
        targetFid,
        targetHash,
        reactionType: ReactionType.Like,
      }
      const answers = await Promise.all([
        client.getCastById({ fid: 99, hash }),
        client.getReactionById(reaction),
        client.getLinkById(99, 98),
        client.getSpecificUserDataByFid(99, ProfileType.Pfp),
        client.getUsernameProof('nobodys-name'),
        client.getUsernameProof('nobodys.eth'),
        client.getOnChainSignerEventBySigner(99, hex(bytes(32, 9))),
        client.getOnChainIdRegistryEventByAddress(hex(bytes(20, 9))),
        client.getHubEventById(7),
      ])
      assert.ok(answers.every((answer) => answer === null))
      await assert.rejects(client.submitCast({ text: '' }, 99, hex(bytes(32, 9))))
    })

    test('this test has called every method of the client', () => {
      assert.deepEqual([...asked].sort(), [...PATHS].sort())
    })
  },
  {
    startMs: Date.now(),
    env: AS_DEPLOYED,
    names: {
      transfersAfter: async (id) =>
        id > 0
          ? []
          : [
              {
                id: 1,
                timestamp: 1_700_000_000,
                username: NAME,
                owner: bytes(20, 1),
                from: 0,
                to: 20,
                serverSignature: bytes(65, 1),
              },
            ],
    },
  },
)

async function all<T>(list: AsyncGenerator<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of list) {
    items.push(item)
    assert.ok(items.length < 10_000, 'the list ends')
  }
  return items
}

async function fill(client: HubRestAPIClient, world: World, account: TestAccount) {
  const signer = hex(account.seed)
  const { fid } = account
  for (let i = 0; i < 5; i++) {
    const cast = { text: `cast ${i}`, mentions: [11], mentionsPositions: [0], parentUrl: url }
    await client.submitCast(cast, fid, signer)
    await client.submitReaction({ type: 'like', target: { url: `u${i}` } }, fid, signer)
    await client.followUser(11 + i, fid, signer)
  }
  const { USER_DATA_TYPE_PFP, USER_DATA_TYPE_DISPLAY, USER_DATA_TYPE_BIO } = UserDataType
  const types = [USER_DATA_TYPE_PFP, USER_DATA_TYPE_DISPLAY, USER_DATA_TYPE_BIO]
  for (const type of [...types, UserDataType.USER_DATA_TYPE_URL]) {
    const origin = { ...world.origin(account), network: MAINNET }
    accepted(await world.submit(world.sign(account, userDataAdd(origin, type, 'x'))))
  }
  const bio = await client.getSpecificUserDataByFid(fid, ProfileType.Bio)
  assert.equal(bio?.data.userDataBody.value, 'x')
}

/** The client asks a public chain for its latest block before it signs a claim: any block will do. */
function answerLatestBlock(t: import('node:test').TestContext): void {
  const original = globalThis.fetch
  t.mock.method(globalThis, 'fetch', async (input: Request | string, init?: RequestInit) => {
    const target = typeof input === 'string' ? input : input.url
    if (target.startsWith('http://127.0.0.1')) return original(input, init)
    const body = typeof input === 'string' ? String(init?.body) : await input.text()
    const result = { hash: hex(bytes(32, 8)), number: '0x1', timestamp: '0x1', transactions: [] }
    return Response.json({ jsonrpc: '2.0', id: JSON.parse(body).id, result })
  })
}
