// Snapshots of a development network: what going back restores, on both engines.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { status } from '@grpc/grpc-js'
import pg from 'pg'
import type { App } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { startDevNetwork } from '../src/dev/network.ts'
import {
  buildMessage,
  castAdd,
  linkAdd,
  reactionAdd,
  userDataAdd,
} from '../src/kernel/protocol/build.ts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { DAY_SECONDS, networkTime } from '../src/kernel/protocol/time.ts'
import { followEvents, rawClient, subscribeRequest } from './grpc-support.ts'
import { createPlace } from './program.ts'
import { until } from './until.ts'
import { DEVNET, enginesOf } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any
const JSON_TYPE = { 'content-type': 'application/json' }
const BYTES_TYPE = { 'content-type': 'application/octet-stream' }

for (const engine of enginesOf(import.meta.url)) {
  describe(`snapshots on ${engine}`, { concurrency: 1 }, () => {
    let app: App
    let place: Awaited<ReturnType<typeof createPlace>>
    before(async () => {
      place = await createPlace(engine)
      const settings = {
        ...{ ROOKERY_KEYS: '', ROOKERY_VIEWS: 'on', ROOKERY_DATABASE_FLUSH: 'off' },
        // Loopback has no limit of submits, a client behind a proxy on it has.
        ...{ ROOKERY_TRUSTED_PROXIES: '127.0.0.1', ROOKERY_SUBMIT_LIMIT: '3' },
      }
      app = await startDevNetwork({
        config: readConfig({ ...place.env, ...settings }, 'development'),
      })
    })
    after(async () => {
      await app.stop()
      await place.remove()
    })

    const dev = async (
      path: string,
      body?: object,
      method = body ? 'POST' : 'GET',
    ): Promise<Json> => {
      const response = await fetch(`${app.urls.operations}/dev${path}`, {
        ...{ method, headers: body ? JSON_TYPE : {} },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: response.status, ...((await response.json()) as object) }
    }
    const hub = async (path: string): Promise<Json> => (await fetch(app.urls.hub + path)).json()
    const viewed = async (): Promise<string[]> => {
      const response = await fetch(
        `${app.urls.app}/v2/farcaster/feed/user/casts?fid=1&limit=3&include_replies=true`,
        { headers: { 'x-api-key': 'development' } },
      )
      return ((await response.json()) as Json).casts?.map(({ text }: Json) => text) ?? []
    }
    const cast = async (text: string): Promise<void> => {
      const [{ fid, appPrivateKey }] = (await dev('/accounts')).accounts
      const { unixSeconds } = await dev('/clock')
      const origin = { fid, timestamp: networkTime(unixSeconds * 1000), network: DEVNET }
      const { status: stored } = await fetch(`${app.urls.hub}/v1/submitMessage`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: encodeEnvelope(
          buildMessage(castAdd(origin, text), fromHex(appPrivateKey)!),
        ) as Uint8Array<ArrayBuffer>,
      })
      assert.equal(stored, 200)
    }
    const seen = async () => ({
      accounts: (await dev('/accounts')).accounts,
      ahead: (await dev('/clock')).aheadSeconds,
      fids: (await hub('/v1/fids')).fids,
      casts: (await hub('/v1/castsByFid?fid=1&pageSize=100')).messages,
      bird: (await hub('/v1/userNameProofByName?name=bird-11')).fid,
      events: (await hub('/v1/events?from_event_id=0')).events.length,
    })
    const newest = async () => (await hub('/v1/events?from_event_id=0')).events.at(-1).id

    it('a revert puts back messages, accounts, names, views and the clock, each time', async () => {
      await cast('before')
      await until(async () => (await viewed())[0] === 'before')
      const base = await seen()
      const { storeId } = await hub('/v1/info')
      assert.equal((await dev('/snapshots', { name: 'base' })).status, 200)
      for (const text of ['once', 'twice']) {
        await dev('/accounts', {})
        await dev('/clock', { advanceSeconds: 28 * DAY_SECONDS })
        await cast(text)
        await until(async () => (await viewed())[0] === text)
        assert.notDeepEqual(await seen(), base)
        assert.equal((await dev('/revert', { name: 'base' })).status, 200)
        assert.deepEqual(await seen(), base)
        await until(async () => (await viewed())[0] === 'before')
      }
      assert.notEqual((await hub('/v1/info')).storeId, storeId)
    })

    it('a database that was restored from a dump goes back, though its transactions are numbered anew', {
      skip: engine !== 'postgres',
    }, async (t) => {
      assert.equal((await dev('/snapshots', { name: 'dumped' })).status, 200)
      const base = await seen()
      const client = new pg.Client(place.env.DATABASE_URL)
      await client.connect()
      t.after(() => client.end())
      // As of a server that had counted further.
      await client.query(
        "update rookery_snapshot_dumped.snapshot_moment set writer = '4000000000', seen = '4000000000:4000000000:'",
      )
      for (const text of ['once', 'twice']) {
        await cast(text)
        await dev('/accounts', {})
        assert.notDeepEqual(await seen(), base)
        assert.equal((await dev('/revert', { name: 'dumped' })).status, 200)
        assert.deepEqual(await seen(), base)
      }
      await dev('/snapshots', { name: 'dumped' }, 'DELETE')
    })

    it('ids of events go on growing after a revert, and streams of events end, over HTTP and gRPC', async (t) => {
      await dev('/snapshots', { name: 'ids' })
      await cast('thrown away')
      const last = await newest()
      const leaving = new AbortController()
      t.after(() => leaving.abort())
      const stream = await fetch(`${app.urls.hub}/v1/events/stream?from_event_id=latest`, {
        signal: leaving.signal,
      })
      const raw = rawClient(app.urls.grpc)
      t.after(() => raw.close())
      const followed = followEvents(
        raw.serverStream('Subscribe', subscribeRequest({ fromId: BigInt(last) })),
      )
      await followed.until(last)
      await dev('/revert', { name: 'ids' })
      await stream.text()
      const { code, details } = await followed.status
      assert.equal(code, status.UNAVAILABLE)
      assert.match(details, /reset or put back/)
      await cast('kept')
      assert.ok((await newest()) > last)
      // It may be of the same second as the cast that the snapshot has.
      await until(async () => (await viewed()).includes('kept'))
    })

    it('a new account signs after a revert as before', async () => {
      for (let i = 0; i < 2; i++) {
        const [{ fid, name }] = (await dev('/accounts', {})).accounts
        assert.equal((await hub(`/v1/userNameProofByName?name=${name}`)).fid, fid)
        await dev('/revert', { name: 'ids' })
      }
    })

    const at = async (base: string, path: string, headers = {}): Promise<Json> => {
      const response = await fetch(base + path, { headers })
      const text = (await response.text()).replaceAll(/"requestId":"[^"]*"/g, '"requestId":""')
      return { status: response.status, body: JSON.parse(text) }
    }
    const change = async (path: string, body: object, method = 'POST') => {
      const init = { method, headers: JSON_TYPE, body: JSON.stringify(body) }
      const response = await fetch(app.urls.operations + path, init)
      assert.ok(response.ok, `${path}: ${await response.text()}`)
    }
    const KEY = { 'x-api-key': 'development' }
    /** All that the changes of `changeAll` are seen in. */
    const everything = async (): Promise<Record<string, Json>> => {
      // Lists of what is stored now, whenever the time of their jobs comes.
      for (const job of ['rank casts', 'count channel activity']) await app.jobs.run(job)
      const { hub, registry, platform, operations } = app.urls
      const api = `${app.urls.app}/v2/farcaster`
      const places: (readonly [string, string, object?])[] = [
        [hub, '/v1/fids'],
        [hub, '/v1/castsByFid?fid=1'],
        [hub, '/v1/castsByMention?fid=2'],
        [hub, '/v1/reactionsByFid?fid=2&reaction_type=1'],
        [hub, '/v1/linksByFid?fid=1'],
        [hub, '/v1/linksByTargetFid?target_fid=9'],
        [hub, '/v1/userDataByFid?fid=1'],
        [hub, '/v1/userNameProofByName?name=bird-11'],
        [hub, '/v1/onChainSignersByFid?fid=11'],
        [hub, '/v1/storageLimitsByFid?fid=11'],
        [hub, '/v1/events?from_event_id=0&pageSize=1000'],
        [registry, '/transfers?fid=11'],
        [registry, '/transfers/current?name=bird-11'],
        [platform, '/v2/all-channels'],
        [platform, '/v2/power-badge-users'],
        [app.urls.web, '/v1/server'],
        [api, '/feed/user/casts?fid=1', KEY],
        [api, '/feed/following?fid=2', KEY],
        [api, '/feed/for_you?fid=2', KEY],
        [api, '/feed/channels?channel_ids=zebras', KEY],
        [api, '/channel?id=zebras', KEY],
        [api, '/channel/list?limit=100', KEY],
        [api, '/channel/search?q=zebras', KEY],
        [api, '/user/bulk?fids=1,9,11&viewer_fid=2', KEY],
        [api, '/user/search?q=bird-11', KEY],
        [api, '/cast/search?q=zebra', KEY],
        [api, '/notifications?fid=2', KEY],
        [api, '/followers?fid=9', KEY],
        [api, '/following?fid=1', KEY],
        [api, '/reactions/user?fid=2&type=likes', KEY],
        [api, '/webhook/list', KEY],
        [api, '/storage/usage?fid=11', KEY],
        [operations, '/app/apps'],
        [operations, '/app/webhooks'],
        [operations, '/server/texts'],
        [operations, '/moderation/log'],
        [operations, '/moderation/accounts/3'],
        [operations, '/platform/badges/marks'],
        [operations, '/dev/accounts'],
      ]
      const answers = await Promise.all(
        places.map(async ([base, path, headers]) => [path, await at(base, path, headers)] as const),
      )
      return Object.fromEntries(answers)
    }
    /** Changes what every part of the server may keep a copy of. Returns a key that works until then. */
    const changeAll = async (): Promise<string> => {
      await change('/dev/accounts', {}, 'POST')
      await change('/platform/channels', { channelId: 'zebras', name: 'Zebras', ownerFid: 1 })
      const { accounts } = await dev('/accounts')
      const { unixSeconds } = await dev('/clock')
      const sign = (fid: number, make: (origin: Json) => Json) => {
        const origin = { fid, timestamp: networkTime(unixSeconds * 1000), network: DEVNET }
        const { appPrivateKey } = accounts.find((one: Json) => one.fid === fid)
        return buildMessage(make(origin), fromHex(appPrivateKey)!)
      }
      const mentions = { mentions: [2n], mentionsPositions: [0] }
      const post = sign(1, (origin) => castAdd(origin, { text: ' a zebra', ...mentions }))
      const { channel } = (await at(app.urls.app, '/v2/farcaster/channel?id=zebras', KEY)).body
      const parent = { case: 'parentUrl', value: channel.parent_url } as const
      const inChannel = sign(1, (origin) => castAdd(origin, { text: 'another zebra', parent }))
      const castId = { fid: 1, hash: post.hash }
      for (const message of [
        post,
        inChannel,
        ...[castId, { fid: 1, hash: inChannel.hash }].map((target) =>
          sign(2, (origin) => reactionAdd(origin, 1, target)),
        ),
        sign(1, (origin) => linkAdd(origin, 'follow', 9)),
        sign(1, (origin) => userDataAdd(origin, 3, 'keeps zebras')),
      ]) {
        const body = encodeEnvelope(message) as Uint8Array<ArrayBuffer>
        const init = { method: 'POST', headers: BYTES_TYPE, body }
        const response = await fetch(`${app.urls.hub}/v1/submitMessage`, init)
        assert.equal(response.status, 200, await response.text())
      }
      const reason = 'a test'
      await change('/server/texts', { texts: { name: 'Zebra' } }, 'PUT')
      await change('/moderation/accounts/3/suspend', { reason, days: 1 })
      await change('/platform/badges/marks/9', { kind: 'add', reason }, 'PUT')
      const url = 'https://example.com/hook'
      const hook = { name: 'Zebra', url, subscription: { 'user.created': {} } }
      const made = await fetch(`${app.urls.app}/v2/farcaster/webhook`, {
        ...{ method: 'POST', headers: { ...JSON_TYPE, ...KEY }, body: JSON.stringify(hook) },
      })
      assert.ok(made.ok, await made.clone().text())
      const apps = await fetch(`${app.urls.operations}/app/apps`, {
        ...{ method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ name: 'Zebra', fid: 1 }) },
      })
      const key = ((await apps.json()) as Json).key
      await until(async () => (await viewed()).some((text) => text.includes('zebra')))
      return key.key ?? key
    }

    it('nothing of the world that was left is seen anywhere after a revert, nor later', async () => {
      await dev('/revert', { name: 'base' })
      await app.jobs.runAll()
      await dev('/snapshots', { name: 'ranked' })
      const base = await everything()
      for (let turn = 0; turn < 2; turn++) {
        const key = await changeAll()
        const changed = await everything()
        const unchanged = Object.keys(base).filter((path) =>
          isDeepStrictEqual(changed[path], base[path]),
        )
        assert.deepEqual(unchanged, [], 'the changes concern all that is looked at')
        // It is kept for a minute: one of the world before would be empty.
        const trending = '/v2/farcaster/feed/trending?channel_id=zebras'
        const { body } = await at(app.urls.app, trending, KEY)
        assert.equal(body.casts.length, 1)
        const lookUp = `${app.urls.app}/v2/farcaster/user/bulk?fids=1`
        assert.equal((await at(lookUp, '', { 'x-api-key': key })).status, 200)
        await dev('/revert', { name: 'ranked' })
        const reverted = await everything()
        for (const path of Object.keys(base)) assert.deepEqual(reverted[path], base[path], path)
        assert.equal((await at(lookUp, '', { 'x-api-key': key })).status, 401)
        assert.equal((await at(app.urls.operations, '/health/ready')).status, 200)
      }
    })

    it('a client that has used up a limit may begin again after a revert, over HTTP and gRPC', async (t) => {
      const ask = async () => {
        const init = { method: 'POST', headers: JSON_TYPE, body: '{}' }
        return (await fetch(`${app.urls.accounts}/v1/join-requests`, init)).status
      }
      const raw = rawClient(app.urls.grpc)
      t.after(() => raw.close())
      const headers = { 'x-forwarded-for': '203.0.113.9' }
      const submit = async () =>
        (await raw.call('SubmitMessage', new Uint8Array(0), { headers })).errCode
      for (let asked = 0; (await ask()) !== 429; asked++) assert.ok(asked < 100)
      for (let asked = 0; (await submit()) !== 'unavailable'; asked++) assert.ok(asked < 10)
      await dev('/revert', { name: 'base' })
      assert.notEqual(await ask(), 429)
      assert.notEqual(await submit(), 'unavailable')
    })

    it('a snapshot that does not exist is named with those that do, and a name has its form', async () => {
      const { snapshots } = await dev('/snapshots')
      assert.deepEqual(
        snapshots.map(({ name }: Json) => name),
        ['base', 'ids', 'ranked'],
      )
      const unknown = await dev('/revert', { name: 'nothing' })
      assert.deepEqual([unknown.status, unknown.field], [404, 'name'])
      assert.match(unknown.message, /there is no snapshot nothing: there are base, ids, ranked/)
      for (const name of ['', '../up', 'A', 'a'.repeat(41), 1]) {
        const refused = await dev('/snapshots', { name })
        assert.deepEqual([refused.status, refused.field], [400, 'name'])
      }
      assert.equal((await dev('/snapshots', { name: 'base' }, 'DELETE')).status, 200)
      assert.equal((await dev('/revert', { name: 'base' })).status, 404)
    })
  })
}
