import { setTimeout as delay } from 'node:timers/promises'
import { ask } from './ask.ts'
import type { NetworkAccount, NetworkUrls } from './network-parts.ts'
import { Signer } from './signer.ts'
import { type BrowserFrame, type BrowserPage, signIn } from './web-client.ts'

// A mini app in a network of tests: what is wrong about it, who has added it, and its page inside the web client.

export type MiniAppFault = {
  readonly severity: 'error' | 'warning'
  readonly code: string
  /** Where in the manifest or the card. */
  readonly path?: string
  readonly message: string
  /** What to do about it. */
  readonly fix: string
}

export type MiniAppReport = {
  readonly domain: string
  /** Whether there is no error, only warnings. */
  readonly isReady: boolean
  readonly faults: readonly MiniAppFault[]
  readonly manifest?: Readonly<Record<string, unknown>>
  readonly embed?: Readonly<Record<string, unknown>>
}

export type NotificationDetails = { readonly url: string; readonly token: string }

export type MiniApp = {
  /** By which the network knows the app, such as `localhost:3000`. */
  readonly domain: string
  report(): Promise<MiniAppReport>
  /** Adds it for an account, whose key signs the event for its server. Returns with what it may notify the account. */
  add(account: NetworkAccount): Promise<NotificationDetails>
  remove(account: NetworkAccount): Promise<void>
  /** Opens it in the web client as an account, in a page of Playwright, and returns the frame of the app. */
  open<Frame extends BrowserFrame>(
    page: BrowserPage<Frame>,
    account: NetworkAccount,
  ): Promise<Frame>
}

/** A token of an account holds for this time. */
const TOKEN_SECONDS = 300
/** Until the frame of an app is there; a test may share its machine with others. */
const OPEN_TIMEOUT_MS = 60_000
const POLL_MS = 20

export function miniAppAt(
  page: string,
  urls: Pick<NetworkUrls, 'web' | 'platform' | 'operations'>,
  now: () => Promise<number>,
): MiniApp {
  const { host: domain, origin } = new URL(page)
  const act = async (account: NetworkAccount, event: string) => {
    const key = new Signer(account)
    const token = key.sign({ exp: (await now()) + TOKEN_SECONDS })
    const call = (method: string, body: object) =>
      ask(`${urls.platform}/fc/mini-app-events`, method, token, body)
    const { id, payload } = await call('POST', { domain, event })
    const [header, , signature] = key.signPart(String(payload)).split('.')
    return call('PUT', { id, header, signature })
  }
  const hasAdded = async (account: NetworkAccount): Promise<boolean> => {
    const token = new Signer(account).sign({ exp: (await now()) + TOKEN_SECONDS })
    const query = new URLSearchParams({ domain })
    const { app } = await ask(`${urls.platform}/v1/mini-app?${query}`, 'GET', token)
    return (app as { added: boolean }).added
  }
  return {
    domain,
    async report() {
      const query = new URLSearchParams({ url: page })
      return (await ask(`${urls.operations}/dev/mini-app-report?${query}`)) as MiniAppReport
    },
    async add(account) {
      return (await act(account, 'miniapp_added')).notificationDetails as NotificationDetails
    },
    async remove(account) {
      await act(account, 'miniapp_removed')
    },
    async open(browser, account) {
      const isAdded = await hasAdded(account)
      await signIn(browser, account, urls)
      await browser.goto(`${urls.web}/miniapps/${encodeURIComponent(domain)}`)
      // An app that the account has added opens by itself.
      if (!isAdded) await browser.getByRole('button', { name: /^Open / }).click()
      for (const end = Date.now() + OPEN_TIMEOUT_MS; Date.now() < end; await delay(POLL_MS)) {
        const frame = browser.frames().find((one) => one.url().startsWith(`${origin}/`))
        if (frame) return frame
      }
      throw new Error(`the web client shows no frame of ${domain}`)
    },
  }
}
