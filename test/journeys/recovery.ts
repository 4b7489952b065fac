// A member who has lost everything gets the account back through the operator, in Chromium: three people, each with a browser of
// their own, and the clock of the network.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { createInvite } from '../../src/features/invites/invites.ts'
import { recoveryRows } from '../../src/features/recovery/tables/recoveries.ts'
import { DAY_SECONDS } from '../../src/kernel/protocol/time.ts'
import { until } from '../until.ts'
import { type BrowserWorld, PHONE } from './browser-world.ts'

const PASSWORD = 'correct horse battery'
export const WAIT_DAYS = 7

export function recovery(world: BrowserWorld): void {
  describe('the recovery service in the browser', { concurrency: 1 }, () => {
    const { check, faults } = world

    const wordsOf = async (page: Page): Promise<string> => {
      await page.locator('.words li').nth(11).waitFor()
      return (await page.locator('.words li').allInnerTexts()).join(' ')
    }

    async function join(page: Page, name: string): Promise<void> {
      const terms = { uses: 1, days: 1, label: '' }
      const { code } = await createInvite(world.app.storage, world.app.clock.now(), terms)
      await page.goto(`${world.web}/join?invite=${code}`)
      await page.getByLabel('Your name').fill(name)
      await page.getByText(`${name} is free`).waitFor()
      await page.getByRole('radio', { name: /^Password/ }).check()
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await page
        .getByRole('checkbox', { name: /let the people who run this server help me/ })
        .check()
      await check(page)
      await page.getByRole('button', { name: 'Create account' }).click()
      await wordsOf(page)
      await page.getByRole('button', { name: 'I have written them down' }).click()
      await page.getByRole('button', { name: 'Go on' }).click()
      await page.waitForURL(`${world.web}/`)
    }

    /** Asks for an account in a browser that has nothing of it. Returns the new words. */
    async function askFor(page: Page, name: string, note: string): Promise<string> {
      await page.goto(`${world.web}/join/sign-in`)
      await page.getByRole('link', { name: 'Lost all of these?' }).click()
      await page.getByRole('heading', { name: 'Get your account back' }).waitFor()
      const words = await wordsOf(page)
      await page.getByLabel('The name of the account').fill(`@${name}`)
      await page.getByLabel(/^How do they know you/).fill(note)
      const ask = page.getByRole('button', { name: 'Ask for my account' })
      assert.ok(await ask.isDisabled(), 'the words are not saved yet')
      await page.getByRole('button', { name: 'I have written them down' }).click()
      // They are typed when the account is back.
      const keep = page.getByRole('checkbox', { name: /^Keep them in this browser/ })
      assert.equal(await keep.isChecked(), false)
      await check(page)
      await ask.click()
      return words
    }

    async function operate(path: string, body: object): Promise<void> {
      const response = await fetch(world.app.urls.operations + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      assert.equal(response.status, 200, await response.text())
    }

    const numberOf = (page: Page) => page.locator('main code').innerText()

    it('a member allows it when joining, stops a stranger, and gets the account back with new words', async () => {
      const owner = await world.visitor({ viewport: PHONE })
      await join(owner, 'dipper')

      // A stranger asks, and deceives the operator.
      const operator = await world.visitor()
      const stranger = await world.visitor()
      await askFor(stranger, 'dipper', 'I am Dipper, hurry')
      await stranger.getByText('Nobody has decided about it yet').waitFor()
      await operator.goto(`${world.app.urls.operations}/operator#recovery`)
      await operator.getByText('I am Dipper, hurry').waitFor()
      await operator.getByText(await numberOf(stranger)).waitFor()
      await operator.getByRole('button', { name: 'Start the move' }).click()
      await operator.getByLabel('Reason').fill('They sounded like Dipper')
      await operator.locator('dialog[open] button[type=submit]').click()
      await operator.getByText('The account moves').waitFor()
      await operator.context().close()
      // The page of the operator has an origin of its own.
      faults.length = 0

      // The owner is told on every screen, and stops it.
      await owner.goto(`${world.web}/`)
      await owner.getByText('Somebody has asked for your account').waitFor()
      await check(owner)
      await owner.getByRole('link', { name: 'stop it' }).click()
      await owner.getByText('unlock your account above').waitFor()
      await check(owner)
      await owner.getByRole('button', { name: 'Unlock' }).click()
      await owner.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await owner.getByRole('button', { name: 'Use the password' }).click()
      await owner.getByRole('button', { name: 'Stop it' }).click()
      await owner.getByText('Nobody can recover the account now.').waitFor()
      await until(async () => (await owner.getByText('Somebody has asked').count()) === 0)
      await stranger.reload()
      await stranger.getByText('There is no such request any more').waitFor()
      await check(stranger)

      // The owner allows it again, and loses everything.
      await owner.getByRole('button', { name: 'Let them help' }).click()
      await owner.getByText('The recovery address is set.').waitFor()
      await check(owner)
      await owner.context().close()
      const again = await world.visitor({ viewport: PHONE })
      const words = await askFor(again, 'dipper', 'Ask my sister')
      await again.getByText('Nobody has decided about it yet').waitFor()
      await check(again)
      const receiver = await numberOf(again)
      const [request] = await world.app.storage.of(recoveryRows).list()
      await operate(`/app/recoveries/${receiver}/start`, {
        ...{ fid: request!.fid, askedAt: request!.asked_at },
        reason: 'I have asked the sister',
      })
      await again.reload()
      await again.getByText('Your account moves to your new words on').waitFor()
      await check(again)

      await operate('/dev/clock', { advanceSeconds: WAIT_DAYS * DAY_SECONDS })
      await world.app.jobs.run('recover accounts')
      await again.reload()
      await again.getByText('You have it back').waitFor()
      await again.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
      await again.getByText('You have @dipper back').waitFor()
      await check(again)
      await again.getByLabel('Your recovery words').fill(words)
      await again.getByRole('button', { name: 'Use the words' }).click()
      await again.waitForURL(/\/account\?recovered$/)
      await again.getByRole('link', { name: 'Remove the device that you have lost' }).waitFor()
      await check(again)
      await again.getByRole('main').getByText('@dipper').first().waitFor()
      // Nothing waits any more, so that nothing is said of it.
      await again.goto(`${world.web}/join/sign-in`)
      await again.getByText('12 words').waitFor()
      assert.equal(await again.getByText('You have @dipper back').count(), 0)
      assert.deepEqual(faults.splice(0), [])
    })

    it('who did not allow it reads that nobody here can help', async () => {
      const page = await world.visitor({ viewport: PHONE })
      await askFor(page, 'heron', 'It is me')
      await page.getByText('This account has not allowed the recovery service').waitFor()
      await page.getByLabel('The name of the account').fill('nobody-at-all')
      await page.getByRole('button', { name: 'Ask for my account' }).click()
      await page.getByText('Nobody here is called nobody-at-all.').waitFor()
      await check(page)
    })
  })
}
