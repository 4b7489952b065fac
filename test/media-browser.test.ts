// Pictures in the web client, on a phone: chosen or pasted, described, cast, and seen by somebody else.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { App } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { startDevNetwork } from '../src/dev/network.ts'
import { createLogger } from '../src/http/logger.ts'
import { accessibilityFaults, startBrowser } from './browser.ts'
import { gifOf, photograph, plainPng } from './media-support.ts'
import { createPlace } from './program.ts'
import { until } from './webhook-support.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any

const PHONE = { width: 360, height: 740 }

describe('pictures in the web client', { concurrency: 1 }, () => {
  let app: App
  let web: string
  let place: Awaited<ReturnType<typeof createPlace>>
  let browser: Browser

  before(async () => {
    place = await createPlace('sqlite')
    const env = { ...place.env, ROOKERY_KEYS: '', ROOKERY_VIEWS: 'on' }
    const logger = createLogger({ level: 'fatal' })
    app = await startDevNetwork({ config: readConfig(env, 'development'), logger })
    web = app.urls.web
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await app?.stop()
    await place?.remove()
  })

  async function visitor(): Promise<Page> {
    const context = await browser.newContext({ viewport: PHONE, hasTouch: true, isMobile: true })
    context.setDefaultTimeout(60_000)
    return context.newPage()
  }

  async function actAs(page: Page, name: string): Promise<void> {
    await page.goto(`${web}/development`)
    await page.getByPlaceholder('Name or number').fill(name)
    await page.getByRole('button', { name, exact: true }).click()
    await page.getByRole('button', { name, exact: true, pressed: true }).waitFor()
  }

  async function check(page: Page): Promise<void> {
    assert.deepEqual(await accessibilityFaults(page), [])
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    assert.equal(await page.evaluate(overflow), 0, 'it scrolls sideways')
  }

  const photo = (name: string, buffer: Buffer, mimeType = 'image/jpeg') => ({
    name,
    buffer,
    mimeType,
  })

  it('a photograph and a moving picture are posted at 360 pixels, and somebody else sees them', async () => {
    const page = await visitor()
    await actAs(page, 'raven')
    await page.goto(`${web}/compose`)
    await page
      .getByLabel('Picture', { exact: true })
      .setInputFiles([
        photo('garden.jpg', photograph(6, 'Smiths')),
        photo('waves.gif', gifOf(3), 'image/gif'),
      ])
    const alts = page.getByLabel('What is to be seen')
    await alts.first().fill('A garden')
    // Pasted like a screenshot.
    const pasted = plainPng(20, 20, [9, 99, 9, 255]).toString('base64')
    await page.evaluate(`{
      const bytes = Uint8Array.from(atob('${pasted}'), (one) => one.charCodeAt(0))
      const files = new DataTransfer()
      files.items.add(new File([bytes], 'pasted.png', { type: 'image/png' }))
      const paste = { clipboardData: files, bubbles: true, cancelable: true }
      document.querySelector('.composer > textarea').dispatchEvent(new ClipboardEvent('paste', paste))
    }`)
    await page.getByLabel('Remove pasted.png').waitFor()
    assert.equal(await alts.count(), 3)
    await page.getByLabel('Remove pasted.png').click()
    assert.equal(await alts.count(), 2)
    await check(page)
    await page.getByRole('textbox', { name: 'Your cast' }).fill('From my garden')
    await page.getByRole('button', { name: 'Cast', exact: true }).click()
    await page.waitForURL(/\/cast\/0x/)

    const other = await visitor()
    await other.goto(page.url())
    const picture = other.getByRole('img', { name: 'A garden' })
    await picture.waitFor()
    await until(
      () =>
        other.evaluate<boolean>(
          'Array.from(document.querySelectorAll("img.embed-picture")).filter((one) => one.naturalWidth > 0).length === 2',
        ),
      'the page shows it',
    )
    await check(other)
  })

  it('a file that is no picture is told with its reason, and nothing can be sent until it is removed', async () => {
    const page = await visitor()
    await actAs(page, 'heron')
    await page.goto(`${web}/compose`)
    await page.getByRole('textbox', { name: 'Your cast' }).fill('Look')
    await page
      .getByLabel('Picture', { exact: true })
      .setInputFiles([photo('page.png', Buffer.from('<script>alert(1)</script>'), 'image/png')])
    await page.getByText('is not a picture in JPEG').waitFor()
    const send = page.getByRole('button', { name: 'Cast', exact: true })
    assert.ok(await send.isDisabled())
    await page.getByLabel('Remove page.png').click()
    assert.equal(await send.isDisabled(), false)
  })

  it('a profile gets an uploaded picture, and an address without one is told before it is saved', async () => {
    const page = await visitor()
    await actAs(page, 'heron')
    await page.goto(`${web}/profile`)
    await page.getByLabel('Address of your picture').fill(`${web}/media/${'0'.repeat(64)}.jpg`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('There is no picture at the address of your picture.').waitFor()
    await page
      .getByLabel('Choose a picture', { exact: true })
      .setInputFiles([photo('me.png', plainPng(300, 300, [200, 9, 9, 255]), 'image/png')])
    await until(
      () =>
        page.evaluate<boolean>(
          'Array.from(document.querySelectorAll("input")).some((one) => /media\\/[1-9a-f][0-9a-f]{63}/.test(one.value) && !/0{64}/.test(one.value))',
        ),
      'the page shows it',
    )
    await check(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/@/)
    await until(
      () =>
        page.evaluate<boolean>(
          'Array.from(document.querySelectorAll(".portrait img")).some((one) => one.naturalWidth > 0 && /media/.test(decodeURIComponent(one.src)))',
        ),
      'the page shows it',
    )
  })

  it('the owner of a channel changes its picture, and nobody else is offered that', async () => {
    const page = await visitor()
    await actAs(page, 'raven')
    const { channels } = (await (
      await fetch(`${app.urls.app}/v2/farcaster/channel/list?limit=50`, {
        headers: { 'x-api-key': 'web' },
      })
    ).json()) as Json
    const found = channels.find(({ lead }: Json) => lead?.username === 'raven') ?? channels[0]
    const owner = found.lead.username
    await actAs(page, owner)
    await page.goto(`${web}/channel/${found.id}`)
    await page
      .getByLabel('Change the picture', { exact: true })
      .setInputFiles([photo('channel.png', plainPng(90, 90, [9, 9, 200, 255]), 'image/png')])
    const hasPicture = () =>
      page.evaluate<boolean>(
        'Array.from(document.querySelectorAll(".channel-picture img")).some((one) => one.naturalWidth > 0 && /media/.test(decodeURIComponent(one.src)))',
      )
    await until(hasPicture, 'the new picture is shown')
    await check(page)
    const other = await visitor()
    await other.goto(`${web}/channel/${found.id}`)
    await other.locator('.channel-picture img').first().waitFor()
    assert.equal(await other.getByLabel('Change the picture').count(), 0)
  })
})
