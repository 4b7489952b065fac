import type { StoreContext } from '../../../kernel/app-api/context.ts'
import type { ActorsPort, SigningPort } from '../../../kernel/app-api/ports.ts'
import type { StoredMiniApp } from '../tables/mini-apps.ts'

type MiniAppEvent =
  | 'miniapp_added'
  | 'miniapp_removed'
  | 'notifications_enabled'
  | 'notifications_disabled'

/** Mini apps, as the client platform keeps them. */
export type MiniAppPort = {
  /** The payload of an event that a user has to sign, in base64url. */
  prepare(
    fid: number,
    wanted: { readonly domain: string; readonly event: MiniAppEvent },
    terms?: { readonly byUser: boolean },
  ): Promise<{ readonly id: string; readonly payload: string }>
  /** Stores what the user has signed. */
  complete(
    fid: number,
    signed: { readonly id: string; readonly header: string; readonly signature: string },
  ): Promise<object>
  /** The same for whoever has only the payload. */
  completeSigned(
    domain: string,
    signed: { readonly header: string; readonly payload: string; readonly signature: string },
  ): Promise<object>
  /** Notifies the users of tokens, and says what became of it for each. */
  send(
    notification: {
      readonly notificationId: string
      readonly title: string
      readonly body: string
      readonly targetUrl: string
    },
    tokens: readonly string[],
  ): Promise<{
    readonly successfulTokens: readonly string[]
    readonly invalidTokens: readonly string[]
    readonly rateLimitedTokens: readonly string[]
    readonly failedTokens: readonly object[]
  }>
  /** Whether an account may notify for an app. */
  mayNotifyFor(app: StoredMiniApp, fid: number): boolean
  /** The apps that an account may notify for. */
  appsOf(fid: number, limit: number): Promise<StoredMiniApp[]>
  /** Where apps send their notifications. */
  notificationsUrl(): string
}

/** The dependencies of the routes that write. */
export type MiniAppContext = StoreContext & {
  readonly signers: SigningPort
  readonly platform: ActorsPort
  readonly miniApps: MiniAppPort
}
