// Behaviours that the published documentation of the SDK shows, with the unmodified SDK in the web client.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createClient } from '@farcaster/quick-auth'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from '../browser.ts'
import type { AppServer } from '../mini-apps-support.ts'
import { until } from '../until.ts'
import type { BrowserWorld } from './browser-world.ts'
import {
  call,
  frameOf,
  hostIn,
  openApp,
  pageWith,
  press,
  prompt,
  servePage,
  startApp,
} from './mini-app-host.ts'

export function miniAppSamples(world: BrowserWorld): void {
  describe('samples of the documentation of mini apps', { concurrency: 1 }, () => {
    const host = hostIn(world)
    let app: AppServer
    before(async () => {
      app = await startApp()
      app.manifest.castShareUrl = `${app.origin}/share?from=rookery`
    })
    after(() => app?.close())

    const addApp = async (page: Page) => {
      const frame = await openApp(page, host.web, app.domain)
      const adding = call(frame, 'sdk.actions.addMiniApp()')
      await press(page, 'Add')
      return adding
    }
    /** A cast of the development network, which is in the lists a moment after the start. */
    const someCast = async () => {
      const url = `${host.web}/app/v2/farcaster/feed/?feed_type=filter&filter_type=fids&fids=1&limit=1`
      const headers = { 'x-api-key': 'web' }
      return until(async () => {
        type Cast = { hash: string; text: string; author: { fid: number; username: string } }
        const { casts } = (await (await fetch(url, { headers })).json()) as { casts: Cast[] }
        return casts[0]
      }, 'a cast is in the list')
    }

    it('a cast is shared with an added app, which gets it in its address and in its context', async () => {
      servePage(app, '/share', pageWith('sdk.actions.ready()'))
      const { page, context } = await host.visitor()
      await addApp(page)
      const { user } = await call(await frameOf(page, app.domain), 'sdk.context')
      const cast = await someCast()
      await page.goto(`${host.web}/cast/${cast.hash}`)
      await page.locator('.cast-whole').getByRole('button', { name: 'More' }).click()
      await page.getByRole('button', { name: 'Share with an app …' }).click()
      const sheet = page.getByRole('dialog', { name: 'Share this post' })
      const choice = sheet.getByRole('button', { name: app.domain })
      await choice.waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await choice.click()
      const frame = await frameOf(page, app.domain)
      const { pathname, searchParams } = new URL(frame.url())
      assert.equal(pathname, '/share')
      assert.deepEqual(Object.fromEntries(searchParams), {
        from: 'rookery',
        castHash: cast.hash,
        castFid: String(cast.author.fid),
        viewerFid: String(user.fid),
      })
      const { location } = await call(frame, 'sdk.context')
      assert.equal(location.type, 'cast_share')
      assert.equal(location.cast.hash, cast.hash)
      assert.equal(location.cast.text, cast.text)
      assert.equal(location.cast.author.username, cast.author.username)
      assert.deepEqual(host.faults, [])
      await context.close()
    })

    it('a cast is viewed by its short hash and its author, over the app or in place of it', async () => {
      const { page, context } = await host.visitor({ name: 'magpie' })
      const frame = await openApp(page, host.web, app.domain)
      const { hash, text, author } = await someCast()
      const named = `hash: '${hash.slice(0, 10)}', authorUsername: '${author.username}'`
      await call(frame, `sdk.actions.viewCast({ ${named} })`)
      const shown = page.locator('.cast-whole').getByText(text.split('\n')[0]!.slice(0, 20))
      await shown.first().waitFor()
      assert.equal(new URL(page.url()).pathname, `/cast/${hash}`)
      await page.getByRole('link', { name: /Return/ }).click()
      await page.locator('.mini-app-dialog[open]').waitFor()
      const alone = await call(frame, `sdk.actions.viewCast({ hash: '${hash.slice(0, 10)}' })`)
      assert.match(alone.message, /needs authorUsername/)
      const wrong = `sdk.actions.viewCast({ hash: '0xffffffff', authorUsername: '${author.username}' })`
      assert.match((await call(frame, wrong)).message, /no such cast/)
      await frame.evaluate(`void sdk.actions.viewCast({ ${named}, close: true })`)
      await shown.first().waitFor()
      await page.locator('.mini-app-dialog').waitFor({ state: 'detached' })
      assert.equal(await page.getByRole('link', { name: /Return/ }).count(), 0)
      assert.equal(new URL(page.url()).pathname, `/cast/${hash}`)
      assert.deepEqual(host.faults, [])
      await context.close()
    })

    it('an app knows that it runs in a client, and shows what the client can do', async () => {
      const { page, context } = await host.visitor({ name: 'puffin' })
      const frame = await openApp(page, host.web, app.domain)
      assert.equal(await call(frame, 'sdk.isInMiniApp()'), true)
      const capabilities: string[] = await call(frame, 'sdk.getCapabilities()')
      assert.ok(capabilities.includes('actions.composeCast'))
      assert.ok(!capabilities.includes('actions.swapToken'))
      // Outside of a client the same page finds no host, and goes on.
      const alone = await context.newPage()
      await alone.goto(`${app.origin}/`)
      assert.equal(await alone.evaluate('sdk.isInMiniApp()'), false)
      await context.close()
    })

    it('an app composes a reply and a cast in a channel, which its user sends or refuses', async () => {
      const { page, context } = await host.visitor({ name: 'gannet' })
      const frame = await openApp(page, host.web, app.domain)
      const { hash } = await someCast()
      const parent = `parent: { type: 'cast', hash: '${hash}' }`
      const replying = call(frame, `sdk.actions.composeCast({ text: 'I agree', ${parent} })`)
      await press(page, /^(?:Post|Reply)$/)
      const { cast } = await replying
      assert.deepEqual([cast.text, cast.parent], ['I agree', { type: 'cast', hash }])
      const inChannel = call(
        frame,
        "sdk.actions.composeCast({ text: 'Low tide', channelKey: 'wetlands' })",
      )
      await press(page, 'Cancel')
      assert.equal((await inChannel).cast, null)
      await frame.evaluate("void sdk.actions.composeCast({ text: 'Bye', close: true })")
      await press(page, 'Post')
      await page.locator('.mini-app-dialog').waitFor({ state: 'detached' })
      assert.deepEqual(host.faults, [])
      await context.close()
    })

    it('the server of an app hears of a sign-in by Quick Auth with the token that its page adds to each request', async () => {
      const given: unknown[] = []
      app.pages.set('/api/me', ({ headers }, response) => {
        given.push(headers.authorization)
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      })
      const { page, context } = await host.visitor({ name: 'penguin' })
      const frame = await openApp(page, host.web, app.domain)
      const origin = `${host.web}/platform`
      const getting = call(frame, `sdk.quickAuth.getToken({ quickAuthServerOrigin: '${origin}' })`)
      await press(page, 'Sign in')
      const { token } = await getting
      await call(frame, "sdk.quickAuth.fetch('/api/me').then(() => undefined)")
      assert.deepEqual(given, [`Bearer ${token}`])
      const { sub } = await createClient({ origin }).verifyJwt({ token, domain: app.domain })
      assert.equal(sub, (await call(frame, 'sdk.context')).user.fid)
      await context.close()
    })

    it('an app that listens for events hears of an addition that is refused, and of one without notifications', async () => {
      const { page, context } = await host.visitor({ name: 'jackdaw' })
      const frame = await openApp(page, host.web, app.domain)
      await frame.evaluate(`window.events = []
        sdk.on('miniAppAdded', ({ notificationDetails }) => events.push(['added', Boolean(notificationDetails)]))
        sdk.on('miniAppAddRejected', ({ reason }) => events.push(['rejected', reason]))`)
      const refused = call(frame, 'sdk.actions.addMiniApp()')
      await press(page, 'Cancel')
      assert.equal((await refused).thrown, 'AddMiniApp.RejectedByUser')
      const adding = call(frame, 'sdk.actions.addMiniApp()')
      await prompt(page).getByLabel('It may notify you').uncheck()
      await press(page, 'Add')
      assert.deepEqual(await adding, {})
      assert.deepEqual(await frame.evaluate('window.events'), [
        ['rejected', 'rejected_by_user'],
        ['added', false],
      ])
      const { client } = await call(frame, 'sdk.context')
      assert.equal(client.notificationDetails, undefined)
      await context.close()
    })

    it('somebody without apps that take casts is told where to find some', async () => {
      const { page, context } = await host.visitor({ name: 'egret' })
      const cast = await someCast()
      await page.goto(`${host.web}/cast/${cast.hash}`)
      await page.locator('.cast-whole').getByRole('button', { name: 'More' }).click()
      await page.getByRole('button', { name: 'Share with an app …' }).click()
      const sheet = page.getByRole('dialog', { name: 'Share this post' })
      await sheet.getByRole('link', { name: 'Find mini apps' }).waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'detached' })
      await context.close()
    })
  })
}
