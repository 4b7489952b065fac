// Blocks between users: what the client platform says of them, and what the hub does about them.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startApp } from '../src/app.ts'
import { AS_DEPLOYED } from '../src/cli/as-deployed.ts'
import { readConfig } from '../src/config.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { submitMessages } from '../src/kernel/hub/submit/submit-messages.ts'
import { castAdd, linkAdd, linkRemove, userDataAdd } from '../src/kernel/protocol/build.ts'
import { encodeEnvelope, encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import { linkSlot } from '../src/kernel/protocol/kinds/link.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { rawClient } from './grpc-support.ts'
import { createWorld, enginesOf, type TestAccount, type World } from './world.ts'

const START_SECONDS = 1_767_225_600

for (const engine of enginesOf(import.meta.url)) {
  describe(`blocks on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    let users: TestAccount[]
    const user = (fid: number) => users[fid - 1]!

    before(async () => {
      world = await createWorld({ engine })
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

      test('with --as-deployed the hub ignores blocks', async () => {
        const { ROOKERY_ENFORCE_BLOCKS } = AS_DEPLOYED
        const other = await createWorld({ engine, env: { ROOKERY_ENFORCE_BLOCKS } })
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
    })

    describe('blocks by links', () => {
      const { cast, blocked } = casts(() => world)
      const link = (by: number, target: number, type = 'block') =>
        world.sign(user(by), linkAdd(world.origin(user(by)), type, target))
      const unlink = (by: number, target: number) =>
        world.sign(user(by), linkRemove(world.origin(user(by)), 'block', target))
      const outcomes = async (messages: SignedMessage[]) =>
        (await submitMessages(world.app.hub, messages)).map((one) =>
          typeof one === 'number' ? 'stored' : one.code,
        )
      const listedAt = async (blocker: number, blockedFid: number) => {
        const { result } = await list(`blockerFid=${blocker}&limit=1000`)
        const found = result.blockedUsers.filter((one: Entry) => one.blockedFid === blockedFid)
        assert.ok(found.length <= 1, 'each pair is listed once')
        return found[0]?.createdAt
      }

      test('a link of type block refuses what a block refuses, by every way into the hub', async () => {
        const [answer, mention, quote] = towards(3, new Uint8Array(20).fill(6))
        assert.equal((await cast(4, { ...answer, text: 'before' })).status, 200)
        assert.equal((await world.submit(link(3, 4))).status, 200)
        for (const what of [answer, mention, quote]) {
          assert.deepEqual(await blocked(4, what), ['bad_request.blocked', 400])
          const message = sign(world, user(4), what)
          assert.deepEqual(await outcomes([message]), ['bad_request.blocked'])
          const response = await fetch(`${world.app.urls.hub}/v1/submitBulkMessages`, {
            method: 'POST',
            headers: { 'content-type': 'application/octet-stream' },
            body: encodeList([message]) as Uint8Array<ArrayBuffer>,
          })
          // biome-ignore lint/suspicious/noExplicitAny: JSON of the hub
          const bulk = (await response.json()) as any
          assert.equal(bulk.messages[0].errCode, 'bad_request.blocked')
          const client = rawClient(world.app.urls.grpc)
          const ended = await client.call('SubmitMessage', encodeEnvelope(message))
          client.close()
          assert.equal(ended.errCode, 'bad_request.blocked')
          assert.equal((await cast(9, { ...what, text: `${what.text} of 9` })).status, 200)
        }
        assert.equal((await cast(3, towards(4, new Uint8Array(20))[1])).status, 200)
        world.clock.advance(1_000)
        assert.equal((await world.submit(unlink(3, 4))).status, 200)
        assert.equal((await cast(4, answer)).status, 200)
      })

      test('a block by a link and a reply in one batch are decided in their order', async () => {
        world.clock.advance(1_000)
        const reply = (text: string) =>
          sign(world, user(4), { ...towards(5, new Uint8Array(20).fill(7))[0], text })
        const before = [reply('a'), link(5, 4), reply('b'), link(5, 8), reply('c')]
        const refusedCode = 'bad_request.blocked'
        assert.deepEqual(await outcomes(before), [
          'stored',
          'stored',
          refusedCode,
          'stored',
          refusedCode,
        ])
        world.clock.advance(1_000)
        const after = [reply('d'), unlink(5, 4), reply('e'), link(5, 4), reply('f')]
        const [d, removed, e] = await outcomes(after)
        assert.deepEqual([d, removed, e], [refusedCode, 'stored', 'stored'])
      })

      test('links to oneself and links of other types block no one', async () => {
        assert.deepEqual(
          await outcomes([link(10, 10), link(10, 11, 'follow'), link(10, 11, 'blocks')]),
          ['stored', 'stored', 'stored'],
        )
        const [answer] = towards(10, new Uint8Array(20).fill(8))
        assert.equal((await cast(10, answer)).status, 200)
        assert.equal((await cast(11, answer)).status, 200)
        assert.deepEqual(pairs(await list('blockerFid=10')), [[10, 8]])
      })

      test('the list has blocks of both kinds, each pair once with its earlier time, and ends with its last', async () => {
        const now = () => Math.floor(world.clock.now() / 1000)
        world.clock.advance(10_000)
        const linked = now()
        assert.equal((await world.submit(link(12, 1))).status, 200)
        assert.equal(await listedAt(12, 1), linked)
        world.clock.advance(10_000)
        const called = now()
        assert.equal((await block(12, 2)).status, 200)
        assert.equal((await block(12, 1)).status, 200)
        assert.equal(await listedAt(12, 1), linked)
        world.clock.advance(10_000)
        assert.equal((await world.submit(link(12, 2))).status, 200)
        assert.equal(await listedAt(12, 2), called)
        assert.deepEqual(pairs(await list('blockerFid=12')), [
          [12, 2],
          [12, 1],
        ])
        const left = await unblock(12, 1)
        assert.deepEqual([left.body.code, left.body.field], ['bad_request.conflict', 'unblockFid'])
        assert.match(left.body.errors[0].message, /link of type "block".*LINK_REMOVE/)
        assert.equal(await listedAt(12, 1), linked)
        world.clock.advance(10_000)
        assert.equal((await world.submit(unlink(12, 1))).status, 200)
        assert.equal((await world.submit(unlink(12, 2))).status, 200)
        assert.equal(await listedAt(12, 1), undefined)
        assert.equal(await listedAt(12, 2), called)
        assert.equal((await unblock(12, 2)).status, 200)
        assert.deepEqual(pairs(await list('blockerFid=12')), [])
      })

      test('a block by a link ends when its link leaves the store', async () => {
        const messages = () => world.app.storage.messages
        assert.equal((await world.submit(link(2, 12))).status, 200)
        const [stored] = await messages().bySlots([linkSlot(2, 'block', 12)])
        await world.app.storage.write('hub', (tx) => tx.messages.remove([stored!]))
        assert.equal(await listedAt(2, 12), undefined)
      })
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
        const listed = pairs(await list('limit=1000')).map(String)
        const ofLinks = ['5,8']
        assert.deepEqual(
          exported.map(({ block }: { block: Entry }) => `${block.blockerFid},${block.blockedFid}`),
          listed.filter((pair) => !ofLinks.includes(pair)),
        )
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

test('a block through one process is enforced by another one at once', async (t) => {
  const world = await createWorld({ engine: 'postgres' })
  t.after(() => world.close())
  const second = await startApp({
    config: readConfig(world.env, 'development'),
    clock: world.clock,
    logger: createLogger({ level: 'fatal' }),
  })
  t.after(() => second.stop())
  const [blocker, other] = (await world.accounts([1, 2])) as [TestAccount, TestAccount]
  const [answer] = towards(1, new Uint8Array(20).fill(1))
  const replyAt = async (text: string) => {
    const message = sign(world, other, { ...answer, text })
    const [outcome] = await submitMessages(second.hub, [message])
    return typeof outcome === 'number' ? 'stored' : outcome!.code
  }
  assert.equal(await replyAt('not yet'), 'stored')
  for (let i = 0; i < 3; i++) {
    world.clock.advance(1_000)
    const link = world.sign(blocker, linkAdd(world.origin(blocker), 'block', 2))
    assert.equal((await world.submit(link)).status, 200)
    assert.equal(await replyAt(`link ${i}`), 'bad_request.blocked')
    world.clock.advance(1_000)
    const unlink = world.sign(blocker, linkRemove(world.origin(blocker), 'block', 2))
    assert.equal((await world.submit(unlink)).status, 200)
    assert.equal(await replyAt(`no link ${i}`), 'stored')
    const token = world.token(blocker)
    const call = (method: 'POST' | 'DELETE', body: object) =>
      world.platform('/fc/blocked-users', { method, body, token })
    assert.equal((await call('POST', { blockFid: 2 })).status, 200)
    assert.equal(await replyAt(`call ${i}`), 'bad_request.blocked')
    assert.equal((await call('DELETE', { unblockFid: 2 })).status, 200)
    assert.equal(await replyAt(`no call ${i}`), 'stored')
  }
})

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
