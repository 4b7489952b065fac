// What a hub of several shards says more than once, or counts in another way than it lists, and how its trie proves a mirror.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { rootOf, triePrefix } from '../src/features/mirror/set-root.ts'
import { Source } from '../src/features/mirror/source/source.ts'
import {
  castAdd,
  castRemove,
  lendStorage,
  verificationAddEth,
} from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { signTypedData, verificationClaimTypedData } from '../src/kernel/protocol/crypto/eip712.ts'
import { addressOfPrivateKey } from '../src/kernel/protocol/crypto/secp256k1.ts'
import {
  CastType,
  MessageType,
  UserNameProofSchema,
  UserNameType,
} from '../src/kernel/protocol/wire/message_pb.js'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import { messageKey, trieNode } from './fake-hub/trie.ts'
import { Author, assertSame } from './mirror-authors.ts'
import { createMirror, hashesOf, heights, type MirrorWorld } from './mirror-support.ts'
import { randomFrom, runSeed } from './random.ts'
import { DEVNET, enginesOf, WORLD_START_MS } from './world.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`a mirror of shards that repeat each other on ${engine}`, () => {
    let fake: FakeHub
    let mirror: MirrorWorld
    before(async () => {
      fake = await startFakeHub({
        now: () => WORLD_START_MS,
        shards: 3,
        verificationsOnAllShards: true,
      })
      const source = { address: fake.address, now: () => WORLD_START_MS }
      mirror = await createMirror(source, { engine })
      fake.startBlocks(250)
    })
    after(async () => {
      await mirror.close()
      await fake.close()
    })

    const settle = () => mirror.settled(heights(fake))
    const verify = async (level: string) => {
      const { status, body } = await mirror.operate(`/mirror/verify?level=${level}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }
    const assertEqual = async () => {
      for (const level of ['counts', 'roots', 'lists']) {
        assert.deepEqual((await verify(level)).differences, [], level)
      }
    }

    test('a verification that foreign shards prune at once stays, before and after the mirror follows', async () => {
      const author = new Author(fake.account(51))
      const verification = (n: number) =>
        author.sign((origin) => {
          const key = new Uint8Array(32).fill(n)
          const claim = {
            fid: 51,
            address: addressOfPrivateKey(key),
            blockHash: new Uint8Array(32).fill(n),
            network: DEVNET,
          }
          const claimSignature = signTypedData(verificationClaimTypedData(claim), key)
          return verificationAddEth(origin, { ...claim, claimSignature })
        })
      fake.merge(verification(1))
      await mirror.follow('fid:51')
      await settle()
      fake.merge(verification(2))
      await settle()
      // The other shards repeat it one block later.
      fake.commitAll()
      await settle()
      await assertSame(mirror.app.storage, fake, [51])
      assert.equal((await hashesOf(mirror.app.storage, [51]))['51 verifications']!.length, 2)
      await assertEqual()
    })

    test('a name that all shards announce is one name', async () => {
      const { custody } = fake.account(52)
      fake.name(
        create(UserNameProofSchema, {
          timestamp: BigInt(WORLD_START_MS / 1_000),
          name: Buffer.from('alice'),
          owner: custody,
          signature: new Uint8Array(65).fill(1),
          fid: 52n,
          type: UserNameType.USERNAME_TYPE_FNAME,
        }),
      )
      await mirror.follow('fid:52')
      await settle()
      const { body } = await mirror.get('/v1/userNameProofsByFid?fid=52')
      assert.deepEqual(
        body.proofs.map(({ name }: { name: string }) => name),
        ['alice'],
      )
      assert.equal((await mirror.status()).people.differ, 0)
    })

    test('storage that was lent to somebody counts at the source among what they lent, and they are equal', async () => {
      const [lender] = [53, 54].map((fid) => new Author(fake.account(fid)))
      fake.merge(lender!.sign((origin) => lendStorage(origin, { toFid: 54, units: 2 })))
      await mirror.follow('fid:53,54')
      await settle()
      const { people, quarantine } = await mirror.status()
      assert.deepEqual([people.differ, quarantine], [0, {}])
      await assertEqual()
      const here = await hashesOf(mirror.app.storage, [53, 54])
      assert.deepEqual(Object.keys(here), ['53 storageLends'])
    })

    test('lent storage is listed, stored and equal before the shard of the lender repeats it', async () => {
      const [lender] = [57, 58].map((fid) => new Author(fake.account(fid)))
      const lend = lender!.sign((origin) => lendStorage(origin, { toFid: 58, units: 2 }))
      fake.leaveShardZeroAlone()
      fake.merge(lend)
      fake.commitAll()
      assert.deepEqual(fake.hashes(57).lends, [])
      await mirror.follow('fid:57')
      await settle()
      const lends = async () => (await hashesOf(mirror.app.storage, [57]))['57 storageLends']
      assert.deepEqual(await lends(), [toHex(lend.hash)])
      await assertEqual()
      fake.heal()
      fake.commitAll()
      assert.equal(fake.hashes(57).lends.length, 1)
      await settle()
      assert.deepEqual(await lends(), [toHex(lend.hash)])
      const { people, quarantine } = await mirror.status()
      assert.deepEqual([people.differ, quarantine], [0, {}])
      await assertEqual()
    })

    test('roots prove what was added and removed', async () => {
      const author = new Author(fake.account(55))
      const casts = Array.from({ length: 40 }, (_, i) =>
        author.sign((origin) => castAdd(origin, { text: `${i}` })),
      )
      fake.merge(...casts)
      await mirror.follow('fid:55')
      await settle()
      fake.merge(
        ...casts.slice(0, 10).map(({ hash }) => author.sign((origin) => castRemove(origin, hash))),
      )
      fake.prune(...casts.slice(10, 20).map(({ hash }) => hash))
      await settle()
      await assertEqual()
    })
  })
}

test('the hash of any set of messages is that of the node in the trie', () => {
  const random = randomFrom(runSeed())
  const prefix = triePrefix(1234, MessageType.CAST_ADD)
  for (const size of [0, 1, 2, 3, 17, 400]) {
    const hashes = Array.from({ length: size }, () =>
      Uint8Array.from({ length: 20 }, () => random.int(size > 100 ? 256 : 2)),
    )
    const distinct = [...new Map(hashes.map((hash) => [toHex(hash), hash])).values()]
    const keys = distinct.map((hash) =>
      messageKey(1234, MessageType.CAST_ADD, toHex(hash).slice(2)),
    )
    assert.equal(rootOf(prefix, random.shuffled(distinct)), trieNode(keys, prefix)?.hash ?? '')
  }
})

test('pages that are longer than a mirror takes are asked for in parts', async () => {
  const fake = await startFakeHub({ now: () => WORLD_START_MS })
  const [host, port] = fake.address.split(':')
  const addresses = [{ host: host!, port: Number(port), isSecure: false }]
  const source = new Source({ addresses, headers: {}, rate: 0, concurrency: 1 })
  try {
    const author = new Author(fake.account(56))
    // Twice 10,000 bytes each, because the data come decoded and as bytes.
    const casts = Array.from({ length: 850 }, (_, i) =>
      author.sign((origin) =>
        castAdd(origin, { text: `${i}`.padEnd(10_000, 'x'), type: CastType.TEN_K_CAST }),
      ),
    )
    fake.merge(...casts)
    let listed = 0
    for await (const page of source.messages('GetAllCastMessagesByFid', 56)) listed += page.length
    assert.equal(listed, casts.length)
  } finally {
    source.close()
    await fake.close()
  }
})
