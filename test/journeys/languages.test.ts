// A member in another language, from right to left in Arabic and without spaces in Japanese: joins, writes, answers, looks around and
// reports, and never reads a word of English but names.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import compile from 'icu-minify/compile'
import { readHelp } from '../../scripts/help.ts'
import { readCatalogue } from '../../scripts/messages.ts'
import { type Compiled, partsOf } from '../../src/kernel/base/languages/format.ts'
import { untilInPage } from '../browser.ts'
import { enginesOf } from '../world.ts'
import { type BrowserWorld, browserWorld, DESKTOP, PASSKEYS, PHONE } from './browser-world.ts'

/** What has the same name in every language. */
const NAMES =
  /Rookery|Ethereum|Farcaster|Chromium|Chrome|MetaMask|Coinbase Wallet|Trust Wallet|https?:\/\/\S+|\b[\w.-]+\.(?:zip|html|csv|json)\b|\b(?:fid|SQL|JSON|CSV|HTML|ZIP|RSS|Atom|QR|URL|UTF|PNG|JPEG|GIF|PIN|Passkeys?|WebP)\b|[@/]\S+/gi

/** Texts and labels of the page in Latin letters, apart from what people wrote. */
const LATIN = `(() => {
  const found = []
  const told = (text) => { if (/[A-Za-z]{3}/.test(text)) found.push(text.trim()) }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!node.parentElement.closest('bdi, code, kbd, time, script, style, noscript, [dir=auto], [lang]:not(html), .byline, .words, details:not([open])')) told(node.textContent)
  for (const one of document.querySelectorAll('[aria-label], [placeholder], [title]'))
    if (!one.closest('[dir=auto], .byline'))
      for (const name of ['aria-label', 'placeholder', 'title']) told(one.getAttribute(name) ?? '')
  return found
})()`

function member(world: BrowserWorld, code: string, dir: 'rtl' | 'ltr', viewport: typeof PHONE) {
  const catalogue = readCatalogue(code)
  const help = readHelp(code)
  const say = (english: string, values: Record<string, string | number> = {}): string => {
    const message = catalogue.get(english)
    assert.ok(message, `${code} has “${english}”`)
    return partsOf<never>(compile(message) as Compiled, code, values).join('')
  }

  it(`a member joins, writes, answers and reports in ${code}, and reads no English but names`, async () => {
    const page = await world.visitor({ viewport, locale: code })
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    await cdp.send('WebAuthn.addVirtualAuthenticator', { options: PASSKEYS })
    const written = ['grebe', 'heron', 'wetlands', 'Wetlands', 'cold-rooms', 'raven', 'Heron']
    const look = async (name: string) => {
      await page.locator('main h1').first().waitFor({ state: 'attached' })
      assert.deepEqual(
        await page.evaluate('[document.documentElement.lang, document.documentElement.dir]'),
        [code, dir],
      )
      const english = (await page.evaluate<string[]>(LATIN))
        .map((text) => text.replace(NAMES, ''))
        .map((text) => written.reduce((rest, one) => rest.replaceAll(one, ''), text))
        .filter((text) => /[A-Za-z]{3}/.test(text))
      assert.deepEqual(english, [], `${name} in ${code}`)
      await world.check(page)
    }
    const show = async (path: string, ready: string) => {
      await page.goto(world.web + path)
      await page.locator(ready).first().waitFor()
      await look(path)
    }
    const button = (english: string) =>
      page.getByRole('button', { name: say(english), exact: true })

    await page.goto(world.web)
    await page.locator('main article').first().waitFor()
    await look('home')
    await page.goto(`${world.web}/join`)
    await page.getByLabel(say('Your name'), { exact: true }).fill('grebe')
    await page.getByText(say('{name} is free.', { name: 'grebe' })).waitFor()
    await look('join')
    await button('Create account').click()
    await page.locator('.words li').nth(11).waitFor()
    await look('recovery words')
    await button('I have written them down').click()
    await button('Go on').click()
    await untilInPage(page, "!location.pathname.startsWith('/join')")

    await page.goto(`${world.web}/compose`)
    await page.getByRole('textbox', { name: say('Your {post}') }).fill('…')
    await look('compose')
    await page.locator('main form button[type=submit]').click()
    await page.waitForURL(/\/cast\/0x/)
    await look('thread')
    await world.indexed()

    await show('/settings', '.settings-list')
    await show('/account', 'main section')
    // Without an element of its own the name would end with its “@”.
    await page.locator('main bdi', { hasText: /^@grebe$/ }).waitFor()
    await show('/notifications', 'main h1')
    await show('/search', 'main section, main article')
    await show('/channels', 'main article')
    await show('/channel/wetlands', 'main article')
    await show('/@heron', 'main article')
    await show('/muted', 'main form')
    await show('/bookmarks', 'main h1')
    await show('/import', 'main h1')
    await show('/help', 'main .help-text')
    const heading = help.get('What is public') ?? ''
    await page.getByRole('searchbox', { name: say('Search the help') }).fill(heading)
    await page.getByRole('heading', { name: help.get('Join') ?? '', exact: true }).waitFor({
      state: 'detached',
    })
    await page.getByRole('heading', { name: heading, exact: true }).waitFor()
    await show('/moderation', 'main h1')
    await page.goto(`${world.web}/report?fid=${await world.fidOf('heron')}`)
    await page
      .getByLabel(say('What is wrong'), { exact: true })
      .selectOption({ label: say('Spam') })
    await look('report')
    await button('Send the report').click()
    await page.getByText(say('Thank you. The moderators have your report.')).waitFor()
    await look('reported')
    await page.context().close()
  })
}

for (const engine of enginesOf(import.meta.url)) {
  describe(`other languages on ${engine}`, { concurrency: 1 }, () => {
    member(browserWorld({ engine, host: 'localhost' }), 'ar', 'rtl', PHONE)
  })
  describe(`other scripts on ${engine}`, { concurrency: 1 }, () => {
    member(browserWorld({ engine, host: 'localhost' }), 'ja', 'ltr', DESKTOP)
  })
}
