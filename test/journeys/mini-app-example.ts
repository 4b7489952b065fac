// The example app in the web client: its page with the published SDK in Chromium, its server with the published libraries.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Frame, Page } from 'playwright-core'
import { startNetwork } from '../../src/testing/index.ts'
import { untilInPage } from '../browser.ts'
import { ROOT } from '../program.ts'
import type { BrowserWorld } from './browser-world.ts'
import { hostIn, openApp, press } from './mini-app-host.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any

export function miniAppExample(world: BrowserWorld): void {
  describe('the example of a mini app', { concurrency: 1 }, () => {
    const host = hostIn(world)
    let child: ChildProcess
    let origin: string
    let domain: string
    before(async () => {
      child = spawn(process.execPath, [join(ROOT, 'examples/mini-app/server.js')], {
        env: { ...process.env, ROOKERY: host.web, PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [said] = (await once(child.stdout!, 'data')) as [Buffer]
      origin = /http:\S+/.exec(String(said))![0]
      domain = new URL(origin).host
    })
    after(() => child?.kill())

    it('a test suite opens a mini app as an account, adds it, and reads what is wrong about it', async () => {
      const network = await startNetwork()
      const child = spawn(process.execPath, [join(ROOT, 'examples/mini-app/server.js')], {
        env: { ...process.env, ROOKERY: network.urls.web, PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const page = await world.browser.newPage()
      try {
        const [said] = (await once(child.stdout!, 'data')) as [Buffer]
        const app = network.miniApp(/http:\S+/.exec(String(said))![0])
        const [, raven] = network.accounts
        assert.equal((await app.report()).isReady, true)
        const { token } = await app.add(raven!)
        assert.ok(token.length > 20)
        await assert.rejects(app.add(raven!), /has added/)
        const frame = await app.open(page, raven!)
        await frame.getByText('Hello Raven, from launcher.').waitFor()
        await app.remove(raven!)
      } finally {
        child.kill()
        await page.context().close()
        await network.stop()
      }
    })

    /** Presses a button of the app, answers the prompt of the client, and reads what the app shows. */
    const use = async (
      page: Page,
      frame: Frame,
      button: string,
      answer?: string,
    ): Promise<Json> => {
      await frame.evaluate("out.textContent = ''")
      await frame.getByRole('button', { name: button }).click()
      if (answer) await press(page, answer)
      await untilInPage(frame, "out.textContent !== ''")
      return JSON.parse(await frame.locator('#out').innerText())
    }
    const events = async () => (await fetch(`${origin}/api/events`)).json() as Promise<Json[]>
    const told = async (count: number) => {
      while ((await events()).length < count) await sleep(20)
      return (await events()).map(({ event }) => event)
    }

    it('the example signs in, gets a token, casts, is added, notifies and is removed, and its server verifies it all', async () => {
      const { page, context } = await host.visitor({ name: 'heron' })
      const frame = await openApp(page, host.web, domain)
      await frame.getByText('Hello Heron, from launcher.').waitFor()
      assert.deepEqual(await use(page, frame, 'Sign in', 'Sign in'), { signedIn: 3 })
      assert.deepEqual(await use(page, frame, 'Quick Auth', 'Sign in'), { fid: 3 })
      assert.match((await use(page, frame, 'Notify me')).error, /not added/)
      const { notificationDetails } = await use(page, frame, 'Add', 'Add')
      assert.equal(notificationDetails.url, `${host.web}/platform/v1/frame-notifications`)
      assert.deepEqual(await told(1), ['miniapp_added'])
      const { cast } = await use(page, frame, 'Cast', 'Post')
      assert.equal(cast.text, 'I collect pebbles')
      assert.equal((await use(page, frame, 'Notify me')).successfulTokens.length, 1)
      assert.equal((await use(page, frame, 'Notify me')).rateLimitedTokens.length, 1)
      await page.goto(`${host.web}/miniapps/settings`)
      const own = page.getByRole('region', { name: domain })
      await own.getByLabel('It may notify you').click()
      assert.deepEqual(await told(2), ['miniapp_added', 'notifications_disabled'])
      await page.getByRole('button', { name: `Remove ${domain}` }).click()
      assert.equal((await told(3)).at(-1), 'miniapp_removed')
      await context.close()
    })
  })
}
