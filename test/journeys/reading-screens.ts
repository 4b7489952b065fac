// The web client as people meet it: in a browser, against a network that runs.

import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { create } from '@bufbuild/protobuf'
import type { Page } from 'playwright-core'
import type { App } from '../../src/app.ts'
import { devAccount } from '../../src/dev/accounts.ts'
import { CHANNELS } from '../../src/features/channels/port.ts'
import { submitMessages } from '../../src/kernel/hub/submit/submit-messages.ts'
import {
  buildMessage,
  castAdd,
  type DataInit,
  type Origin,
  reactionAdd,
  userDataAdd,
} from '../../src/kernel/protocol/build.ts'
import { toHex } from '../../src/kernel/protocol/codec/bytes.ts'
import { networkTime } from '../../src/kernel/protocol/time.ts'
import { ReactionType, UserDataType } from '../../src/kernel/protocol/wire/message_pb.js'
import {
  OnChainEventSchema,
  OnChainEventType,
  TierType,
} from '../../src/kernel/protocol/wire/onchain_event_pb.js'
import { accessibilityFaults, untilInPage } from '../browser.ts'
import { LONG } from '../effort.ts'
import { indexed } from '../indexed.ts'
import { until } from '../until.ts'
import { DEVNET } from '../world.ts'
import type { BrowserWorld } from './browser-world.ts'

// What pages have where they are evaluated; the tests themselves run without it.
// biome-ignore lint/suspicious/noExplicitAny: elements are read by path
type Json = any
declare const document: Json
declare const window: Json
declare const location: Json
declare const getComputedStyle: (element: Json) => Json

const WIDTHS = [1280, 768, 360]
const THEMES = ['light', 'dark'] as const
const MAX_FIRST_LOAD_BYTES = 150_000
/** Of the column beside the content: more than one reads at a glance belongs in the menu. */
const MAX_ENTRIES = 7
/** Casts of one account, so that lists have more than one page. */
const MANY = 40
const BASE_CHAIN_ID = 8453

const RAVEN = 2
/** One more than a search shows of people first. */
const FLOCK = [3, 4, 5, 6, 7, 8]
const ATTACKER = 9
const VICTIM = 10

/** What strangers write into every field. It sets `pwned` where it runs. */
const HOSTILE = {
  markup: '<img src=x onerror=pwned=1><script>pwned=1</script>',
  attribute: '"><svg onload=pwned=1><a href="javascript:pwned=1">',
  address: 'javascript:pwned=1',
  data: 'data:text/html,<script>parent.pwned=1</script>',
  direction: 'photo\u202egnp.exe\u2066 https://good.example/\u202e/moc.live//:sptth',
  host: 'https://аррӏе.com/ https://good.example@evil.example/',
} as const

export function readingScreens(world: BrowserWorld): void {
  describe('the screens of the web client', { concurrency: 1 }, () => {
    let app: App
    let hostileHash: string
    let threadHash: string
    const { faults } = world

    before(async () => {
      app = world.app
      await fillNetwork()
    })

    const submit = async (fid: number, ...makes: ((origin: Origin) => DataInit)[]) => {
      const now = networkTime(app.clock.now())
      const messages = makes.map((make, i) => {
        const timestamp = now - makes.length + i
        return buildMessage(make({ fid, timestamp, network: DEVNET }), devAccount(fid - 1).appSeed)
      })
      for (const outcome of await submitMessages(app.hub, messages)) {
        if (typeof outcome !== 'number') throw outcome
      }
      await indexed(app)
      return messages
    }
    const profile = (type: UserDataType, value: string) => (origin: Origin) =>
      // Later than what the development world sets, which would win.
      userDataAdd({ ...origin, timestamp: origin.timestamp + 120 }, type, value)

    const texts = (text: string, count: number) =>
      Array.from(
        { length: count },
        (_, i) => (origin: Origin) => castAdd(origin, { text: `${text} ${i}` }),
      )
    const castWith = (url: string) => (origin: Origin) =>
      castAdd(origin, { text: 'see', embeds: [{ embed: { case: 'url', value: url } }] })

    /** Adds what strangers write to the development world, a long list, and a thread with reactions. */
    async function fillNetwork() {
      await submit(8, ...texts('Cast number', MANY))
      await submit(
        ATTACKER,
        profile(UserDataType.USER_DATA_TYPE_DISPLAY, 'Rаven \u202e<b>'),
        profile(UserDataType.USER_DATA_TYPE_BIO, `${HOSTILE.markup} ${HOSTILE.direction}`),
        profile(UserDataType.USER_DATA_TYPE_PFP, HOSTILE.address),
        profile(UserDataType.USER_DATA_TYPE_URL, HOSTILE.address),
        profile(UserDataType.USER_DATA_TYPE_LOCATION, 'geo:-33.10,0.00'),
      )
      await app.ledger!.importEvents([proOf(ATTACKER, app.clock.now())])
      await submit(ATTACKER, profile(UserDataType.USER_DATA_TYPE_BANNER, HOSTILE.data))
      for (const fid of FLOCK) {
        await submit(fid, profile(UserDataType.USER_DATA_TYPE_DISPLAY, `Flock ${fid}`))
      }
      const { url } = await app.of(CHANNELS).createFor({
        channelId: 'hostile',
        name: 'Hostile <script>pwned=1</script>',
        description: `${HOSTILE.attribute} ${HOSTILE.host}`,
        ownerFid: ATTACKER,
      })
      await app.of(CHANNELS).editAny({
        channelId: 'hostile',
        externalLink: { title: '<b onclick=pwned=1>', url: 'https://good.example@evil.example/' },
      })
      const casts = await submit(
        ATTACKER,
        ...Object.values(HOSTILE).map((text) => (origin: Origin) => castAdd(origin, { text })),
        (origin) =>
          castAdd(origin, {
            text: ` ${HOSTILE.markup}`,
            mentions: [BigInt(VICTIM)],
            mentionsPositions: [0],
            parent: { case: 'parentUrl', value: url },
          }),
        (origin) =>
          castAdd(origin, {
            text: 'embeds',
            embeds: [HOSTILE.address, HOSTILE.data].map((url) => ({
              embed: { case: 'url' as const, value: url },
            })),
          }),
      )
      hostileHash = toHex(casts.at(-1)!.hash)
      const [root] = await submit(RAVEN, (origin) => castAdd(origin, { text: 'Who is here?' }))
      const parent = { fid: BigInt(RAVEN), hash: root!.hash }
      threadHash = toHex(root!.hash)
      await submit(
        VICTIM,
        (origin) =>
          castAdd(origin, { text: 'I am', parent: { case: 'parentCastId', value: parent } }),
        (origin) => reactionAdd(origin, ReactionType.LIKE, { fid: RAVEN, hash: root!.hash }),
      )
    }

    async function open({ fid }: { fid?: number } = {}): Promise<Page> {
      // Requests of a service worker pass by the listeners of a page.
      const page = await world.visitor({ serviceWorkers: 'block' })
      if (fid) await page.addInitScript(`localStorage.setItem('rookery.fid', '${fid}')`)
      page.on('dialog', (dialog) => faults.push(`dialog ${dialog.message()}`))
      return page
    }

    /** Opens a path, and waits until the screen has its content. Returns the requests of interfaces. */
    async function show(page: Page, path: string, content: string): Promise<string[]> {
      const requests: string[] = []
      const note = (request: { url(): string }) => {
        const rest = request.url().slice(world.web.length)
        if (/^\/(app|hub|registry|platform|accounts)\//.test(rest)) requests.push(rest)
      }
      page.on('request', note)
      await page.goto(world.web + path)
      await page.locator(content).first().waitFor()
      page.off('request', note)
      return requests
    }

    type Screen = { path: string; content: string; title: string; fid?: number; calls?: number }
    const screens = (): Screen[] => [
      { path: '/', content: 'main article', title: 'Home' },
      { path: '/?feed=trending', content: 'main article, main .state', title: 'Home' },
      { path: '/?feed=following', content: 'main article', title: 'Home', fid: RAVEN },
      { path: '/?feed=channels', content: 'main article, main .state', title: 'Home', fid: RAVEN },
      { path: '/@raven', content: 'main article', title: 'Raven (@raven)' },
      { path: '/@raven/followers', content: 'main article.row', title: 'Raven (@raven)' },
      { path: '/@raven/names', content: '.changes li', title: 'Raven (@raven)' },
      { path: `/cast/${threadHash}`, content: '.replies article', title: 'Raven: Who is here?' },
      { path: '/channels', content: '.channel-card', title: 'Channels' },
      { path: '/channel/rookery', content: 'h1', title: 'The rookery (/rookery)' },
      { path: '/channel/rookery/members', content: 'article.row', title: 'The rookery (/rookery)' },
      { path: '/notifications', content: 'main article', title: 'Notifications', fid: RAVEN },
      { path: '/search', content: '.explore-part', title: 'Explore' },
      { path: '/search?q=raven', content: 'main article', title: 'Search: raven' },
      { path: '/names', content: '.changes li', title: 'Names' },
      { path: '/name/raven', content: '[data-ready]', title: 'The name raven' },
      { path: '/name/kestrel', content: '[data-ready]', title: 'The name kestrel' },
      { path: '/events?from=1', content: '.events li', title: 'Events', calls: 0 },
      { path: '/development', content: '.act-as li', title: 'Development network', calls: 0 },
      { path: '/join', content: 'form.fields', title: 'Join', calls: 0 },
      { path: '/join/sign-in', content: '.unlock', title: 'Sign in', calls: 0 },
      { path: '/join/wallet', content: '.wallet-apps', title: 'Join', calls: 0 },
      { path: '/account', content: '.amounts div', title: 'My account', fid: RAVEN },
      { path: '/compose?channel=rookery', content: '.composer', title: 'New post', fid: RAVEN },
      { path: '/profile', content: 'form.fields', title: 'Edit your profile', fid: RAVEN },
      { path: '/settings', content: '.settings-list li', title: 'Settings', fid: RAVEN, calls: 0 },
      { path: '/help', content: '.help-text', title: 'Help', calls: 0 },
      { path: '/no/such/page', content: 'main .state', title: 'Not found', calls: 0 },
    ]

    it('every screen is one call of the app API, fits every width, and is accessible', async () => {
      const pages = new Map<number | undefined, Page>()
      for (const { path, content, title, fid, calls = 1 } of screens()) {
        const page = pages.get(fid) ?? (await open())
        // With the key: more is asked for who acts than for who only looks.
        if (fid === RAVEN && !pages.has(fid)) await world.actAs(page, 'raven')
        pages.set(fid, page)
        const requests = await show(page, path, content)
        // The frame asks once a visit for the viewer, the end of its storage, what is new, in which of its channels, what it has
        // bookmarked, in which language it reads, and whom to follow; Home for the lists and tags that are its tabs, the composer for rules that were not read. Notifications say that
        // they were seen.
        const ofFrame =
          /\/(?:user\/bulk\?fids=|screen\/storage\?|notifications\/(?:unseen\?|seen$)|channel\/own|list\/own$|bookmark\/own\/hashes$|language\/own$|screen\/discover)/
        const toApp = requests.filter((url) => url.startsWith('/app/') && !ofFrame.test(url))
        assert.equal(toApp.length, calls, `${path}: ${requests}`)
        const plain = (await page.title()).replace(/^\(\d+\) /, '')
        assert.equal(plain, `${title} – Rookery`)
        // A window of 1,280 × 1,024 pixels that is zoomed to 400 %.
        await page.setViewportSize({ width: 320, height: 256 })
        assert.deepEqual(await layoutFaults(page), [], `${path} at 400 %`)
        assert.ok((await heldHeight(page)) < 256 / 4, `${path} at 400 %: bars over the content`)
        for (const theme of THEMES) {
          await page.emulateMedia({ colorScheme: theme })
          // Only colors differ between the themes.
          for (const width of theme === 'light' || LONG ? WIDTHS : WIDTHS.slice(0, 1)) {
            await page.setViewportSize({ width, height: 900 })
            assert.deepEqual(await layoutFaults(page), [], `${path} ${theme} ${width}`)
          }
          const rules = theme === 'light' ? [] : ['color-contrast']
          const found = await accessibilityFaults(page, ...rules)
          assert.deepEqual(found, [], `${path} ${theme}`)
        }
      }
      assert.deepEqual(faults, [])
    })

    it('the first load is less than 150 kB as it is sent', async () => {
      const page = await open({ fid: RAVEN })
      const files: Promise<{ url: string; bytes: number }>[] = []
      page.on('requestfinished', (request) => {
        if (!['document', 'script', 'stylesheet'].includes(request.resourceType())) return
        const sizes = request.sizes()
        files.push(sizes.then(({ responseBodySize: bytes }) => ({ url: request.url(), bytes })))
      })
      await show(page, '/', 'main article')
      await page.waitForLoadState('networkidle')
      const sent = await Promise.all(files)
      for (const end of [/\/$/, /\.js$/, /\.css$/]) assert.ok(sent.some(({ url }) => end.test(url)))
      const total = sent.reduce((sum, { bytes }) => sum + bytes, 0)
      assert.ok(total < MAX_FIRST_LOAD_BYTES, `${total} bytes: ${JSON.stringify(sent)}`)
      assert.ok(total > MAX_FIRST_LOAD_BYTES / 4, 'all of it is counted')
    })

    it('a list of people that were found goes on', async () => {
      const page = await open()
      await show(page, '/search?q=flock', '#people')
      const people = page.locator('section[aria-labelledby=people]')
      await people.locator('article').nth(4).waitFor()
      assert.equal(await people.locator('article').count(), 5)
      await people.getByRole('button', { name: 'Show more' }).click()
      await people
        .locator('article')
        .nth(FLOCK.length - 1)
        .waitFor()
      assert.equal(await people.getByRole('button', { name: 'Show more' }).count(), 0)
      assert.deepEqual(faults, [])
    })

    it('a cast that is stored waits in the browsers of others, where nothing moves until it is asked for', async () => {
      const page = await open()
      await show(page, '/', '.live-live')
      await page.evaluate(() => window.scrollTo(0, 600))
      const first = page.locator('main article').nth(4)
      const before = await first.boundingBox()
      await submit(7, (origin) => castAdd(origin, { text: 'Fog has lifted' }))
      const pill = page.getByRole('button', { name: '1 new post' })
      await pill.waitFor()
      assert.deepEqual(await first.boundingBox(), before)
      assert.equal(await page.locator('main').getByText('Fog has lifted').count(), 0)
      assert.deepEqual(await accessibilityFaults(page), [])
      await pill.click()
      await page.locator('main').getByText('Fog has lifted').waitFor()
      assert.equal(await page.evaluate(() => window.scrollY), 0)
      assert.equal(await pill.count(), 0)
      assert.equal(await page.locator('main article').first().getByText('Fog has').count(), 1)
      assert.deepEqual(faults, [])
    })

    it('a stream from a position that is above the newest event goes on at the newest one, and says so', async () => {
      const page = await open()
      await show(page, '/events?from=999999999999999', '.live-live')
      await page.getByText('The events were reset or restored').waitFor()
      await submit(4, (origin) => castAdd(origin, { text: 'After the reset' }))
      await page.locator('.events li').first().waitFor()
    })

    it('what strangers write is shown as text in every field', async () => {
      const page = await open({ fid: VICTIM })
      const paths = ['/', '/@jackdaw', `/cast/${hostileHash}`, '/channel/hostile', '/channels']
      const more = ['/search?q=pwned', '/search?q=hostile', '/notifications', '/events?from=1']
      for (const path of [...paths, ...more]) {
        await show(page, path, 'main article, .events li')
        assert.equal(await page.evaluate('typeof pwned'), 'undefined', path)
        assert.deepEqual(await dangerousElements(page), [], path)
      }
      await show(page, '/@jackdaw', '.profile')
      // The posts come after the profile.
      await page.locator('main', { hasText: 'xn--' }).waitFor()
      const name = await page.locator('h1').innerText()
      assert.match(name, /letters of another alphabet/)
      const text = await page.locator('main').innerText()
      assert.ok(text.includes('<img src=x onerror=pwned=1>'), 'markup is text')
      assert.doesNotMatch(text, /[\u202a-\u202e\u2066-\u2069]/)
      assert.ok(text.includes('xn--'), 'the host is shown as it is asked for')
      assert.ok(text.includes('33.10° S, 0.00° E'), text)
      // The place is another one, once the list of places has come.
      const website = page.locator('.whereabouts bdi').first()
      assert.equal(await website.innerText(), HOSTILE.address)
      assert.equal(await page.locator('.profile-banner').count(), 0)
      assert.deepEqual(faults, [])
    })

    it('a link in a list is shown as its page says, when it comes into view', async () => {
      const page = await open()
      const asked: string[] = []
      await page.route('**/preview?*', (route) => {
        asked.push(new URL(route.request().url()).searchParams.get('url')!)
        return route.fulfill({
          json: { kind: 'page', site: 'bank.example', title: `${HOSTILE.markup}\u202e` },
        })
      })
      await submit(
        7,
        castWith('https://far.example/a'),
        ...texts('filler', 20),
        castWith('https://near.example/a'),
      )
      await show(page, '/', '.preview')
      assert.deepEqual(asked, ['https://near.example/a'])
      const previews = page.locator('.preview')
      const preview = previews.first()
      assert.equal(await preview.innerText(), `near.example\n${HOSTILE.markup}`)
      assert.equal(await previews.locator('img, script').count(), 0)
      // The list moves as long as its casts are measured.
      const far = page.locator('article', { hasText: 'far.example' })
      await until(async () => {
        await far.scrollIntoViewIfNeeded()
        return (await previews.count()) === 2
      })
      assert.deepEqual(await dangerousElements(page), [])
      assert.deepEqual(faults, [])
    })

    it('the browser verifies the signed message of a cast itself, and sees a lie', async () => {
      const page = await open()
      let lie = (message: Json): Json => message
      await page.route('**/screen/cast?*', async (route) => {
        const response = await route.fetch()
        const answer = await response.json()
        await route.fulfill({ response, json: { ...answer, message: lie(answer.message) } })
      })
      const verdicts = async (): Promise<string[]> => {
        await show(page, `/cast/${threadHash}`, '.cast-whole')
        await page.locator('.folded summary').getByText('Details').click()
        await page.locator('.own-checks li').first().waitFor()
        return page
          .locator('.own-checks li')
          .evaluateAll((rows: Json[]) =>
            rows.map((row) => `${row.querySelector('strong').textContent} ${row.className}`),
          )
      }
      assert.deepEqual(await verdicts(), ['hash good', 'signature good', 'fields good'])
      await page.locator('.signed-text').getByText('Who is here?').waitFor()
      lie = (message) => ({ ...message, fid: 1 })
      assert.deepEqual(await verdicts(), ['hash good', 'signature good', 'fields bad'])
      await page.getByText('The data bytes say otherwise than shown: fid is 2.').waitFor()
      lie = (message) => ({ ...message, data_bytes: message.data_bytes.replace(/..$/, '00') })
      assert.equal((await verdicts())[0], 'hash bad')
      lie = (message) => ({ ...message, signature: `0x${'11'.repeat(64)}` })
      assert.deepEqual(await verdicts(), ['hash good', 'signature bad', 'fields good'])
      // What is still being answered must not come after the end.
      await page.unrouteAll({ behavior: 'wait' })
      assert.deepEqual(faults, [])
    })

    it('going back leads to the same place of a list', async () => {
      const page = await open()
      await show(page, '/', 'main article')
      const before = await page.locator('main article').count()
      // A list goes on by itself when its end comes near.
      await page.locator('main article').last().scrollIntoViewIfNeeded()
      await untilInPage(page, (n) => document.querySelectorAll('main article').length > n, before)
      const count = await page.locator('main article').count()
      const chosen = page.locator('main article').nth(before + 3)
      await chosen.scrollIntoViewIfNeeded()
      // A click on the text opens the thread as the link of its time does; one that ends a selection does not.
      const text = chosen.locator('.cast-text')
      await text.selectText()
      await text.dispatchEvent('click')
      await page.evaluate('getSelection().removeAllRanges()')
      const { width, height } = (await text.boundingBox())!
      // What comes late above moves the list until it is left, and the click may scroll.
      await page.evaluate(
        "addEventListener('click', () => (window.placeLeft = window.scrollY), { capture: true })",
      )
      await text.click({ position: { x: width - 2, y: height - 2 } })
      await page.locator('.cast-whole').waitFor()
      const place = (await page.evaluate('window.placeLeft')) as number
      assert.ok(place > 1_000)
      assert.equal(await page.evaluate(() => window.scrollY), 0)
      await page.goBack()
      await untilInPage(page, (n) => document.querySelectorAll('main article').length >= n, count)
      await untilInPage(page, (y) => Math.abs(window.scrollY - y) < 200, place)
    })

    it('the keyboard reaches the content, and a chosen theme is kept', async () => {
      const page = await open()
      await show(page, '/', 'main article')
      await page.keyboard.press('Tab')
      const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
      assert.equal(await focused(), 'Skip to the content')
      await page.keyboard.press('Enter')
      assert.equal(await page.evaluate(() => document.activeElement?.id), 'main')
      const dark = () => page.evaluate(() => document.documentElement.dataset.theme)
      await show(page, '/settings', '.settings-list')
      await page.getByRole('button', { name: 'Theme: system' }).click()
      const around = () =>
        page.evaluate(() =>
          [...document.querySelectorAll('meta[name="theme-color"]')]
            .filter(({ media }) => window.matchMedia(media).matches)
            .map(({ content }) => content),
        )
      const [light] = await around()
      await page.getByRole('button', { name: 'Theme: light' }).press('Enter')
      assert.equal(await dark(), 'dark')
      await page.reload()
      assert.equal(await dark(), 'dark')
      const [colour, ...others] = await around()
      assert.deepEqual(others, [], 'one colour around the page')
      assert.notEqual(colour, light, 'what is around the page follows the theme')
    })

    it('settings and help are found by their words, and each setting leads to its part', async () => {
      const page = await open({ fid: RAVEN })
      await show(page, '/', 'main article')
      const main = page.getByRole('navigation', { name: 'Main' })
      const entries = main.locator('li')
      assert.ok((await entries.count()) <= MAX_ENTRIES, (await entries.allInnerTexts()).join())
      const inMenu = async (name: string) => {
        await main.getByRole('button', { name: 'More' }).click()
        await page.getByRole('navigation', { name: 'More' }).getByRole('link', { name }).click()
      }
      await inMenu('Settings')
      const found = page.locator('.settings-list li')
      const rowOf = (label: string) => found.filter({ hasText: label })
      assert.equal(await rowOf('Change your @name').locator('.set-to').innerText(), '@raven')
      await page.getByLabel('Search settings').fill('storage')
      assert.deepEqual(await found.allInnerTexts(), ['Storage\nHow much room your posts have'])
      await found.getByRole('link').click()
      await page.getByRole('heading', { name: 'Storage' }).waitFor()
      assert.equal(new URL(page.url()).hash, '#storage')
      // What was asked for there is known here.
      await page.getByText('None. If you lose your words').waitFor()
      await inMenu('Settings')
      assert.equal(await rowOf('Recovery address').locator('.set-to').innerText(), 'None')
      await inMenu('Help')
      await page.getByRole('heading', { name: /^Help for/ }).waitFor()
      await page.getByLabel('Search the help').fill('lost password')
      const headings = page.locator('main section:has(.help-text) h2')
      assert.deepEqual(await headings.allInnerTexts(), ['A lost device, a lost password'])
      await page.getByLabel('Search the help').fill('zeppelin')
      await page.getByText('Nothing here has all of these words.').waitFor()
    })

    it('a refused request says what to do, and has its id', async () => {
      const page = await open()
      await page.route('**/app/v2/**', (route) =>
        route.fulfill({
          status: 500,
          headers: { 'x-request-id': 'req-7', 'content-type': 'application/json' },
          body: JSON.stringify({ code: 'InternalServerError', message: 'it broke', status: 500 }),
        }),
      )
      await show(page, '/@raven', '[role=alert]')
      const text = await page.locator('main').innerText()
      assert.match(text, /It broke\./)
      assert.match(text, /req-7/)
      await page.unroute('**/app/v2/**')
      await page.getByRole('main').getByRole('button', { name: 'Try again' }).click()
      await page.locator('main article').first().waitFor()
    })
  })
}

/** The purchase of a pro subscription, without which the hub refuses banners. */
const proOf = (fid: number, nowMs: number) =>
  create(OnChainEventSchema, {
    type: OnChainEventType.EVENT_TYPE_TIER_PURCHASE,
    chainId: BASE_CHAIN_ID,
    blockNumber: 1,
    blockHash: new Uint8Array(32).fill(1),
    blockTimestamp: BigInt(Math.floor(nowMs / 1_000)),
    transactionHash: new Uint8Array(32).fill(2),
    fid: BigInt(fid),
    body: {
      case: 'tierPurchaseEventBody',
      value: { tierType: TierType.Pro, forDays: 30n, payer: new Uint8Array(20).fill(3) },
    },
  })

/** Elements that reach out of the window, and texts that are cut off. */
const layoutFaults = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = []
    const root = document.documentElement
    if (root.scrollWidth > root.clientWidth) found.push(`the page is ${root.scrollWidth} wide`)
    for (const element of document.querySelectorAll('body *')) {
      const { overflowX, overflowY, display, clipPath } = getComputedStyle(element)
      if (display === 'none' || clipPath !== 'none' || element.closest('svg, .clamp, pre')) continue
      const isCut = overflowX === 'hidden' && element.scrollWidth > element.clientWidth + 1
      const isLow = overflowY === 'hidden' && element.scrollHeight > element.clientHeight + 1
      if (isCut || isLow) found.push(`${element.className} is cut off`)
      const { left, right, width } = element.getBoundingClientRect()
      const isOut = width > 0 && (left < -1 || right > root.clientWidth + 1)
      if (isOut && !element.closest('.tabs, .skip')) found.push(`${element.className} is outside`)
    }
    return found
  })

/** Elements that strangers must not be able to make. */
const dangerousElements = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const made = document.querySelectorAll(
      'main script, main iframe, main object, main embed, main form[action], main [onerror], main [onload], main style',
    )
    const links = [...document.querySelectorAll('main a')].filter(
      ({ href, protocol, target, rel, origin }: Json) =>
        !/^https?:$/.test(protocol) ||
        href.includes('@evil') ||
        (origin !== location.origin && (target !== '_blank' || !rel.includes('noreferrer'))),
    )
    const pictures = [...document.querySelectorAll('main img')].filter(
      ({ src }: Json) => !src.startsWith(location.origin),
    )
    return [...made, ...links, ...pictures].map(({ outerHTML }: Json) => outerHTML)
  })

/** How much of the window is held by bars that do not scroll with the content, in pixels. */
const heldHeight = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const bars = [...document.querySelectorAll('body *')].filter((element) =>
      ['fixed', 'sticky'].includes(getComputedStyle(element).position),
    )
    return bars.reduce((sum, bar) => sum + bar.getBoundingClientRect().height, 0)
  })
