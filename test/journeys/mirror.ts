// What the app API and the web client say about people and casts that a mirror of chosen people does not have.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { castAdd, userDataAdd } from '../../src/kernel/protocol/build.ts'
import { toHex } from '../../src/kernel/protocol/codec/bytes.ts'
import type { SignedMessage } from '../../src/kernel/protocol/message.ts'
import { UserDataType } from '../../src/kernel/protocol/wire/message_pb.js'
import { accessibilityFaults, startBrowser, tellOfFailures } from '../browser.ts'
import { type FakeHub, startFakeHub } from '../fake-hub/fake-hub.ts'
import { Author } from '../mirror-authors.ts'
import { createMirror, heights, type MirrorWorld } from '../mirror-support.ts'
import { until } from '../until.ts'
import { type EngineName, WORLD_START_MS } from '../world.ts'

const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
const WIDTHS = [360, 1_280]
/** Folder for whoever looks at the screens. */
const PICTURES = process.env.TEST_PICTURES

export function mirrored(engine: EngineName): void {
  describe(`what a mirror of chosen people does not have, on ${engine}`, { concurrency: 1 }, () => {
    let fake: FakeHub
    let mirror: MirrorWorld
    let thread: SignedMessage[]
    before(async () => {
      fake = await startFakeHub({ now: () => WORLD_START_MS })
      const authors = [1, 2, 3, 4].map((fid) => new Author(fake.account(fid)))
      for (const author of authors) {
        const name = `Person ${author.account.fid}`
        const display = UserDataType.USER_DATA_TYPE_DISPLAY
        fake.queueMerge(author.sign((o) => userDataAdd(o, display, name)))
      }
      const [one, two, three] = authors
      const first = three!.sign((o) => castAdd(o, 'The beginning, which only fid 3 has'))
      const answer = (author: Author, to: SignedMessage, text: string) =>
        author.sign((o) => {
          const value = { fid: BigInt(to.fid), hash: to.hash }
          return castAdd(o, { text, parent: { case: 'parentCastId', value } })
        })
      const second = answer(two!, first, 'An answer of somebody who is not chosen')
      thread = [first, second, answer(one!, second, 'An answer of somebody who is')]
      fake.merge(...thread)
      const source = { address: fake.address, now: () => WORLD_START_MS }
      const env = { ROOKERY_VIEWS: 'on', ROOKERY_MIRROR_CONTEXT_DEPTH: '1' }
      mirror = await createMirror(source, { engine, env })
      await mirror.follow('fid:1')
      fake.startBlocks(250)
      await until(async () => {
        await mirror.settled(heights(fake))
        return (await screen('cast', { hash: hashOf(1) })).status === 200
      })
    })
    after(async () => {
      await mirror?.close()
      await fake.close()
    })

    const hashOf = (place: number) => toHex(thread[place]!.hash)
    const screen = async (name: string, query: Record<string, string>) => {
      const url = `${mirror.app.urls.web}/app/v2/farcaster/screen/${name}`
      const answer = await fetch(`${url}?${new URLSearchParams(query)}`, {
        headers: { 'x-api-key': 'web' },
      })
      // biome-ignore lint/suspicious/noExplicitAny: answers of several calls
      return { status: answer.status, body: (await answer.json()) as any }
    }

    test('the app API says how little of a person is mirrored, and that a cast above is not', async () => {
      const scopes = await Promise.all(
        ['!1', '!2'].map(async (username) => (await screen('person', { username })).body.mirrored),
      )
      assert.deepEqual(scopes, [undefined, 'context'])
      assert.equal((await screen('person', { username: '!4' })).status, 404)
      const { body } = await screen('cast', { hash: hashOf(2) })
      assert.equal(body.conversation.chronological_parent_casts.length, 1)
      assert.equal(body.above_is_missing, true)
    })

    describe('in the web client', () => {
      let browser: Browser
      let page: Page
      before(async () => {
        browser = await startBrowser()
        page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
      })
      tellOfFailures(() => browser)
      after(() => browser?.close())

      async function look(path: string, name: string): Promise<string> {
        await page.goto(mirror.app.urls.web + path)
        await page.getByRole('heading').first().waitFor()
        await page.getByText(/not mirrored here/i).waitFor()
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          for (const width of WIDTHS) {
            await page.setViewportSize({ width, height: 900 })
            const file = `${PICTURES}/mirror-${name}-${width}-${colorScheme}.png`
            if (PICTURES) await page.screenshot({ path: file })
            assert.equal(await page.evaluate(OVERFLOW), 0, `${name} scrolls sideways at ${width}`)
          }
          assert.deepEqual(await accessibilityFaults(page), [], `${name} in ${colorScheme}`)
        }
        return page.locator('main').innerText()
      }

      test('a person of whom only the profile is here, and one of whom nothing is, are not mirrored here', async () => {
        const text = await look('/@!2', 'context')
        assert.match(text, /Person 2/)
        assert.match(text, /the posts that others answer or quote/)
        const replies = await look('/@!2/replies', 'replies')
        assert.match(replies, /An answer of somebody who is not chosen/)
        assert.match(await look('/@!2/followers', 'followers'), /Not mirrored here/)
        assert.match(
          await look('/@!4', 'outside'),
          /This server mirrors some people of 127\.0\.0\.1/,
        )
      })

      test('a thread says where a cast above it is not mirrored here', async () => {
        const text = await look(`/cast/${hashOf(2)}`, 'thread')
        assert.match(text, /An earlier post is not mirrored here/)
        await look(`/cast/${hashOf(0)}`, 'cast')
      })

      test('a person who is mirrored has no such line', async () => {
        await page.goto(`${mirror.app.urls.web}/@!1`)
        await page.getByRole('heading', { name: 'Person 1' }).waitFor()
        assert.doesNotMatch(await page.locator('main').innerText(), /not mirrored here/i)
      })

      test('the room of the operator opens with what a mirror has, and names the people that it copies', async () => {
        await page.setViewportSize({ width: 1_280, height: 900 })
        await page.goto(`${mirror.app.urls.operations}/operator`)
        const menu = page.getByRole('navigation', { name: 'Screens' })
        await menu.getByRole('link').first().waitFor()
        const names = await menu.getByRole('link').allInnerTexts()
        // Its source keeps the accounts.
        for (const name of ['Requests to join', 'Invites', 'Recovery'])
          assert.ok(!names.includes(name), name)
        for (const name of names) {
          await menu.getByRole('link', { name, exact: true }).click()
          await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
          await page.locator('main .skeletons').first().waitFor({ state: 'detached' })
          const failed = page.getByRole('button', { name: 'Try again' })
          assert.equal(
            await failed.count(),
            0,
            `${name}: ${await page.locator('main').innerText()}`,
          )
        }
        await menu.getByRole('link', { name: 'Overview', exact: true }).click()
        const numbers = page.locator('main .tiles')
        await numbers.getByText('Accounts', { exact: true }).waitFor()
        // Nobody joins or writes there, so nothing of that is a first step.
        const steps = page.locator('.first-steps')
        await steps.getByText('Choose a picture').waitFor()
        assert.doesNotMatch(await steps.innerText(), /Join|rules|channel|Invite|recovery/)
        assert.doesNotMatch(await page.locator('main').innerText(), /Requests to join/)
        await menu.getByRole('link', { name: 'Moderators', exact: true }).click()
        await page.getByRole('combobox', { name: 'Add somebody' }).fill('Person 1')
        await page.getByRole('option', { name: /Person 1/ }).waitFor()
      })
    })
  })
}
