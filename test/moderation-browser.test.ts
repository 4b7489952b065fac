// A member mutes and reports in the web client, a moderator answers there, and the reporter and the author read it.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import type { App } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { startDevNetwork } from '../src/dev/network.ts'
import { createLogger } from '../src/http/logger.ts'
import { accessibilityFaults, startBrowser } from './browser.ts'
import { createPlace } from './program.ts'

const WIDTHS = [360, 768, 1_280]
const MAX_FIRST_LOAD_BYTES = 150_000
/** For whoever looks at the screens. */
const PICTURES = process.env.TEST_PICTURES

describe('moderation in the web client', { concurrency: 1 }, () => {
  let app: App
  let place: Awaited<ReturnType<typeof createPlace>>
  let browser: Browser
  const faults: string[] = []

  before(async () => {
    place = await createPlace('sqlite')
    const env = {
      ...place.env,
      ROOKERY_KEYS: '',
      ROOKERY_VIEWS: 'on',
      ROOKERY_SERVER_NAME: 'Marsh Club',
      ROOKERY_SERVER_DESCRIPTION: 'People who like birds',
      ROOKERY_SERVER_COLOR: '#cc6600',
      ROOKERY_SERVER_RULES:
        '# House rules\n\n- Be **kind**\n- No <script>alert(1)</script>\n- [Ask](https://example.org/) first\n- [no](javascript:alert(1))',
    }
    const logger = createLogger({ level: 'fatal' })
    app = await startDevNetwork({ config: readConfig(env, 'development'), logger })
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await app?.stop()
    await place?.remove()
  })

  async function pageAs(name?: string): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width: 1_280, height: 900 },
      reducedMotion: 'reduce',
    })
    context.setDefaultTimeout(60_000)
    const page = await context.newPage()
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(app.urls.web) && !url.startsWith('data:')) faults.push(url)
    })
    if (name) {
      await page.goto(`${app.urls.web}/development`)
      await page.locator('main').getByLabel('Act as').fill(name)
      await page.locator('main').getByRole('button', { name, exact: true }).click()
      await page.locator('main').locator('button[aria-pressed="true"]').waitFor()
    }
    return page
  }
  const fidOf = async (name: string): Promise<number> => {
    const response = await fetch(`${app.urls.web}/dev/accounts`)
    const { accounts } = (await response.json()) as { accounts: { fid: number; name: string }[] }
    return accounts.find((one) => one.name === name)!.fid
  }
  /** At each width, in light and dark: no axe faults, nothing wider than the window. */
  async function looksGood(page: Page, name: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme })
        if (PICTURES)
          await page.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}.png` })
        const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
        assert.equal(wide, false, `${name} at ${width}`)
      }
      assert.deepEqual(await accessibilityFaults(page), [], `${name} in ${colorScheme}`)
    }
    await page.setViewportSize({ width: 1_280, height: 900 })
  }

  it('the rules of the server are on its pages, as text and links alone', async () => {
    const page = await pageAs()
    await page.goto(`${app.urls.web}/rules`)
    await page.getByRole('heading', { name: 'House rules' }).waitFor()
    assert.equal(await page.title(), 'Rules – Marsh Club')
    assert.equal(await page.locator('.markdown a').count(), 1)
    assert.equal(await page.locator('.markdown script').count(), 0)
    await looksGood(page, 'rules')
    await page.goto(`${app.urls.web}/about`)
    await page.getByText('People who like birds').first().waitFor()
    await looksGood(page, 'about')
  })

  it('a member mutes and reports, a moderator answers, and both who are concerned read it', async () => {
    const made = await fetch(
      `${app.urls.operations}/moderation/staff/${await fidOf('heron')}/appoint`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ role: 'moderator', reason: 'kind' }),
      },
    )
    assert.equal(made.status, 200)
    const feed = '/app/v2/farcaster/feed?feed_type=filter&filter_type=global_trending&limit=50'
    const read = await fetch(app.urls.web + feed, { headers: { 'x-api-key': 'web' } })
    const { casts } = (await read.json()) as {
      casts: { parent_hash: string | null; author: { username: string } }[]
    }
    // Replies are on another list of a person.
    const own = casts.filter((cast) => cast.parent_hash === null)
    const names = own.map(({ author }) => author.username)
    const authorName = names.find((name) => !['raven', 'heron'].includes(name))!
    const member = await pageAs('raven')
    await member.goto(`${app.urls.web}/@${authorName}`)
    const cast = member.locator('article.cast').first()
    await cast.getByRole('button', { name: 'More' }).click()
    await member.locator('.action-menu:popover-open').getByRole('link', { name: 'Report' }).click()
    await member.getByLabel('More, if it helps').fill('this is not about birds')
    await looksGood(member, 'report')
    await member.getByRole('button', { name: 'Send the report' }).click()
    await member.getByText('The moderators have your report').waitFor()

    await member.goto(`${app.urls.web}/@${authorName}`)
    await member.locator('.profile-acts').getByRole('button', { name: 'More' }).click()
    const stored = member.waitForResponse(
      (answer) => answer.url().endsWith('/mute/own') && answer.request().method() === 'POST',
    )
    await member.locator('.action-menu:popover-open').getByRole('button', { name: 'Mute' }).click()
    assert.equal((await stored).status(), 200)
    await member.goto(`${app.urls.web}/muted`)
    await member.getByRole('button', { name: 'Unmute' }).waitFor()
    await member.getByLabel('A word or words to mute').fill('Spoiler')
    await member.getByRole('button', { name: 'Mute', exact: true }).click()
    await member.getByText('spoiler', { exact: true }).first().waitFor()
    await looksGood(member, 'muted')

    const moderator = await pageAs('heron')
    await moderator.goto(`${app.urls.web}/moderation`)
    await moderator.getByRole('link', { name: 'Open the queue' }).click()
    await moderator.getByText('this is not about birds').waitFor()
    await looksGood(moderator, 'moderate')
    const decide = async (button: string, reason: string) => {
      await moderator.locator('main').getByRole('button', { name: button }).first().click()
      await moderator.getByLabel('Reason').fill(reason)
      await moderator.locator('dialog[open] button[type=submit]').click()
      await moderator.locator('dialog[open]').waitFor({ state: 'detached' })
    }
    await decide('Hide the cast', 'not about birds')
    await decide('Answer', 'It is hidden now')

    await member.goto(`${app.urls.web}/notifications`)
    await member.getByText('Your report was answered.').waitFor()
    await member.getByText('It is hidden now').waitFor()

    const author = await pageAs(authorName)
    await author.goto(`${app.urls.web}/moderation`)
    await author.getByText('not about birds').waitFor()
    await author.getByRole('button', { name: 'Appeal' }).click()
    await author.getByLabel('Why the decision is wrong').fill('It is about swans')
    await looksGood(author, 'appeal')
    await author.getByRole('button', { name: 'Send the appeal' }).click()
    await author.getByText('The moderators have not answered yet.').waitFor()
    await moderator.reload()
    await decide('Take the decision back', 'You are right')
    await author.reload()
    await author.getByText('The decision was taken back.').waitFor()
    await author.getByText('You are right').first().waitFor()
    assert.deepEqual(faults, [])
  })

  it('the first load of the client is at most 150 kB', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const sizes: Promise<number>[] = []
    page.on('response', (response) => {
      if (/\.(?:js|css)$/.test(new URL(response.url()).pathname)) {
        sizes.push(
          response.body().then(
            (bytes) => gzipSync(bytes).length,
            () => 0,
          ),
        )
      }
    })
    await page.goto(app.urls.web, { waitUntil: 'networkidle' })
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    assert.ok(bytes > 50_000 && bytes <= MAX_FIRST_LOAD_BYTES, `${bytes} bytes`)
  })
})
