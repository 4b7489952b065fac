// The published, unmodified SDK in an app: each of its methods, and the samples of its documentation.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createAppClient, viemConnector } from '@farcaster/auth-client'
import { createClient } from '@farcaster/quick-auth'
import type { Frame, Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { fromHex } from '../../src/kernel/protocol/codec/bytes.ts'
import { METHODS } from '../../web/frame/methods.ts'
import { addKey, keyOfAddress } from '../auth-address-support.ts'
import { accessibilityFaults, untilInPage } from '../browser.ts'
import { giveWallet, walletOf } from '../browser-wallet.ts'
import { indexed } from '../indexed.ts'
import type { AppServer } from '../mini-apps-support.ts'
import { until } from '../until.ts'
import type { BrowserWorld } from './browser-world.ts'
import {
  call,
  frameOf,
  type Host,
  hostIn,
  openApp,
  PHONE,
  pageWith,
  post,
  press,
  prompt,
  servePage,
  startApp,
} from './mini-app-host.ts'

export function miniAppSdk(world: BrowserWorld): void {
  describe('the SDK of mini apps in the web client', { concurrency: 1 }, () => {
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

    const start = async (options: Parameters<Host['visitor']>[0] = {}) => {
      const { page, context } = await host.visitor(options)
      return { page, context, frame: await openApp(page, host.web, app.domain) }
    }
    /** A call whose prompt is answered. */
    const answered = async (page: Page, frame: Frame, code: string, button: string | RegExp) => {
      const calling = call(frame, code)
      await press(page, button)
      return calling
    }

    it('each method of the SDK is answered, and what a network without tokens cannot do is refused as the SDK says', async () => {
      const { page, context, frame } = await start()
      const asks: Readonly<Record<string, string>> = {
        'sdk.actions.addMiniApp()': 'AddMiniApp.RejectedByUser',
        "sdk.actions.signIn({ nonce: 'abcdefgh12' })": 'SignIn.RejectedByUser',
      }
      for (const [code, name] of Object.entries(asks)) {
        const { thrown } = await answered(page, frame, code, 'Cancel')
        assert.equal(thrown, name, code)
      }
      const manifest = await call(
        frame,
        `sdk.experimental.signManifest({ domain: '${app.domain}' })`,
      )
      assert.match(manifest.thrown, /SignManifest\.GenericError/)
      assert.equal(
        await answered(page, frame, 'sdk.actions.composeCast({ text: "x" })', 'Cancel').then(
          ({ cast }) => cast,
        ),
        null,
      )
      assert.match(
        (await answered(page, frame, "sdk.actions.openUrl('https://a.example/')", 'Cancel'))
          .message,
        /refused/,
      )
      assert.match(
        (await call(frame, "sdk.actions.openUrl('javascript:alert(1)')")).message,
        /only https/,
      )
      assert.match(
        (await call(frame, "sdk.actions.openMiniApp({ url: 'https://10.0.0.1/' })")).message,
        /no mini app/,
      )
      assert.match(
        (await call(frame, "sdk.actions.viewToken({ token: 'eip155:10/native' })")).message,
        /no tokens/,
      )
      assert.deepEqual(await call(frame, 'sdk.actions.swapToken({})'), {
        success: false,
        reason: 'swap_failed',
        error: { error: 'not_supported', message: 'This network has no tokens.' },
      })
      assert.equal((await call(frame, 'sdk.actions.sendToken({})')).reason, 'send_failed')
      assert.match(
        (await call(frame, 'sdk.actions.requestCameraAndMicrophoneAccess()')).message,
        /no access/,
      )
      assert.equal(await call(frame, 'sdk.wallet.getSolanaProvider()'), undefined)
      assert.deepEqual(await call(frame, 'sdk.getChains()'), ['eip155:10'])
      assert.ok((await call(frame, 'sdk.getCapabilities()')).includes('actions.signIn'))
      for (const code of [
        "sdk.haptics.impactOccurred('heavy')",
        "sdk.haptics.notificationOccurred('success')",
        'sdk.haptics.selectionChanged()',
        'sdk.actions.ready({ disableNativeGestures: true })',
        "sdk.actions.setPrimaryButton({ text: 'Go' })",
        'sdk.back.show()',
      ]) {
        assert.equal(await call(frame, code), undefined, code)
      }
      // Every method by its name on the wire, with arguments that are wrong or missing: none stays without an answer.
      for (const method of [...Object.keys(METHODS), 'unknown']) {
        if (method === 'close') continue
        const message = `{ id: 'm ${method}', type: 'APPLY', path: ['${method}'], argumentList: [{ type: 'RAW', value: 7 }] }`
        const answering = post(frame, message)
        if (method === 'addFrame' || method === 'addMiniApp') await press(page, 'Cancel')
        assert.ok(await answering, method)
      }
      assert.match(
        (await post(frame, "{ id: 'u', type: 'APPLY', path: ['viewNothing'], argumentList: [] }"))
          .value.value.message,
        /viewNothing is not a function/,
      )
      await frame.evaluate('void sdk.actions.close()')
      await page.locator('.mini-app-dialog').waitFor({ state: 'detached' })
      assert.deepEqual(host.faults, [])
      await context.close()
    })

    it('a primary button is shown below the app, and its press comes as the event of the SDK', async () => {
      const { page, context, frame } = await start()
      await frame.evaluate(
        `window.presses = 0; void sdk.on('primaryButtonClicked', () => { window.presses += 1 })`,
      )
      await call(frame, "sdk.actions.setPrimaryButton({ text: 'Vote for it' })")
      await page.getByRole('button', { name: 'Vote for it' }).click()
      await untilInPage(frame, 'window.presses === 1')
      await call(frame, "sdk.actions.setPrimaryButton({ text: 'Vote for it', disabled: true })")
      await page.getByRole('button', { name: 'Vote for it', disabled: true }).waitFor()
      await call(frame, "sdk.actions.setPrimaryButton({ text: 'Vote for it', hidden: true })")
      await page.getByRole('button', { name: 'Vote for it' }).waitFor({ state: 'detached' })
      await context.close()
    })

    it('the way back leads through the pages of the app before it closes the app', async () => {
      const { page, context, frame } = await start({ size: PHONE })
      await call(frame, 'sdk.back.enableWebNavigation()')
      await frame.evaluate(
        "void history.pushState({}, '', '/second'); navigation.dispatchEvent(new Event('navigatesuccess'))",
      )
      const back = page.getByRole('button', { name: 'Back in the app' })
      await back.click()
      await untilInPage(frame, "location.pathname === '/'")
      await call(frame, 'sdk.back.hide()')
      await back.waitFor({ state: 'detached' })
      await page.goBack()
      await page.locator('.mini-app-dialog').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Open Poll' }).waitFor()
      await context.close()
    })

    it('an app finds the wallet as EIP-6963 says, asks for an address once, and has a text signed', async () => {
      const { page, context, frame } = await start()
      const names = await frame.evaluate(`new Promise((resolve) => {
      addEventListener('eip6963:announceProvider', ({ detail }) => resolve(detail.info.name))
      dispatchEvent(new Event('eip6963:requestProvider'))
    })`)
      assert.equal(names, 'Rookery')
      const request =
        "sdk.wallet.getEthereumProvider().then((provider) => provider.request({ method: 'eth_requestAccounts' }))"
      const refused = await answered(page, frame, request, 'Cancel')
      assert.equal(refused.code, 4001)
      const accounts = await answered(page, frame, request, 'Share this address')
      assert.match(accounts[0], /^0x[0-9a-f]{40}$/i)
      const again = await openApp(page, host.web, app.domain)
      assert.deepEqual(await call(again, request), accounts)
      await page.goto(`${host.web}/miniapps/settings`)
      await page.getByRole('button', { name: /^Hide the address/ }).click()
      const hidden = await openApp(page, host.web, app.domain)
      assert.deepEqual(
        await call(hidden, "sdk.wallet.ethProvider.request({ method: 'eth_accounts' })"),
        [],
      )
      await context.close()
    })

    it('a token of Quick Auth that the page gets is verified by the published client of its server', async () => {
      const { page, context, frame } = await start()
      const { result } = (await (await fetch(`${host.web}/platform/v1/mini-app-host`)).json()) as {
        result: { quickAuthOrigin: string }
      }
      const origin = result.quickAuthOrigin
      const code = `sdk.quickAuth.getToken({ quickAuthServerOrigin: '${origin}' })`
      const { token } = await answered(page, frame, code, 'Sign in')
      const client = createClient({ origin })
      const payload = await client.verifyJwt({ token, domain: app.domain })
      assert.equal(payload.sub, (await call(frame, 'sdk.context')).user.fid)
      await assert.rejects(client.verifyJwt({ token, domain: other.domain }))
      await context.close()
    })

    it('a wallet that is an auth address of the account signs in, unless the app refuses auth addresses', async () => {
      const owner = privateKeyToAccount(generatePrivateKey())
      const auth = privateKeyToAccount(generatePrivateKey())
      let acting = owner
      const page = await (await host.browser.newContext({ serviceWorkers: 'block' })).newPage()
      await giveWallet(page, (method, params) => walletOf(acting)(method, params))
      await page.goto(`${host.web}/join/wallet`)
      await page.getByRole('button', { name: 'Test Wallet' }).click()
      await page.getByLabel('Your name').fill('fledgling')
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.waitForURL(`${host.web}/`)
      const fid = await host.network.accounts.fidOf(fromHex(owner.address)!)
      const key = keyOfAddress(auth.address)
      const added = await addKey(host.network, { fid: fid!, account: owner }, key, 2)
      assert.equal(added.status, 200, await added.text())
      acting = auth
      const frame = await openApp(page, host.web, app.domain)
      const signIn = async (options: string) => {
        const signing = call(frame, `sdk.actions.signIn({ nonce: 'abcdefgh12'${options} })`)
        await press(page, 'Sign in')
        await prompt(page).getByText('A wallet', { exact: true }).click()
        await prompt(page).getByRole('button', { name: 'Test Wallet' }).click()
        return signing
      }
      const { message, signature, authMethod } = await signIn('')
      assert.equal(authMethod, 'authAddress')
      const client = createAppClient({
        ethereum: viemConnector({ rpcUrl: `${host.web}/accounts` }),
      })
      const proof = { message, signature, nonce: 'abcdefgh12', domain: app.domain }
      const verified = await client.verifySignInMessage({ ...proof, acceptAuthAddress: true })
      assert.deepEqual([verified.success, verified.fid], [true, fid])
      const refused = signIn(', acceptAuthAddress: false')
      await prompt(page).getByText('That is an auth address').waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await press(page, 'Cancel')
      assert.equal((await refused).thrown, 'SignIn.RejectedByUser')
      await page.context().close()
    })

    it('a profile is shown over the app, which goes on and is returned to', async () => {
      const { page, context, frame } = await start()
      await frame.evaluate('window.mark = 7')
      await call(frame, 'sdk.actions.viewProfile({ fid: 1 })')
      await page.getByRole('heading', { name: 'Rook', exact: true, level: 1 }).waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await page.getByRole('link', { name: /Return/ }).click()
      await page.locator('.mini-app-dialog[open]').waitFor()
      assert.equal(await frame.evaluate('window.mark'), 7)
      await page.getByRole('button', { name: 'Close the app' }).click()
      await page.locator('.mini-app-dialog').waitFor({ state: 'detached' })
      await context.close()
    })

    it('an app opens another one, which learns who has sent its user', async () => {
      const { page, context, frame } = await start()
      // Its answer may come after its frame has gone.
      await frame.evaluate(`void sdk.actions.openMiniApp({ url: '${other.origin}/' })`)
      await prompt(page).getByText(other.domain).first().waitFor()
      await press(page, `Open ${other.domain}`)
      const next = await frameOf(page, other.domain)
      assert.deepEqual((await call(next, 'sdk.context')).location, {
        type: 'open_miniapp',
        referrerDomain: app.domain,
      })
      await context.close()
    })

    it('a link in a cast is a card with a button, and the app learns from which cast it was opened', async () => {
      const action = { type: 'launch_miniapp', name: 'Poll', url: `${app.origin}/` }
      const embed = {
        version: '1',
        imageUrl: `${app.origin}/p.png`,
        button: { title: 'Vote now', action },
      }
      const tag = `<meta name="fc:miniapp" content='${JSON.stringify(embed)}'>`
      servePage(app, '/poll', pageWith('sdk.actions.ready()', tag))
      const { page, context, frame } = await start()
      const code = `sdk.actions.composeCast({ text: 'Please vote', embeds: ['${app.origin}/poll'] })`
      const { cast } = await answered(page, frame, code, 'Post')
      assert.deepEqual([cast.text, cast.embeds], ['Please vote', [`${app.origin}/poll`]])
      await indexed(host.network)
      await page.goto(`${host.web}/cast/${cast.hash}`)
      const card = page.getByRole('article', { name: `Mini app ${app.domain}` })
      await card.getByText(app.domain).waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await card.getByRole('button', { name: 'Vote now' }).click()
      const { location } = await call(await frameOf(page, app.domain), 'sdk.context')
      assert.equal(location.type, 'cast_embed')
      assert.deepEqual([location.cast.hash, location.cast.text], [cast.hash, 'Please vote'])
      await context.close()
    })

    it('a notification is shown with its app, opens it with its context, and is turned off from there', async () => {
      const { page, context, frame } = await start({ name: 'egret' })
      const { notificationDetails } = await answered(page, frame, 'sdk.actions.addMiniApp()', 'Add')
      const send = async (notificationId: string) => {
        const { token, url } = notificationDetails
        const body = {
          notificationId,
          title: 'Good morning',
          body: 'The birds are up',
          targetUrl: `${app.origin}/?n=1`,
          tokens: [token],
        }
        const headers = { 'content-type': 'application/json' }
        const sent = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
        return (
          (await sent.json()) as { result: { successfulTokens: string[]; invalidTokens: string[] } }
        ).result
      }
      assert.equal((await send('one')).successfulTokens.length, 1)
      await page.goto(`${host.web}/notifications`)
      await page.getByText('The birds are up').waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await page.getByRole('button', { name: `Open ${app.domain}` }).click()
      const opened = await frameOf(page, app.domain)
      assert.deepEqual((await call(opened, 'sdk.context')).location, {
        type: 'notification',
        notification: { notificationId: 'one', title: 'Good morning', body: 'The birds are up' },
      })
      await page.getByRole('button', { name: 'Close the app' }).click()
      await page.getByRole('button', { name: /^Turn off/ }).click()
      await page.getByText(`${app.domain} no longer notifies you`).waitFor()
      assert.equal((await send('two')).invalidTokens.length, 1)
      await context.close()
    })

    it('the keyboard reaches everything around the app, and what is closed has no focus', async () => {
      const { page, context, frame } = await start()
      const press = async (keys: string): Promise<string> => {
        await page.keyboard.press(keys)
        return page.evaluate(
          "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent",
        )
      }
      await page.getByRole('button', { name: 'Close the app' }).focus()
      assert.equal(await press('Shift+Tab'), 'About this app')
      assert.equal(await press('Tab'), 'Close the app')
      await frame.evaluate(`void sdk.actions.addMiniApp().catch(() => {})`)
      await prompt(page).locator('h2:focus').waitFor()
      await prompt(page).getByRole('button', { name: 'Add', disabled: false }).waitFor()
      assert.equal(await press('Tab'), '')
      assert.equal(await page.evaluate('document.activeElement.type'), 'checkbox')
      assert.equal(await press('Tab'), 'Add')
      assert.equal(await press('Tab'), 'Cancel')
      await page.keyboard.press('Escape')
      await prompt(page).waitFor({ state: 'detached' })
      // The focus is in the app again, whose keys are its own.
      await untilInPage(page, "document.activeElement?.tagName === 'IFRAME'")
      await page.getByRole('button', { name: 'Close the app' }).focus()
      await page.keyboard.press('Escape')
      await page.locator('.mini-app-dialog').waitFor({ state: 'detached' })
      await until(() => page.frames().length === 1, 'the frames are gone')
      assert.notEqual(await page.evaluate('document.activeElement.tagName'), 'IFRAME')
      await context.close()
    })

    it('the room of developers shows every message, answers with faults, and changes the context', async () => {
      const { page, context } = await host.visitor()
      await page.goto(`${host.web}/development/mini-apps?url=${encodeURIComponent(app.domain)}`)
      let frame = await frameOf(page, app.domain)
      await page.getByText('→ ready').waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await page.getByText('Faults', { exact: true }).click()
      await page.getByLabel('The user refuses to sign in').check()
      const refused = await call(frame, "sdk.actions.signIn({ nonce: 'abcdefgh12' })")
      assert.equal(refused.thrown, 'SignIn.RejectedByUser')
      await page.getByText('Context', { exact: true }).click()
      await page.getByLabel('Safe area of a phone').check()
      await page.getByLabel('Opened from').selectOption('channel')
      frame = await frameOf(page, app.domain)
      await page.getByText('→ ready').nth(1).waitFor()
      const read = await call(await frameOf(page, app.domain), 'sdk.context')
      assert.equal(read.location.type, 'channel')
      assert.equal(read.client.safeAreaInsets.bottom, 34)
      await context.close()
    })
  })
}
