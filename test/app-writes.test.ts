// Writes through the app API, by the stock client.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { FarcasterNetwork, Message, makeCastAdd, NobleEd25519Signer } from '@farcaster/core'
import type { NeynarAPIClient } from '@neynar/nodejs-sdk'
import { appSeenRows } from '../src/features/app-api/tables/app-seen.ts'
import { hiddenAccountRows } from '../src/features/app-api/tables/hidden-accounts.ts'
import { linkAdd, linkRemove } from '../src/kernel/protocol/build.ts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { signEthClaim } from '../src/kernel/protocol/crypto/eip712.ts'
import { hashOf } from '../src/kernel/protocol/crypto/hash.ts'
import { addressOfPrivateKey } from '../src/kernel/protocol/crypto/secp256k1.ts'
import { refusal, sdk, type Writer, writersOf } from './app-writes-support.ts'
import { effort } from './effort.ts'
import { indexed } from './indexed.ts'
import type { Person } from './registry-support.ts'
import { until } from './until.ts'
import { type Answer, createWorld, DEVNET, enginesOf, type World } from './world.ts'

/** The client declares what is one of several shapes as all of them at once. */
const embedsOf = (embeds: readonly object[]) =>
  embeds as Parameters<NeynarAPIClient['publishCast']>[0]['embeds'] & object

for (const engine of enginesOf(import.meta.url)) {
  describe(`writes through the app API on ${engine}`, () => {
    let world: World
    let client: NeynarAPIClient
    let app: Person
    let alice: Writer
    let bob: Writer

    before(async () => {
      world = await createWorld({ engine, env: { ROOKERY_VIEWS: 'on' } })
      client = sdk(world)
      const writers = writersOf(world)
      app = await writers.registry.person(900)
      alice = await writers.writer(client, app, 901)
      bob = await writers.writer(client, app, 902)
    })
    after(() => world.close())

    const castOf = async (fid: number, hash: string): Promise<Answer> =>
      world.get(`/v1/castById?fid=${fid}&hash=${hash}`)
    const ofAlice = () => ({ signerUuid: alice.signerUuid })
    const raw = async (path: string, method: string, body: object): Promise<Answer> => {
      const response = await fetch(`${world.app.urls.app}/v2/farcaster${path}`, {
        method,
        headers: { 'x-api-key': 'development', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: await response.json(), headers: response.headers }
    }

    it('a blocked user cannot reply to, mention or quote the blocker', async () => {
      const { cast } = await client.publishCast({ ...ofAlice(), text: 'not for bob' })
      const ofBob = { signerUuid: bob.signerUuid }
      const quote = embedsOf([{ cast_id: { fid: alice.fid, hash: cast.hash } }])
      const attempts = [
        { ...ofBob, text: 'reply', parent: cast.hash },
        { ...ofBob, text: `mention @${alice.username}` },
        { ...ofBob, text: 'quote', embeds: quote },
      ]
      const origin = world.origin(alice.app)
      const block = world.sign(alice.app, linkAdd(origin, 'block', bob.fid))
      assert.equal((await world.submit(block)).status, 200)
      for (const attempt of attempts) {
        assert.match(await refusal(client.publishCast(attempt)), /^40\d/)
      }
      world.clock.advance(1_000)
      const later = world.origin(alice.app)
      const unblock = world.sign(alice.app, linkRemove(later, 'block', bob.fid))
      assert.equal((await world.submit(unblock)).status, 200)
      for (const attempt of attempts) {
        assert.equal((await client.publishCast(attempt)).success, true)
      }
    })

    it('a cast with mentions and embeds is stored as the protocol says', async () => {
      const quoted = await client.publishCast({ ...ofAlice(), text: 'quoted' })
      const text = `é @${bob.username} and @nobody, @${alice.username}`
      const embeds = [
        { url: 'https://example.org/a.png' },
        { cast_id: { fid: alice.fid, hash: quoted.cast.hash } },
      ]
      const { success, cast } = await client.publishCast({
        ...ofAlice(),
        text,
        embeds: embedsOf(embeds),
      })
      assert.equal(success, true)
      assert.deepEqual(cast, { hash: cast.hash, author: { fid: alice.fid }, text })
      const { body } = await castOf(alice.fid, cast.hash)
      const stored = body.data.castAddBody
      assert.equal(stored.text, 'é  and @nobody, ')
      assert.deepEqual(stored.mentions, [bob.fid, alice.fid])
      assert.deepEqual(stored.mentionsPositions, [3, 17])
      assert.deepEqual(stored.embeds, [
        { url: 'https://example.org/a.png' },
        { castId: { fid: alice.fid, hash: quoted.cast.hash } },
      ])
      const camel = [{ castId: { fid: alice.fid, hash: quoted.cast.hash } }]
      await client.publishCast({ ...ofAlice(), text: 'camel', embeds: embedsOf(camel) })
    })

    it('a cast has up to four embeds, as at the hub', async () => {
      const embeds = (count: number) =>
        embedsOf(Array.from({ length: count }, (_, i) => ({ url: `https://example.org/${i}` })))
      const { cast } = await client.publishCast({ ...ofAlice(), embeds: embeds(4) })
      const { body } = await castOf(alice.fid, cast.hash)
      assert.deepEqual(body.data.castAddBody.embeds, embeds(4))
      assert.equal(
        await refusal(client.publishCast({ ...ofAlice(), embeds: embeds(5) })),
        '400 InvalidField embeds',
      )
    })

    it('an ENS name that nobody here uses mentions nobody, whoever has its first label as a name', async () => {
      const text = `@${bob.username}.eth and @${bob.username}.base.eth, but @${bob.username}.`
      const { cast } = await client.publishCast({ ...ofAlice(), text })
      const stored = (await castOf(alice.fid, cast.hash)).body.data.castAddBody
      const kept = `@${bob.username}.eth and @${bob.username}.base.eth, but `
      assert.equal(stored.text, `${kept}.`)
      assert.deepEqual(stored.mentions, [bob.fid])
      assert.deepEqual(stored.mentionsPositions, [kept.length])
    })

    it('a reply is to a cast or a url, and a channel stands for its url', async () => {
      const { cast: root } = await client.publishCast({ ...ofAlice(), text: 'root' })
      const reply = await client.publishCast({ ...ofAlice(), text: 'reply', parent: root.hash })
      const { body } = await castOf(alice.fid, reply.cast.hash)
      assert.deepEqual(body.data.castAddBody.parentCastId, { fid: alice.fid, hash: root.hash })
      const unknown = `0x${'12'.repeat(20)}`
      assert.equal(
        await refusal(client.publishCast({ ...ofAlice(), text: 'x', parent: unknown })),
        '404 NotFound parent',
      )
      const given = { parent: unknown, parentAuthorFid: 5 }
      await client.publishCast({ ...ofAlice(), text: 'to one not stored', ...given })
      const url = 'https://example.org/place'
      const placed = await client.publishCast({ ...ofAlice(), text: 'placed', parent: url })
      const parentUrl = async (hash: string) =>
        (await castOf(alice.fid, hash)).body.data.castAddBody.parentUrl
      assert.equal(await parentUrl(placed.cast.hash), url)
      await world.platform('/fc/channels', {
        body: { channelId: 'cooking', name: 'Cooking' },
        token: world.token(alice.app),
      })
      const inChannel = await client.publishCast({ ...ofAlice(), text: 'c', channelId: 'cooking' })
      assert.match(await parentUrl(inChannel.cast.hash), /cooking$/)
      assert.equal(
        await refusal(client.publishCast({ ...ofAlice(), text: 'x', channelId: 'none' })),
        '404 NotFound channel_id',
      )
    })

    it('a long text becomes a long cast, and one that is too long is refused by its field', async () => {
      const { cast } = await client.publishCast({ ...ofAlice(), text: 'x'.repeat(321) })
      assert.equal((await castOf(alice.fid, cast.hash)).body.data.castAddBody.type, 'LONG_CAST')
      assert.equal(
        await refusal(client.publishCast({ ...ofAlice(), text: 'x'.repeat(1025) })),
        '400 InvalidField text',
      )
      assert.equal(
        await refusal(client.publishCast({ ...ofAlice(), text: '\ud800' })),
        '400 InvalidField text',
      )
      assert.match(await refusal(client.publishCast(ofAlice())), /^400 bad_request/)
    })

    it('a cast is removed by its author alone', async () => {
      const { cast } = await client.publishCast({ ...ofAlice(), text: 'to remove' })
      const target = { targetHash: cast.hash }
      assert.equal(
        await refusal(client.deleteCast({ signerUuid: bob.signerUuid, ...target })),
        '403 Forbidden target_hash',
      )
      assert.equal((await client.deleteCast({ ...ofAlice(), ...target })).success, true)
      assert.equal((await castOf(alice.fid, cast.hash)).status, 404)
      assert.equal(
        await refusal(client.deleteCast({ ...ofAlice(), ...target })),
        '404 NotFound target_hash',
      )
    })

    it('requests with one idem have one result, also 32 at once, and others have their own', async () => {
      const publish = (idem: string, text = 'once') =>
        client.publishCast({ ...ofAlice(), text, idem })
      const answers = await Promise.all(Array.from({ length: 32 }, () => publish('idem-1')))
      const hashes = new Set(answers.map(({ cast }) => cast.hash))
      assert.equal(hashes.size, 1)
      world.clock.advance(5_000)
      assert.ok(hashes.has((await publish('idem-1')).cast.hash), 'some seconds later')
      assert.ok(hashes.has((await publish('idem-1', 'other')).cast.hash), 'with another text')
      assert.ok(!hashes.has((await publish('idem-2')).cast.hash))
      const { body } = await world.get(`/v1/castsByFid?fid=${alice.fid}&pageSize=1000`)
      const same = body.messages.filter(
        // biome-ignore lint/suspicious/noExplicitAny: JSON
        (one: any) => one.data.castAddBody?.text === 'once',
      )
      assert.equal(same.length, 2)
      world.clock.advance(25 * 3_600_000)
      assert.ok(!hashes.has((await publish('idem-1')).cast.hash), 'a day later it is a new cast')
    })

    it('an idem whose message the hub refused can be used again', async () => {
      const idem = 'refused'
      await refusal(client.publishCast({ ...ofAlice(), text: 'x'.repeat(1025), idem }))
      const { cast } = await client.publishCast({ ...ofAlice(), text: 'short', idem })
      assert.equal((await castOf(alice.fid, cast.hash)).status, 200)
    })

    it('reactions to casts and urls are added and taken back', async () => {
      const { cast } = await client.publishCast({ ...ofAlice(), text: 'like me' })
      const by = { signerUuid: bob.signerUuid }
      const stored = async (type: string) => {
        const target = `target_fid=${alice.fid}&target_hash=${cast.hash}`
        const path = `/v1/reactionById?fid=${bob.fid}&reaction_type=${type}&${target}`
        return (await world.get(path)).status
      }
      for (const reactionType of ['like', 'recast'] as const) {
        const what = { ...by, reactionType, target: cast.hash }
        assert.equal((await client.publishReaction(what)).success, true)
        assert.equal(await stored(reactionType === 'like' ? '1' : '2'), 200)
        // In the same second: the newer one wins.
        assert.equal((await client.deleteReaction(what)).success, true)
        assert.equal(await stored(reactionType === 'like' ? '1' : '2'), 404)
        assert.equal((await client.publishReaction({ ...what, idem: reactionType })).success, true)
        assert.equal(await stored(reactionType === 'like' ? '1' : '2'), 200)
      }
      const url = { ...by, reactionType: 'like' as const, target: 'https://example.org/' }
      assert.equal((await client.publishReaction(url)).success, true)
      const unknown = { ...by, reactionType: 'like' as const, target: `0x${'34'.repeat(20)}` }
      assert.equal(await refusal(client.publishReaction(unknown)), '404 NotFound target')
      await client.publishReaction({ ...unknown, targetAuthorFid: 3 })
    })

    it('likes and unlikes by 16 callers at once all succeed and leave one state', async () => {
      const { cast } = await client.publishCast({ ...ofAlice(), text: 'raced' })
      const what = { signerUuid: bob.signerUuid, reactionType: 'like' as const, target: cast.hash }
      await Promise.all(
        Array.from({ length: 16 }, (_, i) =>
          i % 2 === 0 ? client.publishReaction(what) : client.deleteReaction(what),
        ),
      )
      await client.publishReaction(what)
      const target = `target_fid=${alice.fid}&target_hash=${cast.hash}`
      const { body } = await world.get(`/v1/reactionsByCast?${target}&reaction_type=1`)
      assert.equal(body.messages.length, 1)
    })

    it('users follow and unfollow several accounts, each with its own result', async () => {
      const targetFids = [bob.fid, 77, 78, 77]
      const followed = await client.followUser({ ...ofAlice(), targetFids })
      assert.equal(followed.success, true)
      assert.deepEqual(
        followed.details.map(({ target_fid, success }) => [target_fid, success]),
        [
          [bob.fid, true],
          [77, true],
          [78, true],
        ],
      )
      const links = async () =>
        (await world.get(`/v1/linksByFid?fid=${alice.fid}&link_type=follow`)).body.messages.length
      assert.equal(await links(), 3)
      await client.unfollowUser({ ...ofAlice(), targetFids: [77] })
      assert.equal(await links(), 2)
      const tooMany = Array.from({ length: 101 }, (_, i) => i + 1)
      assert.equal(
        await refusal(client.followUser({ ...ofAlice(), targetFids: tooMany })),
        '400 InvalidField target_fids',
      )
    })

    it('a profile is changed field by field, and partial success has the status 207', async () => {
      const changed = await client.updateUser({
        ...ofAlice(),
        displayName: 'Alice',
        bio: 'hello',
        pfpUrl: 'https://example.org/a.png',
        url: 'https://example.org',
        location: { latitude: 52.516, longitude: -0.0001 },
        verifiedAccounts: { x: 'alice', github: 'alice' },
      })
      assert.equal(changed.success, true)
      const values = async () => {
        const { body } = await world.get(`/v1/userDataByFid?fid=${alice.fid}`)
        return Object.fromEntries(
          // biome-ignore lint/suspicious/noExplicitAny: JSON
          body.messages.map((one: any) => Object.values(one.data.userDataBody)),
        )
      }
      const stored = await values()
      assert.equal(stored.USER_DATA_TYPE_DISPLAY, 'Alice')
      assert.equal(stored.USER_DATA_TYPE_LOCATION, 'geo:52.52,0.00')
      assert.equal(stored.USER_DATA_TYPE_TWITTER, 'alice')

      const body = { signer_uuid: alice.signerUuid, bio: 'new', username: 'not-mine' }
      const partly = await raw('/user', 'PATCH', body)
      assert.equal(partly.status, 207)
      assert.equal(partly.body.success, false)
      assert.equal(partly.body.errors.length, 1)
      assert.equal((await values()).USER_DATA_TYPE_BIO, 'new')
      assert.match(
        await refusal(client.updateUser({ ...ofAlice(), displayName: 'x'.repeat(33) })),
        /^400 InvalidField display_name$/,
      )
      assert.match(await refusal(client.updateUser(ofAlice())), /^400/)
    })

    it('an address is verified, becomes the primary one, and is given up', async () => {
      const privateKey = new Uint8Array(32).fill(9)
      const address = addressOfPrivateKey(privateKey)
      const blockHash = hashOf(Buffer.from('block'))
      const claim = { address, blockHash: Buffer.concat([blockHash, Buffer.alloc(12)]) }
      const signature = signEthClaim(world.origin(alice.app), claim, privateKey)
      const body = {
        ...ofAlice(),
        address: toHex(address),
        blockHash: toHex(claim.blockHash),
        ethSignature: toHex(signature),
      }
      assert.equal((await client.publishVerification(body)).success, true)
      await client.updateUser({ ...ofAlice(), primaryEthAddress: toHex(address) })
      assert.equal(
        await refusal(
          client.publishVerification({ ...body, ethSignature: `0x${'00'.repeat(65)}` }),
        ),
        '400 InvalidField eth_signature',
      )
      assert.equal((await client.deleteVerification(body)).success, true)
      const { body: left } = await world.get(`/v1/verificationsByFid?fid=${alice.fid}`)
      assert.equal(left.messages.length, 0)
    })

    it('channels are followed, and members invited, accepted and removed, as the platform decides', async () => {
      const by = { signerUuid: bob.signerUuid }
      const channelId = 'cooking'
      assert.equal((await client.followChannel({ ...by, channelId })).success, true)
      const invite = { channelId, fid: bob.fid, role: 'member' as const }
      assert.equal((await client.inviteChannelMember({ ...ofAlice(), ...invite })).success, true)
      const answer = { ...by, channelId, role: 'member' as const, accept: true }
      assert.equal((await client.respondChannelInvite(answer)).success, true)
      const members = async () =>
        (await world.platform(`/fc/channel-members?channelId=${channelId}`)).body.result.members
      assert.ok((await members()).some(({ fid }: { fid: number }) => fid === bob.fid))
      assert.equal((await client.removeChannelMember({ ...ofAlice(), ...invite })).success, true)
      assert.ok(!(await members()).some(({ fid }: { fid: number }) => fid === bob.fid))
      assert.equal((await client.unfollowChannel({ ...by, channelId })).success, true)
      assert.match(
        await refusal(client.inviteChannelMember({ ...by, ...invite, fid: alice.fid })),
        /^40[03] /,
      )
      assert.equal(
        await refusal(client.followChannel({ ...by, channelId: 'none' })),
        '404 NotFound',
      )
    })

    it('users are blocked and unblocked on the platform and by a link', async () => {
      const pair = { signerUuid: bob.signerUuid, blockedFid: alice.fid }
      const blocked = async () =>
        (await world.platform(`/v1/blocked-users?blockerFid=${bob.fid}`)).body.result.blockedUsers
      const link = () =>
        world.get(`/v1/linkById?fid=${bob.fid}&target_fid=${alice.fid}&link_type=block`)
      for (const _ of ['first', 'again']) {
        assert.deepEqual(await client.publishBlock(pair), { success: true })
        assert.equal((await blocked()).length, 1)
        assert.equal((await link()).body.data.linkBody.type, 'block')
      }
      for (const _ of ['first', 'again']) {
        assert.deepEqual(await client.deleteBlock(pair), { success: true })
        assert.equal((await blocked()).length, 0)
        assert.equal((await link()).status, 404)
      }
      assert.equal(
        await refusal(client.publishBlock({ ...pair, blockedFid: bob.fid })),
        '400 InvalidField blocked_fid',
      )
    })

    it('mutes and bans are kept for the app alone', async () => {
      const pair = { fid: alice.fid, mutedFid: bob.fid }
      const uuid = '00000000-0000-4000-8000-000000000001'
      const hidden = world.app.storage.of(hiddenAccountRows)
      const muted = async () =>
        (await hidden.mutes(uuid, alice.fid, undefined, 10)).map(({ muted_fid }) => muted_fid)
      assert.equal((await client.publishMute(pair)).success, true)
      assert.deepEqual(await muted(), [bob.fid])
      assert.equal((await client.deleteMute(pair)).success, true)
      assert.deepEqual(await muted(), [])
      assert.equal((await client.publishBans({ fids: [bob.fid, bob.fid] })).success, true)
      assert.equal(await hidden.banCount(uuid), 1)
      assert.equal((await client.deleteBans({ fids: [bob.fid] })).success, true)
      assert.equal(await hidden.banCount(uuid), 0)
      assert.equal(
        await refusal(client.publishMute({ fid: alice.fid, mutedFid: 4_000_000 })),
        '400 InvalidField muted_fid',
      )
    })

    it('notifications are marked as seen by a signer or by a token of the user', async () => {
      const uuid = '00000000-0000-4000-8000-000000000001'
      assert.equal((await client.markNotificationsAsSeen(ofAlice())).success, true)
      assert.equal((await world.app.storage.of(appSeenRows).of(uuid, alice.fid)).length, 6)
      const response = await fetch(`${world.app.urls.app}/v2/farcaster/notifications/seen`, {
        method: 'POST',
        headers: {
          'x-api-key': 'development',
          'content-type': 'application/json',
          authorization: `Bearer ${world.token(bob.app)}`,
        },
        body: JSON.stringify({ type: 'follows' }),
      })
      assert.equal(response.status, 200)
      assert.equal((await world.app.storage.of(appSeenRows).of(uuid, bob.fid)).length, 1)
      assert.equal(await refusal(client.markNotificationsAsSeen({})), '401 Unauthorized')
    })

    it('a message that was signed elsewhere is stored from the JSON of @farcaster/core', async () => {
      const signer = new NobleEd25519Signer(alice.app.seed)
      const made = await makeCastAdd(
        {
          text: 'signed elsewhere',
          embeds: [],
          embedsDeprecated: [],
          mentions: [],
          mentionsPositions: [],
          type: 0,
        },
        {
          fid: alice.fid,
          network: FarcasterNetwork.DEVNET,
          timestamp: world.origin(alice.app).timestamp,
        },
        signer,
      )
      const message = made._unsafeUnwrap()
      const json = Message.toJSON(message) as object
      const answer = await client.publishMessageToFarcaster({ body: json })
      const hash = toHex(message.hash)
      assert.deepEqual(answer, { success: true, hash })
      assert.equal((await castOf(alice.fid, hash)).status, 200)
      const { dataBytes: _, ...withoutBytes } = json as Record<string, unknown>
      assert.deepEqual(await client.publishMessageToFarcaster({ body: withoutBytes }), answer)
      assert.match(await refusal(client.publishMessageToFarcaster({ body: { data: 5 } })), /^400 /)
      assert.match(await refusal(client.publishMessageToFarcaster({ body: {} })), /^400 /)
      assert.equal(DEVNET, FarcasterNetwork.DEVNET)
      assert.equal(fromHex(hash)!.length, 20)
    })

    it('answers to writes name the event', async () => {
      const { headers, body } = await raw('/cast', 'POST', {
        signer_uuid: alice.signerUuid,
        text: 'which event',
      })
      const id = headers.get('x-rookery-event-id')
      const event = await world.get(`/v1/eventById?event_id=${id}`)
      assert.equal(event.body.mergeMessageBody.message.hash, body.cast.hash)
    })

    it('what was written is read at once, again and again, by its id and by the views', async () => {
      // Casts of earlier tests may be dated some seconds ahead of the clock.
      world.clock.advance(60_000)
      let atOnce = 0
      // An answer waits two seconds for the views, which a busy machine may exceed. Then it says so.
      const write = async (method: string, terms: object) => {
        const { headers, body } = await raw('/cast', method, {
          signer_uuid: alice.signerUuid,
          ...terms,
        })
        if (headers.get('x-rookery-indexed') === null) atOnce++
        else await indexed(world.app)
        return body
      }
      for (let i = 0; i < effort(15, 1_000); i++) {
        const body = await write('POST', { text: `read at once ${i}` })
        const { casts } = await client.fetchCastsForUser({ fid: alice.fid, limit: 1 })
        assert.equal(casts[0]?.hash, body.cast.hash)
        await write('DELETE', { target_hash: body.cast.hash })
        assert.match(
          await refusal(
            client.lookupCastByHashOrUrl({ identifier: body.cast.hash, type: 'hash' as never }),
          ),
          /^404 NotFound/,
        )
      }
      assert.ok(atOnce > 0)
    })

    it('a write that the views have not read says so, and a read after its event waits or answers 503', async () => {
      world.clock.advance(60_000)
      const read = (after: string) =>
        fetch(`${world.app.urls.app}/v2/farcaster/feed/user/casts?fid=${alice.fid}&limit=1`, {
          headers: { 'x-api-key': 'development', 'x-rookery-after': after },
        })
      const release = await world.app.views!.hold()
      const { status, headers, body } = await raw('/cast', 'POST', {
        signer_uuid: alice.signerUuid,
        text: 'not indexed yet',
      })
      assert.deepEqual([status, headers.get('x-rookery-indexed')], [200, 'false'])
      const id = headers.get('x-rookery-event-id')!
      const early = await read(id)
      assert.equal(early.status, 503)
      assert.equal(((await early.json()) as { code: string }).code, 'Unavailable')
      assert.ok(Number(early.headers.get('retry-after')) >= 1)
      release()
      const late = await until(async () => {
        const answer = await read(id)
        return answer.ok ? answer : undefined
      }, 'the read is answered')
      const { casts } = (await late.json()) as { casts: { hash: string }[] }
      assert.equal(casts[0]?.hash, body.cast.hash)
      for (const wrong of [String(Number(id) + 1_000_000), 'x', '-1', '1'.repeat(17)]) {
        assert.equal((await read(wrong)).status, 400, wrong)
      }
    })

    it('signers of other apps and signers that are not approved cannot write', async () => {
      const made = await world.operate('/app/apps', { body: { name: 'Other', fid: 5 } })
      const other = sdk(world, made.body.key)
      assert.equal(
        await refusal(other.publishCast({ ...ofAlice(), text: 'x' })),
        '404 NotFound signer_uuid',
      )
      const { signer_uuid } = await client.createSigner()
      assert.equal(
        await refusal(client.publishCast({ signerUuid: signer_uuid, text: 'x' })),
        '403 Forbidden signer_uuid',
      )
      assert.equal(
        await refusal(client.publishCast({ signerUuid: 'nothing', text: 'x' })),
        '404 NotFound signer_uuid',
      )
    })

    it('a user whose link the hub refuses is blocked on this server, and the answer says why', async () => {
      // A newer link cannot be made: it would be more than ten minutes ahead of the clock.
      const origin = world.origin(bob.app)
      const ahead = { ...origin, timestamp: origin.timestamp + 600 }
      const removal = world.sign(bob.app, linkRemove(ahead, 'block', alice.fid))
      assert.equal((await world.submit(removal)).status, 200)
      const pair = { signerUuid: bob.signerUuid, blockedFid: alice.fid }
      const { success, message } = await client.publishBlock(pair)
      assert.equal(success, true)
      assert.match(
        message!,
        /^blocked on this server only, because the hub refused the link: .*future/,
      )
      const { body } = await world.platform(`/v1/blocked-users?blockerFid=${bob.fid}`)
      assert.equal(body.result.blockedUsers.length, 1)
      assert.deepEqual(await client.deleteBlock(pair), { success: true })
    })
  })
}
