// The life of a channel in the web client, on a phone: made with a picture, edited, joined by invite, moderated, left.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { plainPng } from '../media-support.ts'
import { type BrowserWorld, TOUCH_PHONE } from './browser-world.ts'

const PICTURE = { name: 'reeds.png', mimeType: 'image/png' }

export function channels(world: BrowserWorld): void {
  describe('channels in the web client', { concurrency: 1 }, () => {
    const { check, checkAll } = world

    async function personAt(name: string): Promise<Page> {
      const page = await world.visitor(TOUCH_PHONE)
      await world.actAs(page, name)
      return page
    }
    const open = (page: Page, list = '') => page.goto(`${world.web}/channel/reed-beds${list}`)
    const button = (page: Page, name: string | RegExp) =>
      page.locator('main').getByRole('button', { name })

    /** Finds somebody by name with the keyboard alone. */
    async function pick(page: Page, label: string, name: string) {
      const field = page.getByRole('combobox', { name: label })
      await field.fill(name)
      await page.getByRole('option').first().waitFor()
      await field.press('ArrowDown')
      await field.press('ArrowUp')
      await field.press('Enter')
    }
    const pictureOf = (page: Page) => page.locator('.preview-picture').getAttribute('src')
    /** Opens the menu of something and presses what it offers. */
    async function choose(page: Page, inside: string, ...items: (string | RegExp)[]) {
      await page.locator(inside).first().getByRole('button', { name: 'More' }).click()
      for (const name of items) {
        await page.locator('.action-menu:popover-open').getByRole('button', { name }).click()
      }
    }
    /** Presses a button whose call is committed when this returns. */
    async function send(page: Page, method: string, path: string, press: () => Promise<void>) {
      const answered = page.waitForResponse(
        (one) => one.request().method() === method && one.url().includes(path),
      )
      await press()
      assert.equal((await answered).status(), 200)
    }

    async function castInto(page: Page, text: string) {
      await page.goto(`${world.web}/compose?channel=reed-beds`)
      await page.getByRole('textbox', { name: 'Your post' }).fill(text)
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)
      await world.indexed()
    }

    it('a channel is made with a picture at 360 pixels, and a taken address is told at its field', async () => {
      const owner = await personAt('raven')
      await owner.goto(`${world.web}/channels`)
      await owner.getByRole('link', { name: 'New channel' }).click()
      await owner.getByLabel('Name').fill('Reed Beds')
      assert.equal(await owner.getByLabel('Address').inputValue(), 'reed-beds')
      const answer = await fetch(`${world.web}/platform/v2/all-channels`)
      const { result } = (await answer.json()) as { result: { channels: { id: string }[] } }
      const taken = result.channels[0]!.id
      await owner.getByLabel('Address').fill(taken)
      await button(owner, 'Make the channel').click()
      await owner.getByText(`Channel ${taken} exists already`).waitFor()
      await owner.getByLabel('Address').fill('reed-beds')
      await owner.getByLabel('What it is about').fill('Birds that live in reeds')
      await owner
        .getByLabel('Choose a picture', { exact: true })
        .setInputFiles([{ ...PICTURE, buffer: plainPng(90, 90, [9, 120, 9, 255]) }])
      await owner.getByRole('button', { name: 'Remove the picture' }).waitFor()
      await checkAll(owner, 'channel-new')
      await button(owner, 'Make the channel').click()
      await owner.waitForURL(`${world.web}/channel/reed-beds`)
      await owner.getByRole('main').getByText('Birds that live in reeds').waitFor()
      await owner.locator('.channel-picture img').first().waitFor()
      await check(owner)
    })

    it('what one writes on the page of a channel goes into it: with the button, with the key n and from the empty list', async () => {
      const phone = await personAt('raven')
      await open(phone)
      await phone.getByText('Everybody may write here').waitFor()
      await phone.getByRole('link', { name: 'Write the first' }).waitFor()
      await phone.locator('.masthead').getByRole('link', { name: 'Write' }).click()
      const choice = phone.locator('.channel-choice select')
      await choice.waitFor()
      assert.equal(await choice.inputValue(), 'reed-beds')
      const desk = await world.visitor()
      await world.actAs(desk, 'raven')
      await open(desk, '/members')
      await desk.getByRole('heading', { name: 'Reed Beds', level: 1 }).waitFor()
      await desk.keyboard.press('n')
      await desk.getByRole('dialog').getByRole('textbox', { name: 'Your post' }).waitFor()
      assert.equal(await desk.locator('.channel-choice select').inputValue(), 'reed-beds')
      await desk.goto(world.web)
      // The page listens to keys before it has casts.
      await desk.locator('main article').first().waitFor()
      await desk.keyboard.press('n')
      await desk.getByRole('dialog').getByRole('textbox', { name: 'Your post' }).waitFor()
      assert.equal(await desk.locator('.channel-choice select').inputValue(), '')
    })

    it('the owner of a channel edits it, and nobody else is offered that', async () => {
      const owner = await personAt('raven')
      await open(owner)
      await owner.getByRole('link', { name: 'Edit' }).click()
      await owner.getByLabel('Name').fill('Reeds')
      await owner.getByLabel('Website').fill('http://example.org')
      assert.ok(await button(owner, 'Save').isDisabled())
      await owner.getByLabel('Website').fill('https://example.org/reeds')
      const before = await pictureOf(owner)
      await owner
        .getByLabel('Choose a picture', { exact: true })
        .setInputFiles([{ ...PICTURE, buffer: plainPng(90, 90, [9, 9, 200, 255]) }])
      await owner.locator(`.preview-picture:not([src="${before}"])`).waitFor()
      await checkAll(owner, 'channel-edit')
      await button(owner, 'Save').click()
      await owner.getByRole('heading', { name: 'Reeds', level: 1, exact: true }).waitFor()
      await owner.getByRole('main').getByRole('link', { name: 'example.org' }).waitFor()
      const other = await personAt('heron')
      await open(other)
      await other.getByRole('heading', { name: 'Reeds', level: 1, exact: true }).waitFor()
      assert.equal(await other.getByRole('link', { name: 'Edit' }).count(), 0)
      await open(other, '/edit')
      await other.getByRole('heading', { name: 'Only the owner may edit this channel' }).waitFor()
    })

    it('a follower of a channel is invited, accepts, and is asked to moderate', async () => {
      const [owner, guest] = [await personAt('raven'), await personAt('heron')]
      await open(guest)
      await send(guest, 'POST', '/fc/channel-follows', () =>
        button(guest, 'Follow').first().click(),
      )
      await open(owner, '/invites')
      await pick(owner, 'Whom to invite', '@heron')
      const found = owner.locator('main article.row', { hasText: '@heron' })
      await send(owner, 'POST', '/fc/channel-invites', () =>
        found.getByRole('button', { name: 'Invite' }).click(),
      )
      await button(owner, 'Withdraw').waitFor()
      await checkAll(owner, 'channel-invites')
      await guest.goto(`${world.web}/notifications`)
      await guest.getByText('invites you to join').waitFor()
      await checkAll(guest, 'channel-invited')
      // Who joins follows, too.
      await send(guest, 'POST', '/fc/channel-follows', () => button(guest, 'Join').click())
      await guest.getByText('invites you to join').waitFor({ state: 'detached' })
      await open(owner, '/members')
      // Moderators are members first.
      await pick(owner, 'Add a moderator', 'puffin')
      await owner.getByText('@puffin is not a member yet').waitFor()
      await button(owner, 'Cancel').click()
      await pick(owner, 'Add a moderator', 'heron')
      await button(owner, 'Ask to moderate').waitFor()
      await checkAll(owner, 'channel-members')
      await send(owner, 'POST', '/fc/channel-invites', () =>
        button(owner, 'Ask to moderate').click(),
      )
      await open(guest)
      await guest.getByText('invites you to moderate').waitFor()
      await send(guest, 'PATCH', '/fc/channel-invites', () => button(guest, 'Accept').click())
      await guest.getByRole('link', { name: 'Moderate' }).waitFor()
      // The owner sees who moderates, and is asked once more before that ends.
      await open(owner, '/members')
      const moderators = owner.getByRole('region', { name: 'Moderators' })
      await moderators.getByRole('button', { name: 'Remove …' }).click()
      await moderators.getByRole('button', { name: 'Remove @heron now' }).waitFor()
      assert.deepEqual(await moderators.getByRole('heading').allInnerTexts(), ['Moderators'])
      const members = owner.getByRole('region', { name: 'Members' })
      await members.getByRole('article').filter({ hasText: '@heron' }).waitFor()
    })

    it('the rules of a channel are on its page, and shown once before the first post in it', async () => {
      const owner = await personAt('raven')
      await open(owner, '/edit')
      await owner.getByLabel('Rules of the channel').fill('Birds of the reeds only.\nBe kind.')
      await button(owner, 'Save').click()
      await owner.waitForURL(`${world.web}/channel/reed-beds`)
      await owner.getByText('Rules of this channel').click()
      await owner.getByText('Birds of the reeds only.').waitFor()
      await checkAll(owner, 'channel-with-rules')
      const author = await personAt('egret')
      const compose = async () => {
        await author.goto(`${world.web}/compose?channel=reed-beds`)
        await author.getByRole('textbox', { name: 'Your post' }).fill('A bittern booms')
      }
      await compose()
      const rules = author.getByRole('region', { name: 'Rules of /reed-beds' })
      await rules.getByText('Be kind.').waitFor()
      const post = author.getByRole('button', { name: 'Post', exact: true })
      assert.ok(await post.isDisabled())
      await checkAll(author, 'channel-rules-read')
      await send(author, 'POST', '/channel/seen', () =>
        rules.getByRole('button', { name: 'I have read them' }).click(),
      )
      await rules.waitFor({ state: 'detached' })
      await post.click()
      await author.waitForURL(/\/cast\/0x/)
      await world.indexed()
      // Another device of the account does not ask again.
      const other = await personAt('egret')
      await other.goto(`${world.web}/compose?channel=reed-beds`)
      await other.getByRole('textbox', { name: 'Your post' }).fill('Once more')
      await other.locator('button.primary:not(:disabled)', { hasText: 'Post' }).waitFor()
      assert.equal(await other.getByRole('region', { name: 'Rules of /reed-beds' }).count(), 0)
      // Without rules nobody is asked.
      await open(owner, '/edit')
      await owner.getByLabel('Rules of the channel').fill('')
      await send(owner, 'PATCH', '/fc/channels', () => button(owner, 'Save').click())
    })

    it('what is new in a followed channel is counted until one looks at it, on every device', async () => {
      const phone = await personAt('heron')
      await phone.goto(`${world.web}/channels`)
      const own = phone.getByRole('region', { name: 'Your channels' })
      const entry = own.getByRole('link', { name: /reed-beds/ })
      await entry.getByText('1 new').waitFor()
      await phone.locator('.bottombar a[href="/channels"] .unread-count').waitFor()
      await checkAll(phone, 'channels-own')
      const seen = phone.waitForResponse((one) => one.url().endsWith('/channel/seen'))
      await entry.click()
      assert.equal((await seen).status(), 200)
      const desk = await world.visitor()
      await world.actAs(desk, 'heron')
      await desk.goto(`${world.web}/channels`)
      const link = desk
        .getByRole('region', { name: 'Your channels' })
        .getByRole('link', { name: /reed-beds/ })
      await link.waitFor()
      assert.equal(await link.getByText('new').count(), 0)
      // So it is for who goes back, and what has come since is counted then.
      await phone.goBack()
      const badge = phone.locator('.bottombar a[href="/channels"] .unread-count')
      await badge.waitFor({ state: 'detached' })
      assert.equal(await entry.getByText('new').count(), 0)
      await phone.locator('.bottombar a[href="/"]').click()
      await castInto(await personAt('puffin'), 'A reed warbler sings')
      await phone.goBack()
      await entry.getByText('1 new').waitFor()
    })

    it('a moderator hides a cast and shows it again, pins one, bans its author and lifts the ban', async () => {
      const [moderator, author] = [await personAt('heron'), await personAt('puffin')]
      await castInto(author, 'Not about reeds at all')
      await castInto(author, 'About reeds')
      await open(moderator)
      const cast = 'main article.cast:has-text("Not about reeds at all")'
      const other = 'main article.cast:has-text("About reeds")'
      await send(moderator, 'PUT', '/fc/pinned-casts', () =>
        choose(moderator, other, 'Pin in /reed-beds'),
      )
      await moderator.getByText('Pinned by the moderators').waitFor()
      await send(moderator, 'POST', '/fc/moderated-casts', () =>
        choose(moderator, cast, 'Hide in /reed-beds'),
      )
      await moderator.locator(cast).waitFor({ state: 'detached' })
      await open(author)
      await author.locator(other).first().waitFor()
      assert.equal(await author.locator(cast).count(), 0)
      await open(moderator, '/hidden')
      await moderator.locator(cast).waitFor()
      await checkAll(moderator, 'channel-hidden')
      await button(moderator, 'Show again in /reed-beds').click()
      await moderator.getByText('No post is hidden').waitFor()

      await open(moderator)
      await send(moderator, 'POST', '/fc/channel-bans', () =>
        choose(moderator, cast, /^Ban @puffin from/, 'Ban @puffin now'),
      )
      await moderator.locator(cast).waitFor({ state: 'detached' })
      await open(author)
      await author.getByText('have banned you').waitFor()
      await check(author)
      await open(moderator, '/banned')
      await checkAll(moderator, 'channel-banned')
      await button(moderator, 'Lift the ban').click()
      await moderator.getByText('Nobody is banned').waitFor()
      await open(moderator, '/removed')
      await moderator.getByRole('main').getByText('@puffin').first().waitFor()
      await open(author)
      await author.locator(cast).waitFor()
    })

    it('what people report in a channel reaches its moderators, who leave one cast and hide another', async () => {
      const [moderator, reader] = [await personAt('heron'), await personAt('egret')]
      await open(moderator, '/reported')
      await moderator.getByText('No reports').waitFor()
      for (const text of ['Not about reeds at all', 'About reeds']) {
        await open(reader)
        const cast = reader.locator('main article.cast').filter({ hasText: text }).first()
        await cast.getByRole('button', { name: 'More' }).click()
        const menu = reader.locator('.action-menu:popover-open')
        await menu.getByRole('link', { name: 'Report' }).click()
        await reader.getByLabel('What is wrong').selectOption('Spam')
        await reader.getByLabel('More, if it helps').fill(`report of ${text}`)
        await reader.getByRole('button', { name: 'Send the report' }).click()
        await reader.getByText('The moderators have your report').waitFor()
      }
      await open(moderator)
      await moderator.getByRole('link', { name: 'Moderate', exact: true }).click()
      await moderator.getByText('report of About reeds').waitFor()
      await checkAll(moderator, 'channel-reported')
      const decide = (name: string) =>
        send(moderator, 'POST', '/fc/moderated-casts', () =>
          button(moderator, name).first().click(),
        )
      await decide('Leave it')
      await moderator.getByText('report of About reeds').waitFor({ state: 'detached' })
      await decide('Hide in /reed-beds')
      await moderator.getByText('No reports').waitFor()
      await open(reader)
      await reader.getByText('About reeds', { exact: true }).first().waitFor()
      assert.equal(await reader.getByText('Not about reeds at all').count(), 0)
    })

    it('a member leaves, an invite is declined, and the owner gives the channel away', async () => {
      const [owner, guest] = [await personAt('raven'), await personAt('heron')]
      await open(owner, '/members')
      const row = 'main article.row:has-text("@heron"):has([aria-label="More"])'
      await send(owner, 'PATCH', '/fc/channels', () =>
        choose(owner, row, 'Make @heron the owner …', /^Give/),
      )
      await owner.getByRole('link', { name: 'Edit' }).waitFor({ state: 'detached' })
      await send(owner, 'DELETE', '/fc/channel-invites', () =>
        choose(owner, '.profile-acts', 'Leave /reed-beds …', 'Leave /reed-beds now'),
      )
      await open(guest, '/invites')
      await pick(guest, 'Whom to invite', 'raven')
      await send(guest, 'POST', '/fc/channel-invites', () =>
        guest
          .locator('main article.row', { hasText: '@raven' })
          .getByRole('button', { name: 'Invite' })
          .click(),
      )
      await owner.goto(`${world.web}/notifications`)
      await send(owner, 'PATCH', '/fc/channel-invites', () => button(owner, 'Decline').click())
      await open(guest, '/invites')
      await guest.getByText('No invite waits for an answer').waitFor()
      await check(guest)
    })
  })
}
