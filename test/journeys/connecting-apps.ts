// The pages as people meet them: in a browser, with a wallet, against a network that runs.

import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { LocalAccount } from 'viem'
import type { App } from '../../src/app.ts'
import { devAccount } from '../../src/dev/accounts.ts'
import { BADGES } from '../../src/features/badges/port.ts'
import { submitMessages } from '../../src/kernel/hub/submit/submit-messages.ts'
import { buildMessage, castAdd, userDataAdd } from '../../src/kernel/protocol/build.ts'
import { toHex } from '../../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../../src/kernel/protocol/codec/envelope.ts'
import { publicKeyOf } from '../../src/kernel/protocol/crypto/ed25519.ts'
import {
  gaslessKeyDomain,
  signedKeyRequestTypedData,
} from '../../src/kernel/protocol/crypto/eip712.ts'
import { DAY_SECONDS, networkTime } from '../../src/kernel/protocol/time.ts'
import { UserDataType } from '../../src/kernel/protocol/wire/message_pb.js'
import { accessibilityFaults, readQrCode, untilInPage } from '../browser.ts'
import { giveWallet, signWith, type Wallet, walletOf } from '../browser-wallet.ts'
import { DEVNET } from '../world.ts'
import { type BrowserWorld, PHONE } from './browser-world.ts'

const [RAVEN, HERON, PUFFIN] = [1, 2, 3].map((index) => devAccount(index).custody)
const STRANGER = devAccount(19).custody
/** Until then a request is approved and not completed. It stays so while the clock does not move. */
export const CONFIRMATION_MS = 1_500
const DESKTOP = { width: 1_200, height: 800 }

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any
// Of the page, where functions are evaluated.
declare const document: Json

/** A clock that a test can stop. */
export const stoppable = (() => {
  let stoppedAtMs: number | undefined
  return {
    now: () => stoppedAtMs ?? Date.now(),
    stop: () => {
      stoppedAtMs = Date.now()
    },
    goOn: () => {
      stoppedAtMs = undefined
    },
  }
})()

/** The world has `stoppable` as its clock. */
export function connectingApps(world: BrowserWorld): void {
  describe('the pages', { concurrency: 1 }, () => {
    let app: App
    const opened: { close(): Promise<void> }[] = []
    const faults: string[] = []

    before(async () => {
      app = world.app
      await app.of(BADGES).mark(3, 'add', 'a test')
      // Later than the website that the development world gave this account, maybe in this second.
      const timestamp = networkTime(app.clock.now()) + 1
      const origin = { fid: 3, timestamp, network: DEVNET }
      const website = userDataAdd(origin, UserDataType.USER_DATA_TYPE_URL, 'https://heron.example/')
      const [outcome] = await submitMessages(app.hub, [
        buildMessage(website, devAccount(2).appSeed),
      ])
      assert.equal(typeof outcome, 'number', `${outcome}`)
    })
    const now = () => Math.floor(app.clock.now() / 1000)
    const call = async (path: string, method = 'GET', body?: object): Promise<Json> => {
      const response = await fetch(app.urls.platform + path, {
        method,
        ...(body && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      })
      const answer = (await response.json()) as Json
      assert.equal(response.status, 200, JSON.stringify(answer))
      return answer.result
    }

    type AskedFor = {
      by?: NonNullable<typeof HERON>
      requestFid?: number
      deadline?: number
      redirectUrl?: string
      gasless?: { scopes: string[]; ttl: number }
    }

    /** An app's side: a request for a new key, signed by the app's custody address. */
    async function ask(
      seedByte: number,
      {
        by = HERON!,
        requestFid = 3,
        deadline = now() + DAY_SECONDS,
        redirectUrl = 'heron://done',
        gasless,
      }: AskedFor = {},
    ) {
      const seed = new Uint8Array(32).fill(seedByte)
      const key = publicKeyOf(seed)
      const domain = gasless ? gaslessKeyDomain() : undefined
      const asked = { requestFid, key, deadline }
      const signature = await signWith(by, signedKeyRequestTypedData(asked, domain))
      const body = {
        ...asked,
        key: toHex(key),
        signature,
        redirectUrl,
        ...(gasless && { gasless }),
      }
      const { signedKeyRequest } = await call('/v2/signed-key-requests', 'POST', body)
      const { token } = signedKeyRequest
      const state = async () =>
        (await call(`/v2/signed-key-request?token=${token}`)).signedKeyRequest
      return { token, seed, key: toHex(key), state, path: `/~/connect?token=${token}` }
    }

    /** Opens a page in a browser of its own, and records every error and blocked request. */
    async function open(
      path: string,
      { wallet, size = PHONE }: { wallet?: Wallet; size?: typeof PHONE } = {},
    ): Promise<Page> {
      const isPhone = size === PHONE
      const context = await world.browser.newContext({
        viewport: size,
        isMobile: isPhone,
        hasTouch: isPhone,
        reducedMotion: 'reduce',
      })
      opened.push(context)
      const page = await context.newPage()
      page.on('request', (request) => {
        const url = request.url()
        const isOurs = [app.urls.platform, app.urls.web, 'data:'].some((one) => url.startsWith(one))
        if (!isOurs) faults.push(url)
        if (request.headers().referer?.includes('token')) faults.push(`${url} is told the token`)
      })
      page.on('pageerror', (error) => faults.push(error.message))
      page.on('console', (message) => {
        const isOfPage = message.type() === 'error' && !message.text().startsWith('Failed to load')
        if (isOfPage) faults.push(message.text())
      })
      if (wallet) {
        await giveWallet(page, wallet)
      }
      await page.goto(path.startsWith('http') ? path : app.urls.platform + path)
      return page
    }

    /** What holds for every state of every page. */
    async function check(page: Page): Promise<void> {
      await page.emulateMedia({ colorScheme: 'dark' })
      assert.deepEqual(await accessibilityFaults(page, 'color-contrast'), [], 'in the dark')
      await page.emulateMedia({ colorScheme: 'light' })
      assert.deepEqual(await accessibilityFaults(page), [])
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      assert.equal(await page.evaluate(overflow), 0, 'it scrolls sideways')
      assert.deepEqual(faults.splice(0), [])
    }

    const heading = (page: Page, name: string | RegExp): Promise<void> =>
      page.getByRole('heading', { level: 1, name }).waitFor()
    /** Waits: the title is set after the content of the page. */
    const titled = (page: Page, title: string) =>
      untilInPage(page, (expected) => document.title === expected, title)
    const press = (page: Page, name: string | RegExp): Promise<void> =>
      page.getByRole('button', { name }).click()
    const closeAll = () => Promise.all(opened.splice(0).map((one) => one.close()))

    it('a user approves on a phone from the QR code, and the app posts its first cast', async () => {
      const request = await ask(0x41)
      const desktop = await open(request.path, { size: DESKTOP })
      await heading(desktop, 'Connect Heron to your account?')
      await check(desktop)
      const scanned = await readQrCode(desktop.getByRole('img', { name: /QR code/ }))
      assert.equal(scanned, `${app.urls.web}/platform${request.path}`)

      const phone = await open(scanned, { wallet: walletOf(RAVEN!) })
      await heading(phone, 'Connect Heron to your account?')
      await titled(phone, 'Connect Heron? – Rookery')
      await phone.getByText('@heron · fid 3').waitFor()
      const bottom = `document.querySelector('.choice').getBoundingClientRect().bottom`
      assert.ok(((await phone.evaluate(bottom)) as number) <= PHONE.height, 'the choice is hidden')
      await phone.getByText('Details', { exact: true }).click()
      await press(phone, /Show all/)
      await phone.getByText(request.key, { exact: true }).waitFor()
      await phone.getByText('Has a power badge').waitFor()
      await phone.getByText('heron.example (as its profile says; not verified)').waitFor()
      await phone.getByText('This server keeps accounts and their keys itself').waitFor()
      await check(phone)
      await press(phone, 'Test Wallet')
      await phone.getByText('@raven · fid 2').waitFor()
      // However far the details reach, both answers are in view.
      for (const name of ['Approve as Raven', 'Decline']) {
        const { y, height } = (await phone.getByRole('button', { name }).boundingBox())!
        assert.ok(y >= 0 && y + height <= PHONE.height, `${name} is cut off at ${y}`)
      }
      await check(phone)
      stoppable.stop()
      await press(phone, 'Approve as Raven')
      await heading(phone, 'Connecting Heron')
      assert.equal((await request.state()).userFid, 2)
      stoppable.goOn()
      await heading(phone, 'Heron is connected')

      assert.equal((await request.state()).state, 'completed')
      const origin = { fid: 2, timestamp: networkTime(app.clock.now()), network: DEVNET }
      const cast = buildMessage(castAdd(origin, { text: 'Through the new app' }), request.seed)
      const answer = await fetch(`${app.urls.hub}/v1/submitMessage`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: encodeEnvelope(cast) as Uint8Array<ArrayBuffer>,
      })
      assert.equal(answer.status, 200, await answer.text())

      await heading(desktop, 'Heron is connected')
      await phone.getByText('It can now act as Raven (@raven').waitFor()
      const back = phone.getByRole('link', { name: 'Go back to Heron' })
      assert.equal(await back.getAttribute('href'), 'heron://done')
      await phone.getByText('heron://done').waitFor()
      await titled(phone, 'Heron is connected – Rookery')
      await check(phone)
      await closeAll()
    })

    it('a request for a gasless key says what it allows and for how long, and its owner removes the key', async () => {
      const scopes = ['MESSAGE_TYPE_CAST_ADD', 'MESSAGE_TYPE_REACTION_ADD']
      const request = await ask(0x4a, { gasless: { scopes, ttl: 30 * DAY_SECONDS } })
      const page = await open(request.path, { wallet: walletOf(RAVEN!), size: DESKTOP })
      await page.getByText('In your name it could: post, like and repost. Nothing else.').waitFor()
      await page.getByText('Its permission ends when it is not used for 30 days').waitFor()
      await check(page)
      await press(page, 'Test Wallet')
      await press(page, 'Approve as Raven')
      await heading(page, 'Heron is connected')
      const { state, userFid } = await request.state()
      assert.deepEqual([state, userFid], ['completed', 2])
      await check(page)

      const apps = await open('/~/apps', { wallet: walletOf(RAVEN!) })
      await press(apps, 'Test Wallet')
      const row = apps.getByRole('listitem').filter({ hasText: 'post, like and repost' })
      await row.getByRole('button', { name: /^Remove/ }).click()
      await row.getByRole('button', { name: 'Yes, remove' }).click()
      await apps.getByRole('status').getByText('was removed').waitFor()
      const { signers } = await call('/v2/signers?fid=2')
      assert.equal(JSON.stringify(signers).includes(request.key.slice(2)), false)
      await closeAll()
    })

    it('a page shows the picture of an app on the port of the platform too', async () => {
      const page = await open((await ask(0x48)).path, { size: DESKTOP })
      await untilInPage(page, () => document.querySelector('.who img.avatar')?.naturalWidth > 0)
      await check(page)
      await closeAll()
    })

    it('declining needs a signature and is final', async () => {
      const request = await ask(0x42)
      let isWilling = false
      const wallet = walletOf(RAVEN!)
      const page = await open(request.path, {
        wallet: (method, params) => {
          if (method === 'personal_sign' && !isWilling) throw { code: 4001, message: 'no' }
          return wallet(method, params)
        },
      })
      // Before a wallet is connected, nothing can be declined in the name of an account.
      await press(page, 'Decline')
      await heading(page, 'Nothing was approved')
      await check(page)
      await press(page, 'Back to the request')
      await press(page, 'Test Wallet')
      await page.getByRole('button', { name: /Approve as/ }).waitFor()
      await press(page, 'Decline')
      await page.getByRole('status').getByText('You declined in your wallet').waitFor()
      assert.equal(await page.getByRole('alert').count(), 0)
      await check(page)
      assert.equal((await request.state()).state, 'pending')
      isWilling = true
      await press(page, 'Decline')
      await heading(page, 'Declined')
      assert.equal((await request.state()).state, 'denied')
      await check(page)
      await closeAll()
    })

    it('the page says why a request failed and which account is wrong', async () => {
      const { key } = await ask(0x41)
      const again = await ask(0x41)
      const used = await open(again.path, { wallet: walletOf(RAVEN!) })
      await press(used, 'Test Wallet')
      await used.getByText('This key is already connected to your account').waitFor()
      assert.equal(await used.getByRole('button', { name: /Approve as/ }).isDisabled(), true)
      await check(used)
      // A user who ignores the page gets the contract's error.
      const signed = await signApproval(again.token, RAVEN!)
      await fetch(`${app.urls.platform}/v2/approve-signed-key-requests`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(signed),
      })
      await heading(used, 'Not connected')
      await used.getByText('Ask Heron for a new one').waitFor()
      assert.equal((await again.state()).key, key)
      await check(used)

      const other = await open((await ask(0x43)).path, { wallet: walletOf(STRANGER) })
      await press(other, 'Test Wallet')
      await other.getByText('has no account here').waitFor()
      await check(other)
      await closeAll()
    })

    it('an unknown and a missing token are explained', async () => {
      for (const [query, text] of [
        [`?token=0x${'ab'.repeat(24)}`, 'Request not found'],
        ['?token=%3Cscript%3E', 'Request not found'],
        ['', 'Which app do you want to connect?'],
      ] as const) {
        const page = await open(`/~/connect${query}`)
        await heading(page, text)
        await check(page)
      }
      await closeAll()
    })

    it('without a relayer the wallet sends the transaction on its chain', async () => {
      const request = await ask(0x44)
      const transaction = { chainId: 11_155_420, to: `0x${'12'.repeat(20)}`, data: '0xabcd' }
      const sent: Json[] = []
      let chainId = '0x1'
      const wallet = walletOf(RAVEN!)
      const page = await open(request.path, {
        wallet: (method, params) => {
          if (method === 'eth_chainId') return chainId
          if (method === 'wallet_switchEthereumChain') {
            chainId = params[0].chainId
            return null
          }
          if (method !== 'eth_sendTransaction') return wallet(method, params)
          sent.push({ chainId, ...params[0] })
          return `0x${'77'.repeat(32)}`
        },
      })
      await page.route('**/v2/approve-signed-key-requests', async (route) => {
        const signedKeyRequest = await request.state()
        await route.fulfill({ json: { result: { signedKeyRequest, transaction } } })
      })
      await press(page, 'Test Wallet')
      await page.getByText('Your wallet is on Ethereum').waitFor()
      await page.getByText('Nothing is sent there: this server keeps the accounts').waitFor()
      await check(page)
      await press(page, /Approve as/)
      await press(page, 'Send the transaction')
      await page.getByText('It takes effect once OP Sepolia has confirmed it').waitFor()
      const { to, data } = transaction
      assert.deepEqual(sent, [{ chainId: '0xaa37dc', from: RAVEN!.address, to, data }])
      await check(page)
      await closeAll()
    })

    it('a development account approves and removes an app with the keyboard alone', async () => {
      const request = await ask(0x45, { redirectUrl: 'https://heron.example/done' })
      // At the front door, which fetches the picture of the app.
      const page = await open(`${app.urls.web}/platform${request.path}`, { size: DESKTOP })
      await untilInPage(page, () => document.querySelector('.who img.avatar')?.naturalWidth > 0)
      await page.getByRole('button', { name: 'Development account' }).waitFor()
      await tabTo(page, 'Development account')
      await page.keyboard.press('Enter')
      await page.getByLabel('Find an account').waitFor()
      await tabTo(page, 'Find an account')
      await page.keyboard.type('puffin')
      await tabTo(page, 'Account in Development account')
      await page.getByRole('button', { name: 'Approve as Puffin' }).waitFor()
      await check(page)
      await tabTo(page, 'Approve as Puffin')
      await page.keyboard.press('Enter')
      await heading(page, 'Heron is connected')
      assert.equal((await request.state()).userFid, 4)

      await tabTo(page, 'See connected apps')
      await page.keyboard.press('Enter')
      await heading(page, 'Connected apps')
      const connectAsPuffin = async () => {
        await press(page, 'Development account')
        const choice = page.getByLabel('Account in Development account')
        await choice.selectOption({ label: 'puffin · fid 4' })
      }
      await connectAsPuffin()
      const apps = page.getByRole('region', { name: 'Apps' })
      const row = apps.getByRole('listitem').filter({ hasText: '@heron' })
      await row.waitFor()
      await row.getByRole('button', { name: 'Name it Heron' }).click()
      await check(page)
      await row.getByLabel('Your name for it').fill(' Old <b>phone</b>\u202e ')
      await page.keyboard.press('Enter')
      await row.getByText('Old <b>phone</b>', { exact: true }).waitFor()
      await row.getByRole('button', { name: /^Remove Heron/ }).click()
      await row.getByRole('button', { name: 'Keep it' }).click()
      await page.reload()
      await row.getByText('Old <b>phone</b>', { exact: true }).waitFor()
      await connectAsPuffin()
      await row.getByRole('button', { name: /^Remove Heron/ }).click()
      await check(page)
      await row.getByRole('button', { name: 'Yes, remove' }).click()
      await apps.getByRole('status').getByText('was removed').waitFor()
      assert.equal(await row.count(), 0)
      const { signers } = await call('/v2/signers?fid=4')
      assert.equal(JSON.stringify(signers).includes(request.key.slice(2)), false)
      await check(page)
      await closeAll()
    })

    it('the apps of an account are public, and only its owner can remove them', async () => {
      const page = await open('/~/apps?fid=2')
      await page.getByText('the account’s owner has to sign').waitFor()
      const apps = page.getByRole('region', { name: 'Apps' })
      await apps.getByText('@heron · fid 3').waitFor()
      await apps
        .getByRole('button', { name: /Remove/ })
        .first()
        .click()
      await page.getByText('Choose your account on this page first').waitFor()
      await check(page)
      await closeAll()
    })

    it('the page polls a request while its event stream is silent', async () => {
      const request = await ask(0x46)
      const page = await open('/~/connect')
      await page.route('**/v2/signed-key-request-events*', (route) => route.abort())
      await page.goto(app.urls.platform + request.path)
      await heading(page, 'Connect Heron to your account?')
      await call(
        '/v2/approve-signed-key-requests',
        'PUT',
        await signApproval(request.token, PUFFIN!),
      )
      await heading(page, 'Heron is connected')
      await closeAll()
      faults.splice(0) // the browser complains about what was cut off
    })

    it('a request expires by the clock of the network', async () => {
      const request = await ask(0x47)
      await fetch(`${app.urls.operations}/dev/clock`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ advanceSeconds: DAY_SECONDS + 60 }),
      })
      const page = await open(request.path)
      await heading(page, 'This request has expired')
      await check(page)
      await closeAll()
    })

    /** What the page would send for an account, made without the page. */
    async function signApproval(token: string, account: LocalAccount): Promise<Json> {
      const query = `token=${token}&address=${account.address}`
      const { approval } = await call(`/v2/signed-key-request-approval?${query}`)
      const { typedData, user } = approval
      const signature = await signWith(account, typedData)
      return { token, deadline: Number(typedData.message.deadline), signature, userFid: user.fid }
    }
  })
}

/** Presses Tab until the control of that name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const nameOfFocused = `(() => {
    const { activeElement: one } = document
    return one === document.body ? '' : (one.labels?.[0]?.textContent ?? one.textContent)
  })()`
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab')
    if (String(await page.evaluate(nameOfFocused)).includes(name)) return
  }
  assert.fail(`${name} cannot be reached with the keyboard`)
}
