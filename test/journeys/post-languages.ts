// Posts in languages that one does not read: said to screen readers, folded among those of strangers, and translated by the server, by the
// browser or elsewhere.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { devAccount } from '../../src/dev/accounts.ts'
import { readingLanguageRows } from '../../src/features/languages/tables/reading-languages.ts'
import { submitMessages } from '../../src/kernel/hub/submit/submit-messages.ts'
import {
  buildMessage,
  castAdd,
  type DataInit,
  linkAdd,
  type Origin,
} from '../../src/kernel/protocol/build.ts'
import { toHex } from '../../src/kernel/protocol/codec/bytes.ts'
import { networkTime } from '../../src/kernel/protocol/time.ts'
import { untilInPage } from '../browser.ts'
import { LIBRE_KEY, type StandIn, startTranslator, translated } from '../translator-support.ts'
import { until } from '../until.ts'
import { DEVNET } from '../world.ts'
import type { BrowserWorld } from './browser-world.ts'

const POLISH = 'Dzień dobry wszystkim, nad jeziorem wreszcie wyszło słońce'
const TURKISH = 'Herkese günaydın, gölün üzerinde sonunda güneş çıktı'
const GERMAN = 'Guten Morgen zusammen, über dem See scheint endlich die Sonne'

// What pages have where they are evaluated.
// biome-ignore lint/suspicious/noExplicitAny: as a page has it
declare const self: any

export function postLanguages(world: BrowserWorld): void {
  describe('posts in other languages', { concurrency: 1 }, () => {
    let standIn: StandIn
    let hashes: { polish: string; turkish: string; german: string }
    before(async () => {
      standIn = await startTranslator()
    })
    after(() => standIn.close())

    const submit = async (name: string, makeAt: (origin: Origin) => DataInit) => {
      const fid = await world.fidOf(name)
      const origin = { fid, timestamp: networkTime(world.app.clock.now()), network: DEVNET }
      const message = buildMessage(makeAt(origin), devAccount(fid - 1).appSeed)
      const [outcome] = await submitMessages(world.app.hub, [message])
      assert.equal(typeof outcome, 'number', String(outcome))
      await world.indexed()
      return toHex(message.hash)
    }
    const post = (name: string, text: string) => submit(name, (origin) => castAdd(origin, { text }))
    const operate = (method: 'PUT' | 'DELETE', body: object) =>
      fetch(`${world.app.urls.operations}/server/translator`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const offer = (page: Page, language: string) =>
      page.getByRole('button', { name: `Translate from ${language}` })

    it('a visitor hears a post in its language, and is told where its text goes before a page that translates is opened', async () => {
      hashes = {
        polish: await post('raven', POLISH),
        turkish: await post('raven', TURKISH),
        german: await post('egret', GERMAN),
      }
      const page = await world.visitor()
      await page.goto(`${world.web}/cast/${hashes.polish}`)
      await page.locator('article p.cast-text[lang=pl][dir=auto]').waitFor()
      await offer(page, 'Polish').click()
      await page.getByText('what you choose gets the text of the post').waitFor()
      const link = page.getByRole('link', { name: 'Open translate.google.com with the text' })
      const url = new URL((await link.getAttribute('href'))!)
      assert.deepEqual(
        [url.host, url.searchParams.get('sl'), url.searchParams.get('tl')],
        ['translate.google.com', 'pl', 'en'],
      )
      assert.equal(url.searchParams.get('text'), POLISH)
      assert.match((await link.getAttribute('rel'))!, /noopener noreferrer/)
      await world.checkAll(page, 'translate-elsewhere')
      await page.getByRole('button', { name: 'Close' }).click()
      await offer(page, 'Polish').waitFor()
      // Nothing is folded for who has chosen nothing.
      await page.goto(world.web)
      await page.getByText(POLISH).waitFor()
      assert.equal(await page.locator('.folded-casts').count(), 0)
      await page.context().close()
    })

    it('a browser that translates itself does it on the device', async () => {
      const page = await world.visitor()
      await page.addInitScript(() => {
        // As https://webmachinelearning.github.io/translation-api/ describes it.
        self.Translator = {
          availability: async ({ sourceLanguage }: { sourceLanguage: string }) =>
            sourceLanguage === 'pl' ? 'downloadable' : 'unavailable',
          create: async ({ targetLanguage }: { targetLanguage: string }) => ({
            translate: async (text: string) => `${targetLanguage}: ${text}`,
            destroy() {},
          }),
        }
      })
      await page.goto(`${world.web}/cast/${hashes.polish}`)
      await offer(page, 'Polish').click()
      await page.getByText(`en: ${POLISH}`).waitFor()
      await page.getByText('by this browser, on this device').waitFor()
      await page.goto(`${world.web}/cast/${hashes.turkish}`)
      await offer(page, 'Turkish').click()
      await page.getByRole('link', { name: 'Open translate.google.com' }).waitFor()
      await page.context().close()
    })

    /** Chromium without a screen has a translator that never answers: the visitor above has waited for it. */
    const withoutTranslator = async (page: Page) => {
      await page.addInitScript(() => {
        self.Translator = undefined
      })
    }

    it('a member chooses languages, finds strangers in others folded, and has them translated by the server', async () => {
      const fid = await world.fidOf('puffin')
      const followed = await world.fidOf('egret')
      await submit('puffin', (origin) => linkAdd(origin, 'follow', followed))
      const page = await world.visitor()
      await withoutTranslator(page)
      await world.actAs(page, 'puffin')
      await page.goto(`${world.web}/settings`)
      const choice = page.getByRole('combobox', { name: 'Add a language' })
      await choice.selectOption('en')
      await page.getByRole('button', { name: 'Remove English' }).waitFor()
      await choice.selectOption('fr')
      const reads = () => world.app.storage.of(readingLanguageRows).of(fid)
      await until(async () => (await reads()).join() === 'en,fr', 'the account has both')
      await world.checkAll(page, 'languages-i-read')
      await page.getByRole('button', { name: 'Remove French' }).click()
      await until(async () => (await reads()).join() === 'en', 'one is left')

      await page.goto(`${world.web}/?feed=newest`)
      const fold = page.locator('.folded-casts')
      await fold.first().waitFor()
      assert.deepEqual(await page.getByText(POLISH).count(), 0)
      await world.checkAll(page, 'folded')
      await page.getByText(/posts in .*Turkish/).waitFor()
      await fold.first().getByRole('button', { name: 'Show' }).click()
      await page.locator('p.cast-text[lang=pl]').first().waitFor()
      await untilInPage(page, `document.activeElement?.matches('article.cast')`)
      // What was opened stays open, and keeps its translation, when another folded post comes before it.
      await offer(page, 'Polish').first().click()
      await page.getByText('what you choose gets the text of the post').waitFor()
      await post('raven', `${TURKISH}, teknede`)
      await page.getByRole('button', { name: /new post/ }).click()
      await fold.first().waitFor()
      assert.ok(await page.getByText(POLISH).first().isVisible())
      assert.ok(await page.getByText('what you choose gets the text of the post').isVisible())
      // A fold counts nobody who was blocked since.
      const counted = page.getByText('1 post in Turkish')
      await counted.waitFor()
      const raven = await world.fidOf('raven')
      const blocks = async () => {
        const query = `fid=${fid}&target_fid=${raven}&link_type=block`
        return (await fetch(`${world.app.urls.hub}/v1/linkById?${query}`)).status === 200
      }
      const his = page.getByRole('article', { name: /raven/ })
      await his.first().getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('button', { name: 'Block @raven' }).click()
      await counted.waitFor({ state: 'detached' })
      await his.first().waitFor({ state: 'detached' })
      await until(blocks, 'the block is stored')
      await world.indexed()
      await page.goto(`${world.web}/@raven`)
      await page.locator('.profile-acts').getByRole('button', { name: 'More' }).click()
      await page.getByRole('button', { name: 'Unblock @raven' }).click()
      await until(async () => !(await blocks()), 'the block is taken back')
      await world.indexed()

      // Without a translator of the server the member goes elsewhere, with one the text comes here.
      await page.goto(`${world.web}/cast/${hashes.polish}`)
      await offer(page, 'Polish').click()
      await page.getByRole('link', { name: 'Open translate.google.com' }).waitFor()
      const set = { kind: 'libretranslate', address: standIn.url, ownNetwork: true, key: LIBRE_KEY }
      assert.equal((await operate('PUT', set)).status, 200)
      await page.getByRole('button', { name: 'Close' }).click()
      await offer(page, 'Polish').click()
      const text = page.locator('.translation p.cast-text[lang=en]')
      await text.waitFor()
      assert.equal(await text.innerText(), translated(POLISH, 'en'))
      await page.getByText('Translated from Polish by LibreTranslate').waitFor()
      await world.checkAll(page, 'translated')
      await page.getByRole('button', { name: 'Hide the translation' }).click()
      await text.waitFor({ state: 'detached' })
      // A translator that fails is told, and there is another way.
      standIn.fault = (response) => response.writeHead(500).end()
      await page.goto(`${world.web}/cast/${hashes.turkish}`)
      await offer(page, 'Turkish').click()
      await page.getByText('the translator cannot be used').waitFor()
      await page.getByRole('link', { name: 'Open translate.google.com' }).waitFor()
      standIn.fault = undefined
      assert.equal((await operate('DELETE', {})).status, 200)
      await page.context().close()
      assert.deepEqual(world.faults, [])
    })

    it('the choice follows to another device, where nobody who is followed is folded', async () => {
      const page = await world.visitor()
      await world.actAs(page, 'puffin')
      await page.goto(`${world.web}/settings`)
      await page.getByRole('button', { name: 'Remove English' }).waitFor()
      await page.goto(world.web)
      await untilInPage(page, `localStorage.getItem('rookery.reads') !== null`)
      await page.goto(`${world.web}/?feed=newest`)
      await page.locator('.folded-casts').first().waitFor()
      assert.equal(await page.getByText(POLISH).count(), 0)
      await page.getByText(GERMAN).first().waitFor()
      await page.context().close()
    })
  })
}
