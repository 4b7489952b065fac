// The API reference in a browser: one page for every interface, on the front door and on each port.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { referenceScript } from '../scripts/reference.ts'
import { startBrowser, tellOfFailures } from './browser.ts'
import { createWorld, type World } from './world.ts'

const PHONE = { width: 390, height: 844 }

it('the committed script of the reference equals that of its package (npm run generate)', async () => {
  const kept = gunzipSync(readFileSync(new URL('../web/reference/scalar.js.gz', import.meta.url)))
  assert.ok(kept.equals(await referenceScript()))
})

describe('the API reference', () => {
  let world: World
  let browser: Browser
  before(async () => {
    ;[world, browser] = await Promise.all([createWorld(), startBrowser()])
  })
  after(async () => {
    await browser?.close()
    await world?.close()
  })
  tellOfFailures(() => browser)

  /** A page with all that it asked for and all that its policy refused. */
  const open = async (url: string, viewport = PHONE) => {
    const page = await browser.newPage({ viewport })
    const asked: string[] = []
    const faults: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text())
    })
    page.on('pageerror', (error) => faults.push(String(error)))
    await page.goto(url)
    return { page, asked, faults }
  }

  const heading = (page: Page, text: string) =>
    page.getByRole('heading', { name: text, exact: true }).first().waitFor()

  it('the front door shows every interface on a phone and asks no other site', async () => {
    const { web } = world.app.urls
    const { page, asked, faults } = await open(`${web}/docs`)
    await heading(page, 'Rookery hub')
    const wide = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
    assert.ok(Number(wide) <= 0, `the page is ${wide} pixels wider than a phone`)
    const foreign = asked.filter(
      (url) => !url.startsWith(`${web}/`) && !/^(?:data|blob):/.test(url),
    )
    assert.deepEqual(foreign, [])
    assert.deepEqual(faults, [])
    const text = await (await fetch(`${web}/docs/start.js`)).text()
    for (const name of ['hub', 'registry', 'platform', 'accounts']) {
      assert.match(text, new RegExp(`"/${name}/openapi.json"`))
    }
    await page.close()
  })

  it('operations are found by search and tried on the server that shows them', async () => {
    const { web } = world.app.urls
    const { page, asked } = await open(`${web}/docs`, { width: 1200, height: 900 })
    await heading(page, 'Rookery hub')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('v1/info')
    await page.getByRole('option').filter({ hasText: '/v1/info' }).first().click()
    await page
      .getByRole('button', { name: /Test Request.*v1\/info/ })
      .first()
      .click()
    const answered = page.waitForResponse(`${web}/hub/v1/info*`)
    await page.getByRole('button', { name: /^Send/ }).first().click()
    assert.equal((await answered).status(), 200)
    assert.ok(asked.every((url) => url.startsWith(web) || /^(?:data|blob):/.test(url)))
    await page.close()
  })

  it('each port shows its own interface', async () => {
    for (const name of ['registry', 'operations'] as const) {
      const url = world.app.urls[name]
      const { page, faults } = await open(`${url}/docs`)
      await heading(page, `Rookery ${name === 'registry' ? 'name registry' : name}`)
      assert.deepEqual(faults, [])
      await page.close()
    }
  })

  it('the script is sent compressed, and an unchanged one is not sent again', async () => {
    const url = `${world.app.urls.hub}/docs/scalar.js`
    const first = await fetch(url)
    assert.equal(first.headers.get('content-encoding'), 'gzip')
    const etag = first.headers.get('etag')!
    await first.text()
    assert.equal((await fetch(url, { headers: { 'if-none-match': etag } })).status, 304)
    const plain = await fetch(url, { headers: { 'accept-encoding': 'identity' } })
    assert.equal(plain.headers.get('content-encoding'), null)
    assert.match(await plain.text(), /createApiReference/)
  })
})
