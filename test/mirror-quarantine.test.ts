// Messages of the source that are not stored, and what has them tried again.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { mirrorRows } from '../src/features/mirror/tables/mirror.ts'
import { castAdd, type DataInit } from '../src/kernel/protocol/build.ts'
import { ChannelPinBodySchema, MessageType } from '../src/kernel/protocol/wire/message_pb.js'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import { Author } from './mirror-authors.ts'
import { createMirror, heights, type MirrorWorld } from './mirror-support.ts'
import { until } from './until.ts'
import { enginesOf, WORLD_START_MS } from './world.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`the quarantine of a mirror on ${engine}`, () => {
    let fake: FakeHub
    let mirror: MirrorWorld
    let author: Author
    before(async () => {
      fake = await startFakeHub({ now: () => WORLD_START_MS })
      author = new Author(fake.account(1))
      fake.account(2)
      mirror = await createMirror({ address: fake.address, now: () => WORLD_START_MS }, { engine })
      await mirror.follow('fid:1,2')
      fake.startBlocks(250)
      await mirror.settled(heights(fake))
    })
    after(async () => {
      await mirror.close()
      await fake.close()
    })

    const quarantined = () => mirror.app.storage.of(mirrorRows).quarantineOf(1, 10)
    const reasons = async () => (await quarantined()).map(({ reason }) => reason).sort()
    const asksOf = async () =>
      (await mirror.app.storage.of(mirrorRows).fidsAfter(0, 10)).map(({ asks }) => asks)
    const REFUSED = ['rule bad_request.validation_failure', 'unsupported_kind']

    test('a message of a kind that no list has stays in quarantine when its author is compared', async () => {
      fake.merge(
        author.sign((origin) => castAdd(origin, { text: 'x'.repeat(2_000) })),
        author.sign(channelPin),
      )
      await until(async () => (await quarantined()).length === 2)
      assert.deepEqual(await reasons(), REFUSED)
      const retried = await mirror.operate('/mirror/quarantine/retry', { body: {} })
      assert.equal(retried.body.people, 1)
      await mirror.settled(heights(fake))
      assert.deepEqual(await reasons(), REFUSED)
    })

    test('a new version of the program tries again what a rule refused and what was not supported', async () => {
      const before = await asksOf()
      await mirror.restart()
      await mirror.settled(heights(fake))
      assert.deepEqual(await asksOf(), before, 'the same version decides the same')
      const tries = (await quarantined()).map((row) => row.tries)
      await mirror.app.storage.write('hub', async (tx) => {
        await tx
          .of(mirrorRows)
          .putSource({ ...(await tx.of(mirrorRows).source())!, program: '0.0.1' })
      })
      await mirror.restart()
      await mirror.settled(heights(fake))
      // Each of the two reasons asks for the person.
      assert.deepEqual(await asksOf(), [before[0]! + 2, before[1]])
      assert.deepEqual(
        (await quarantined()).map((row) => row.tries),
        tries.map((n) => n + 1),
      )
      const source = await mirror.app.storage.of(mirrorRows).source()
      assert.notEqual(source!.program, '0.0.1')
    })
  })
}

const channelPin = (origin: Parameters<typeof castAdd>[0]): DataInit => ({
  ...castAdd(origin, { text: '' }),
  type: MessageType.CHANNEL_PIN,
  body: { case: 'channelPinBody', value: create(ChannelPinBodySchema) },
})
