// A mirror of a hub that speaks as Snapchain does, with its faults.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  buildMessage,
  castAdd,
  castRemove,
  type DataInit,
  linkAdd,
  linkCompactState,
  linkRemove,
  type Origin,
  reactionAdd,
  userDataAdd,
} from '../src/protocol/build.ts'
import { networkTime } from '../src/protocol/time.ts'
import { UserDataType } from '../src/protocol/wire/message_pb.js'
import { effort } from './effort.ts'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import { createMirror, type HasAll, hashesOf, type MirrorWorld } from './mirror-support.ts'
import { type Random, randomFrom, runSeed } from './random.ts'
import { DEVNET, ENGINES, type TestAccount, WORLD_START_MS } from './world.ts'

const seed = runSeed()
console.log(`mirror of a scripted hub: TEST_SEED=${seed}`)

const START = networkTime(WORLD_START_MS) - 100_000
const FIDS = [1, 2, 3, 4, 5]

/** Everything that may be in a set, by the names of the scripted hub. */
const LISTS = {
  casts: 'casts',
  reactions: 'reactions',
  links: 'links',
  verifications: 'verifications',
  userData: 'userData',
  compactStates: 'linkCompactState',
} as const

const heights =
  (fake: FakeHub): HasAll =>
  (shards) => {
    const { shardInfos = [] } = fake.info()
    return shardInfos
      .filter(({ shardId }) => shardId !== 0)
      .every(({ shardId, maxHeight }) =>
        shards.some(({ shard, block }) => shard === shardId && block >= Number(maxHeight)),
      )
  }

async function same(mirror: MirrorWorld, fake: FakeHub, fids: readonly number[]): Promise<void> {
  const here = await hashesOf(mirror.app.storage, fids)
  for (const fid of fids) {
    const there = fake.hashes(fid)
    for (const [list, set] of Object.entries(LISTS)) {
      const found = (here[`${fid} ${set}`] ?? []).map((hash) => hash.slice(2)).sort()
      assert.deepEqual(found, there[list as keyof typeof LISTS], `${list} of fid ${fid}`)
    }
  }
}

/** A person who posts at a scripted hub, each second something. */
class Author {
  readonly account: TestAccount
  static #at = START
  readonly #hashes: Uint8Array[] = []

  constructor(account: TestAccount) {
    this.account = account
  }

  sign(make: (origin: Origin) => DataInit) {
    const { fid, seed: key } = this.account
    const message = buildMessage(make({ fid, timestamp: Author.#at++, network: DEVNET }), key)
    this.#hashes.push(message.hash)
    return message
  }

  next(random: Random) {
    const other = FIDS.filter((fid) => fid !== this.account.fid)
    const target = other[random.int(other.length)]!
    const hash = this.#hashes[random.int(this.#hashes.length)] ?? new Uint8Array(20).fill(1)
    const makers: ((origin: Origin) => DataInit)[] = [
      (o) => castAdd(o, { text: `at ${o.timestamp}` }),
      (o) => castAdd(o, { text: `also at ${o.timestamp}` }),
      (o) => castRemove(o, hash),
      (o) => linkAdd(o, 'follow', target),
      (o) => linkRemove(o, 'follow', target),
      (o) => reactionAdd(o, 1, { fid: target, hash }),
      (o) => userDataAdd(o, UserDataType.USER_DATA_TYPE_BIO, `bio ${o.timestamp}`),
      (o) => linkCompactState(o, 'follow', other.slice(0, random.int(other.length) + 1)),
    ]
    return this.sign(makers[random.int(makers.length)]!)
  }

  get anyHash(): (random: Random) => Uint8Array | undefined {
    return (random) => this.#hashes[random.int(this.#hashes.length)]
  }
}

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

for (const engine of ENGINES) {
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
            const hash = author.anyHash(random)
            if (hash && random.int(4) === 0) fake.prune(hash)
            else if (hash && random.int(6) === 0) fake.revoke(hash)
          }
          fake.commitAll()
        }
        fake.heal()
        fake.commitAll()
        await settle()
        await same(mirror, fake, [1, 2, 3, 4])
        assert.deepEqual(await hashesOf(mirror.app.storage, [5]), {})
      }
      const { people, quarantine } = await mirror.status()
      assert.deepEqual([people.live, people.differ, quarantine], [4, 0, {}])
    })
  })
}
