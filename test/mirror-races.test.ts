// Reading and following at the same time: pages that were read before an event and arrive after it, and the other way
// around, while messages are added, replaced, compacted, pruned, revoked and merged again.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { mirrorRows } from '../src/features/mirror/tables/mirror.ts'
import { castAdd, linkAdd, linkCompactState, userDataAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { effort } from './effort.ts'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import { follow } from './feed.ts'
import { Author, assertSame } from './mirror-authors.ts'
import { createMirror, hashesOf, heights, type MirrorWorld } from './mirror-support.ts'
import { type Random, randomFrom, runSeed } from './random.ts'
import { until } from './until.ts'
import { createWorld, enginesOf, WORLD_START_MS } from './world.ts'

const seed = runSeed()
console.log(`mirror races: TEST_SEED=${seed}`)

const FIDS = [1, 2, 3, 4]
const RUNS = effort(2, 300)
const STEPS = 60
/** What is taken away is one of the newest messages. */
const LAST = 3
const MAX_LATE_MS = 150
const STEP_MS = 15

/** All events of a hub so far. */
const feedOf = (hub: string) =>
  follow(
    () => hub,
    () => false,
  )

/** One thing that happens to a person at the source. */
function change(fake: FakeHub, author: Author, random: Random): void {
  const last = author.before(random, LAST)
  const what = last ? random.int(10) : 9
  if (what < 3) fake.prune(last!.hash)
  else if (what === 3) fake.revoke(last!.hash)
  else if (what === 4) fake.queueMerge(author.before(random)!)
  else fake.queueMerge(author.rival(random))
}

for (const engine of enginesOf(import.meta.url)) {
  describe(`comparing people on ${engine} while events change them`, () => {
    let fake: FakeHub
    let mirror: MirrorWorld
    let authors: Author[]
    before(async () => {
      fake = await startFakeHub({ now: () => WORLD_START_MS })
      authors = FIDS.map((fid) => new Author(fake.account(fid)))
      const source = { address: fake.address, now: () => WORLD_START_MS }
      mirror = await createMirror(source, { engine })
      await mirror.follow(`fid:${FIDS.join()}`)
    })
    after(async () => {
      await mirror.close()
      await fake.close()
    })

    test('a message that was replaced after its page was read is never stored', async () => {
      const author = new Author(fake.account(11))
      const bio = (text: string) =>
        author.sign((o) => userDataAdd(o, UserDataType.USER_DATA_TYPE_BIO, text))
      const [first, second] = [bio('first'), bio('second')]
      const link = author.sign((o) => linkAdd(o, 'follow', 2))
      const compact = author.sign((o) => linkCompactState(o, 'follow', [3]))
      fake.merge(first, link)
      fake.startBlocks(250)
      await mirror.settled(heights(fake))
      const release = [
        fake.hold('getAllUserDataMessagesByFid'),
        fake.hold('getAllLinkMessagesByFid'),
      ]
      const before = fake.received.length
      await mirror.follow('fid:11')
      const isAsked = (method: string) =>
        until(async () => fake.received.slice(before).some((call) => call.method === method))
      for (const [i, [message, method]] of (
        [
          [second, 'getAllUserDataMessagesByFid'],
          [compact, 'getAllLinkMessagesByFid'],
        ] as const
      ).entries()) {
        await isAsked(method)
        fake.merge(message)
        fake.prune(message.hash)
        const isApplied = heights(fake)
        await until(async () => isApplied((await mirror.status()).shards))
        release[i]!()
      }
      await mirror.settled(heights(fake))
      fake.stopBlocks()
      await assertSame(mirror.app.storage, fake, [11])
      const merged = (await feedOf(mirror.app.urls.hub)).map(
        (event) => event.mergeMessageBody?.message.hash,
      )
      assert.ok(merged.includes(toHex(second.hash)))
      assert.ok(!merged.includes(toHex(first.hash)))
    })

    test('the sets are those of the source once nothing happens any more', async () => {
      const random = randomFrom(seed)
      for (let run = 0; run < RUNS; run++) {
        // One comparison of everybody, and nothing asks for another one but what happens meanwhile.
        const at = random.int(STEPS / 2)
        for (let step = 0; step < STEPS; step++) {
          if (step % 10 === 0) {
            fake.skew({ answersMs: random.int(MAX_LATE_MS), eventsMs: random.int(MAX_LATE_MS) })
          }
          if (step === at) {
            await mirror.app.storage.write('hub', (tx) =>
              tx.of(mirrorRows).setAllDue(mirror.clock.now()),
            )
          }
          for (let i = random.int(4); i >= 0; i--) change(fake, random.pick(authors), random)
          fake.commitAll()
          await sleep(STEP_MS)
        }
        fake.heal()
        fake.startBlocks(250)
        await mirror.settled(heights(fake))
        fake.stopBlocks()
        await assertSame(mirror.app.storage, fake, FIDS)
        const { people, quarantine } = await mirror.status()
        assert.deepEqual([people.waiting, people.differ, quarantine], [0, 0, {}], `${run}`)
      }
    })
  })
}

for (const engine of enginesOf(import.meta.url)) {
  test(`of what is mirrored at the same time on ${engine}, what is of a leader of the past is not stored, and the rest is`, async () => {
    const world = await createWorld({ engine })
    try {
      const fids = Array.from({ length: 12 }, (_, i) => i + 1)
      const accounts = await world.accounts(fids)
      const past = { holder: 'somebody else', epoch: 1 }
      const taken = accounts.map(async (account) => {
        const cast = world.sign(account, castAdd(world.origin(account), { text: 'hi' }))
        const lease = account.fid % 3 === 0 ? past : undefined
        await world.app.hub.mirror([{ merge: encodeEnvelope(cast) }], { lease })
      })
      const results = await Promise.allSettled(taken)
      assert.deepEqual(
        results.map(({ status }) => status),
        fids.map((fid) => (fid % 3 === 0 ? 'rejected' : 'fulfilled')),
      )
      const stored = await hashesOf(world.app.storage, fids)
      const authors = fids.filter((fid) => fid % 3 !== 0)
      assert.deepEqual(
        Object.entries(stored).map(([set, hashes]) => [set, hashes.length]),
        authors.map((fid) => [`${fid} casts`, 1]),
      )
    } finally {
      await world.close()
    }
  })
}
