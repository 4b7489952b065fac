import { type Call, fetchJson, type Query } from '../../shared/request.ts'
import type { BrowserKey } from '../act/key-store.ts'
import { tokenOf } from '../act/platform.ts'

// What the client platform knows of mini apps.

export type MiniApp = {
  readonly domain: string
  readonly name: string
  readonly author?: { readonly fid: number; readonly username?: string }
  readonly iconUrl: string
  readonly homeUrl: string
  readonly splashImageUrl?: string
  readonly splashBackgroundColor?: string
  readonly subtitle?: string
  readonly description?: string
  readonly primaryCategory?: string
  readonly people: number
}

export type Fault = {
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly path?: string
  readonly message: string
  readonly fix: string
}

export type NotificationDetails = { readonly url: string; readonly token: string }

export type MiniAppDetails = MiniApp & {
  readonly manifest: {
    readonly screenshotUrls?: readonly string[]
    readonly requiredCapabilities?: readonly string[]
    readonly requiredChains?: readonly string[]
    readonly castShareUrl?: string
    readonly webhookUrl?: string
  }
  readonly state: 'listed' | 'faulty'
  readonly faults: readonly Fault[]
  readonly added?: boolean
  readonly notifies?: boolean
  readonly notificationDetails?: NotificationDetails
}

export type AddedMiniApp = MiniApp & {
  readonly addedAt: number
  readonly notifies: boolean
  /** Where it takes casts that are shared with it. */
  readonly castShareUrl?: string
}

export type Notice = {
  readonly notificationId: string
  readonly title: string
  readonly body: string
  readonly targetUrl: string
  readonly createdAt: number
  readonly seenAt?: number
  readonly app: MiniApp
}

export type HostTerms = {
  readonly mode: 'off' | 'listed' | 'signed' | 'any'
  readonly chains: readonly string[]
  readonly quickAuthOrigin: string
  readonly notificationsUrl: string
}

export type EventOutcome = {
  readonly added: boolean
  readonly notifies: boolean
  readonly notificationDetails?: NotificationDetails
}

/** A call of the platform in the name of the account, or of nobody. */
export async function platform<T>(
  path: string,
  call: Omit<Call, 'token'> = {},
  key?: BrowserKey,
): Promise<T> {
  const token = key && (await tokenOf(key))
  return (await fetchJson<{ result: T }>(`/platform${path}`, { ...call, token })).result
}

export const getApp = async (domain: string, key?: BrowserKey): Promise<MiniAppDetails> =>
  (await platform<{ app: MiniAppDetails }>('/v1/mini-app', { query: { domain } }, key)).app

export const getTerms = (): Promise<HostTerms> => platform('/v1/mini-app-host')

export async function listApps(
  path: string,
  query: Query,
  key?: BrowserKey,
): Promise<{ apps: readonly MiniApp[]; cursor: string | undefined }> {
  const token = key && (await tokenOf(key))
  type Page = { result: { apps: MiniApp[] }; next?: { cursor: string } }
  const { result, next } = await fetchJson<Page>(`/platform${path}`, { query, token })
  return { apps: result.apps, cursor: next?.cursor }
}

export const listAdded = (key: BrowserKey) =>
  platform<{ apps: readonly AddedMiniApp[]; hidesUse: boolean }>('/fc/added-mini-apps', {}, key)

export const setHidesUse = (key: BrowserKey, hidesUse: boolean) =>
  platform('/fc/mini-app-choices', { method: 'PUT', body: { hidesUse } }, key)

export const tellOpened = (key: BrowserKey, domain: string) =>
  platform('/fc/mini-app-opens', { method: 'POST', body: { domain } }, key)

export const listNotices = (key: BrowserKey, limit = 25) =>
  platform<{ notices: readonly Notice[]; unseen: number }>(
    '/fc/mini-app-notices',
    { query: { limit } },
    key,
  )

export const seeNotices = (key: BrowserKey, until: number) =>
  platform('/fc/mini-app-notices/seen', { method: 'POST', body: { until } }, key)
