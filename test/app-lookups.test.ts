// Reads that are computed from what is stored, by the stock client: interactions, friends, counts over time, places.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { CastIdSchema, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { bytesOfHash, createNetwork, type Network, profile } from './app-api-support.ts'
import { enginesOf, type TestAccount } from './world.ts'

const { USER_DATA_TYPE_TWITTER, USER_DATA_TYPE_LOCATION } = UserDataType

for (const engine of enginesOf(import.meta.url)) {
  describe(`look-ups of the app API on ${engine}`, { concurrency: 1 }, () => {
    let net: Network
    let people: TestAccount[]

    before(async () => {
      net = await createNetwork(engine, [2, 3, 4, 5, 6])
      people = [...net.accounts]
    })
    after(() => net.world.close())

    it('interactions are what two users did to each other, and nobody else', async () => {
      const [two, three, four] = people as [TestAccount, TestAccount, TestAccount]
      const byTwo = await net.cast(two, { text: 'from two' })
      const byThree = await net.cast(three, { text: 'from three' })
      await net.like(three, 2, byTwo)
      await net.like(four, 2, byTwo)
      await net.recast(two, 3, byThree)
      await net.follow(two, 3)
      await net.cast(three, { text: 'for you', mentions: [2n], mentionsPositions: [0] })
      await net.indexed()
      const { interactions } = await net.client.fetchUserInteractions({ fids: [2, 3] })
      assert.deepEqual(
        interactions.map(({ type }) => type),
        ['mention', 'follows', 'recasts', 'likes'],
      )
      const likes = interactions.at(-1)!
      assert.deepEqual([likes.count, likes.reactions!.map(({ user }) => user.fid)], [1, [3]])
      const some = await net.client.fetchUserInteractions({
        fids: [3, 2],
        type: ['likes', 'follows'] as never,
      })
      assert.deepEqual(
        some.interactions.map(({ type }) => type),
        ['follows', 'likes'],
      )
      const none = await net.client.fetchUserInteractions({ fids: [5, 6] })
      assert.deepEqual(none.interactions, [])
    })

    it('best friends are ranked by what both did, and walked by pages', async () => {
      const [two, , four] = people as [TestAccount, TestAccount, TestAccount]
      // So far 2 has recast 3 (2 points), and 3 has liked and mentioned 2 (4 points); 4 has liked 2 without an answer.
      const friends = await net.client.getUserBestFriends({ fid: 2 })
      assert.deepEqual(friends.users, [{ fid: 3, username: '!3', mutual_affinity_score: 2 }])
      const byFour = await net.cast(four, { text: 'from four' })
      await net.cast(two, {
        text: 'yes',
        parent: {
          case: 'parentCastId',
          value: create(CastIdSchema, { fid: 4n, hash: bytesOfHash(byFour) }),
        },
      })
      await net.cast(four, { text: 'hello', mentions: [2n], mentionsPositions: [0] })
      await net.indexed()
      const first = await net.client.getUserBestFriends({ fid: 2, limit: 1 })
      assert.deepEqual(first.users, [{ fid: 4, username: '!4', mutual_affinity_score: 3 }])
      const second = await net.client.getUserBestFriends({
        fid: 2,
        limit: 1,
        cursor: first.next!.cursor!,
      })
      assert.deepEqual([second.users[0]!.fid, second.next!.cursor], [3, null])
    })

    it('casts with a word are counted in parts of an interval', async () => {
      const [two, three] = people as [TestAccount, TestAccount]
      const HOUR_MS = 3_600_000
      for (const [account, hours] of [
        [two, 5],
        [two, 0],
        [three, 0],
      ] as const) {
        net.world.clock.advance(hours * HOUR_MS)
        await net.cast(account, { text: 'a curlew again' })
      }
      net.world.clock.advance(2.5 * HOUR_MS)
      await net.indexed()
      const count = async (options: object) => {
        const { metrics } = await net.client.fetchCastMetrics({ q: 'curlew', ...options })
        const counts = metrics.map(({ cast_count }) => cast_count)
        return [metrics.length, metrics[0]!.resolution_in_seconds, counts.reduce((a, b) => a + b)]
      }
      assert.deepEqual(await count({ interval: '1d' }), [24, 3_600, 3])
      assert.deepEqual(await count({}), [30, 86_400, 3])
      assert.deepEqual(await count({ interval: '180d' }), [30, 6 * 86_400, 3])
      assert.deepEqual(await count({ authorFid: 3 }), [30, 86_400, 1])
      assert.deepEqual(await count({ q: '"curlew again"' }), [30, 86_400, 3])
      assert.deepEqual(await count({ q: '"again curlew"' }), [30, 86_400, 0])
      assert.deepEqual(await count({ channelId: 'none' }), [30, 86_400, 0])
      const { metrics } = await net.client.fetchCastMetrics({
        q: 'curlew',
        interval: '1d' as never,
      })
      const parts = metrics.flatMap(({ cast_count }, i) => (cast_count ? [[i, cast_count]] : []))
      assert.deepEqual(parts, [[21, 3]])
    })

    it('users are found by an account at X, and near a place, the nearest first', async () => {
      const [two, three, four, five] = people as [
        TestAccount,
        TestAccount,
        TestAccount,
        TestAccount,
      ]
      await profile(net, two, USER_DATA_TYPE_TWITTER, 'grey_heron')
      await profile(net, three, USER_DATA_TYPE_TWITTER, 'grey')
      await net.indexed()
      const named = async (xUsername: string) =>
        (await net.client.lookupUsersByXUsername({ xUsername })).users.map(({ fid }) => fid)
      assert.deepEqual(await named('grey_heron'), [2])
      assert.deepEqual(await named('@Grey_Heron'), [2])
      assert.deepEqual(await named('grey'), [3])
      assert.deepEqual(await named('heron'), [])
      await profile(net, two, USER_DATA_TYPE_TWITTER, '')
      await net.indexed()
      assert.deepEqual(await named('grey_heron'), [])

      await profile(net, two, USER_DATA_TYPE_LOCATION, 'geo:51.50,-0.10')
      await profile(net, three, USER_DATA_TYPE_LOCATION, 'geo:51.99,0.60')
      await profile(net, four, USER_DATA_TYPE_LOCATION, 'geo:-17.80,179.95')
      await profile(net, five, USER_DATA_TYPE_LOCATION, 'geo:53.40,-2.90')
      await net.indexed()
      const near = async (latitude: number, longitude: number, limit = 25) => {
        const fids: number[] = []
        for (let cursor: string | null | undefined; ; ) {
          const page = await net.client.fetchUsersByLocation({
            latitude,
            longitude,
            limit,
            ...(cursor && { cursor }),
          })
          fids.push(...page.users.map(({ fid }) => fid))
          cursor = page.next.cursor
          if (!cursor) return fids
        }
      }
      assert.deepEqual(await near(51.51, 0), [2, 3])
      assert.deepEqual(await near(51.98, 0.5, 1), [3, 2])
      // Across the 180th meridian.
      assert.deepEqual(await near(-17.8, -179.9), [4])
      assert.deepEqual(await near(0, 0), [])
    })
  })
}
