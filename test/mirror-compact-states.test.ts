// Snapchain keeps links that came before a compact state in the same block: so does its mirror.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { linkAdd, linkCompactState, linkRemove } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import { Author, assertSame } from './mirror-authors.ts'
import { createMirror, hashesOf, heights, type MirrorWorld } from './mirror-support.ts'
import { until } from './until.ts'
import { DEVNET, enginesOf, WORLD_START_MS } from './world.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`links beside a compact state in a mirror on ${engine}`, () => {
    let fake: FakeHub
    let mirror: MirrorWorld
    before(async () => {
      fake = await startFakeHub({ now: () => WORLD_START_MS })
      mirror = await createMirror({ address: fake.address, now: () => WORLD_START_MS }, { engine })
      fake.startBlocks(100)
    })
    after(async () => {
      await mirror.close()
      await fake.close()
    })
    const settle = () => mirror.settled(heights(fake))
    const links = async (fid: number) => (await hashesOf(mirror.app.storage, [fid]))[`${fid} links`]

    /** A link of an earlier block, and two of the block of the compact state, none of which it lists. */
    function putInOneBlock(author: Author) {
      const earlier = author.sign((o) => linkAdd(o, 'follow', 900))
      fake.merge(earlier)
      const kept = [
        author.sign((o) => linkAdd(o, 'follow', 901)),
        author.sign((o) => linkRemove(o, 'follow', 902)),
      ]
      fake.queueMerge(
        ...kept,
        author.sign((o) => linkCompactState(o, 'follow', [903])),
      )
      fake.commit()
      return kept.map(({ hash }) => toHex(hash)).sort()
    }

    for (const [fid, how] of [
      [1, 'read from lists'],
      [2, 'followed by events'],
    ] as const) {
      test(`links that are ${how} stay until the next compact state`, async () => {
        const author = new Author(fake.account(fid))
        if (how === 'followed by events') await mirror.follow(`fid:${fid}`)
        await settle()
        const kept = putInOneBlock(author)
        if (how === 'read from lists') await mirror.follow(`fid:${fid}`)
        await settle()
        assert.deepEqual((await links(fid))?.toSorted(), kept)
        await assertSame(mirror.app.storage, fake, [fid])
        const { body } = await mirror.operate('/mirror/verify?level=roots')
        assert.deepEqual([body.differences, (await mirror.status()).quarantine], [[], {}])
        fake.merge(author.sign((o) => linkCompactState(o, 'follow', [903])))
        await settle()
        assert.equal(await links(fid), undefined)
        await assertSame(mirror.app.storage, fake, [fid])
      })
    }

    test('a verification says nothing about a person before the comparison that a compact state asks for', async () => {
      const author = new Author(fake.account(4))
      await mirror.follow('fid:4')
      await settle()
      putInOneBlock(author)
      const hasAll = heights(fake)
      await until(async () => hasAll((await mirror.status()).shards))
      const early = await mirror.operate('/mirror/verify', { body: { level: 'lists', fids: [4] } })
      assert.equal(early.status, 503, JSON.stringify(early.body))
      assert.match(early.body.message, /verify again later/)
      await settle()
      const { body } = await mirror.operate('/mirror/verify', {
        body: { level: 'lists', fids: [4] },
      })
      assert.deepEqual(body.differences, [])
    })

    test('the check of the stored data finds no fault in them', async () => {
      const author = new Author(fake.account(3))
      putInOneBlock(author)
      await mirror.follow('fid:3')
      await settle()
      fake.stopBlocks()
      const { kinds, examples } = await verifyStore(mirror.app.storage, { network: DEVNET })
      assert.deepEqual([kinds, examples], [{}, []])
    })
  })
}
