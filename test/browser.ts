// A browser for tests of pages: Debian's Chromium, installed when there is none.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { networkInterfaces } from 'node:os'
import { arrayBuffer, text } from 'node:stream/consumers'
import { afterEach } from 'node:test'
import jsQR from 'jsqr'
import {
  type Browser,
  type BrowserContext,
  type BrowserServer,
  chromium,
  type Download,
  type Frame,
  type Locator,
  type Page,
} from 'playwright-core'
import { findProgram } from './debian.ts'
import { PATIENCE_MS, patient } from './patience.ts'
import { until } from './until.ts'

/** Has no windows at all, and takes half as much of a processor as the others, which do where it cannot be installed. */
const SHELL = 'chromium-headless-shell'
const OTHERS = ['chromium', 'chromium-browser', 'google-chrome']
/** Root has no sandbox; the pages are our own. */
const ARGUMENTS = ['--no-sandbox']

/**
 * A browser without a window, whose pages wait with patience: a connection to the one of this run (test/setup.ts), whose
 * closing ends the contexts that were made with it, or a new one where a single file runs without a setup.
 */
export async function startBrowser(): Promise<Browser> {
  const { TEST_BROWSER } = process.env
  const browser = TEST_BROWSER
    ? await connect(TEST_BROWSER)
    : await chromium.launch(await options())
  browser.on('context', (context) => {
    context.setDefaultTimeout(PATIENCE_MS)
    keepErrors(context)
    if (!hasNetwork()) void context.addInitScript(BELIEVE_ONLINE).catch(() => {})
  })
  return browser
}

/** One to which several processes connect; the other tests go on while one is installed. */
export async function launchBrowserServer(): Promise<BrowserServer> {
  return chromium.launchServer({ ...(await options()), host: '127.0.0.1' })
}

async function connect(address: string): Promise<Browser> {
  const response = await fetch(address)
  const answer = await response.text()
  assert.equal(response.status, 200, answer)
  return chromium.connect(answer, { timeout: PATIENCE_MS })
}

async function options() {
  const executablePath = await findProgram([SHELL], SHELL).catch((error: Error) =>
    findProgram(OTHERS, undefined).catch(() => {
      throw error
    }),
  )
  return { executablePath, args: ARGUMENTS, timeout: PATIENCE_MS }
}

/** Without another network than loopback Chromium takes itself for offline, although it reaches the server of the test. */
const BELIEVE_ONLINE = "Object.defineProperty(navigator, 'onLine', { get: () => true })"

function hasNetwork(): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some(({ internal }) => !internal))
}

/** What pages wrote as errors, the newest last. */
const errors = new WeakMap<Page, string[]>()
const MAX_ERRORS = 10
/** Of what a page shows, in the log of a failure. */
const MAX_SHOWN_CHARACTERS = 4_000
const SHOW_WAIT_MS = patient(5_000)

function keepErrors(context: BrowserContext): void {
  const keep = (page: Page | null, text: string) => {
    if (page) errors.set(page, [...(errors.get(page) ?? []), text].slice(-MAX_ERRORS))
  }
  context.on('console', (message) => {
    if (message.type() === 'error') keep(message.page(), message.text())
  })
  context.on('weberror', (error) => keep(error.page(), error.error().message))
}

/** Called in a `describe`: a test that fails says what its pages show, because it may pass when somebody looks. */
export function tellOfFailures(browser: () => Browser | undefined): void {
  afterEach(async (test) => {
    if (!('passed' in test) || test.passed) return
    const pages =
      browser()
        ?.contexts()
        .flatMap((context) => context.pages()) ?? []
    for (const page of pages) test.diagnostic(await shown(page))
  })
}

async function shown(page: Page): Promise<string> {
  const said = async (words: Promise<string>) =>
    (await words.catch((error: Error) => error.message)).slice(0, MAX_SHOWN_CHARACTERS)
  const title = await said(page.title())
  const body = await said(page.locator('body').ariaSnapshot({ timeout: SHOW_WAIT_MS }))
  const place = await said(
    page.evaluate<string>("scrollY + ' of ' + document.body.scrollHeight + ' px'"),
  )
  const written = (errors.get(page) ?? []).map((error) => `\nerror: ${error}`).join('')
  return `A page "${title}" at ${page.url()}, scrolled to ${place}, shows:\n${body}${written}`
}

/**
 * Waits until an expression, or a function of one argument, is true in a page. Playwright's own `waitForFunction` looks once,
 * and polls with `eval` after that, which the Content Security Policy of our pages refuses.
 */
export async function untilInPage<T>(
  where: Page | Frame,
  condition: string | ((argument: T) => unknown),
  argument?: T,
): Promise<void> {
  // What is found in the page stays there: not every value can be sent.
  const asked = typeof condition === 'string' ? `Boolean(${condition})` : condition
  await until(
    () => where.evaluate<unknown, unknown>(asked as (argument: unknown) => unknown, argument),
    String(condition),
  )
}

/** How long a worker is waited for before it is asked whether there is one at all. */
const WORKER_WAIT_MS = patient(500)

/** Waits until the worker of the site controls the page. One whose installation failed is installed with the next page. */
export const untilControlled = (page: Page): Promise<unknown> =>
  until(async () => {
    const worker = await page.evaluate<string>(`Promise.race([
      navigator.serviceWorker.ready.then(() => ''),
      new Promise((resolve) => setTimeout(resolve, ${WORKER_WAIT_MS}, ''))
    ]).then(() => navigator.serviceWorker.getRegistration()).then((found) =>
      navigator.serviceWorker.controller ? 'controls' : found ? 'is there' : 'none'
    )`)
    if (worker === 'none') await page.reload()
    return worker === 'controls'
  }, 'the worker of the site controls the page')

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
type AxeResult = { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }

/** What a page does not do for everybody, a line each; by all rules or by those named. */
export async function accessibilityFaults(page: Page, ...rules: string[]): Promise<string[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(AXE)
  const options = {
    resultTypes: ['violations'],
    // It would fetch style sheets and videos again, for rules that are not asked for.
    preload: false,
    ...(rules.length > 0 && { runOnly: rules }),
  }
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResult
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** What was downloaded: the file itself is where the browser of the run is. */
export async function textOf(download: Download): Promise<string> {
  return text(await download.createReadStream())
}

export async function bytesOf(download: Download): Promise<Buffer<ArrayBuffer>> {
  return Buffer.from(await arrayBuffer(await download.createReadStream()))
}

/** What a phone's camera would read from the picture. */
export async function readQrCode(code: Locator): Promise<string> {
  const png = (await code.screenshot()).toString('base64')
  const page = await code.page().context().newPage()
  const pixels = (await page.evaluate(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${png}'
    await image.decode()
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
    const context = canvas.getContext('2d')
    context.drawImage(image, 0, 0)
    const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height)
    return { data: Array.from(data), width, height }
  })()`)) as { data: number[]; width: number; height: number }
  await page.close()
  const read = jsQR.default(Uint8ClampedArray.from(pixels.data), pixels.width, pixels.height)
  assert(read, 'it can be read')
  return read.data
}
