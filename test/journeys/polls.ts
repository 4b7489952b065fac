// Polls in the web client: asked in the composer, voted in where the cast is shown, and read by who follows their link.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { BrowserWorld } from './browser-world.ts'

const ASKER = 'magpie'
const [FIRST, SECOND] = ['raven', 'heron']
const QUESTION = 'Which day suits you?'

export function polls(world: BrowserWorld): void {
  describe('polls in the web client', { concurrency: 1 }, () => {
    let cast = ''
    let poll = ''
    const as = async (name: string, path: string): Promise<Page> => {
      const page = await world.visitor()
      await world.actAs(page, name)
      await page.goto(`${world.web}${path}`)
      return page
    }
    const cardOf = (page: Page) => page.getByRole('article', { name: /^Card of/ })
    const bars = async (page: Page) => cardOf(page).getByRole('listitem').allInnerTexts()

    it('a member asks a question in the composer; a poll that is not whole cannot be sent, and one that is left comes back', async () => {
      const page = await as(ASKER, '/compose')
      const send = page.getByRole('button', { name: 'Post', exact: true })
      await page.getByRole('button', { name: 'Poll' }).click()
      await page.getByLabel('Question').fill(QUESTION)
      assert.equal(await send.isDisabled(), true)
      await page.getByRole('textbox', { name: 'Answer 1' }).fill('Saturday')
      await page.getByRole('textbox', { name: 'Answer 2' }).fill('Saturday')
      await page.getByText('This answer is there already.').waitFor()
      assert.equal(await send.isDisabled(), true)
      await page.getByRole('textbox', { name: 'Answer 2' }).fill('Sunday')
      await page.getByRole('button', { name: 'Add an answer' }).click()
      await page.getByRole('textbox', { name: 'Answer 3' }).fill('Neither of the two')
      await page.getByLabel('Ends in').selectOption('3 days')
      await world.checkAll(page, 'poll-composer')
      await page.reload()
      assert.equal(
        await page.getByRole('textbox', { name: 'Answer 3' }).inputValue(),
        'Neither of the two',
      )
      await page.getByLabel('Your post').fill('We meet once more.')
      await send.click()
      await page.waitForURL(/\/cast\/0x/)
      cast = new URL(page.url()).pathname
      await cardOf(page).getByText(QUESTION).waitFor()
      await world.indexed()
      await page.context().close()
    })

    it('who presses an answer and votes sees the result at once, without a question about this server', async () => {
      const page = await as(FIRST!, cast)
      const card = cardOf(page)
      await card.getByText(QUESTION).waitFor()
      await card.getByText('0 votes · ends').waitFor()
      await world.checkAll(page, 'poll-ballot')
      await card.getByRole('button', { name: 'Vote' }).click()
      await card.getByRole('alert').getByText('Choose one of the answers first.').waitFor()
      await card.locator('label', { hasText: 'Sunday' }).click()
      await card.getByRole('button', { name: 'Vote' }).click()
      await card.getByText('Your vote: Sunday').waitFor()
      assert.deepEqual(await bars(page), ['Saturday\n0', 'Sunday\n1', 'Neither of the two\n0'])
      await world.checkAll(page, 'poll-result')
      await page.context().close()
    })

    // A bar of the result has the text of its answer: only a label is pressed.
    it('a vote is changed from the result, and the result is read without a vote', async () => {
      const page = await as(SECOND!, cast)
      const card = cardOf(page)
      await card.getByRole('button', { name: 'Results' }).click()
      await card.getByText('1 vote · ends').waitFor()
      await card.getByRole('button', { name: 'Vote' }).click()
      await card.locator('label', { hasText: 'Saturday' }).click()
      await card.getByRole('button', { name: 'Vote' }).click()
      await card.getByText('Your vote: Saturday').waitFor()
      await card.getByRole('button', { name: 'Change my vote' }).click()
      await card.locator('label', { hasText: 'Sunday' }).click()
      await card.getByRole('button', { name: 'Vote' }).click()
      await card.getByText('Your vote: Sunday').waitFor()
      assert.deepEqual(await bars(page), ['Saturday\n0', 'Sunday\n2', 'Neither of the two\n0'])
      poll = (await card.getByRole('link').first().getAttribute('href'))!
      await world.check(page)
      await page.context().close()
    })

    it('who follows the link of a poll reads it on a page of its own, and an unknown one is told', async () => {
      const page = await world.visitor()
      await page.goto(poll)
      await page.waitForURL(/\/poll\/[a-z2-7]{16}$/)
      await cardOf(page).getByText(QUESTION).waitFor()
      await cardOf(page).getByRole('button', { name: 'Results' }).click()
      await cardOf(page).getByText('2 votes · ends').waitFor()
      await world.checkAll(page, 'poll-alone')
      await page.goto(`${world.web}/poll/${'a'.repeat(16)}`)
      await page.getByText('There is no such poll').waitFor()
      await page.context().close()
    })
  })
}
