import { channelRows } from '../src/features/channels/tables/channels.ts'
// Channels over HTTP, field by field: what they say of themselves, who follows them, who may do what.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { buildMessage, castRemove, linkAdd, linkRemove } from '../src/kernel/protocol/build.ts'
import {
  type ChannelClient,
  channelClient,
  refused,
  resultOf,
  succeeded,
} from './channels-support.ts'
import { createWorld, enginesOf, type TestAccount, WORLD_START_MS, type World } from './world.ts'

const CHANNELS_EACH = 40

for (const engine of enginesOf(import.meta.url)) {
  describe(`channels on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    let client: ChannelClient
    let people: TestAccount[]
    before(async () => {
      const env = { ROOKERY_CHANNELS_PER_FID: String(CHANNELS_EACH) }
      world = await createWorld({ engine, env })
      client = channelClient(world)
      people = await world.accounts(Array.from({ length: 30 }, (_, i) => i + 1))
    })
    after(() => world.close())
    const person = (fid: number) => people[fid - 1]!
    const now = () => Math.floor(world.clock.now() / 1000)
    const later = (seconds = 1) => {
      world.clock.advance(seconds * 1000)
      return now()
    }
    const channel = async (id: string) =>
      (await client.result(`/v1/channel?channelId=${id}`)).channel
    const ofLater = <T>(list: readonly T[]) => list.slice(-1)[0]
    /** An account that is a member. */
    const join = async (owner: TestAccount, id: string, fid: number) => {
      succeeded(await client.follow(person(fid), id))
      succeeded(await client.invite(owner, id, fid))
      succeeded(await client.answer(person(fid), id))
    }
    const appoint = async (owner: TestAccount, id: string, fid: number) => {
      await join(owner, id, fid)
      succeeded(await client.invite(owner, id, fid, 'moderator'))
      succeeded(await client.answer(person(fid), id, 'moderator'))
    }

    describe('reading channels', () => {
      test('a new channel has the fields of its creation and no others', async () => {
        const plain = await client.create(person(1), 'plain')
        const expected = {
          id: 'plain',
          url: 'https://farcaster.xyz/~/channel/plain',
          name: 'plain',
          description: '',
          imageUrl: '',
          leadFid: 1,
          createdAt: WORLD_START_MS / 1000,
          followerCount: 0,
          memberCount: 1,
          publicCasting: true,
        }
        assert.deepEqual(plain, expected)
        assert.deepEqual(await client.result('/v1/channel?channelId=plain'), { channel: expected })
        later()
        const given = {
          name: 'Ünï 🐦',
          description: 'two\nlines "quoted" \\ {null}',
          url: 'chain://eip155:1/erc721:0x0000000000000000000000000000000000000001',
          imageUrl: 'https://example.org/a.png',
          headerImageUrl: 'https://example.org/b.png',
          externalLink: { title: 'More', url: 'https://example.org/' },
          publicCasting: false,
        }
        const full = await client.create(person(2), '0-full', given)
        const rest = { leadFid: 2, createdAt: now(), followerCount: 0, memberCount: 1 }
        assert.deepEqual(full, { id: '0-full', ...given, ...rest })
        assert.deepEqual(await client.result('/v2/all-channels'), { channels: [expected, full] })
      })

      test('the error for an unknown channel or user names it', async () => {
        const unknown = 'Channel nope does not exist'
        for (const path of ['channel', 'channel-followers', 'user-channel']) {
          refused(await client.get(`/v1/${path}?channelId=nope&fid=1`), 404, unknown)
          refused(await client.get(`/v1/${path}?channelId=%00a_b&fid=1`), 404, /does not exist/)
          const missing = await client.get(`/v1/${path}?fid=1`)
          assert.equal(missing.status, 400)
          const { instancePath, keyword, params, message } = missing.body.errors[0]
          assert.deepEqual(
            [instancePath, keyword, params, message],
            [
              '',
              'required',
              { missingProperty: 'channelId' },
              "must have required property 'channelId'",
            ],
          )
        }
        refused(await client.get('/fc/channel-members?channelId=nope'), 404, unknown)
        assert.deepEqual((await client.get('/v1/user-following-channels?fid=999')).body, {
          result: { channels: [] },
        })
        assert.deepEqual((await client.get('/v1/user-channel?fid=999&channelId=plain')).body, {
          result: { following: false },
        })
        for (const [list, key] of [
          ['channel-invites', 'invites'],
          ['channel-restricted-users', 'restrictedUsers'],
          ['channel-bans', 'bannedUsers'],
          ['moderated-casts', 'moderationActions'],
        ] as const) {
          const { body } = await client.get(`/fc/${list}?channelId=nope`)
          assert.deepEqual(body, { result: { [key]: [] } })
        }
      })

      test('invalid parameters of channel reads are refused in the deployed wording', async () => {
        const faults: [path: string, instancePath: string, keyword: string, message: string][] = [
          ['/v1/channel-followers?channelId=plain&limit=0', '/limit', 'minimum', 'must be >= 1'],
          ['/v1/channel-followers?channelId=plain&limit=-1', '/limit', 'minimum', 'must be >= 1'],
          [
            '/v1/channel-followers?channelId=plain&limit=1001',
            '/limit',
            'maximum',
            'must be <= 1000',
          ],
          ['/v1/user-following-channels?fid=1&limit=101', '/limit', 'maximum', 'must be <= 100'],
          ['/v1/user-following-channels?fid=abc', '/fid', 'type', 'must be number'],
          ['/v1/user-channel?channelId=plain&fid=abc', '/fid', 'type', 'must be number'],
          ['/fc/channel-members?channelId=plain&fid=abc', '/fid', 'type', 'must be integer'],
          ['/fc/channel-members?channelId=plain&fid=0', '/fid', 'minimum', 'must be >= 1'],
          [
            '/fc/channel-members?channelId=-plain',
            '/channelId',
            'pattern',
            'must match pattern "^[0-9A-Za-z][0-9A-Za-z-]{0,15}$"',
          ],
          ['/fc/channel-bans?cursor=x', '/cursor', 'format', 'must be a cursor of this list'],
          ['/fc/channel-invites?limit=1001', '/limit', 'maximum', 'must be <= 1000'],
          ['/fc/moderated-casts?limit=x', '/limit', 'type', 'must be integer'],
        ]
        for (const [path, ...expected] of faults) {
          const { status, body } = await client.get(path)
          assert.equal(status, 400, path)
          const [{ instancePath, keyword, message, schemaPath, params }] = body.errors
          assert.deepEqual([instancePath, keyword, message], expected, path)
          assert.equal(typeof schemaPath, 'string')
          assert.equal(typeof params, 'object')
        }
        // A number that is no fid matches no account.
        for (const fid of ['0', '-5', '1.5', '1e40']) {
          const { body } = await client.get(`/v1/user-following-channels?fid=${fid}`)
          assert.deepEqual(body, { result: { channels: [] } })
        }
      })

      test('all channels are listed by createdAt and id, with an ETag that changes with any channel', async () => {
        later()
        await client.create(person(1), 'etag-b')
        await client.create(person(1), 'etag-a')
        const ask = (etag?: string) =>
          fetch(`${world.app.urls.platform}/v2/all-channels`, {
            headers: etag === undefined ? {} : { 'if-none-match': etag },
          })
        let etag = ''
        const changed = async (what: string) => {
          const response = await ask(etag)
          assert.equal(response.status, 200, what)
          assert.notEqual(response.headers.get('etag'), etag, what)
          etag = response.headers.get('etag')!
          assert.match(etag, /^W\/"/)
          assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
          const { result } = (await response.json()) as { result: { channels: { id: string }[] } }
          for (const one of result.channels) assert.deepEqual(one, await channel(one.id), what)
          return result.channels.map(({ id }) => id)
        }
        const unchanged = async (what: string) => {
          const response = await ask(etag)
          assert.equal(response.status, 304, what)
          assert.equal(await response.text(), '')
          assert.equal(response.headers.get('etag'), etag)
        }
        assert.deepEqual((await changed('first')).slice(-2), ['etag-a', 'etag-b'])
        await unchanged('nothing')
        succeeded(await client.follow(person(3), 'etag-a'))
        await changed('a follow')
        succeeded(await client.follow(person(3), 'etag-a'))
        await unchanged('a repeated follow')
        succeeded(await client.unfollow(person(3), 'etag-a'))
        await changed('an unfollow')
        await client.call(person(1), 'PATCH', '/fc/channels', { channelId: 'etag-a', name: 'New' })
        await changed('an edit')
        await client.call(person(1), 'PATCH', '/fc/channels', { channelId: 'etag-a', name: 'New' })
        await unchanged('the same edit')
        await appoint(person(1), 'etag-b', 4)
        await changed('a moderator')
        const cast = await client.cast(person(4), 'pinned', (await channel('etag-b')).url)
        await client.call(person(4), 'PUT', '/fc/pinned-casts', { castHash: client.hashOf(cast) })
        await changed('a pin')
        await client.create(person(5), 'etag-c')
        assert.equal(ofLater(await changed('a channel')), 'etag-c')
        const head = await fetch(`${world.app.urls.platform}/v2/all-channels`, { method: 'HEAD' })
        assert.deepEqual([head.status, head.headers.get('etag')], [200, etag])
        assert.equal(await head.text(), '')
        const whole = await ask()
        const { length } = await whole.bytes()
        assert.equal(whole.headers.get('content-length'), String(length))
      })
    })

    test('answers about channels have the headers that browser apps read', async () => {
      const { headers } = await world.platform('/v1/channel?channelId=plain', {
        headers: { origin: 'https://app.example.org' },
      })
      assert.equal(headers.get('access-control-allow-origin'), '*')
      const exposed = headers.get('access-control-expose-headers')!.split(', ')
      const limits = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
      for (const name of [...limits, 'x-request-id']) {
        assert.ok(exposed.includes(name) && headers.has(name), name)
      }
      assert.ok(exposed.includes('etag'))
      assert.deepEqual(
        limits.map((name) => headers.get(name)),
        ['2500', '2500', '10'],
      )
    })

    describe('creating channels', () => {
      const create = (fid: number, body: object) =>
        client.call(person(fid), 'POST', '/fc/channels', body)

      test('a new channel needs a valid id and visible texts', async () => {
        const urls = { imageUrl: 'https://e.org/i', headerImageUrl: 'http://e.org' }
        for (const id of ['a', '0', 'a-', 'x'.repeat(16), '0-9-z']) {
          await client.create(person(6), id, urls)
        }
        for (const id of ['', '-a', 'A', 'a_b', 'x'.repeat(17), 'ä', 'a b', 5, null, undefined]) {
          assert.equal((await create(6, { channelId: id })).status, 400, String(id))
        }
        const bad: [string, unknown][] = [
          ['name', ''],
          ['name', 'x'.repeat(33)],
          ['name', 'a\u0000'],
          ['name', 'a\nb'],
          ['name', '\ud800'],
          ['name', null],
          ['description', 'x'.repeat(1_001)],
          ['description', '\u0007'],
          ['imageUrl', 'javascript:alert(1)'],
          ['imageUrl', 'no url'],
          ['imageUrl', `https://example.org/${'x'.repeat(512)}`],
          ['headerImageUrl', 'data:text/html,x'],
          ['headerImageUrl', ''],
          ['externalLink', { title: '', url: 'https://example.org' }],
          ['externalLink', { title: 'x', url: 'ftp://example.org' }],
          ['externalLink', 'https://example.org'],
          ['url', ''],
          ['url', '\u0000'],
          ['url', 'ü'.repeat(129)],
          ['url', 'https://farcaster.xyz/~/channel/another'],
          ['publicCasting', 'true'],
        ]
        for (const [field, value] of bad) {
          const answer = await create(6, { channelId: 'bad', [field]: value })
          assert.equal(answer.status, 400, `${field} ${JSON.stringify(value)}`)
          assert.equal(answer.body.field.split('.')[0], field)
        }
        refused(await client.get('/v1/channel?channelId=bad'), 404, /does not exist/)
      })

      test('a channel needs a unique id and URL, and a repeated creation gets the same answer', async () => {
        const body = { channelId: 'mine', url: 'https://ethereum.example', extra: 1 }
        const first = await client.create(person(7), 'mine', body)
        later()
        assert.deepEqual(await client.create(person(7), 'mine', body), first)
        refused(await create(8, body), 400, 'Channel mine exists already')
        refused(await create(7, { ...body, name: 'other' }), 400, 'Channel mine exists already')
        const taken = 'url https://ethereum.example is that of channel mine'
        refused(await create(8, { ...body, channelId: 'yours' }), 400, taken)
      })

      test("creating a channel requires the owner's token, and an owner may create a bounded number", async () => {
        const body = { channelId: 'tokenless' }
        const anonymous = await world.platform('/fc/channels', { method: 'POST', body })
        refused(anonymous, 401, /token/)
        assert.equal(anonymous.body.errors[0].reason, 'invalid_auth_token')
        for (let i = 0; i < CHANNELS_EACH; i++) await client.create(person(9), `many-${i}`)
        refused(await create(9, { channelId: 'one-more' }), 403, /has created 40 channels/)
        // Handing one over gives no room for another.
        resultOf(
          await client.call(person(9), 'PATCH', '/fc/channels', {
            channelId: 'many-0',
            ownerFid: 8,
          }),
        )
        refused(await create(9, { channelId: 'one-more' }), 403, /may no more/)
        await client.create(person(9), 'many-1')
      })

      test('only the owner changes a channel or transfers it', async () => {
        await client.create(person(10), 'edited', { headerImageUrl: 'https://e.org/h' })
        const edit = (fid: number, body: object) =>
          client.call(person(fid), 'PATCH', '/fc/channels', { channelId: 'edited', ...body })
        refused(await edit(11, { name: 'x' }), 403, 'FID 11 does not own channel edited')
        refused(await edit(10, { name: '' }), 400, /./)
        refused(await edit(10, { ownerFid: 999 }), 404, 'FID 999 does not exist')
        refused(await edit(10, { moderatorFid: 999 }), 404, 'FID 999 does not exist')
        const edited = resultOf(
          await edit(10, {
            name: 'New',
            description: 'D',
            imageUrl: 'https://e.org/i',
            headerImageUrl: null,
            externalLink: { title: 'T', url: 'https://e.org' },
            publicCasting: false,
            moderatorFid: 12,
            url: 'https://e.org/ignored',
          }),
        ).channel
        assert.deepEqual(edited, {
          id: 'edited',
          url: 'https://farcaster.xyz/~/channel/edited',
          name: 'New',
          description: 'D',
          imageUrl: 'https://e.org/i',
          leadFid: 10,
          moderatorFid: 12,
          createdAt: edited.createdAt,
          followerCount: 0,
          memberCount: 2,
          externalLink: { title: 'T', url: 'https://e.org' },
          publicCasting: false,
        })
        const given = resultOf(
          await edit(10, { ownerFid: 12, moderatorFid: null, externalLink: null }),
        ).channel
        assert.equal(given.leadFid, 12)
        assert.equal(given.memberCount, 2)
        assert.ok(!('moderatorFid' in given) && !('externalLink' in given))
        refused(await edit(10, { name: 'Back' }), 403, /does not own/)
        const members = await client.result('/fc/channel-members?channelId=edited')
        assert.deepEqual(members.members.map(({ fid }: { fid: number }) => fid).sort(), [10, 12])
      })
    })

    describe('following channels', () => {
      test('a channel counts each follower once and reports since when', async () => {
        await client.create(person(1), 'followed')
        const path = '/v1/user-channel?channelId=followed&fid=2'
        assert.deepEqual((await client.get(path)).body, { result: { following: false } })
        const followedAt = later()
        succeeded(await client.follow(person(2), 'followed'))
        later()
        succeeded(
          await client.call(person(2), 'POST', '/fc/channel-follows', {
            channelKey: 'followed',
            x: 1,
          }),
        )
        assert.deepEqual((await client.get(path)).body, { result: { following: true, followedAt } })
        assert.equal((await channel('followed')).followerCount, 1)
        assert.deepEqual((await client.get('/v1/channel-followers?channelId=followed')).body, {
          result: { users: [{ fid: 2, followedAt }], fids: [2] },
        })
        assert.deepEqual((await client.get('/v1/user-following-channels?fid=2')).body, {
          result: { channels: [{ ...(await channel('followed')), followedAt }] },
        })
        succeeded(await client.unfollow(person(2), 'followed'))
        succeeded(await client.unfollow(person(2), 'followed'))
        assert.equal((await channel('followed')).followerCount, 0)
        const again = later()
        succeeded(await client.follow(person(2), 'followed'))
        assert.equal((await client.get(path)).body.result.followedAt, again)
        const nowhere = 'Channel nowhere does not exist'
        refused(await client.follow(person(2), 'nowhere'), 404, nowhere)
        refused(await client.unfollow(person(2), 'nowhere'), 404, nowhere)
        const empty = await client.call(person(2), 'POST', '/fc/channel-follows', {})
        assert.deepEqual(empty.body.errors[0].params, { missingProperty: 'channelId' })
        assert.equal((await client.follow(person(2), 'No Id')).status, 400)
      })

      test('followers are listed by followedAt and fid, in pages of any size', async () => {
        await client.create(person(1), 'crowd')
        // Three a second, in no order.
        const order = [7, 3, 9, 1, 8, 2, 6, 4, 5]
        const expected: { fid: number; followedAt: number }[] = []
        for (const [i, fid] of order.entries()) {
          if (i % 3 === 0) later()
          succeeded(await client.follow(person(fid), 'crowd'))
          expected.push({ fid, followedAt: now() })
        }
        expected.sort((a, b) => b.followedAt - a.followedAt || a.fid - b.fid)
        const path = '/v1/channel-followers?channelId=crowd'
        for (const size of [1, 2, 3, 4, 8, 9, 10]) {
          assert.deepEqual(await client.pages(path, 'users', size), expected, `pages of ${size}`)
        }
        // An exact multiple ends with a page that says so.
        const { body } = await client.get(`${path}&limit=9`)
        assert.deepEqual(Object.keys(body), ['result'])
      })

      test('followed channels are listed by followedAt and id, in pages of any size', async () => {
        const ids = ['f-c', 'f-a', 'f-b', 'f-e', 'f-d']
        const expected: { id: string; followedAt: number }[] = []
        for (const [i, id] of ids.entries()) {
          await client.create(person(13), id)
          if (i % 2 === 0) later()
          succeeded(await client.follow(person(14), id))
          expected.push({ id, followedAt: now() })
        }
        expected.sort((a, b) => b.followedAt - a.followedAt || (a.id < b.id ? -1 : 1))
        for (const size of [1, 2, 5, 6]) {
          const rows = await client.pages('/v1/user-following-channels?fid=14', 'channels', size)
          assert.deepEqual(
            rows.map(({ id, followedAt }) => ({ id, followedAt })),
            expected,
          )
        }
        const [first] = (await client.result('/v1/user-following-channels?fid=14')).channels
        const { followedAt: _, ...rest } = first
        assert.deepEqual(rest, await channel(first.id))
      })

      test('pages neither skip nor repeat followers who stay while others change', async () => {
        await client.create(person(1), 'busy')
        const stay = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20]
        for (const fid of Array.from({ length: 20 }, (_, i) => i + 1)) {
          if (fid % 3 === 0) later()
          succeeded(await client.follow(person(fid), 'busy'))
        }
        const seen: number[] = []
        let cursor = ''
        for (let page = 0; ; page++) {
          const { body } = await client.get(`/v1/channel-followers?channelId=busy&limit=3${cursor}`)
          seen.push(...body.result.fids)
          if (!body.next) break
          cursor = `&cursor=${body.next.cursor}`
          // Behind and ahead of where the reader is, and at its very place.
          const last = body.result.fids.at(-1)!
          const goes = [last, 1, 19, 3, 5][page % 5]!
          if (!stay.includes(goes)) succeeded(await client.unfollow(person(goes), 'busy'))
          later()
          succeeded(await client.follow(person(21 + page), 'busy'))
        }
        assert.equal(new Set(seen).size, seen.length, `repeated in ${seen}`)
        for (const fid of stay) assert.ok(seen.includes(fid), `${fid} not in ${seen}`)
      })
    })

    describe('moderation of channels', () => {
      test('followers of the channel or of the inviter can be invited', async () => {
        await client.create(person(1), 'club')
        refused(await client.invite(person(2), 'club', 3), 403, /FID 2 may not invite/)
        refused(await client.invite(person(1), 'club', 999), 404, 'FID 999 does not exist')
        refused(await client.invite(person(1), 'nope', 3), 404, 'Channel nope does not exist')
        refused(await client.invite(person(1), 'club', 3), 400, /FID 3 follows neither/)
        const add = buildMessage(linkAdd(world.origin(person(3)), 'follow', 1), person(3).seed)
        assert.equal((await world.submit(add)).status, 200)
        const invitedAt = later()
        succeeded(await client.invite(person(1), 'club', 3))
        later()
        succeeded(await client.invite(person(1), 'club', 3))
        const invite = {
          channelId: 'club',
          invitedFid: 3,
          invitedAt,
          inviterFid: 1,
          role: 'member',
        }
        for (const filter of ['channelId=club', 'fid=3', 'channelId=club&fid=3', '']) {
          const { invites } = await client.result(`/fc/channel-invites?${filter}`)
          assert.deepEqual(
            invites.filter(({ channelId }: { channelId: string }) => channelId === 'club'),
            [invite],
          )
        }
        refused(await client.answer(person(4), 'club'), 404, /FID 4 has no member invite/)
        const memberAt = later()
        succeeded(await client.answer(person(3), 'club'))
        succeeded(await client.answer(person(3), 'club'))
        const list = '/fc/channel-members?channelId=club'
        const owner = { fid: 1, memberAt: (await channel('club')).createdAt }
        assert.deepEqual(await client.result(list), { members: [{ fid: 3, memberAt }, owner] })
        assert.deepEqual(await client.result(`${list}&fid=1`), { members: [owner] })
        assert.deepEqual((await client.result('/fc/channel-invites?fid=3')).invites, [])
        assert.equal((await channel('club')).memberCount, 2)
        // A follow that was taken back is none.
        const remove = buildMessage(
          linkRemove({ ...world.origin(person(3)) }, 'follow', 1),
          person(3).seed,
        )
        assert.equal((await world.submit(remove)).status, 200)
        succeeded(await client.remove(person(3), 'club', 3))
        refused(await client.invite(person(1), 'club', 3), 400, /FID 3 follows neither/)
      })

      test('a channel has up to ten moderators, pending invites included', async () => {
        await client.create(person(1), 'ranks')
        refused(await client.invite(person(1), 'ranks', 2, 'moderator'), 400, /is not a member/)
        await appoint(person(1), 'ranks', 2)
        assert.deepEqual((await channel('ranks')).moderatorFids, [2])
        // A moderator may invite members, but not appoint moderators.
        await join(person(2), 'ranks', 3)
        refused(await client.invite(person(2), 'ranks', 3, 'moderator'), 403, /may not appoint/)
        for (let fid = 4; fid <= 11; fid++) await appoint(person(1), 'ranks', fid)
        await join(person(1), 'ranks', 12)
        succeeded(await client.invite(person(1), 'ranks', 3, 'moderator'))
        refused(await client.invite(person(1), 'ranks', 12, 'moderator'), 400, /has 10 moderators/)
        succeeded(await client.answer(person(3), 'ranks', 'moderator', false))
        succeeded(await client.invite(person(1), 'ranks', 12, 'moderator'))
        succeeded(await client.answer(person(12), 'ranks', 'moderator'))
        assert.equal((await channel('ranks')).moderatorFids.length, 10)
        assert.equal((await channel('ranks')).memberCount, 12)
        succeeded(await client.remove(person(1), 'ranks', 12, 'moderator'))
        assert.ok(!(await channel('ranks')).moderatorFids.includes(12))
        assert.equal((await channel('ranks')).memberCount, 12)
        refused(await client.remove(person(2), 'ranks', 4), 403, /may not remove moderators/)
        refused(await client.remove(person(2), 'ranks', 1), 400, /owns channel ranks/)
        const members = await client.pages('/fc/channel-members?channelId=ranks', 'members', 5)
        assert.equal(members.length, 12)
        assert.deepEqual(
          members,
          [...members].sort((a, b) => b.memberAt - a.memberAt || a.fid - b.fid),
        )
      })

      test('a removed member is restricted until invited again', async () => {
        await client.create(person(1), 'strict')
        const restricted = '/fc/channel-restricted-users?channelId=strict'
        await join(person(1), 'strict', 2)
        await join(person(1), 'strict', 3)
        const restrictedAt = later()
        succeeded(await client.remove(person(1), 'strict', 2))
        later()
        succeeded(await client.remove(person(1), 'strict', 2))
        const row = { fid: 2, channelId: 'strict', restrictedAt }
        assert.deepEqual(await client.result(restricted), { restrictedUsers: [row] })
        assert.deepEqual(await client.result(`${restricted}&fid=2`), { restrictedUsers: [row] })
        succeeded(await client.invite(person(1), 'strict', 2))
        assert.deepEqual(await client.result(restricted), { restrictedUsers: [] })
        // Revoking an invite and leaving both end a restriction.
        succeeded(await client.remove(person(1), 'strict', 2))
        succeeded(await client.remove(person(3), 'strict', 3))
        assert.deepEqual(await client.result(restricted), { restrictedUsers: [] })
        assert.equal((await channel('strict')).memberCount, 1)
      })

      test('a ban ends every role, and lifting it leaves a restriction', async () => {
        await client.create(person(1), 'banning')
        await appoint(person(1), 'banning', 2)
        await join(person(1), 'banning', 3)
        refused(await client.ban(person(3), 'banning', 4), 403, /may not ban/)
        refused(await client.ban(person(2), 'banning', 1), 403, /owns channel banning/)
        refused(await client.ban(person(2), 'banning', 2), 400, 'users cannot ban themselves')
        refused(await client.ban(person(2), 'banning', 999), 404, 'FID 999 does not exist')
        const bannedAt = later()
        succeeded(await client.ban(person(2), 'banning', 3))
        later()
        succeeded(await client.ban(person(2), 'banning', 3))
        const list = '/fc/channel-bans?channelId=banning'
        const row = { fid: 3, channelId: 'banning', bannedAt }
        assert.deepEqual(await client.result(list), { bannedUsers: [row] })
        assert.deepEqual(await client.result('/fc/channel-bans?fid=3'), { bannedUsers: [row] })
        assert.equal((await channel('banning')).memberCount, 2)
        refused(await client.invite(person(1), 'banning', 3), 400, /is banned/)
        // Following is another matter.
        succeeded(await client.unfollow(person(3), 'banning'))
        succeeded(await client.follow(person(3), 'banning'))
        const ban = { channelId: 'banning', moderatorFid: 3 }
        refused(await client.call(person(1), 'PATCH', '/fc/channels', ban), 400, /is banned/)
        succeeded(await client.unban(person(2), 'banning', 3))
        const body = { channelId: 'banning', banFid: 3 }
        succeeded(await client.call(person(2), 'DELETE', '/fc/channel-bans', body))
        assert.deepEqual(await client.result(list), { bannedUsers: [] })
        const { restrictedUsers } = await client.result(
          '/fc/channel-restricted-users?channelId=banning',
        )
        assert.deepEqual(restrictedUsers, [{ fid: 3, channelId: 'banning', restrictedAt: now() }])
        const none = await client.call(person(2), 'DELETE', '/fc/channel-bans', {
          channelId: 'banning',
        })
        assert.deepEqual(none.body.errors[0].params, { missingProperty: 'unbanFid' })
      })

      test('invite calls are limited to a hundred per hour', async () => {
        await client.create(person(1), 'counted')
        for (let i = 0; i < 50; i++) {
          succeeded(await client.remove(person(1), 'counted', 2))
          refused(await client.invite(person(1), 'counted', 2), 400, /follows neither/)
        }
        refused(await client.remove(person(1), 'counted', 2), 429, /^Too many requests/)
        const other = await client.invite(person(1), 'counted', 2)
        refused(other, 429, /^Too many requests/)
        assert.equal(other.headers.get('retry-after'), '3600')
        succeeded(await client.remove(person(1), 'strict', 2))
        later(3_599)
        refused(await client.remove(person(1), 'counted', 2), 429, /^Too many requests/)
        later(1)
        succeeded(await client.remove(person(1), 'counted', 2))
      })
    })

    describe('casts in channels', () => {
      const hide = (fid: number, castHash: string, action = 'hide', path = 'moderated-casts') =>
        client.call(person(fid), 'POST', `/fc/${path}`, { castHash, action })
      const pin = (fid: number, castHash: string) =>
        client.call(person(fid), 'PUT', '/fc/pinned-casts', {
          castHash,
          notifyChannelFollowers: true,
        })
      const unpin = (fid: number, body: object) =>
        client.call(person(fid), 'DELETE', '/fc/pinned-casts', body)

      test('moderators hide and show casts in threads of their channel', async () => {
        const { url } = await client.create(person(1), 'talk')
        await client.create(person(1), 'silent')
        const root = await client.cast(person(5), 'root', url)
        const reply = await client.cast(person(6), 'reply', root)
        const deep = await client.cast(person(7), 'deep', reply)
        const elsewhere = await client.cast(person(7), 'elsewhere')
        // The way up is bounded: deep is two steps below what names the channel.
        const channels = world.app.storage.of(channelRows)
        assert.equal(await channels.ofCast(deep.fid, deep.hash, 1), undefined)
        assert.equal((await channels.ofCast(deep.fid, deep.hash, 2))?.id, 'talk')
        const unknown = `0x${'00'.repeat(20)}`
        refused(await hide(1, unknown), 404, `Cast ${unknown} does not exist`)
        refused(await hide(1, `${unknown}00`), 404, /does not exist/)
        assert.equal((await hide(1, `${unknown}0`)).status, 400)
        refused(await hide(1, client.hashOf(elsewhere)), 404, /is in no channel/)
        refused(await hide(2, client.hashOf(deep)), 403, 'FID 2 does not moderate channel talk')
        assert.equal((await hide(1, 'nohash')).status, 400)
        assert.equal((await hide(1, unknown, 'delete')).status, 400)
        await appoint(person(1), 'talk', 2)
        const first = later()
        succeeded(await hide(2, client.hashOf(deep).toUpperCase().replace('0X', '0X')))
        succeeded(await hide(2, client.hashOf(deep), 'hide', 'moderate-cast'))
        succeeded(await hide(1, client.hashOf(root), 'unhide'))
        succeeded(await hide(1, client.hashOf(deep), 'unhide'))
        const second = later()
        succeeded(await hide(1, client.hashOf(reply)))
        const action = (castHash: string, action: string, moderatedAt: number) => ({
          castHash,
          channelId: 'talk',
          action,
          moderatedAt,
        })
        const expected = [
          action(client.hashOf(reply), 'hide', second),
          action(client.hashOf(deep), 'unhide', first),
          action(client.hashOf(deep), 'hide', first),
        ]
        for (const path of ['/fc/moderated-casts', '/fc/moderated-casts?channelId=talk']) {
          for (const size of [1, 2, 3]) {
            assert.deepEqual(await client.pages(path, 'moderationActions', size), expected)
          }
        }
        const { moderationActions } = await client.result('/fc/moderated-casts?channelId=silent')
        assert.deepEqual(moderationActions, [])
      })

      test('a pinned cast is replaced by the next one', async () => {
        const { url } = await client.create(person(1), 'pinned')
        const one = await client.cast(person(5), 'one', url)
        const two = await client.cast(person(5), 'two', url)
        refused(await pin(5, client.hashOf(one)), 403, /does not moderate/)
        succeeded(await pin(1, client.hashOf(one)))
        succeeded(await pin(1, client.hashOf(one)))
        assert.equal((await channel('pinned')).pinnedCastHash, client.hashOf(one))
        succeeded(await pin(1, client.hashOf(two)))
        assert.equal((await channel('pinned')).pinnedCastHash, client.hashOf(two))
        // A cast that is not the pin is not pinned already.
        succeeded(await unpin(1, { castHash: client.hashOf(one) }))
        assert.equal((await channel('pinned')).pinnedCastHash, client.hashOf(two))
        refused(await unpin(5, { castHash: client.hashOf(two) }), 403, /does not moderate/)
        const gone = buildMessage(castRemove(world.origin(person(5)), two.hash), person(5).seed)
        assert.equal((await world.submit(gone)).status, 200)
        succeeded(await unpin(1, { castHash: client.hashOf(two) }))
        assert.ok(!('pinnedCastHash' in (await channel('pinned'))))
        refused(await unpin(1, { castHash: client.hashOf(two) }), 404, /does not exist/)
        succeeded(await pin(1, client.hashOf(one)))
        refused(await unpin(5, { channelId: 'pinned' }), 403, /does not moderate/)
        succeeded(await unpin(1, { channelId: 'pinned' }))
        succeeded(await unpin(1, { channelId: 'pinned' }))
        for (const body of [{}, { channelId: 'pinned', castHash: client.hashOf(one) }]) {
          refused(await unpin(1, body), 400, /exactly one of castHash and channelId/)
        }
      })
    })

    describe('channels and the operator', () => {
      test('the operator creates channels with reserved ids, with any owner or none', async () => {
        const ids = ['kept-a', 'kept-b', 'kept-c']
        succeeded(await client.operator('/channels/reserved', { body: { ids } }))
        succeeded(
          await client.operator('/channels/reserved', { body: { ids: [...ids, 'kept-a'] } }),
        )
        const page = await client.operator('/channels/reserved?limit=2')
        assert.deepEqual(page.body.result, { ids: ['kept-a', 'kept-b'] })
        const next = await client.operator(
          `/channels/reserved?limit=2&cursor=${page.body.next.cursor}`,
        )
        assert.deepEqual(next.body, { result: { ids: ['kept-c'] } })
        const body = { channelId: 'kept-a' }
        refused(await client.call(person(1), 'POST', '/fc/channels', body), 403, /is reserved/)
        const made = resultOf(
          await client.operator('/channels', { body: { ...body, ownerFid: 2 } }),
        )
        assert.equal(made.channel.leadFid, 2)
        const none = resultOf(await client.operator('/channels', { body: { channelId: 'kept-b' } }))
        assert.ok(!('leadFid' in none.channel))
        assert.equal(none.channel.memberCount, 0)
        const edit = { channelId: 'kept-b', ownerFid: 3, name: 'Given' }
        const given = resultOf(await client.operator('/channels', { method: 'PATCH', body: edit }))
        assert.deepEqual([given.channel.leadFid, given.channel.memberCount], [3, 1])
        const nobody = await client.operator('/channels', {
          body: { channelId: 'x1', ownerFid: 999 },
        })
        assert.deepEqual([nobody.status, nobody.body.message], [404, 'FID 999 does not exist'])
        succeeded(
          await client.operator('/channels/reserved', {
            method: 'DELETE',
            body: { ids: ['kept-c'] },
          }),
        )
        await client.create(person(1), 'kept-c')
      })

      test('channels are exported in batches and can be imported repeatedly', async () => {
        const lines: object[] = []
        for (let cursor = ''; ; ) {
          const { body } = await client.operator(`/channels/export?limit=7${cursor}`)
          assert.ok(body.result.lines.length <= 7)
          lines.push(...body.result.lines)
          if (!body.next) break
          cursor = `&cursor=${body.next.cursor}`
        }
        const channels = (await client.result('/v2/all-channels')).channels
        assert.equal(lines.filter((line) => 'channel' in line).length, channels.length)
        const other = await createWorld({ engine })
        try {
          const there = channelClient(other)
          for (let round = 0; round < 2; round++) {
            for (let at = 0; at < lines.length; at += 50) {
              const body = { lines: lines.slice(at, at + 50) }
              const { result } = (await there.operator('/channels/import', { body })).body
              if (round === 0) continue
              assert.deepEqual(result, { channels: 0, follows: 0, standings: 0 })
            }
          }
          assert.deepEqual((await there.result('/v2/all-channels')).channels, channels)
          for (const path of [
            '/v1/channel-followers?channelId=crowd',
            '/fc/channel-members?channelId=ranks',
            '/fc/channel-restricted-users',
            '/fc/channel-bans',
          ]) {
            assert.deepEqual(await there.result(path), await client.result(path), path)
          }
        } finally {
          await other.close()
        }
      })

      test('a batch of channels is imported completely or not at all, and the error names the line', async () => {
        const good = { id: 'Old', url: 'https://old.example', name: 'Old', createdAt: 1 }
        const follow = { channelId: 'Old', fid: 5, followedAt: 7 }
        const importing = (...lines: object[]) =>
          client.operator('/channels/import', { body: { lines } })
        const bad: [field: string, status: number, ...lines: object[]][] = [
          ['lines.1', 404, { channel: good }, { follow: { ...follow, channelId: 'nope' } }],
          ['lines.1.follow.fid', 400, { channel: good }, { follow: { ...follow, fid: 0 } }],
          ['lines.1', 400, { channel: good }, {}],
          ['lines.0', 400, { channel: good, follow }],
          ['lines.1', 400, { channel: good }, { channel: { ...good, id: 'other' } }],
          ['lines.0', 400, { channel: { ...good, url: 'https://farcaster.xyz/~/channel/club' } }],
          ['lines.0.channel.name', 400, { channel: { ...good, name: 'a\u0000' } }],
          ['lines.0.channel.imageUrl', 400, { channel: { ...good, imageUrl: 'x:' } }],
          [
            'lines.1',
            400,
            { channel: { ...good, leadFid: 1 } },
            { standing: { channelId: 'Old', fid: 1, standing: 'banned', since: 1 } },
          ],
        ]
        for (const [field, status, ...lines] of bad) {
          const { status: got, body } = await importing(...lines)
          assert.deepEqual([got, body.field], [status, field], JSON.stringify(body))
        }
        refused(await client.get('/v1/channel?channelId=Old'), 404, 'Channel Old does not exist')
        const all = {
          ...good,
          leadFid: 1,
          moderatorFids: [2, 3],
          pinnedCastHash: `0x${'ab'.repeat(20)}`,
        }
        const { body } = await importing(
          { channel: all },
          { follow },
          { follow: { ...follow, followedAt: 9 } },
          { standing: { channelId: 'Old', fid: 3, standing: 'member', since: 5 } },
        )
        assert.deepEqual(body.result, { channels: 1, follows: 1, standings: 3 })
        const old = await channel('Old')
        assert.deepEqual([old.followerCount, old.memberCount], [1, 3])
        assert.deepEqual(old.moderatorFids, [2, 3])
        const { users } = await client.result('/v1/channel-followers?channelId=Old')
        assert.deepEqual(users, [{ fid: 5, followedAt: 9 }])
        const { members } = await client.result('/fc/channel-members?channelId=ranks&fid=3')
        assert.equal(members.length, 1)
        // Its id has a capital, as some from before the present rule.
        succeeded(await client.follow(person(6), 'Old'))
        succeeded(await client.unfollow(person(6), 'Old'))
        succeeded(await client.ban(person(2), 'Old', 7))
        const edit = { channelId: 'Old', description: 'Still kept' }
        resultOf(await client.call(person(1), 'PATCH', '/fc/channels', edit))
        const { bannedUsers } = await client.result('/fc/channel-bans?channelId=Old')
        assert.deepEqual(bannedUsers.length, 1)
        const taken = await client.call(person(1), 'POST', '/fc/channels', { channelId: 'New' })
        refused(taken, 400, /pattern/)
      })

      test('exported channels with appointed owners and moderators are imported unchanged', async () => {
        await client.create(person(20), 'round')
        const edit = (body: object) =>
          client.call(person(20), 'PATCH', '/fc/channels', { channelId: 'round', ...body })
        succeeded(await client.follow(person(21), 'round'))
        succeeded(await client.invite(person(20), 'round', 21))
        succeeded(await client.answer(person(21), 'round'))
        succeeded(await client.remove(person(20), 'round', 21))
        resultOf(await edit({ moderatorFid: 21 }))
        const { members } = await client.result('/fc/channel-members?channelId=round')
        assert.deepEqual(members.map(({ fid }: { fid: number }) => fid).sort(), [20, 21])
        const { restrictedUsers } = await client.result(
          '/fc/channel-restricted-users?channelId=round',
        )
        assert.deepEqual(restrictedUsers, [])
        const lines: object[] = []
        for (let next: string | undefined = ''; next !== undefined; ) {
          const cursor: string = next && `?cursor=${next}`
          const { body } = await client.operator(`/channels/export${cursor}`)
          lines.push(...body.result.lines)
          next = body.next?.cursor
        }
        const all = await client.result('/v2/all-channels')
        const { status, body } = await client.operator('/channels/import', { body: { lines } })
        assert.deepEqual([status, body.result], [200, { channels: 0, follows: 0, standings: 0 }])
        assert.deepEqual(await client.result('/v2/all-channels'), all)
      })

      test('a reset removes channels, also from the list of all channels', async () => {
        await world.app.storage.reset()
        assert.deepEqual(await client.result('/v2/all-channels'), { channels: [] })
        await world.accounts([1])
        const again = await client.create(person(1), 'again')
        assert.deepEqual(await client.result('/v2/all-channels'), { channels: [again] })
        await world.restart()
        assert.deepEqual(await client.result('/v2/all-channels'), { channels: [again] })
      })
    })
  })
}
