// Pictures in the web client, on a phone: chosen or pasted, described, cast, and seen by somebody else.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { browserWorld, TOUCH_PHONE } from './browser-world.ts'
import { gifOf, photograph, plainPng } from './media-support.ts'
import { until } from './webhook-support.ts'

describe('pictures in the web client', { concurrency: 1 }, () => {
  const world = browserWorld()
  const { actAs, check } = world
  const visitor = () => world.visitor(TOUCH_PHONE)

  const photo = (name: string, buffer: Buffer, mimeType = 'image/jpeg') => ({
    name,
    buffer,
    mimeType,
  })

  it('a photograph and a moving picture are posted at 360 pixels, and somebody else sees them', async () => {
    const page = await visitor()
    await actAs(page, 'raven')
    await page.goto(`${world.web}/compose`)
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
    await page.goto(`${world.web}/compose`)
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
    await page.goto(`${world.web}/profile`)
    await page.getByText('Or use an address').first().click()
    await page
      .getByLabel('Address of your picture')
      .fill(`${world.web}/media/${'0'.repeat(64)}.jpg`)
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
})
