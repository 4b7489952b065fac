// A member mutes and reports in the web client, a moderator answers there, and the reporter and the author read it.

import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { readCatalogue } from '../../scripts/messages.ts'
import { REASONS } from '../../src/features/moderation-records/port.ts'
import { patient } from '../patience.ts'
import { until } from '../until.ts'
import type { BrowserWorld } from './browser-world.ts'

/** What the world has for the pages about the server. */
export const FACE = { ROOKERY_SERVER_NAME: 'Marsh Club' }
/** What its operator has written. */
const TEXTS = {
  description: 'People who like birds',
  color: '#cc6600',
  rules:
    '# House rules\n\n- Be **kind**\n- No <script>alert(1)</script>\n- [Ask](https://example.org/) first\n- [no](javascript:alert(1))',
}

const OTHERS = ['raven', 'heron', 'puffin', 'egret', 'magpie', 'jackdaw']

export function moderation(world: BrowserWorld): void {
  describe('moderation in the web client', { concurrency: 1 }, () => {
    const { checkAll, fidOf, custodyOf } = world
    before(async () => {
      const put = await fetch(`${world.app.urls.operations}/server/texts`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ texts: TEXTS }),
      })
      assert.equal(put.status, 200)
    })

    /** What the dialog says that something opens. */
    async function dialogText(page: Page, open: () => Promise<void>): Promise<string> {
      await open()
      const dialog = page.locator('dialog[open]')
      await dialog.waitFor()
      return dialog.innerText()
    }

    async function pageAs(name?: string): Promise<Page> {
      const page = await world.visitor()
      if (name) await world.actAs(page, name)
      return page
    }

    it('the rules of the server are on its pages, as text and links alone', async () => {
      const page = await pageAs()
      await page.goto(`${world.app.urls.web}/rules`)
      await page.getByRole('heading', { name: 'House rules' }).waitFor()
      assert.equal(await page.title(), 'Rules – Marsh Club')
      assert.equal(await page.locator('.markdown a').count(), 1)
      assert.equal(await page.locator('.markdown script').count(), 0)
      await checkAll(page, 'rules')
      for (const place of ['join', 'join/sign-in']) {
        await page.goto(`${world.app.urls.web}/${place}`)
        const door = page.getByRole('region', { name: 'About Marsh Club' })
        await door.getByText('People who like birds').waitFor()
        await door.getByText('Be kind').waitFor()
        await door.getByText('Everything that you write here is public').waitFor()
        await checkAll(page, place.replace('/', '-'))
      }
      await page.goto(world.app.urls.web)
      const front = page.getByRole('region', { name: 'About Marsh Club' })
      await front.getByRole('link', { name: 'Rules' }).waitFor()
      await front.getByText('People who like birds').waitFor()
      await checkAll(page, 'front-page')
      await page.goto(`${world.app.urls.web}/about`)
      await page.getByText('People who like birds').first().waitFor()
      await checkAll(page, 'about')
    })

    it('a member mutes and reports, a moderator answers, and both who are concerned read it', async () => {
      for (const name of ['magpie', 'jackdaw']) {
        const made = await fetch(
          `${world.app.urls.operations}/moderation/staff/${await fidOf(name)}/appoint`,
          {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({
              ...{ role: 'moderator', reason: 'kind' },
              custody: await custodyOf(name),
            }),
          },
        )
        assert.equal(made.status, 200)
      }
      const feed = '/app/v2/farcaster/feed/newest?limit=50'
      const read = await fetch(world.app.urls.web + feed, { headers: { 'x-api-key': 'web' } })
      const { casts } = (await read.json()) as { casts: { author: { username: string } }[] }
      const names = casts.map(({ author }) => author.username)
      // None of those who act in the other parts.
      const authorName = names.find((name) => !OTHERS.includes(name))!
      const member = await pageAs('raven')
      await member.goto(`${world.app.urls.web}/@${authorName}`)
      const cast = member.locator('article.cast').first()
      await cast.getByRole('button', { name: 'More' }).click()
      await member
        .locator('.action-menu:popover-open')
        .getByRole('link', { name: 'Report' })
        .click()
      await member.getByLabel('What is wrong').selectOption('Spam')
      await member.getByLabel('More, if it helps').fill('this is not about birds')
      await checkAll(member, 'report')
      await member.getByRole('button', { name: 'Send the report' }).click()
      await member.getByText('The moderators have your report').waitFor()

      await member.goto(`${world.app.urls.web}/@${authorName}`)
      await member.locator('.profile-acts').getByRole('button', { name: 'More' }).click()
      const stored = member.waitForResponse(
        (answer) => answer.url().endsWith('/mute/own') && answer.request().method() === 'POST',
      )
      await member
        .locator('.action-menu:popover-open')
        .getByRole('button', { name: 'Mute' })
        .click()
      assert.equal((await stored).status(), 200)
      await member.goto(`${world.app.urls.web}/muted`)
      await member.getByRole('button', { name: 'Unmute' }).waitFor()
      await member.getByLabel('A word or words to mute').fill('Spoiler')
      await member.getByRole('button', { name: 'Mute', exact: true }).click()
      await member.getByText('spoiler', { exact: true }).first().waitFor()
      await checkAll(member, 'muted')

      // Another member reports the same.
      const second = await pageAs('heron')
      await second.goto(`${world.app.urls.web}/@${authorName}`)
      await second.locator('article.cast').first().getByRole('button', { name: 'More' }).click()
      await second
        .locator('.action-menu:popover-open')
        .getByRole('link', { name: 'Report' })
        .click()
      await second.getByLabel('What is wrong').selectOption('Spam')
      await second.getByLabel('More, if it helps').fill('I think so, too')
      await second.getByRole('button', { name: 'Send the report' }).click()
      await second.getByText('The moderators have your report').waitFor()
      assert.equal(await second.getByRole('link', { name: /^Moderate/ }).count(), 0)

      const moderator = await pageAs('magpie')
      await moderator.goto(world.app.urls.web)
      await moderator.getByRole('link', { name: '1 waiting Moderate' }).click()
      await moderator.getByText('this is not about birds').waitFor()
      const card = moderator.locator('.card').filter({ hasText: 'I think so, too' })
      assert.equal(await moderator.locator('.case-reports').count(), 1)
      await card.getByText(`@${authorName}`).first().waitFor()
      await card.getByRole('link', { name: '@raven' }).waitFor()
      await card.getByText('No earlier decisions.').waitFor()
      await card.locator('blockquote .cast-text').waitFor()
      await card.getByText('Spam × 2', { exact: true }).waitFor()
      // What opens moves no button that decides.
      const placeInCard = () =>
        card
          .locator('.case-acts')
          .evaluate(
            (acts) =>
              acts.getBoundingClientRect().top - acts.closest('.card')!.getBoundingClientRect().top,
          )
      const before = await placeInCard()
      await card.getByText('Add a note', { exact: true }).click()
      await card.getByLabel('Note for other moderators').waitFor()
      assert.equal(await placeInCard(), before)
      await card.getByLabel('Note for other moderators').fill('Was asked to stop')
      await card.getByRole('button', { name: 'Keep the note' }).click()
      await card.getByText('One note').waitFor()
      await card.getByText('Was asked to stop').waitFor()
      await checkAll(moderator, 'moderate')
      await card.getByRole('button', { name: /^Suspend/ }).click()
      const dialog = moderator.locator('dialog[open]')
      // No choice has the focus, so no key changes one by accident.
      await dialog.locator('h2:focus').waitFor()
      const lasts = dialog.getByLabel('For how long')
      assert.equal(await lasts.inputValue(), '7')
      const reason = dialog.getByLabel('Reason')
      assert.match(await reason.inputValue(), /suspended for a week\.$/)
      const first = await dialog.getByLabel('Begin with').locator('option').allInnerTexts()
      assert.doesNotMatch(first.join(), /not the first time/)
      await dialog.getByText('It ends by itself, and can be undone before.').waitFor()
      await lasts.selectOption('For good')
      assert.match(await reason.inputValue(), /suspended for good\.$/)
      await dialog.getByText('Until a moderator ends it.').waitFor()
      await checkAll(moderator, 'moderate-suspend')
      await moderator.getByRole('button', { name: 'Cancel' }).click()
      await card.getByRole('button', { name: /^Limit/ }).waitFor()
      const decide = async (page: Page, button: string, reason: string) => {
        await page.locator('main').getByRole('button', { name: button }).first().click()
        await page.getByLabel('Reason').fill(reason)
        await page.locator('dialog[open] button[type=submit]').click()
        await page.locator('dialog[open]').waitFor({ state: 'detached' })
      }
      await card.getByRole('button', { name: 'Hide the post' }).click()
      await moderator.getByLabel('Rule that was broken').selectOption('Be kind')
      await moderator.getByLabel('Begin with').selectOption({ index: 1 })
      await checkAll(moderator, 'moderate-decide')
      await moderator.getByLabel('Reason').fill('It is hidden now: not about birds')
      await moderator.locator('dialog[open] button[type=submit]').click()
      await moderator.locator('dialog[open]').waitFor({ state: 'detached' })
      await moderator.getByText('No report is open.').waitFor()
      assert.equal(await moderator.getByText('waiting').count(), 0)
      // What was done can be undone at once, with the text before one's eyes.
      const posted = await dialogText(moderator, () =>
        moderator
          .locator('.told', { hasText: 'Hidden.' })
          .getByRole('button', { name: 'Undo' })
          .click(),
      )
      assert.match(posted, /Show the post again/)
      await moderator.getByRole('button', { name: 'Cancel' }).click()
      // One row of the log for one act, with the name and the text.
      const logged = moderator.locator('.card', { hasText: 'It is hidden now' })
      await logged.getByText('Post hidden').waitFor()
      await logged.getByRole('link', { name: `@${authorName}` }).waitFor()
      await logged.getByText('@magpie (moderator)').waitFor()
      assert.equal(await logged.count(), 1)
      // Who has appointed the moderators, in words of the page.
      await moderator.getByText('the operator', { exact: true }).first().waitFor()
      await checkAll(moderator, 'moderate-log')
      await second.goto(`${world.app.urls.web}/notifications`)
      await second.getByText('The post was hidden.').waitFor()
      assert.equal(await second.getByText('It is hidden now').count(), 0)

      await member.goto(`${world.app.urls.web}/notifications`)
      await member.getByText('Your report was answered.').waitFor()
      await member.getByText('The post was hidden.').waitFor()

      const author = await pageAs(authorName)
      await author.goto(`${world.app.urls.web}/moderation`)
      await author.getByText('not about birds').waitFor()
      await author.getByRole('button', { name: 'Appeal' }).click()
      await author.getByLabel('Why the decision is wrong').fill('It is about swans')
      await checkAll(author, 'appeal')
      await author.getByRole('button', { name: 'Send the appeal' }).click()
      await author.getByText('The moderators have not answered yet.').waitFor()
      // Nobody answers an appeal against their own decision.
      const another = await pageAs('jackdaw')
      await another.goto(`${world.app.urls.web}/moderate`)
      const appealed = another.locator('.card').filter({ hasText: 'It is about swans' })
      await appealed.getByText(`@${authorName}`).waitFor()
      await appealed.getByText('by @magpie (moderator): Rule “Be kind”').last().waitFor()
      await appealed.locator('blockquote').waitFor()
      await appealed.getByText('Was asked to stop').waitFor()
      await checkAll(another, 'moderate-appeal')
      await decide(another, 'Take the decision back', 'You are right')
      // In the log nothing is left to undo.
      await another
        .locator('.card', { hasText: 'You are right' })
        .getByText('Post shown again')
        .waitFor()
      const hidden = another.locator('.card', { hasText: 'It is hidden now' })
      assert.equal(await hidden.getByRole('button', { name: 'Show the post again' }).count(), 0)
      await author.reload()
      await author.getByText('The decision was taken back.').waitFor()
      await author.getByText('You are right').first().waitFor()
      // Who reported it is told, too.
      await member.reload()
      await member.getByText('The post was hidden. The decision was taken back.').waitFor()

      // A limit and a suspension for good are said in their own words.
      const decideOn = async (verb: string, reason: string) => {
        const path = `/moderation/accounts/${await fidOf(authorName)}/${verb}`
        const answer = await fetch(world.app.urls.operations + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ reason }),
        })
        assert.equal(answer.status, 200)
      }
      await decideOn('limit', 'Advertises boats')
      await author.reload()
      await author.getByText('Your account is limited: only your followers').waitFor()
      await checkAll(author, 'limited')
      await author.getByRole('button', { name: 'Appeal' }).first().click()
      await author.getByLabel('Why the decision is wrong').fill('They are birds')
      await author.getByRole('button', { name: 'Send the appeal' }).click()
      await author.getByText('The moderators have not answered yet.').waitFor()
      await another.reload()
      // What was taken back counts no more.
      await another
        .locator('.card', { hasText: 'They are birds' })
        .getByText('Earlier: one decision')
        .waitFor()
      await another
        .locator('.card', { hasText: 'They are birds' })
        .getByRole('button', { name: 'Take the decision back' })
        .click()
      await another
        .locator('dialog[open]')
        .getByText(
          'Trends, recommendations, searches and notifications show the account as before.',
        )
        .waitFor()
      await another.getByRole('button', { name: 'Cancel' }).click()
      await decideOn('unlimit', 'They are birds')
      // Who is writing meanwhile is told above what was typed.
      await author.goto(`${world.app.urls.web}/compose`)
      const typed = author.getByRole('textbox', { name: 'Your post' })
      await typed.fill('Boats are birds')
      await decideOn('suspend', 'Boats again')
      const post = author.getByRole('button', { name: 'Post', exact: true })
      const isTold = author.getByText('Your account is suspended: nobody sees')
      // The page may have read it before the button is pressed, which is disabled then.
      await until(async () => {
        if (await isTold.isVisible()) return true
        await post.click({ timeout: patient(500) }).catch(() => {})
        return false
      }, 'the author is told')
      assert.equal(await typed.inputValue(), 'Boats are birds')
      assert.equal(await post.isDisabled(), true)
      await checkAll(author, 'suspended-writing')
      await author.goto(`${world.app.urls.web}/moderation`)
      await author.getByText('Your account is suspended: nobody sees').waitFor()
      await checkAll(author, 'suspended')
      for (const place of ['', 'compose']) {
        await author.goto(`${world.app.urls.web}/${place}`)
        await author.getByRole('link', { name: 'download everything of you' }).waitFor()
        assert.equal(await author.getByText('Your account is suspended').count(), 1)
        assert.equal(await author.getByRole('textbox', { name: 'Your post' }).count(), 0)
        await checkAll(author, `suspended-${place || 'home'}`)
      }
      await author.goto(world.app.urls.web)
      await author
        .locator('article.cast')
        .first()
        .getByRole('button', { name: /^Reply/ })
        .click()
      const reply = author.locator('dialog[open]')
      await reply.getByRole('link', { name: 'read why, and appeal' }).waitFor()
      assert.equal(await reply.getByRole('textbox').count(), 0)
      await checkAll(author, 'suspended-reply')
      await author.goto(`${world.app.urls.web}/compose`)
      await author.getByRole('link', { name: 'read why, and appeal' }).click()
      await author.getByRole('heading', { name: 'Reports and decisions' }).waitFor()
      await member.goto(`${world.app.urls.web}/@${authorName}`)
      await member.getByText('This account is suspended on this server.').waitFor()
      // Nobody else is led on from there.
      assert.equal(await member.getByRole('link', { name: 'Moderate this account' }).count(), 0)
      await another.goto(`${world.app.urls.web}/@${authorName}`)
      await another.getByText('This account is suspended on this server.').waitFor()
      await another.getByRole('link', { name: 'Moderate this account' }).waitFor()
      await checkAll(another, 'suspended-for-moderators')
      await another.getByRole('link', { name: 'Moderate this account' }).click()
      await decide(another, 'End the suspension', 'Fine')
      await another.getByText('It is neither limited nor suspended.').waitFor()
      await author.goto(`${world.app.urls.web}/compose`)
      await typed.waitFor()
      assert.equal(await typed.inputValue(), 'Boats are birds')
      await author.goto(`${world.app.urls.web}/moderation`)
      // Who moderates finds what can be decided beside the profile, also without a report.
      await another.goto(`${world.app.urls.web}/@${authorName}`)
      await another.locator('.profile-acts').getByRole('button', { name: 'More' }).click()
      await another.getByRole('link', { name: 'Moderate this account' }).click()
      await another.getByText('It is neither limited nor suspended.').waitFor()
      await another.getByText('Boats again').waitFor()
      await another.getByRole('button', { name: 'Suspend the account' }).click()
      const begin = another.locator('dialog[open]').getByLabel('Begin with')
      await begin.locator('option', { hasText: 'This breaks our rules.' }).waitFor({
        state: 'attached',
      })
      assert.doesNotMatch(await begin.innerText(), /not the first time/)
      await another.getByRole('button', { name: 'Cancel' }).click()
      await begin.waitFor({ state: 'detached' })
      await decide(another, 'Suspend the account', 'Boats for a week')
      await another.getByText('It is suspended until').waitFor()
      await checkAll(another, 'moderate-account')
      await decide(another, 'End the suspension', 'Fine')
      await another.getByText('It is neither limited nor suspended.').waitFor()
      // A reason from the list is read in the language of who reads it, whichever its writer has.
      const [limited] = REASONS.limit
      await another.goto(`${world.app.urls.web}/moderate/${await fidOf(authorName)}?lang=de`)
      await another.locator('main .buttons button').first().click()
      const field = another.locator('dialog[open] textarea')
      assert.equal(await field.inputValue(), readCatalogue('de').get(limited!))
      await another.locator('dialog[open] button[type=submit]').click()
      await another.locator('dialog[open]').waitFor({ state: 'detached' })
      await another.getByText(readCatalogue('de').get(limited!)!).waitFor()
      await author.reload()
      await author.getByText(`Reason: ${limited}`).waitFor()
      await another.goto(`${world.app.urls.web}/moderate?lang=de`)
      await another.locator('.log-filter summary').click()
      const isEnglish = 'Reasons from the list are found by their English words.'
      await another.getByText(readCatalogue('de').get(isEnglish)!).waitFor()
      assert.deepEqual(world.faults, [])
    })
  })
}
