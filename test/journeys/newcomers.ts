// Newcomers with a wallet, from an empty browser to a first cast, and without one where a wallet is wanted.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import type { LocalAccount } from 'viem'
import { devAccount } from '../../src/dev/accounts.ts'
import { createInvite } from '../../src/features/invites/invites.ts'
import { untilInPage } from '../browser.ts'
import { giveWallet, type Wallet, walletOf } from '../browser-wallet.ts'
import { until } from '../until.ts'
import { appReader } from './app-reader.ts'
import { type BrowserWorld, DESKTOP, hasNoKey, PHONE } from './browser-world.ts'

const NEWCOMER = devAccount(30).custody

/** A wallet that notes what it signs, and whose owner can decline. */
function notingWallet(account: LocalAccount) {
  const signed: string[] = []
  const signer = walletOf(account)
  let declines = 0
  const wallet: Wallet = (method, params) => {
    if (method !== 'eth_signTypedData_v4') return signer(method, params)
    if (declines > 0) {
      declines -= 1
      throw { code: 4001, message: 'User rejected the request.' }
    }
    signed.push(JSON.parse(params[1]).primaryType)
    return signer(method, params)
  }
  return {
    wallet,
    signed,
    declineNext: () => {
      declines += 1
    },
  }
}

/** The world takes people with an invite. */
export function newcomers(world: BrowserWorld): void {
  describe('newcomers with a wallet', { concurrency: 1 }, () => {
    const { faults, check } = world
    const { read, storedCast } = appReader(world)

    async function visitor(
      viewport = DESKTOP,
      wallet?: Wallet,
    ): Promise<{ page: Page; context: BrowserContext }> {
      const page = await world.visitor({ viewport, serviceWorkers: 'block' })
      if (wallet) await giveWallet(page, wallet)
      return { page, context: page.context() }
    }

    const focused = (page: Page) => page.evaluate<string>('document.activeElement.id')
    const castOf = (page: Page, text: string) => page.locator('article').filter({ hasText: text })
    const invite = async (): Promise<string> => {
      const terms = { uses: 1, days: 1, label: '' }
      return (await createInvite(world.app.storage, world.app.clock.now(), terms)).code
    }

    it('a newcomer comes from an empty browser to a first cast that another browser sees live', async () => {
      const watcher = await visitor(DESKTOP)
      await watcher.page.goto(world.web)
      await watcher.page.getByText('Updates by itself').waitFor()
      const { wallet, signed, declineNext } = notingWallet(NEWCOMER)
      const { page, context } = await visitor(PHONE, wallet)
      await page.goto(world.web)
      // What is not there yet is no error in the console of the browser.
      page.on('response', (answer) => {
        if (answer.status() === 404) faults.push(`404 ${answer.url()}`)
      })
      await page.getByRole('banner').getByRole('link', { name: 'Join' }).click()
      await page.getByRole('link', { name: 'Use a wallet instead' }).click()
      await page.getByRole('button', { name: 'Test wallet' }).click()
      await page.getByLabel('Your name').fill('rook')
      await page.getByText('rook is taken').waitFor()
      await page.getByRole('button', { name: 'Create account' }).click()
      // What is missing is said at its field, and the first has the focus.
      assert.equal(await focused(page), await page.getByLabel('Invite code').getAttribute('id'))
      assert.equal(await page.getByLabel('Your name').getAttribute('aria-invalid'), 'true')
      await page.getByLabel('Your name').fill('fledgling')
      await page.getByText('fledgling is free').waitFor()
      await page.getByLabel('Your first post').fill('My first flight')
      const create = page.getByRole('button', { name: 'Create account' })
      await create.click()
      assert.equal(await focused(page), await page.getByLabel('Invite code').getAttribute('id'))
      await page.getByLabel('Invite code').fill('guessed')
      const { width } = (await page.getByLabel('Your name').boundingBox())!
      assert.ok(width > 0.8 * PHONE.width, `the field of the name is ${width} wide`)
      await check(page)
      // A declined signature is no error, and the next attempt goes on where this one ended.
      declineNext()
      await create.click()
      await page.getByText('You did not sign').waitFor()
      assert.equal(await page.locator('.notice.bad').count(), 0)
      await create.click()
      await page.getByText('the invite is unknown, used up or expired').waitFor()
      await page.getByLabel('Invite code').fill(await invite())
      await create.click()
      const registrations = ['Register', 'Register']
      await page.waitForURL(`${world.web}/`)
      assert.deepEqual(signed, [...registrations, 'SignedKeyRequest', 'Add', 'UserNameProof'])
      await watcher.page.getByRole('button', { name: /^\d+ new post/ }).click()
      const arrived = castOf(watcher.page, 'My first flight')
      await arrived.waitFor()
      assert.match(await arrived.innerText(), /@fledgling/)
      await check(watcher.page)
      await watcher.context.close()

      // Who has signed out leaves no key in the browser: the wallet has to sign again.
      await world.signOut(page)
      await untilInPage(page, hasNoKey)
      await page.goto(`${world.web}/join/wallet`)
      await page.getByRole('button', { name: 'Test wallet' }).click()
      await page.getByText('This browser has no key for it yet').waitFor()
      await context.close()
    })

    it('the account signs in in another browser by a gasless key, which its list of apps shows and removes', async () => {
      const { wallet, signed } = notingWallet(NEWCOMER)
      const { page, context } = await visitor(DESKTOP, wallet)
      await page.goto(`${world.web}/join/wallet`)
      await page.getByRole('button', { name: 'Test wallet' }).click()
      await page.getByText('This browser has no key for it yet').waitFor()
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(`${world.web}/`)
      assert.deepEqual(signed.splice(0), ['SignedKeyRequest', 'KeyAdd'])
      await page.getByRole('link', { name: 'Write' }).first().click()
      await page.getByRole('textbox', { name: 'Your post' }).fill('From my other browser')
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)
      const hash = page.url().split('/').at(-1)!
      await world.indexed()
      assert.equal((await storedCast(hash)).text, 'From my other browser')

      await page.goto(`${world.web}/platform/~/apps`)
      await page.getByRole('button', { name: 'Test wallet' }).click()
      const apps = page.getByRole('region', { name: 'Apps' })
      await apps.getByRole('listitem').nth(1).waitFor()
      assert.equal(await apps.getByRole('listitem').count(), 2)
      const row = apps.getByRole('listitem').filter({ hasText: 'Expires' })
      await row.getByText('everything', { exact: true }).waitFor()
      await row.getByText(/^on .*, unless it is used$/).waitFor()
      await row.getByRole('button', { name: /^Remove/ }).click()
      assert.equal(await row.getByText('never be added again').count(), 0)
      await check(page)
      await row.getByRole('button', { name: 'Yes, remove' }).click()
      await apps.getByRole('status').getByText('was removed').waitFor()
      assert.deepEqual(signed, ['KeyRemove'])
      assert.equal(await row.count(), 0)
      await page.goto(`${world.web}/join/wallet`)
      await page.getByRole('button', { name: 'Test wallet' }).click()
      await page.getByText('This browser has no key for it yet').waitFor()

      // The hub takes one key a minute: the page says so, waits, and does not ask the wallet again.
      signed.splice(0)
      await page.clock.install()
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText(/is added at \d\d:\d\d:\d\d, without another signature/).waitFor()
      await check(page)
      const minute = { advanceSeconds: 60 }
      const { status } = await fetch(`${world.app.urls.operations}/dev/clock`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(minute),
      })
      assert.equal(status, 200)
      await page.clock.fastForward(61_000)
      await page.waitForURL(`${world.web}/`)
      assert.deepEqual(signed, ['SignedKeyRequest', 'KeyAdd'])
      await context.close()
    })

    it('a newcomer without a wallet in the browser reads where theirs can be used', async () => {
      const { page, context } = await visitor(PHONE)
      await page.goto(`${world.web}/join/wallet`)
      await page.getByText('This page cannot reach a wallet on another device.').waitFor()
      const apps = page.getByRole('region', { name: 'Wallet apps' }).getByRole('link')
      assert.deepEqual(await apps.allInnerTexts(), ['MetaMask', 'Coinbase Wallet', 'Trust Wallet'])
      await page.goto(`${world.web}/join/wallet?name=robin`)
      const toMetaMask = await apps.first().getAttribute('href')
      assert.match(
        toMetaMask!,
        /^https:\/\/link\.metamask\.io\/dapp\/.*\/join\/wallet\?name=robin$/,
      )
      await check(page)
      await context.close()
    })

    it('an account without a name gets one when it signs in again', async () => {
      const { wallet, signed } = notingWallet(devAccount(31).custody)
      const { page, context } = await visitor(DESKTOP, wallet)
      await page.goto(`${world.web}/join/wallet`)
      await page.getByRole('button', { name: 'Test wallet' }).click()
      await page.getByLabel('Invite code').fill(await invite())
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.waitForURL(`${world.web}/`)
      await page.goto(`${world.web}/name/nestling`)
      await page.getByRole('link', { name: 'Claim it' }).click()
      await page.getByRole('link', { name: 'Use a wallet instead' }).click()
      await page.getByRole('button', { name: 'Test wallet' }).click()
      await page.getByText('It has no name yet.').waitFor()
      assert.equal(await page.getByLabel('Your name').inputValue(), 'nestling')
      await page.getByText('nestling is free').waitFor()
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(`${world.web}/`)
      assert.deepEqual(signed, ['Register', 'SignedKeyRequest', 'Add', 'UserNameProof'])
      await until(async () => (await read('/user/by_username?username=nestling')).status === 200)
      assert.deepEqual(faults.splice(0), [])
      await context.close()
    })

    it('a newcomer reads that sign-up is closed before anything is signed', async () => {
      const { wallet, signed } = notingWallet(devAccount(32).custody)
      const { page, context } = await visitor(PHONE, wallet)
      await page.route('**/accounts/v1/info', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...(await response.json()), signup: 'closed' } })
      })
      await page.goto(`${world.web}/join/wallet`)
      await page.getByRole('button', { name: 'Test wallet' }).click()
      await page.getByText('this server takes no new ones').waitFor()
      assert.equal(await page.locator('form.fields').count(), 0)
      assert.deepEqual(signed, [])
      await check(page)
      await context.close()
    })
  })
}
