// Several posts that are written together in the web client, and what happens when the connection ends among them.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../until.ts'
import type { BrowserWorld } from './browser-world.ts'

const SUBMIT = '**/hub/v1/submitMessage'

export function threads(world: BrowserWorld): void {
  describe('threads of several posts', { concurrency: 1 }, () => {
    /** The texts of an account, the oldest first, with the hash of what each answers. */
    async function castsOf(fid: number) {
      const url = `${world.web}/app/v2/farcaster/feed/user/casts?fid=${fid}&limit=50`
      const read = await fetch(url, { headers: { 'x-api-key': 'web' } })
      const { casts } = (await read.json()) as {
        casts: { text: string; hash: string; parent_hash: string | null; timestamp: string }[]
      }
      return casts.toReversed()
    }
    async function write(page: Page, texts: readonly string[]): Promise<void> {
      await page.goto(`${world.web}/compose`)
      await page.getByRole('textbox', { name: 'Your post' }).fill(texts[0]!)
      for (const [i, text] of texts.slice(1).entries()) {
        await page.getByRole('button', { name: 'Add another post' }).click()
        await page.getByRole('textbox', { name: `Post ${i + 2}` }).fill(text)
      }
    }
    const sendAll = (page: Page) => page.getByRole('button', { name: 'Post all' }).click()

    it('three posts are sent in order, each a reply to the one before', async () => {
      const page = await world.visitor()
      await world.actAs(page, 'magpie')
      await write(page, ['First of three', 'Second of three', 'Third of three'])
      await world.checkAll(page, 'compose-thread')
      await sendAll(page)
      await page.waitForURL(/\/cast\/0x/)
      await page.getByText('First of three').first().waitFor()
      await world.indexed()
      const sent = (await castsOf(await world.fidOf('magpie'))).filter(({ text }) =>
        text.endsWith('of three'),
      )
      const [first, second, third] = sent
      assert.deepEqual(
        sent.map(({ text }) => text.split(' ')[0]),
        ['First', 'Second', 'Third'],
      )
      assert.equal(first!.parent_hash, null)
      assert.deepEqual([second!.parent_hash, third!.parent_hash], [first!.hash, second!.hash])
      await page.context().close()
    })

    it('a thread whose answer is lost in the middle goes on there, also after the page was closed, and nothing is there twice', async () => {
      const page = await world.visitor()
      await world.actAs(page, 'jackdaw')
      await write(page, ['One by one', 'Two by two', 'Three by three'])
      let sent = 0
      await page.route(SUBMIT, async (route) => {
        sent += 1
        if (sent !== 2) return route.continue()
        // The server stores it, and the answer is lost.
        await route.fetch()
        await route.abort()
      })
      await sendAll(page)
      await page.getByText('1 of 3 were sent.').waitFor()
      await page.getByText('It is not known whether this arrived.').waitFor()
      await world.check(page)
      await page.goto(`${world.web}/compose`)
      await page.getByText('It is not known whether this arrived.').waitFor()
      assert.equal(
        await page.getByRole('textbox', { name: 'Your post' }).inputValue(),
        'Two by two',
      )
      await sendAll(page)
      await page.waitForURL(/\/cast\/0x/)
      await world.indexed()
      const texts = async () =>
        (await castsOf(await world.fidOf('jackdaw'))).filter(({ text }) => / by /.test(text))
      const all = await texts()
      assert.deepEqual(
        all.map(({ text }) => text),
        ['One by one', 'Two by two', 'Three by three'],
      )
      assert.deepEqual(
        all.map(({ parent_hash }) => parent_hash),
        [null, all[0]!.hash, all[1]!.hash],
      )
      // Lists have no order within a second.
      assert.equal(new Set(all.map(({ timestamp }) => timestamp)).size, 3)
      await page.context().close()
    })

    it('what the server refuses in the middle can be changed, and goes on after what was sent', async () => {
      const page = await world.visitor()
      await world.actAs(page, 'egret')
      await write(page, ['A calm start', 'A bad middle'])
      let full = false
      await page.route(SUBMIT, (route) => {
        const isBad = route.request().postDataBuffer()?.includes('A bad middle')
        if (!isBad) return route.continue()
        const bad = { details: 'too bad', errCode: 'bad_request' }
        const noRoom = { error: 'Storage full', errCode: 'unavailable.storage_failure' }
        return full
          ? route.fulfill({ status: 503, json: noRoom })
          : route.fulfill({ status: 400, json: bad })
      })
      await sendAll(page)
      await page.getByText('1 of 2 were sent, this one was not. too bad').waitFor()
      const text = page.getByRole('textbox', { name: 'Your post' })
      assert.equal(await text.inputValue(), 'A bad middle')
      // A full disk is as certain, although it is no fault of the message.
      full = true
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await page.getByText('Nothing was sent. This server is full.').waitFor()
      assert.equal(await page.getByText('It is not known').count(), 0)
      await text.fill('A good middle')
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)
      await until(async () => {
        const all = await castsOf(await world.fidOf('egret'))
        const [start, middle] = ['A calm start', 'A good middle'].map((one) =>
          all.find(({ text }) => text === one),
        )
        return middle !== undefined && middle.parent_hash === start?.hash
      })
      await page.context().close()
    })
  })
}
