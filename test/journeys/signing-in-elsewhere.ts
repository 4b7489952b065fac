// A user of a development network signs in to a web page with auth-kit, in a browser, without any other site; a server
// verifies it with auth-client and quick-auth.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createAppClient, viemConnector } from '@farcaster/auth-client'
import { createClient } from '@farcaster/quick-auth'
import type { BrowserContext, Page } from 'playwright-core'
import { build } from 'vite'
import type { App } from '../../src/app.ts'
import { accessibilityFaults, readQrCode, untilInPage } from '../browser.ts'
import { ROOT } from '../program.ts'
import type { BrowserWorld } from './browser-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: of the page, where functions are evaluated
type Json = any

export function signingInElsewhere(world: BrowserWorld): void {
  describe('signing in with auth-kit', { concurrency: 1 }, () => {
    let app: App
    let site: Server
    let siteUrl: string
    const built = mkdtempSync(join(tmpdir(), 'rookery-auth-kit-'))
    const faults: string[] = []

    before(async () => {
      process.env.NODE_ENV = 'production'
      await build({
        root: join(ROOT, 'test', 'sign-in-page'),
        configFile: false,
        logLevel: 'error',
        build: {
          outDir: built,
          emptyOutDir: true,
          target: 'es2022',
          chunkSizeWarningLimit: 10_000,
        },
      })
      site = createServer((request, response) => {
        const { pathname } = new URL(request.url!, 'http://site')
        const file = pathname.startsWith('/assets/') ? pathname : '/index.html'
        const type = file.endsWith('.js')
          ? 'text/javascript'
          : file.endsWith('.css')
            ? 'text/css'
            : 'text/html'
        response.writeHead(200, { 'content-type': type }).end(readFileSync(join(built, file)))
      })
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
      siteUrl = `http://127.0.0.1:${(site.address() as { port: number }).port}`
      app = world.app
    })
    after(async () => {
      site?.close()
      rmSync(built, { recursive: true, force: true })
    })

    const newContext = async () => {
      const context = await world.browser.newContext({ reducedMotion: 'reduce' })
      context.on('request', (request) => {
        const allowed = [siteUrl, app.urls.web, app.urls.accounts, 'data:', 'blob:']
        if (!allowed.some((one) => request.url().startsWith(one))) faults.push(request.url())
        if (request.headers().referer?.includes('channelToken')) faults.push('the token is told')
      })
      return context
    }
    /** Opens the page of the app and returns it with the address that its dialog leads to. */
    async function askIn(context: BrowserContext): Promise<{ page: Page; url: string }> {
      const page = await context.newPage()
      page.on('pageerror', (error) => faults.push(error.message))
      const query = new URLSearchParams({
        relay: `${app.urls.web}/platform`,
        rpcUrl: `${app.urls.web}/accounts`,
      })
      await page.goto(`${siteUrl}/?${query}`)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('scan the code below').waitFor()
      const opened = context.waitForEvent('page')
      await page.getByRole('button', { name: /using my phone/ }).click()
      const url = (await opened).url()
      return { page, url }
    }
    const chooseRaven = async (approval: Page) => {
      await approval.getByRole('button', { name: /Development account/ }).click()
      await approval.getByRole('combobox').selectOption({ label: 'raven · fid 2' })
    }

    test('a user signs in, the page shows who it is, and a server verifies the signature', async () => {
      const context = await newContext()
      const { page } = await askIn(context)
      const approval = context.pages().at(-1)!
      const host = new URL(siteUrl).host
      await approval.getByRole('heading', { name: `Sign in to ${host}?` }).waitFor()
      assert.equal(await approval.getByText('made this request').count(), 0, 'its own page asked')
      assert.deepEqual(await accessibilityFaults(approval), [])
      await chooseRaven(approval)
      await approval.getByRole('button', { name: /^Sign in as/ }).click()
      await approval.getByRole('heading', { name: `You have signed in to ${host}` }).waitFor()
      assert.deepEqual(await accessibilityFaults(approval), [])

      await untilInPage(page, 'globalThis.signedIn')
      const answer = (await page.evaluate('globalThis.signedIn')) as Json
      assert.deepEqual([answer.fid, answer.username, answer.authMethod], [2, 'raven', 'custody'])
      await page.getByText('raven').first().waitFor()
      const ethereum = viemConnector({ rpcUrl: app.urls.accounts })
      const verified = await createAppClient({ ethereum }).verifySignInMessage({
        nonce: answer.nonce,
        domain: host,
        message: answer.message,
        signature: answer.signature,
      })
      assert.deepEqual([verified.success, verified.fid], [true, 2], `${verified.error}`)
      const quickAuth = createClient({ origin: `${app.urls.web}/platform` })
      const { message, signature } = answer
      const { token } = await quickAuth.verifySiwf({ message, signature, domain: host })
      assert.equal((await quickAuth.verifyJwt({ token, domain: host })).sub, 2)
      await assert.rejects(quickAuth.verifySiwf({ message, signature, domain: host }), /400/)
      await context.close()
      assert.deepEqual(faults, [])
    })

    test('a user declines, before a wallet is chosen and after, and the app learns nothing', async () => {
      const context = await newContext()
      for (const isLate of [false, true]) {
        const { page, url } = await askIn(context)
        const approval = context.pages().at(-1)!
        if (isLate) await chooseRaven(approval)
        await approval.getByRole('button', { name: 'Decline' }).click()
        await approval.getByRole('heading', { name: 'Declined' }).waitFor()
        const token = new URL(url).searchParams.get('channelToken')
        const status = await fetch(`${app.urls.platform}/v1/channel/status`, {
          headers: { authorization: `Bearer ${token}` },
        })
        assert.equal(status.status, 401)
        assert.equal(await page.evaluate('globalThis.signedIn'), undefined)
        await approval.reload()
        await approval.getByRole('heading', { name: 'Request not found' }).waitFor()
      }
      await context.close()
      assert.deepEqual(faults, [])
    })

    test('the page warns of requests that another site or a server has made, and leads only back to the domain', async () => {
      const context = await newContext()
      const open = async (body: object, headers: Record<string, string> = {}) => {
        const response = await fetch(`${app.urls.platform}/v1/channel`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({
            siweUri: 'https://bank.example/login',
            domain: 'bank.example',
            ...body,
          }),
        })
        const page = await context.newPage()
        await page.goto(((await response.json()) as Json).url)
        await page.getByRole('heading', { name: /Sign in to/ }).waitFor()
        return page
      }
      const evil = await open({}, { origin: 'https://evil.example' })
      await evil.getByText('A page of https://evil.example made this request').waitFor()
      const server = await open({ redirectUrl: 'https://evil.example/steal' })
      await server.getByText('A server made this request').waitFor()
      await chooseRaven(server)
      await server.getByRole('button', { name: /^Sign in as/ }).click()
      await server.getByRole('heading', { name: /You have signed in/ }).waitFor()
      assert.equal(await server.getByRole('link', { name: /Go back/ }).count(), 0)
      const punycode = await open({ domain: 'xn--bnk-5na.example' })
      await punycode.getByText('can look like others').waitFor()
      await context.close()
    })

    test('the code on the page leads another device to the same page, and so does the link of an installed app', async () => {
      const context = await newContext()
      await askIn(context)
      const approval = context.pages().at(-1)!
      const code = approval.getByRole('img', { name: /QR code/ })
      assert.equal(await readQrCode(code), approval.url())
      const token = new URL(approval.url()).searchParams.get('channelToken')
      const link = approval.getByRole('link', { name: 'Open in an installed app' })
      assert.equal(await link.getAttribute('href'), `farcaster://connect?channelToken=${token}`)
      await context.close()
    })
  })
}
