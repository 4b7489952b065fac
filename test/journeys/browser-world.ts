// A development network in this process, and browsers that use its web client.

import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { App } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { startDevNetwork } from '../../src/dev/network.ts'
import { consentRows } from '../../src/features/joining/tables/consents.ts'
import type { Clock } from '../../src/kernel/base/clock.ts'
import type { Environment } from '../../src/kernel/base/setting.ts'
import { createLogger } from '../../src/kernel/http/logger.ts'
import { fromHex } from '../../src/kernel/protocol/codec/bytes.ts'
import { accessibilityFaults, startBrowser, tellOfFailures } from '../browser.ts'
import { indexed } from '../indexed.ts'
import { createPlace } from '../program.ts'
import type { EngineName } from '../world.ts'

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
/** What stands over a list from before. */
export const KEPT = /^(?:You are offline|The server cannot be reached), this is from /
/** What comes before the seed of an Ed25519 key in PKCS #8. */
const PKCS8_PREFIX = fromHex('0x302e020100300506032b657004220420')!
/** Folder for whoever looks at the screens. */
const PICTURES = process.env.TEST_PICTURES
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** Chromium's own authenticator with the PRF extension, whose user is there and verified. */
export const PASSKEYS = {
  protocol: 'ctap2',
  ctap2Version: 'ctap2_1',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
  hasPrf: true,
} as const

type Account = {
  readonly fid: number
  readonly name: string
  readonly custodyAddress: string
  readonly appPublicKey: string
  readonly appPrivateKey: string
}
type Known = { readonly accounts: readonly Account[] }
export type BrowserWorld = ReturnType<typeof browserWorld>

type Terms = {
  readonly engine?: EngineName
  readonly env?: Environment
  /** Passkeys belong to a name, never to a number. */
  readonly host?: 'localhost' | '127.0.0.1'
  readonly clock?: Clock
}

/** Registers the hooks that start and stop both. Called in a `describe`. */
export function browserWorld({
  engine = 'sqlite',
  env = {},
  host = '127.0.0.1',
  clock,
}: Terms = {}) {
  let app: App
  let place: Awaited<ReturnType<typeof createPlace>> | undefined
  let browser: Browser
  /** Errors of pages, and requests to other hosts. */
  const faults: string[] = []

  before(async () => {
    place = await createPlace(engine)
    const all = { ...place.env, ROOKERY_KEYS: '', ROOKERY_VIEWS: 'on', ...env }
    const logger = createLogger({ level: 'fatal' })
    const config = readConfig(all, 'development')
    app = await startDevNetwork({ config, logger, ...(clock && { clock }) })
    await indexed(app)
    browser = await startBrowser()
  })
  // A test answers for its own faults.
  beforeEach(() => void faults.splice(0))
  tellOfFailures(() => browser)
  // What a failed test has left open.
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())))
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

  let accounts: readonly Account[] | undefined
  async function accountOf(name: string): Promise<Account> {
    accounts ??= ((await (await fetch(`${app.urls.web}/dev/accounts`)).json()) as Known).accounts
    const found = accounts.find((one) => one.name === name)
    assert(found, `there is an account ${name}`)
    return found
  }

  /** Who acts as an account has agreed to the rules of now: how somebody is asked has journeys of its own. */
  async function agree(fid: number): Promise<void> {
    const response = await fetch(`${webUrl()}/v1/server`)
    const { rulesVersion: version, minimumAge } = (await response.json()) as Record<string, string>
    const consent = { fid, version: version!, age: Number(minimumAge), agreed_at: app.clock.now() }
    await app.storage.write(`fid/${fid}`, (tx) => tx.of(consentRows).put(consent))
  }

  /** Lets a page act as an account of the network, whose key the browser then has. It has left the page that was open. */
  async function actAs(page: Page, name: string): Promise<void> {
    const { fid, appPublicKey, appPrivateKey } = await accountOf(name)
    await agree(fid)
    const pkcs8 = [...PKCS8_PREFIX, ...fromHex(appPrivateKey)!]
    // An answer of the same origin that is no page: the client is loaded where the test goes.
    await page.goto(`${webUrl()}/dev/clock`)
    await page.evaluate(keepKey, { fid, publicKey: [...fromHex(appPublicKey)!], pkcs8 })
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
      // Only colors differ between the two.
      const rules = colorScheme === 'light' ? [] : ['color-contrast']
      const found = await accessibilityFaults(page, ...rules)
      assert.deepEqual(found, [], `${name} in ${colorScheme}`)
    }
    await page.emulateMedia({ colorScheme: null })
    await page.setViewportSize(before)
  }

  const fidOf = async (name: string): Promise<number> => (await accountOf(name)).fid
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

// biome-ignore lint/suspicious/noExplicitAny: what pages have where they are evaluated
declare const indexedDB: any, localStorage: any

/** Runs in a page: what "Act as" on the page of a development network keeps (web/client/act/key-store.ts). */
async function keepKey({
  fid,
  publicKey,
  pkcs8,
}: {
  fid: number
  publicKey: number[]
  pkcs8: number[]
}): Promise<void> {
  const bytes = new Uint8Array(pkcs8)
  const secret = await crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', false, ['sign'])
  await new Promise<void>((resolve, reject) => {
    const opening = indexedDB.open('rookery', 1)
    opening.onerror = () => reject(opening.error)
    opening.onupgradeneeded = () => opening.result.createObjectStore('keys')
    opening.onsuccess = () => {
      const store = opening.result.transaction('keys', 'readwrite').objectStore('keys')
      const stored = store.put({ publicKey: new Uint8Array(publicKey), secret }, fid)
      stored.onerror = () => reject(stored.error)
      stored.onsuccess = () => {
        opening.result.close()
        resolve()
      }
    }
  })
  localStorage.setItem('rookery.fid', String(fid))
}

/** Whether the browser has no key that signs for an account. */
export const hasNoKey = () =>
  new Promise((resolve, reject) => {
    const opening = indexedDB.open('rookery', 1)
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const found = opening.result.transaction('keys').objectStore('keys').count()
      found.onerror = () => reject(found.error)
      found.onsuccess = () => {
        opening.result.close()
        resolve(found.result === 0)
      }
    }
  })
