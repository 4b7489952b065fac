// Apps that try to get more than they are given, in Chromium: nothing is signed, nothing leaks, nothing stops.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { miniAppRows } from '../../src/features/mini-apps/tables/mini-apps.ts'
import { fromHex } from '../../src/kernel/protocol/codec/bytes.ts'
import type { AppServer } from '../mini-apps-support.ts'
import type { BrowserWorld } from './browser-world.ts'
import {
  call,
  hostIn,
  openApp,
  pageWith,
  post,
  press,
  prompt,
  servePage,
  startApp,
} from './mini-app-host.ts'

const WORDS = '.mini-app-note'

export function miniAppHostile(world: BrowserWorld): void {
  describe('a hostile mini app', { concurrency: 1 }, () => {
    const host = hostIn(world)
    let app: AppServer
    let other: AppServer
    before(async () => {
      ;[app, other] = [await startApp(), await startApp()]
    })
    after(async () => {
      await app?.close()
      await other?.close()
    })

    /** A browser with the app open, and how often the wallet was asked. */
    async function open(path = '/') {
      const { page, context } = await host.visitor()
      const wallet: string[] = []
      page.on('request', (request) => {
        if (request.url().endsWith('/dev/wallet')) wallet.push(request.postDataJSON().method)
      })
      app.manifest.homeUrl = app.origin + path
      const frame = await openApp(page, host.web, app.domain)
      return {
        page,
        context,
        frame,
        wallet,
        signed: () => wallet.filter((one) => /sign/i.test(one)),
      }
    }

    it('an app that leads its frame to another origin while it waits for a signature is stopped', async () => {
      const { page, context, frame, signed } = await open()
      let visits = 0
      other.pages.set('/thief', (_request, response) => {
        visits += 1
        response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Thief</h1>')
      })
      await frame.evaluate(`void sdk.actions.signIn({ nonce: 'abcdefgh12' }).catch(() => {})`)
      await prompt(page).waitFor()
      await frame.evaluate(`setTimeout(() => { location.href = '${other.origin}/thief' })`)
      await page.locator(WORDS).getByText(`${app.domain} was stopped`).waitFor()
      await page.locator(WORDS).getByText(other.origin).waitFor()
      assert.equal(await prompt(page).count(), 0)
      assert.deepEqual([visits, signed()], [0, []])
      await context.close()
    })

    it('messages of frames inside the app, of popups and to the client itself are not answered', async () => {
      servePage(app, '/inner', pageWith(''))
      const { page, context, frame } = await open()
      await frame.evaluate(`new Promise((resolve) => {
      const inner = document.createElement('iframe')
      inner.onload = resolve
      inner.src = '/inner'
      document.body.append(inner)
    })`)
      const inner = page.frames().find((one) => one.url().endsWith('/inner'))!
      const message = `{ id: 'i', type: 'GET', path: ['context'] }`
      for (const [one, target] of [
        [inner, 'parent.parent'],
        [inner, 'top'],
        [frame, 'top'],
      ] as const) {
        assert.equal(await post(one, message, { target, waitMs: 1_000 }), undefined)
      }
      assert.equal((await post(frame, message)).value.user.username, 'raven')
      const popup = page.context().waitForEvent('page')
      await frame.evaluate("void window.open('/inner')")
      const opened = (await popup).mainFrame()
      await opened.waitForLoadState('load')
      // The policy of the client has cut the popup off from the page that opened it.
      assert.equal(await opened.evaluate('window.opener'), null)
      await context.close()
    })

    it('neither the client nor the page around apps can be framed by an app', async () => {
      const { page, context, frame } = await open()
      for (const path of ['/', '/compose', `/frame/${other.domain}`]) {
        await frame.evaluate(`new Promise((resolve) => {
        const inner = document.createElement('iframe')
        inner.onload = resolve
        inner.src = '${host.web}${path}'
        document.body.append(inner)
      })`)
      }
      const texts = await Promise.all(
        page.frames().map((one) =>
          one
            .locator('body')
            .innerText()
            .catch(() => ''),
        ),
      )
      assert.equal(texts.filter((text) => /Notifications|Write/.test(text)).length, 1)
      const client = page.frames().filter((one) => one.url().startsWith(`${host.web}/frame/`))
      assert.equal(client.length, 1)
      const thrown = await call(frame, `(() => { top.location.href = '${other.origin}/' })()`)
      assert.equal(thrown.thrown, 'SecurityError')
      await context.close()
    })

    it('of ten signatures at once one is shown, and a no refuses all that wait', async () => {
      const { page, context, frame, signed } = await open()
      const all = call(
        frame,
        `Promise.allSettled(Array.from({ length: 10 }, () => sdk.actions.signIn({ nonce: 'abcdefgh12' }))).then((all) => all.map(({ status }) => status))`,
      )
      await prompt(page).waitFor()
      assert.equal(await prompt(page).count(), 1)
      await press(page, 'Cancel')
      assert.deepEqual(await all, Array(10).fill('rejected'))
      assert.deepEqual(signed(), [])
      await context.close()
    })

    it('a prompt cannot be answered with yes by a press that comes too early', async () => {
      const { page, context, frame, signed } = await open()
      await frame.evaluate(`void sdk.actions.signIn({ nonce: 'abcdefgh12' }).catch(() => {})`)
      const yes = prompt(page).getByRole('button', { name: 'Sign in' })
      await yes.waitFor()
      // Keys that were meant for the app go to the heading, which does nothing.
      await prompt(page).locator('h2:focus').waitFor()
      await page.keyboard.press('Enter')
      await page.keyboard.press('Space')
      assert.match(await page.evaluate('document.activeElement.tagName'), /^H2$/)
      assert.deepEqual(signed(), [])
      await page.keyboard.press('Escape')
      await prompt(page).waitFor({ state: 'detached' })
      assert.deepEqual(signed(), [])
      await context.close()
    })

    it('a flood of calls and a message of 100 MB are answered, and the client goes on', async () => {
      const { page, context, frame } = await open()
      const counted = await frame.evaluate(`new Promise((resolve) => {
      const reasons = new Map()
      let answers = 0
      addEventListener('message', ({ data }) => {
        if (!String(data?.id).startsWith('f')) return
        answers += 1
        const reason = data.value?.value?.message ?? 'value'
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
        if (answers === 5_000 - 20) resolve([...reasons.keys()])
      })
      for (let i = 0; i < 5_000; i++) {
        const argumentList = [{ type: 'RAW', value: { nonce: 'abcdefgh12' } }]
        parent.postMessage({ id: 'f' + i, type: 'APPLY', path: ['signIn'], argumentList }, '*')
      }
    })`)
      assert.deepEqual((counted as string[]).sort().slice(0, 2), [
        '20 calls are not answered yet',
        'more than 50 calls in a second',
      ])
      await press(page, 'Cancel')
      await frame.evaluate('new Promise((resolve) => setTimeout(resolve, 1_100))')
      const huge = await post(
        frame,
        `{ id: 'h', type: 'APPLY', path: ['openUrl'], argumentList: [{ type: 'RAW', value: 'x'.repeat(100_000_000) }] }`,
      )
      assert.match(huge.value.value.message, /longer than 65536 characters/)
      assert.equal((await call(frame, 'sdk.context')).user.username, 'raven')
      await page.getByRole('button', { name: 'Close the app' }).click()
      await page.locator('.mini-app-dialog').waitFor({ state: 'detached' })
      await context.close()
    })

    it('a request for an account, a key or a name never reaches the wallet', async () => {
      const { page, context, frame, wallet } = await open()
      const request = (method: string, params: string) =>
        call(frame, `sdk.wallet.ethProvider.request({ method: '${method}', params: ${params} })`)
      const asking = request('eth_requestAccounts', '[]')
      await press(page, 'Share this address')
      const [address] = await asking
      assert.ok(fromHex(address))
      wallet.splice(0)
      const domain = { name: 'Farcaster IdRegistry', version: '1', chainId: 10 }
      const data = (primaryType: string) =>
        JSON.stringify(JSON.stringify({ domain, primaryType, types: {}, message: {} }))
      for (const primaryType of ['Transfer', 'Add', 'KeyAdd', 'UserNameProof', 'NameTransfer']) {
        const params = `['${address}', ${data(primaryType)}]`
        assert.equal((await request('eth_signTypedData_v4', params)).code, -32602, primaryType)
      }
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const token = `${part({ fid: 2, type: 'custody', key: address })}.${part({ exp: 9e9 })}`
      const siwe = `other.example wants you to sign in with your Ethereum account:\\n${address}`
      for (const text of [token, siwe]) {
        assert.equal((await request('personal_sign', `['${text}', '${address}']`)).code, -32602)
      }
      assert.deepEqual(wallet, [])
      const signing = request('personal_sign', `['Hello', '${address}']`)
      await prompt(page).getByText('Hello').waitFor()
      await press(page, 'Go on')
      assert.match(await signing, /^0x[0-9a-f]{130}$/)
      assert.deepEqual(wallet, ['personal_sign'])
      await context.close()
    })

    it('the client says why an app does not appear', async () => {
      const cases = [
        ['/none', '<h1>No SDK</h1>', {}, /No message came/],
        ['/silent', pageWith('sdk.context.then(() => {})'), {}, /never called sdk\.actions\.ready/],
        [
          '/denied',
          pageWith('sdk.actions.ready()'),
          { 'x-frame-options': 'DENY' },
          /forbids frames/,
        ],
      ] as const
      for (const [path, html, headers, cause] of cases) {
        servePage(app, path, html, headers)
        const { page, context } = await host.visitor()
        app.manifest.homeUrl = app.origin + path
        await page.goto(`${host.web}/miniapps/${encodeURIComponent(app.domain)}`)
        await page.getByRole('button', { name: /^Open / }).click()
        await page.locator(WORDS).getByText('has not said that it is ready').waitFor()
        await page.locator(WORDS).getByText(cause).waitFor()
        await page.getByRole('button', { name: 'Show it' }).click()
        await page.locator(WORDS).waitFor({ state: 'detached' })
        await context.close()
      }
      servePage(app, '/slow', pageWith(''))
      const slow = await open('/slow')
      await slow.page.locator(WORDS).getByText('No message came').waitFor()
      await call(slow.frame, 'sdk.context')
      await slow.page.locator(WORDS).getByText('never called sdk.actions.ready').waitFor()
      await slow.context.close()
      app.pages.set('/moved', (_request, response) => {
        response.writeHead(302, { location: `${other.origin}/` }).end()
      })
      const { page, context } = await host.visitor()
      app.manifest.homeUrl = `${app.origin}/moved`
      await page.goto(`${host.web}/miniapps/${encodeURIComponent(app.domain)}`)
      await page.getByRole('button', { name: /^Open / }).click()
      await page.locator(WORDS).getByText('another origin').waitFor()
      await context.close()
      app.manifest.homeUrl = `${app.origin}/`
    })

    it('an app that the operator removes is opened by nobody', async () => {
      const { page, context } = await host.visitor()
      await openApp(page, host.web, other.domain)
      assert.equal((await fetch(`${host.web}/frame/${other.domain}`)).status, 200)
      await host.network.storage.write('all/mini-apps', async (tx) => {
        const known = (await tx.of(miniAppRows).byDomain(other.domain))!
        await tx.of(miniAppRows).setState(known.id, { ...known, state: 'removed' })
      })
      assert.equal((await fetch(`${host.web}/frame/${other.domain}`)).status, 404)
      await page.goto(`${host.web}/miniapps/${encodeURIComponent(other.domain)}`)
      await page.getByText('There is nothing here').waitFor()
      await context.close()
    })
  })
}
