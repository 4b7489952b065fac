// The whole story of a member who never heard of Ethereum, at 360 pixels: joins with a virtual passkey, posts a picture, is found and
// answered by another, replies, mutes, reports and is answered by a moderator, installs the page, signs in where only the passkey
// is, and takes the 12 words to viem, which finds the same address.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { mnemonicToAccount } from 'viem/accounts'
import { createInvite } from '../../src/features/invites/invites.ts'
import { untilControlled } from '../browser.ts'
import { photograph } from '../media-support.ts'
import { type BrowserWorld, KEPT, OFFLINE, PASSKEYS, PHONE } from './browser-world.ts'

export function story(world: BrowserWorld): void {
  describe('a member of a community', { concurrency: 1 }, () => {
    const { check, faults } = world

    async function visitor(): Promise<{ page: Page; context: BrowserContext; cdp: CDPSession }> {
      const page = await world.visitor({ viewport: PHONE })
      const context = page.context()
      return { page, context, cdp: await context.newCDPSession(page) }
    }

    async function pageAs(name: string): Promise<Page> {
      const { page } = await visitor()
      await world.actAs(page, name)
      return page
    }

    const reply = async (page: Page, text: string) => {
      const cast = page.locator('main article').first()
      await cast.getByRole('button', { name: /^Reply/ }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('textbox', { name: /^Your reply/ }).fill(text)
      await dialog.getByRole('button', { name: 'Reply', exact: true }).click()
      await page.getByText('Your reply was sent.').waitFor()
      await world.indexed()
    }

    it('a newcomer joins with a passkey and a picture, takes part, is helped by a moderator, and gets in again', async () => {
      const { page, context, cdp } = await visitor()
      await cdp.send('WebAuthn.enable')
      await cdp.send('WebAuthn.addVirtualAuthenticator', { options: PASSKEYS })

      // Joins.
      const terms = { uses: 1, days: 1, label: '' }
      const { code } = await createInvite(world.app.storage, world.app.clock.now(), terms)
      await page.goto(`${world.web}/join?invite=${code}`)
      await page.getByLabel('Your name').fill('grebe')
      await page.getByText('grebe is free').waitFor()
      const face = { name: 'me.jpg', mimeType: 'image/jpeg', buffer: photograph(1, 'Grebe') }
      await page.getByLabel('Choose a picture', { exact: true }).setInputFiles(face)
      await page.getByText('Choose another one').waitFor()
      await check(page)
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.locator('.words li').nth(11).waitFor()
      const words = (await page.locator('.words li').allInnerTexts()).join(' ')
      await page.getByRole('button', { name: 'I have written them down' }).click()
      await page.getByRole('button', { name: 'Go on' }).click()

      // Posts a picture.
      await page.goto(`${world.web}/compose`)
      const garden = { name: 'reeds.jpg', mimeType: 'image/jpeg', buffer: photograph(6, 'Reeds') }
      await page.getByLabel('Picture', { exact: true }).setInputFiles(garden)
      await page.getByLabel('Description of').fill('Reeds in the fog')
      await page.getByRole('textbox', { name: 'Your post' }).fill('Booming from the reeds')
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)
      await page.locator('.cast-whole').getByRole('img', { name: 'Reeds in the fog' }).waitFor()
      await check(page)
      const own = page.url()
      await world.indexed()

      // Is found by another, who answers.
      const heron = await pageAs('heron')
      await heron.goto(`${world.web}/search?q=booming`)
      await heron.getByText('Booming from the reeds').first().waitFor()
      await heron.goto(`${world.web}/@grebe`)
      const portrait = heron.locator('main .profile img').first()
      await portrait.waitFor()
      assert.match((await portrait.getAttribute('src'))!, /media(?:\/|%2F)[0-9a-f]{64}/)
      await reply(heron, 'Buy my boots at boots example')

      // Is told, replies, reports and mutes.
      await page.goto(`${world.web}/notifications`)
      await page.getByText('Buy my boots').first().waitFor()
      await check(page)
      await reply(page, 'No, thank you')
      await page.goto(own)
      const spam = page.locator('article').filter({ hasText: 'Buy my boots' }).first()
      await spam.getByRole('button', { name: 'More' }).click()
      const menu = page.locator('.action-menu:popover-open')
      await menu.getByRole('link', { name: 'Report' }).click()
      await page.getByLabel('What is wrong').selectOption('Spam')
      await page.getByLabel('More, if it helps').fill('this is an advertisement')
      await check(page)
      await page.getByRole('button', { name: 'Send the report' }).click()
      await page.getByText('The moderators have your report').waitFor()
      await page.goto(`${world.web}/@heron`)
      await page.locator('.profile-acts').getByRole('button', { name: 'More' }).click()
      const muted = page.waitForResponse(
        (answer) => answer.url().endsWith('/mute/own') && answer.request().method() === 'POST',
      )
      await menu.getByRole('button', { name: 'Mute' }).click()
      assert.equal((await muted).status(), 200)

      // Is answered by a moderator.
      const puffin = await world.fidOf('puffin')
      const custody = await world.custodyOf('puffin')
      const made = await fetch(`${world.app.urls.operations}/moderation/staff/${puffin}/appoint`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ role: 'moderator', reason: 'kind', custody }),
      })
      assert.equal(made.status, 200)
      const moderator = await pageAs('puffin')
      await moderator.goto(`${world.web}/moderate`)
      await moderator.getByText('this is an advertisement').waitFor()
      await moderator.getByRole('main').getByRole('button', { name: 'Leave it' }).first().click()
      await moderator.getByLabel('Reason').fill('We have talked to them')
      await moderator.locator('dialog[open] button[type=submit]').click()
      await moderator.locator('dialog[open]').waitFor({ state: 'detached' })
      await page.goto(`${world.web}/notifications`)
      await page.getByText('We have talked to them').waitFor()
      await check(page)

      // Installs the page: what that needs is there, and its worker runs.
      const manifest = (await (await fetch(`${world.web}/manifest.webmanifest`)).json()) as {
        display: string
      }
      assert.equal(manifest.display, 'standalone')
      await untilControlled(page)

      // Is without a connection: the page opens, also where it was not opened before, and comes back by itself.
      await page.goto(world.web)
      await page.locator('main article').first().waitFor()
      await context.setOffline(true)
      const isOffline = () => page.getByRole('heading', { name: OFFLINE }).waitFor()
      await page.reload()
      await page.getByText(KEPT).waitFor()
      await check(page)
      await page.goto(`${world.web}/muted`)
      await isOffline()
      await check(page)
      await page.getByRole('link', { name: 'Channels' }).first().click()
      await page.waitForURL(`${world.web}/channels`)
      await isOffline()
      assert.equal(await page.getByText(/imported module|failed to fetch/i).count(), 0)
      await check(page)
      await context.setOffline(false)
      await page.getByRole('heading', { name: 'Channels', level: 1 }).waitFor()
      await page.getByText('The rookery').first().waitFor()
      await check(page)

      // Signs in where nothing but the passkey is.
      await cdp.send('Storage.clearDataForOrigin', { origin: world.web, storageTypes: 'all' })
      await page.goto(`${world.web}/join/sign-in`)
      await page.getByRole('button', { name: 'Use a passkey' }).click()
      await page.waitForURL(`${world.web}/`)
      await page.goto(`${world.web}/account`)
      await page.getByRole('main').getByText('@grebe').first().waitFor()
      await page.getByRole('button', { name: 'Unlock' }).click()
      await page.getByRole('button', { name: 'Use a passkey' }).click()
      await page.getByRole('button', { name: 'Show my 12 words' }).click()
      await page.locator('.words li').nth(11).waitFor()
      const shown = (await page.locator('.words li').allInnerTexts()).join(' ')
      assert.equal(shown, words)

      // A wallet with the words has the same address.
      const { address } = mnemonicToAccount(shown)
      const found = await fetch(`${world.app.urls.accounts}/v1/idOf?address=${address}`)
      const { fid } = (await found.json()) as { fid: number }
      const account = await fetch(`${world.app.urls.accounts}/v1/account?fid=${fid}`)
      const { custodyAddress } = (await account.json()) as { custodyAddress: string }
      assert.equal(custodyAddress.toLowerCase(), address.toLowerCase())
      assert.deepEqual(faults.splice(0), [])
    })
  })
}
