// The reads of the app API through the published client of apps, unmodified. What it answers
// is checked against the client's own declarations.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { isApiErrorResponse } from '@neynar/nodejs-sdk'
import { hiddenAccountRows } from '../src/features/app-api/tables/hidden-accounts.ts'
import { DEVELOPMENT_APP_UUID } from '../src/kernel/app-api/apps.ts'
import { castAdd, castRemove } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { bytesOfHash, createNetwork, type Json, type Network, profile } from './app-api-support.ts'
import { enginesOf } from './world.ts'

const FIDS = [1, 2, 3, 4, 5]
const URL_OF_CHANNEL = 'https://example.org/garden'

for (const engine of enginesOf(import.meta.url)) {
  describe(`the app API on ${engine}`, () => {
    let net: Network
    let root: string
    let reply: string
    let nested: string
    let quote: string
    let inChannel: string
    before(async () => {
      net = await createNetwork(engine, FIDS)
      const [ann, bob, cat, dan, eve] = net.accounts as [Json, Json, Json, Json, Json]
      await profile(net, ann, UserDataType.USER_DATA_TYPE_DISPLAY, 'Ann')
      await profile(net, cat, UserDataType.USER_DATA_TYPE_DISPLAY, 'Carrion')
      await profile(net, ann, UserDataType.USER_DATA_TYPE_BIO, 'Grows tomatoes')
      const channel = { channelId: 'garden', name: 'Garden', url: URL_OF_CHANNEL }
      const token = net.world.token(ann)
      const made = await net.world.platform('/fc/channels', {
        method: 'POST',
        token,
        body: channel,
      })
      assert.equal(made.status, 200)
      for (const target of [2, 3, 4]) await net.follow(ann, target)
      await net.follow(bob, 1)
      await net.follow(cat, 1)
      root = await net.cast(bob, {
        text: 'é hello  and /garden',
        mentions: [1n, 99n],
        mentionsPositions: [9, 9],
      })
      reply = await net.cast(cat, {
        text: 'a reply',
        parent: { case: 'parentCastId', value: { fid: 2n, hash: bytesOfHash(root) } },
      })
      nested = await net.cast(bob, {
        text: 'a reply to the reply',
        parent: { case: 'parentCastId', value: { fid: 3n, hash: bytesOfHash(reply) } },
      })
      quote = await net.cast(dan, {
        text: 'look',
        embeds: [
          { embed: { case: 'castId', value: { fid: 2n, hash: bytesOfHash(root) } } },
          { embed: { case: 'url', value: 'https://example.org/a.png' } },
        ],
      })
      inChannel = await net.cast(eve, {
        text: 'my garden',
        parent: { case: 'parentUrl', value: URL_OF_CHANNEL },
      })
      await net.like(ann, 2, root)
      await net.like(dan, 2, root)
      await net.recast(dan, 5, inChannel)
      await net.indexed()
    })
    after(() => net.world.close())

    it('users are found by fid, name, address and custody, with counts and viewer context', async () => {
      const { users } = await net.client.fetchBulkUsers({ fids: [2, 1, 77, 2], viewerFid: 1 })
      assert.deepEqual(
        users.map(({ fid, username, follower_count, following_count }) => {
          return [fid, username, follower_count, following_count]
        }),
        [
          [2, '!2', 1, 1],
          [1, '!1', 2, 3],
        ],
      )
      assert.deepEqual(users[0]!.viewer_context, {
        following: true,
        followed_by: true,
        blocking: false,
        blocked_by: false,
      })
      assert.equal(users[1]!.display_name, 'Ann')
      assert.equal(users[1]!.profile.bio.text, 'Grows tomatoes')
      const custody = toHex(net.accounts[0]!.custody)
      const { user } = await net.client.lookupUserByCustodyAddress({ custodyAddress: custody })
      assert.equal(user.fid, 1)
      const found = await net.client.fetchBulkUsersByEthOrSolAddress({
        addresses: [custody.toUpperCase().replace('0X', '0x'), `0x${'11'.repeat(20)}`],
      })
      assert.deepEqual(Object.keys(found), [custody])
    })

    it('storage, verifications and free names are answered', async () => {
      const usage: Json = await net.client.lookupUserStorageUsage({ fid: 1 })
      assert.equal(usage.links.used, 3)
      assert.ok(usage.links.capacity > 3)
      const rents = await net.client.lookupUserStorageAllocations({ fid: 1 })
      assert.equal(rents.total_active_units, 20)
      assert.deepEqual((await net.client.fetchVerifications({ fid: 1 })).verifications, [])
      const free = async (fname: string) => (await net.client.isFnameAvailable({ fname })).available
      assert.deepEqual(
        [await free('somebody'), await free('rookery'), await free('not a name')],
        [true, false, false],
      )
    })

    it('a cast has its mentions in the text, counts, channel, thread and quotes', async () => {
      const lookup = (identifier: string) =>
        net.client.lookupCastByHashOrUrl({ identifier, type: 'hash', viewerFid: 1 })
      const { cast } = await lookup(root)
      assert.equal(cast.text, 'é hello @!1@!99 and /garden'.replace('@!1@', '@!1@'))
      assert.deepEqual(
        cast.mentioned_profiles_ranges.map(({ start, end }) => cast.text.slice(start, end)),
        ['@!1'],
      )
      assert.deepEqual(
        cast.mentioned_channels_ranges.map(({ start, end }) => cast.text.slice(start, end)),
        ['/garden'],
      )
      assert.deepEqual(
        [cast.reactions.likes_count, cast.replies.count, cast.viewer_context],
        [2, 1, { liked: true, recasted: false }],
      )
      assert.deepEqual([cast.thread_hash, cast.parent_hash, cast.channel], [root, null, null])
      const { cast: below } = await lookup(nested)
      assert.deepEqual([below.thread_hash, below.parent_author.fid], [root, 3])
      const { cast: quoting }: Json = await lookup(quote)
      assert.equal(quoting.embeds[0].cast.text, cast.text)
      assert.deepEqual(quoting.embeds[1], { url: 'https://example.org/a.png' })
      const { cast: placed } = await lookup(inChannel)
      assert.deepEqual([placed.channel?.id, placed.root_parent_url], ['garden', URL_OF_CHANNEL])
      const url = `https://example.org/!2/${root.slice(0, 10)}`
      const byUrl = await net.client.lookupCastByHashOrUrl({ identifier: url, type: 'url' })
      assert.equal(byUrl.cast.hash, root)
    })

    it('casts are found in the order asked for, or sorted, and quotes of a cast are a list', async () => {
      const casts = [reply, `0x${'00'.repeat(20)}`, root]
      const asked = await net.client.fetchBulkCasts({ casts })
      assert.deepEqual(
        (asked as Json).result.casts.map(({ hash }: Json) => hash),
        [reply, root],
      )
      const liked = await net.client.fetchBulkCasts({ casts, sortType: 'likes' })
      assert.deepEqual(
        (liked as Json).result.casts.map(({ hash }: Json) => hash),
        [root, reply],
      )
      const quotes = await net.client.fetchCastQuotes({ identifier: root, type: 'hash' })
      assert.deepEqual(
        quotes.casts.map(({ hash }) => hash),
        [quote],
      )
    })

    it('a conversation has replies to the depth asked for, and the casts above', async () => {
      const { conversation } = await net.client.lookupCastConversation({
        identifier: root,
        type: 'hash',
        replyDepth: 2,
        viewerFid: 1,
      })
      const [first]: Json = conversation.cast.direct_replies
      assert.equal(first.hash, reply)
      assert.deepEqual(
        first.direct_replies.map(({ hash, direct_replies }: Json) => [hash, direct_replies]),
        [[nested, []]],
      )
      const above = await net.client.lookupCastConversation({
        identifier: nested,
        type: 'hash',
        includeChronologicalParentCasts: true,
        sortType: 'algorithmic',
        fold: 'above',
      })
      assert.deepEqual(
        above.conversation.chronological_parent_casts?.map(({ hash }) => hash),
        [root, reply],
      )
    })

    it('the feeds have what they promise', async () => {
      const hashes = ({ casts }: { casts: { hash: string }[] }) => casts.map(({ hash }) => hash)
      const following = { fid: 1, viewerFid: 1 }
      assert.deepEqual(hashes(await net.client.fetchUserFollowingFeed(following)), [
        inChannel,
        quote,
        root,
      ])
      assert.deepEqual(
        hashes(await net.client.fetchUserFollowingFeed({ ...following, withRecasts: false })),
        [quote, root],
      )
      assert.deepEqual(hashes(await net.client.fetchCastsForUser({ fid: 2 })), [nested, root])
      assert.deepEqual(
        hashes(await net.client.fetchCastsForUser({ fid: 2, includeReplies: false })),
        [root],
      )
      assert.deepEqual(
        hashes(await net.client.fetchCastsForUser({ fid: 5, channelId: 'garden' })),
        [inChannel],
      )
      assert.deepEqual(
        hashes(await net.client.fetchRepliesAndRecastsForUser({ fid: 4, filter: 'all' })),
        [inChannel],
      )
      assert.deepEqual(
        hashes(await net.client.fetchRepliesAndRecastsForUser({ fid: 2, filter: 'all' })),
        [nested],
      )
      assert.deepEqual(hashes(await net.client.fetchPopularCastsByUser({ fid: 2 })), [root, nested])
      assert.deepEqual(
        hashes(await net.client.fetchFeedByChannelIds({ channelIds: ['garden', 'none'] })),
        [inChannel],
      )
      assert.deepEqual(
        hashes(await net.client.fetchFeedByParentUrls({ parentUrls: [URL_OF_CHANNEL] })),
        [inChannel],
      )
      const filter = { feedType: 'filter', filterType: 'fids' } as const
      assert.deepEqual(hashes(await net.client.fetchFeed({ ...filter, fids: [2, 4] })), [
        inChannel,
        quote,
        root,
      ])
      const none = await net.client.fetchUserFollowingFeed({ fid: 9_999 })
      assert.deepEqual(none, { casts: [], next: { cursor: null } })
    })

    it('reactions, followers and blocks are listed', async () => {
      const likes = await net.client.fetchCastReactions({ hash: root, types: ['likes'] })
      assert.deepEqual(
        likes.reactions.map(({ user }) => user.fid),
        [4, 1],
      )
      const own = await net.client.fetchUserReactions({ fid: 4, type: 'all' })
      assert.deepEqual(
        own.reactions.map(({ cast, reaction_type }) => [cast.hash, reaction_type]),
        [
          [inChannel, 'recast'],
          [root, 'like'],
        ],
      )
      const followers = await net.client.fetchUserFollowers({ fid: 1 })
      assert.deepEqual(
        followers.users.map(({ user }) => user.fid),
        [3, 2],
      )
      const following = await net.client.fetchUserFollowing({ fid: 1 })
      assert.deepEqual(
        following.users.map(({ user }) => user.fid),
        [4, 3, 2],
      )
      const mutual = await net.client.fetchUserReciprocalFollowers({ fid: 1 })
      assert.deepEqual(
        mutual.users.map(({ user }) => user.fid),
        [3, 2],
      )
      const relevant = await net.client.fetchRelevantFollowers({ targetFid: 1, viewerFid: 2 })
      assert.deepEqual(relevant.all_relevant_followers_dehydrated, [])
      const suggested = await net.client.fetchFollowSuggestions({ fid: 2 })
      assert.deepEqual(
        suggested.users.map(({ fid }) => fid),
        [3, 4],
      )
      assert.deepEqual((await net.client.fetchBlockList({ blockerFid: 1 })).blocks, [])
      assert.deepEqual((await net.client.fetchMuteList({ fid: 1 })).mutes, [])
      assert.deepEqual((await net.client.fetchBanList({})).bans, [])
    })

    it('channels are found and listed with their members', async () => {
      const { channel } = await net.client.lookupChannel({ id: 'garden', viewerFid: 1 })
      assert.deepEqual(
        [channel.url, channel.lead?.fid, channel.viewer_context],
        [URL_OF_CHANNEL, 1, { following: false, role: 'owner' }],
      )
      assert.equal((await net.client.fetchBulkChannels({ ids: ['garden'] })).channels.length, 1)
      assert.equal((await net.client.fetchAllChannels({})).channels.length, 1)
      assert.equal((await net.client.searchChannels({ q: 'GARD' })).channels.length, 1)
      const { members } = await net.client.fetchChannelMembers({ channelId: 'garden' })
      assert.deepEqual(
        members.map(({ role, user }) => [role, user.fid]),
        [['owner', 1]],
      )
      assert.deepEqual((await net.client.fetchFollowersForAChannel({ id: 'garden' })).users, [])
      await net.client.fetchRelevantFollowersForAChannel({ id: 'garden', viewerFid: 1 })
      await net.client.fetchChannelInvites({ channelId: 'garden' })
      await net.client.fetchTrendingChannels({})
      await net.client.fetchUserChannels({ fid: 1 })
      assert.equal((await net.client.fetchUserChannelMemberships({ fid: 1 })).members.length, 1)
      const active = await net.client.fetchUsersActiveChannels({ fid: 5 })
      assert.deepEqual(
        active.channels?.map(({ id }) => id),
        ['garden'],
      )
    })

    it('users are notified of replies, mentions, quotes, reactions and follows', async () => {
      const all = await net.client.fetchAllNotifications({ fid: 2 })
      assert.deepEqual(
        all.notifications.map(({ type, count, cast }) => [type, count, cast?.hash]),
        [
          ['likes', 2, root],
          ['quote', undefined, quote],
          ['reply', undefined, reply],
          ['follows', 1, undefined],
        ],
      )
      assert.equal(all.unseen_notifications_count, 5)
      assert.ok(all.notifications.every(({ seen }) => !seen))
      const mentions = await net.client.fetchAllNotifications({ fid: 1, type: ['mentions'] })
      assert.deepEqual(
        mentions.notifications.map(({ cast }: Json) => [cast.hash, cast.type]),
        [[root, 'cast-mention']],
      )
      const [first]: Json = (await net.get('/notifications', { fid: '2', limit: '1' })).body
        .notifications
      assert.equal(first.type, 'likes')
      const inGarden = { fid: 5, channelIds: ['garden'] }
      const none = await net.client.fetchChannelNotificationsForUser(inGarden)
      assert.deepEqual(none.notifications, [])
      const parentUrls = [URL_OF_CHANNEL]
      await net.client.fetchNotificationsByParentUrlForUser({ fid: 5, parentUrls })
    })

    it('casts and users are found by words', async () => {
      const find = async (q: string, more = {}) => {
        const { result } = await net.client.searchCasts({ q, ...more })
        return result.casts.map(({ hash }) => hash)
      }
      assert.deepEqual(await find('reply'), [nested, reply])
      assert.deepEqual(await find('reply', { sortType: 'chron' }), [reply, nested])
      assert.deepEqual(await find('reply -nested'), [nested, reply])
      assert.deepEqual(await find('"to the reply"'), [nested])
      assert.deepEqual(await find('hel*'), [root])
      assert.deepEqual(await find('look | garden', { authorFid: 4 }), [quote])
      assert.deepEqual(await find('garden', { channelId: 'garden' }), [inChannel])
      assert.deepEqual(await find('reply', { sortType: 'algorithmic' }), [reply, nested])
      assert.deepEqual(await find("o'clock \\ :* NEAR words:x"), [])
      const { result } = await net.client.searchUser({ q: 'ann' })
      assert.deepEqual(
        result.users.map(({ fid }) => fid),
        [1],
      )
    })

    it('a tag is found exactly, alone and beside words, and the word without the sign finds more', async () => {
      const { 0: ann } = net.accounts
      const cast = (text: string) => net.cast(ann!, { text })
      const tagged = await cast('Owls at dusk #Birdwatch')
      const accented = await cast('two of them #bírdwatch!')
      const word = await cast('birdwatch without a sign, and #birdwatching')
      await net.indexed()
      const find = async (q: string) => {
        const { result } = await net.client.searchCasts({ q })
        return result.casts.map(({ hash }) => hash)
      }
      assert.deepEqual(await find('#birdwatch'), [accented, tagged])
      assert.deepEqual(await find('#BIRDWATCH owls'), [tagged])
      assert.deepEqual(await find('birdwatch -#birdwatch'), [word])
      assert.deepEqual(await find('"two of" #birdwatch'), [accented])
      assert.deepEqual(await find('birdwatch'), [word, accented, tagged])
      for (const hash of [tagged, accented, word]) {
        await net.send(ann!, (origin) => castRemove(origin, bytesOfHash(hash)))
      }
      await net.indexed()
    })

    it('search goes through years in windows of time, in both directions, and refuses what it cannot take', async () => {
      const eve = net.accounts[4]!
      const years = [5, 3, 3, 1, 0.02].map((ago) => Math.floor(ago * 365 * 86_400))
      const hashes: string[] = []
      for (const [i, ago] of years.entries()) {
        const now = net.world.origin(eve).timestamp
        const text = `windowed ${i}`
        const message = await net.send(eve, (origin) => {
          return castAdd({ ...origin, timestamp: Math.max(1 + i, now - ago + i) }, { text })
        })
        hashes.push(toHex(message.hash))
      }
      await net.indexed()
      for (const [sort, expected] of [
        ['desc_chron', hashes.toReversed()],
        ['chron', hashes],
      ] as const) {
        const walked: string[] = []
        for (let cursor: string | undefined = ''; cursor !== undefined; ) {
          const page = await net.get('/cast/search', {
            ...{ q: 'windowed', sort_type: sort, limit: '2' },
            ...(cursor && { cursor }),
          })
          assert.equal(page.status, 200)
          walked.push(...page.body.result.casts.map(({ hash }: Json) => hash))
          cursor = page.body.result.next.cursor ?? undefined
        }
        assert.deepEqual(walked, expected, sort)
      }
      const many = await Promise.all(
        Array.from({ length: 60 }, () => net.get('/cast/search', { q: 'windowed' })),
      )
      assert.ok(many.some(({ status }) => status === 200))
      for (const { status, body } of many) {
        assert.ok(status === 200 || body.code === 'Unavailable', `${status}`)
      }
      assert.equal((await net.get('/cast/search', { q: 'windowed' })).status, 200)
      for (const hash of hashes) {
        await net.send(eve, (origin) => castRemove(origin, bytesOfHash(hash)))
      }
      await net.indexed()
    })

    it('a page ends where the next one begins, and every cast comes once', async () => {
      const lists: [string, Record<string, string>][] = [
        ['/feed/following', { fid: '1' }],
        ['/feed/user/casts', { fid: '2' }],
        ['/feed/user/replies_and_recasts', { fid: '2' }],
        ['/feed', { feed_type: 'filter', filter_type: 'fids', fids: '2,4' }],
        ['/feed/parent_urls', { parent_urls: URL_OF_CHANNEL }],
      ]
      const hashesOf = ({ body }: Json) => body.casts.map(({ hash }: Json) => hash)
      for (const [path, query] of lists) {
        const whole = await net.get(path, { ...query, viewer_fid: '1' })
        assert.equal(whole.status, 200, JSON.stringify(whole.body))
        assert.equal(whole.body.next.cursor, null)
        const walked: string[] = []
        for (let cursor = ''; ; ) {
          const page = await net.get(path, { ...query, limit: '1', ...(cursor && { cursor }) })
          walked.push(...hashesOf(page))
          cursor = page.body.next.cursor
          if (cursor === null) break
        }
        assert.deepEqual(walked, hashesOf(whole), path)
      }
    })

    it('trending casts are ranked, and a user gets those that are neither own nor liked', async () => {
      const hashes = ({ casts }: { casts: { hash: string }[] }) => casts.map(({ hash }) => hash)
      await net.world.app.jobs.run('rank casts')
      assert.deepEqual(hashes(await net.client.fetchTrendingFeed({})), [root, inChannel])
      const inGarden = { channelId: 'garden', timeWindow: '7d' } as const
      assert.deepEqual(hashes(await net.client.fetchTrendingFeed(inGarden)), [inChannel])
      const all = { feedType: 'filter', filterType: 'global_trending' } as const
      assert.deepEqual(hashes(await net.client.fetchFeed(all)), [root, inChannel])
      assert.deepEqual(hashes(await net.client.fetchFeedForYou({ fid: 3 })), [root, inChannel])
      assert.deepEqual(hashes(await net.client.fetchFeedForYou({ fid: 2 })), [inChannel])
      assert.deepEqual(hashes(await net.client.fetchFeedForYou({ fid: 1 })), [inChannel])
      const { status, body } = await net.get('/feed/trending', { provider: 'openrank' })
      assert.deepEqual([status, body.code, body.property], [400, 'InvalidField', 'provider'])
    })

    it('a user that a viewer muted or blocked is in no list, and counts and other apps do not change', async () => {
      const { storage } = net.world.app
      const other = await net.world.operate('/app/apps', { body: { name: 'Other', fid: 1 } })
      const lists = async (key?: string) => {
        const [feed, likes, followers, quotes, replies, found, notices, people] = await Promise.all(
          [
            net.get('/feed/following', { fid: '1', viewer_fid: '1' }, key),
            net.get('/reactions/cast', { hash: root, types: 'likes', viewer_fid: '1' }, key),
            net.get('/followers', { fid: '1', viewer_fid: '1' }, key),
            net.get('/cast/quotes', { identifier: root, type: 'hash', viewer_fid: '1' }, key),
            net.get('/cast/conversation', { identifier: root, type: 'hash', viewer_fid: '1' }, key),
            net.get('/cast/search', { q: 'look|reply', viewer_fid: '1' }, key),
            net.get('/notifications', { fid: '1' }, key),
            net.get('/user/search', { q: 'carrion', viewer_fid: '1' }, key),
          ],
        )
        const fidsOf = (casts: Json[]) => casts.map(({ author }) => author.fid)
        return {
          feed: fidsOf(feed.body.casts),
          likes: likes.body.reactions.map(({ user }: Json) => user.fid),
          followers: followers.body.users.map(({ user }: Json) => user.fid),
          quotes: fidsOf(quotes.body.casts),
          replies: fidsOf(replies.body.conversation.cast.direct_replies),
          found: fidsOf(found.body.result.casts),
          notices: notices.body.notifications.map(({ type }: Json) => type),
          people: people.body.result.users.map(({ fid }: Json) => fid),
          counts: [
            replies.body.conversation.cast.reactions.likes_count,
            replies.body.conversation.cast.replies.count,
          ],
        }
      }
      const whole = await lists()
      assert.deepEqual(whole, {
        feed: [5, 4, 2],
        likes: [4, 1],
        followers: [3, 2],
        quotes: [4],
        replies: [3],
        found: [4, 2, 3],
        notices: ['mention', 'follows'],
        people: [3],
        counts: [2, 1],
      })
      const at = { app: DEVELOPMENT_APP_UUID, fid: 1, muted_at: 1 }
      const mutes = [3, 4].map((muted_fid) => ({ ...at, muted_fid }))
      await storage.write('platform', (tx) => tx.of(hiddenAccountRows).addMutes(mutes))
      const without = {
        feed: [2],
        likes: [1],
        followers: [2],
        quotes: [],
        replies: [],
        found: [2],
        notices: ['mention', 'follows'],
        people: [],
        counts: [2, 1],
      }
      assert.deepEqual(await lists(), without)
      assert.deepEqual(await lists(other.body.key), whole)
      const muted = await net.client.fetchMuteList({ fid: 1 })
      assert.deepEqual(
        muted.mutes.map(({ muted: user }) => user.fid),
        [3, 4],
      )
      await storage.write('platform', (tx) => tx.of(hiddenAccountRows).removeMutes(mutes))
      const blocks = [
        { blocker: 1, blocked: 3, created_at: 1 },
        { blocker: 4, blocked: 1, created_at: 1 },
      ]
      await storage.write('platform', (tx) => tx.blocks.insert(blocks))
      assert.deepEqual(await lists(), without)
      const blocked = await net.client.fetchBlockList({ blockedFid: 1 })
      assert.deepEqual(
        blocked.blocks.map(({ blocker }) => blocker?.fid),
        [4],
      )
      for (const pair of blocks) await storage.write('platform', (tx) => tx.blocks.remove(pair))
      const bans = [3, 4].map((fid) => ({ app: DEVELOPMENT_APP_UUID, fid, banned_at: 1 }))
      await storage.write('platform', (tx) => tx.of(hiddenAccountRows).addBans(bans))
      assert.deepEqual(await lists(), without)
      assert.equal((await net.client.fetchBanList({})).bans.length, 2)
      await storage.write('platform', (tx) => tx.of(hiddenAccountRows).removeBans(bans))
      assert.deepEqual(await lists(), whole)
    })

    it('reactions of followed accounts raise casts for a user, and a walk stays in its ranked list', async () => {
      const [ann, bob, , dan, eve] = net.accounts as [Json, Json, Json, Json, Json]
      const [popular, close] = [
        await net.cast(eve, { text: 'liked by three' }),
        await net.cast(eve, { text: 'liked by two, one of them ann' }),
      ]
      for (const account of [bob, dan, eve]) await net.like(account, 5, popular)
      for (const account of [ann, bob]) await net.like(account, 5, close)
      await net.indexed()
      await net.world.app.jobs.run('rank casts')
      const hashes = ({ casts }: { casts: { hash: string }[] }) => casts.map(({ hash }) => hash)
      const first = await net.client.fetchTrendingFeed({ limit: 1 })
      const order = [root, popular, close, inChannel]
      assert.deepEqual(hashes(first), [root])
      net.world.clock.advance(300_000)
      // cat follows ann alone.
      assert.deepEqual(hashes(await net.client.fetchFeedForYou({ fid: 3 })), [
        ...[root, close, popular, inChannel],
      ])
      await net.recast(bob, 5, close)
      await net.recast(ann, 5, close)
      await net.indexed()
      await net.world.app.jobs.run('rank casts')
      assert.equal(hashes(await net.client.fetchTrendingFeed({}))[1], close)
      const walked = hashes(first)
      for (let { cursor } = first.next; cursor; ) {
        const page = await net.client.fetchTrendingFeed({ limit: 1, cursor })
        walked.push(...hashes(page))
        cursor = page.next.cursor
      }
      assert.deepEqual(walked, order)
    })

    it('the error helper of the client is true for every error', async () => {
      const calls: [() => Promise<unknown>, number, string][] = [
        [() => net.client.lookupUserByUsername({ username: 'nobody' }), 404, 'NotFound'],
        [() => net.client.fetchBulkUsers({ fids: [0] }), 400, 'InvalidField'],
        [() => net.client.fetchFeed({ feedType: 'following' }), 400, 'RequiredField'],
        [() => net.client.fetchCastsForUser({ fid: 1, cursor: 'AAAA' }), 400, 'InvalidCursor'],
        [
          () => net.client.fetchUserBalance({ fid: 1, networks: 'base' as never }),
          400,
          'NotSupported',
        ],
      ]
      for (const [call, status, code] of calls) {
        await assert.rejects(call, (error) => {
          assert.ok(isApiErrorResponse(error))
          assert.deepEqual([error.response.status, error.response.data.code], [status, code])
          return true
        })
      }
    })
  })
}
