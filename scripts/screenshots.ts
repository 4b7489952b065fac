// Makes a picture of every screen of the web client, for people to look at: on a phone, a tablet and a computer, in light and dark, of a
// development network full of casts.
//
//   node scripts/run.mjs scripts/screenshots.ts DIRECTORY [parts of names, separated by commas]

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { readConfig } from '../src/config.ts'
import { startDevNetwork } from '../src/dev/network.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { startBrowser } from '../test/browser.ts'
import { createPlace } from '../test/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a page has where it is evaluated
declare const document: any

const SIZES = [
  { name: '360', width: 360, height: 740 },
  { name: '768', width: 768, height: 1_024 },
  { name: '1280', width: 1_280, height: 900 },
  // A window of 1,280 × 1,024 pixels, zoomed.
  { name: 'zoom200', width: 640, height: 512 },
  { name: 'zoom400', width: 320, height: 256 },
] as const
const SCHEMES = ['light', 'dark'] as const
/** A screen that is not there by then is shown as it is. */
const WAIT_MS = 15_000

type Screen = {
  readonly name: string
  readonly path: string
  /** What is done on it before the picture. */
  readonly act?: (page: Page) => Promise<unknown>
}

const openMenu = (page: Page) => page.locator('[popovertarget=menu]:visible').click()

async function openReply(page: Page): Promise<void> {
  await page
    .getByRole('main')
    .getByRole('button', { name: /^Reply/ })
    .nth(1)
    .click()
  await page.locator('dialog[open]').waitFor()
}

/** As after an account was made, whose words are not saved. */
async function remind(page: Page): Promise<void> {
  await page.evaluate("localStorage.setItem('rookery.words.2', 'unsaved')")
  await page.reload()
  await page.locator('.words-notice').waitFor()
  await page.evaluate("localStorage.removeItem('rookery.words.2')")
}

const VISITOR: readonly Screen[] = [
  { name: 'visitor-home', path: '/' },
  { name: 'visitor-notifications', path: '/notifications' },
  { name: 'join', path: '/join' },
  { name: 'sign-in', path: '/join/sign-in' },
  { name: 'recover', path: '/join/recover' },
  { name: 'join-wallet', path: '/join/wallet' },
  { name: 'visitor-account', path: '/account' },
  { name: 'about', path: '/about' },
  { name: 'rules', path: '/rules' },
  { name: 'privacy', path: '/privacy' },
  { name: 'nothing', path: '/not/there' },
  { name: 'no-person', path: '/@nobody-has-it' },
]

const MEMBER: readonly Screen[] = [
  { name: 'home', path: '/' },
  { name: 'reminder', path: '/', act: remind },
  { name: 'following', path: '/?feed=following' },
  { name: 'feed-channels', path: '/?feed=channels' },
  { name: 'trending', path: '/?feed=trending' },
  {
    name: 'menu-of-a-cast',
    path: '/',
    act: (page) =>
      page.locator('main article').first().getByRole('button', { name: 'More' }).click(),
  },
  { name: 'more', path: '/', act: openMenu },
  { name: 'reply', path: '/', act: openReply },
  { name: 'keys', path: '/', act: (page) => page.keyboard.press('?') },
  { name: 'thread', path: '/', act: (page) => page.locator('main article time').first().click() },
  { name: 'person', path: '/@heron' },
  { name: 'person-replies', path: '/@heron/replies' },
  { name: 'person-followers', path: '/@heron/followers' },
  { name: 'person-names', path: '/@heron/names' },
  { name: 'own-page', path: '/@raven' },
  { name: 'channels', path: '/channels' },
  { name: 'channel', path: '/channel/wetlands' },
  { name: 'channel-new', path: '/channels/new' },
  { name: 'channel-members', path: '/channel/wetlands/members' },
  { name: 'notifications', path: '/notifications' },
  { name: 'push', path: '/notifications/settings' },
  { name: 'search', path: '/search?q=the' },
  { name: 'search-empty', path: '/search' },
  { name: 'names', path: '/names' },
  { name: 'name', path: '/name/heron' },
  { name: 'events', path: '/events' },
  { name: 'compose', path: '/compose' },
  { name: 'profile', path: '/profile' },
  { name: 'account', path: '/account' },
  { name: 'report', path: '/report?fid=2' },
  { name: 'muted', path: '/muted' },
  { name: 'moderation', path: '/moderation' },
  { name: 'moderate', path: '/moderate' },
  { name: 'mini-apps', path: '/miniapps' },
  { name: 'settings', path: '/settings' },
  { name: 'bookmarks', path: '/bookmarks' },
  { name: 'help', path: '/help' },
  { name: 'development', path: '/development' },
]

const [directory, parts = ''] = process.argv.slice(2)
if (!directory) throw new Error('say in which directory the pictures are to be')
mkdirSync(directory, { recursive: true })
const place = await createPlace('sqlite')
const app = await startDevNetwork({
  config: readConfig(
    { ...place.env, ROOKERY_KEYS: '', ROOKERY_VIEWS: 'on', ROOKERY_RECOVERY_DAYS: '7' },
    'development',
  ),
  logger: createLogger({ level: 'fatal' }),
})
await fetch(`${app.urls.operations}/dev/seed`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ kind: 'busy' }),
})
const browser = await startBrowser()
try {
  for (const { name, ...viewport } of SIZES) {
    for (const colorScheme of SCHEMES) {
      const suffix = `${name}-${colorScheme}`
      await takeAll(browser, { viewport, colorScheme, suffix, screens: VISITOR, as: undefined })
      await takeAll(browser, { viewport, colorScheme, suffix, screens: MEMBER, as: 'raven' })
    }
  }
} finally {
  await browser.close()
  await app.stop()
  await place.remove()
}

type Taking = {
  readonly viewport: { readonly width: number; readonly height: number }
  readonly colorScheme: (typeof SCHEMES)[number]
  readonly suffix: string
  readonly screens: readonly Screen[]
  /** The account that looks. */
  readonly as: string | undefined
}

async function takeAll(
  browser: Browser,
  { viewport, colorScheme, suffix, screens, as }: Taking,
): Promise<void> {
  const isWanted = (name: string) => parts.split(',').some((part) => name.includes(part))
  const wanted = screens.filter(({ name }) => isWanted(name))
  if (wanted.length === 0) return
  const context = await browser.newContext({
    viewport,
    colorScheme,
    reducedMotion: 'reduce',
    serviceWorkers: 'block',
  })
  context.setDefaultTimeout(WAIT_MS)
  const page = await context.newPage()
  if (as) await actAs(page, as)
  for (const { name, path, act } of wanted) {
    // A dialog is part of where one is, so it would come back.
    await page.goto('about:blank')
    await page.goto(app.urls.web + path)
    await page
      .locator('main h1')
      .first()
      .waitFor({ state: 'attached' })
      .catch(() => {})
    await page.waitForLoadState('networkidle').catch(() => {})
    await act?.(page).catch((error: Error) => console.error(`${name}: ${error.message}`))
    await page.waitForLoadState('networkidle').catch(() => {})
    const sideways = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    if (sideways > 0) console.error(`${name}-${suffix} scrolls sideways by ${sideways} px`)
    await page.screenshot({ path: join(directory!, `${name}-${suffix}.png`) })
  }
  await context.close()
}

async function actAs(page: Page, name: string): Promise<void> {
  await page.goto(`${app.urls.web}/development`)
  await page.getByRole('main').getByPlaceholder('Name or number').fill(name)
  await page.getByRole('main').getByRole('button', { name, exact: true }).click()
  await page.locator('main [aria-pressed=true]').waitFor()
}
