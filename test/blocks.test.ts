// Blocks between users: what the client platform says of them, and what the hub does about them.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { submitMessages } from '../src/hub/submit-messages.ts'
import { castAdd, userDataAdd } from '../src/protocol/build.ts'
import { UserDataType } from '../src/protocol/wire/message_pb.js'
import { createWorld, ENGINES, type TestAccount, type World } from './world.ts'

const REFUSED = { ROOKERY_ENFORCE_BLOCKS: 'true' }
const START_SECONDS = 1_767_225_600

for (const engine of ENGINES) {
  describe(`blocks on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    let users: TestAccount[]
    const user = (fid: number) => users[fid - 1]!

    before(async () => {
      world = await createWorld({ engine, env: REFUSED })
      users = await world.accounts(Array.from({ length: 12 }, (_, i) => i + 1))
    })
    after(() => world.close())

    const block = (by: number, blockFid: unknown, body: object = { blockFid }) =>
      world.platform('/fc/blocked-users', { method: 'POST', body, token: world.token(user(by)) })
    const unblock = (by: number, unblockFid: unknown) =>
      world.platform('/fc/blocked-users', {
        method: 'DELETE',
        body: { unblockFid },
        token: world.token(user(by)),
      })
    const list = async (query = '', path = '/fc/blocked-users') => {
      const { status, body } = await world.platform(`${path}?${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }
    const pairs = (body: { result: { blockedUsers: Entry[] } }) =>
      body.result.blockedUsers.map((one) => [one.blockerFid, one.blockedFid])

    test('a new user has blocked no users, and the list has one page', async () => {
      assert.deepEqual(await list(), { result: { blockedUsers: [] } })
    })

    test('a block is listed at both paths with its time', async () => {
      assert.deepEqual((await block(1, 2)).body, { result: { success: true } })
      const blocked = { blockerFid: 1, blockedFid: 2, createdAt: START_SECONDS }
      for (const path of ['/v1/blocked-users', '/fc/blocked-users']) {
        assert.deepEqual(await list('', path), { result: { blockedUsers: [blocked] } })
      }
    })

    test('blocking a blocked user again changes nothing, not even the time', async () => {
      world.clock.advance(5_000)
      assert.equal((await block(1, 2)).status, 200)
      assert.equal((await list()).result.blockedUsers[0].createdAt, START_SECONDS)
    })

    test('blocks are listed newest first, and by fid within a second', async () => {
      for (const [by, blocked] of [
        [3, 1],
        [1, 4],
        [1, 3],
      ] as const)
        await block(by, blocked)
      world.clock.advance(1_000)
      await block(2, 1)
      assert.deepEqual(pairs(await list()), [
        [2, 1],
        [1, 3],
        [1, 4],
        [3, 1],
        [1, 2],
      ])
      assert.deepEqual(pairs(await list('blockerFid=1')), [
        [1, 3],
        [1, 4],
        [1, 2],
      ])
      assert.deepEqual(await list('blockerFid=4000'), { result: { blockedUsers: [] } })
    })

    test('pages list each block once, and the last page has no cursor', async () => {
      for (const [query, count] of [
        ['', 5],
        ['blockerFid=1&', 3],
      ] as const) {
        for (let size = 1; size <= count + 1; size++) {
          const all: number[][] = []
          let cursor = ''
          for (let pages = 1; ; pages++) {
            const page = await list(`${query}limit=${size}${cursor}`)
            all.push(...pairs(page))
            assert.equal(pages, Math.ceil(all.length / size))
            if (!page.next) break
            cursor = `&cursor=${page.next.cursor}`
          }
          assert.deepEqual(all, pairs(await list(query)), `pages of ${size}`)
        }
      }
    })

    test('blocks that stay are neither skipped nor repeated while others change', async () => {
      const first = await list('limit=2')
      world.clock.advance(1_000)
      await block(5, 6)
      await unblock(1, 3)
      const rest = await list(`cursor=${first.next.cursor}`)
      assert.deepEqual(pairs(rest), [
        [1, 4],
        [3, 1],
        [1, 2],
      ])
      await unblock(5, 6)
    })

    test('unblocking a user who is not blocked changes nothing', async () => {
      for (let i = 0; i < 2; i++) {
        assert.deepEqual((await unblock(1, 4)).body, { result: { success: true } })
      }
      assert.deepEqual(pairs(await list('blockerFid=1')), [[1, 2]])
      assert.equal((await unblock(1, 999_999)).status, 200)
    })

    test('an invalid block is refused with the name of the field', async () => {
      const cases = [
        [await block(1, 1), 400, 'users cannot block themselves', 'blockFid'],
        [await block(1, 999_999), 404, 'FID 999999 does not exist', 'blockFid'],
        [await block(1, '2'), 400, 'must be integer', 'blockFid'],
        [await block(1, 0), 400, 'must be >= 1', 'blockFid'],
        [await block(1, 2, {}), 400, "must have required property 'blockFid'", 'blockFid'],
        [await unblock(1, 2 ** 32), 400, `must be <= ${2 ** 32 - 1}`, 'unblockFid'],
      ] as const
      for (const [{ status, body }, expected, message, field] of cases) {
        assert.equal(status, expected)
        assert.deepEqual([body.errors[0].message, body.field], [message, field])
      }
      assert.equal((await block(1, 2, { blockFid: 2, publicKey: 'more' })).status, 200)
    })

    test('blocking requires a token of the user', async () => {
      const { status, body } = await world.platform('/fc/blocked-users', {
        method: 'POST',
        body: { blockFid: 2 },
      })
      assert.deepEqual([status, body.errors[0].reason], [401, 'invalid_auth_token'])
    })

    test('an unchanged list of blocks is answered with 304', async () => {
      const first = await world.platform('/fc/blocked-users')
      const etag = first.headers.get('etag')
      assert.match(etag!, /^W\/"[\w-]+"$/)
      const again = () =>
        fetch(`${world.app.urls.platform}/fc/blocked-users`, {
          headers: { 'if-none-match': etag! },
        })
      assert.equal((await again()).status, 304)
      await block(6, 5)
      assert.equal((await again()).status, 200)
      await unblock(6, 5)
    })

    test('invalid limits and cursors are refused', async () => {
      const refused = { limit: ['0', '1001', '-1', 'x', '1.5'], cursor: ['x', 'bnVsbA', 'W10'] }
      for (const [name, values] of Object.entries(refused)) {
        for (const value of values) {
          const { status, body } = await world.platform(`/fc/blocked-users?${name}=${value}`)
          assert.deepEqual([status, body.errors[0].instancePath], [400, `/${name}`], value)
        }
      }
      assert.equal((await world.platform('/v1/blocked-users?blockerFid=abc')).status, 400)
    })

    describe('blocks that the hub enforces', () => {
      const { cast, blocked } = casts(() => world)

      test('a blocked user cannot reply to, mention or quote the blocker, and other users can', async () => {
        const said = await cast(7, { text: 'mine' })
        const [answer, mention, quote] = towards(7, said.hash)
        assert.equal((await block(7, 8)).status, 200)
        for (const what of [answer, mention, quote]) {
          assert.deepEqual(await blocked(8, what), ['bad_request.blocked', 400])
          assert.equal((await cast(9, what)).status, 200)
          // A block has a direction.
          assert.equal((await cast(7, { ...what, text: `${what.text} of my own` })).status, 200)
        }
        assert.equal((await cast(8, { text: 'about something else' })).status, 200)
      })

      test('a message that a block forbids does not affect the others of its batch', async () => {
        const [answer] = towards(7, new Uint8Array(20).fill(1))
        const messages = [
          ...['a', 'b'].map((text) => sign(world, user(9), { text })),
          sign(world, user(8), answer),
          world.sign(
            user(8),
            userDataAdd(world.origin(user(8)), UserDataType.USER_DATA_TYPE_BIO, 'still here'),
          ),
          sign(world, user(9), { ...answer, text: 'in the same batch' }),
        ]
        const answers = await submitMessages(world.app.hub, messages)
        assert.deepEqual(
          answers.map((one) => (typeof one === 'number' ? undefined : one.code)),
          [undefined, undefined, 'bad_request.blocked', undefined, undefined],
        )
      })

      test('a message that a block forbids is still valid by the protocol', async () => {
        const [answer] = towards(7, new Uint8Array(20).fill(2))
        const { body } = await world.validate(sign(world, user(8), answer))
        assert.equal(body.valid, true)
      })

      test('messages stored before a block stay, and are reported as duplicates', async () => {
        const [answer] = towards(10, new Uint8Array(20).fill(3))
        const message = sign(world, user(8), answer)
        assert.equal((await world.submit(message)).status, 200)
        await block(10, 8)
        assert.equal((await world.submit(message)).body.errCode, 'bad_request.duplicate')
        const hash = Buffer.from(message.hash).toString('hex')
        assert.equal((await world.get(`/v1/castById?fid=8&hash=0x${hash}`)).status, 200)
      })

      test('messages of an unblocked user are accepted at once', async () => {
        const [answer] = towards(7, new Uint8Array(20).fill(4))
        for (let i = 0; i < 5; i++) {
          const next = { ...answer, text: `and now, ${i}?` }
          assert.equal((await unblock(7, 8)).status, 200)
          assert.equal((await cast(8, next)).status, 200)
          assert.equal((await block(7, 8)).status, 200)
          assert.deepEqual(await blocked(8, { ...answer, text: `not ${i}` }), [
            'bad_request.blocked',
            400,
          ])
        }
      })

      test('without the setting the hub ignores blocks', async () => {
        const other = await createWorld({ engine })
        const { cast } = casts(() => other)
        await other.accounts([1, 2])
        await other.platform('/fc/blocked-users', {
          body: { blockFid: 2 },
          token: other.token(user(1)),
        })
        const [answer] = towards(1, new Uint8Array(20).fill(5))
        assert.equal((await cast(2, answer)).status, 200)
        await other.close()
      })

      function casts(worldOf: () => World) {
        const cast = async (by: number, init: CastInit) => {
          const message = sign(worldOf(), user(by), init)
          return { ...(await worldOf().submit(message)), hash: message.hash }
        }
        const blocked = async (by: number, init: CastInit) => {
          const { status, body } = await cast(by, init)
          return [body.errCode, status]
        }
        return { cast, blocked }
      }
    })

    describe('exported and imported blocks', () => {
      test('imported blocks keep their times, are imported once, and may name future accounts', async () => {
        const lines = [
          { block: { blockerFid: 11, blockedFid: 12, createdAt: 7 } },
          { block: { blockerFid: 500_000, blockedFid: 12, createdAt: 8 } },
        ]
        const take = () => world.operate('/platform/blocks/import', { body: { lines } })
        assert.deepEqual((await take()).body, { result: { blocks: 2 } })
        assert.deepEqual((await take()).body, { result: { blocks: 0 } })
        const exported = (await world.operate('/platform/blocks/export')).body.result.lines
        assert.deepEqual(exported.slice(-2), lines.toReversed())
        assert.equal(exported.length, (await list('limit=1000')).result.blockedUsers.length)
      })

      test('a batch of blocks with a faulty line is refused, and the error names the line', async () => {
        const good = { blockerFid: 11, blockedFid: 2, createdAt: 9 }
        for (const [block, field] of [
          [{ ...good, blockedFid: 11 }, 'lines.1.block.blockedFid'],
          [{ ...good, createdAt: -1 }, 'lines.1.block.createdAt'],
          [{ blockerFid: 11 }, 'lines.1.block.blockedFid'],
        ] as const) {
          const { status, body } = await world.operate('/platform/blocks/import', {
            body: { lines: [{ block: good }, { block }] },
          })
          assert.deepEqual([status, body.field], [400, field])
        }
        assert.deepEqual(pairs(await list('blockerFid=11')), [[11, 12]])
      })
    })
  })
}

type Entry = { blockerFid: number; blockedFid: number; createdAt: number }
type CastInit = Exclude<Parameters<typeof castAdd>[1], string>

const sign = (world: World, account: TestAccount, init: CastInit) =>
  world.sign(account, castAdd(world.origin(account), init))

/** What a block prevents: a reply, a mention and a quote. */
function towards(fid: number, hash: Uint8Array): [CastInit, CastInit, CastInit] {
  const castId = { fid: BigInt(fid), hash }
  return [
    { text: 'answer', parent: { case: 'parentCastId', value: castId } },
    { text: 'mention ', mentions: [BigInt(fid)], mentionsPositions: [8] },
    { text: 'quote', embeds: [{ embed: { case: 'castId', value: castId } }] },
  ]
}
