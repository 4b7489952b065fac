// The web client as people act in it: from an empty browser to a first cast, and everything after it.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import type { LocalAccount } from 'viem'
import { devAccount } from '../src/dev/accounts.ts'
import { createInvite } from '../src/features/invites/invites.ts'
import { giveWallet, type Wallet, walletOf } from './browser-wallet.ts'
import { browserWorld, DESKTOP, PHONE } from './browser-world.ts'
import { until } from './until.ts'
import { ENGINES } from './world.ts'

const NEWCOMER = devAccount(30).custody

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any

/** A wallet that notes what it signs, and whose owner can decline. */
function notingWallet(account: LocalAccount) {
  const signed: string[] = []
  const signer = walletOf(account)
  let declines = 0
  const wallet: Wallet = (method, params) => {
    if (method !== 'eth_signTypedData_v4') return signer(method, params)
    if (declines > 0) {
      declines -= 1
      throw { code: 4001, message: 'User rejected the request.' }
    }
    signed.push(JSON.parse(params[1]).primaryType)
    return signer(method, params)
  }
  return {
    wallet,
    signed,
    declineNext: () => {
      declines += 1
    },
  }
}

for (const engine of ENGINES) {
  // One engine has newcomers with an invite, the other takes all; the form does not know the engine.
  const signup = engine === 'sqlite' ? 'open' : 'invite'

  describe(`acting in the web client on ${engine}`, { concurrency: 1 }, () => {
    const world = browserWorld({ engine, env: { ROOKERY_SIGNUP: signup } })
    const { faults, check } = world

    async function visitor(
      viewport = DESKTOP,
      wallet?: Wallet,
    ): Promise<{ page: Page; context: BrowserContext }> {
      const page = await world.visitor({ viewport, serviceWorkers: 'block' })
      if (wallet) await giveWallet(page, wallet)
      return { page, context: page.context() }
    }

    /** One click in a development network. */
    async function actAs(page: Page, name: string): Promise<void> {
      await page.getByText('Development network').click()
      await page.getByPlaceholder('Name or number').fill(name)
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('button', { name, exact: true, pressed: true }).waitFor()
    }

    const castOf = (page: Page, text: string) => page.locator('article').filter({ hasText: text })

    it('a newcomer comes from an empty browser to a first cast that another browser sees live', async () => {
      const watcher = await visitor(DESKTOP)
      await watcher.page.goto(world.web)
      await watcher.page.getByText('Live', { exact: true }).waitFor()
      const { wallet, signed, declineNext } = notingWallet(NEWCOMER)
      const { page, context } = await visitor(PHONE, wallet)
      await page.goto(world.web)
      // What is not there yet is no error in the console of the browser.
      page.on('response', (answer) => {
        if (answer.status() === 404) faults.push(`404 ${answer.url()}`)
      })
      await page.getByRole('banner').getByRole('link', { name: 'Join' }).click()
      await page.getByRole('link', { name: 'Use a wallet instead' }).click()
      await page.getByRole('button', { name: 'Test wallet' }).click()
      await page.getByLabel('Your name').fill('rook')
      await page.getByText('rook is taken').waitFor()
      assert.ok(await page.getByRole('button', { name: 'Create account' }).isDisabled())
      await page.getByLabel('Your name').fill('fledgling')
      await page.getByText('fledgling is free').waitFor()
      await page.getByLabel('Your first cast').fill('My first flight')
      const create = page.getByRole('button', { name: 'Create account' })
      if (signup === 'invite') {
        assert.ok(await create.isDisabled())
        await page.getByLabel('Invite code').fill('guessed')
      }
      const { width } = (await page.getByLabel('Your name').boundingBox())!
      assert.ok(width > 0.8 * PHONE.width, `the field of the name is ${width} wide`)
      await check(page)
      // A declined signature is no error, and the next attempt goes on where this one ended.
      declineNext()
      await create.click()
      await page.getByText('You did not sign').waitFor()
      assert.equal(await page.locator('.notice.bad').count(), 0)
      await create.click()
      const registrations = ['Register']
      if (signup === 'invite') {
        await page.getByText('the invite is unknown, used up or expired').waitFor()
        const terms = { uses: 1, days: 1, label: '' }
        const { code } = await createInvite(world.app.storage, world.app.clock.now(), terms)
        await page.getByLabel('Invite code').fill(code)
        await create.click()
        registrations.push('Register')
      }
      await page.waitForURL(`${world.web}/`)
      assert.deepEqual(signed, [...registrations, 'SignedKeyRequest', 'Add', 'UserNameProof'])
      await watcher.page.getByRole('button', { name: /^\d+ new cast/ }).click()
      const arrived = castOf(watcher.page, 'My first flight')
      await arrived.waitFor()
      assert.match(await arrived.innerText(), /@fledgling/)
      await check(watcher.page)
      await watcher.context.close()

      // The same wallet signs in again without a signature, because this browser has a key.
      await world.signOut(page)
      await page.goto(`${world.web}/join/wallet`)
      await page.getByRole('button', { name: 'Test wallet' }).click()
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(`${world.web}/`)
      assert.equal(signed.length, registrations.length + 3)
      await context.close()
    })

    it('the account signs in in another browser by a gasless key, which its list of apps shows and removes', async () => {
      const { wallet, signed } = notingWallet(NEWCOMER)
      const { page, context } = await visitor(DESKTOP, wallet)
      await page.goto(`${world.web}/join/wallet`)
      await page.getByRole('button', { name: 'Test wallet' }).click()
      await page.getByText('This browser has no key for it yet').waitFor()
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(`${world.web}/`)
      assert.deepEqual(signed.splice(0), ['SignedKeyRequest', 'KeyAdd'])
      await page.getByRole('link', { name: 'Write' }).first().click()
      await page.getByRole('textbox', { name: 'Your cast' }).fill('From my other browser')
      await page.getByRole('button', { name: 'Cast', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)
      const hash = page.url().split('/').at(-1)!
      await world.indexed()
      assert.equal((await stored(hash)).text, 'From my other browser')

      await page.goto(`${world.web}/platform/~/apps`)
      await page.getByRole('button', { name: 'Test wallet' }).click()
      const apps = page.getByRole('region', { name: 'Apps' })
      await apps.getByRole('listitem').nth(1).waitFor()
      assert.equal(await apps.getByRole('listitem').count(), 2)
      const row = apps.getByRole('listitem').filter({ hasText: 'Expires' })
      await row.getByText('everything', { exact: true }).waitFor()
      await row.getByText(/^on .*, unless it is used$/).waitFor()
      await row.getByRole('button', { name: /^Remove/ }).click()
      assert.equal(await row.getByText('never be added again').count(), 0)
      await check(page)
      await row.getByRole('button', { name: 'Yes, remove' }).click()
      await apps.getByRole('status').getByText('was removed').waitFor()
      assert.deepEqual(signed, ['KeyRemove'])
      assert.equal(await row.count(), 0)
      await page.goto(`${world.web}/join/wallet`)
      await page.getByRole('button', { name: 'Test wallet' }).click()
      await page.getByText('This browser has no key for it yet').waitFor()

      // The hub takes one key a minute: the page says so, waits, and does not ask the wallet again.
      signed.splice(0)
      await page.clock.install()
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText(/is added at \d\d:\d\d:\d\d, without another signature/).waitFor()
      await check(page)
      const minute = { advanceSeconds: 60 }
      const { status } = await fetch(`${world.app.urls.operations}/dev/clock`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(minute),
      })
      assert.equal(status, 200)
      await page.clock.fastForward(61_000)
      await page.waitForURL(`${world.web}/`)
      assert.deepEqual(signed, ['SignedKeyRequest', 'KeyAdd'])
      await context.close()
    })

    if (engine === 'sqlite') {
      it('a newcomer without a wallet in the browser reads where theirs can be used', async () => {
        const { page, context } = await visitor(PHONE)
        await page.goto(`${world.web}/join/wallet`)
        await page.getByText('This page cannot reach a wallet on another device.').waitFor()
        const apps = page.getByRole('region', { name: 'Wallet apps' }).getByRole('link')
        assert.deepEqual(await apps.allInnerTexts(), [
          'MetaMask',
          'Coinbase Wallet',
          'Trust Wallet',
        ])
        await page.goto(`${world.web}/join/wallet?name=robin`)
        const toMetaMask = await apps.first().getAttribute('href')
        assert.match(
          toMetaMask!,
          /^https:\/\/link\.metamask\.io\/dapp\/.*\/join\/wallet\?name=robin$/,
        )
        await check(page)
        await context.close()
      })

      it('an account likes, recasts, follows, replies, edits its profile and deletes', async () => {
        const { page, context } = await visitor()
        await page.goto(world.web)
        await actAs(page, 'raven')
        await page.getByRole('link', { name: 'Write' }).first().click()
        await page.getByRole('textbox', { name: 'Your cast' }).fill('Hello @her')
        await page.getByRole('button', { name: /heron/i }).first().click()
        await page.keyboard.type('and @nobody-at-all')
        await check(page)
        await page.getByRole('button', { name: 'Cast', exact: true }).click()
        await page.waitForURL(/\/cast\/0x/)
        const hash = page.url().split('/').at(-1)!
        await world.indexed()
        const own = await stored(hash)
        assert.equal(own.text, 'Hello @heron and @nobody-at-all')
        assert.deepEqual(
          own.mentioned_profiles.map(({ username }: Json) => username),
          ['heron'],
        )

        const cast = page.locator('.cast-whole')
        await cast.getByRole('button', { name: /^Like/ }).click()
        await cast.getByRole('button', { name: /^Unlike\. 1 like/ }).waitFor()
        await until(async () => (await stored(hash)).reactions.likes_count === 1)
        await cast.getByRole('button', { name: /^Recast/ }).click()
        await until(async () => (await stored(hash)).reactions.recasts_count === 1)
        await cast.getByRole('button', { name: /^Unlike/ }).click()
        await until(async () => (await stored(hash)).reactions.likes_count === 0)

        await cast.getByRole('button', { name: /^Reply/ }).click()
        await page.getByRole('textbox', { name: 'Your reply' }).fill('To myself')
        await page.getByRole('button', { name: 'Reply', exact: true }).click()
        await castOf(page, 'To myself').waitFor()
        await until(async () => (await stored(hash)).replies.count === 1)

        const puffin = await person('puffin')
        await page.goto(`${world.web}/@puffin`)
        const button = page.locator('.profile .follow')
        const wasOn = (await button.innerText()) === 'Following'
        await button.click()
        await until(
          async () =>
            (await person('puffin')).follower_count === puffin.follower_count + (wasOn ? -1 : 1),
        )
        await check(page)

        const members = (await channel('wetlands')).follower_count
        await page.goto(`${world.web}/channel/wetlands`)
        await page.locator('.profile .follow').click()
        await until(async () => (await channel('wetlands')).follower_count === members + 1)
        await page.reload()
        await page.locator('.profile .follow', { hasText: 'Following' }).click()
        await until(async () => (await channel('wetlands')).follower_count === members)

        await page.goto(`${world.web}/profile`)
        await page.getByLabel('About you').fill('Nevermore.')
        await page.getByLabel('Your website').fill('https://raven.example/nest')
        await page.getByLabel('Your place').fill('91, 4')
        await page.getByText('Write it such as 51.51, -0.08').waitFor()
        assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled())
        await page.getByLabel('Your place').fill('-0.001; 4.567')
        await check(page)
        await page.getByRole('button', { name: 'Save' }).click()
        const profile = page.locator('.profile')
        await profile.getByText('Nevermore.').waitFor()
        await profile.getByRole('link', { name: 'raven.example/nest' }).waitFor()
        await profile.getByText('0.00° N, 4.57° E').waitFor()
        // The network takes banners of subscribers only: the form offers what it takes.
        await page.goto(`${world.web}/profile`)
        await page.getByLabel('About you').waitFor()
        assert.equal(await page.getByText('banner').count(), 0)

        await page.goto(`${world.web}/cast/${hash}`)
        await cast.getByRole('button', { name: 'More', exact: true }).click()
        await page.getByRole('button', { name: 'Delete …' }).click()
        await page.getByRole('button', { name: 'Delete for good' }).click()
        await until(async () => (await read(`/cast?identifier=${hash}&type=hash`)).status === 404)
        assert.deepEqual(faults.splice(0), [])
        await context.close()
      })

      it('an account blocks the author of a cast by a link that other hubs know, and unblocks on the page of that person', async () => {
        const { page, context } = await visitor()
        await page.goto(`${world.web}/@puffin`)
        await actAs(page, 'raven')
        await page.goto(`${world.web}/@puffin`)
        const { fid } = await person('puffin')
        const link = () =>
          fetch(`${world.app.urls.hub}/v1/linkById?fid=2&target_fid=${fid}&link_type=block`)
        const hasLink = async () => (await link()).status === 200
        const blocks = async () => {
          const url = `${world.app.urls.platform}/fc/blocked-users?blockerFid=2`
          return ((await (await fetch(url)).json()) as Json).result.blockedUsers.length
        }
        const openMenu = () =>
          page.locator('.profile-acts').getByRole('button', { name: 'More' }).click()
        const casts = page.getByRole('article', { name: /puffin/ })
        await casts.first().waitFor()
        await casts.first().getByRole('button', { name: 'More', exact: true }).click()
        await check(page)
        await page.getByRole('button', { name: 'Block @puffin' }).click()
        await until(async () => (await hasLink()) && (await blocks()) === 1)
        await world.indexed()
        await casts.first().waitFor({ state: 'detached' })
        await page.reload()
        await openMenu()
        await page.getByRole('button', { name: 'Unblock @puffin' }).click()
        await until(async () => !(await hasLink()) && (await blocks()) === 0)
        await casts.first().waitFor()

        // What the hub refuses to store is a block on this server.
        const refusal = { errCode: 'bad_request.validation_failure', details: 'not in the scope' }
        await page.route('**/hub/v1/submitMessage', (route) =>
          route.fulfill({ status: 400, json: refusal }),
        )
        await openMenu()
        await page.getByRole('button', { name: 'Block @puffin' }).click()
        await until(async () => (await blocks()) === 1)
        assert.equal(await hasLink(), false)
        await openMenu()
        await page.getByRole('button', { name: 'Unblock @puffin' }).click()
        await until(async () => (await blocks()) === 0)
        assert.deepEqual(faults.splice(0), [])
        await context.close()
      })

      it('an account without a name gets one when it signs in again', async () => {
        const { wallet, signed } = notingWallet(devAccount(31).custody)
        const { page, context } = await visitor(DESKTOP, wallet)
        await page.goto(`${world.web}/join/wallet`)
        await page.getByRole('button', { name: 'Test wallet' }).click()
        await page.getByRole('button', { name: 'Create account' }).click()
        await page.waitForURL(`${world.web}/`)
        await page.goto(`${world.web}/name/nestling`)
        await page.getByRole('link', { name: 'Claim it' }).click()
        await page.getByRole('link', { name: 'Use a wallet instead' }).click()
        await page.getByRole('button', { name: 'Test wallet' }).click()
        await page.getByText('It has no name yet.').waitFor()
        assert.equal(await page.getByLabel('Your name').inputValue(), 'nestling')
        await page.getByText('nestling is free').waitFor()
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.waitForURL(`${world.web}/`)
        assert.deepEqual(signed, ['Register', 'SignedKeyRequest', 'Add', 'UserNameProof'])
        await until(async () => (await read('/user/by_username?username=nestling')).status === 200)
        assert.deepEqual(faults.splice(0), [])
        await context.close()
      })

      it('a newcomer reads that sign-up is closed before anything is signed', async () => {
        const { wallet, signed } = notingWallet(devAccount(32).custody)
        const { page, context } = await visitor(PHONE, wallet)
        await page.route('**/accounts/v1/info', async (route) => {
          const response = await route.fetch()
          await route.fulfill({ response, json: { ...(await response.json()), signup: 'closed' } })
        })
        await page.goto(`${world.web}/join/wallet`)
        await page.getByRole('button', { name: 'Test wallet' }).click()
        await page.getByText('this server takes no new ones').waitFor()
        assert.equal(await page.locator('form.fields').count(), 0)
        assert.deepEqual(signed, [])
        await check(page)
        await context.close()
      })

      it('what the server refuses is undone, with the reason', async () => {
        const { page, context } = await visitor()
        await page.goto(world.web)
        await actAs(page, 'heron')
        await page.route('**/hub/v1/submitMessage', (route) =>
          route.fulfill({
            status: 400,
            json: { details: 'no storage is left', errCode: 'bad_request' },
          }),
        )
        const cast = page.locator('main article').first()
        const like = cast.getByRole('button', { name: /^(Like|Unlike)/ })
        const before = await like.getAttribute('aria-label')
        await like.click()
        await page.getByText('Your like was not stored. no storage is left').waitFor()
        await until(async () => (await like.getAttribute('aria-label')) === before)
        await page.goto(`${world.web}/compose`)
        const text = page.getByRole('textbox', { name: 'Your cast' })
        await text.fill('Kept <img src=x onerror=alert(1)>')
        await page.getByRole('button', { name: 'Cast', exact: true }).click()
        await page.getByText('Nothing was sent. no storage is left').waitFor()
        assert.equal(await text.inputValue(), 'Kept <img src=x onerror=alert(1)>')
        await text.fill('😀'.repeat(257))
        await page.getByText('4 too many').waitFor()
        assert.ok(await page.getByRole('button', { name: 'Cast', exact: true }).isDisabled())
        await check(page)
        await context.close()
      })

      it('an attached link is shown as its page says, and hostile texts of it stay text', async () => {
        const { page, context } = await visitor()
        await page.goto(world.web)
        await actAs(page, 'heron')
        await page.route('**/preview?*', (route) =>
          route.fulfill({
            json: {
              kind: 'page',
              site: 'x.example',
              title: '<img src=x onerror=alert(1)>',
              description: '</p><script>alert(1)</script>',
              picture: 'javascript:alert(1)',
            },
          }),
        )
        await page.goto(`${world.web}/compose`)
        await page.getByRole('textbox', { name: 'Your cast' }).fill('See https://x.example/a.')
        const preview = page.locator('.preview')
        await preview.getByText('<img src=x onerror=alert(1)>').waitFor()
        assert.equal(await preview.locator('img, script').count(), 0)
        await check(page)
        await preview.getByRole('button', { name: 'Do not attach' }).click()
        await preview.waitFor({ state: 'detached' })
        await context.close()
      })

      it('a preview is asked for only when an address is pasted, followed by a space or left alone', async () => {
        const { page, context } = await visitor()
        await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.web })
        await page.goto(world.web)
        await actAs(page, 'heron')
        const asked: string[] = []
        await page.route('**/preview?*', async (route) => {
          const url = new URL(route.request().url()).searchParams.get('url')!
          asked.push(url)
          await route.fulfill({ json: { kind: 'page', site: 'x', title: `Page ${url}` } })
        })
        await page.goto(`${world.web}/compose`)
        const text = page.getByRole('textbox', { name: 'Your cast' })
        await text.waitFor()
        // From now on the time of the page passes only when the test says so.
        await page.clock.install()
        await page.clock.pauseAt(Date.now() + 60_000)
        const type = async (typed: string, msPerKey: number) => {
          for (const key of typed) {
            await text.press(key === ' ' ? 'Space' : key)
            await page.clock.runFor(msPerKey)
          }
        }
        const shown = async (url: string) => {
          const preview = page.getByText(`Page ${url}`, { exact: true })
          await until(async () => {
            await page.clock.runFor(1)
            return preview.isVisible()
          })
        }
        await type('See https://my-bank.example.com/a?b=secret', 600)
        assert.deepEqual(asked, [])
        await type(' ok', 120)
        await shown('https://my-bank.example.com/a?b=secret')
        await page.getByRole('button', { name: 'Do not attach' }).press('Enter')
        await type(' https://rest.example', 120)
        await page.clock.runFor(579)
        assert.equal(asked.length, 1)
        await page.clock.runFor(1)
        await shown('https://rest.example/')
        await text.fill('')
        await page.evaluate(`navigator.clipboard.writeText('https://pasted.example/p')`)
        await text.press('ControlOrMeta+V')
        await shown('https://pasted.example/p')
        await text.fill('')
        await page.clock.resume()
        // None of these can be the name of a public host, and all of them can still be attached.
        for (const url of [
          'https://m/',
          'https://my-ba/',
          'https://localhost/x',
          'https://10.0.0.1/',
        ]) {
          await text.fill(`${url} `)
          await page.locator('.preview').getByText(url, { exact: true }).waitFor()
        }
        assert.deepEqual(asked, [
          'https://my-bank.example.com/a?b=secret',
          'https://rest.example/',
          'https://pasted.example/p',
        ])
        await check(page)
        await context.close()
      })

      it('a draft is found again at its place, and is gone when it was sent', async () => {
        const { page, context } = await visitor(PHONE)
        await world.actAs(page, 'heron')
        const { casts } = (await read('/feed/newest?limit=2')).body
        const [one, other] = casts.map(({ hash }: Json) => hash)
        const places = {
          [`/compose?reply=${one}`]: 'A reply to one',
          [`/compose?reply=${other}`]: 'A reply to another',
          [`/compose?quote=${one}`]: 'A quote of one',
          '/compose?channel=wetlands': 'For a channel',
          '/compose': 'New and unsent',
        }
        const text = page.getByRole('textbox', { name: /^Your (cast|reply)/ })
        const content = (written: string) =>
          until(async () => (await text.inputValue()) === written)
        for (const [path, written] of Object.entries(places)) {
          await page.goto(world.web + path)
          await content('')
          await text.fill(written)
        }
        await page.locator('.channel-choice select').selectOption('wetlands')
        // Left within the client, where nothing is loaded anew.
        await page.getByRole('link', { name: 'Home' }).first().click()
        await page.waitForURL(`${world.web}/`)
        await page.getByRole('link', { name: 'Write' }).first().click()
        await content('New and unsent')
        assert.equal(await page.locator('.channel-choice select').inputValue(), 'wetlands')
        await page.keyboard.type('!')
        await content('New and unsent!')
        for (const [path, written] of Object.entries(places).slice(0, 4)) {
          await page.goto(world.web + path)
          await content(written)
        }
        await check(page)

        await page.getByRole('button', { name: 'Cast', exact: true }).click()
        await page.waitForURL(/\/cast\/0x/)
        await page.goto(`${world.web}/compose?channel=wetlands`)
        await content('')
        await page.goto(`${world.web}/compose`)
        await content('New and unsent!')
        await text.fill('')
        await page.reload()
        await content('')
        // Another account in the same browser does not read them.
        await world.actAs(page, 'raven')
        await page.goto(`${world.web}/compose?reply=${one}`)
        await content('')

        // What is kept is bounded: the drafts that were changed last, each up to a length.
        const many = Array.from({ length: 20 }, (_, n) => ({
          fid: 1,
          place: `channel c${n}`,
          text: 'Kept',
          channel: '',
        }))
        await page.evaluate(
          `localStorage.setItem('rookery.drafts', ${JSON.stringify(JSON.stringify(many))})`,
        )
        await text.fill('x'.repeat(20_000))
        const kept = JSON.parse(await page.evaluate(`localStorage.getItem('rookery.drafts')`))
        assert.deepEqual(
          kept.map((draft: Json) => draft.place),
          [...many.slice(1).map(({ place }) => place), `reply ${one}`],
        )
        assert.equal(kept.at(-1).text.length, 10_240)
        await context.close()
      })

      it('development helpers answer the pages of the network and no others', async () => {
        const ask = async (headers: Record<string, string>) =>
          (await fetch(`${world.web}/dev/accounts`, { headers })).status
        assert.equal(await ask({}), 200)
        assert.equal(await ask({ origin: world.web, 'sec-fetch-site': 'same-origin' }), 200)
        assert.equal(await ask({ 'sec-fetch-site': 'cross-site' }), 403)
        assert.equal(await ask({ origin: 'https://elsewhere.example' }), 403)
      })
    }

    const read = async (path: string) => {
      const headers = { 'x-api-key': 'web' }
      const response = await fetch(`${world.web}/app/v2/farcaster${path}`, { headers })
      return { status: response.status, body: (await response.json()) as Json }
    }
    const stored = async (hash: string) =>
      (await read(`/cast?identifier=${hash}&type=hash`)).body.cast
    const channel = async (id: string) => (await read(`/channel?id=${id}`)).body.channel
    const person = async (name: string) =>
      (await read(`/user/by_username?username=${name}`)).body.user
  })
}
