// A development network in this process, and browsers that use its web client.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { App } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { startDevNetwork } from '../src/dev/network.ts'
import type { Environment } from '../src/kernel/base/setting.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { accessibilityFaults, startBrowser } from './browser.ts'
import { indexed } from './indexed.ts'
import { createPlace } from './program.ts'
import type { EngineName } from './world.ts'

export const PHONE = { width: 360, height: 740 }
export const DESKTOP = { width: 1_280, height: 900 }
/** A device with a finger instead of a mouse. */
export const TOUCH_PHONE: BrowserContextOptions = {
  viewport: PHONE,
  hasTouch: true,
  isMobile: true,
}

const WIDTHS = [360, 768, 1_280]
/** The headings of a page without a connection. Browsers do not always notice that they have none. */
export const OFFLINE =
  /^(?:You are offline|The server cannot be reached|This page could not be shown)$/
/** Folder for whoever looks at the screens. */
const PICTURES = process.env.TEST_PICTURES
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

type Terms = {
  readonly engine?: EngineName
  readonly env?: Environment
  /** Passkeys belong to a name, never to a number. */
  readonly host?: 'localhost' | '127.0.0.1'
}

/** Registers the hooks that start and stop both. Called in a `describe`. */
export function browserWorld({ engine = 'sqlite', env = {}, host = '127.0.0.1' }: Terms = {}) {
  let app: App
  let place: Awaited<ReturnType<typeof createPlace>> | undefined
  let browser: Browser
  /** Errors of pages, and requests to other hosts. */
  const faults: string[] = []

  before(async () => {
    place = await createPlace(engine)
    const all = { ...place.env, ROOKERY_KEYS: '', ROOKERY_VIEWS: 'on', ...env }
    const logger = createLogger({ level: 'fatal' })
    app = await startDevNetwork({ config: readConfig(all, 'development'), logger })
    await indexed(app)
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await app?.stop()
    await place?.remove()
  })

  const webUrl = () => app.urls.web.replace('127.0.0.1', host)

  /** A browser of its own. `page.context().close()` ends it. */
  async function visitor(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({
      viewport: DESKTOP,
      reducedMotion: 'reduce',
      ...options,
    })
    const page = await context.newPage()
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => {
      const isOfPage = message.type() === 'error' && !message.text().startsWith('Failed to load')
      if (isOfPage) faults.push(message.text())
    })
    page.on('request', (request) => {
      const url = request.url()
      if (!/^(?:data|blob):/.test(url) && !url.startsWith(webUrl())) faults.push(url)
    })
    return page
  }

  /** Lets a page act as an account of the network. */
  async function actAs(page: Page, name: string): Promise<void> {
    await page.goto(`${webUrl()}/development`)
    const main = page.getByRole('main')
    await main.getByPlaceholder('Name or number').fill(name)
    await main.getByRole('button', { name, exact: true }).click()
    await main.getByRole('button', { name, exact: true, pressed: true }).waitFor()
  }

  /** By the menu of the navigation: casts have menus of the same name. */
  async function signOut(page: Page): Promise<void> {
    const navigation = page.getByRole('navigation', { name: 'Main' })
    await navigation.getByRole('button', { name: 'More' }).click()
    const menu = page.getByRole('navigation', { name: 'More' })
    await menu.getByRole('button', { name: 'Sign out' }).click()
  }

  const isLoaded = async (page: Page) => {
    await page.getByRole('heading').first().waitFor()
    await page.locator('.skeletons').first().waitFor({ state: 'detached' })
  }

  /** What holds for every screen. */
  async function check(page: Page): Promise<void> {
    await isLoaded(page)
    assert.deepEqual(await accessibilityFaults(page), [])
    assert.equal(await page.evaluate(OVERFLOW), 0, 'it scrolls sideways')
    assert.deepEqual(faults.splice(0), [])
  }

  /** The same at each width, in light and dark; with pictures if somebody wants to look at them. */
  async function checkAll(page: Page, name: string): Promise<void> {
    await isLoaded(page)
    const before = page.viewportSize()!
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        const path = `${PICTURES}/${name}-${width}-${colorScheme}.png`
        if (PICTURES) await page.screenshot({ path })
        assert.equal(await page.evaluate(OVERFLOW), 0, `${name} scrolls sideways at ${width}`)
      }
      assert.deepEqual(await accessibilityFaults(page), [], `${name} in ${colorScheme}`)
    }
    await page.emulateMedia({ colorScheme: null })
    await page.setViewportSize(before)
  }

  async function accountOf(name: string): Promise<{ fid: number; custodyAddress: string }> {
    const response = await fetch(`${app.urls.web}/dev/accounts`)
    const { accounts } = (await response.json()) as {
      accounts: { fid: number; name: string; custodyAddress: string }[]
    }
    const found = accounts.find((one) => one.name === name)
    assert(found, `there is an account ${name}`)
    return found
  }
  const fidOf = async (name: string) => (await accountOf(name)).fid
  const custodyOf = async (name: string) => (await accountOf(name)).custodyAddress

  return {
    get app() {
      return app
    },
    get browser() {
      return browser
    },
    get web() {
      return webUrl()
    },
    ...{ faults, visitor, actAs, signOut, check, checkAll, fidOf, custodyOf },
    /** Waits until the views have what one browser wrote, before another browser reads it. */
    indexed: () => indexed(app),
  }
}
