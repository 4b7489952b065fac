// A production server with its default settings is joined with ordinary wallets, and signed in to again in another browser.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { LocalAccount } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { type App, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLogger } from '../../src/kernel/http/logger.ts'
import { accessibilityFaults, startBrowser, tellOfFailures } from '../browser.ts'
import { giveWallet } from '../browser-wallet.ts'
import { LONG } from '../effort.ts'
import { freePort } from '../postgres.ts'
import { PRODUCTION_ENV } from '../production.ts'
import { createPlace } from '../program.ts'
import { simulatedWallet, WALLETS, type WalletName } from '../simulated-wallets.ts'
import { PHONE } from './browser-world.ts'

/** test/wallets.test.ts has each of them sign for each domain: everyday the page is used with the one that has to switch. */
const CAN_JOIN = [
  ['siskin', 'like MetaMask, on Polygon'],
  ['wren', 'like MetaMask, on Ethereum'],
  ['linnet', 'of one chain, Ethereum, that cannot switch'],
  ['dunnock', 'that wants a chain in every domain'],
  ['pipit', 'that signs for any chain'],
] as const

export function wallets(): void {
  describe('ordinary wallets at a production server', { concurrency: 1 }, () => {
    let app: App
    let web: string
    let place: Awaited<ReturnType<typeof createPlace>>
    let browser: Browser
    before(async () => {
      place = await createPlace('sqlite')
      const port = String(await freePort())
      web = `http://127.0.0.1:${port}`
      const { DATABASE_URL: _, ...env } = place.env
      const given = { ...env, ROOKERY_VIEWS: 'on', ROOKERY_WEB_PORT: port, ROOKERY_PUBLIC_URL: web }
      const config = readConfig({ ...PRODUCTION_ENV, ...given }, 'production')
      app = await startApp({ config, logger: createLogger({ level: 'fatal' }) })
      browser = await startBrowser()
    })
    tellOfFailures(() => browser)
    after(async () => {
      await browser?.close()
      await app?.stop()
      await place?.remove()
    })

    async function visitor(account: LocalAccount, name: WalletName) {
      const context = await browser.newContext({
        viewport: PHONE,
        reducedMotion: 'reduce',
        serviceWorkers: 'block',
      })
      const page = await context.newPage()
      const { wallet, asked } = simulatedWallet(account, WALLETS[name])
      await giveWallet(page, wallet)
      await page.goto(`${web}/join/wallet`)
      await page.getByRole('button', { name: 'Test wallet' }).click()
      return { context, page, asked }
    }

    const create = async (page: Page, name: string) => {
      await page.getByLabel('Your name').fill(name)
      await page.getByText(`${name} is free`).waitFor()
      await page.getByLabel('Your first post').fill(`The first cast of ${name}`)
      await page.getByRole('button', { name: 'Create account' }).click()
    }

    for (const [name, wallet] of LONG ? CAN_JOIN : CAN_JOIN.slice(0, 1)) {
      it(`a newcomer joins with a wallet ${wallet}, and signs in with it in another browser`, async () => {
        const account = privateKeyToAccount(generatePrivateKey())
        const first = await visitor(account, wallet)
        await create(first.page, name)
        await first.page.waitForURL(`${web}/`)
        await first.page.getByText(`The first cast of ${name}`).first().waitFor()
        await first.context.close()
        const second = await visitor(account, wallet)
        await second.page.getByRole('button', { name: 'Sign in' }).click()
        await second.page.waitForURL(`${web}/`)
        await second.context.close()
      })
    }

    it('who has a wallet on another chain that cannot switch by itself reads which chain to choose', async () => {
      const account = privateKeyToAccount(generatePrivateKey())
      const { page, context } = await visitor(account, 'of one chain, Base, that cannot switch')
      await create(page, 'bunting')
      await page.getByText('Choose Ethereum in your wallet, then try again').waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await context.close()
    })
  })
}
