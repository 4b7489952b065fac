// What people read in the web client about storage that ends, and where it does not.

import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { App } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { devAccount } from '../../src/dev/accounts.ts'
import { startDevNetwork } from '../../src/dev/network.ts'
import { createLogger } from '../../src/kernel/http/logger.ts'
import { submitMessages } from '../../src/kernel/hub/submit/submit-messages.ts'
import { buildMessage, castAdd } from '../../src/kernel/protocol/build.ts'
import { DAY_SECONDS, networkTime } from '../../src/kernel/protocol/time.ts'
import { Network } from '../../src/kernel/protocol/wire/message_pb.js'
import { accessibilityFaults, startBrowser, tellOfFailures } from '../browser.ts'
import { indexed } from '../indexed.ts'
import { ask } from '../production.ts'
import { createPlace } from '../program.ts'

const DAYS = 40

export function storage(): void {
  describe('storage in the web client', { concurrency: 1 }, () => {
    let browser: Browser | undefined
    tellOfFailures(() => browser)

    /** A development network and a page of its first account. */
    async function openNetwork(t: TestContext, env = {}): Promise<{ app: App; page: Page }> {
      const place = await createPlace('sqlite')
      t.after(place.remove)
      const all = { ...place.env, ROOKERY_KEYS: '', ROOKERY_VIEWS: 'on', ...env }
      const logger = createLogger({ level: 'fatal' })
      const app = await startDevNetwork({ config: readConfig(all, 'development'), logger })
      t.after(app.stop)
      await indexed(app)
      browser = await startBrowser()
      t.after(() => browser?.close())
      const page = await browser.newPage({
        viewport: { width: 360, height: 740 },
        timezoneId: 'UTC',
      })
      await page.addInitScript("localStorage.setItem('rookery.fid', '1')")
      return { app, page }
    }

    const advance = (app: App, days: number) =>
      ask(`${app.urls.operations}/dev/clock`, { advanceSeconds: days * DAY_SECONDS })

    test('the web client tells people when their storage ends, what is deleted then, and what to do', async (t) => {
      const { app, page } = await openNetwork(t, { ROOKERY_STORAGE_DAYS: String(DAYS) })
      const dayAfter = (days: number) =>
        new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(
          (startSeconds + days * DAY_SECONDS) * 1_000,
        )
      const { body } = await ask(`${app.urls.hub}/v1/onChainEventsByFid?fid=1&event_type=4`)
      const startSeconds = body.events[0].blockTimestamp
      const person = `${app.urls.web}/@rook`
      const notice = page.locator('main .notice')

      await page.goto(person)
      const details = page.locator('.about-account summary')
      await details.click()
      await page.getByText(/ Storage for 2K posts until /).waitFor()
      assert.equal(await notice.count(), 0)

      await advance(app, DAYS - 29)
      await page.goto(person)
      await notice.waitFor()
      const [end, pruned] = [dayAfter(DAYS), dayAfter(DAYS + 30)]
      const host = new URL(app.urls.web).host
      const toDo = `To keep them, ask the people who run ${host} for more storage.`
      await page.getByText(toDo).waitFor()
      assert.equal(
        (await notice.innerText()).trim(),
        `The storage of your account ends on ${end}. From then on you cannot write. ` +
          `On ${pruned} this server deletes your posts, likes, follows and profile. ${toDo}`,
      )
      assert.deepEqual(await accessibilityFaults(page), [])
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      assert.equal(await page.evaluate(overflow), 0, 'it scrolls sideways')

      await advance(app, 30)
      await page.goto(person)
      await page.getByText(`The storage of your account ended on ${end}.`).waitFor()
      await details.click()
      await page.getByText(/Storage ended on .*; messages are deleted on /).waitFor()

      await ask(`${app.urls.accounts}/v1/rent`, { fid: 1, units: 20 })
      await page.goto(person)
      await details.click()
      await page.getByText(/Storage for 2K posts until /).waitFor()
      assert.equal(await notice.count(), 0)
    })

    test('the web client names no end of storage that does not end, and says from 80 % on that it is filling where it does not grow', async (t) => {
      const env = { ROOKERY_STORAGE_GROWS: 'off', ROOKERY_SIGNUP_UNITS: '1' }
      const { app, page } = await openNetwork(t, env)
      await page.goto(`${app.urls.web}/@rook`)
      await page.locator('.about-account summary').click()
      await page.getByText(/^Account number \(fid\) 1\. Storage for 100 posts\. /).waitFor()
      await page.goto(`${app.urls.web}/name/rook`)
      await page.getByText('Names do not expire').waitFor()
      assert.equal(await page.getByText(/storage/).count(), 0)

      const usedOf = async () => {
        const { body } = await ask(`${app.urls.hub}/v1/storageLimitsByFid?fid=1`)
        return body.limits.find(({ name }: { name: string }) => name === 'CASTS').used as number
      }
      const fillTo = async (used: number) => {
        const timestamp = networkTime(Date.now())
        const messages = Array.from({ length: used - (await usedOf()) }, (_, i) => {
          const origin = { fid: 1, timestamp, network: Network.DEVNET }
          return buildMessage(castAdd(origin, `post ${used} ${i}`), devAccount(0).appSeed)
        })
        const outcomes = await submitMessages(app.hub, messages)
        assert.ok(outcomes.every((one) => typeof one === 'number'))
        assert.equal(await usedOf(), used)
        await page.goto(`${app.urls.web}/@rook`)
      }
      const notice = page.locator('main .notice')
      const more = 'My account shows your storage.'
      await fillTo(80)
      await notice.getByText('You have 80 of 100 posts that your storage holds.').waitFor()
      assert.equal(
        (await notice.innerText()).trim(),
        `You have 80 of 100 posts that your storage holds. When it is full, each new one removes your oldest one. ${more}`,
      )
      assert.deepEqual(await accessibilityFaults(page), [])
      await fillTo(100)
      await notice.getByText('You have 100 of 100 posts that your storage holds.').waitFor()
      assert.equal(
        (await notice.innerText()).trim(),
        `You have 100 of 100 posts that your storage holds. Each new one removes your oldest one. ${more}`,
      )
    })
  })
}
