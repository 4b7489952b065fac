// What people see of a mirror: stock clients work on it, and no key of the source is in anything that it says.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { HubEvent } from 'hub-nodejs-0.17'
import { mirrorRows } from '../src/features/mirror/tables/mirror.ts'
import { castAdd, linkAdd, reactionAdd, userDataAdd } from '../src/kernel/protocol/build.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import { allOf, createMirror, heights, type MirrorWorld, sourceOf } from './mirror-support.ts'
import { CLIENT_VERSIONS, stockClient } from './stock-clients.ts'
import { until } from './until.ts'
import { createWorld, enginesOf, WORLD_START_MS, type World } from './world.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`published clients on a mirror on ${engine}`, () => {
    let source: World
    let mirror: MirrorWorld
    before(async () => {
      source = await createWorld({ engine })
      mirror = await createMirror(sourceOf(source), { engine })
    })
    after(async () => {
      await mirror.close()
      await source.close()
    })

    test('read the same of a mirror as of its source, and get its events', async () => {
      const [one, two] = await source.accounts([11, 12])
      const cast = source.sign(one!, castAdd(source.origin(one!), { text: 'hi' }))
      for (const message of [
        cast,
        source.sign(one!, linkAdd(source.origin(one!), 'follow', 12)),
        source.sign(two!, reactionAdd(source.origin(two!), 1, { fid: 11, hash: cast.hash })),
        source.sign(
          one!,
          userDataAdd(source.origin(one!), UserDataType.USER_DATA_TYPE_BIO, 'Waders.'),
        ),
      ]) {
        assert.equal((await source.submit(message)).status, 200)
      }
      await mirror.follow('fid:11,12')
      await mirror.settled(allOf(source))
      for (const version of CLIENT_VERSIONS) {
        const [there, here] = [stockClient(source, version), stockClient(mirror, version)]
        try {
          const reads = (client: typeof there) =>
            Promise.all([
              client.getAllCastMessagesByFid({ fid: 11 }),
              client.getAllLinkMessagesByFid({ fid: 11 }),
              client.getAllUserDataMessagesByFid({ fid: 11 }),
              client.getAllReactionMessagesByFid({ fid: 12 }),
              client.getCast({ fid: 11, hash: cast.hash }),
              client.getReactionsByTarget({ targetCastId: { fid: 11, hash: cast.hash } }),
              client.getOnChainSignersByFid({ fid: 11 }),
            ])
          const expected = (await reads(there)).map((result) => result._unsafeUnwrap())
          const found = (await reads(here)).map((result) => result._unsafeUnwrap())
          assert.deepEqual(found, expected, version)
          const stream = (await here.subscribe({ eventTypes: [1], fromId: 0 }))._unsafeUnwrap()
          const hashes = new Set<string>()
          for await (const event of stream as AsyncIterable<HubEvent>) {
            hashes.add(Buffer.from(event.mergeMessageBody!.message!.hash).toString('hex'))
            if (hashes.size === 4) break
          }
          stream.cancel()
          assert.ok(hashes.has(Buffer.from(cast.hash).toString('hex')))
        } finally {
          there.close()
          here.close()
        }
      }
    })
  })
}

describe('the key of a source', () => {
  const SECRET = 'open-sesame-4711'
  let fake: FakeHub
  before(async () => {
    fake = await startFakeHub({ now: () => WORLD_START_MS, key: { 'x-api-key': SECRET } })
    fake.account(1)
    fake.startBlocks(250)
  })
  after(() => fake.close())

  for (const [what, key] of [
    ['that is right', SECRET],
    ['that the source refuses', `${SECRET}-old`],
  ] as const) {
    test(`${what} is in no log, status, error or metric`, async () => {
      const logLines: string[] = []
      const mirror = await createMirror(
        { address: fake.address, now: () => WORLD_START_MS },
        { logLines, env: { ROOKERY_MIRROR_HEADERS: `x-api-key=${key}` } },
      )
      const said: string[] = []
      try {
        await mirror.follow('fid:1')
        if (key === SECRET) {
          // Refusals and cut connections are said, too.
          fake.limit({ status: 14, calls: 3 })
          fake.reset()
          await mirror.settled(heights(fake))
        } else {
          await until(async () => (await mirror.status()).problem !== null)
        }
        for (const path of ['/mirror', '/mirror/rules', '/mirror/quarantine', '/mirror/verify']) {
          said.push(JSON.stringify((await mirror.operate(path)).body))
        }
        for (const path of ['/metrics', '/health/ready', '/health/live']) {
          said.push(await (await fetch(mirror.app.urls.operations + path)).text())
        }
        said.push(JSON.stringify((await mirror.get('/v1/info')).body))
      } finally {
        await mirror.close()
      }
      assert.ok(logLines.some((line) => line.includes('mirror')))
      assert.ok(fake.received.some(({ metadata }) => metadata['x-api-key'] === key))
      for (const text of [...said, ...logLines]) assert.ok(!text.includes(SECRET), text)
    })
  }
})

describe('a mirror that asks its source', () => {
  test('the rate of a source is kept, and what it asks to wait', async () => {
    const RATE = 20
    const fake = await startFakeHub({ now: () => WORLD_START_MS })
    for (const fid of [1, 2, 3]) fake.account(fid)
    fake.startBlocks(250)
    const mirror = await createMirror(
      { address: fake.address, now: () => WORLD_START_MS },
      // With one call at a time none is under way when another one is refused.
      { env: { ROOKERY_MIRROR_RATE: `${RATE}` }, config: { mirrorConcurrency: 1 } },
    )
    try {
      await mirror.follow('fid:1,2,3')
      await mirror.settled(heights(fake))
      const method = 'getUserNameProofsByFid'
      const before = fake.received.length
      fake.limit({ status: 8, retryAfterSeconds: 2, method })
      await mirror.app.storage.write('hub', (tx) =>
        tx.of(mirrorRows).setDue([1, 2, 3], mirror.clock.now()),
      )
      await mirror.settled(heights(fake))
      const calls = fake.received.filter(({ method: name }) => name !== 'subscribe')
      const refused = fake.received.slice(before).find((one) => one.method === method)!
      const next = calls.find(({ at }) => at > refused.at)!
      assert.ok(next.at - refused.at >= 2_000, `asked after ${next.at - refused.at} ms`)
      for (const { at } of calls) {
        const inTwoSeconds = calls.filter((one) => one.at >= at && one.at < at + 2_000)
        // The first one may have arrived later than it was sent.
        assert.ok(inTwoSeconds.length <= 2 * RATE + 1, `${inTwoSeconds.length} calls`)
      }
    } finally {
      await mirror.close()
      await fake.close()
    }
  })
})
