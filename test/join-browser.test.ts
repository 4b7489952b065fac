// Joining without a wallet, in Chromium on a phone: with a virtual passkey and with a password, from an empty browser to a
// cast, on a second browser, and with the words in viem, which knows nothing of this program.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { mnemonicToAccount } from 'viem/accounts'
import { createInvite } from '../src/accounts/signup.ts'
import type { App } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { startDevNetwork } from '../src/dev/network.ts'
import { createLogger } from '../src/http/logger.ts'
import { accessibilityFaults, startBrowser } from './browser.ts'
import { createPlace } from './program.ts'
import { ENGINES } from './world.ts'

const PHONE = { width: 360, height: 740 }
const PASSWORD = 'correct horse battery'
const RECOVERY = `0x${'5b'.repeat(20)}`
/** Chromium's own authenticator with the PRF extension, whose user is there and verified. */
const AUTHENTICATOR = {
  protocol: 'ctap2',
  ctap2Version: 'ctap2_1',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
  hasPrf: true,
} as const

for (const engine of ENGINES) {
  // One engine takes people with an invite only.
  const signup = engine === 'sqlite' ? 'invite' : 'open'

  describe(`joining without a wallet on ${engine}`, { concurrency: 1 }, () => {
    let app: App
    let web: string
    let place: Awaited<ReturnType<typeof createPlace>>
    let browser: Browser
    const faults: string[] = []

    before(async () => {
      place = await createPlace(engine)
      const env = {
        ...place.env,
        ROOKERY_KEYS: '',
        ROOKERY_VIEWS: 'on',
        ROOKERY_SIGNUP: signup,
      }
      const logger = createLogger({ level: 'fatal' })
      app = await startDevNetwork({ config: readConfig(env, 'development'), logger })
      // Passkeys belong to a name, never to a number.
      web = app.urls.web.replace('127.0.0.1', 'localhost')
      browser = await startBrowser()
    })
    after(async () => {
      await browser?.close()
      await app?.stop()
      await place?.remove()
    })

    /** A browser of its own, with an authenticator if it is wanted. */
    async function visitor(withPasskeys: boolean): Promise<{
      page: Page
      context: BrowserContext
      cdp: CDPSession
    }> {
      const context = await browser.newContext({ viewport: PHONE, reducedMotion: 'reduce' })
      context.setDefaultTimeout(120_000)
      const page = await context.newPage()
      page.on('pageerror', (error) => faults.push(error.message))
      page.on('console', (message) => {
        const isOfPage = message.type() === 'error' && !message.text().startsWith('Failed to load')
        if (isOfPage) faults.push(message.text())
      })
      const cdp = await context.newCDPSession(page)
      if (withPasskeys) {
        await cdp.send('WebAuthn.enable')
        await cdp.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR })
      }
      return { page, context, cdp }
    }

    /** What holds for every screen. */
    async function check(page: Page): Promise<void> {
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      assert.equal(await page.evaluate(overflow), 0, 'it scrolls sideways')
      assert.deepEqual(faults.splice(0), [])
    }

    async function fillForm(page: Page, name: string): Promise<void> {
      const terms = { uses: 1, days: 1, label: '' }
      if (signup === 'invite') {
        const { code } = await createInvite(app.storage, app.clock.now(), terms)
        await page.goto(`${web}/join?invite=${code}`)
        assert.equal(await page.getByLabel('Invite code').inputValue(), code)
      } else await page.goto(`${web}/join`)
      await page.getByLabel('Your name').fill(name)
      await page.getByText(`${name} is free`).waitFor()
    }

    const wordsOf = async (page: Page): Promise<string> => {
      await page.locator('.words li').nth(11).waitFor()
      return (await page.locator('.words li').allInnerTexts()).join(' ')
    }

    /** The account of these words, as a wallet would find it. */
    async function fidOf(words: string): Promise<number> {
      const { address } = mnemonicToAccount(words)
      const response = await fetch(`${app.urls.accounts}/v1/idOf?address=${address}`)
      return ((await response.json()) as { fid: number }).fid
    }

    async function cast(page: Page, text: string): Promise<void> {
      await page.goto(`${web}/compose`)
      await page.getByRole('textbox', { name: 'Your cast' }).fill(text)
      await page.getByRole('button', { name: 'Cast', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)
    }

    it('a person who never heard of Ethereum joins with a passkey, casts, and signs in again where only the passkey is', async () => {
      const { page, context, cdp } = await visitor(true)
      await fillForm(page, 'wren')
      assert.ok(await page.getByLabel('Passkey').isChecked())
      await check(page)
      const shown = (await page.locator('main').innerText()).toLowerCase()
      for (const word of ['ethereum', 'fid', 'signature', 'custody']) {
        assert.ok(!shown.includes(word), word)
      }
      await page.getByRole('button', { name: 'Create account' }).click()
      const words = await wordsOf(page)
      await check(page)
      const fid = await fidOf(words)
      assert.ok(fid > 0, words)
      await page.getByRole('button', { name: 'Later: remind me' }).click()
      await page.getByText('You have not saved your recovery words yet').waitFor()
      await cast(page, 'Without a wallet')

      // What is stored in the browser and on the server has the words in no readable form.
      const kept = await app.storage.sealedKeys.ofFid(fid, 10)
      assert.deepEqual(
        kept.map(({ kind, site }) => [kind, site]),
        [['passkey', 'localhost']],
      )
      await page.getByRole('link', { name: 'Save them now' }).click()
      await page.getByText('Your recovery words are not saved yet').waitFor()
      await page.getByRole('button', { name: 'Unlock' }).click()
      await check(page)
      await page.getByRole('button', { name: 'Use a passkey' }).click()
      await page.getByRole('button', { name: 'Show my 12 words' }).click()
      assert.equal(await wordsOf(page), words)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download recovery kit' }).click(),
      ])
      const kit = readFileSync((await download.path())!, 'utf8')
      for (const word of words.split(' ')) assert.ok(kit.includes(word))
      await page.getByText('This browserAdded').waitFor()
      await check(page)
      await page.getByLabel('Address of a wallet').fill(RECOVERY)
      await page.getByRole('button', { name: 'Set the address' }).click()
      await page.getByText('The recovery address is set.').waitFor()
      await page.getByLabel('New password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Set the password' }).click()
      await page.getByText('The password was set.').waitFor()
      assert.equal((await app.storage.sealedKeys.ofFid(fid, 10)).length, 2)

      // The same passkey in a browser that has nothing else.
      await cdp.send('Storage.clearDataForOrigin', { origin: web, storageTypes: 'all' })
      await page.goto(`${web}/join/sign-in`)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await check(page)
      await page.getByRole('button', { name: 'Use a passkey' }).click()
      await page.waitForURL(`${web}/`)
      assert.equal(await page.getByText('You have not saved').count(), 0)
      await cast(page, 'From a second browser')
      await check(page)
      await context.close()
    })

    it('the same with a password, which is asked for on the second browser', async () => {
      const first = await visitor(false)
      await fillForm(first.page, 'siskin')
      await first.page.getByRole('radio', { name: /^Password/ }).check()
      const create = first.page.getByRole('button', { name: 'Create account' })
      await first.page.getByRole('textbox', { name: 'Password' }).fill('siskin12345')
      assert.ok(await create.isDisabled(), 'a password that begins with the name')
      await first.page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await check(first.page)
      await create.click()
      const words = await wordsOf(first.page)
      assert.ok((await fidOf(words)) > 0)
      await first.page.getByRole('button', { name: 'I have written them down' }).click()
      await first.page.getByRole('button', { name: 'Go on' }).click()
      await cast(first.page, 'With a password')
      await first.context.close()

      const second = await visitor(false)
      await second.page.goto(`${web}/join/sign-in`)
      await second.page.getByLabel('Your name').fill('@siskin')
      await second.page.getByRole('textbox', { name: 'Password' }).fill('a wrong password')
      await second.page.getByRole('button', { name: 'Use the password' }).click()
      await second.page.getByText('the password is wrong').waitFor()
      await check(second.page)
      await second.page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await second.page.getByRole('button', { name: 'Use the password' }).click()
      await second.page.waitForURL(`${web}/`)
      await cast(second.page, 'From my other browser')
      assert.deepEqual(faults.splice(0), [])
      await second.context.close()
    })
  })
}
