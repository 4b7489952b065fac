// Mini apps in the web client: an app with the published, unmodified SDK in the client of a development network.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from '../browser.ts'
import type { AppServer } from '../mini-apps-support.ts'
import type { BrowserWorld } from './browser-world.ts'
import {
  call,
  frameOf,
  hostIn,
  openApp,
  PHONE,
  pageWith,
  press,
  prompt,
  servePage,
  startApp,
} from './mini-app-host.ts'

export function miniAppBasics(world: BrowserWorld): void {
  describe('mini apps in the web client', { concurrency: 1 }, () => {
    const host = hostIn(world)
    let app: AppServer
    before(async () => {
      app = await startApp()
    })
    after(() => app?.close())

    const check = async (page: Page): Promise<void> => {
      assert.deepEqual(await accessibilityFaults(page), [])
      assert.deepEqual(host.faults.splice(0), [])
    }

    it('an app of this machine is opened, learns who opens it, and its splash goes when it says that it is ready', async () => {
      const { page, context } = await host.visitor()
      await page.goto(`${host.web}/miniapps/${encodeURIComponent(app.domain)}`)
      const button = page.getByRole('button', { name: 'Open Poll' })
      await button.waitFor()
      servePage(app, '/', pageWith(''))
      await button.click()
      const frame = await frameOf(page, app.domain)
      const splash = page.locator('.mini-app-splash')
      await splash.waitFor()
      await call(frame, 'sdk.actions.ready()')
      await splash.waitFor({ state: 'detached' })
      servePage(app, '/', pageWith('sdk.actions.ready()'))
      const { user, client, location, features } = await call(frame, 'sdk.context')
      assert.equal(user.username, 'raven')
      assert.equal(typeof user.fid, 'number')
      assert.equal(client.added, false)
      assert.equal(client.platformType, 'web')
      assert.deepEqual(client.safeAreaInsets, { top: 0, bottom: 0, left: 0, right: 0 })
      assert.ok(client.clientFid > 0)
      assert.deepEqual(location, { type: 'launcher' })
      assert.equal(features.cameraAndMicrophoneAccess, false)
      assert.equal(await call(frame, 'sdk.isInMiniApp()'), true)
      await check(page)
      await context.close()
    })

    it('an app that asks to be added before the client has read its manifest waits for it', async () => {
      const { page, context } = await host.visitor({ name: 'magpie' })
      await page.goto(host.web)
      const first = Promise.withResolvers<void>()
      await page.route('**/v1/mini-app?*', async (route) => {
        await first.promise
        await route.continue()
      })
      await page.goto(`${host.web}/development/mini-apps?url=${encodeURIComponent(app.domain)}`)
      const frame = await frameOf(page, app.domain)
      const adding = call(frame, 'sdk.actions.addMiniApp()')
      first.resolve()
      await press(page, 'Cancel')
      assert.equal((await adding).thrown, 'AddMiniApp.RejectedByUser')
      await context.close()
    })

    it('an app is added with a signed event, told so, and removed again', async () => {
      const { page, context } = await host.visitor({ name: 'magpie' })
      const frame = await openApp(page, host.web, app.domain)
      await frame.evaluate("sdk.on('miniAppAdded', (event) => { window.added = event })")
      const adding = call(frame, 'sdk.actions.addMiniApp()')
      await prompt(page).getByText(`Add ${app.domain}`).waitFor()
      await check(page)
      await press(page, 'Add')
      const { notificationDetails } = await adding
      assert.match(notificationDetails.url, /\/v1\/frame-notifications$/)
      assert.ok(notificationDetails.token.length > 20)
      assert.deepEqual(await frame.evaluate('window.added'), { notificationDetails })
      const { client } = await call(frame, 'sdk.context')
      assert.equal(client.added, true)
      await page.goto(`${host.web}/miniapps/settings`)
      await page.getByRole('link', { name: 'Poll' }).waitFor()
      await check(page)
      const own = page.getByRole('region', { name: app.domain })
      await own.getByLabel('It may notify you').click()
      await page.getByRole('button', { name: `Remove ${app.domain}` }).click()
      await page.getByText('You allow no mini app anything').waitFor()
      await check(page)
      await context.close()
    })

    it('an app is signed in to with a message for its own domain only', async () => {
      const { page, context } = await host.visitor({ size: PHONE })
      const frame = await openApp(page, host.web, app.domain)
      const refused = call(frame, "sdk.actions.signIn({ nonce: 'abcdefgh12' })")
      await press(page, 'Cancel')
      assert.match((await refused).thrown, /SignIn\.RejectedByUser/)
      const signing = call(frame, "sdk.actions.signIn({ nonce: 'abcdefgh12' })")
      await prompt(page)
        .getByRole('heading', { name: `Sign in to ${app.domain}` })
        .waitFor()
      await check(page)
      await press(page, 'Sign in')
      const { message, signature, authMethod } = await signing
      assert.equal(authMethod, 'custody')
      assert.match(message, new RegExp(`^${app.domain} wants you to sign in`))
      assert.match(message, /^Nonce: abcdefgh12$/m)
      assert.match(signature, /^0x[0-9a-f]{130}$/)
      await context.close()
    })
  })
}
