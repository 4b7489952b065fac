// Webhooks of the app API: by the stock client, delivered to a real receiver.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { NeynarAPIClient } from '@neynar/nodejs-sdk'
import { BADGES } from '../src/features/badges/port.ts'
import { refusal, sdk, type Writer, writersOf } from './app-writes-support.ts'
import { indexed } from './indexed.ts'
import { until } from './until.ts'
import { startReceiver } from './webhook-support.ts'
import { createWorld, enginesOf, type World } from './world.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`webhooks on ${engine}`, () => {
    let world: World
    let client: NeynarAPIClient
    let alice: Writer
    let bob: Writer
    const open: (() => void)[] = []

    before(async () => {
      world = await createWorld({ engine, env: { ROOKERY_VIEWS: 'on', ROOKERY_BADGE_MAX: '100' } })
      client = sdk(world)
      const writers = writersOf(world)
      const app = await writers.registry.person(900)
      alice = await writers.writer(client, app, 901)
      bob = await writers.writer(client, app, 902)
    })
    after(async () => {
      for (const close of open) close()
      await world.close()
    })
    const receive = async () => {
      const made = await startReceiver()
      open.push(made.close)
      return made
    }
    const ofAlice = () => ({ signerUuid: alice.signerUuid })
    const remove = (webhookId: string) => client.deleteWebhook({ webhookId })

    it('a webhook is created, changed, switched off and deleted, and other apps do not see it', async () => {
      const { url } = await receive()
      const subscription = { 'cast.created': { author_fids: [alice.fid] } }
      const { success, webhook } = await client.publishWebhook({ name: 'mine', url, subscription })
      assert.equal(success, true)
      assert.equal(webhook!.target_url, url)
      assert.equal(webhook!.active, true)
      assert.deepEqual(webhook!.subscription!.filters, subscription)
      assert.match(webhook!.secrets[0]!.value, /^[0-9a-f]{64}$/)
      const webhookId = webhook!.webhook_id
      const changed = await client.updateWebhook({ webhookId, name: 'other', url })
      assert.deepEqual(
        [changed.webhook!.title, changed.webhook!.subscription!.filters],
        ['other', {}],
      )
      assert.equal(changed.webhook!.secrets[0]!.value, webhook!.secrets[0]!.value)
      const off = await client.updateWebhookActiveStatus({ webhookId, active: 'false' })
      assert.equal(off.webhook!.active, false)
      assert.equal((await client.lookupWebhook({ webhookId })).webhook!.active, false)
      assert.equal((await client.fetchWebhooks()).webhooks.length, 1)
      const listed = await world.operate('/app/webhooks')
      assert.deepEqual(
        listed.body.webhooks.map(({ createdAt, ...rest }: { createdAt: number }) => rest),
        [
          {
            ...{ id: webhookId, app: webhook!.developer_uuid, title: 'other', targetUrl: url },
            ...{ active: false, waiting: 0 },
          },
        ],
      )
      const made = await world.operate('/app/apps', { body: { name: 'Other', fid: 5 } })
      const other = sdk(world, made.body.key)
      assert.equal(await refusal(other.lookupWebhook({ webhookId })), '404 NotFound webhook_id')
      assert.equal((await other.fetchWebhooks()).webhooks.length, 0)
      assert.equal((await remove(webhookId)).success, true)
      assert.equal(await refusal(remove(webhookId)), '404 NotFound webhook_id')
    })

    it('targets at private addresses, wrong filters, trades and too many webhooks are refused', async () => {
      const { url } = await receive()
      const create = (terms: object) =>
        client.publishWebhook({ name: 'x', url, ...terms } as { name: string; url: string })
      for (const bad of ['https://10.0.0.1/', 'http://example.org/', 'nothing']) {
        assert.equal(await refusal(create({ url: bad })), '400 InvalidField url')
      }
      const filters = { 'cast.created': { text: '(' } }
      assert.equal(
        await refusal(create({ subscription: filters })),
        '400 InvalidField subscription.cast.created.text',
      )
      assert.match(
        await refusal(create({ subscription: { 'trade.created': {} } })),
        /^400 NotSupported/,
      )
      const made: string[] = []
      for (let i = 0; i < 20; i++) made.push((await create({})).webhook!.webhook_id)
      assert.equal(await refusal(create({})), '400 bad_request.conflict')
      for (const id of made) await remove(id)
    })

    it('events arrive once, in order, signed, in the words of the stock client', async () => {
      const { distinct, url } = await receive()
      const subscription = {
        'cast.created': {},
        'cast.deleted': {},
        'follow.created': {},
        'follow.deleted': {},
        'reaction.created': {},
        'reaction.deleted': {},
        'user.updated': { fids: [alice.fid] },
      }
      const { webhook } = await client.publishWebhook({ name: 'all', url, subscription })
      const { cast } = await client.publishCast({ ...ofAlice(), text: `hello @${bob.username}` })
      const like = { ...ofAlice(), reactionType: 'like' as const, target: cast.hash }
      await client.publishReaction(like)
      await client.deleteReaction(like)
      await client.followUser({ ...ofAlice(), targetFids: [bob.fid] })
      await client.unfollowUser({ ...ofAlice(), targetFids: [bob.fid] })
      await client.updateUser({ ...ofAlice(), bio: 'new' })
      // Of a cast that is removed earlier, receivers are told nothing.
      await until(() => distinct.size >= 6, 'six events')
      await client.deleteCast({ ...ofAlice(), targetHash: cast.hash })
      await until(() => distinct.size >= 7, 'seven events')
      const got = [...distinct.values()]
      const events = got.map(({ body }) => JSON.parse(body))
      assert.deepEqual(
        events.map(({ type }) => type),
        [
          ...['cast.created', 'reaction.created', 'reaction.deleted'],
          ...['follow.created', 'follow.deleted', 'user.updated', 'cast.deleted'],
        ],
      )
      const [created, liked, , followed] = events
      assert.equal(created.data.object, 'cast')
      assert.equal(created.data.hash, cast.hash)
      assert.equal(created.data.text, `hello @${bob.username}`)
      assert.equal(created.data.author.fid, alice.fid)
      assert.deepEqual([liked.data.reaction_type, liked.data.cast.hash], [1, cast.hash])
      assert.deepEqual([followed.data.object, followed.data.target_user.fid], ['follow', bob.fid])
      assert.equal(events[5].data.profile.bio.text, 'new')
      // A receiver may not have been told what it said, so the removal does not say it either.
      assert.equal(events[6].data.hash, cast.hash)
      assert.ok(!JSON.stringify(events[6]).includes('hello'))
      const secret = webhook!.secrets[0]!.value
      for (const { body, headers } of got) {
        const expected = createHmac('sha512', secret).update(body, 'utf8').digest('hex')
        assert.equal(headers['x-neynar-signature'], expected)
        assert.equal(body, JSON.stringify(JSON.parse(body)))
      }
      await remove(webhook!.webhook_id)
    })

    it('a receiver that fails and resets gets each event at least once, in order', async () => {
      const { answers, events, url } = await receive()
      const subscription = { 'cast.created': { author_fids: [bob.fid] } }
      const { webhook } = await client.publishWebhook({ name: 'fails', url, subscription })
      answers.push(500, 'reset', 302)
      for (const text of ['1', '2', '3']) {
        await client.publishCast({ signerUuid: bob.signerUuid, text })
      }
      await client.publishCast({ ...ofAlice(), text: 'not subscribed' })
      await until(() => {
        world.clock.advance(1_000)
        return events().length >= 6
      }, 'six attempts')
      assert.deepEqual(
        events().map(({ data }) => data.text),
        ['1', '1', '1', '1', '2', '3'],
      )
      await remove(webhook!.webhook_id)
    })

    it('a webhook is told that a cast is gone unless its creation was never sent there', async () => {
      const { accepted, got, state, url } = await receive()
      const subscription = { 'cast.created': {}, 'cast.deleted': {} }
      const { webhook } = await client.publishWebhook({ name: 'gone casts', url, subscription })
      const publish = async (text: string) =>
        (await client.publishCast({ ...ofAlice(), text })).cast.hash
      const remove = (targetHash: string) => client.deleteCast({ ...ofAlice(), targetHash })
      const moderate = async (hash: string, action: 'hide' | 'unhide') => {
        const body = { reason: 'a test', actor: 'test' }
        const { status } = await world.operate(`/moderation/casts/${hash}/${action}`, { body })
        assert.equal(status, 200)
      }
      const told = () =>
        accepted.map((body) => JSON.parse(body)).map(({ type, data }) => `${type} ${data.hash}`)

      state.isDown = true
      const tried = await publish('tried once')
      await until(() => got.length > 0, 'a delivery was tried')
      const unsent = await publish('never sent')
      const hidden = await publish('hidden for a while')
      const stays = await publish('stays')
      await remove(unsent)
      await moderate(hidden, 'hide')
      // As long as it is there its delivery is tried again, and the others wait.
      await remove(tried)
      const last = await publish('last')
      state.isDown = false
      await until(() => {
        world.clock.advance(1_000)
        return told().includes(`cast.created ${last}`)
      }, 'the last cast is told')
      assert.deepEqual(told(), [
        ...[`cast.created ${stays}`, `cast.deleted ${tried}`, `cast.created ${last}`],
      ])

      await moderate(hidden, 'unhide')
      await remove(hidden)
      await remove(last)
      await until(() => told().length > 3, 'another deletion is told')
      assert.deepEqual(told().slice(3), [`cast.deleted ${last}`])
      await client.deleteWebhook({ webhookId: webhook!.webhook_id })
    })

    it('a webhook is told of a cast that was held when it is shown, and of its deletion afterwards', async () => {
      const { accepted, url } = await receive()
      const subscription = { 'cast.created': {}, 'cast.deleted': {} }
      const { webhook } = await client.publishWebhook({ name: 'held casts', url, subscription })
      const term = { kind: 'word', term: 'ferrets', actor: 'test' }
      assert.equal((await world.operate('/moderation/held-terms', { body: term })).status, 200)
      const publish = async (text: string) =>
        (await client.publishCast({ ...ofAlice(), text })).cast.hash
      const told = () =>
        accepted.map((body) => JSON.parse(body)).map(({ type, data }) => `${type} ${data.hash}`)
      const held = await publish('dear ferrets')
      const other = await publish('something else')
      await until(() => told().length > 0, 'the other cast is told')
      assert.deepEqual(told(), [`cast.created ${other}`])
      const body = { reason: 'they are fine', actor: 'test' }
      await world.operate(`/moderation/casts/${held}/unhide`, { body })
      await until(() => told().length > 1, 'the cast that was held is told')
      await client.deleteCast({ ...ofAlice(), targetHash: held })
      await until(() => told().length > 2, 'its deletion is told')
      assert.deepEqual(told().slice(1), [`cast.created ${held}`, `cast.deleted ${held}`])
      await client.deleteWebhook({ webhookId: webhook!.webhook_id })
    })

    it('a webhook with a least score is told of casts by accounts with that score alone', async () => {
      const { events, got, url } = await receive()
      await world.app.of(BADGES).runIfDue()
      const mark = `/platform/badges/marks/${bob.fid}`
      const added = { kind: 'add', reason: 'known to us' }
      assert.equal((await world.operate(mark, { method: 'PUT', body: added })).status, 200)
      const subscription = { 'cast.created': { minimum_author_score: 0.9 } }
      const { webhook } = await client.publishWebhook({ name: 'scores', url, subscription })
      await client.publishCast({ ...ofAlice(), text: 'by an account without a badge' })
      await client.publishCast({ signerUuid: bob.signerUuid, text: 'by one with a badge' })
      // Scores count as they are when the views apply the event.
      await indexed(world.app)
      assert.equal((await world.operate(mark, { method: 'DELETE' })).status, 204)
      await client.publishCast({ signerUuid: bob.signerUuid, text: 'by one that had it' })
      await indexed(world.app)
      await world.operate(mark, { method: 'PUT', body: added })
      await client.publishCast({ signerUuid: bob.signerUuid, text: 'by one that has it again' })
      await until(() => got.length >= 2, 'two events')
      assert.deepEqual(
        events().map(({ data }) => data.text),
        ['by one with a badge', 'by one that has it again'],
      )
      await remove(webhook!.webhook_id)
    })

    it('a receiver that answers 410 is told of nothing more', async () => {
      const { answers, got, url } = await receive()
      const subscription = { 'cast.created': {} }
      const { webhook } = await client.publishWebhook({ name: 'gone', url, subscription })
      answers.push(410)
      await client.publishCast({ ...ofAlice(), text: 'one' })
      await client.publishCast({ ...ofAlice(), text: 'two' })
      const webhookId = webhook!.webhook_id
      await until(
        async () => (await client.lookupWebhook({ webhookId })).webhook!.active === false,
        'it is switched off',
      )
      await until(
        async () => (await world.app.storage.views.firstDelivery(webhookId)) === undefined,
        'nothing waits',
      )
      assert.equal(got.length, 1)
      const metrics = await (await fetch(`${world.app.urls.operations}/metrics`)).text()
      assert.match(metrics, /rookery_webhook_deliveries_total\{outcome="failed"\} [1-9]/)
      assert.equal(metrics.includes(webhook!.secrets[0]!.value), false)
      await remove(webhookId)
    })
  })
}
