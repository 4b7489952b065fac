// A developer starts a network for a snap, presses it as an account, and reads everything that it was told and answered.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { accessibilityFaults, startBrowser, tellOfFailures } from '../browser.ts'
import { startExampleSnap } from '../example-snap.ts'
import { freePort } from '../postgres.ts'
import { createPlace, type Program, startProgram } from '../program.ts'
import { pageOf, stack, startSnapServer, submit, text } from '../snap-server.ts'
import { until } from '../until.ts'
import { DESKTOP, PHONE } from './browser-world.ts'

const PICTURES = process.env.TEST_PICTURES

export function snapRoom(): void {
  describe('the room of developers of snaps', { concurrency: 1 }, () => {
    let place: Awaited<ReturnType<typeof createPlace>>
    let program: Program
    let snap: Awaited<ReturnType<typeof startExampleSnap>>
    let browser: Browser
    let page: Page

    before(async () => {
      place = await createPlace('sqlite')
      // The network and the snap name each other, so the port of one of both is chosen before it listens.
      const port = await freePort()
      const env = { ...place.env, ROOKERY_VIEWS: 'on' }
      program = await startProgram('start', env, ['--snap', `http://localhost:${port}`])
      snap = await startExampleSnap(program.web, port)
      browser = await startBrowser()
      page = await browser.newPage({ serviceWorkers: 'block', viewport: DESKTOP })
    })
    tellOfFailures(() => browser)
    after(async () => {
      await browser?.close()
      await program?.stop()
      snap?.stop()
      await place?.remove()
    })

    const pane = (name: RegExp, on = page) =>
      on.locator('.room-pane > summary').filter({ hasText: name })
    const card = (on = page) => on.getByRole('article', { name: /^Card of/ })
    const requests = (on = page) =>
      on.getByRole('region', { name: 'Requests' }).locator('li > details')
    const actAs = async (name: string, on = page) => {
      await on.getByPlaceholder('Name or number').first().fill(name)
      await on.getByRole('button', { name, exact: true }).first().click()
      await pane(new RegExp(`^Acting as @${name}`), on).waitFor()
    }

    it('`start --snap` prints where the snap is drawn, and it is pressed as the account that is chosen', async () => {
      const room = /Snap: (\S+)/.exec(program.output.stdout)?.[1]
      assert.equal(room, `${program.web}/development/snaps?url=${encodeURIComponent(snap.url)}`)
      await page.goto(room)
      await page.getByText('Choose the account that presses.').waitFor()
      await actAs('heron')
      await card().getByText('Which colour').waitFor()
      await pane(/^Answers of the server \(0 faults, 0 warnings\)/).waitFor()
      await card().getByRole('button', { name: 'Vote' }).click()
      await card().getByRole('alert').getByText('Choose a colour first.').waitFor()
      await card().getByText('Green').click()
      await card().getByRole('button', { name: 'Vote' }).click()
      await card().getByText('You have voted for Green.').waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
    })

    it('each request is there with what was signed, its answer and how long it took', async () => {
      const pressed = requests().first()
      await pressed
        .locator('summary')
        .getByText(/200 POST \/vote, \d+ ms/)
        .waitFor()
      await pressed.locator('summary').click()
      const text = await pressed.innerText()
      for (const part of [
        '"type": "app_key"',
        '"colour": "Green"',
        `"audience": "${snap.url.slice(0, -1)}"`,
        '"type": "standalone"',
        '"signature": "',
        '"content-type": "application/vnd.farcaster.snap+json"',
        'You have voted for Green.',
      ]) {
        assert.ok(text.includes(part), part)
      }
      await requests().nth(1).locator('summary').getByText('400').waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      if (PICTURES) await pictures(page)
    })

    it('an earlier page is drawn again, in a cast, slowly and without an answer', async () => {
      await pane(/^Pages \(2\)/).waitFor()
      await page.getByRole('button', { name: 'The first page' }).click()
      await pane(/^Context/).click()
      await page.getByLabel('In a cast of account 1').check()
      await card().getByText('Blue').click()
      await page.getByLabel('The next press has no answer').check()
      await card().getByRole('button', { name: 'Vote' }).click()
      await card().getByText('did not answer within 5 seconds').waitFor()
      await page.getByLabel(/^Each answer takes/).check()
      await card().getByRole('button', { name: 'Vote' }).click()
      await page.locator('.snap-card[aria-busy=true]').waitFor()
      await card().getByText('You have voted for Blue.').waitFor()
      await page.getByLabel(/^Each answer takes/).uncheck()
      await requests().first().locator('summary').click()
      await requests().first().getByText('"type": "cast"').waitFor()
    })

    it('wrong presses are tried, a page for the viewer is asked for, and another account opens the snap anew', async () => {
      const count = await requests().count()
      await page.getByRole('button', { name: 'Try wrong presses' }).click()
      await requests().getByText('a press as it should be').waitFor()
      await until(async () => (await requests().count()) === count + 2 + 5, 'all are listed')
      await pane(/^Answers of the server \(0 faults, 0 warnings\)/).waitFor()
      await page.getByRole('button', { name: 'Ask with X-Snap-Payload' }).click()
      await requests().getByText('a page for a viewer').waitFor()
      await pane(/^Acting as/).click()
      await actAs('raven')
      await pane(/^Pages \(1\)/).waitFor()
      await card().getByText('Which colour').waitFor()
    })

    it('a page of version 1 shows both forms of a press: the one that its server refused, and the one that it knows', async () => {
      const old = await startSnapServer()
      const target = `${old.origin}/vote`
      const elements = {
        root: stack(['no', 'yes']),
        ...{ no: submit('No', target), yes: submit('Yes', target) },
      }
      old.pages.set('/', () => pageOf(elements, { version: '1.0' }))
      old.answers.set('/vote', ({ payload }) =>
        payload.audience
          ? { error: 'button_index is missing' }
          : pageOf({ root: text(`Button ${payload.button_index}`) }, { version: '1.0' }),
      )
      const own = await browser.newPage({ serviceWorkers: 'block', viewport: DESKTOP })
      await own.goto(`${program.web}/development/snaps?url=${encodeURIComponent(old.origin)}`)
      await actAs('raven', own)
      await card(own).getByRole('button', { name: 'Yes' }).click()
      await card(own).getByText('Button 1').waitFor()
      const [known, refused] = [requests(own).first(), requests(own).nth(1)]
      for (const one of [known, refused]) await one.locator('summary').click()
      assert.match(await known.innerText(), /200 POST \/vote.*"button_index": 1/s)
      assert.doesNotMatch(await known.innerText(), /"audience"/)
      assert.match(await refused.innerText(), /400 POST \/vote.*"audience": "/s)
      assert.equal(old.presses.length, 2)
      assert.deepEqual(await accessibilityFaults(own), [])
      await own.close()
      old.close()
    })

    it('faults stand with their rule, and what cannot be drawn is a plain link', async () => {
      await page.getByLabel('Address of your snap').fill(`${snap.url}nothing`)
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByText('Fault, status').waitFor()
      await page.getByText('Readers see a plain link here.').waitFor()
      await page.getByLabel('Address of your snap').fill('http://')
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByText('That is no address.').waitFor()
      await page.getByLabel('Address of your snap').fill(snap.url)
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByRole('button', { name: 'Cast it' }).click()
      await page.waitForURL(/\/compose/)
    })
  })
}

async function pictures(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const viewport of [PHONE, DESKTOP]) {
      await page.setViewportSize(viewport)
      const path = `${PICTURES}/snap-room-${viewport.width}-${colorScheme}.png`
      await page.screenshot({ path, fullPage: true })
    }
  }
  await page.emulateMedia({ colorScheme: null })
}
