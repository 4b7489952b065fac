// What is new in the web client, the first minute, the keyboard, and the page without a connection.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { untilControlled, untilInPage } from '../browser.ts'
import { until } from '../until.ts'
import { type BrowserWorld, DESKTOP, KEPT, OFFLINE, PHONE } from './browser-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: what pages have where they are evaluated
declare const document: any, window: any, navigator: any

/** Minutes pass. */
const withoutTimes = (text: string) => text.replace(/\b(?:now|\d+[mhd])\b/g, '')

export function news(world: BrowserWorld): void {
  describe('what is new in the web client', { concurrency: 1 }, () => {
    const { actAs, check, signOut } = world

    async function visitor(viewport = DESKTOP, serviceWorkers: 'allow' | 'block' = 'block') {
      const page = await world.visitor({ viewport, serviceWorkers })
      return { page, context: page.context() }
    }

    for (const size of [PHONE, DESKTOP]) {
      it(`a reply is written in a dialog over the thread, which going back closes, at ${size.width} px`, async () => {
        const { page, context } = await visitor(size)
        await actAs(page, 'raven')
        await page.goto(world.web)
        const cast = page.locator('main article').nth(3)
        await cast.scrollIntoViewIfNeeded()
        await cast.getByRole('button', { name: /^Reply/ }).click()
        const text = page.getByRole('dialog').getByRole('textbox', { name: /^Your reply/ })
        await text.fill('Half a thought')
        await check(page)
        await page.goBack()
        await text.waitFor({ state: 'detached' })
        assert.equal(page.url(), `${world.web}/`)
        await cast.getByRole('button', { name: /^Reply/ }).click()
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
        await page.goto(world.web)
        const link = page
          .getByRole('navigation', { name: 'Main' })
          .getByRole('link', { name: /Notifications/ })
        await link.locator('.unread-count').waitFor()
        assert.match(await page.title(), /^\(\d+\+?\) Home/)
        await link.click()
        await page.locator('.unread').first().waitFor()
        await page.locator('.unread-count').first().waitFor({ state: 'detached' })
        await untilInPage(page, () => document.title === 'Notifications – Rookery')
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
      await page.goto(world.web)
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
      await untilInPage(
        page,
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
      await dialog.getByRole('textbox', { name: 'Your post' }).waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await page.keyboard.press('/')
      assert.equal(await page.evaluate(() => document.activeElement.type), 'search')
      await page.evaluate(() => document.activeElement.blur())
      await page.keyboard.press('?')
      await dialog.getByText('Next post').waitFor()
      await check(page)
      await dialog.getByLabel('Single keys are on').uncheck()
      await dialog.getByRole('button', { name: 'Close' }).click()
      await page.evaluate(() => document.activeElement.blur())
      await page.keyboard.press('j')
      assert.equal(await at(), -1)
      await context.close()
    })

    it('the page can be installed, opens without a connection, and is never older than the server', async () => {
      const manifest = (await (await fetch(`${world.web}/manifest.webmanifest`)).json()) as {
        display: string
        icons: { src: string; type: string }[]
      }
      assert.equal(manifest.display, 'standalone')
      for (const { src, type } of manifest.icons) {
        const response = await fetch(world.web + src)
        assert.equal(response.status, 200)
        assert.equal(response.headers.get('content-type'), type)
      }
      const { page, context } = await visitor(DESKTOP, 'allow')
      await page.goto(world.web)
      await untilControlled(page)
      await page.reload()
      await page.locator('main article').first().waitFor()
      await context.setOffline(true)
      await page.reload()
      await page.locator('main article').first().waitFor()
      await page.getByText(KEPT).waitFor()
      await check(page)
      // The menu is loaded when it is opened; nothing of it was asked for before.
      const main = page.getByRole('navigation', { name: 'Main' })
      await main.getByRole('button', { name: 'More' }).click()
      const menu = page.getByRole('navigation', { name: 'More' })
      await menu.getByRole('link', { name: 'Settings' }).waitFor()
      await page.goto(`${world.web}/names`)
      await page.getByRole('heading', { name: OFFLINE }).waitFor()
      await check(page)
      await context.setOffline(false)
      await page.getByRole('heading', { name: OFFLINE }).waitFor({ state: 'detached' })
      // With a connection the page comes from the server.
      const response = await page.goto(`${world.web}/channels`)
      assert.equal(response!.status(), 200)
      const kept = await page.evaluate(() => window.caches.keys())
      assert.equal(kept.filter((name: string) => name.startsWith('rookery ')).length, 1)
      await context.close()
    })

    it('the last lists of an account are there without a connection, until it signs out', async () => {
      const { page, context } = await visitor(DESKTOP, 'allow')
      await actAs(page, 'raven')
      await page.goto(world.web)
      await untilControlled(page)
      const places = ['/', '/notifications', '']
      await page.goto(world.web)
      places[2] = (await page.locator('main .cast-time').first().getAttribute('href'))!
      const lists: string[] = []
      const count = () =>
        page.evaluate(async () => {
          const cache = await window.caches.open('lists')
          return (await cache.keys()).length
        })
      for (const [i, place] of places.entries()) {
        await page.goto(world.web + place)
        const first = page.locator('main').locator('article, .notice-row').first()
        lists.push(withoutTimes(await first.innerText()))
        // A list is kept after it is shown: not by a page that is left at once.
        await until(async () => (await count()) === i + 1, 'the list is kept')
      }
      // Their faces are kept once they have been looked at.
      const faces = () =>
        page.evaluate(async () => {
          if (!(await window.caches.has('pictures'))) return []
          const cache = await window.caches.open('pictures')
          return (await cache.keys()).map(({ url }: { url: string }) => url)
        })
      await until(async () => (await faces()).length > 0, 'pictures are kept')
      await page.evaluate(() => navigator.locks.request('pictures', () => {}))
      for (const url of await faces()) assert.match(url, /\/picture\?url=|\/media\//)
      await context.setOffline(true)
      for (const [i, place] of places.entries()) {
        await page.goto(world.web + place)
        await page.getByText(KEPT).waitFor()
        const first = page.locator('main').locator('article, .notice-row').first()
        assert.equal(withoutTimes(await first.innerText()), lists[i])
        await untilInPage(
          page,
          () => document.querySelector('main .portrait img')?.naturalWidth > 0,
        )
        await check(page)
      }
      // A larger one of a face is asked for: the small one stands for it.
      const face = (await faces()).find((url: string) => url.includes('/picture?'))!
      const loads = (url: string) =>
        page.evaluate(
          (src) =>
            new Promise<boolean>((resolve) => {
              const image = new window.Image()
              image.onload = () => resolve(true)
              image.onerror = () => resolve(false)
              image.src = src
            }),
          url,
        )
      assert.equal(await loads(face.replace('width=96', 'width=640')), true)
      // There is a connection again: the list is read anew, and the line goes.
      await context.setOffline(false)
      await page.getByText(KEPT).waitFor({ state: 'detached' })
      // Of what is gone from the server, the small one goes, too.
      const gone = `${world.web}/media/gone`
      await page.evaluate(async (url) => {
        const cache = await window.caches.open('pictures')
        await cache.put(`${url}-small.jpg`, new Response('small'))
      }, gone)
      assert.equal(await loads(`${gone}.jpg`), false)
      await until(async () => !(await faces()).includes(`${gone}-small.jpg`), 'it is forgotten')
      await context.setOffline(true)
      await page.goto(world.web)
      await page.getByText(KEPT).waitFor()
      await signOut(page)
      await page.getByRole('heading', { name: OFFLINE }).waitFor()
      assert.equal(await count(), 0)
      assert.deepEqual(await faces(), [])
      await context.close()
    })

    it('a list from before is shown only while the server does not answer', async () => {
      const { page, context } = await visitor()
      await page.goto(world.web)
      const first = page.locator('main article').first()
      await first.waitFor()
      // A proxy whose server is away for so many requests; what asks whether it is there gets an answer.
      let lost = 0
      let asked = 0
      await page.route('**/feed/newest*', (route) => {
        asked += 1
        if (lost === 0) return route.continue()
        lost -= 1
        return route.fulfill({ status: 502, body: 'Bad gateway' })
      })
      lost = 1
      await page.goto(world.web)
      await first.waitFor()
      assert.equal(asked, 2)
      assert.equal(await page.getByText(KEPT).count(), 0)
      lost = 4
      await page.goto(world.web)
      await page.getByText(KEPT).waitFor()
      await first.waitFor()
      await check(page)
      await page.getByText(KEPT).waitFor({ state: 'detached' })
      assert.equal(lost, 0)
      lost = 3
      await page.goto(world.web)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText(KEPT).waitFor({ state: 'detached' })
      await context.close()
    })

    it('what the server refuses is not shown from before', async () => {
      const { page, context } = await visitor(DESKTOP, 'allow')
      await page.goto(world.web)
      await untilControlled(page)
      await page.goto(world.web)
      const path = await page.locator('main .cast-time').first().getAttribute('href')
      await page.goto(world.web + path)
      await page.locator('main article').first().waitFor()
      const gone = { code: 'NotFound', message: 'There is no such cast' }
      await page.route('**/screen/cast?*', (route) => route.fulfill({ status: 404, json: gone }))
      await page.reload()
      await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
      await page.unroute('**/screen/cast?*')
      await context.setOffline(true)
      await page.reload()
      await page.getByRole('heading', { name: OFFLINE }).waitFor()
      assert.equal(await page.locator('main article').count(), 0)
      await context.close()
    })

    it('who signs out in one page is signed out in all, and nothing that another page reads is kept', async () => {
      const { page, context } = await visitor()
      await actAs(page, 'raven')
      await page.goto(world.web)
      await page.locator('main article').first().waitFor()
      const other = await context.newPage()
      let release = () => {}
      const isSignedOut = new Promise<void>((resolve) => {
        release = resolve
      })
      const asked = other.waitForRequest(/screen\/notifications/)
      await other.route('**/screen/notifications*', async (route) => {
        await isSignedOut
        await route.continue().catch(() => {})
      })
      await other.goto(`${world.web}/notifications`)
      await asked
      await signOut(page)
      await page.getByRole('link', { name: 'Join or sign in' }).first().waitFor()
      release()
      await other.getByRole('link', { name: 'Join or sign in' }).first().waitFor()
      const kept = await page.evaluate(async () => {
        const cache = await window.caches.open('lists')
        return (await cache.keys()).map(({ url }: { url: string }) => url)
      })
      assert.deepEqual(
        kept.filter((url: string) => /fid=/.test(url)),
        [],
      )
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
      await page.goto(world.web)
      const welcome = page.getByRole('region', { name: /^Welcome/ })
      await welcome.locator('.few li').first().waitFor()
      await check(page)
      await page.setViewportSize(DESKTOP)
      await page.reload()
      await welcome.locator('.few li').first().waitFor()
      await page.getByRole('heading', { name: 'Popular now' }).waitFor()
      assert.equal(await page.getByRole('heading', { name: 'People to follow' }).count(), 0)
      await page.goto(`${world.web}/?feed=following`)
      await page.getByRole('heading', { name: 'You follow nobody yet' }).waitFor()
      assert.equal(await welcome.count(), 0, 'it stands above the first tab alone')
      await page.goto(world.web)
      await welcome.getByRole('button', { name: 'Done', exact: true }).click()
      await welcome.waitFor({ state: 'detached' })
      await page.reload()
      await page.getByRole('heading', { name: 'Popular now' }).waitFor()
      assert.equal(await welcome.count(), 0)
      // It asks again after the last write: what it then answers must not come after the end.
      await page.unrouteAll({ behavior: 'wait' })
      await context.close()
    })
  })
}
