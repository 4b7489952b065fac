import type { MiniAppContext } from './context.ts'
import { NOTIFICATIONS_PATH, type SignedEvent, type WantedEvent } from './events.ts'
import type { MiniApps } from './mini-apps.ts'
import type { Notification } from './notices.ts'
import type { StoredMiniApp } from './tables/mini-apps.ts'

/** What other services do with mini apps. */
export const actingOn = (
  { catalogue, events, notices }: MiniApps,
  { publicUrl }: Pick<MiniAppContext, 'publicUrl'>,
) => ({
  prepare: (fid: number, wanted: WantedEvent, terms?: { readonly byUser: boolean }) =>
    events.prepare(fid, wanted, terms),
  complete: (fid: number, signed: SignedEvent) => events.complete(fid, signed),
  completeSigned: (
    domain: string,
    signed: { readonly header: string; readonly payload: string; readonly signature: string },
  ) => events.completeSigned(domain, signed),
  send: (notification: Notification, tokens: readonly string[]) =>
    notices.send(notification, tokens),
  mayNotifyFor: (app: StoredMiniApp, fid: number) => catalogue.mayActFor(app, fid),
  appsOf: (fid: number, limit: number) => catalogue.appsOf(fid, limit),
  notificationsUrl: () => `${publicUrl()}${NOTIFICATIONS_PATH}`,
})
