// A mirror that is killed again and again, while it reads and follows: in the end it has what its source has, and its own
// log tells each change once.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import type { MirrorStatus } from '../src/features/mirror/status.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { effort } from './effort.ts'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import { checkReplay, follow } from './feed.ts'
import { Author, assertSame, FIDS } from './mirror-authors.ts'
import { heights } from './mirror-support.ts'
import { createPlace, type Env, type Program, startProgram } from './program.ts'
import { type Random, randomFrom, runSeed } from './random.ts'
import { until } from './until.ts'
import { DEVNET, ENGINES } from './world.ts'

const seed = runSeed()
console.log(`mirror crash: TEST_SEED=${seed}`)

/** TEST_KILLS says another number (npm run test:crash). */
const KILLS = Number(process.env.TEST_KILLS ?? effort(2, 50))
/** The longest a program lives after it has begun to mirror; less is as likely as more. */
const LONGEST_LIFE_MS = 1_500
const STEP_MS = 20
/** Read before it begins, so that there is something to read while it is killed. */
const FIRST_MESSAGES = 400

const OPS_TOKEN = 'token-of-the-operator'

async function statusOf({ operations }: Program): Promise<MirrorStatus> {
  const headers = { authorization: `Bearer ${OPS_TOKEN}` }
  const answer = await fetch(`${operations}/mirror`, { headers })
  assert.equal(answer.status, 200)
  return (await answer.json()) as MirrorStatus
}

/** Changes at the source until it is told to end. */
async function changes(
  fake: FakeHub,
  authors: readonly Author[],
  random: Random,
  isOver: () => boolean,
) {
  while (!isOver()) {
    const author = random.pick(authors)
    const last = author.before(random, 3)
    const what = random.int(8)
    if (last && what === 0) fake.prune(last.hash)
    else if (last && what === 1) fake.revoke(last.hash)
    else fake.queueMerge(what < 5 ? author.rival(random) : author.next(random))
    fake.commitAll()
    await sleep(STEP_MS)
  }
}

describe('killing a mirror', { concurrency: ENGINES.length }, () => {
  for (const engine of ENGINES) {
    test(`killing a mirror ${KILLS} times on ${engine} loses nothing and repeats nothing`, async (t) => {
      const place = await createPlace(engine)
      t.after(place.remove)
      const fake = await startFakeHub()
      t.after(() => fake.close())
      const random = randomFrom(seed)
      const authors = FIDS.map((fid) => new Author(fake.account(fid)))
      for (let i = 0; i < FIRST_MESSAGES; i++) fake.queueMerge(random.pick(authors).next(random))
      fake.commitAll()
      const env: Env = {
        ...place.env,
        ROOKERY_NETWORK: 'devnet',
        ROOKERY_PUBLIC_URL: 'http://127.0.0.1:2290',
        ROOKERY_LOG_LEVEL: 'fatal',
        ROOKERY_MIRROR_URLS: `grpc://${fake.address}`,
        ROOKERY_OPS_TOKEN: OPS_TOKEN,
        ROOKERY_MIRROR_SCOPE: 'all',
        ROOKERY_MIRROR_MIN_FREE_GIB: '0',
      }
      let isOver = false
      let program: Program | undefined
      t.after(() => {
        isOver = true
        program?.child.kill('SIGKILL')
      })
      const changing = changes(fake, authors, random, () => isOver)

      for (let round = 0; round < KILLS; round++) {
        program = await startProgram('serve', env)
        const running = program
        await until(async () => (await statusOf(running)).state !== 'connecting')
        await sleep(random.int(LONGEST_LIFE_MS))
        await program.stop('SIGKILL')
      }

      program = await startProgram('serve', env)
      const last = program
      // People with new messages all the time may never be equal; they are compared once nothing is written any more.
      await until(async () => {
        const { waiting, live, differ } = (await statusOf(last)).people
        return waiting + live + differ === FIDS.length
      })
      isOver = true
      await changing
      fake.startBlocks(500)
      const isApplied = heights(fake)
      // The parts of a status are read in parallel, so people are asked for after all events were applied.
      await until(async () => isApplied((await statusOf(last)).shards))
      await until(async () => {
        const { people, toCompare } = await statusOf(last)
        return people.reading === 0 && toCompare === 0
      })
      const { people, quarantine } = await statusOf(last)
      const events = await follow(
        () => last.hub,
        () => false,
      )
      fake.stopBlocks()
      await program.stop()
      const storage = await openStore(readConfig(env, 'production'))
      try {
        await assertSame(storage, fake, FIDS)
        assert.deepEqual((await verifyStore(storage, { network: DEVNET })).examples, [])
        await checkReplay(storage, events)
      } finally {
        await storage.close()
      }
      assert.deepEqual([people.live, people.differ, quarantine], [FIDS.length, 0, {}])
    })
  }
})
