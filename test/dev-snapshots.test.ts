// Snapshots of a development network: what going back restores, on both engines.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { App } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { startDevNetwork } from '../src/dev/network.ts'
import { buildMessage, castAdd } from '../src/kernel/protocol/build.ts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { DAY_SECONDS, networkTime } from '../src/kernel/protocol/time.ts'
import { createPlace } from './program.ts'
import { until } from './until.ts'
import { DEVNET, enginesOf } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any
const JSON_TYPE = { 'content-type': 'application/json' }

for (const engine of enginesOf(import.meta.url)) {
  describe(`snapshots on ${engine}`, { concurrency: 1 }, () => {
    let app: App
    let place: Awaited<ReturnType<typeof createPlace>>
    before(async () => {
      place = await createPlace(engine)
      const settings = { ROOKERY_KEYS: '', ROOKERY_VIEWS: 'on', ROOKERY_DATABASE_FLUSH: 'off' }
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
      const { status } = await fetch(`${app.urls.hub}/v1/submitMessage`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: encodeEnvelope(
          buildMessage(castAdd(origin, text), fromHex(appPrivateKey)!),
        ) as Uint8Array<ArrayBuffer>,
      })
      assert.equal(status, 200)
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

    it('ids of events go on growing after a revert, and streams of events end', async (t) => {
      await dev('/snapshots', { name: 'ids' })
      await cast('thrown away')
      const last = await newest()
      const leaving = new AbortController()
      t.after(() => leaving.abort())
      const stream = await fetch(`${app.urls.hub}/v1/events/stream?from_event_id=latest`, {
        signal: leaving.signal,
      })
      await dev('/revert', { name: 'ids' })
      await stream.text()
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

    it('a snapshot that does not exist is named with those that do, and a name has its form', async () => {
      const { snapshots } = await dev('/snapshots')
      assert.deepEqual(
        snapshots.map(({ name }: Json) => name),
        ['base', 'ids'],
      )
      const unknown = await dev('/revert', { name: 'nothing' })
      assert.deepEqual([unknown.status, unknown.field], [404, 'name'])
      assert.match(unknown.message, /there is no snapshot nothing: there are base, ids/)
      for (const name of ['', '../up', 'A', 'a'.repeat(41), 1]) {
        const refused = await dev('/snapshots', { name })
        assert.deepEqual([refused.status, refused.field], [400, 'name'])
      }
      assert.equal((await dev('/snapshots', { name: 'base' }, 'DELETE')).status, 200)
      assert.equal((await dev('/revert', { name: 'base' })).status, 404)
    })
  })
}
