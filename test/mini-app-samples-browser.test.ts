// Behaviours that the published documentation of the SDK shows, with the unmodified SDK in the web client.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from './browser.ts'
import {
  call,
  frameOf,
  type Host,
  openApp,
  pageWith,
  press,
  servePage,
  startApp,
  startHost,
  until,
} from './mini-app-host-support.ts'
import type { AppServer } from './mini-apps-support.ts'
import { ENGINES } from './world.ts'

for (const engine of ENGINES) {
  describe(`samples of the documentation of mini apps on ${engine}`, { concurrency: 1 }, () => {
    let host: Host
    let app: AppServer
    before(async () => {
      host = await startHost(engine)
      app = await startApp()
      app.manifest.castShareUrl = `${app.origin}/share?from=rookery`
    })
    after(async () => {
      await app?.close()
      await host?.stop()
    })

    const addApp = async (page: Page) => {
      const frame = await openApp(page, host.web, app.domain)
      const adding = call(frame, 'sdk.actions.addMiniApp()')
      await press(page, 'Add')
      return adding
    }
    /** A cast of the development network, which is in the lists a moment after the start. */
    const someCast = async () => {
      const url = `${host.web}/app/v2/farcaster/feed/?feed_type=filter&filter_type=fids&fids=1&limit=1`
      const headers = { 'x-api-key': 'web' }
      return until(async () => {
        type Cast = { hash: string; text: string; author: { fid: number; username: string } }
        const { casts } = (await (await fetch(url, { headers })).json()) as { casts: Cast[] }
        return casts[0]
      }, 'there is no cast')
    }

    it('a cast is shared with an added app, which gets it in its address and in its context', async () => {
      servePage(app, '/share', pageWith('sdk.actions.ready()'))
      const { page, context } = await host.visitor()
      await addApp(page)
      const { user } = await call(await frameOf(page, app.domain), 'sdk.context')
      const cast = await someCast()
      await page.goto(`${host.web}/cast/${cast.hash}`)
      await page.locator('.cast-whole').getByRole('button', { name: 'More' }).click()
      await page.getByRole('button', { name: 'Share with an app …' }).click()
      const sheet = page.getByRole('dialog', { name: 'Share this cast' })
      const choice = sheet.getByRole('button', { name: app.domain })
      await choice.waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await choice.click()
      const frame = await frameOf(page, app.domain)
      const { pathname, searchParams } = new URL(frame.url())
      assert.equal(pathname, '/share')
      assert.deepEqual(Object.fromEntries(searchParams), {
        from: 'rookery',
        castHash: cast.hash,
        castFid: String(cast.author.fid),
        viewerFid: String(user.fid),
      })
      const { location } = await call(frame, 'sdk.context')
      assert.equal(location.type, 'cast_share')
      assert.equal(location.cast.hash, cast.hash)
      assert.equal(location.cast.text, cast.text)
      assert.equal(location.cast.author.username, cast.author.username)
      assert.deepEqual(host.faults, [])
      await context.close()
    })

    it('a cast is viewed by its short hash and its author, over the app or in place of it', async () => {
      const { page, context } = await host.visitor({ name: 'magpie' })
      const frame = await openApp(page, host.web, app.domain)
      const { hash, text, author } = await someCast()
      const named = `hash: '${hash.slice(0, 10)}', authorUsername: '${author.username}'`
      await call(frame, `sdk.actions.viewCast({ ${named} })`)
      const shown = page.locator('.cast-whole').getByText(text.split('\n')[0]!.slice(0, 20))
      await shown.first().waitFor()
      assert.equal(new URL(page.url()).pathname, `/cast/${hash}`)
      await page.getByRole('link', { name: /Return/ }).click()
      await page.locator('.mini-app-dialog[open]').waitFor()
      const alone = await call(frame, `sdk.actions.viewCast({ hash: '${hash.slice(0, 10)}' })`)
      assert.match(alone.message, /needs authorUsername/)
      const wrong = `sdk.actions.viewCast({ hash: '0xffffffff', authorUsername: '${author.username}' })`
      assert.match((await call(frame, wrong)).message, /no such cast/)
      await frame.evaluate(`void sdk.actions.viewCast({ ${named}, close: true })`)
      await shown.first().waitFor()
      await page.locator('.mini-app-dialog').waitFor({ state: 'detached' })
      assert.equal(await page.getByRole('link', { name: /Return/ }).count(), 0)
      assert.equal(new URL(page.url()).pathname, `/cast/${hash}`)
      assert.deepEqual(host.faults, [])
      await context.close()
    })

    it('somebody without apps that take casts is told where to find some', async () => {
      const { page, context } = await host.visitor({ name: 'egret' })
      const cast = await someCast()
      await page.goto(`${host.web}/cast/${cast.hash}`)
      await page.locator('.cast-whole').getByRole('button', { name: 'More' }).click()
      await page.getByRole('button', { name: 'Share with an app …' }).click()
      const sheet = page.getByRole('dialog', { name: 'Share this cast' })
      await sheet.getByRole('link', { name: 'Find mini apps' }).waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'detached' })
      await context.close()
    })
  })
}
