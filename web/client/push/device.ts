import { base64url, bytesOfBase64url } from '../../shared/bytes.ts'
import { t } from '../../shared/messages.ts'
import type { BrowserKey } from '../act/key-store.ts'
import { tokenOf } from '../act/platform.ts'
import { callApp } from '../api.ts'
import type { OwnPushDevices, PushDevice, PushKind } from '../types.ts'

// The subscription of this browser at its push service. What it is told of is kept by the server; the browser only remembers that
// it is told at all.

const PATH = '/push/own'

/** Why this browser cannot be told; undefined when it can. */
export type Obstacle = 'unsupported' | 'not-installed' | 'denied'

export function findObstacle(): Obstacle | undefined {
  const isSupported = 'serviceWorker' in navigator && 'PushManager' in window
  if (!isSupported || !('Notification' in window)) {
    return /iphone|ipad/i.test(navigator.userAgent) ? 'not-installed' : 'unsupported'
  }
  return Notification.permission === 'denied' ? 'denied' : undefined
}

const registration = () => navigator.serviceWorker?.getRegistration()

/** The subscription of this browser, if it has one. */
export const findSubscription = async (): Promise<PushSubscription | undefined> =>
  (await (await registration())?.pushManager?.getSubscription()) ?? undefined

/** By which the server names the device of a subscription. */
export const deviceIdOf = async ({ endpoint }: PushSubscription): Promise<string> =>
  base64url(
    new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint))),
  )

export const readDevices = async (key: BrowserKey): Promise<OwnPushDevices> =>
  callApp(PATH, { token: await tokenOf(key) })

/** Asks the user and the push service, unless that was done before. */
export async function subscribe(publicKey: string): Promise<PushSubscription> {
  const worker = await navigator.serviceWorker.ready
  const applicationServerKey = bytesOfBase64url(publicKey)
  const before = await worker.pushManager.getSubscription()
  if (before && isOfKey(before, publicKey)) return before
  // One of another key, as after the server was set up anew, is of no use.
  await before?.unsubscribe()
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new Error(t('Your browser does not allow notifications of this page.'))
  }
  return worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
}

const isOfKey = ({ options }: PushSubscription, publicKey: string): boolean =>
  options.applicationServerKey !== null &&
  base64url(new Uint8Array(options.applicationServerKey)) === publicKey

/** Says what this browser is to be told of. */
export async function putDevice(
  key: BrowserKey,
  subscription: PushSubscription,
  kinds: readonly PushKind[],
): Promise<PushDevice> {
  const { endpoint, keys } = subscription.toJSON()
  const body = { endpoint, p256dh: keys!.p256dh, auth: keys!.auth, kinds, name: browserName() }
  return callApp(PATH, { method: 'POST', body, token: await tokenOf(key) })
}

export async function removeDevice(key: BrowserKey, id: string): Promise<void> {
  await callApp(PATH, { method: 'DELETE', body: { id }, token: await tokenOf(key) })
}

const BROWSERS = [
  [/edg\//i, t('Edge')],
  [/firefox|fxios/i, t('Firefox')],
  [/opr\//i, t('Opera')],
  [/samsungbrowser/i, t('Samsung Internet')],
  [/chrome|chromium|crios/i, t('Chrome')],
  [/safari/i, t('Safari')],
] as const
const SYSTEMS = [
  [/android/i, t('Android')],
  [/iphone/i, 'iPhone'],
  [/ipad/i, 'iPad'],
  [/windows/i, t('Windows')],
  [/mac os/i, t('Mac')],
  [/linux|cros/i, t('Linux')],
] as const

/** By which its owner knows this browser among others. */
export function browserName(agent = navigator.userAgent): string {
  const named = (names: readonly (readonly [RegExp, string])[], other: string) =>
    names.find(([pattern]) => pattern.test(agent))?.[1] ?? other
  return t('{named} on {named2}', {
    named: named(BROWSERS, t('Browser')),
    named2: named(SYSTEMS, t('another system')),
  })
}
