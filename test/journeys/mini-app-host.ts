// A browser in which an account acts, and apps with the published SDK for it to open.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Frame, Page } from 'playwright-core'
import { type AppServer, startAppServer } from '../mini-apps-support.ts'
import { until } from '../until.ts'
import type { BrowserWorld } from './browser-world.ts'

/** As it is published for pages without a build. */
const SDK = readFileSync(
  join(dirname(createRequire(import.meta.url).resolve('@farcaster/miniapp-sdk')), 'index.min.js'),
)

export { PHONE } from './browser-world.ts'
export const DESKTOP = { width: 1_280, height: 860 }

/** A page of an app: the SDK as `sdk`, and what follows. */
export const pageWith = (script: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App</title>${head}<script src="/sdk.js"></script></head><body><h1>App</h1><script>const { sdk } = miniapp; window.sdk = sdk\n${script}</script></body></html>`

const READY = 'sdk.actions.ready()'

/** An app on this machine, whose page says that it is ready. */
export async function startApp(script: string = READY): Promise<AppServer> {
  const app = await startAppServer('localhost')
  servePage(app, '/', pageWith(script))
  app.pages.set('/sdk.js', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(SDK)
  })
  return app
}

export function servePage(
  app: AppServer,
  path: string,
  html: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  app.pages.set(path, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(html)
  })
}

export type Host = ReturnType<typeof hostIn>

/** A development network as mini apps see it. Its pages ask other hosts, those of the apps. */
export const hostIn = (world: BrowserWorld) => ({
  get network() {
    return world.app
  },
  get web() {
    return world.web
  },
  get browser() {
    return world.browser
  },
  /** Errors of pages of the client. */
  faults: world.faults,
  /** A browser in which a development account acts. */
  async visitor({
    size = DESKTOP,
    name = 'raven',
    isDark = false,
  }: {
    size?: typeof DESKTOP
    name?: string
    isDark?: boolean
  } = {}) {
    const context = await world.browser.newContext({
      viewport: size,
      reducedMotion: 'reduce',
      serviceWorkers: 'block',
      colorScheme: isDark ? 'dark' : 'light',
    })
    const page = await context.newPage()
    page.on('pageerror', (error) => world.faults.push(error.message))
    await world.actAs(page, name)
    return { page, context }
  },
})

/** Opens an app from its page, and waits for the frame of its own page. */
export async function openApp(page: Page, web: string, domain: string): Promise<Frame> {
  await page.goto(`${web}/miniapps/${encodeURIComponent(domain)}`)
  await page.getByRole('button', { name: /^Open / }).click()
  return frameOf(page, domain)
}

export async function frameOf(page: Page, domain: string): Promise<Frame> {
  const isOfApp = (one: Frame) => one.url().startsWith(`http://${domain}/`)
  const frame = await until(() => page.frames().find(isOfApp), `a frame of ${domain}`)
  // Its scripts have run.
  await frame.waitForLoadState('load')
  return frame
}

/** Calls the SDK in the app. A refusal is answered as its name and message. */
// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
export const call = (frame: Frame, code: string): Promise<any> =>
  frame.evaluate(
    `(async () => { try { return await (${code}) } catch (error) { return { thrown: error.name, message: error.message, code: error.code } } })()`,
  )

/** Presses a button of a prompt once it may be pressed. */
export const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('alertdialog').getByRole('button', { name }).click()

export const prompt = (page: Page) => page.getByRole('alertdialog')

/** Posts a message as it is, and answers what comes back; undefined after a minute without an answer, or earlier. */
export const post = (
  frame: Frame,
  message: string,
  { target = 'parent', waitMs = 60_000 } = {},
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
): Promise<any> =>
  frame.evaluate(`new Promise((resolve) => {
    const message = ${message}
    addEventListener('message', ({ data }) => data?.id === message.id && resolve(data))
    ${target}.postMessage(message, '*')
    setTimeout(() => resolve(undefined), ${waitMs})
  })`)
