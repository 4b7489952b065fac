// The shapes of the public examples of snaps in the web client: every page is drawn whole and every way through them is pressed.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { devAccount } from '../../src/dev/accounts.ts'
import { submitMessages } from '../../src/kernel/hub/submit/submit-messages.ts'
import { buildMessage, castAdd } from '../../src/kernel/protocol/build.ts'
import { toHex } from '../../src/kernel/protocol/codec/bytes.ts'
import { networkTime } from '../../src/kernel/protocol/time.ts'
import { plainPng } from '../media-support.ts'
import {
  type Example,
  type ExamplePage,
  type Node,
  type Step,
  serveExamples,
} from '../snap-examples.ts'
import { type SnapServer, startSnapServer } from '../snap-server.ts'
import { until } from '../until.ts'
import { DEVNET, enginesOf } from '../world.ts'
import { browserWorld } from './browser-world.ts'

const AUTHOR = 'magpie'
const READER = 'raven'

for (const engine of enginesOf(import.meta.url)) {
  describe(`the shapes of the public examples of snaps, on ${engine}`, { concurrency: 1 }, () => {
    const world = browserWorld({ engine })
    let snap: SnapServer
    let other: SnapServer
    let examples: readonly Example[]
    let page: Page
    before(async () => {
      ;[snap, other] = [await startSnapServer(), await startSnapServer()]
      examples = serveExamples(snap, other)
      const png = plainPng(64, 48, [40, 120, 90, 255])
      snap.others.set('/picture.png', (_, response) =>
        response.writeHead(200, { 'content-type': 'image/png' }).end(png),
      )
    })
    beforeEach(async () => {
      page = await world.visitor()
      await world.actAs(page, READER)
      // Other tests are about the question before a press.
      await page.evaluate(
        ([key, host]) => localStorage.setItem(key!, JSON.stringify({ [host!]: true })),
        [`rookery.snaps.${await world.fidOf(READER)}`, new URL(snap.origin).host],
      )
    })
    after(() => {
      snap?.close()
      other?.close()
    })

    let casts = 0
    async function open({ name }: Example): Promise<Locator> {
      const { app } = world
      const fid = await world.fidOf(AUTHOR)
      casts += 1
      const origin = { fid, timestamp: networkTime(app.clock.now()) - 60 + casts, network: DEVNET }
      const embeds = [{ embed: { case: 'url' as const, value: `${snap.origin}/${name}` } }]
      const message = buildMessage(
        castAdd(origin, { text: name, embeds }),
        devAccount(fid - 1).appSeed,
      )
      const [outcome] = await submitMessages(app.hub, [message])
      assert.equal(typeof outcome, 'number', String(outcome))
      await world.indexed()
      await page.goto(`${world.web}/cast/${toHex(message.hash)}`)
      const card = page.getByRole('article', { name: /^Card of/ })
      await card.waitFor()
      return card
    }

    async function take(card: Locator, { choose = [], write = [], press }: Step): Promise<void> {
      for (const [field, words] of write) await card.getByPlaceholder(field).fill(words)
      for (const label of choose) {
        const cell = card.getByRole('button', { name: label, exact: true })
        if (await cell.count()) await cell.click()
        else await card.getByText(label, { exact: true }).first().click()
      }
      await card.getByRole('button', { name: press, exact: true }).first().click()
    }

    it('there are as many as public examples, of which one is a pair', () => {
      assert.equal(examples.length, 15 + 1)
    })

    it('every page is drawn whole, and every press of a way through them is answered', async () => {
      const fid = await world.fidOf(READER)
      for (const example of examples) {
        const { name, pages, steps } = example
        const card = await open(example)
        const seen = new Set(['home'])
        await drawnWhole(card, pages.home!, `${name} home`)
        let at = 'home'
        for (const step of steps) {
          const before = snap.presses.length
          await take(card, step)
          if (step.said) {
            await card.getByText(step.said).first().waitFor()
            continue
          }
          at = step.page ?? at
          await until(() => snap.presses.length > before, `${name}: "${step.press}" is sent`)
          await card.and(page.locator('[aria-busy=false]')).waitFor()
          await drawnWhole(card, pages[at]!, `${name} ${at}`)
          seen.add(at)
          const { fid: by, payload } = snap.presses.at(-1)!
          assert.deepEqual([by, payload.audience], [fid, snap.origin])
        }
        const all = Object.keys(pages).filter((one) => !pages[one]!.isRefused)
        assert.deepEqual([...seen].sort(), all.sort(), name)
        assert.deepEqual(world.faults.splice(0), [], name)
      }
      const { key } = snap.presses.at(-1)!
      const asked = `${world.web}/hub/v1/onChainSignersByFid?fid=${fid}&signer=${key}`
      assert.equal((await fetch(asked)).status, 200, 'a hub knows the key of the presses')
    })

    it('what was chosen and entered is sent by the names and the values that the server gave', () => {
      const sent = (path: string) =>
        snap.presses.filter((one) => one.path === path).map(({ payload }) => payload.inputs)
      assert.deepEqual(sent('/clock/chosen'), [{ zone: 'world' }, { zone: 'here' }])
      assert.deepEqual(sent('/board/played'), [{ at: '4,4' }])
      assert.deepEqual(sent('/showcase/sent'), [
        { pick: 'Beta', rating: 5, said: 'Well', told: true },
      ])
      assert.deepEqual(sent('/catalogue/results'), [
        { one: 'High', many: ['East', 'West'], effect: 'Fire' },
        { picked: '1,1', day: 'day-14' },
      ])
      assert.ok(sent('/games/canvas').some(({ colour }) => colour === 'orange'))
      assert.ok(sent('/games/bet').some(({ rain }) => rain === 'no'))
    })

    it('buttons and options stand in a row as long as their labels have room, whatever was asked for', async () => {
      const example = examples.find(({ name }) => name === 'rows')!
      const card = await open(example)
      const isRow = async (title: string) => {
        const box = card.getByText(title, { exact: true }).locator(NEXT_TO_ITEM)
        const tops = await box.evaluate(TOPS)
        return new Set(tops as number[]).size === 1
      }
      for (const step of example.steps) {
        const isLast = (await card.getByText('Within').count()) === 0
        if (!isLast) assert.equal(await isRow('Within'), true, `before ${step.page}`)
        assert.equal(await isRow('Above'), false, `before ${step.page}`)
        const before = snap.presses.length
        await take(card, step)
        await until(() => snap.presses.length > before, 'the press arrives')
        await card.and(page.locator('[aria-busy=false]')).waitFor()
      }
    })

    it('the cards of the examples look right on a phone and at a desk, in light and dark', async () => {
      for (const name of ['showcase', 'media', 'games']) {
        await open(examples.find((one) => one.name === name)!)
        await world.checkAll(page, `snap-example-${name}`)
      }
    })
  })
}

const NEXT_TO_ITEM = 'xpath=ancestor::*[contains(@class, "snap-item ")]/following-sibling::*[1]'
// biome-ignore lint/suspicious/noExplicitAny: runs in a page, whose types are not known here
const TOPS = (box: any): number[] =>
  Array.from(box.querySelectorAll('button, label'), (one: typeof box) =>
    Math.round(one.getBoundingClientRect().top),
  )

/** Waits until every word, picture, cell and field of a page is there. */
async function drawnWhole(card: Locator, { root }: ExamplePage, what: string): Promise<void> {
  const nodes = shownIn(root)
  const words = nodes.flatMap(wordsOf).map((text) => text.replace(/\s+/g, ' ').trim())
  await until(async () => {
    const text = (await card.innerText()).replace(/\s+/g, ' ')
    assert.deepEqual(
      words.filter((one) => !text.includes(one)),
      [],
    )
    return true
  }, `${what} has all its words`)
  const count = (type: string) => nodes.filter((one) => one.type === type).length
  const cells = nodes.flatMap(({ type, props }) =>
    type === 'cell_grid' ? [Number(props!.rows) * Number(props!.cols)] : [],
  )
  const expected = {
    '.snap-image img': count('image'),
    '.snap-cell': cells.reduce((sum, one) => sum + one, 0),
    'input[type=range]': count('slider'),
    'input[type=text]': count('input'),
    progress: count('progress'),
    '.snap-separator': count('separator'),
    '.snap-thumb img': nodes.filter((one) => mediaOf(one)?.variant === 'image').length,
  }
  for (const [selector, number] of Object.entries(expected)) {
    assert.equal(await card.locator(selector).count(), number, `${what}: ${selector}`)
  }
}

/** The elements that are on the screen: of a paginator its first page. */
function shownIn(node: Node): Node[] {
  const below = node.type === 'paginator' ? node.below!.slice(0, 1) : (node.below ?? [])
  return [node, ...below.flatMap(shownIn)]
}

const mediaOf = ({ props }: Node) => props?.media as { readonly variant: string } | undefined

/** What has to be read. A label that is too long is cut to thirty characters. */
function wordsOf({ type, props = {} }: Node): string[] {
  // biome-ignore lint/suspicious/noExplicitAny: each type has properties of its own
  const { content, title, subtitle, description, label, options, bars } = props as any
  const labels = (list: readonly (string | { readonly label: string })[] = []) =>
    list.map((one) => (typeof one === 'string' ? one : one.label))
  const own = [content, title, subtitle, description, ...labels(options), ...labels(bars)]
  const short = type === 'badge' ? label?.slice(0, 30) : label
  return [...own, short].filter((one) => typeof one === 'string' && one !== '')
}
