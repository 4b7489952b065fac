// What members keep for themselves in the web client.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BrowserWorld } from './browser-world.ts'

export function keeping(world: BrowserWorld): void {
  describe('what members keep', { concurrency: 1 }, () => {
    it('a member bookmarks a cast, finds it under Bookmarks and removes it again', async () => {
      const page = await world.visitor()
      await world.actAs(page, 'puffin')
      await page.goto(`${world.app.urls.web}/bookmarks`)
      await page.getByRole('heading', { name: 'No bookmarks yet' }).waitFor()
      await world.checkAll(page, 'bookmarks-empty')
      await page.goto(world.app.urls.web)
      const cast = page.locator('article.cast').first()
      const text = await cast.locator('.cast-text').first().innerText()
      await cast.getByRole('button', { name: 'More', exact: true }).click()
      await page.locator('.action-menu:popover-open').getByRole('button').first().waitFor()
      await world.checkAll(page, 'cast-menu')
      await page.keyboard.press('Escape')
      const mark = cast.getByRole('button', { name: 'Bookmark', exact: true })
      const stored = page.waitForResponse(
        (answer) => answer.url().endsWith('/bookmark/own') && answer.request().method() === 'POST',
      )
      await mark.click()
      assert.equal((await stored).status(), 200)
      // Another page knows it by itself.
      await page.reload()
      const marked = cast.getByRole('button', { name: 'Remove the bookmark' })
      await marked.waitFor()
      await page.goto(`${world.app.urls.web}/bookmarks`)
      const kept = page.locator('main article.cast')
      assert.equal(await kept.locator('.cast-text').first().innerText(), text)
      await world.checkAll(page, 'bookmarks')
      await kept.getByRole('button', { name: 'Remove the bookmark' }).click()
      await kept.waitFor({ state: 'detached' })
      await page.context().close()
    })

    it('a member follows a tag and lists people, and reads both in tabs of Home', async () => {
      const page = await world.visitor()
      await world.actAs(page, 'puffin')
      const web = world.app.urls.web
      await page.goto(`${web}/compose`)
      await page.getByRole('textbox', { name: 'Your post' }).fill('Listed under #kept_tag')
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)
      await world.indexed()
      await page.goto(`${web}/search?q=%23kept_tag`)
      const follow = page.getByRole('main').getByRole('button', { name: 'Follow #kept_tag' })
      await follow.click()
      await page.getByRole('main').getByRole('button', { name: 'Following #kept_tag' }).waitFor()
      await world.checkAll(page, 'search-tag')
      await page
        .getByRole('navigation', { name: 'Main' })
        .getByRole('button', { name: 'More' })
        .click()
      await page
        .getByRole('navigation', { name: 'More' })
        .getByRole('link', { name: 'Edit lists' })
        .click()
      await page.getByLabel('Name of a new list').fill('Rooks')
      await page.getByRole('button', { name: 'Make the list' }).click()
      await page.getByRole('link', { name: 'Rooks' }).click()
      const field = page.getByRole('combobox', { name: 'Add somebody' })
      await field.fill('raven')
      await page.getByRole('option').first().waitFor()
      await field.press('Enter')
      await page.locator('main article.row', { hasText: '@raven' }).waitFor()
      await world.checkAll(page, 'list')
      await page.goto(`${web}/@heron`)
      await page.locator('.profile-acts').getByRole('button', { name: 'More' }).click()
      const added = page.waitForResponse(
        (one) => one.url().endsWith('/list/own/member') && one.request().method() === 'POST',
      )
      await page
        .locator('.action-menu:popover-open')
        .getByRole('button', { name: 'Add to Rooks' })
        .click()
      // Leaving the page would end the request.
      assert.equal((await added).status(), 200)
      await page.goto(`${web}/lists`)
      await page.getByText('2 people').waitFor()
      await world.checkAll(page, 'lists')
      await page.goto(web)
      const tabs = page.getByRole('navigation', { name: 'Feeds' })
      await tabs.getByRole('link', { name: 'Tags' }).click()
      await page.getByRole('main').getByText('Listed under').waitFor()
      await world.checkAll(page, 'home-tags')
      await tabs.getByRole('link', { name: 'Rooks' }).click()
      await page
        .locator('main article.cast', { hasText: /@(?:raven|heron)/ })
        .first()
        .waitFor()
      await page.goto(`${web}/lists`)
      await page.getByRole('link', { name: 'Rooks' }).click()
      // The first click of two asks, the second one is no answer.
      await page.getByRole('button', { name: 'Delete the list …' }).dblclick()
      const remove = page.getByRole('button', { name: 'Delete the list now' })
      await remove.waitFor()
      await remove.click()
      await page.getByRole('heading', { name: 'Lists and tags' }).waitFor()
      await page.getByRole('link', { name: 'Rooks' }).waitFor({ state: 'detached' })
      await page.context().close()
    })

    it('notifications are rows by kind, and what one person did again and again is one of them', async () => {
      const page = await world.visitor()
      await world.actAs(page, 'raven')
      await page.goto(`${world.app.urls.web}/notifications`)
      await page.locator('main .notice-row').first().waitFor()
      await world.checkAll(page, 'notifications')
      const kinds = page.getByRole('navigation', { name: 'Kinds of notifications' })
      await kinds.getByRole('link', { name: 'Likes' }).click()
      await page.locator('main .notice-row').first().waitFor()
      for (const line of await page.locator('main .notice-line p').allInnerTexts()) {
        assert.match(line, /liked (?:your post|\d+ of your posts)/)
      }
      await kinds.getByRole('link', { name: 'Replies' }).click()
      await page
        .getByText(/replied to you|mentioned you/)
        .first()
        .waitFor()
      assert.equal(await page.getByText(/liked your post/).count(), 0)
      await page.context().close()
    })

    it('a server calls posts as its operator says, and the words of the program follow', async () => {
      const put = async (posts: string | null) => {
        const answer = await fetch(`${world.app.urls.operations}/server/texts`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ texts: { posts } }),
        })
        assert.equal(answer.status, 200)
      }
      await put('notice, notices, send, share, shares, shared')
      const page = await world.visitor()
      await world.actAs(page, 'raven')
      await page.goto(`${world.app.urls.web}/compose`)
      await page.getByRole('textbox', { name: 'Your notice' }).waitFor()
      await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
      await page.goto(world.app.urls.web)
      await page.locator('main article').first().waitFor()
      await page
        .getByRole('button', { name: /^Share\. \d+ shares?$/ })
        .first()
        .waitFor()
      assert.doesNotMatch(await page.locator('body').innerText(), /\b(?:[Rr]e)?[Cc]asts?\b/)
      await put(null)
      await page.context().close()
    })
  })
}
