// Makes the pictures of docs/images: screens of a development network, in WebP.
//
//   node scripts/run.mjs scripts/docs-pictures.ts [part of a name]

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { readConfig } from '../src/config.ts'
import { startDevNetwork } from '../src/dev/network.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { startBrowser, untilInPage } from '../test/browser.ts'
import { createPlace, ROOT } from '../test/program.ts'

const COMPUTER = { width: 1_180, height: 760 }
const PHONE = { width: 390, height: 720 }
const QUALITY_PERCENT = 78

type Picture = {
  readonly size: typeof COMPUTER
  /** Goes to the screen, as raven. */
  readonly open: (page: Page) => Promise<unknown>
}

const PICTURES: Readonly<Record<string, Picture>> = {
  client: { size: COMPUTER, open: (page) => go(page, '/') },
  join: { size: PHONE, open: (page) => go(page, '/join') },
  compose: {
    size: PHONE,
    async open(page) {
      await go(page, '/compose')
      await page.getByRole('textbox').first().fill('Low tide at the harbour, with @heron')
    },
  },
  'mini-app': {
    size: COMPUTER,
    async open(page) {
      await go(page, '/development/mini-apps')
      await page.getByRole('textbox').first().fill(greeterUrl)
      await page.getByRole('textbox').first().press('Enter')
      await untilInPage(page, 'document.querySelector("iframe")')
    },
  },
  operator: { size: COMPUTER, open: (page) => page.goto(`${app.urls.operations}/operator`) },
}

const place = await createPlace('sqlite')
const env = { ...place.env, ROOKERY_KEYS: '', ROOKERY_VIEWS: 'on' }
const logger = createLogger({ level: 'fatal' })
const app = await startDevNetwork({ config: readConfig(env, 'development'), logger })
const greeter = spawn(
  process.execPath,
  [join(ROOT, 'examples/quick-start/mini-app.ts'), app.urls.web],
  { env: { ...process.env, PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit'] },
)
const greeterUrl = await firstLine(greeter)
const browser = await startBrowser()
try {
  const [part = ''] = process.argv.slice(2)
  for (const [name, { size, open }] of Object.entries(PICTURES)) {
    if (!name.includes(part)) continue
    const context = await browser.newContext({ viewport: size, reducedMotion: 'reduce' })
    const page = await context.newPage()
    if (name !== 'join') await actAs(page, 'raven')
    await open(page)
    await page.waitForLoadState('networkidle')
    const cdp = await context.newCDPSession(page)
    const shot = { format: 'webp', quality: QUALITY_PERCENT } as const
    const { data } = await cdp.send('Page.captureScreenshot', shot)
    const bytes = Buffer.from(data, 'base64')
    writeFileSync(join(ROOT, 'docs/images', `${name}.webp`), bytes)
    console.log(`${name}.webp: ${Math.round(bytes.length / 1000)} kB`)
    await context.close()
  }
} finally {
  greeter.kill()
  await browser.close()
  await app.stop()
  await place.remove()
}

async function go(page: Page, path: string): Promise<void> {
  await page.goto(app.urls.web + path)
  await page.locator('main h1').first().waitFor({ state: 'attached' })
}

async function actAs(page: Page, name: string): Promise<void> {
  await go(page, '/development')
  await page.getByRole('main').getByPlaceholder('Name or number').fill(name)
  await page.getByRole('main').getByRole('button', { name, exact: true }).click()
  await page.locator('main [aria-pressed=true]').waitFor()
}

async function firstLine(program: ChildProcess): Promise<string> {
  const [said] = await once(program.stdout!, 'data')
  return String(said).trim()
}
