// A moderator answers twenty reports with the keyboard, on a desktop and at the width of a phone, beside another moderator.

import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { limitRows } from '../../src/features/moderation/tables/limits.ts'
import {
  moderationLogRows,
  reportRows,
  UNANSWERED,
} from '../../src/features/moderation-records/port.ts'
import { fromHex } from '../../src/kernel/protocol/codec/bytes.ts'
import { type BrowserWorld, DESKTOP, PHONE } from './browser-world.ts'

const REPORTS = 20
const STAFF = ['magpie', 'jackdaw']
type Found = {
  /** Undefined where the account is reported. */
  readonly hash?: string
  readonly text: string
  readonly embeds: readonly object[]
  readonly author: { readonly fid: number; readonly username: string }
}

export function moderatorsQueue(world: BrowserWorld): void {
  describe('the queue of a moderator with a keyboard', { concurrency: 1 }, () => {
    const { checkAll, fidOf, custodyOf } = world
    let casts: Found[]
    /** Two of one author. */
    let pair: readonly Found[]
    before(async () => {
      for (const name of STAFF) {
        const path = `/moderation/staff/${await fidOf(name)}/appoint`
        const made = await fetch(world.app.urls.operations + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            ...{ role: 'moderator', reason: 'kind' },
            custody: await custodyOf(name),
          }),
        })
        assert.equal(made.status, 200)
      }
      const read = async (path: string) => {
        const url = `${world.web}/app/v2/farcaster/feed/${path}`
        const answer = await fetch(url, { headers: { 'x-api-key': 'web' } })
        return ((await answer.json()) as { casts: Found[] }).casts
      }
      const authors = new Set((await read('newest?limit=50')).map(({ author }) => author.fid))
      const all = []
      for (const fid of authors) {
        all.push(...(await read(`user/casts?fid=${fid}&limit=20&include_replies=true`)))
      }
      casts = all
        .filter(({ author, text }) => text !== '' && !STAFF.includes(author.username))
        // With something to look at first.
        .sort((a, b) => b.embeds.length - a.embeds.length)
        .slice(0, REPORTS - 1)
      const ofOne = [...Map.groupBy(casts, ({ author }) => author.fid).values()]
      pair = ofOne.find((some) => some.length > 1)!.slice(0, 2)
      casts = ofOneTogether([...casts, await accountOf('raven')])
      assert.equal(casts.length, REPORTS)
    })

    /** The queue shows cases of one account after each other. */
    const ofOneTogether = (all: readonly Found[]): Found[] =>
      [...Map.groupBy(all, ({ author }) => author.fid).values()].flat()

    const accountOf = async (username: string): Promise<Found> => ({
      ...{ text: '', embeds: [], author: { fid: await fidOf(username), username } },
    })

    async function report(reporter: string, what: readonly Found[] = casts): Promise<void> {
      const reporter_fid = await fidOf(reporter)
      await world.app.storage.write('all/reports', async (tx) => {
        for (const [i, { hash, author }] of what.entries()) {
          await tx.of(reportRows).add({
            ...{
              reporter_fid,
              fid: author.fid,
              cast_hash: hash ? fromHex(hash)! : null,
              mini_app: null,
            },
            ...{
              reason: `reason ${i}`,
              created_at: Math.floor(Date.now() / 1_000) - 600 + i,
            },
            ...{
              kind: i % 2 === 0 ? 'spam' : null,
              // In words of the reporter: no rule of this server.
              rule: i === 1 ? 'You have been banned' : null,
            },
            ...UNANSWERED,
          })
        }
      })
    }

    async function queueOf(name: string, viewport: typeof PHONE): Promise<Page> {
      const page = await world.visitor({ viewport })
      await world.actAs(page, name)
      await page.goto(`${world.web}/moderate`)
      await page.locator('.case-open').waitFor()
      return page
    }

    /** Decides the open case with a key, having seen what it is about. */
    async function decide(page: Page, key: string, { hash, text, author }: Found): Promise<void> {
      const open = page.locator('.case-open')
      await open.getByText(`@${author.username}`).first().waitFor()
      if (hash) await open.locator('blockquote .cast-text').waitFor()
      await page.keyboard.press(key)
      const dialog = page.locator('dialog[open]')
      await dialog.waitFor()
      if (key === 'w') await dialog.getByText('“You have been banned”').waitFor()
      const shown = await dialog.locator('blockquote').allInnerTexts()
      assert.equal(shown.join().replace(/\s/g, ''), text.replace(/\s/g, ''))
      await page.keyboard.press('Control+Enter')
      await dialog.waitFor({ state: 'detached' })
    }

    /** The key for each report: most are dismissed. */
    const keyOf = (i: number): string => (i === 1 ? 'w' : i === 2 ? 'h' : 'd')

    for (const [viewport, moderator, reporter] of [
      [DESKTOP, 'magpie', 'raven'],
      [PHONE, 'jackdaw', 'heron'],
    ] as const) {
      it(`twenty reports are decided one after the other with ${viewport.width} pixels, each seen before`, async () => {
        await report(reporter)
        const page = await queueOf(moderator, viewport)
        await page.getByText(`1 of ${REPORTS}.`).waitFor()
        await page.keyboard.press('?')
        const help = page.locator('dialog[open]')
        await help.getByText('Take it, or give it back').waitFor()
        await checkAll(page, `moderate-keys-${viewport.width}`)
        await page.keyboard.press('Escape')
        await help.waitFor({ state: 'detached' })
        const kinds = page.getByLabel('Show', { exact: true })
        await kinds.selectOption('spam')
        await page.getByText(`1 of ${REPORTS / 2}.`).waitFor()
        await kinds.selectOption('violence')
        await page.getByText('No such report is open.').waitFor()
        await kinds.selectOption('All kinds')
        await page.getByText(`1 of ${REPORTS}.`).waitFor()
        await page.locator('h1').click()
        await page.keyboard.press('j')
        await page.getByText(`2 of ${REPORTS}.`).waitFor()
        await page.keyboard.press('k')
        await page.getByText(`1 of ${REPORTS}.`).waitFor()
        await checkAll(page, `moderate-queue-${viewport.width}`)
        // What a cast carries is blurred until it is asked for.
        await page.locator('.case-open .blurred').waitFor()
        await page.keyboard.press('d')
        await page.getByText('You have not looked at what it carries.').waitFor()
        await checkAll(page, `moderate-unseen-${viewport.width}`)
        await page.keyboard.press('Escape')
        await page.locator('dialog[open]').waitFor({ state: 'detached' })
        await page.keyboard.press('p')
        await page.locator('.case-open .blurred').waitFor({ state: 'detached' })
        for (const [i, cast] of casts.entries()) await decide(page, keyOf(i), cast)
        await page.getByText('No report is open.').waitFor()
        await page.locator('summary', { hasText: 'Numbers of the last half year' }).click()
        await page.getByRole('img', { name: /^Reports by week: at most \d+ reports/ }).waitFor()
        await page.getByText(/Half of \d+ answers came within/).waitFor()
        await page.locator('summary', { hasText: 'Tables' }).click()
        const table = page.getByRole('table', { name: 'Decisions' })
        await table.getByText('reports answered').first().waitFor()
        await checkAll(page, `moderate-numbers-${viewport.width}`)
        const { storage } = world.app
        assert.equal(await storage.of(reportRows).count('open'), 0)
        const warned = await storage
          .of(moderationLogRows)
          .list({ fid: casts[1]!.author.fid }, Number.MAX_SAFE_INTEGER, 100)
        const reasons = warned.flatMap(({ action, reason }) => (action === 'warn' ? [reason] : []))
        assert.ok(reasons.length > 0)
        assert.ok(!reasons.join().includes('banned'), 'no rule is named that is none')
        // The next round reports other casts than the hidden one.
        casts = casts.filter((_, i) => keyOf(i) !== 'h')
        casts = ofOneTogether([...casts, await accountOf('puffin')])
        assert.deepEqual(world.faults, [])
        await page.context().close()
      })
    }

    it('a report that one moderator has taken is shown as taken to another, who takes it over with a word', async () => {
      casts = casts.slice(0, 2)
      await report('puffin')
      const first = await queueOf('magpie', DESKTOP)
      await first.keyboard.press('t')
      await first.getByText('You have taken it').waitFor()
      const second = await queueOf('jackdaw', DESKTOP)
      // The next one that is free is open.
      await second.getByText('2 of 2.').waitFor()
      await second.getByText('taken by @magpie').waitFor()
      await second.keyboard.press('k')
      await second.getByText('Taken by @magpie').waitFor()
      await second.keyboard.press('d')
      await second.getByText('@magpie has taken this case').waitFor()
      await checkAll(second, 'moderate-taken-decide')
      await second.getByRole('button', { name: 'Cancel' }).click()
      await checkAll(second, 'moderate-taken')
      await second.locator('summary', { hasText: 'Take it over' }).click()
      await second.getByLabel('Why you take it over').fill('I know the author')
      await second.locator('button', { hasText: 'Take it over' }).click()
      await second.getByText('You have taken it').waitFor()
      await first.reload()
      await first.getByText('taken by @jackdaw').waitFor()
      await first.keyboard.press('k')
      await first.getByText('I know the author').waitFor()
      await second.keyboard.press('t')
      await second.getByRole('button', { name: 'Take it', exact: true }).waitFor()
      for (const cast of casts) await decide(second, 'd', cast)
      await second.getByText('No report is open.').waitFor()
      assert.deepEqual(world.faults, [])
    })

    it('several reports are decided in one act, and one that somebody else decides meanwhile is told', async () => {
      casts = casts.slice(0, 2)
      await report('heron')
      const page = await queueOf('magpie', PHONE)
      await page.getByRole('button', { name: 'Choose several' }).click()
      const boxes = page.getByRole('checkbox', { name: /^Choose / })
      for (const box of await boxes.all()) await box.check()
      await page.getByText('2 chosen, at most 50').waitFor()
      await checkAll(page, 'moderate-several')
      await page.getByRole('button', { name: /^Warn (?:one account|2 accounts)$/ }).click()
      const dialog = page.locator('dialog[open]')
      await dialog.locator('.decide-each li').nth(1).waitFor()
      await checkAll(page, 'moderate-several-decide')
      const { storage } = world.app
      const [first] = await storage.of(reportRows).list({ state: 'open' }, 0, 1)
      const other = await fetch(
        `${world.app.urls.operations}/moderation/cases/${first!.id}/decide`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ act: 'leave', reason: 'Nothing is wrong with it' }),
        },
      )
      assert.equal(other.status, 200)
      await page.keyboard.press('Control+Enter')
      await dialog.getByText('1 of 2 are done. These are not:').waitFor()
      await dialog.getByText('This was decided already: the log says how').waitFor()
      await checkAll(page, 'moderate-several-told')
      await dialog.getByRole('button', { name: 'Close' }).click()
      await page.getByText('No report is open.').waitFor()
      assert.equal(await storage.of(reportRows).count('open'), 0)
      // The log says it, and is filtered.
      await page.locator('summary', { hasText: 'Filter the log' }).click()
      const log = page.locator('.log-filter ~ .cards .card')
      const what = page.locator('.log-filter').getByRole('combobox', { name: 'What' })
      await what.selectOption('Answers to reports and appeals')
      await log.filter({ hasText: 'Warned' }).first().waitFor({ state: 'detached' })
      await what.selectOption('Warnings, limits and suspensions')
      await log.filter({ hasText: 'Warned' }).first().waitFor()
      const who = page.locator('.log-filter').getByRole('combobox', { name: 'Who', exact: true })
      await who.selectOption('the operator')
      await log.filter({ hasText: 'Warned' }).first().waitFor({ state: 'detached' })
      await what.selectOption('All kinds')
      // More words than the server looks for at once.
      const words = page.getByLabel('Words of the reason')
      await words.fill('nothing WRONG with swans, boats and birds')
      await page.locator('.log-filter').getByRole('button', { name: 'Search' }).click()
      await log.filter({ hasText: 'Nothing is wrong with it' }).first().waitFor()
      assert.equal(await words.inputValue(), 'nothing WRONG with')
      await log
        .filter({ hasNotText: 'Nothing is wrong with it' })
        .first()
        .waitFor({ state: 'detached' })
      await checkAll(page, 'moderate-log-filter')
      assert.deepEqual(world.faults, [])
      await page.context().close()
    })

    it('all reports about one account are chosen at once, and what was done about them is undone', async () => {
      await report('heron', pair)
      const page = await queueOf('magpie', PHONE)
      const { fid } = pair[0]!.author
      await page.getByRole('button', { name: 'Choose all of this account' }).click()
      await page.getByText('2 chosen, at most 50').waitFor()
      await checkAll(page, 'moderate-all-of-account')
      await page.getByRole('button', { name: 'Limit one account' }).click()
      const dialog = page.locator('dialog[open]')
      await dialog.locator('.decide-each li').nth(1).waitFor()
      await page.keyboard.press('Control+Enter')
      await page.getByText('No report is open.').waitFor()
      const limits = world.app.storage.of(limitRows)
      assert.equal(await limits.isLimited(fid), true)
      await page.locator('.told', { hasText: 'Limited.' }).getByText('Undo').click()
      await dialog.getByText('End the limit of one account').first().waitFor()
      await dialog.getByLabel('Reason').fill('It was somebody else')
      await checkAll(page, 'moderate-undo-several')
      await page.keyboard.press('Control+Enter')
      await dialog.waitFor({ state: 'detached' })
      assert.equal(await limits.isLimited(fid), false)
      assert.deepEqual(world.faults, [])
      await page.context().close()
    })

    /** The editor of words that wait, at the end of the page of a moderator. */
    async function listOfWords(name: string): Promise<Page> {
      const page = await world.visitor({ viewport: PHONE })
      await world.actAs(page, name)
      await page.goto(`${world.web}/moderate`)
      await page.locator('summary', { hasText: 'Words and domains that wait for review' }).click()
      return page
    }

    async function limitNewAccounts(rule: object): Promise<void> {
      const answer = await fetch(`${world.app.urls.operations}/moderation/new-accounts`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(rule),
      })
      assert.equal(answer.status, 200)
    }

    it('who wrote a post that waits reads so in its place, and sees it when a moderator shows it', async () => {
      const text = 'Buy cheap boats, only today'
      const editor = await listOfWords('jackdaw')
      await editor.getByText('The list is empty.').waitFor()
      await editor.getByLabel('Word or domain').fill('Spam.example')
      await editor.getByRole('button', { name: 'Add the domain' }).click()
      await editor.locator('.held-terms', { hasText: 'spam.example' }).waitFor()
      await editor.getByLabel('Word or domain').fill('the')
      await editor.getByRole('button', { name: 'Add the word' }).click()
      await editor.getByText(/Of the last \d+ posts, [1-9]\d* would have waited/).waitFor()
      await checkAll(editor, 'held-preview')
      await editor.getByRole('button', { name: 'Add the word all the same' }).waitFor()
      await editor.getByLabel('Word or domain').fill('cheap boats')
      await editor.getByRole('button', { name: 'Add the word' }).click()
      await editor.locator('.held-terms', { hasText: 'cheap boats' }).waitFor()
      await checkAll(editor, 'held-terms')
      await limitNewAccounts({ days: 90, posts: 20, links: 0, mentions: 1 })
      const author = await world.visitor({ viewport: PHONE })
      await world.actAs(author, 'heron')
      await author.goto(`${world.web}/compose`)
      await author
        .getByText(
          /you may write 20 posts in 24 hours\. No post may have links\. Each post may have at most 1 mention\./,
        )
        .waitFor()
      await checkAll(author, 'compose-new-account')
      await author.getByRole('textbox', { name: 'Your post' }).fill(text)
      await author.getByRole('button', { name: 'Post', exact: true }).click()
      await author.waitForURL(/\/cast\/0x/)
      const waits = author.getByRole('heading', { name: 'Your post waits for a moderator.' })
      await waits.waitFor()
      await checkAll(author, 'held-author')
      const moderator = await queueOf('magpie', DESKTOP)
      await moderator.getByText('It waits for review').waitFor()
      await moderator.getByText('Held for “cheap boats”').waitFor()
      await checkAll(moderator, 'held-queue')
      await moderator.keyboard.press('d')
      await moderator.locator('dialog[open]').waitFor()
      await moderator.keyboard.press('Control+Enter')
      await moderator.getByText('No report is open.').waitFor()
      await author.reload()
      await author.locator('.cast-whole').getByText(text).waitFor()
      await author.goto(`${world.web}/moderation`)
      await author.getByText('Your post was released: everybody can see it.').waitFor()
      await author.getByText('Your post waited for a moderator.').waitFor()
      await limitNewAccounts({ days: 0 })
      for (const term of ['spam.example', 'cheap boats']) {
        await editor.getByRole('button', { name: `Remove ${term}` }).click()
        await editor.locator('.held-terms', { hasText: term }).waitFor({ state: 'detached' })
      }
      assert.deepEqual(world.faults, [])
    })
  })
}
