// Snaps in the web client: cards that a server describes, drawn, pressed and refused.

import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { devAccount } from '../../src/dev/accounts.ts'
import { SNAP_TIMEOUT_MS } from '../../src/features/snaps/asking.ts'
import { FETCH_TIMEOUT_MS } from '../../src/features/web/remote/site-files.ts'
import { submitMessages } from '../../src/kernel/hub/submit/submit-messages.ts'
import { buildMessage, castAdd } from '../../src/kernel/protocol/build.ts'
import { toHex } from '../../src/kernel/protocol/codec/bytes.ts'
import { networkTime } from '../../src/kernel/protocol/time.ts'
import { accessibilityFaults } from '../browser.ts'
import { holdTimeouts } from '../request-timeouts.ts'
import {
  pageOf,
  SNAP_TYPE,
  type SnapServer,
  stack,
  startSnapServer,
  submit,
  text,
} from '../snap-server.ts'
import { until } from '../until.ts'
import { DEVNET } from '../world.ts'
import { type BrowserWorld, PHONE } from './browser-world.ts'

const AUTHOR = 'magpie'
const READER = 'raven'
/** A browser asks for the links of a feed by turns: web/client/act/link-preview.tsx. */
const MAX_PREVIEWS_AT_ONCE = 2

/** A question with a field of each kind, and the page for who has answered it. */
function servePoll(snap: SnapServer): void {
  snap.pages.set('/poll', () =>
    pageOf({
      root: stack(['question', 'choice', 'why', 'sure', 'score', 'send']),
      question: text('Which colour shall the bench have?'),
      choice: {
        type: 'toggle_group',
        props: { name: 'colour', label: 'Colour', options: ['Red', 'Green'] },
      },
      why: { type: 'input', props: { name: 'why', label: 'Why?', maxLength: 40 } },
      sure: {
        type: 'switch',
        props: { name: 'sure', label: 'I am sure', defaultChecked: true },
      },
      score: { type: 'slider', props: { name: 'score', label: 'How much?', min: 0, max: 10 } },
      send: submit('Vote', `${snap.origin}/vote`),
    }),
  )
  snap.answers.set('/vote', ({ payload }) =>
    pageOf({
      root: stack(['thanks', 'bars']),
      thanks: text(`Thank you for ${payload.inputs.colour}`),
      bars: { type: 'bar_chart', props: { bars: [{ label: 'Green', value: 3 }] } },
    }),
  )
}

export function snaps(world: BrowserWorld): void {
  describe('snaps in the web client', { concurrency: 1 }, () => {
    let snap: SnapServer
    before(async () => {
      snap = await startSnapServer()
      servePoll(snap)
    })
    after(() => snap?.close())

    let casts = 0
    /** A cast with a link to a page of the server of snaps. */
    async function cast(path: string): Promise<string> {
      const { app } = world
      const fid = await world.fidOf(AUTHOR)
      casts += 1
      const origin = { fid, timestamp: networkTime(app.clock.now()) - 60 + casts, network: DEVNET }
      const embeds = [{ embed: { case: 'url' as const, value: `${snap.origin}${path}` } }]
      const message = buildMessage(
        castAdd(origin, { text: `see ${path}`, embeds }),
        devAccount(fid - 1).appSeed,
      )
      const [outcome] = await submitMessages(app.hub, [message])
      assert.equal(typeof outcome, 'number', String(outcome))
      await world.indexed()
      return toHex(message.hash)
    }
    const open = async (page: Page, hash: string) => {
      await page.goto(`${world.web}/cast/${hash}`)
      return page.getByRole('article', { name: /^Card of/ })
    }
    const reader = async (options = {}) => {
      const page = await world.visitor(options)
      await world.actAs(page, READER)
      return page
    }
    const like = async (cast: Locator) => {
      await cast.getByRole('button', { name: /^Like/ }).click()
      await cast.getByRole('button', { name: /^Unlike/ }).waitFor()
    }
    const pressesOf = (path: string) => snap.presses.filter((one) => one.path === path)

    it('a press is asked about once, signed, sent once and answered with the next page', async () => {
      const hash = await cast('/poll')
      const page = await reader()
      const card = await open(page, hash)
      await card.getByText('Which colour').waitFor()
      await world.checkAll(page, 'snap-poll')
      await card.getByText('Green').click()
      await card.getByLabel('Why?').fill('It is calm')
      assert.deepEqual(pressesOf('/vote'), [], 'nothing is sent before the button is pressed')
      await card.getByRole('button', { name: 'Vote' }).click()
      await card.getByText('will learn which account presses').waitFor()
      assert.deepEqual(pressesOf('/vote'), [], 'nothing is sent before the reader has agreed')
      await card.getByRole('button', { name: 'Send' }).dblclick()
      await card.getByText('Thank you for Green').waitFor()
      assert.equal(await card.getByRole('listitem').innerText(), 'Green\n3')
      const [pressed, ...more] = pressesOf('/vote')
      assert.deepEqual(more, [])
      const fid = await world.fidOf(READER)
      assert.equal(pressed!.fid, fid)
      const { timestamp, ...payload } = pressed!.payload
      assert.ok(Math.abs(timestamp - Date.now() / 1_000) < 300)
      assert.deepEqual(payload, {
        fid,
        user: { fid },
        inputs: { colour: 'Green', why: 'It is calm', sure: true, score: 5 },
        audience: snap.origin,
        surface: { type: 'cast', cast: { hash, author: { fid: await world.fidOf(AUTHOR) } } },
      })
      const signers = await fetch(
        `${world.web}/hub/v1/onChainSignersByFid?fid=${fid}&signer=${pressed!.key}`,
      )
      assert.equal(signers.status, 200, 'a hub knows the key for whoever verifies the press')
      await world.check(page)
      await page.context().close()
    })

    it('a card of another server that presses on this one is asked about each time', async () => {
      snap.pages.set('/foreign', () =>
        pageOf({
          root: stack(['go']),
          go: submit('Continue', `${world.web}/polls/aaaaaaaaaaaaaaaa`),
        }),
      )
      const page = await reader()
      const card = await open(page, await cast('/foreign'))
      for (const _ of [1, 2]) {
        await card.getByRole('button', { name: 'Continue' }).click()
        await card.getByText(`${new URL(world.web).host} will learn`).waitFor()
        await card.getByRole('button', { name: 'Send' }).click()
        await card.getByText('there is no poll').waitFor()
      }
      await page.context().close()
    })

    it('a host that the reader has agreed to is not asked about again, until that is taken back', async () => {
      const page = await reader()
      let card = await open(page, await cast('/poll'))
      await card.getByRole('button', { name: 'Vote' }).click()
      await card.getByRole('button', { name: 'Cancel' }).click()
      await card.getByRole('button', { name: 'Vote' }).click()
      await card.getByRole('button', { name: 'Send' }).click()
      await card.getByText('Thank you for').waitFor()
      card = await open(page, await cast('/poll'))
      await card.getByRole('button', { name: 'Vote' }).click()
      await card.getByText('Thank you for').waitFor()
      await page.goto(`${world.web}/miniapps/settings`)
      await page.getByRole('button', { name: 'Ask me again' }).click()
      await page.getByRole('heading', { name: 'Cards in posts' }).waitFor({ state: 'detached' })
      await page.context().close()
    })

    it('who looks is told only where the reader has allowed it, and the page is then one of their own', async () => {
      const fid = await world.fidOf(READER)
      snap.pages.set('/mine', (viewer) =>
        pageOf({
          root: stack(['hello', 'name', 'send']),
          hello: text(viewer ? `Welcome back, ${viewer.fid}` : 'Welcome, whoever you are'),
          name: { type: 'input', props: { name: 'name', label: 'Name' } },
          send: submit('Vote', `${snap.origin}/vote`),
        }),
      )
      const hash = await cast('/mine')
      const page = await reader()
      const card = await open(page, hash)
      await card.getByText('whoever you are').waitFor()
      await card.getByRole('button', { name: 'Vote' }).click()
      await card.getByRole('button', { name: 'Send' }).click()
      await card.getByText('Thank you').waitFor()
      await open(page, hash)
      await card.getByText('whoever you are').waitFor()
      assert.equal(snap.views.length, 0, 'a press is no leave to say who looks')
      await page.goto(`${world.web}/miniapps/settings`)
      await page.getByLabel('Also learns that I look').check()
      await world.checkAll(page, 'snap-settings')
      await open(page, hash)
      await card.getByText(`Welcome back, ${fid}`).waitFor()
      const { timestamp: _, ...payload } = snap.views.at(-1)!.payload
      assert.deepEqual(payload, {
        ...{ fid, user: { fid }, inputs: {}, audience: snap.origin },
        surface: { type: 'cast', cast: { hash, author: { fid: await world.fidOf(AUTHOR) } } },
      })
      await page.goto(`${world.web}/miniapps/settings`)
      await page.getByLabel('Also learns that I look').uncheck()
      const views = snap.views.length
      await open(page, hash)
      await card.getByText('whoever you are').waitFor()
      assert.equal(snap.views.length, views)
      await page.context().close()
    })

    it('a page of their own does not take away what the reader has entered meanwhile', async () => {
      const held = Promise.withResolvers<void>()
      snap.pages.set('/slow', async (viewer) => {
        if (viewer) await held.promise
        const label = viewer ? 'Your name' : 'Name'
        return pageOf({ root: { type: 'input', props: { name: 'name', label } } })
      })
      const page = await reader()
      await page.evaluate(
        ([key, host]) => localStorage.setItem(key!, JSON.stringify({ [host!]: 'viewer' })),
        [`rookery.snaps.${await world.fidOf(READER)}`, new URL(snap.origin).host],
      )
      const answered = page.waitForResponse((one) => one.url().endsWith('/snap/view'))
      const card = await open(page, await cast('/slow'))
      await card.getByLabel('Name').fill('Half a na')
      held.resolve()
      await (await answered).finished()
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(drawn))')
      assert.equal(await card.getByLabel('Name').inputValue(), 'Half a na')
      await page.context().close()
    })

    it('an answer after 4.9 seconds keeps the card busy and nothing else, and one that never comes is told: the same button tries again', async (t) => {
      const held = Promise.withResolvers<void>()
      const send = (response: ServerResponse, page: object) =>
        void response.writeHead(200, { 'content-type': SNAP_TYPE }).end(JSON.stringify(page))
      snap.pages.set('/waiting', () => pageOf({ root: submit('Vote', `${snap.origin}/held`) }))
      snap.others.set('/held', async (request, response) => {
        await request.toArray()
        await held.promise
        const more = { said: text('At last'), again: submit('Again', `${snap.origin}/lost`) }
        send(response, pageOf({ root: stack(['said', 'again']), ...more }))
      })
      snap.others.set('/lost', () => {})
      const page = await reader()
      const card = await open(page, await cast('/waiting'))
      const limits = holdTimeouts(t)
      await card.getByRole('button', { name: 'Vote' }).click()
      await card.getByRole('button', { name: 'Send' }).click()
      await page.locator('.snap-card[aria-busy=true]').waitFor()
      await until(() => snap.asked.includes('POST /held'), 'the press arrives')
      await card.getByRole('button', { name: 'Vote' }).click({ force: true })
      await card.getByRole('button', { name: 'Vote' }).press('Enter')
      await like(page.locator('.cast-whole'))
      limits.tick(SNAP_TIMEOUT_MS - 100)
      held.resolve()
      await card.getByText('At last').waitFor()
      assert.equal(snap.asked.filter((line) => line === 'POST /held').length, 1)
      await card.getByRole('button', { name: 'Again' }).click()
      await until(() => snap.asked.includes('POST /lost'), 'the press arrives')
      limits.tick(SNAP_TIMEOUT_MS)
      await card.getByRole('alert').getByText('did not answer in time').waitFor()
      snap.others.set('/lost', (_, response) => send(response, pageOf({ root: text('Found') })))
      await card.getByRole('button', { name: 'Again' }).click()
      await card.getByText('Found').waitFor()
      await page.context().close()
    })

    it('fifty cards in a feed whose first pages do not come are links, two are asked for at once, and the feed stays in use', async (t) => {
      const held: ServerResponse[] = []
      snap.others.set('/crowd', (_, response) => void held.push(response))
      for (let i = 0; i < 50; i++) await cast(`/crowd?number=${i}`)
      const limits = holdTimeouts(t)
      const page = await reader()
      await page.goto(`${world.web}/@${AUTHOR}`)
      await until(() => held.length === MAX_PREVIEWS_AT_ONCE, 'the first ones are asked for')
      const links = page.locator('.link-card')
      for (const wheel of [2_000, 2_000, -4_000]) await page.mouse.wheel(0, wheel)
      assert.ok((await links.count()) > MAX_PREVIEWS_AT_ONCE)
      await like(page.getByRole('article').filter({ hasText: 'see /crowd?number=49' }))
      assert.equal(held.length, MAX_PREVIEWS_AT_ONCE)
      limits.tick(FETCH_TIMEOUT_MS)
      await until(() => held.length > MAX_PREVIEWS_AT_ONCE, 'others have their turn')
      const answer = JSON.stringify(pageOf({ root: text('Here I am') }))
      const late = held.at(-1)!
      late.writeHead(200, { 'content-type': SNAP_TYPE }).end(answer)
      await page.getByText('Here I am').first().waitFor()
      await page.context().close()
      for (const response of held) response.destroy()
    })

    it('a snap that answers with another page to each press stays as quick and as small', async () => {
      let pages = 0
      const next = () =>
        pageOf({
          root: stack(['at', 'send']),
          at: text(`Page ${pages}`),
          send: submit('Next', `${snap.origin}/next`),
        })
      snap.pages.set('/story', next)
      snap.answers.set('/next', () => {
        pages += 1
        return next()
      })
      const page = await reader()
      const card = await open(page, await cast('/story'))
      await card.getByRole('button', { name: 'Next' }).click()
      await card.getByRole('button', { name: 'Send' }).click()
      await card.getByText('Page 1', { exact: true }).waitFor()
      // What is outside changes by itself: the navigation counts what is new.
      const elements = page.locator('main *')
      const size = await elements.count()
      for (let i = 2; i <= 40; i++) {
        await card.getByRole('button', { name: 'Next' }).click()
        await card.getByText(`Page ${i}`, { exact: true }).waitFor()
      }
      assert.equal(await elements.count(), size)
      await page.context().close()
    })

    it('what the server refuses is told in the card, and the same button tries again', async () => {
      const target = `${snap.origin}/late`
      snap.pages.set('/closing', () =>
        pageOf({ root: stack(['send']), send: submit('Vote', target) }),
      )
      snap.answers.set('/late', () => ({ error: 'The poll has ended.' }))
      const page = await reader()
      const card = await open(page, await cast('/closing'))
      await card.getByRole('button', { name: 'Vote' }).click()
      await card.getByRole('button', { name: 'Send' }).click()
      await card.getByRole('alert').getByText('The poll has ended.').waitFor()
      snap.answers.set('/late', () => pageOf({ root: text('One more was let in') }))
      await card.getByRole('button', { name: 'Vote' }).click()
      await card.getByText('One more was let in').waitFor()
      assert.equal(await card.getByRole('alert').count(), 0)
      await page.context().close()
    })

    it('a server of version 1 gets the form that it knows after it has refused the other', async () => {
      const target = `${snap.origin}/old-vote`
      snap.pages.set('/old', () =>
        pageOf(
          { root: stack(['no', 'yes']), no: submit('No', target), yes: submit('Yes', target) },
          { version: '1.0' },
        ),
      )
      snap.answers.set('/old-vote', ({ payload }) =>
        'button_index' in payload && !('audience' in payload)
          ? pageOf({ root: text(`Button ${payload.button_index}`) }, { version: '1.0' })
          : { error: 'button_index is missing' },
      )
      const page = await reader()
      const card = await open(page, await cast('/old'))
      await card.getByRole('button', { name: 'Yes' }).click()
      await card.getByRole('button', { name: 'Send' }).click()
      await card.getByText('Button 1').waitFor()
      assert.equal(pressesOf('/old-vote').length, 2)
      await page.context().close()
    })

    it('all elements are drawn on a phone and at a desk, in light and dark, and nobody is left out', async () => {
      const elements = {
        root: stack(['badges', 'picture', 'list', 'grid', 'inputs', 'pages', 'row']),
        badges: stack(['badge', 'icon', 'line'], { direction: 'horizontal' }),
        badge: { type: 'badge', props: { label: 'New', color: 'amber', icon: 'star' } },
        icon: { type: 'icon', props: { name: 'trophy', color: 'green' } },
        line: { type: 'separator', props: { orientation: 'vertical' } },
        picture: {
          type: 'image',
          props: {
            url: `${snap.origin}/missing.png`,
            aspect: '4:1',
            alt: 'A bench',
            title: 'Bench',
          },
        },
        list: {
          type: 'item_group',
          props: { border: true, separator: true },
          children: ['one', 'two'],
        },
        one: {
          type: 'item',
          props: {
            title: 'First',
            description: 'Of two',
            media: { variant: 'icon', name: 'heart' },
          },
          children: ['go'],
        },
        go: submit('Go', `${snap.origin}/vote`),
        two: { type: 'item', props: { title: 'Second' } },
        grid: {
          type: 'cell_grid',
          props: {
            ...{ name: 'cells', cols: 3, rows: 2, select: 'multiple' },
            cells: [
              { row: 0, col: 0, color: 'red', content: 'A' },
              { row: 1, col: 2, color: '#ffee00', content: 'B', value: 'bee' },
            ],
          },
        },
        inputs: stack(['number', 'bar']),
        number: { type: 'input', props: { name: 'n', type: 'number', label: 'Number' } },
        bar: { type: 'progress', props: { value: 1, max: 3, label: 'Done' } },
        pages: { type: 'paginator', props: {}, children: ['p1', 'p2'] },
        p1: text('First page'),
        p2: text('Second page'),
        row: stack(['back', 'more'], { direction: 'horizontal' }),
        back: {
          type: 'button',
          props: { label: 'Back' },
          on: { press: { action: 'paginator_prev' } },
        },
        more: {
          type: 'button',
          props: { label: 'More' },
          on: { press: { action: 'paginator_next' } },
        },
      }
      snap.pages.set('/all', () =>
        pageOf(elements, { theme: { accent: 'teal' }, effects: ['confetti'] }),
      )
      const hash = await cast('/all')
      const page = await reader({ viewport: PHONE })
      const card = await open(page, hash)
      await card.getByText('First page').waitFor()
      await card.getByRole('button', { name: 'Show more' }).click()
      await world.checkAll(page, 'snap-elements')
      await card.getByRole('button', { name: 'B', exact: true }).press('Space')
      await card.getByRole('button', { name: 'Row 1, column 2' }).press('Space')
      assert.equal(await card.getByRole('button', { pressed: true }).count(), 2)
      await card.getByRole('button', { name: 'More', exact: true }).click()
      await card.getByText('Second page').waitFor()
      await card.getByRole('button', { name: 'Back' }).click()
      await card.getByText('First page').waitFor()
      await card.getByRole('button', { name: 'Go' }).click()
      await card.getByRole('button', { name: 'Send' }).click()
      await card.getByText('Thank you').waitFor()
      assert.equal(pressesOf('/vote').at(-1)!.payload.inputs.cells, 'bee|0,1')
      assert.deepEqual(await accessibilityFaults(page), [])
      world.faults.splice(0)
      await page.context().close()
    })

    it('prefetching: first pages of links near the window are fetched unsigned and two at once; reading, scrolling and hovering send no press', async () => {
      const before = { asked: snap.asked.length, views: snap.views.length }
      const shown = new Set<string>()
      let running = 0
      let most = 0
      snap.others.set('/ahead', async (request, response) => {
        assert.equal(request.method, 'GET')
        assert.equal(request.headers['x-snap-payload'], undefined)
        shown.add(request.url!)
        running += 1
        most = Math.max(most, running)
        // The next ones are asked for meanwhile, if they are at all.
        await world.indexed()
        running -= 1
        const page = pageOf({ root: submit('Vote', `${snap.origin}/vote`) })
        response.writeHead(200, { 'content-type': SNAP_TYPE }).end(JSON.stringify(page))
      })
      for (let i = 0; i < 50; i++) await cast(`/ahead?number=${i}`)
      const page = await reader()
      const paths: string[] = []
      page.on('request', (request) => paths.push(new URL(request.url()).pathname))
      await page.goto(`${world.web}/@${AUTHOR}`)
      const cards = page.getByRole('article', { name: /^Card of/ })
      await cards.nth(3).waitFor()
      await page.getByRole('button', { name: 'Vote' }).nth(2).hover()
      assert.ok(shown.size < 25, `${shown.size} of 50 links were near the window`)
      await page.mouse.wheel(0, 4_000)
      await cards.nth(6).waitFor()
      await page.getByRole('button', { name: 'Vote' }).nth(5).focus()
      assert.ok(most <= MAX_PREVIEWS_AT_ONCE, `${most} at once`)
      assert.ok(paths.includes('/preview'))
      assert.deepEqual(
        paths.filter((path) => path.startsWith('/snap/')),
        [],
      )
      const asked = snap.asked.slice(before.asked)
      assert.deepEqual(
        asked.filter((line) => !line.startsWith('GET ')),
        [],
      )
      assert.equal(snap.views.length, before.views, 'nobody is told who looks')
      await page.context().close()
    })

    it('a hostile snap is a plain link, and its words are only words', async () => {
      const plain: Readonly<Record<string, () => object>> = {
        '/too-many': () =>
          pageOf(
            Object.fromEntries(
              Array.from({ length: 10_000 }, (_, i) => [i ? `e${i}` : 'root', text('x')]),
            ),
          ),
        '/too-deep': () => {
          const ids = ['root', ...Array.from({ length: 63 }, (_, i) => `e${i}`)]
          return pageOf(Object.fromEntries(ids.map((id, i) => [id, stack([ids[i + 1] ?? 'root'])])))
        },
        '/http-picture': () =>
          pageOf({
            root: { type: 'image', props: { url: 'http://192.0.2.1/a.png', aspect: '1:1' } },
          }),
        '/script': () => pageOf({ root: submit('Go', 'javascript:pwned=1') }),
      }
      for (const [path, make] of Object.entries(plain)) snap.pages.set(path, () => make() as never)
      snap.others.set('/endless', (_, response) => {
        response.writeHead(302, { location: `${snap.origin}/endless` }).end()
      })
      snap.others.set('/huge', (_, response) => {
        response.writeHead(200, { 'content-type': SNAP_TYPE })
        const piece = Buffer.alloc(1024 * 1024, ' ')
        pipeline(Readable.from(Array.from({ length: 100 }, () => piece)), response, () => {})
      })
      const page = await reader()
      for (const path of [...Object.keys(plain), '/endless', '/huge']) {
        const answered = page.waitForResponse((one) => one.url().includes('/preview?'))
        const card = await open(page, await cast(path))
        await answered
        await page.locator('.cast-whole .link-card').waitFor()
        assert.equal(await card.count(), 0, path)
      }
      snap.pages.set('/markup', () =>
        pageOf({ root: text('<img src=x onerror="pwned=1"><script>pwned=1</script>\u202e') }),
      )
      const card = await open(page, await cast('/markup'))
      await card.getByText('<img src=x').waitFor()
      assert.equal(await card.locator('img, script').count(), 0)
      assert.equal(await page.evaluate('typeof pwned'), 'undefined')
      await page.context().close()
    })

    it('a snap of a newer version says that the page has to be reloaded', async () => {
      snap.pages.set('/newer', () => pageOf({ root: text('new') }, { version: '3.0' }))
      const page = await reader()
      await open(page, await cast('/newer'))
      await page.getByText('needs a newer version').waitFor()
      await page.context().close()
    })

    it('a visitor without an account is led to joining by a press', async () => {
      const page = await world.visitor()
      const card = await open(page, await cast('/poll'))
      await card.getByRole('button', { name: 'Vote' }).click()
      await page.waitForURL(/\/join/)
      await page.context().close()
    })

    it('a snap opens another one in its place, and what it composes is for the reader to send', async () => {
      const press = (label: string, action: string, params: object) => ({
        type: 'button',
        props: { label },
        on: { press: { action, params } },
      })
      snap.pages.set('/doors', () =>
        pageOf({
          root: stack(['snap', 'write', 'person', 'token']),
          snap: press('Poll', 'open_snap', { target: `${snap.origin}/poll` }),
          write: press('Write', 'compose_cast', {
            text: 'I have voted',
            embeds: [`${snap.origin}/poll`],
          }),
          person: press('Person', 'view_profile', { fid: 2 }),
          token: press('Token', 'view_token', { token: 'eip155:1/slip44:60' }),
        }),
      )
      const hash = await cast('/doors')
      const page = await reader()
      let card = await open(page, hash)
      await card.getByRole('button', { name: 'Token' }).click()
      await card.getByText('shows and sends no tokens').waitFor()
      await card.getByRole('button', { name: 'Poll' }).click()
      await card.getByText('Which colour').waitFor()
      card = await open(page, hash)
      await card.getByRole('button', { name: 'Write' }).click()
      await page.waitForURL(/\/compose/)
      await until(async () =>
        (await page.getByRole('textbox').first().inputValue()).startsWith('I have voted'),
      )
      card = await open(page, hash)
      await card.getByRole('button', { name: 'Person' }).click()
      await page.waitForURL(/\/@/)
      await page.context().close()
    })
  })
}
