// Push notifications in Chromium: turned on in the settings, encrypted by the server, decrypted as a device does, shown by the
// service worker of the page, and opened. Only the connection between browser and push service is a part of this test.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { pushRows } from '../../src/features/push/tables/pushes.ts'
import { type PushService, startPushService } from '../push-support.ts'
import { until } from '../until.ts'
import { type BrowserWorld, PHONE } from './browser-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: what pages and workers have where they are evaluated
declare const document: any, window: any, navigator: any, self: any, localStorage: any

const RAVEN = 2

/** Gives a page the subscription that a browser with a connection to a push service would have. */
function withSubscription({
  endpoint,
  p256dh,
  auth,
}: {
  endpoint: string
  p256dh: string
  auth: string
}): void {
  const KEY = 'subscription of the test'
  const made = (publicKey: string) => ({
    endpoint,
    options: {
      applicationServerKey: Uint8Array.from(
        atob(publicKey.replaceAll('-', '+').replaceAll('_', '/')),
        (character) => character.charCodeAt(0),
      ).buffer,
    },
    toJSON: () => ({ endpoint, keys: { p256dh, auth } }),
    async unsubscribe() {
      localStorage.removeItem(KEY)
      return true
    },
  })
  // A browser without windows answers `denied` without asking anybody.
  Object.defineProperty(window.Notification, 'permission', { get: () => 'granted' })
  window.Notification.requestPermission = async () => 'granted'
  Object.assign(window.PushManager.prototype, {
    async getSubscription() {
      const kept = localStorage.getItem(KEY)
      return kept === null ? null : made(kept)
    },
    async subscribe({ applicationServerKey }: { applicationServerKey: Uint8Array }) {
      const text = btoa(String.fromCharCode(...applicationServerKey))
      localStorage.setItem(KEY, text)
      return made(text)
    },
  })
}

export function push(world: BrowserWorld): void {
  describe('push notifications in the web client', { concurrency: 1 }, () => {
    let service: PushService
    before(async () => {
      service = await startPushService()
    })
    after(() => service?.close())
    const { actAs, check, signOut } = world
    async function visitor(): Promise<{ page: Page; context: BrowserContext }> {
      const page = await world.visitor({ viewport: PHONE })
      return { page, context: page.context() }
    }

    it('a phone is told of a reply once its owner has turned that on, shows it, and opens it when it is tapped', async () => {
      const device = service.device('ravens-phone')
      const { page, context } = await visitor()
      await context.grantPermissions(['notifications'], { origin: world.web })
      await page.addInitScript(withSubscription, device.subscription)
      await actAs(page, 'raven')
      await page.goto(`${world.web}/notifications`)
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByRole('heading', { name: 'Push notifications' }).waitFor()
      await check(page)
      await page.getByRole('button', { name: 'Turn on notifications' }).click()
      await page.getByText('Notifications are on.').waitFor()
      assert.ok(await page.getByLabel('Replies to you').isChecked())
      assert.ok(!(await page.getByLabel('Likes of your posts').isChecked()))
      await check(page)
      await page.getByLabel('Likes of your posts').check()
      await page.getByText('Saved.').waitFor()
      const [kept] = await world.app.storage.of(pushRows).devicesOf(RAVEN)
      assert.equal(kept?.kinds, 'replies,quotes,mentions,follows,likes')
      assert.match(kept.name, /^Chrome on Linux$/)

      const other = await visitor()
      await actAs(other.page, 'heron')
      await other.page.goto(`${world.web}/@raven`)
      const cast = other.page.locator('main article.cast').first()
      const write = cast.getByRole('button', { name: /^Reply/ })
      await write.click()
      const dialog = other.page.getByRole('dialog')
      await dialog.getByRole('textbox', { name: /^Your reply/ }).fill('Are you awake?')
      await dialog.getByRole('button', { name: 'Reply', exact: true }).click()
      await until(() => device.told().length > 0, 'the phone is told')
      const [told] = device.told()
      assert.match(told!.title, /replied to you$/)
      assert.equal(told!.body, 'Are you awake?')

      // A browser without windows has no notifications: what the worker shows is noted in their place.
      const worker = context.serviceWorkers()[0]!
      await worker.evaluate(() => {
        self.registration.showNotification = async (title: string, options: object) => {
          self.shown = { title, ...options }
        }
      })
      const cdp = await context.newCDPSession(page)
      const registered = new Promise<string>((resolve) => {
        cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
          const [one] = registrations.filter(({ isDeleted }) => !isDeleted)
          if (one) resolve(one.registrationId)
        })
      })
      await cdp.send('ServiceWorker.enable')
      await cdp.send('ServiceWorker.deliverPushMessage', {
        origin: world.web,
        registrationId: await registered,
        data: JSON.stringify(told),
      })
      const shown = () => worker.evaluate(() => self.shown as { [name: string]: unknown })
      await until(async () => (await shown()) !== undefined, 'the notification is shown')
      const { title, body, tag, icon } = await shown()
      assert.deepEqual(
        { title, body, tag },
        { title: told!.title, body: told!.body, tag: told!.tag },
      )
      assert.equal((await fetch(world.web + icon)).status, 200)
      await worker.evaluate(() => {
        const notification = { ...self.shown, close() {} }
        const click = new self.ExtendableEvent('notificationclick')
        self.dispatchEvent(Object.assign(click, { notification }))
      })
      await page.waitForURL(world.web + told!.url)
      await page.getByText('Are you awake?').first().waitFor()

      await page.goto(`${world.web}/notifications/settings`)
      await page.getByRole('button', { name: 'Turn off' }).click()
      await page.getByText('Notifications are off.').waitFor()
      assert.deepEqual(await world.app.storage.of(pushRows).devicesOf(RAVEN), [])
      await context.close()
      await other.context.close()
    })

    it('a browser that blocks notifications says so, other devices can be removed, and signing out ends the subscription', async () => {
      const device = service.device('puffins-phone')
      const first = await visitor()
      await first.context.grantPermissions(['notifications'], { origin: world.web })
      await first.page.addInitScript(withSubscription, device.subscription)
      await actAs(first.page, 'puffin')
      await first.page.goto(`${world.web}/notifications/settings`)
      await first.page.getByRole('button', { name: 'Turn on notifications' }).click()
      await first.page.getByText('Notifications are on.').waitFor()

      const second = await visitor()
      await second.page.addInitScript(() => {
        Object.defineProperty(window.Notification, 'permission', { get: () => 'denied' })
      })
      await actAs(second.page, 'puffin')
      await second.page.goto(`${world.web}/notifications/settings`)
      await second.page.getByText('Your browser blocks notifications').waitFor()
      await check(second.page)
      await second.page.getByRole('button', { name: 'Remove Chrome on Linux' }).click()
      await second.page
        .getByRole('heading', { name: 'Other devices' })
        .waitFor({ state: 'detached' })
      await second.context.close()

      await first.page.reload()
      await first.page.getByRole('button', { name: 'Turn on notifications' }).click()
      await first.page.getByText('Notifications are on.').waitFor()
      await first.page.goto(world.web)
      await signOut(first.page)
      await until(
        () => first.page.evaluate(() => localStorage.getItem('subscription of the test') === null),
        'the subscription has ended',
      )
      await first.context.close()
    })
  })
}
