// A mirror of a hub that speaks as Snapchain does, with its faults.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { effort } from './effort.ts'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import { Author, assertSame, FIDS } from './mirror-authors.ts'
import { createMirror, hashesOf, heights, type MirrorWorld } from './mirror-support.ts'
import { type Random, randomFrom, runSeed } from './random.ts'
import { enginesOf, WORLD_START_MS } from './world.ts'

const seed = runSeed()
console.log(`mirror of a scripted hub: TEST_SEED=${seed}`)

const FAULTS: readonly ((fake: FakeHub, random: Random) => void)[] = [
  (fake) => fake.reset(),
  (fake) => fake.duplicate(),
  (fake) => fake.reorder(2),
  (fake) => {
    const { shardInfos = [] } = fake.info()
    for (const { shardId = 0, maxHeight = 0n } of shardInfos) {
      if (shardId > 0) fake.gap(Number(maxHeight) + 1, { shard: shardId })
    }
  },
  (fake, random) => fake.lag(1 + random.int(4)),
  (fake) => {
    fake.joinGap()
    fake.reset()
  },
  (fake) => fake.otherNode(),
  (fake) => fake.limit({ status: 14, calls: 2 }),
  (fake) => {
    fake.pruneLog(1_000_000)
    fake.reset()
  },
]

for (const engine of enginesOf(import.meta.url)) {
  describe(`a mirror of a scripted hub on ${engine}`, () => {
    let fake: FakeHub
    let mirror: MirrorWorld
    let authors: Author[]
    before(async () => {
      fake = await startFakeHub({ now: () => WORLD_START_MS, shards: 2 })
      authors = FIDS.map((fid) => new Author(fake.account(fid)))
      const source = { address: fake.address, now: () => WORLD_START_MS }
      mirror = await createMirror(source, { engine })
      await mirror.follow('fid:1,2,3,4')
      fake.startBlocks(250)
    })
    after(async () => {
      await mirror.close()
      await fake.close()
    })

    const settle = () => mirror.settled(heights(fake))

    test('after any script of faults the sets are those of the source, and of nobody else', async () => {
      const random = randomFrom(seed)
      for (let run = 0; run < effort(2, 200); run++) {
        for (let step = 0; step < 30; step++) {
          if (random.int(4) === 0) FAULTS[random.int(FAULTS.length)]!(fake, random)
          for (const author of random.shuffled(authors).slice(0, 2)) {
            fake.queueMerge(author.next(random))
            const hash = author.before(random)?.hash
            if (hash && random.int(4) === 0) fake.prune(hash)
            else if (hash && random.int(6) === 0) fake.revoke(hash)
          }
          fake.commitAll()
        }
        fake.heal()
        fake.commitAll()
        await settle()
        await assertSame(mirror.app.storage, fake, [1, 2, 3, 4])
        assert.deepEqual(await hashesOf(mirror.app.storage, [5]), {})
      }
      const { people, quarantine } = await mirror.status()
      assert.deepEqual([people.live, people.differ, quarantine], [4, 0, {}])
    })

    test('much that is gone at the source without an event is removed by the next comparison', async () => {
      const author = new Author(fake.account(31))
      const casts = Array.from({ length: 30 }, (_, i) =>
        author.sign((o) => castAdd(o, { text: `${i}` })),
      )
      fake.merge(...casts)
      await mirror.follow('fid:31')
      await settle()
      assert.equal((await hashesOf(mirror.app.storage, [31]))['31 casts']!.length, 30)
      // Gone at the source, and no event says so: much of a set is removed once two lists agree.
      const shard = fake.shardOf(31)
      fake.silent('streams')
      fake.prune(...casts.slice(0, 25).map(({ hash }) => hash))
      shard.events.length = 0
      fake.heal()
      await mirror.restart()
      // The number of the next block says that some are missing, and the log does not have them any more.
      fake.commitAll()
      await settle()
      await assertSame(mirror.app.storage, fake, [31])
      assert.equal((await hashesOf(mirror.app.storage, [31]))['31 casts']!.length, 5)
    })

    test('verify finds everybody equal, by counts and message by message, and changes nothing', async () => {
      for (const level of ['counts', 'lists']) {
        const { status, body } = await mirror.operate(`/mirror/verify?level=${level}`)
        assert.equal(status, 200, JSON.stringify(body))
        assert.deepEqual([body.differences, body.next], [[], null], level)
        assert.equal(body.checked, 5)
      }
    })
  })
}
