// The web client as people act in it: casts, reactions, follows, drafts, previews, and what the server refuses.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { until } from '../until.ts'
import { appReader, type Json } from './app-reader.ts'
import { type BrowserWorld, DESKTOP, PHONE } from './browser-world.ts'

export function acting(world: BrowserWorld): void {
  describe('acting in the web client', { concurrency: 1 }, () => {
    const { faults, check } = world
    const { read, storedCast, channel, person } = appReader(world)

    async function visitor(viewport = DESKTOP): Promise<{ page: Page; context: BrowserContext }> {
      const page = await world.visitor({ viewport, serviceWorkers: 'block' })
      return { page, context: page.context() }
    }

    /** One click in a development network. */
    async function chooseToActAs(page: Page, name: string): Promise<void> {
      await page.getByText('Development network').click()
      await page.getByPlaceholder('Name or number').fill(name)
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('button', { name, exact: true, pressed: true }).waitFor()
    }

    const castOf = (page: Page, text: string) => page.locator('article').filter({ hasText: text })

    it('an account likes, recasts, follows, replies, edits its profile and deletes', async () => {
      const { page, context } = await visitor()
      await page.goto(world.web)
      await chooseToActAs(page, 'raven')
      await page.getByRole('link', { name: 'Write' }).first().click()
      await page.getByRole('textbox', { name: 'Your post' }).fill('Hello @her')
      await page.getByRole('button', { name: /heron/i }).first().click()
      await page.keyboard.type('and @nobody-at-all')
      await check(page)
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)
      const hash = page.url().split('/').at(-1)!
      await world.indexed()
      const own = await storedCast(hash)
      assert.equal(own.text, 'Hello @heron and @nobody-at-all')
      assert.deepEqual(
        own.mentioned_profiles.map(({ username }: Json) => username),
        ['heron'],
      )

      const cast = page.locator('.cast-whole')
      await cast.getByRole('button', { name: /^Like/ }).click()
      await cast.getByRole('button', { name: /^Unlike\. 1 like/ }).waitFor()
      await until(async () => (await storedCast(hash)).reactions.likes_count === 1)
      await cast.getByRole('button', { name: /^Repost/ }).click()
      await until(async () => (await storedCast(hash)).reactions.recasts_count === 1)
      await cast.getByRole('button', { name: /^Unlike/ }).click()
      await until(async () => (await storedCast(hash)).reactions.likes_count === 0)

      await cast.getByRole('button', { name: /^Reply/ }).click()
      await page.getByRole('textbox', { name: 'Your reply' }).fill('To myself')
      await page.getByRole('button', { name: 'Reply', exact: true }).click()
      await castOf(page, 'To myself').waitFor()
      await until(async () => (await storedCast(hash)).replies.count === 1)

      const puffin = await person('puffin')
      await page.goto(`${world.web}/@puffin`)
      const button = page.locator('.profile .follow')
      const wasOn = (await button.innerText()) === 'Following'
      await button.click()
      await until(
        async () =>
          (await person('puffin')).follower_count === puffin.follower_count + (wasOn ? -1 : 1),
      )
      await check(page)

      const members = (await channel('wetlands')).follower_count
      await page.goto(`${world.web}/channel/wetlands`)
      await page.locator('.profile .follow').click()
      await until(async () => (await channel('wetlands')).follower_count === members + 1)
      await page.reload()
      await page.locator('.profile .follow', { hasText: 'Following' }).click()
      await until(async () => (await channel('wetlands')).follower_count === members)

      await page.goto(`${world.web}/profile`)
      await page.getByLabel('About you').fill('Nevermore.')
      await page.getByLabel('Your website').fill('https://raven.example/nest')
      await page.getByLabel('Your place').fill('91, 4')
      await page.getByText('No such town is in the list').waitFor()
      await page.getByLabel('Your place').fill('zuri')
      const places = page.getByRole('list', { name: 'Places' })
      await places.getByRole('button', { name: 'Zürich, Switzerland' }).waitFor()
      await check(page)
      await places.getByRole('button', { name: 'Zürich, Switzerland' }).click()
      await page.locator('.chosen-place').getByText('Zürich, Switzerland').waitFor()
      await check(page)
      await page.getByRole('button', { name: 'Save' }).click()
      const profile = page.locator('.profile')
      await profile.getByText('Nevermore.').waitFor()
      await profile.getByRole('link', { name: 'raven.example/nest' }).waitFor()
      await profile.getByText('Zürich, Switzerland').waitFor()
      // The network takes banners of subscribers only: the form offers what it takes.
      await page.goto(`${world.web}/profile`)
      await page.getByLabel('About you').waitFor()
      assert.equal(await page.getByText('banner').count(), 0)

      await page.goto(`${world.web}/cast/${hash}`)
      await cast.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('button', { name: 'Delete …' }).click()
      await page.getByRole('button', { name: 'Delete for good' }).click()
      await until(async () => (await read(`/cast?identifier=${hash}&type=hash`)).status === 404)
      assert.deepEqual(faults.splice(0), [])
      await context.close()
    })

    it('an account blocks the author of a cast by a link that other hubs know, and unblocks on the page of that person', async () => {
      const { page, context } = await visitor()
      await world.actAs(page, 'raven')
      await page.goto(`${world.web}/@puffin`)
      const { fid } = await person('puffin')
      const link = () =>
        fetch(`${world.app.urls.hub}/v1/linkById?fid=2&target_fid=${fid}&link_type=block`)
      const hasLink = async () => (await link()).status === 200
      const blocks = async () => {
        const url = `${world.app.urls.platform}/fc/blocked-users?blockerFid=2`
        return ((await (await fetch(url)).json()) as Json).result.blockedUsers.length
      }
      const openMenu = () =>
        page.locator('.profile-acts').getByRole('button', { name: 'More' }).click()
      const casts = page.getByRole('article', { name: /puffin/ })
      await casts.first().waitFor()
      await casts.first().getByRole('button', { name: 'More', exact: true }).click()
      await check(page)
      await page.getByRole('button', { name: 'Block @puffin' }).click()
      await until(async () => (await hasLink()) && (await blocks()) === 1)
      await world.indexed()
      await casts.first().waitFor({ state: 'detached' })
      await page.reload()
      await openMenu()
      await page.getByRole('button', { name: 'Unblock @puffin' }).click()
      await until(async () => !(await hasLink()) && (await blocks()) === 0)
      await casts.first().waitFor()

      // What the hub refuses to store is a block on this server.
      const refusal = { errCode: 'bad_request.validation_failure', details: 'not in the scope' }
      await page.route('**/hub/v1/submitMessage', (route) =>
        route.fulfill({ status: 400, json: refusal }),
      )
      await openMenu()
      await page.getByRole('button', { name: 'Block @puffin' }).click()
      await until(async () => (await blocks()) === 1)
      assert.equal(await hasLink(), false)
      await openMenu()
      await page.getByRole('button', { name: 'Unblock @puffin' }).click()
      await until(async () => (await blocks()) === 0)
      assert.deepEqual(faults.splice(0), [])
      await context.close()
    })

    it('a tag leads to the casts with it, an own reply counts at once, and an own quote is there without a notice', async () => {
      const { page, context } = await visitor()
      await world.actAs(page, 'raven')
      await page.goto(`${world.web}/`)
      await page.locator('.live-live').waitFor()
      await page.getByRole('link', { name: 'Write' }).first().click()
      await page
        .getByRole('textbox', { name: 'Your post' })
        .fill('Low tide #Mudflats at www.x.test')
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      const cast = castOf(page, 'Low tide').first()
      await cast.getByRole('link', { name: 'www.x.test' }).waitFor()
      await page.goto(`${world.web}/`)
      await page.locator('.live-live').waitFor()
      await cast.getByRole('button', { name: 'Reply. 0 replies' }).click()
      await page.getByRole('textbox', { name: 'Your reply' }).fill('And geese')
      await page.getByRole('button', { name: 'Reply', exact: true }).click()
      await cast.getByRole('button', { name: 'Reply. 1 reply' }).waitFor()
      await cast.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('button', { name: 'Quote', exact: true }).click()
      await page.getByRole('textbox', { name: 'Your post' }).fill('Worth a walk')
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      const quote = page.locator('main article').first().filter({ hasText: 'Worth a walk' })
      await quote.waitFor()
      assert.equal(await page.getByRole('button', { name: /new post/ }).count(), 0)
      await world.indexed()
      await page.getByRole('link', { name: '#Mudflats', exact: true }).first().click()
      await page.waitForURL(/\/search\?q=%23Mudflats/)
      await castOf(page, 'Low tide').first().waitFor()
      assert.equal(await castOf(page, 'And geese').count(), 0)
      await context.close()
    })

    it('what the server refuses is undone, with the reason', async () => {
      const { page, context } = await visitor()
      await world.actAs(page, 'heron')
      await page.route('**/hub/v1/submitMessage', (route) =>
        route.fulfill({
          status: 400,
          json: { details: 'no storage is left', errCode: 'bad_request' },
        }),
      )
      await page.goto(world.web)
      const cast = page.locator('main article').first()
      const like = cast.getByRole('button', { name: /^(Like|Unlike)/ })
      const before = await like.getAttribute('aria-label')
      await like.click()
      await page.getByText('Your like was not stored. no storage is left').waitFor()
      await until(async () => (await like.getAttribute('aria-label')) === before)
      await page.goto(`${world.web}/compose`)
      const text = page.getByRole('textbox', { name: 'Your post' })
      await text.fill('Kept <img src=x onerror=alert(1)>')
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await page.getByText('Nothing was sent. no storage is left').waitFor()
      assert.equal(await text.inputValue(), 'Kept <img src=x onerror=alert(1)>')
      await text.fill('😀'.repeat(257))
      await page.getByText('4 too many').waitFor()
      assert.ok(await page.getByRole('button', { name: 'Post', exact: true }).isDisabled())
      await check(page)
      await context.close()
    })

    it('an attached link is shown as its page says, and hostile texts of it stay text', async () => {
      const { page, context } = await visitor()
      await world.actAs(page, 'heron')
      await page.route('**/preview?*', (route) =>
        route.fulfill({
          json: {
            kind: 'page',
            site: 'x.example',
            title: '<img src=x onerror=alert(1)>',
            description: '</p><script>alert(1)</script>',
            picture: 'javascript:alert(1)',
          },
        }),
      )
      await page.goto(`${world.web}/compose`)
      await page.getByRole('textbox', { name: 'Your post' }).fill('See https://x.example/a.')
      const preview = page.locator('.preview')
      await preview.getByText('<img src=x onerror=alert(1)>').waitFor()
      assert.equal(await preview.locator('img, script').count(), 0)
      await check(page)
      await preview.getByRole('button', { name: 'Do not attach' }).click()
      await preview.waitFor({ state: 'detached' })
      await context.close()
    })

    it('a preview is asked for only when an address is pasted, followed by a space or left alone', async () => {
      const { page, context } = await visitor()
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.web })
      await world.actAs(page, 'heron')
      const asked: string[] = []
      await page.route('**/preview?*', async (route) => {
        const url = new URL(route.request().url()).searchParams.get('url')!
        asked.push(url)
        await route.fulfill({ json: { kind: 'page', site: 'x', title: `Page ${url}` } })
      })
      await page.goto(`${world.web}/compose`)
      const text = page.getByRole('textbox', { name: 'Your post' })
      await text.waitFor()
      // From now on the time of the page passes only when the test says so.
      await page.clock.install()
      await page.clock.pauseAt(Date.now() + 60_000)
      const type = async (typed: string, msPerKey: number) => {
        for (const key of typed) {
          await text.press(key === ' ' ? 'Space' : key)
          await page.clock.runFor(msPerKey)
        }
      }
      const shown = async (url: string) => {
        const preview = page.getByText(`Page ${url}`, { exact: true })
        await until(async () => {
          await page.clock.runFor(1)
          return preview.isVisible()
        })
      }
      await type('See https://my-bank.example.com/a?b=secret', 600)
      assert.deepEqual(asked, [])
      await type(' ok', 120)
      await shown('https://my-bank.example.com/a?b=secret')
      await page.getByRole('button', { name: 'Do not attach' }).press('Enter')
      await type(' https://rest.example', 120)
      await page.clock.runFor(579)
      assert.equal(asked.length, 1)
      await page.clock.runFor(1)
      await shown('https://rest.example/')
      await text.fill('')
      await page.evaluate(`navigator.clipboard.writeText('https://pasted.example/p')`)
      await text.press('ControlOrMeta+V')
      await shown('https://pasted.example/p')
      await text.fill('')
      await page.clock.resume()
      // None of these can be the name of a public host, and all of them can still be attached.
      for (const url of [
        'https://m/',
        'https://my-ba/',
        'https://localhost/x',
        'https://10.0.0.1/',
      ]) {
        await text.fill(`${url} `)
        await page.locator('.preview').getByText(url, { exact: true }).waitFor()
      }
      assert.deepEqual(asked, [
        'https://my-bank.example.com/a?b=secret',
        'https://rest.example/',
        'https://pasted.example/p',
      ])
      await check(page)
      await context.close()
    })

    it('a draft is found again at its place, and is gone when it was sent', async () => {
      const { page, context } = await visitor(PHONE)
      await world.actAs(page, 'heron')
      const { casts } = (await read('/feed/newest?limit=2')).body
      const [one, other] = casts.map(({ hash }: Json) => hash)
      const places = {
        [`/compose?reply=${one}`]: 'A reply to one',
        [`/compose?reply=${other}`]: 'A reply to another',
        [`/compose?quote=${one}`]: 'A quote of one',
        '/compose?channel=wetlands': 'For a channel',
        '/compose': 'New and unsent',
      }
      const text = page.getByRole('textbox', { name: /^Your (post|reply)/ })
      const content = (written: string) => until(async () => (await text.inputValue()) === written)
      for (const [path, written] of Object.entries(places)) {
        await page.goto(world.web + path)
        await content('')
        await text.fill(written)
      }
      await page.locator('.channel-choice select').selectOption('wetlands')
      // Left within the client, where nothing is loaded anew.
      await page.getByRole('link', { name: 'Home' }).first().click()
      await page.waitForURL(`${world.web}/`)
      await page.getByRole('link', { name: 'Write' }).first().click()
      await content('New and unsent')
      assert.equal(await page.locator('.channel-choice select').inputValue(), 'wetlands')
      await page.keyboard.type('!')
      await content('New and unsent!')
      for (const [path, written] of Object.entries(places).slice(0, 4)) {
        await page.goto(world.web + path)
        await content(written)
      }
      await check(page)

      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)
      await page.goto(`${world.web}/compose?channel=wetlands`)
      await content('')
      await page.goto(`${world.web}/compose`)
      await content('New and unsent!')
      await text.fill('')
      await page.reload()
      await content('')
      // Another account in the same browser does not read them.
      await world.actAs(page, 'raven')
      await page.goto(`${world.web}/compose?reply=${one}`)
      await content('')

      // What is kept is bounded: the drafts that were changed last, each up to a length.
      const many = Array.from({ length: 20 }, (_, n) => ({
        fid: 1,
        place: `channel c${n}`,
        text: 'Kept',
        channel: '',
      }))
      await page.evaluate(
        `localStorage.setItem('rookery.drafts', ${JSON.stringify(JSON.stringify(many))})`,
      )
      await text.fill('x'.repeat(20_000))
      const kept = JSON.parse(await page.evaluate(`localStorage.getItem('rookery.drafts')`))
      assert.deepEqual(
        kept.map((draft: Json) => draft.place),
        [...many.slice(1).map(({ place }) => place), `reply ${one}`],
      )
      assert.equal(kept.at(-1).text.length, 10_240)
      await context.close()
    })
  })
}
