import { miniAppDeliveryRows } from '../src/features/mini-apps/tables/mini-app-deliveries.ts'
// The catalogue of mini apps and their notifications in the app API, by the stock client, with every answer checked.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createVerifyAppKeyWithHub, parseWebhookEvent } from '@farcaster/miniapp-node'
import type { NeynarAPIClient } from '@neynar/nodejs-sdk'
import { linkAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { signEd25519 } from '../src/kernel/protocol/crypto/ed25519.ts'
import { checkedClient, type Json } from './app-api-support.ts'
import { refusal, sdk, type Writer, writersOf } from './app-writes-support.ts'
import { indexed } from './indexed.ts'
import { type AppServer, associationOf, startAppServer } from './mini-apps-support.ts'
import { createWorld, enginesOf, type World } from './world.ts'

/** The key `development` acts for fid 1. */
const AUTHOR = 1

for (const engine of enginesOf(import.meta.url)) {
  describe(`mini apps in the app API, on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    let client: NeynarAPIClient
    let users: Writer[]
    let poll: AppServer
    let chess: AppServer
    const servers: AppServer[] = []

    const serve = async (fields: object) => {
      const server = await startAppServer('localhost')
      servers.push(server)
      Object.assign(server.manifest, fields)
      const account = users[0]!.account
      server.association = await associationOf(AUTHOR, server.domain, { account })
      const { domain } = server
      const token = world.token(users[0]!.app)
      const { status, body } = await world.platform('/fc/mini-apps', { body: { domain }, token })
      assert.equal(status, 200, JSON.stringify(body))
      return server
    }
    const open = (user: Writer, { domain }: AppServer) =>
      world.platform('/fc/mini-app-opens', { body: { domain }, token: world.token(user.app) })

    before(async () => {
      const env = { ROOKERY_VIEWS: 'on', ROOKERY_MINI_APPS: 'signed' }
      world = await createWorld({ engine, env })
      client = checkedClient(world.app.urls.app)
      const writers = writersOf(world)
      const app = await writers.registry.person(900)
      users = []
      for (const fid of [AUTHOR, 2, 3, 4]) users.push(await writers.writer(sdk(world), app, fid))
      poll = await serve({ requiredChains: ['eip155:8453'] })
      chess = await serve({
        name: 'Chess',
        primaryCategory: 'games',
        subtitle: 'Two sides',
        tags: [],
      })
      for (const follower of [users[1]!, users[2]!]) {
        const origin = world.origin(follower.app)
        await world.submit(world.sign(follower.app, linkAdd(origin, 'follow', 4)))
      }
      await indexed(world.app)
    })
    after(async () => {
      for (const server of servers) await server.close()
      await world.close()
    })

    const names = (frames: readonly Json[]) => frames.map(({ title }) => title)

    test('the catalogue has the apps by how many people opened them, with their authors', async () => {
      await open(users[1]!, chess)
      const { frames, next } = await client.fetchFrameCatalog({})
      assert.deepEqual(names(frames), ['Chess', 'Poll'])
      assert.equal(frames[0]!.author!.username, 'user1')
      assert.equal(frames[0]!.frames_url, `${chess.origin}/`)
      assert.equal(frames[0]!.manifest!.miniapp!.subtitle, 'Two sides')
      assert.deepEqual(frames[0]!.manifest!.account_association, chess.association)
      assert.equal(next.cursor, null)
      const first = await client.fetchFrameCatalog({ limit: 1 })
      const second = await client.fetchFrameCatalog({ limit: 1, cursor: first.next.cursor! })
      assert.deepEqual(names([...first.frames, ...second.frames]), ['Chess', 'Poll'])
      const by = async (options: object) =>
        names((await client.fetchFrameCatalog(options as never)).frames)
      assert.deepEqual(await by({ categories: ['games'] }), ['Chess'])
      assert.deepEqual(await by({ networks: ['optimism'] }), ['Chess'])
      assert.deepEqual(await by({ networks: ['base', 'celo'] }), ['Chess', 'Poll'])
      assert.equal(
        await refusal(client.fetchFrameCatalog({ limit: 101 })),
        '400 InvalidField limit',
      )
    })

    test('a search finds apps by their words', async () => {
      const found = async (q: string) => names((await client.searchFrames({ q })).frames)
      assert.deepEqual(await found('two chess'), ['Chess'])
      assert.deepEqual(await found('QUESTIONS votes'), ['Poll'])
      assert.deepEqual(await found('%'), [])
    })

    test('apps that followed people opened are relevant, unless those people hide it', async () => {
      await open(users[3]!, poll)
      const relevant = async () =>
        (await client.fetchRelevantFrames({ viewerFid: 2 })).relevant_frames
      const [{ frame, top_relevant_users }] = (await relevant()) as [Json]
      assert.equal(frame.title, 'Poll')
      assert.deepEqual(
        top_relevant_users.map(({ fid }: Json) => fid),
        [4],
      )
      const token = world.token(users[3]!.app)
      const body = { hidesUse: true }
      await world.platform('/fc/mini-app-choices', { method: 'PUT', body, token })
      assert.deepEqual(await relevant(), [])
    })

    test('an event that a signer of the app signs reaches the server of the mini app and verifies', async () => {
      const user = users[1]!
      const given = { appDomain: poll.domain, signerUuid: user.signerUuid, fid: user.fid }
      const post = (event: string) =>
        client.appHostPostEvent({ ...given, event } as Parameters<
          typeof client.appHostPostEvent
        >[0])
      assert.deepEqual(await post('frame_added'), { success: true })
      assert.match(await refusal(post('frame_added')), /^400/)
      while (poll.events.length === 0) await delay(20)
      const verify = createVerifyAppKeyWithHub(world.app.urls.hub)
      const { fid, appFid, event } = await parseWebhookEvent(poll.events[0], verify)
      assert.deepEqual([fid, appFid, event.event], [2, 900, 'miniapp_added'])
      const state = await client.appHostGetUserState({ fid: 2 })
      assert.deepEqual(
        state.notifications_enabled.map(({ domain, status }) => [domain, status]),
        [[poll.domain, 'enabled']],
      )
      assert.equal(await refusal(client.appHostGetUserState({ fid: 900 })), '403 Forbidden')
    })

    test('an event that the user signs elsewhere is prepared by one call and stored by another', async () => {
      const { app, fid } = users[2]!
      const appDomain = poll.domain
      const event = await client.appHostGetEvent({ appDomain, fid, event: 'frame_added' })
      assert.equal(event.event, 'miniapp_added')
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const header = part({ fid, type: 'app_key', key: toHex(app.key) })
      const payload = part(event)
      const bytes = signEd25519(Buffer.from(`${header}.${payload}`), app.seed)
      const signature = Buffer.from(bytes).toString('base64url')
      const post = (signedMessage: object) =>
        client.appHostPostEvent({ appDomain, signedMessage } as never)
      const other = part({ ...event, exp: 4_000_000_000 })
      assert.match(await refusal(post({ header, payload: other, signature })), /^404/)
      assert.deepEqual(await post({ header, payload, signature }), { success: true })
      assert.match(await refusal(post({ header, payload, signature })), /^404/)
    })

    test('events that an app asks for push out none that the user has begun, and are for fids that exist', async () => {
      const { app, fid } = users[2]!
      const token = world.token(app)
      const begun = await world.platform('/fc/mini-app-events', {
        body: { domain: chess.domain, event: 'miniapp_added' },
        token,
      })
      const ask = (of: number, key: string) =>
        fetch(
          `${world.app.urls.app}/v2/farcaster/app_host/user/event?app_domain=${chess.domain}&fid=${of}&event=frame_added`,
          { headers: { 'x-api-key': key } },
        )
      for (let i = 0; i < 101; i++) assert.equal((await ask(fid, 'development')).status, 200)
      const { storage } = world.app
      assert.equal((await storage.of(miniAppDeliveryRows).eventsOf(fid, 1_000)).length, 101)
      const { id } = begun.body.result
      assert.equal((await storage.of(miniAppDeliveryRows).event(id))?.id, id)
      assert.equal((await ask(4_000_000_000, 'development')).status, 404)
      assert.equal((await storage.of(miniAppDeliveryRows).eventsOf(4_000_000_000, 1)).length, 0)
      assert.equal((await ask(fid, 'web')).status, 403, 'the public key writes nothing')
    })

    test('the public key of the web client calls no route that writes, whatever its method', async () => {
      const document = (await (await fetch(`${world.app.urls.app}/openapi.json`)).json()) as {
        paths: Record<string, Record<string, unknown>>
      }
      assert.ok(document.paths['/v2/farcaster/user/fid']?.get)
      const response = await fetch(`${world.app.urls.app}/v2/farcaster/user/fid`, {
        headers: { 'x-api-key': 'web' },
      })
      assert.equal(response.status, 403)
      const error = (await response.json()) as { message: string }
      assert.match(error.message, /may only read/)
    })

    test('who may not sign for a user does not learn which apps the user has added', async () => {
      for (const appDomain of [poll.domain, chess.domain]) {
        for (const event of ['frame_added', 'frame_removed'] as const) {
          const { event: named } = await client.appHostGetEvent({ appDomain, fid: 3, event })
          assert.equal(named, event.replace('frame', 'miniapp'))
        }
      }
    })

    test('the author of an app notifies users through the app API, and reads what became of it', async () => {
      const notification = {
        title: 'Vote',
        body: 'A new question.',
        target_url: `${poll.origin}/`,
        uuid: 'b0d5a9a6-6d5a-4a47-8a3d-6f4f1a2b3c4d',
      }
      const send = (targetFids: number[], more: object = {}) =>
        client.publishFrameNotifications({ notification: { ...notification, ...more }, targetFids })
      const first = await send([2, 4])
      assert.deepEqual(first, {
        campaign_id: notification.uuid,
        success_count: 1,
        failure_count: 0,
        not_attempted_count: 1,
        retryable_fids: [],
      })
      const limited = await send([2], { uuid: 'another' })
      assert.deepEqual([limited.success_count, limited.retryable_fids], [0, [2]])
      world.clock.advance(30_000)
      const everybody = await send([], { uuid: 'everybody' })
      assert.deepEqual([everybody.success_count, everybody.not_attempted_count], [2, 0])
      const without = await client.publishFrameNotifications({
        notification: { ...notification, uuid: 'without' },
        targetFids: [],
        filters: { exclude_fids: [2, 3] },
      })
      assert.equal(without.success_count, 0)
      const { notificationCampaigns } = await client.getNotificationCampaignStats({ limit: 10 })
      assert.deepEqual(
        notificationCampaigns.map(({ id, stats }) => [id, stats.successful_sends]).sort(),
        [
          ['another', 0],
          ['everybody', 2],
          ['without', 0],
          [notification.uuid, 1],
        ].sort(),
      )
      const { notification_tokens: tokens } = await client.fetchNotificationTokens({})
      assert.deepEqual(
        tokens.map(({ fid, status }) => [fid, status]),
        [
          [2, 'enabled'],
          [3, 'enabled'],
        ],
      )
      const near = { latitude: 1, longitude: 2 }
      assert.equal(
        await refusal(
          client.publishFrameNotifications({
            notification,
            filters: { near_location: near },
          } as never),
        ),
        '400 NotSupported filters.near_location',
      )
      assert.equal(
        await refusal(send([2], { title: '\u200b' })),
        '400 InvalidField notification.title',
      )
      assert.match(await refusal(send([2], { target_url: 'https://elsewhere.example/' })), /^404/)
    })

    test('an app whose account has not signed a mini app cannot notify its users', async () => {
      const created = await world.operate('/app/apps', { body: { name: 'other', fid: 4 } })
      assert.equal(created.status, 200, JSON.stringify(created.body))
      const other = checkedClient(world.app.urls.app, created.body.key)
      const notification = { title: 'Spam', body: 'x', target_url: `${poll.origin}/` }
      assert.equal(
        await refusal(other.publishFrameNotifications({ notification, targetFids: [2] })),
        '403 Forbidden',
      )
      assert.deepEqual((await other.fetchNotificationTokens({})).notification_tokens, [])
    })
  })
}
