// Gasless keys at a hub of several shards: it tells of them once, in no log, and lists them without their messages.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { castAdd, linkAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { decodeMessage } from '../src/kernel/protocol/codec/decode.ts'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import {
  KEYS_START_MS,
  type Key,
  keyAdd,
  keyOf,
  keyRemove,
  ownerOf,
} from './gasless-keys-support.ts'
import { Author } from './mirror-authors.ts'
import { createMirror, hashesOf, heights, type MirrorWorld } from './mirror-support.ts'
import { until } from './until.ts'
import { accountEvents, enginesOf } from './world.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`a mirror of people with gasless keys on ${engine}`, () => {
    let fake: FakeHub
    let mirror: MirrorWorld
    before(async () => {
      fake = await startFakeHub({ now: () => KEYS_START_MS, shards: 2 })
      const source = { address: fake.address, now: () => KEYS_START_MS }
      mirror = await createMirror(source, { engine, env: { ROOKERY_MIRROR_SUBMITS: 'forward' } })
      fake.startBlocks(250)
    })
    after(async () => {
      await mirror.close()
      await fake.close()
    })

    const clock = { clock: { now: () => KEYS_START_MS } }
    const settle = () => mirror.settled(heights(fake))
    const register = (fid: number) => {
      const owner = ownerOf(fid)
      fake.chainEvents(...accountEvents(owner, KEYS_START_MS / 1_000, 10))
      return owner
    }
    const castBy = (fid: number, key: Key, text: string) =>
      new Author({ ...key, fid }).sign((origin) => castAdd(origin, { text }))
    const castsOf = async (fid: number) =>
      (await hashesOf(mirror.app.storage, [fid]))[`${fid} casts`] ?? []

    const quarantineOf = async (fid: number) => {
      const { body } = await mirror.operate('/mirror/quarantine')
      return body.messages.filter((one: { fid: number }) => one.fid === fid)
    }

    test('a block that counts a key is whole without it, and the key is told live', async () => {
      const owner = register(61)
      await mirror.follow('fid:61')
      await settle()
      const key = keyOf(1)
      fake.merge(decodeMessage(await keyAdd(clock, owner, key)))
      await settle()
      const cast = castBy(61, key, 'by a gasless key')
      fake.merge(cast)
      await settle()
      assert.deepEqual(await castsOf(61), [toHex(cast.hash)])
      fake.merge(decodeMessage(await keyRemove(clock, owner, key)))
      await settle()
      const { shards, people, quarantine } = await mirror.status()
      assert.deepEqual([people.differ, quarantine], [0, {}])
      for (const { gaps } of shards) assert.deepEqual(gaps, { seen: 0, repaired: 0, pruned: 0 })
      assert.deepEqual(await castsOf(61), [toHex(cast.hash)])
    })

    test('a mirror that was away when keys changed passes their blocks', async () => {
      const owner = register(62)
      const author = new Author(owner)
      fake.silent('streams')
      fake.merge(decodeMessage(await keyAdd(clock, owner, keyOf(2))))
      const cast = author.sign((origin) => castAdd(origin, { text: 'after it' }))
      fake.merge(cast)
      fake.heal()
      fake.reset()
      await mirror.follow('fid:62')
      await settle()
      assert.deepEqual(await castsOf(62), [toHex(cast.hash)])
    })

    test('messages by keys that the source says the person has are stored, and by removed ones are not', async () => {
      const owner = register(63)
      const [kept, removed] = [keyOf(3), keyOf(4)]
      fake.silent('streams')
      fake.merge(decodeMessage(await keyAdd(clock, owner, kept)))
      fake.merge(decodeMessage(await keyAdd(clock, owner, removed, { nonce: 2 })))
      const [before, byRemoved] = [castBy(63, kept, 'before'), castBy(63, removed, 'by removed')]
      fake.merge(before, byRemoved)
      fake.merge(decodeMessage(await keyRemove(clock, owner, removed, { nonce: 3 })))
      fake.heal()
      fake.reset()
      await mirror.follow('fid:63')
      await until(async () => (await castsOf(63)).length > 0)
      const live = castBy(63, kept, 'live')
      fake.merge(live)
      await until(async () => (await castsOf(63)).length === 2)
      assert.deepEqual(await castsOf(63), [toHex(before.hash), toHex(live.hash)])
      // What is refused is noted when the comparison ends.
      await until(async () => {
        const { body } = await mirror.operate('/mirror/quarantine')
        assert.deepEqual(
          body.messages.map(({ hash }: { hash: string }) => hash),
          [toHex(byRemoved.hash)],
        )
        return true
      })
    })

    test('a key is stored although the app that requested it is not mirrored', async () => {
      const [owner, app] = [register(65), register(66)]
      await mirror.follow('fid:65')
      await settle()
      const key = keyOf(7)
      const added = decodeMessage(await keyAdd(clock, owner, key, { app }))
      fake.merge(added)
      fake.merge(castBy(65, key, 'by a key of an app'))
      await settle()
      const { '65 gaslessKeys': keys } = await hashesOf(mirror.app.storage, [65])
      assert.deepEqual(keys, [toHex(added.hash)])
      assert.equal((await castsOf(65)).length, 1)
      assert.deepEqual(await quarantineOf(65), [])
    })

    test('the removal of a key that was added before the mirror listened leaves nothing in quarantine', async () => {
      const owner = register(67)
      const key = keyOf(8)
      fake.silent('streams')
      fake.merge(decodeMessage(await keyAdd(clock, owner, key)))
      const cast = castBy(67, key, 'by a key of before')
      fake.merge(cast)
      fake.heal()
      fake.reset()
      await mirror.follow('fid:67')
      await settle()
      fake.merge(decodeMessage(await keyRemove(clock, owner, key)))
      await settle()
      assert.deepEqual(await castsOf(67), [toHex(cast.hash)])
      assert.deepEqual(await quarantineOf(67), [])
    })

    test('a key that was removed while nobody listened is gone after the next comparison, and its messages stay', async () => {
      const owner = register(68)
      const [removed, kept] = [keyOf(9), keyOf(10)]
      await mirror.follow('fid:68')
      await settle()
      fake.merge(decodeMessage(await keyAdd(clock, owner, removed)))
      fake.merge(decodeMessage(await keyAdd(clock, owner, kept, { nonce: 2 })))
      const cast = castBy(68, removed, 'by a key that goes')
      fake.merge(cast)
      await settle()
      const keys = async () => {
        const { body } = await mirror.get('/v1/signersByFid?fid=68')
        return body.signers.slice(1).map(({ key }: { key: string }) => key)
      }
      assert.equal((await keys()).length, 2)
      fake.silent('streams')
      fake.merge(decodeMessage(await keyRemove(clock, owner, removed, { nonce: 3 })))
      fake.heal()
      fake.reset()
      await settle()
      const verify = () =>
        mirror.operate('/mirror/verify', { body: { level: 'lists', fids: [68] } })
      const [{ set, here, there }] = (await verify()).body.differences
      assert.deepEqual([set, here, there], ['gaslessKeys', 2, 1])
      await mirror.operate('/mirror/compare', { body: { fid: 68 } })
      await settle()
      assert.deepEqual(await keys(), [toHex(kept.key)])
      assert.deepEqual(await castsOf(68), [toHex(cast.hash)])
      assert.deepEqual((await verify()).body.differences, [])
    })

    test('messages of keys that nobody vouches for are stored by a mirror that is told to accept them', async () => {
      const source = { address: fake.address, now: () => KEYS_START_MS }
      const env = { ROOKERY_MIRROR_UNKNOWN_SIGNERS: 'accept' }
      const accepting = await createMirror(source, { engine, env })
      try {
        await accepting.follow('fid:63')
        await accepting.settled(heights(fake))
        assert.deepEqual(
          (await hashesOf(accepting.app.storage, [63]))
            ['63 casts']!.map((hash) => hash.slice(2))
            .sort(),
          fake.hashes(63).casts,
        )
        const { trust, quarantine } = await accepting.status()
        assert.match(trust, /messages of unknown keys are accepted/)
        assert.deepEqual(quarantine, {})
      } finally {
        await accepting.close()
      }
    })

    test('a submit by a key that only the source vouches for is forwarded, within the scope of the key', async () => {
      const owner = register(64)
      const [key, unknown] = [keyOf(5), keyOf(6)]
      fake.silent('streams')
      fake.merge(decodeMessage(await keyAdd(clock, owner, key)))
      fake.heal()
      fake.reset()
      await mirror.follow('fid:64')
      await settle()
      const cast = castBy(64, key, 'by a vouched key')
      const answer = await mirror.submit(cast)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      assert.deepEqual(await castsOf(64), [toHex(cast.hash)])
      const asked = fake.received.length
      const like = new Author({ ...key, fid: 64 }).sign((origin) => linkAdd(origin, 'follow', 61))
      const outside = await mirror.submit(like)
      assert.match(outside.body.details, /not in the scope of the gasless signer/)
      const refused = await mirror.submit(castBy(64, unknown, 'by an unknown key'))
      assert.equal(refused.body.errCode, 'bad_request.unknown_signer')
      assert.ok(!fake.received.slice(asked).some(({ method }) => method === 'submitMessage'))
    })
  })
}
