// The guide as a site: built as `npm run docs` builds it, which refuses dead links, and read in a browser.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { hasBuilder } from '../scripts/docs.ts'
import { guideRoutes } from '../src/features/web/guide-routes.ts'
import { startBrowser, tellOfFailures } from './browser.ts'
import { LONG } from './effort.ts'
import { serve } from './http-support.ts'
import { patient } from './patience.ts'
import { ROOT } from './program.ts'

const BUILD_MS = patient(60_000)
const SITE = 'http://site/docs/guide/'

const why = !LONG && !hasBuilder() && 'TEST_LONG=1 installs what builds it; so does npm run docs'

describe('the guide', { skip: why, timeout: BUILD_MS }, () => {
  let dir: string
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'rookery-guide-'))
    await promisify(execFile)(process.execPath, ['scripts/docs.ts', dir], { cwd: ROOT })
  })
  after(() => rmSync(dir, { recursive: true, force: true }))

  it('every page that the navigation names is there', () => {
    const config = readFileSync(join(ROOT, 'docs/.vitepress/config.ts'), 'utf8')
    for (const [, link] of config.matchAll(/page\('[^']+', '([^'/][^']+)'\)/g)) {
      assert.ok(existsSync(join(dir, `${link}.html`)), link!)
    }
  })

  it('every link leads to a page, and to a heading of it', () => {
    const pages = new Map(
      globSync('**/*.html', { cwd: dir }).map((name) => [
        name,
        readFileSync(join(dir, name), 'utf8'),
      ]),
    )
    const dead = new Set<string>()
    for (const [name, text] of pages) {
      for (const [, href = ''] of text.matchAll(/<a [^>]*?href="([^"]*)"/g)) {
        const { origin, pathname, hash } = new URL(href, `${SITE}${name}`)
        if (origin !== new URL(SITE).origin || pathname === '/docs/') continue
        const path = decodeURIComponent(`${origin}${pathname}`.slice(SITE.length))
        const target = [path, `${path}.html`, `${path}index.html`].find((file) => pages.has(file))
        const id = decodeURIComponent(hash.slice(1))
        if (!target || (id && !pages.get(target)!.includes(` id="${id}"`)))
          dead.add(`${name}: ${href}`)
      }
    }
    assert.ok(pages.size > 100)
    assert.deepEqual([...dead], [])
  })

  it('the front door serves pages by their names, and says so where the guide is not built', async () => {
    const { inject } = serve(guideRoutes(dir))
    for (const path of ['', '/', '/hub', '/guide/run', '/SECURITY']) {
      const page = await inject(`/docs/guide${path}`)
      assert.equal(page.statusCode, 200, path)
      assert.match(String(page.headers['content-type']), /^text\/html/)
      assert.match(String(page.headers['content-security-policy']), /script-src 'self' 'sha256-/)
    }
    for (const path of ['no-such-page', '../package.json', 'assets/none.js']) {
      assert.equal((await inject(`/docs/guide/${path}`)).statusCode, 404, path)
    }
    const absent = await serve(guideRoutes(join(dir, 'nothing'))).inject('/docs/guide/')
    assert.equal(absent.statusCode, 404)
    assert.match(absent.body, /npm run docs/)
    // People get a page.
    const headers = { accept: 'text/html,application/xhtml+xml' }
    const missing = await inject({ url: '/docs/guide/no-such-page', headers })
    assert.equal(missing.statusCode, 404)
    assert.match(missing.body, /<h1>The guide has no such page/)
    const { inject: ask } = serve(guideRoutes(join(dir, 'nothing')))
    const help = await ask({ url: '/docs/guide/hub', headers })
    assert.deepEqual([help.statusCode, help.headers.location], [302, '/help'])
  })

  it('a page of the guide that was asked for is not read and compressed again', async () => {
    const built = mkdtempSync(join(tmpdir(), 'rookery-guide-'))
    writeFileSync(join(built, 'page.html'), '<p>text</p>'.repeat(1_000))
    const { inject } = serve(guideRoutes(built))
    const ask = () => inject({ url: '/docs/guide/page', headers: { 'accept-encoding': 'gzip' } })
    const first = await ask()
    assert.equal(first.headers['content-encoding'], 'gzip')
    rmSync(built, { recursive: true })
    const second = await ask()
    assert.deepEqual([second.statusCode, second.rawPayload], [200, first.rawPayload])
  })

  let browser: Browser | undefined
  tellOfFailures(() => browser)
  it('a reader searches, follows links between guides, sees whole programs and reads on a phone, under the policy of the server', async (t) => {
    const api = serve(guideRoutes(dir))
    const { url } = await api.listen('127.0.0.1', 0)
    t.after(() => api.close())
    browser = await startBrowser()
    t.after(() => browser?.close())
    const page = await browser.newPage()
    const faults: string[] = []
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('requestfailed', (request) => {
      const { errorText } = request.failure()!
      // The browser gives up what it fetched ahead when the next page is opened.
      if (errorText !== 'net::ERR_ABORTED') faults.push(`${request.url()}: ${errorText}`)
    })
    await page.goto(`${url}/docs/guide/guide/build`)
    await page.getByText('await rookery.registerAccount').waitFor()
    await page.getByRole('link', { name: 'Client library' }).first().click()
    await page.getByRole('heading', { name: 'The client library' }).waitFor()
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill('restore')
    await page.getByRole('option').first().waitFor()
    await page.setViewportSize({ width: 360, height: 800 })
    for (const name of globSync('{*,guide/*}.html', { cwd: dir })) {
      await page.goto(`${url}/docs/guide/${name.replace(/\.html$/, '')}`)
      const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.equal(wider, 0, `${name} is wider than a phone`)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(`${url}/docs/guide/ARCHITECTURE`)
    await page
      .getByRole('main')
      .getByRole('link', { name: /glossary/ })
      .click()
    await page.getByRole('heading', { name: 'Glossary' }).waitFor()
    assert.deepEqual(faults, [])
  })
})
