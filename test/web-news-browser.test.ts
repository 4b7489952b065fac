// What is new in the web client, the first minute, the keyboard, and the page without a connection.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { App } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { startDevNetwork } from '../src/dev/network.ts'
import { createLogger } from '../src/http/logger.ts'
import { accessibilityFaults, startBrowser } from './browser.ts'
import { createPlace } from './program.ts'

// biome-ignore lint/suspicious/noExplicitAny: what pages have where they are evaluated
declare const document: any, window: any, navigator: any

const PHONE = { width: 360, height: 740 }
const DESKTOP = { width: 1_280, height: 900 }

describe('what is new in the web client', { concurrency: 1 }, () => {
  let app: App
  let web: string
  let place: Awaited<ReturnType<typeof createPlace>>
  let browser: Browser
  before(async () => {
    place = await createPlace('sqlite')
    const env = { ...place.env, ROOKERY_KEYS: '', ROOKERY_VIEWS: 'on' }
    const logger = createLogger({ level: 'fatal' })
    app = await startDevNetwork({ config: readConfig(env, 'development'), logger })
    web = app.urls.web
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await app?.stop()
    await place?.remove()
  })

  async function visitor(
    viewport = DESKTOP,
    worker: 'allow' | 'block' = 'block',
  ): Promise<{ page: Page; context: BrowserContext }> {
    const context = await browser.newContext({
      viewport,
      reducedMotion: 'reduce',
      serviceWorkers: worker,
    })
    context.setDefaultTimeout(60_000)
    return { context, page: await context.newPage() }
  }

  async function actAs(page: Page, name: string): Promise<void> {
    await page.goto(`${web}/development`)
    await page.getByRole('main').getByPlaceholder('Name or number').fill(name)
    const button = page.getByRole('main').getByRole('button', { name, exact: true })
    await button.click()
    await page.locator('main [aria-pressed=true]').waitFor()
  }

  async function check(page: Page): Promise<void> {
    assert.deepEqual(await accessibilityFaults(page), [])
    const overflow = () =>
      document.documentElement.scrollWidth - document.documentElement.clientWidth
    assert.equal(await page.evaluate(overflow), 0, 'it scrolls sideways')
  }

  for (const size of [PHONE, DESKTOP]) {
    it(`a reply is written in a dialog over the thread, which going back closes, at ${size.width} px`, async () => {
      const { page, context } = await visitor(size)
      await actAs(page, 'raven')
      await page.goto(web)
      await page.locator('main article').nth(3).scrollIntoViewIfNeeded()
      await page
        .getByRole('button', { name: /^Reply/ })
        .nth(3)
        .click()
      const text = page.getByRole('dialog').getByRole('textbox', { name: /^Your reply/ })
      await text.fill('Half a thought')
      await check(page)
      await page.goBack()
      await text.waitFor({ state: 'detached' })
      assert.equal(page.url(), `${web}/`)
      await page
        .getByRole('button', { name: /^Reply/ })
        .nth(3)
        .click()
      assert.equal(await text.inputValue(), 'Half a thought')
      await text.fill(`A whole thought at ${size.width}`)
      await page.getByRole('dialog').getByRole('button', { name: 'Reply', exact: true }).click()
      await page.getByRole('link', { name: 'Show it' }).click()
      await page.getByText(`A whole thought at ${size.width}`).first().waitFor()
      await context.close()
    })

    it(`the number of new notifications is shown until they are looked at, at ${size.width} px`, async () => {
      const { page, context } = await visitor(size)
      const name = size === PHONE ? 'heron' : 'puffin'
      await actAs(page, name)
      await page.goto(web)
      const link = page.getByRole('link', { name: /^Notifications|new/ }).first()
      await link.locator('.unread-count').waitFor()
      assert.match(await page.title(), /^\(\d+\+?\) Home/)
      await link.click()
      await page.locator('.unread').first().waitFor()
      await page.locator('.unread-count').first().waitFor({ state: 'detached' })
      await page.waitForFunction(() => document.title === 'Notifications – Rookery')
      // The mark is kept on the server.
      await page.reload()
      await page.locator('main article').first().waitFor()
      assert.equal(await page.locator('.unread').count(), 0)
      await context.close()
    })
  }

  it('keys move between casts, like, reply, write, search and explain themselves, and can be turned off', async () => {
    const { page, context } = await visitor()
    await actAs(page, 'raven')
    await page.goto(web)
    await page.locator('main article').nth(2).waitFor()
    const at = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('main .cast')].indexOf(document.activeElement),
      )
    await page.keyboard.press('j')
    assert.equal(await at(), 0)
    await page.keyboard.press('j')
    assert.equal(await at(), 1)
    await page.keyboard.press('k')
    assert.equal(await at(), 0)
    const like = page.locator('main .cast').first().locator('.action-like')
    const wasOn = await like.getAttribute('aria-pressed')
    await page.keyboard.press('l')
    await page.waitForFunction(
      (was) =>
        document.querySelector('main .cast .action-like').getAttribute('aria-pressed') !== was,
      wasOn,
    )
    await page.keyboard.press('r')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: /^Your reply/ }).waitFor()
    await page.keyboard.type('jjj?')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('n')
    await dialog.getByRole('textbox', { name: 'Your cast' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    assert.equal(await page.evaluate(() => document.activeElement.type), 'search')
    await page.evaluate(() => document.activeElement.blur())
    await page.keyboard.press('?')
    await dialog.getByText('Next cast').waitFor()
    await check(page)
    await dialog.getByLabel('Single keys are on').uncheck()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.evaluate(() => document.activeElement.blur())
    await page.keyboard.press('j')
    assert.equal(await at(), -1)
    await context.close()
  })

  it('the page can be installed, opens without a connection, and is never older than the server', async () => {
    const manifest = (await (await fetch(`${web}/manifest.webmanifest`)).json()) as {
      display: string
      icons: { src: string; type: string }[]
    }
    assert.equal(manifest.display, 'standalone')
    for (const { src, type } of manifest.icons) {
      const response = await fetch(web + src)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), type)
    }
    const { page, context } = await visitor(DESKTOP, 'allow')
    await page.goto(web)
    await page.evaluate(() => navigator.serviceWorker.ready)
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await page.reload()
    await page.locator('main article').first().waitFor()
    await context.setOffline(true)
    await page.reload()
    await page.getByRole('heading', { name: 'You are offline' }).waitFor()
    await check(page)
    await context.setOffline(false)
    await page.locator('main article').first().waitFor()
    // With a connection the page comes from the server.
    const response = await page.goto(`${web}/channels`)
    assert.equal(response!.status(), 200)
    const kept = await page.evaluate(() => window.caches.keys())
    assert.equal(kept.length, 1)
    await context.close()
  })

  it('who follows nobody is welcomed with people, channels and a line about oneself', async () => {
    const { page, context } = await visitor(PHONE)
    await page.route('**/user/bulk?*', async (route) => {
      const response = await route.fetch()
      const json = (await response.json()) as { users: object[] }
      const users = json.users.map((user) => ({ ...user, following_count: 0 }))
      await route.fulfill({ response, json: { ...json, users } })
    })
    await page.route('**/feed/following?*', (route) =>
      route.fulfill({ json: { casts: [], next: { cursor: null } } }),
    )
    await actAs(page, 'raven')
    await page.goto(web)
    const welcome = page.getByRole('region', { name: /^Welcome/ })
    await welcome.locator('.few li').first().waitFor()
    await check(page)
    await page.goto(`${web}/?feed=following`)
    await page.getByRole('heading', { name: 'You follow nobody yet' }).waitFor()
    await welcome.getByRole('button', { name: 'Done' }).click()
    await welcome.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { name: 'You follow nobody yet' }).waitFor()
    assert.equal(await welcome.count(), 0)
    await context.close()
  })
})
