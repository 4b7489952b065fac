// The language of who reads.

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { accountLanguageRows } from '../../src/features/languages/tables/account-languages.ts'
import { LANGUAGE_COOKIE } from '../../src/kernel/base/languages/cookies.ts'
import { PSEUDO } from '../../src/kernel/base/languages/languages.ts'
import { untilControlled, untilInPage } from '../browser.ts'
import { until } from '../until.ts'
import type { BrowserWorld } from './browser-world.ts'

const OTHER = PSEUDO.code

export function ownLanguage(world: BrowserWorld): void {
  describe('the language of who reads', { concurrency: 1 }, () => {
    const speak = async (language: string, is_chosen: 0 | 1) => {
      const fid = await world.fidOf('puffin')
      await world.app.storage.write(`fid/${fid}`, (tx) =>
        tx.of(accountLanguageRows).put({ fid, language, is_chosen, changed_at: 1 }),
      )
    }
    // Who acts as this account later reads English, also where a test failed between.
    after(() => speak('en', 0))

    it('who follows a link in a language reads on in it, and chooses another one at the door', async () => {
      const page = await world.visitor()
      await page.goto(`${world.web}/about?lang=${OTHER}`)
      await untilInPage(page, `document.documentElement.lang === '${OTHER}'`)
      await page.goto(world.web)
      await untilInPage(page, `document.documentElement.lang === '${OTHER}'`)
      await world.checkAll(page, 'door-in-another-language')
      const choice = page.locator('.door select')
      await choice.selectOption('en')
      await untilInPage(page, `document.documentElement.lang === 'en'`)
      await page.getByRole('combobox', { name: 'Language' }).waitFor()
      assert.equal(await choice.inputValue(), 'en')
      await page.context().close()
    })

    it('a language follows the account to a device, is kept there without a connection, and is changed in the settings', async () => {
      const fid = await world.fidOf('puffin')
      const rows = () => world.app.storage.of(accountLanguageRows).find(fid)
      await speak(OTHER, 1)
      const page = await world.visitor()
      await world.actAs(page, 'puffin')
      await page.goto(world.web)
      await untilInPage(page, `document.documentElement.lang === '${OTHER}'`)
      await untilControlled(page)
      const isKept = `caches.match('/', { ignoreVary: true }).then(async (kept) => {
        const [, first] = /<script src="([^"]+)" defer/.exec((await kept?.text()) ?? '') ?? []
        return first !== undefined && Boolean(await caches.match(first, { ignoreVary: true }))
      })`
      await until(() => page.evaluate(isKept), 'the worker has the page and its texts')
      await page.context().setOffline(true)
      const offline = await page.context().newPage()
      await offline.goto(world.web)
      await offline.getByRole('navigation').first().waitFor()
      assert.equal(await offline.evaluate('document.documentElement.lang'), OTHER)
      // “Skip to the content”
      assert.match(await offline.locator('.skip').innerText(), /^\[Skíp/)
      await page.context().setOffline(false)
      await offline.close()
      await page.goto(`${world.web}/settings`)
      await world.checkAll(page, 'settings-in-another-language')
      await page.locator('.settings-list select').first().selectOption('en')
      await untilInPage(page, `document.documentElement.lang === 'en'`)
      await until(async () => (await rows())?.language === 'en', 'the account has it')
      await page.getByRole('combobox', { name: 'Language', exact: true }).selectOption('')
      await until(async () => (await rows())?.is_chosen === 0, 'the browser decides again')
      await world.checkAll(page, 'settings-language')
      await page.context().close()
    })

    it('who joins in a browser whose last account chose a language goes on in it, and the page with the words stays', async () => {
      const page = await world.visitor()
      await page.context().addCookies([{ name: LANGUAGE_COOKIE, value: OTHER, url: world.web }])
      await page.goto(`${world.web}/join`)
      await untilInPage(page, `document.documentElement.lang === '${OTHER}'`)
      await page.locator('input[maxlength="16"]').fill('grebe')
      await page.locator('.ways input[type=radio]').last().check()
      await page.locator('input[type=password]').fill('correct horse battery')
      const told = page.waitForResponse(
        (answer) => answer.url().endsWith('/language/own') && answer.request().method() === 'PUT',
      )
      await page.locator('main form button[type=submit]').click()
      await page.locator('.words li').nth(11).waitFor()
      assert.equal(((await (await told).json()) as { language: string }).language, OTHER)
      assert.equal(await page.locator('.words li').count(), 12)
      assert.equal(await page.evaluate('document.documentElement.lang'), OTHER)
      await page.context().close()
    })

    it('an account that is not made here chooses nothing by what the last one chose, even where telling it fails', async () => {
      const page = await world.visitor({ locale: 'en' })
      const isPut = (request: { method(): string; url(): string }) =>
        request.method() === 'PUT' && request.url().endsWith('/language/own')
      let fails = true
      await page.route('**/language/own', (route) =>
        fails && isPut(route.request()) ? route.abort() : route.continue(),
      )
      await page.context().addCookies([{ name: LANGUAGE_COOKIE, value: OTHER, url: world.web }])
      const failed = page.waitForEvent('requestfailed', isPut)
      await world.actAs(page, 'egret')
      await page.goto(world.web)
      await failed
      assert.equal(await page.evaluate(`localStorage.getItem('rookery.language')`), null)
      fails = false
      const told = page.waitForResponse((answer) => isPut(answer.request()))
      await page.reload()
      assert.equal(((await (await told).json()) as { language: null }).language, null)
      const fid = await world.fidOf('egret')
      assert.equal((await world.app.storage.of(accountLanguageRows).find(fid))?.is_chosen, 0)
      // The next tab is in the language of the browser again.
      const next = await page.context().newPage()
      await next.goto(world.web)
      await untilInPage(next, `document.documentElement.lang === 'en'`)
      // The request that failed is a fault of the page.
      world.faults.splice(0)
      await page.context().close()
    })
  })
}
