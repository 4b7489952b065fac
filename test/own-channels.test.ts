// What is new for a member in the own channels, and the rules of channels: counted by the member's own token alone, for all devices.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { channelLookRows } from '../src/features/app-api/tables/channel-looks.ts'
import { mutedTermRows } from '../src/features/mutes/tables/muted-terms.ts'
import { DAY_MS, unixMsOf } from '../src/kernel/protocol/time.ts'
import { MAX_SCANNED_FOR_NEWS } from '../src/kernel/storage/reads/app-places.ts'
import { createNetwork, type Json, type Network } from './app-api-support.ts'
import { type ChannelClient, channelClient, refused, succeeded } from './channels-support.ts'
import { until } from './until.ts'
import { enginesOf } from './world.ts'

const PATH = '/v2/farcaster/channel'
const DECISION = { reason: 'house rules', actor: 'the owner' }

for (const engine of enginesOf(import.meta.url)) {
  describe(`own channels on ${engine}`, { concurrency: 1 }, () => {
    let net: Network
    let client: ChannelClient
    before(async () => {
      net = await createNetwork(engine, [1, 2, 3, 4, 5])
      client = channelClient(net.world)
    })
    after(() => net?.world.close())
    const account = (fid: number) => net.accounts.find((one) => one.fid === fid)!

    async function call(fid: number | undefined, path: string, body?: object) {
      const response = await fetch(net.world.app.urls.app + PATH + path, {
        method: body ? 'POST' : 'GET',
        headers: {
          ...(fid && { authorization: `Bearer ${net.world.token(account(fid))}` }),
          'content-type': 'application/json',
          'x-api-key': 'web',
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: (await response.json()) as Json }
    }
    const own = async (fid: number): Promise<[string, number][]> => {
      const { status, body } = await call(fid, '/own')
      assert.equal(status, 200, JSON.stringify(body))
      return body.channels.map((one: Json) => [one.channel.id, one.new_count])
    }
    const look = async (fid: number, channel_id: string) => {
      net.world.clock.advance(1_000)
      assert.deepEqual((await call(fid, '/seen', { channel_id })).body, { success: true })
      net.world.clock.advance(1_000)
    }
    const writeIn = (fid: number, url: string, text: string) =>
      net.cast(account(fid), { text, parent: { case: 'parentUrl', value: url } })

    test('what others write is new until the member looks at the channel, on every device and nowhere else', async () => {
      const reeds = await client.create(account(1), 'reeds')
      const ponds = await client.create(account(1), 'ponds')
      await writeIn(1, reeds.url, 'before anybody came')
      succeeded(await client.follow(account(2), 'reeds'))
      succeeded(await client.follow(account(2), 'ponds'))
      await writeIn(1, reeds.url, 'first')
      await writeIn(3, reeds.url, 'second')
      await writeIn(2, reeds.url, 'of the member')
      await writeIn(3, ponds.url, 'wet')
      await net.indexed()
      assert.deepEqual(
        new Map(await own(2)),
        new Map([
          ['reeds', 2],
          ['ponds', 1],
        ]),
      )
      await look(2, 'reeds')
      // Those with something new come first.
      assert.deepEqual(await own(2), [
        ['ponds', 1],
        ['reeds', 0],
      ])
      await writeIn(3, reeds.url, 'third')
      await net.indexed()
      assert.deepEqual(
        new Map(await own(2)),
        new Map([
          ['reeds', 1],
          ['ponds', 1],
        ]),
      )
      // The owner is a member of both, and sees only what others wrote.
      assert.deepEqual(
        new Map(await own(1)),
        new Map([
          ['reeds', 3],
          ['ponds', 1],
        ]),
      )
      assert.deepEqual(await own(3), [])
      // The same for the mark at the way to them, without the channels.
      const marked = await call(1, '/own/new')
      assert.deepEqual(
        new Set(marked.body.channels.map((one: Json) => Object.values(one).join())),
        new Set(['reeds,3', 'ponds,1']),
      )
      // Who has been shown an older post has not seen a newer one, and a look does not go back.
      const seen = async (body: object) =>
        assert.equal((await call(1, '/seen', { channel_id: 'reeds', ...body })).status, 200)
      const before = Math.floor(net.world.clock.now() / 1_000) - 1_000
      await seen({ seen_at: before })
      assert.equal(new Map(await own(1)).get('reeds'), 3)
      await look(1, 'reeds')
      await seen({ seen_at: before })
      assert.equal(new Map(await own(1)).get('reeds'), 0)
      assert.equal((await call(1, '/seen', { channel_id: 'reeds', seen_at: -1 })).status, 400)
      // What the member does not see for a word that it has is not new either.
      await writeIn(3, reeds.url, 'All about BOATS!')
      await writeIn(3, reeds.url, 'Boats, once more')
      await net.indexed()
      assert.equal(new Map(await own(1)).get('reeds'), 2)
      const mute = (term: string) =>
        net.world.app.storage.write('fid/1', (tx) =>
          tx.of(mutedTermRows).add({ fid: 1, kind: 'word', term, muted_at: 1 }),
        )
      await mute('boats')
      assert.equal(new Map(await own(1)).get('reeds'), 0)
      await writeIn(3, reeds.url, 'A boat')
      await net.indexed()
      assert.equal(new Map(await own(1)).get('reeds'), 1)
      assert.deepEqual(
        (await call(1, '/own/new')).body.channels.map((one: Json) => Object.values(one).join()),
        ['ponds,1', 'reeds,1'],
      )
      // Nothing of it is in what others read.
      const read = await net.get('/channel', { id: 'reeds', type: 'id', viewer_fid: '2' })
      assert.doesNotMatch(JSON.stringify(read.body), /new_count|seen/)
    })

    test('nobody without a token of the member reads or marks what is new, and unknown channels are refused', async () => {
      assert.equal((await call(undefined, '/own')).status, 401)
      assert.equal((await call(undefined, '/own/new')).status, 401)
      assert.equal((await call(undefined, '/seen', { channel_id: 'reeds' })).status, 403)
      const unknown = await call(2, '/seen', { channel_id: 'nowhere' })
      assert.deepEqual([unknown.status, unknown.body.property], [404, 'channel_id'])
      assert.equal((await call(2, '/own?channel_id=nowhere')).status, 404)
      assert.equal((await call(2, '/seen', {})).status, 400)
    })

    test('more than twenty are counted no further, and what the channel or the member hides is not counted', async () => {
      const many = await client.create(account(1), 'many', { publicCasting: false })
      succeeded(await client.follow(account(4), 'many'))
      net.world.clock.advance(1_000)
      for (let i = 0; i < 22; i++) await writeIn(1, many.url, `post ${i}`)
      // Muted ones are no part of the twenty, wherever they stand among them.
      for (let i = 0; i < 3; i++) await writeIn(1, many.url, `yachts ${i}`)
      await net.world.app.storage.write('fid/4', (tx) =>
        tx.of(mutedTermRows).add({ fid: 4, kind: 'word', term: 'yachts', muted_at: 1 }),
      )
      for (let i = 0; i < 3; i++) await writeIn(5, many.url, `of nobody who is a member ${i}`)
      await net.indexed()
      assert.deepEqual(await own(4), [['many', 21]])
      await look(4, 'many')
      assert.deepEqual(await own(4), [['many', 0]])
      await writeIn(5, many.url, 'still no member')
      const hidden = await writeIn(1, many.url, 'hidden by its moderators')
      await writeIn(1, many.url, 'shown')
      await net.indexed()
      await client.call(account(1), 'POST', '/fc/moderated-casts', {
        castHash: hidden,
        action: 'hide',
      })
      assert.deepEqual(await own(4), [['many', 1]])
      // A flood of strangers, whom the channel does not show, hides nothing.
      for (let i = 0; i < 60; i++) await writeIn(5, many.url, `flood ${i}`)
      await net.indexed()
      assert.deepEqual(await own(4), [['many', 1]])
      // One that is longer than what is looked at: there may be something new.
      for (let i = 60; i < MAX_SCANNED_FOR_NEWS; i++) await writeIn(5, many.url, `flood ${i}`)
      await net.indexed()
      assert.deepEqual(await own(4), [['many', 21]])
      await writeIn(1, many.url, 'yachts, seen by all but this one')
      await net.indexed()
      assert.deepEqual(await own(4), [['many', 21]])
      const muted = await fetch(`${net.world.app.urls.app}/v2/farcaster/mute/own`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${net.world.token(account(4))}`,
          'content-type': 'application/json',
          'x-api-key': 'web',
        },
        body: JSON.stringify({ channel_id: 'many' }),
      })
      assert.equal(muted.status, 200)
      assert.deepEqual(await own(4), [['many', 0]])
    })

    test('the rules of a channel are shown to who has not read them as they are now', async () => {
      const rules = 'Be kind.\nPictures of birds only.'
      const created = await client.create(account(1), 'ruled', { rules })
      assert.equal(created.rules, rules)
      const state = async (fid: number) => {
        const { body } = await call(fid, '/own?channel_id=ruled')
        return [body.channels[0].has_read_rules, body.channels[0].channel.rules]
      }
      assert.deepEqual(await state(5), [false, rules])
      // Lists leave them out; a channel that is read alone has them.
      const all = await net.world.platform('/v2/all-channels')
      const alone = await net.world.platform('/v1/channel?channelId=ruled')
      assert.ok(
        !JSON.stringify(all.body).includes('Be kind.') && all.body.result.channels.length > 0,
      )
      assert.equal(alone.body.result.channel.rules, rules)
      assert.ok(!JSON.stringify((await call(1, '/own')).body).includes('Be kind.'))
      assert.equal((await call(5, '/seen', { channel_id: 'ruled', rules: 'others' })).status, 200)
      assert.deepEqual(await state(5), [false, rules])
      assert.equal((await call(5, '/seen', { channel_id: 'ruled', rules })).status, 200)
      assert.deepEqual(await state(5), [true, rules])
      // That is no look of a time before there was the channel, which would be forgotten first.
      const [look5] = await net.world.app.storage.of(channelLookRows).of(5, ['ruled'])
      const readAt = unixMsOf(look5!.seen_at)
      assert.ok(Math.abs(readAt - net.world.clock.now()) < DAY_MS, `${readAt}`)
      assert.deepEqual(await state(4), [false, rules])
      // Whose rules they are need not read them.
      assert.deepEqual(await state(1), [true, rules])
      const edit = (fid: number, next: unknown) =>
        client.call(account(fid), 'PATCH', '/fc/channels', { channelId: 'ruled', rules: next })
      refused(await edit(5, 'mine'), 403, /does not own/)
      for (const bad of ['', '\u200b \n', 'x'.repeat(1_001), 'a\u0007', 5]) {
        const answer = await edit(1, bad)
        assert.deepEqual([answer.status, answer.body.field], [400, 'rules'], JSON.stringify(bad))
      }
      assert.equal((await edit(1, 'New ones.')).status, 200)
      assert.deepEqual(await state(5), [false, 'New ones.'])
      // Posts are not refused because of rules.
      await writeIn(5, created.url, 'without having read them')
      assert.equal((await edit(1, null)).status, 200)
      assert.deepEqual(await state(5), [true, undefined])
    })

    test('an erased owner takes the rules along, and an erased member the looks', async () => {
      await client.create(account(3), 'erased', { rules: 'words of a person' })
      await look(2, 'erased')
      const looks = net.world.app.storage.of(channelLookRows)
      assert.ok((await looks.count(2)) > 0)
      await net.world.operate('/moderation/accounts/3/erase', { body: DECISION })
      await until(async () => !(await client.result('/v1/channel?channelId=erased')).channel.rules)
      await net.world.operate('/moderation/accounts/2/erase', { body: DECISION })
      await until(async () => (await looks.count(2)) === 0)
    })
  })
}
