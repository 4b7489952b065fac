// Search with filters, and what there is to explore.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BrowserWorld } from './browser-world.ts'

export function searching(world: BrowserWorld): void {
  describe('searching', { concurrency: 1 }, () => {
    it('a member explores pictures, people and channels with one request', async () => {
      const page = await world.visitor()
      await world.actAs(page, 'puffin')
      const asked: string[] = []
      page.on('request', (request) => {
        const { pathname } = new URL(request.url())
        if (/\/screen\/explore|\/cast\/search|\/feed\//.test(pathname)) asked.push(pathname)
      })
      await page.goto(`${world.web}/search`)
      await page.getByRole('heading', { name: 'Explore', level: 1 }).waitFor()
      for (const name of ['New pictures', 'New people', 'Channels']) {
        await page.locator('main').getByRole('heading', { name, exact: true }).waitFor()
      }
      assert.deepEqual(asked, ['/app/v2/farcaster/screen/explore'])
      await world.checkAll(page, 'explore')
      await page.locator('.picture-grid a').first().click()
      await page.waitForURL(/\/cast\/0x/)
      await page.context().close()
    })

    it('filters are fields of a sheet and operators of the query, and each can be taken away', async () => {
      const page = await world.visitor()
      await page.goto(`${world.web}/search`)
      await page.getByRole('button', { name: 'Filters' }).click()
      const sheet = page.getByRole('dialog', { name: 'Filters' })
      await sheet.getByLabel('Written by').fill('@egret')
      await sheet.getByLabel('In the channel').fill('/wetlands')
      await sheet.getByLabel('Posts with').selectOption('pictures')
      await world.checkAll(page, 'filters')
      await sheet.getByRole('button', { name: 'Search' }).click()
      // Explore, which was shown before, has the same words.
      await page.getByRole('link', { name: 'with pictures' }).waitFor()
      await page.locator('main article.cast').first().waitFor()
      const query = () => new URL(page.url()).searchParams.get('q')
      assert.equal(query(), 'from:egret in:wetlands has:pictures')
      assert.equal(await page.locator('main article.cast').count(), 1)
      await world.checkAll(page, 'filtered')
      await page.getByRole('link', { name: 'with pictures' }).click()
      await page.getByText('Boots are packed').first().waitFor()
      assert.equal(query(), 'from:egret in:wetlands')

      // What finds nothing says what to loosen.
      const box = page.locator('.masthead').getByRole('searchbox')
      await box.fill('fog from:egret until:2021-01-02')
      await box.press('Enter')
      await page.getByText('Take a filter away, or allow more days.').waitFor()
      await world.checkAll(page, 'nothing-found')
      await page.getByRole('button', { name: 'Search without filters' }).click()
      await page.getByText('Fog over the reeds').first().waitFor()
      assert.equal(query(), 'fog')
      await box.fill('fog from:nobody')
      await box.press('Enter')
      await page.getByText('Your search has from:nobody, and nobody is called so.').waitFor()
      await page.context().close()
    })

    it('a search whose first matches are all hidden goes on', async () => {
      const page = await world.visitor()
      await page.route('**/screen/search?*', async (route) => {
        const response = await route.fetch()
        const found = (await response.json()) as {
          casts: { casts: { hash: string }[]; next: { cursor: string | null } }
        }
        const { hash } = found.casts.casts[0]!
        assert(hash)
        const casts = { casts: [], next: { cursor: 'of the first page' } }
        await route.fulfill({ response, json: { ...found, casts } })
      })
      await page.route('**/cast/search?*', (route) => {
        const url = new URL(route.request().url())
        assert.equal(url.searchParams.get('cursor'), 'of the first page')
        url.searchParams.delete('cursor')
        return route.continue({ url: url.href })
      })
      await page.goto(`${world.web}/search?q=reeds`)
      await page.getByText('Fog over the reeds').first().waitFor()
      // What is still being answered must not come after the end.
      await page.unrouteAll({ behavior: 'wait' })
      await page.context().close()
    })
  })
}
