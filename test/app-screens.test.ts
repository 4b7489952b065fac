// Screens: several calls of the app API in one, and the public key with which the web client reads them.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import {
  CastScreenReply,
  ChannelScreenReply,
  DiscoverScreenReply,
  NameScreenReply,
  NamesScreenReply,
  NotificationsScreenReply,
  PersonScreenReply,
  SearchScreenReply,
} from '../src/features/app-api/screens/schemas.ts'
import { CHANNELS } from '../src/features/channels/port.ts'
import { WEB_KEY } from '../src/kernel/app-api/given-keys.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { bytesOfHash, createNetwork, type Json, type Network, profile } from './app-api-support.ts'
import { channelClient } from './channels-support.ts'
import { cast, keyAdd, keyOf, owner } from './gasless-keys-support.ts'
import { registryClient } from './registry-support.ts'
import { contentsOf } from './stored-rows.ts'
import { ENGINES, type World } from './world.ts'

/** What changes without a call. */
const OF_THE_SERVER: ReadonlySet<string> = new Set([
  // A process says that it is alive, and that it fills the views.
  ...['lease', 'view_state'],
  // Its jobs rank anew, and keep its numbers.
  ...['view_trend', 'view_activity', 'metric_sample'],
])

/** What a reader of the network below may ask for, by the names of parameters. */
const valuesFor = ({
  root,
  custody,
  web,
}: Readonly<Record<'root' | 'custody' | 'web', string>>) => {
  const channel = `${web}/channel/tides`
  return new Map(
    Object.entries({
      ...{ fid: '2', fids: '2,3', viewer_fid: '3', target_fid: '3' },
      ...{ blockerFid: '3', blocker_fid: '3' },
      ...{ identifier: root, hash: root, casts: root, cast_hash: root },
      ...{ channel_id: 'tides', channelId: 'tides', channel_ids: 'tides' },
      ...{ id: 'tides', ids: 'tides' },
      ...{ parent_url: channel, parent_urls: channel, url: `${web}/` },
      ...{ addresses: custody, custody_address: custody, address: custody, q: 'tides' },
      ...{ username: '!2', name: 'user2', fname: 'somebody', domain: 'app.example' },
      ...{ public_key: `0x${'11'.repeat(32)}`, key: `0x${'11'.repeat(32)}` },
      ...{ latitude: '1', longitude: '1', limit: '5', types: 'likes,recasts' },
      '/v2/farcaster/reactions/user type': 'all',
    }),
  )
}

/** The address of a GET with every parameter that has a value, and with all that are required. */
function addressOf(path: string, { parameters = [] }: Json, values: ReadonlyMap<string, string>) {
  const query = new URLSearchParams()
  let filled = path
  for (const { name, in: place, required, schema } of parameters) {
    const [word] = [schema, ...(schema.anyOf ?? [])].flatMap(
      (one: Json) => one.enum ?? one.const ?? [],
    )
    const value =
      values.get(`${path} ${name}`) ?? word ?? values.get(name) ?? (required ? '1' : undefined)
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value))
    else if (value !== undefined) query.set(name, String(value))
  }
  return `${filled}?${query}`
}

/** Submits a message, which must be stored, and returns its hash. */
async function accepted(world: World, message: Parameters<World['submit']>[0]): Promise<string> {
  const { status, body } = await world.submit(message)
  assert.equal(status, 200, JSON.stringify(body))
  return body.hash
}

for (const engine of ENGINES) {
  describe(`screens on ${engine}`, { concurrency: 1 }, () => {
    let network: Network
    let root: string
    let reply: string
    before(async () => {
      network = await createNetwork(engine, [1, 2, 3])
      const [, two, three] = network.accounts
      await profile(network, two!, UserDataType.USER_DATA_TYPE_DISPLAY, 'Second')
      const website = 'https://second.example/'
      await profile(network, two!, UserDataType.USER_DATA_TYPE_URL, website)
      root = await network.cast(two!, { text: 'a root about tides' })
      const parent = { fid: 2n, hash: bytesOfHash(root) }
      reply = await network.cast(three!, {
        text: 'a reply',
        parent: { case: 'parentCastId', value: parent },
      })
      await network.like(three!, 2, root)
      await network.follow(three!, 2)
      const { url } = await network.world.app.of(CHANNELS).createFor({
        channelId: 'tides',
        name: 'Tides',
        description: '',
        ownerFid: 2,
      })
      await network.cast(two!, {
        text: 'in a channel',
        parent: { case: 'parentUrl', value: url },
      })
      await network.indexed()
    })
    after(() => network?.world.close())

    const read = async (path: string, query: Record<string, string> = {}): Promise<Json> => {
      const { status, body } = await network.get(path, query, WEB_KEY)
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }

    it('each screen has the answers of its calls, in the declared shape', async () => {
      const person: Json = await read('/screen/person', { username: '!2' })
      check(PersonScreenReply, person)
      assert.deepEqual(
        person.casts,
        await read('/feed/user/casts', { fid: '2', include_replies: 'false' }),
      )
      assert.equal(person.user.display_name, 'Second')
      assert.equal(person.website, 'https://second.example/')
      assert.equal(person.cast_count, 2)
      const decide = async (what: 'hide' | 'unhide') => {
        const body = { reason: 'test', actor: 'test' }
        const path = `/moderation/casts/${root}/${what}`
        assert.equal((await network.world.operate(path, { body })).status, 200)
        return (await read('/screen/person', { username: '!2' })).cast_count
      }
      assert.equal(await decide('hide'), 1)
      assert.equal(await decide('unhide'), 2)
      assert.deepEqual([person.storage, person.storage_expires_at], [{ state: 'endless' }, null])
      const followers = await read('/screen/person', { username: '!2', list: 'followers' })
      assert.deepEqual(followers.people, await read('/followers', { fid: '2' }))
      const likes = await read('/screen/person', { username: '!3', list: 'likes' })
      assert.equal(likes.reactions.reactions[0].cast.hash, root)
      const replies = await read('/screen/person', { username: '!3', list: 'replies' })
      assert.deepEqual(hashesOf(replies.casts), [reply])

      const channel = await read('/screen/channel', { id: 'tides' })
      check(ChannelScreenReply, channel)
      assert.deepEqual(
        channel.moderators.map(({ fid }: Json) => fid),
        [2],
      )
      assert.deepEqual(textsOf(channel.casts), ['in a channel'])
      const members = await read('/screen/channel', { id: 'tides', list: 'members' })
      assert.deepEqual(members.members, await read('/channel/member/list', { channel_id: 'tides' }))

      const search = await read('/screen/search', { q: 'tides' })
      check(SearchScreenReply, search)
      assert.deepEqual(textsOf(search.casts), ['a root about tides'])
      assert.equal(search.channels.channels[0].id, 'tides')
    })

    it('each list of a screen is the first page of its route, which continues it', async () => {
      const viewer = { viewer_fid: '3', limit: '1' }
      const person = (list: string) => ['/screen/person', { username: '!2', list }] as const
      const channel = (list: string) => ['/screen/channel', { id: 'tides', list }] as const
      const user = { fid: '2' }
      const lists: [screen: readonly [string, object], part: string, path: string, own: object][] =
        [
          [person('casts'), 'casts', '/feed/user/casts', { ...user, include_replies: 'false' }],
          [
            person('replies'),
            'casts',
            '/feed/user/replies_and_recasts',
            { ...user, filter: 'replies' },
          ],
          [person('likes'), 'reactions', '/reactions/user', { ...user, type: 'likes' }],
          [person('followers'), 'people', '/followers', user],
          [person('following'), 'people', '/following', user],
          [channel('casts'), 'casts', '/feed/channels', { channel_ids: 'tides' }],
          [channel('followers'), 'people', '/channel/followers', { id: 'tides' }],
        ]
      for (const [[path, query], part, ownPath, own] of lists) {
        const screen = await read(path, { ...query, ...viewer })
        const page = await read(ownPath, { ...own, ...viewer })
        assert.deepEqual(screen[part], page, ownPath)
        const { cursor } = page.next
        if (cursor !== null) await read(ownPath, { ...own, cursor })
      }
      const people = await read('/screen/person', { username: '!2', list: 'casts', limit: '1' })
      assert.notEqual(people.casts.next.cursor, null)
      const cast = await read('/screen/cast', { hash: root, viewer_fid: '3' })
      const thread = { identifier: root, type: 'hash', reply_depth: '3' }
      const { conversation } = await read('/cast/conversation', {
        ...thread,
        include_chronological_parent_casts: 'true',
        viewer_fid: '3',
      })
      assert.deepEqual(cast.conversation, conversation)
      const reactions = { hash: root, types: 'all', viewer_fid: '3' }
      assert.deepEqual(cast.reactions, await read('/reactions/cast', reactions))
      const search = await read('/screen/search', { q: 'Tides', viewer_fid: '3' })
      const found = { q: 'Tides', viewer_fid: '3' }
      assert.deepEqual(search.casts, (await read('/cast/search', found)).result)
      assert.deepEqual(search.users, (await read('/user/search', found)).result)
      assert.deepEqual(search.channels, await read('/channel/search', { ...found, limit: '5' }))
      const notices = await read('/screen/notifications', user)
      const { notifications } = await read('/notifications', user)
      assert.deepEqual(notices.notifications, notifications)
    })

    it('a cast comes with its thread, its reactions, and its message with every check', async () => {
      const screen = await read('/screen/cast', { hash: reply })
      check(CastScreenReply, screen)
      assert.deepEqual(hashesOf({ casts: screen.conversation.chronological_parent_casts }), [root])
      const above: Json = await read('/screen/cast', { hash: root })
      assert.equal(above.conversation.cast.direct_replies[0].hash, reply)
      assert.deepEqual(
        above.reactions.reactions.map(({ user }: Json) => user.fid),
        [3],
      )
      const { message } = above
      assert.equal(message.hash, root)
      assert.equal(message.fid, 2)
      assert.deepEqual(
        message.checks.map(({ name, passes }: Json) => [name, passes]),
        ['hash', 'signature', 'signer', 'fid', 'time', 'network'].map((name) => [name, true]),
      )
      const stored = await network.world.get(`/v1/castById?fid=2&hash=${root}`)
      assert.equal(message.signer, stored.body.signer)
    })

    it('a name is free, taken, reserved or impossible, and unknown subjects are not found', async () => {
      for (const [name, state] of [
        ['kestrel', 'free'],
        ['admin', 'reserved'],
        ['-x', 'impossible'],
      ] as const) {
        const screen = await read('/screen/name', { name })
        check(NameScreenReply, screen)
        assert.equal(screen.state, state, name)
      }
      check(NamesScreenReply, await read('/screen/names'))
      for (const [path, query] of [
        ['/screen/person', { username: 'nobody' }],
        ['/screen/person', { username: '!99' }],
        ['/screen/cast', { hash: `0x${'00'.repeat(20)}` }],
        ['/screen/channel', { id: 'none' }],
      ] as const) {
        const { status, body } = await network.get(path, query, WEB_KEY)
        assert.equal(status, 404, path)
        assert.equal(body.code, 'NotFound')
      }
      const long = 'x'.repeat(65)
      for (const [path, query] of [
        ['/screen/person', { username: long }],
        ['/screen/search', { q: 'x'.repeat(201) }],
        ['/screen/cast', { hash: '0x12' }],
        ['/screen/person', { username: '!2', list: 'secrets' }],
      ] as const) {
        assert.equal((await network.get(path, query, WEB_KEY)).status, 400, JSON.stringify(query))
      }
      // A text that is no search of casts still finds names.
      const half = await read('/screen/search', { q: '-tides' })
      assert.deepEqual(half.casts.casts, [])
      assert.ok(half.refused)
    })

    it('a user is told of a name that another account gave, until it is the username', async () => {
      const registry = registryClient(network.world)
      const [giver, receiver] = await registry.people([41, 42])
      await registry.register(giver!, 'jackdaw')
      const screen = async (fid: number): Promise<Json> => {
        await network.indexed()
        const answer = await read('/screen/notifications', { fid: String(fid) })
        check(NotificationsScreenReply, answer)
        return answer
      }
      // A name that the user registered is no news.
      assert.equal((await screen(41)).received_name, null)
      network.world.clock.advance(29 * 86_400_000)
      const moved = await registry.move(giver!, 'jackdaw', 42)
      assert.equal(moved.status, 200, JSON.stringify(moved.body))
      const { received_name: received, users } = await screen(42)
      assert.deepEqual([received.name, received.from_fid, received.to_fid], ['jackdaw', 41, 42])
      assert.deepEqual(users.map(({ fid }: Json) => fid).toSorted(), [41, 42])
      await registry.setUsername(receiver!, 'jackdaw')
      assert.equal((await screen(42)).received_name, null)
      assert.equal((await screen(41)).received_name, null)
      // The follow of the third user is on the screen of the second one.
      assert.equal((await screen(2)).notifications.length, 3)
    })

    it('the newest casts of everybody come in pages, each once, without replies', async () => {
      const all: string[] = []
      let cursor: string | null = null
      do {
        const page: Json = await read('/feed/newest', { limit: '1', ...(cursor && { cursor }) })
        all.push(...textsOf(page))
        cursor = page.next.cursor
      } while (cursor !== null)
      assert.deepEqual(all, ['in a channel', 'a root about tides'])
      const mine = await read('/feed/followed_channels', { fid: '2' })
      assert.deepEqual(textsOf(mine), [])
      await network.world.app.of(CHANNELS).follow(2, 'tides')
      const followed = await read('/feed/followed_channels', { fid: '2' })
      assert.deepEqual(textsOf(followed), ['in a channel'])
    })

    it('newcomers are shown people and channels that they do not follow, and casts', async () => {
      const discover = async (query: Record<string, string>): Promise<Json> => {
        const screen = await read('/screen/discover', query)
        check(DiscoverScreenReply, screen)
        return screen
      }
      const fidsOf = ({ users }: Json) => users.map(({ fid }: Json) => fid)
      const idsOf = ({ channels }: Json) => channels.map(({ id }: Json) => id)
      const visitor = await discover({})
      assert.deepEqual([fidsOf(visitor), idsOf(visitor)], [[2], ['tides']])
      const newcomer = await discover({ viewer_fid: '1' })
      assert.deepEqual([fidsOf(newcomer), idsOf(newcomer)], [[2], ['tides']])
      // The third follows the second, who follows the channel by now.
      assert.deepEqual(fidsOf(await discover({ viewer_fid: '3' })), [])
      const second = await discover({ viewer_fid: '2' })
      assert.deepEqual([fidsOf(second), idsOf(second)], [[], []])
    })

    it('what is new is counted until the user says with the own token that it was seen', async () => {
      const unseen = async (fid: number): Promise<number> => {
        await network.indexed()
        const query = { fid: String(fid) }
        const { unseen_notifications_count: count } = await read('/notifications/unseen', query)
        const whole = await read('/notifications', query)
        assert.equal(count, whole.unseen_notifications_count)
        return count
      }
      const markSeen = async (headers: Record<string, string>, body: object = {}) => {
        const url = `${network.world.app.urls.app}/v2/farcaster/notifications/seen`
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'x-api-key': WEB_KEY, 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        })
        return response.status
      }
      const [, two, three] = network.accounts
      assert.equal(await unseen(2), 3)
      assert.equal(await markSeen({}), 403)
      assert.equal(await markSeen({ authorization: 'Bearer x.y.z' }), 401)
      // A token speaks for its own account alone.
      const uuid = { signer_uuid: '00000000-0000-4000-8000-00000000000a' }
      const authorization = `Bearer ${network.world.token(two!)}`
      assert.equal(await markSeen({ authorization }, uuid), 404)
      assert.equal(await markSeen({ authorization: `Bearer ${network.world.token(three!)}` }), 200)
      assert.equal(await unseen(2), 3)
      assert.equal(await markSeen({ authorization }), 200)
      assert.equal(await unseen(2), 0)
      network.world.clock.advance(2_000)
      await network.like(three!, 2, await network.cast(two!, { text: 'more' }))
      assert.equal(await unseen(2), 1)
      assert.equal(await markSeen({ authorization }, { type: 'follows' }), 200)
      assert.equal(await unseen(2), 1)
    })

    it('the public key reads and cannot write', async () => {
      for (const [method, path] of [
        ['POST', '/signer'],
        ['POST', '/webhook'],
        ['DELETE', '/mute'],
      ]) {
        const response = await fetch(`${network.world.app.urls.app}/v2/farcaster${path}`, {
          method: method!,
          headers: { 'x-api-key': WEB_KEY, 'content-type': 'application/json' },
          body: '{}',
        })
        assert.equal(response.status, 403, `${method} ${path}`)
      }
    })

    it('no GET of the app API and the client platform with the public key changes a row of any table', async () => {
      const { world, accounts } = network
      const [, two] = accounts
      const custody = toHex(two!.custody)
      const values = valuesFor({ root, custody, web: world.app.urls.web! })
      // The server makes these keys at the first request that needs one, which is no change that a caller can repeat.
      const token = `Bearer ${world.token(two!)}`
      const headers = { 'x-api-key': WEB_KEY, authorization: token }
      for (const path of ['login/nonce', 'push/own?fid=2']) {
        const { status } = await fetch(`${world.app.urls.app}/v2/farcaster/${path}`, { headers })
        assert.equal(status, 200, path)
      }
      await network.indexed()
      // The first run of each job, which comes a while after the start, has nothing left to do.
      await world.app.jobs.runAll()
      const before = await contentsOf(world, engine)
      const statuses: number[] = []
      const refused: string[] = []
      for (const name of ['app', 'platform'] as const) {
        const base = world.app.urls[name]
        const { paths }: Json = await (await fetch(`${base}/openapi.json`)).json()
        for (const [path, { get }] of Object.entries<Json>(paths)) {
          if (!get) continue
          const mustSignIn =
            get.security.length > 0 && get.security.every((one: Json) => one.bearer)
          const asked = addressOf(path, get, values)
          const { status, body } = await fetch(base + asked, {
            headers: { 'x-api-key': WEB_KEY, ...(mustSignIn && { authorization: token }) },
          })
          // A stream does not end.
          await body?.cancel()
          statuses.push(status)
          if (status === 400 || status >= 500) refused.push(`${status} ${path}`)
        }
      }
      // What somebody has signed is read before anything else.
      assert.deepEqual(refused, ['400 /v2/farcaster/signer/list', '400 /verify-jwt'])
      const answered = statuses.filter((status) => status === 200).length
      assert.ok(answered > 100, `${answered} of ${statuses.length}`)
      const changed = [...(await contentsOf(world, engine))].filter(
        ([table, content]) => before.get(table) !== content && !OF_THE_SERVER.has(table),
      )
      assert.deepEqual(
        changed.map(([table]) => table),
        [],
      )
    })

    it('the screen of a channel says what its moderators decided and what the viewer is asked', async () => {
      const { accounts, world } = network
      const [, two, three] = accounts
      const channels = channelClient(world)
      const { url } = await channels.create(two!, 'reeds', { name: 'Reeds' })
      const parent = { parent: { case: 'parentUrl' as const, value: url } }
      const [first, second] = [
        await network.cast(three!, { text: 'first', ...parent }),
        await network.cast(three!, { text: 'second', ...parent }),
      ]
      await network.indexed()
      const decide = async (castHash: string, action: string) => {
        const { status } = await channels.call(two!, 'POST', '/fc/moderated-casts', {
          castHash,
          action,
        })
        assert.equal(status, 200)
      }
      const screenOf = (list: string, more: object = {}) =>
        read('/screen/channel', { id: 'reeds', list, ...more })
      const hiddenOf = (query: object = {}) =>
        read('/channel/hidden/list', { channel_id: 'reeds', ...query })
      for (const hash of [first, second]) await decide(hash, 'hide')
      await decide(second, 'unhide')
      assert.deepEqual(textsOf((await screenOf('hidden')).hidden), ['first'])
      assert.deepEqual(textsOf((await screenOf('casts')).casts), ['second'])
      await decide(second, 'hide')
      assert.deepEqual(textsOf(await hiddenOf()), ['second', 'first'])
      const page = await hiddenOf({ limit: '1' })
      assert.deepEqual(textsOf(page), ['second'])
      assert.deepEqual(textsOf(await hiddenOf({ cursor: page.next.cursor })), ['first'])
      await decide(first, 'unhide')
      assert.equal(
        (await channels.call(two!, 'PUT', '/fc/pinned-casts', { castHash: first })).status,
        200,
      )
      assert.equal((await screenOf('casts')).pinned.hash, first)

      await channels.follow(three!, 'reeds')
      assert.equal((await channels.invite(two!, 'reeds', 3)).status, 200)
      const asked = await screenOf('casts', { viewer_fid: '3' })
      check(ChannelScreenReply, asked)
      assert.deepEqual([asked.own_invite.role, asked.own_invite.inviter.fid], ['member', 2])
      assert.equal((await screenOf('casts', { viewer_fid: '1' })).own_invite, undefined)
      const invites = await screenOf('invites')
      assert.deepEqual(
        invites.invites,
        await read('/channel/member/invite/list', { channel_id: 'reeds' }),
      )
      const excluded = async (standing: string) => {
        const list = await read('/channel/excluded/list', { channel_id: 'reeds', standing })
        assert.deepEqual((await screenOf(standing))[standing], list)
        return list.users.map(({ fid }: Json) => fid)
      }
      assert.equal((await channels.ban(two!, 'reeds', 3)).status, 200)
      assert.deepEqual([await excluded('banned'), await excluded('restricted')], [[3], []])
      const banned = await screenOf('casts', { viewer_fid: '3' })
      assert.deepEqual([banned.is_excluded, banned.own_invite], ['banned', undefined])
      assert.equal((await channels.unban(two!, 'reeds', 3)).status, 200)
      assert.deepEqual([await excluded('banned'), await excluded('restricted')], [[], [3]])
      for (const path of ['/channel/hidden/list', '/channel/excluded/list']) {
        const query = { channel_id: 'none', standing: 'banned' }
        assert.equal((await network.get(path, query, WEB_KEY)).status, 404, path)
      }
    })

    it('a cast of a gasless key passes every check', async () => {
      const { world } = network
      const user = await owner(world, 61)
      const device = keyOf(61)
      // The library that builds the message refuses a deadline that is over by the clock of the machine.
      const deadline = networkTime(Date.now()) + 3_600
      await accepted(world, await keyAdd(world, user, device, { deadline }))
      const hash = await accepted(world, await cast(world, user.fid, device, 'by another device'))
      await network.indexed()
      const { message } = await read('/screen/cast', { hash })
      assert.deepEqual(
        message.checks.filter(({ passes }: Json) => !passes),
        [],
      )
    })
  })
}

/** Fails unless an answer has the declared shape. */
function check(schema: TSchema, answer: Json): void {
  assert.ok(Compile(schema).Check(answer), JSON.stringify(answer))
}

const textsOf = ({ casts }: Json): string[] => casts.map(({ text }: Json) => text)
const hashesOf = ({ casts }: Json): string[] => casts.map(({ hash }: Json) => hash)
