// Joining without a wallet, in Chromium on a phone: with a virtual passkey and with a password, from an empty browser to a
// cast, on a second browser, and with the words in viem, which knows nothing of this program.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { mnemonicToAccount } from 'viem/accounts'
import { createInvite } from '../../src/features/invites/invites.ts'
import { sealedKeyRows } from '../../src/features/sealed-keys/tables/sealed-keys.ts'
import { textOf } from '../browser.ts'
import { until } from '../until.ts'
import { type BrowserWorld, PASSKEYS, PHONE } from './browser-world.ts'

const PASSWORD = 'correct horse battery'
const RECOVERY = `0x${'5b'.repeat(20)}`
export function joiningWithoutWallet(world: BrowserWorld): void {
  describe('joining without a wallet', { concurrency: 1 }, () => {
    const { check, faults } = world

    /** A browser of its own, with an authenticator if it is wanted. */
    async function visitor(withPasskeys: boolean): Promise<{
      page: Page
      context: BrowserContext
      cdp: CDPSession
    }> {
      const page = await world.visitor({ viewport: PHONE })
      const context = page.context()
      const cdp = await context.newCDPSession(page)
      if (withPasskeys) {
        await cdp.send('WebAuthn.enable')
        await cdp.send('WebAuthn.addVirtualAuthenticator', { options: PASSKEYS })
      }
      return { page, context, cdp }
    }

    async function fillForm(page: Page, name: string, back = '/'): Promise<void> {
      const query = new URLSearchParams({ back })
      const terms = { uses: 1, days: 1, label: '' }
      const { code } = await createInvite(world.app.storage, world.app.clock.now(), terms)
      const answered = page.waitForResponse((response) =>
        response.url().endsWith(`/invites/${code}`),
      )
      await page.goto(`${world.web}/join?invite=${code}&${query}`)
      await answered
      assert.equal(await page.getByLabel('Invite code').inputValue(), code)
      await page.getByLabel('Your name').fill(name)
      await page.getByText(`${name} is free`).waitFor()
      // The operator made this invite: no member is named, and nothing is wrong with it.
      assert.ok(await page.getByText('This server is open to people with an invite.').isVisible())
    }

    const wordsOf = async (page: Page): Promise<string> => {
      await page.locator('.words li').nth(11).waitFor()
      return (await page.locator('.words li').allInnerTexts()).join(' ')
    }

    /** The account of these words, as a wallet would find it. */
    async function fidOf(words: string): Promise<number> {
      const { address } = mnemonicToAccount(words)
      const response = await fetch(`${world.app.urls.accounts}/v1/idOf?address=${address}`)
      return ((await response.json()) as { fid: number }).fid
    }

    async function cast(page: Page, text: string): Promise<void> {
      await page.goto(`${world.web}/compose`)
      await page.getByRole('textbox', { name: 'Your cast' }).fill(text)
      await page.getByRole('button', { name: 'Cast', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)
      await page.getByRole('main').getByText(text).first().waitFor()
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
      const kept = await world.app.storage.of(sealedKeyRows).ofFid(fid, 10)
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
      const kit = await textOf(download)
      for (const word of words.split(' ')) assert.ok(kit.includes(word))
      await page.getByText('This browserAdded').waitFor()
      await check(page)
      await page.getByLabel('Address of a wallet').fill(RECOVERY)
      await page.getByRole('button', { name: 'Set the address' }).click()
      await page.getByText('The recovery address is set.').waitFor()
      await page.getByLabel('New password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Set the password' }).click()
      await page.getByText('The password was set.').waitFor()
      assert.equal((await world.app.storage.of(sealedKeyRows).ofFid(fid, 10)).length, 2)

      // The same passkey in a browser that has nothing else.
      await cdp.send('Storage.clearDataForOrigin', { origin: world.web, storageTypes: 'all' })
      await page.goto(`${world.web}/join/sign-in`)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await check(page)
      await page.getByRole('button', { name: 'Use a passkey' }).click()
      await page.waitForURL(`${world.web}/`)
      assert.equal(await page.getByText('You have not saved').count(), 0)
      await cast(page, 'From a second browser')
      await check(page)
      await context.close()
    })

    it('a passkey that cannot keep a key is not left on the device, however often one tries', async () => {
      const { page, cdp } = await visitor(false)
      await cdp.send('WebAuthn.enable')
      const options = { ...PASSKEYS, hasPrf: false }
      const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options })
      await fillForm(page, 'wryneck')
      const made: string[] = []
      cdp.on('WebAuthn.credentialAdded', ({ credential }) => made.push(credential.credentialId))
      for (const tries of [1, 2]) {
        await page.getByRole('button', { name: 'Create account' }).click()
        await until(() => made.length === tries, 'a passkey is made')
        await page.getByText('This passkey cannot keep a key').waitFor()
        const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
        assert.deepEqual(credentials, [])
      }
    })

    it('a browser that says that it passes on no secrets of passkeys proposes a password', async () => {
      const { page } = await visitor(true)
      await page.addInitScript(`PublicKeyCredential.getClientCapabilities =
        async () => ({ 'extension:prf': false })`)
      await fillForm(page, 'ouzel')
      await page.locator('label.way', { hasText: 'Password' }).locator(':checked').waitFor()
      await page.getByLabel('Passkey').check()
      assert.ok(await page.getByLabel('Passkey').isChecked(), 'it is a proposal')
    })

    it('the same with a password, which is asked for on the second browser', async () => {
      const first = await visitor(false)
      await first.page.goto(world.web)
      await first.page
        .locator('main article')
        .first()
        .getByRole('button', { name: /^Like/ })
        .click()
      await first.page.waitForURL(/\/join\?back=/)
      const back = new URL(first.page.url()).searchParams.get('back')!
      assert.match(back, /^\/cast\/0x[0-9a-f]{40}$/)
      await fillForm(first.page, 'siskin', back)
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
      // Who wanted to like a cast is back at it.
      await first.page.waitForURL(world.web + back)
      await cast(first.page, 'With a password')
      await first.context.close()

      const second = await visitor(false)
      await second.page.goto(`${world.web}/join/sign-in`)
      await second.page.getByLabel('Your name').fill('@siskin')
      await second.page.getByRole('textbox', { name: 'Password' }).fill('a wrong password')
      await second.page.getByRole('button', { name: 'Use the password' }).click()
      await second.page.getByText('the password is wrong').waitFor()
      await check(second.page)
      await second.page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await second.page.getByRole('button', { name: 'Use the password' }).click()
      await second.page.waitForURL(`${world.web}/`)
      await cast(second.page, 'From my other browser')
      assert.deepEqual(faults.splice(0), [])
      await second.context.close()
    })
  })
}
