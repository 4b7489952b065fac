// A mirror of everybody.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { mirrorRows } from '../src/features/mirror/tables/mirror.ts'
import { sealBlock } from '../src/kernel/accounts/events.ts'
import { buildMessage, castAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { HOUR_MS, networkTime } from '../src/kernel/protocol/time.ts'
import {
  ChannelRegisterBodySchema,
  OnChainEventType,
} from '../src/kernel/protocol/wire/onchain_event_pb.js'
import { startFakeHub } from './fake-hub/fake-hub.ts'
import { createMirror, hashesOf, heights } from './mirror-support.ts'
import { until } from './until.ts'
import { DEVNET, enginesOf, WORLD_START_MS } from './world.ts'

const INVALID_ARGUMENT = 3

for (const engine of enginesOf(import.meta.url)) {
  describe(`a mirror of everybody on ${engine}`, () => {
    test('who registers while events are lost is found, and so is everybody when the first list has failed', async () => {
      const now = () => WORLD_START_MS
      const fake = await startFakeHub({ now })
      fake.account(1)
      // The first one looks for a message that says which network this is.
      fake.limit({ status: INVALID_ARGUMENT, method: 'getFids', calls: 2 })
      const env = { ROOKERY_MIRROR_SCOPE: 'all' }
      const mirror = await createMirror({ address: fake.address, now }, { engine, env })
      const fids = async () => {
        const rows = await mirror.app.storage.of(mirrorRows).fidsAfter(0, 10)
        return rows.map(({ fid, state }) => `${fid} ${state}`).join()
      }
      try {
        fake.startBlocks(250)
        await until(async () => {
          const { body } = await mirror.operate('/mirror/rules')
          return typeof body.rules[0]?.error === 'string'
        })
        assert.equal(await fids(), '')
        mirror.clock.advance(2 * HOUR_MS)
        await until(async () => (await fids()) === '1 live')
        fake.silent('streams')
        fake.account(2)
        fake.commitAll()
        fake.pruneLog(1_000_000)
        fake.heal()
        fake.reset()
        await until(async () => (await fids()) === '1 live,2 live')
        // A mirror of chosen people keeps those of everybody whom a rule names.
        await mirror.restart({ ROOKERY_MIRROR_SCOPE: 'chosen' })
        await mirror.follow('fid:2')
        await until(async () => {
          mirror.clock.advance(2 * HOUR_MS)
          return (await fids()) === '1 frozen,2 live'
        })
      } finally {
        await mirror.close()
        await fake.close()
      }
    })

    test('who registers later is read too, and an event that is of nobody adds nobody', async () => {
      const now = () => WORLD_START_MS
      const fake = await startFakeHub({ now })
      fake.account(1)
      const env = { ROOKERY_MIRROR_SCOPE: 'all' }
      const mirror = await createMirror({ address: fake.address, now }, { engine, env })
      try {
        fake.startBlocks(250)
        await mirror.settled(heights(fake))
        const { fid, seed } = fake.account(2)
        const timestamp = networkTime(WORLD_START_MS) - 10
        const cast = buildMessage(
          castAdd({ fid, timestamp, network: DEVNET }, { text: 'new' }),
          seed,
        )
        fake.merge(cast)
        // Channels are registered on a chain of their own, by nobody's fid.
        const value = create(ChannelRegisterBodySchema, {
          channelKey: 'birds',
          eventType: 1,
          ownerAddress: new Uint8Array(20).fill(1),
        })
        const body = { case: 'channelRegisterEventBody', value } as const
        const type = OnChainEventType.EVENT_TYPE_CHANNEL_REGISTER
        const place = { chainId: 8453, blockNumber: 1, timestamp: WORLD_START_MS / 1_000 }
        fake.chainEvents(...sealBlock([{ type, fid: 0, body }], place))
        fake.commitAll()
        await mirror.settled(heights(fake))
        assert.deepEqual(await hashesOf(mirror.app.storage, [1, 2]), {
          '2 casts': [toHex(cast.hash)],
        })
        const { people } = await mirror.status()
        assert.deepEqual([people.live, people.waiting, people.differ], [2, 0, 0])
        assert.deepEqual(await mirror.app.storage.of(mirrorRows).fids([0]), [])
      } finally {
        await mirror.close()
        await fake.close()
      }
    })
  })
}
