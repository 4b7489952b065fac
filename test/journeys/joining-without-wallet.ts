// Joining without a wallet, in Chromium on a phone: with a virtual passkey and with a password, from an empty browser to a
// cast, on a second browser, and with the words in viem, which knows nothing of this program.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { mnemonicToAccount } from 'viem/accounts'
import type { App } from '../../src/app.ts'
import { devAccount } from '../../src/dev/accounts.ts'
import { createInvite } from '../../src/features/invites/invites.ts'
import { sealedKeyRows } from '../../src/features/sealed-keys/tables/sealed-keys.ts'
import { fromHex, toHex } from '../../src/kernel/protocol/codec/bytes.ts'
import { publicKeyOf } from '../../src/kernel/protocol/crypto/ed25519.ts'
import { signedKeyRequestTypedData } from '../../src/kernel/protocol/crypto/eip712.ts'
import { DAY_SECONDS } from '../../src/kernel/protocol/time.ts'
import { textOf } from '../browser.ts'
import { signWith } from '../browser-wallet.ts'
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
      await page.getByRole('textbox', { name: 'Your post' }).fill(text)
      await page.getByRole('button', { name: 'Post', exact: true }).click()
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
      const reminder = page.getByRole('link', { name: 'Save your recovery words' })
      await reminder.waitFor()
      await check(page)
      await cast(page, 'Without a wallet')
      assert.equal(await reminder.count(), 0, 'it stands above Home alone')
      await page.goto(world.web)

      // What is stored in the browser and on the server has the words in no readable form.
      const kept = await world.app.storage.of(sealedKeyRows).ofFid(fid, 10)
      assert.deepEqual(
        kept.map(({ kind, site }) => [kind, site]),
        [['passkey', 'localhost']],
      )
      await reminder.click()
      await page.getByRole('heading', { name: 'Are your recovery words saved?' }).waitFor()
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
      // This browser can show the words too. Put off for a week, they are a mark at the settings from then on.
      await reminder.waitFor()
      await page.getByRole('button', { name: 'Later' }).click()
      await reminder.waitFor({ state: 'detached' })
      const mark = page.getByRole('navigation', { name: 'Main' }).locator('.due')
      assert.equal(await mark.count(), 0)
      await page.evaluate((key) => localStorage.setItem(key, '1'), `rookery.words.${fid}`)
      await page.reload()
      await mark.first().waitFor()
      assert.equal(await reminder.count(), 0)
      await page.goto(`${world.web}/settings`)
      await check(page)
      await page.getByRole('link', { name: /Saved outside of this browser/ }).click()
      await page.getByRole('button', { name: 'I have saved them' }).click()
      await mark.waitFor({ state: 'detached' })
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
      await create.click()
      // It begins with the name.
      await first.page.locator('input[type=password][aria-invalid=true]:focus').waitFor()
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

    it('a member without a wallet connects an app, removes it, and signs in to another site', async () => {
      const { page, context } = await visitor(true)
      await fillForm(page, 'linnet')
      await page.getByRole('button', { name: 'Create account' }).click()
      const fid = await fidOf(await wordsOf(page))
      await page.getByRole('button', { name: 'Later: remind me' }).click()
      await page.getByRole('link', { name: 'Save your recovery words' }).waitFor()
      const usePasskey = () => page.getByRole('button', { name: 'Use a passkey' }).click()
      const { token, key } = await askForKey(world.app)
      const active = async () => {
        const answer = await fetch(`${world.app.urls.platform}/v2/signers?fid=${fid}`)
        return (await answer.text()).includes(key)
      }

      await page.goto(`${world.web}/platform/~/connect?token=${token}`)
      await page.getByRole('heading', { name: 'Connect Heron to your account?' }).waitFor()
      await page.getByRole('button', { name: 'Passkey or password' }).click()
      await page.getByRole('button', { name: 'Use the password' }).waitFor()
      await check(page)
      await usePasskey()
      await page.getByText('You sign with the key of your account.').waitFor()
      await check(page)
      await page.getByRole('button', { name: 'Approve as linnet' }).click()
      await page.getByRole('heading', { name: 'Heron is connected' }).waitFor()
      assert.ok(await active())

      // From the menu of the client, and back by the name of the server.
      await page.getByRole('banner').getByRole('link', { name: 'Rookery' }).click()
      await page.waitForURL(`${world.web}/`)
      await page.goto(`${world.web}/platform/~/apps?fid=${fid}`)
      await page.getByRole('button', { name: 'Passkey or password' }).click()
      await usePasskey()
      // The list is that of the opened account from now on.
      await page.getByRole('button', { name: 'Use another account' }).waitFor()
      const row = page.getByRole('listitem').filter({ hasText: '@heron' })
      await row.getByRole('button', { name: /^Remove/ }).click()
      await row.getByRole('button', { name: 'Yes, remove' }).click()
      await page.getByRole('status').getByText('was removed').waitFor()
      assert.equal(await active(), false)
      await check(page)

      // In a browser without any wallet nothing has to be chosen.
      await page.route('**/dev/accounts', (route) => route.fulfill({ status: 404, body: '{}' }))
      const opened = await fetch(`${world.app.urls.platform}/v1/channel`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ siweUri: 'https://shop.example/login', domain: 'shop.example' }),
      })
      const { channelToken } = (await opened.json()) as { channelToken: string }
      await page.goto(`${world.web}/platform/~/sign-in?channelToken=${channelToken}`)
      await page.getByRole('heading', { name: 'Sign in to shop.example?' }).waitFor()
      await page.getByText('A wallet', { exact: true }).waitFor()
      await check(page)
      await usePasskey()
      await page.getByRole('button', { name: 'Sign in as linnet' }).click()
      await page.getByRole('heading', { name: 'You have signed in to shop.example' }).waitFor()
      assert.deepEqual(faults.splice(0), [])
      await context.close()
    })
  })
}

/** A request of the app of Heron for a key that nobody has. */
async function askForKey(app: App): Promise<{ token: string; key: string }> {
  const key = toHex(publicKeyOf(randomBytes(32)))
  const deadline = Math.floor(app.clock.now() / 1_000) + DAY_SECONDS
  const about = { requestFid: 3, key: fromHex(key)!, deadline }
  const { custody } = devAccount(2)
  const signature = await signWith(custody, signedKeyRequestTypedData(about))
  const answer = await fetch(`${app.urls.platform}/v2/signed-key-requests`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...about, key, signature }),
  })
  const { result } = (await answer.json()) as { result: { signedKeyRequest: { token: string } } }
  return { token: result.signedKeyRequest.token, key }
}
