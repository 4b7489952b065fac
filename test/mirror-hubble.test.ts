// What is different when the source is a Hubble: seen of the real one, which a script plays here.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { mirrorRows } from '../src/features/mirror/tables/mirror.ts'
import { fidTransferred, sealBlock } from '../src/kernel/accounts/events.ts'
import { castAdd, linkAdd, linkCompactState } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import { Author, assertSame } from './mirror-authors.ts'
import { createMirror, hashesOf, type MirrorWorld } from './mirror-support.ts'
import { until } from './until.ts'
import { enginesOf, testAccount, WORLD_START_MS } from './world.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`a mirror of Hubble on ${engine}`, () => {
    let nowMs = WORLD_START_MS
    let fake: FakeHub
    let mirror: MirrorWorld
    before(async () => {
      fake = await startFakeHub({ kind: 'hubble', now: () => nowMs })
      mirror = await createMirror({ address: fake.address, now: () => nowMs }, { engine })
    })
    after(async () => {
      await mirror.close()
      await fake.close()
    })

    const settle = () =>
      mirror.settled(([stream]) => {
        const newest = fake.shardOf(1).events.at(-1)!
        return stream !== undefined && stream.cursor >= Number(newest.id)
      })
    const stored = async (fid: number, set: string) =>
      (await hashesOf(mirror.app.storage, [fid]))[`${fid} ${set}`] ?? []

    test('a person is complete although the numbers of the source are not those of its lists', async () => {
      const author = new Author(fake.account(1))
      fake.merge(
        author.sign((o) => castAdd(o, 'first')),
        author.sign((o) => linkAdd(o, 'follow', 2)),
      )
      await mirror.follow('fid:1')
      await settle()
      await assertSame(mirror.app.storage, fake, [1])
      const { people } = await mirror.status()
      assert.deepEqual([people.live, people.differ], [1, 0])
    })

    test('numbers cannot be compared with it, and the error says what can', async () => {
      const counts = await mirror.operate('/mirror/verify?level=counts&fids=1')
      assert.equal(counts.status, 400, JSON.stringify(counts.body))
      assert.match(counts.body.message, /use --level lists/)
      const lists = await mirror.operate('/mirror/verify?level=lists&fids=1')
      assert.deepEqual([lists.body.checked, lists.body.differences], [1, []])
    })

    test('events between the stored and the live ones of its stream are not lost', async () => {
      const author = new Author(fake.account(3))
      await mirror.follow('fid:3')
      await settle()
      const calls = (name: string) => fake.received.filter(({ method }) => method === name).length
      const reads = calls('getAllCastMessagesByFid')
      const streams = calls('subscribe')
      fake.joinGap(1)
      fake.reset()
      await until(() => calls('subscribe') === streams + 2)
      const lost = author.sign((o) => castAdd(o, 'in the gap'))
      fake.merge(lost)
      nowMs += 30_000
      fake.merge(author.sign((o) => castAdd(o, 'after the gap')))
      await until(async () => (await stored(3, 'casts')).includes(toHex(lost.hash)))
      await until(() => fake.openStreams === 1)
      assert.equal(calls('getAllCastMessagesByFid'), reads, 'no comparison has found it')
      fake.merge(author.sign((o) => castAdd(o, 'live')))
      await until(async () => (await stored(3, 'casts')).length === 3)
    })

    test('links of other types that a compact state deletes there are removed soon', async () => {
      const author = new Author(fake.account(4))
      await mirror.follow('fid:4')
      await settle()
      fake.merge(
        author.sign((o) => linkAdd(o, 'follow', 901)),
        author.sign((o) => linkAdd(o, 'close', 902)),
      )
      await until(async () => (await stored(4, 'links')).length === 2)
      fake.merge(author.sign((o) => linkCompactState(o, 'follow', [901])))
      await until(async () => (await stored(4, 'linkCompactState')).length === 1)
      await settle()
      assert.equal((await stored(4, 'links')).length, 1)
      await assertSame(mirror.app.storage, fake, [4])
    })

    test('a number of accounts that counts transfers, too, is no fault of the list of everybody', async () => {
      const env = { ROOKERY_MIRROR_SCOPE: 'all' }
      const place = { chainId: 10, blockNumber: 2, timestamp: WORLD_START_MS / 1_000 + 1 }
      fake.chainEvents(
        ...sealBlock(
          [fidTransferred(1, testAccount(1).custody, new Uint8Array(20).fill(7))],
          place,
        ),
      )
      const all = await createMirror({ address: fake.address, now: () => nowMs }, { engine, env })
      try {
        const rule = async () => (await all.app.storage.of(mirrorRows).rules())[0]
        await until(async () => (await rule())?.people === 3)
        assert.equal((await rule())?.error, null)
      } finally {
        await all.close()
      }
    })

    test('an empty compact state is in quarantine, and what it deletes there is removed', async () => {
      const author = new Author(fake.account(5))
      await mirror.follow('fid:5')
      fake.merge(author.sign((o) => linkAdd(o, 'follow', 901)))
      await settle()
      assert.equal((await stored(5, 'links')).length, 1)
      fake.merge(author.sign((o) => linkCompactState(o, 'follow', [])))
      await until(
        async () => (await mirror.status()).quarantine['rule bad_request.validation_failure'] === 1,
      )
      await settle()
      assert.deepEqual(await stored(5, 'links'), [])
      const { people } = await mirror.status()
      assert.deepEqual([people.live, people.differ], [4, 0])
    })
  })
}
