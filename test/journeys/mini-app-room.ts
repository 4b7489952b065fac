// A developer starts a network for an app that Vite serves, and uses each pane of the room that opens it.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Browser, Frame, Page } from 'playwright-core'
import { accessibilityFaults, startBrowser, tellOfFailures, untilInPage } from '../browser.ts'
import { freePort } from '../postgres.ts'
import { createPlace, type Program, ROOT, startProgram } from '../program.ts'
import { until } from '../until.ts'
import { call, frameOf, PHONE, press, startApp } from './mini-app-host.ts'

const VITE = join(
  dirname(createRequire(import.meta.url).resolve('vite/package.json')),
  'bin/vite.js',
)
const EXAMPLE = join(ROOT, 'examples/mini-app')

export function miniAppRoom(): void {
  describe('the room of developers of mini apps', { concurrency: 1 }, () => {
    let place: Awaited<ReturnType<typeof createPlace>>
    let vite: ChildProcess
    let program: Program
    let browser: Browser
    let page: Page
    let domain: string

    before(async () => {
      place = await createPlace('sqlite')
      // The network and the app name each other, so the port of one of both is chosen before it listens.
      const port = String(await freePort())
      domain = `localhost:${port}`
      const env = { ...place.env, ROOKERY_VIEWS: 'on' }
      program = await startProgram('start', env, ['--app', `http://${domain}`])
      vite = spawn(
        process.execPath,
        [VITE, '--host', '127.0.0.1', '--port', port, '--strictPort'],
        {
          cwd: EXAMPLE,
          env: { ...process.env, ROOKERY: program.web },
          stdio: ['ignore', 'ignore', 'inherit'],
        },
      )
      await until(() => {
        assert.equal(vite.exitCode, null, 'Vite has ended: another program may have taken its port')
        return fetch(`http://${domain}/`).then(
          () => true,
          () => undefined,
        )
      }, 'Vite answers')
      browser = await startBrowser()
      // The theme of the app is that of its frame, unless the browser is told one.
      const context = await browser.newContext({ serviceWorkers: 'block', colorScheme: null })
      page = await context.newPage()
    })
    tellOfFailures(() => browser)
    after(async () => {
      await browser?.close()
      await program?.stop()
      vite?.kill()
      await place?.remove()
    })

    const pane = (name: RegExp) => page.locator('.room-pane > summary').filter({ hasText: name })
    const app = () => frameOf(page, domain)
    const actAs = async (name: string): Promise<Frame> => {
      await page.getByPlaceholder('Name or number').first().fill(name)
      await page.getByRole('button', { name, exact: true }).first().click()
      await pane(new RegExp(`^Acting as @${name}`)).waitFor()
      return app()
    }

    it('`start --app` prints where the app opens, and the app runs there as the account that is chosen', async () => {
      const room = /Mini app: (\S+)/.exec(program.output.stdout)?.[1]
      assert.equal(
        room,
        `${program.web}/development/mini-apps?url=${encodeURIComponent(`http://${domain}/`)}`,
      )
      await page.goto(room)
      await page.getByText('Choose the account that opens your app.').waitFor()
      const frame = await actAs('heron')
      await frame.getByText('Hello Heron, from launcher.').waitFor()
      await pane(/^Manifest and page \(0 faults, 5 warnings\)/).waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
    })

    it('an event is shown with the answer of the server, verified, and sent again', async () => {
      for (const name of [/^Context/, /^Faults/, /^Notifications/, /^Webhooks/, /^For your/]) {
        await pane(name).click()
      }
      const frame = await app()
      await frame.getByRole('button', { name: 'Add' }).click()
      await press(page, 'Add')
      const deliveries = page.getByRole('region', { name: 'Deliveries' }).getByRole('listitem')
      await deliveries.getByText('delivered after 1 attempt').waitFor()
      await deliveries.getByRole('button', { name: 'Verify' }).click()
      await deliveries.getByText('It verifies.').waitFor()
      await deliveries.getByRole('button', { name: /^Send \d+ again/ }).click()
      await deliveries.nth(1).getByText('delivered after 1 attempt').waitFor()
      const events = await until(async () => {
        const known = (await (await fetch(`http://${domain}/api/events`)).json()) as object[]
        return known.length === 2 ? known : undefined
      }, 'the event comes again')
      assert.deepEqual(events, Array(2).fill({ fid: 3, event: 'miniapp_added' }))
      await page.getByText(`DOMAIN=${domain}`).waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
    })

    it('a notification is sent by the real endpoint', async () => {
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.getByText('Sent, or sent before').waitFor()
      await page.getByLabel('Id', { exact: true }).fill('test-2')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.getByText('Too soon').waitFor()
    })

    it('theme and size change at once, and the app reads them', async () => {
      const frame = await app()
      const isDark = "matchMedia('(prefers-color-scheme: dark)').matches"
      for (const theme of ['dark', 'light']) {
        await page.getByLabel('Theme').selectOption(theme)
        await untilInPage(frame, `${isDark} === ${theme === 'dark'}`)
      }
      await page.getByLabel('Size').selectOption('small')
      await untilInPage(frame, 'innerWidth < 360')
      await page.getByLabel('Size').selectOption('desktop')
      await untilInPage(frame, 'innerWidth > 400')
    })

    it('an answer may be slow or the refusal of the user', async () => {
      const frame = await app()
      await page.getByLabel('Every answer takes 5 seconds').check()
      const begin = Date.now()
      await call(frame, 'sdk.getChains()')
      assert.ok(Date.now() - begin >= 5_000)
      await page.getByLabel('Every answer takes 5 seconds').uncheck()
      await page.getByLabel('The user refuses to sign in').check()
      await frame.getByRole('button', { name: 'Sign in' }).click()
      await frame.getByText('SignIn.RejectedByUser').waitFor()
      await frame.getByRole('button', { name: 'Sign in' }).click()
      await press(page, 'Sign in')
      await frame.getByText('"signedIn": 3').waitFor()
    })

    it('another account opens the app anew, and from another place', async () => {
      await pane(/^Acting as/).click()
      const frame = await actAs('raven')
      await frame.getByText('Hello Raven, from launcher.').waitFor()
      await pane(/^Context/).click()
      await page.getByLabel('Opened from').selectOption('cast_share')
      await until(async () => {
        const text = await (await app())
          .locator('#hello')
          .innerText()
          .catch(() => '')
        return text === 'Hello Raven, from cast_share.' || undefined
      }, 'the app is opened again')
      await page.setViewportSize(PHONE)
      assert.deepEqual(await accessibilityFaults(page), [])
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
      assert.ok(width <= PHONE.width, `it is ${width} wide`)
    })

    it('a fault of the manifest is named with its mend', async () => {
      const bad = await startApp()
      bad.manifest.tagline = 'Now with @mentions'
      const url = new URLSearchParams({ url: bad.origin })
      await page.goto(`${program.web}/development/mini-apps?${url}`)
      await pane(/^Manifest and page \(1 fault, /).waitFor()
      await page.getByText('miniapp.tagline must not contain "@"').waitFor()
      await page.getByText('Remove "@".').waitFor()
      await bad.close()
    })
  })
}
