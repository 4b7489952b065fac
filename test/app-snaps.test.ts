// Snaps in the app API: the first page of links in casts, and presses by apps for their users.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { sdk, type Writer, writersOf } from './app-writes-support.ts'
import { indexed } from './indexed.ts'
import { pageOf, type SnapServer, startSnapServer, text } from './snap-server.ts'
import { createWorld, enginesOf, type World } from './world.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`snaps in the app API, on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    let snap: SnapServer
    let user: Writer
    let hash: string

    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${world.app.urls.app}/v2/farcaster${path}`, {
        method,
        headers: { 'x-api-key': DEVELOPMENT_KEY, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      // biome-ignore lint/suspicious/noExplicitAny: answers are read by path
      return { status: response.status, body: (await response.json()) as any }
    }
    const embedOfCast = async () => {
      const { body } = await call('GET', `/cast?identifier=${hash}&type=hash`)
      return body.cast.embeds[0]
    }
    const crawl = () =>
      call('GET', `/cast/embed/crawl?url=${encodeURIComponent(`${snap.origin}/poll`)}`)
    const press = (path: string, more: object = {}) =>
      call('POST', '/snap/press', {
        ...{ signer_uuid: user.signerUuid, target: `${snap.origin}${path}` },
        ...more,
      })

    before(async () => {
      world = await createWorld({ engine, env: { ROOKERY_VIEWS: 'on' } })
      snap = await startSnapServer()
      snap.pages.set('/poll', () => pageOf({ root: text('Which colour?') }))
      snap.answers.set('/vote', () => pageOf({ root: text('Thank you') }))
      const writers = writersOf(world)
      const app = await writers.registry.person(900)
      user = await writers.writer(sdk(world), app, 2)
      const embeds = [{ embed: { case: 'url' as const, value: `${snap.origin}/poll` } }]
      const message = world.sign(user.app, castAdd(world.origin(user.app), { text: 'see', embeds }))
      assert.equal((await world.submit(message)).status, 200)
      await indexed(world.app)
      hash = toHex(message.hash)
    })
    after(async () => {
      snap?.close()
      await world?.close()
    })

    test('a cast has the first page of its snap once somebody has asked for the link, and reading a cast asks nobody', async () => {
      assert.deepEqual(await embedOfCast(), { url: `${snap.origin}/poll` })
      assert.deepEqual(snap.asked, [])
      const { metadata } = (await crawl()).body
      assert.equal(metadata.snap.page.ui.elements.root.props.content, 'Which colour?')
      assert.deepEqual(await embedOfCast(), { url: `${snap.origin}/poll`, snap: metadata.snap })
      assert.deepEqual(snap.asked, ['GET /poll'])
    })

    test('an app presses for its user with the key with which it publishes, and gets the next page', async () => {
      const cast = { hash, fid: 2 }
      const { status, body } = await press('/vote', { inputs: { colour: 'Green' }, cast })
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(body.page.ui.elements.root.props.content, 'Thank you')
      const { fid, key, payload } = snap.presses.at(-1)!
      const { timestamp: _, ...signed } = payload
      assert.deepEqual(signed, {
        ...{ fid: 2, inputs: { colour: 'Green' }, audience: snap.origin, user: { fid: 2 } },
        surface: { type: 'cast', cast: { hash, author: { fid: 2 } } },
      })
      const signers = await world.get(`/v1/onChainSignersByFid?fid=${fid}&signer=${key}`)
      assert.equal(signers.status, 200)
    })

    test('a blocked host has plain links and gets no press, at any of its ports, until the operator ends that', async () => {
      const operate = async (method: string, domain: string) => {
        const response = await fetch(`${world.app.urls.operations}/platform/removed-mini-apps`, {
          method,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ domain, reason: 'it asks for passwords' }),
        })
        return { status: response.status, text: await response.text() }
      }
      const listed = async () => {
        const response = await fetch(`${world.app.urls.operations}/platform/mini-apps`)
        // biome-ignore lint/suspicious/noExplicitAny: answers are read by path
        const { result } = (await response.json()) as any
        return result.apps.map((one: { domain: string; state: string }) => [one.domain, one.state])
      }
      const { host, hostname } = new URL(snap.origin)
      for (const domain of [host, hostname]) {
        const before = snap.asked.length
        assert.equal((await operate('POST', domain)).status, 200)
        assert.deepEqual(await listed(), [[domain, 'removed']])
        assert.deepEqual(await embedOfCast(), { url: `${snap.origin}/poll` })
        assert.equal((await crawl()).body.metadata.snap, undefined)
        const refused = await press('/vote')
        assert.equal(refused.status, 403)
        assert.match(refused.body.message, /is blocked here/)
        assert.equal(snap.asked.length, before)
        assert.equal((await operate('DELETE', domain)).status, 200)
        assert.deepEqual(await listed(), [])
        assert.equal((await press('/vote')).status, 200)
        assert.equal((await crawl()).body.metadata.snap.url, `${snap.origin}/poll`)
      }
      assert.equal((await operate('DELETE', 'nobody.example')).status, 404)
      for (const domain of ['203.0.113.7', '[2001:db8::1]', 'https://Cards.example/poll']) {
        assert.equal((await operate('POST', domain)).status, 200, domain)
      }
      assert.deepEqual(
        (await listed()).map(([domain]: string[]) => domain),
        ['203.0.113.7', '[2001:db8::1]', 'cards.example'],
      )
      assert.equal((await operate('POST', 'no host')).status, 400)
      const log = await (await fetch(`${world.app.urls.operations}/moderation/log`)).text()
      assert.match(log, /cards\.example/)
    })

    test('an old server gets the place of the button, and a press for a signer of nobody is refused', async () => {
      await press('/vote', { button_index: 1 })
      const { timestamp: _, ...old } = snap.presses.at(-1)!.payload
      assert.deepEqual(old, { fid: 2, inputs: {}, button_index: 1 })
      const nobody = { signer_uuid: '00000000-0000-4000-8000-000000000000' }
      const before = snap.presses.length
      assert.equal((await press('/vote', nobody)).status, 404)
      assert.equal((await press('/vote', { inputs: { a: 'x'.repeat(2_000) } })).status, 400)
      assert.equal(snap.presses.length, before)
    })
  })
}
