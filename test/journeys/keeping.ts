// What members keep for themselves in the web client.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BrowserWorld } from './browser-world.ts'

export function keeping(world: BrowserWorld): void {
  describe('what members keep', { concurrency: 1 }, () => {
    it('a member bookmarks a cast in its menu, finds it under Bookmarks and removes it again', async () => {
      const page = await world.visitor()
      await world.actAs(page, 'puffin')
      await page.goto(`${world.app.urls.web}/bookmarks`)
      await page.getByRole('heading', { name: 'No bookmarks yet' }).waitFor()
      await world.checkAll(page, 'bookmarks-empty')
      await page.goto(world.app.urls.web)
      const cast = page.locator('article.cast').first()
      const text = await cast.locator('.cast-text').first().innerText()
      await cast.getByRole('button', { name: 'More', exact: true }).click()
      const menu = page.locator('.action-menu:popover-open')
      await menu.getByRole('button', { name: 'Bookmark' }).waitFor()
      await world.checkAll(page, 'cast-menu')
      const stored = page.waitForResponse(
        (answer) => answer.url().endsWith('/bookmark/own') && answer.request().method() === 'POST',
      )
      await menu.getByRole('button', { name: 'Bookmark' }).click()
      assert.equal((await stored).status(), 200)
      await page.goto(`${world.app.urls.web}/bookmarks`)
      const kept = page.locator('main article.cast')
      assert.equal(await kept.locator('.cast-text').first().innerText(), text)
      await world.checkAll(page, 'bookmarks')
      await kept.getByRole('button', { name: 'More', exact: true }).click()
      await menu.getByRole('button', { name: 'Remove the bookmark' }).click()
      await kept.waitFor({ state: 'detached' })
      await page.context().close()
    })
  })
}
