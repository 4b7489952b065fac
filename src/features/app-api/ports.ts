import type { RequestInfo } from '../../kernel/http/route.ts'
import type { SignedMessage } from '../../kernel/protocol/message.ts'
import type { Rejection } from '../../kernel/protocol/rejection.ts'
import type { InviteRole } from '../channels/tables/channels.ts'
import type { StoredKeyRequest } from '../key-requests/tables/key-requests.ts'
import type { StoredMiniApp } from '../mini-apps/tables/mini-apps.ts'

// What the app API needs from other services. app.ts connects them.

/** Stores messages. Resolves to the id of the event of each, or to why it was refused, in order. */
export type SubmitAll = (messages: readonly SignedMessage[]) => Promise<(number | Rejection)[]>

/** A signed key request as an app sends it; the key is 0x hex. */
export type KeyRequest = {
  readonly key: string
  readonly requestFid: number
  readonly deadline: number
  readonly signature: string
  readonly redirectUrl?: string
  readonly sponsorship?: { readonly sponsorFid: number; readonly signature: string }
  /** Asks for a gasless key. */
  readonly gasless?: { readonly scopes: string[]; readonly ttl: number }
}

export type Invitation = {
  readonly channelId: string
  readonly fid: number
  readonly role: InviteRole
}

/** Sign-in messages that users sign for an app, by its uuid. */
export type SignInPort = {
  nonce(app: string): Promise<string>
  fidOf(app: string, signed: { message: string; signature: Uint8Array }): Promise<number>
}

/** What a page of another site says about itself. */
export type PreviewsPort = {
  get(request: { url: URL; ip: string; consume(bytes: number): void }): Promise<{
    readonly kind: 'page' | 'picture'
    readonly url: string
    readonly contentType: string
    readonly title?: string
    readonly description?: string
    readonly picture?: string
    readonly site: string
  }>
}

/** A picture or video as its uploader gets it told. */
export type UploadedMedia = {
  readonly url: string
  readonly smallUrl: string | undefined
  readonly type: string
  readonly bytes: number
  readonly width: number
  readonly height: number
  readonly alt: string
}

/** Pictures and videos that this server keeps. */
export type MediaPort = {
  /** Bytes of the largest upload. */
  readonly maxBytes: number
  upload(upload: {
    readonly fid: number
    readonly bytes: Uint8Array
    readonly alt: string
    consume(bytes: number): void
  }): Promise<UploadedMedia>
  /** Changes what a user says about a file. */
  describe(fid: number, url: string, alt: string): Promise<UploadedMedia>
  /** The hash of the file at an address. */
  hashAt(url: string): Uint8Array | undefined
}

/** What users do on the client platform, by the fid that acts. */
export type PlatformPort = {
  followChannel(fid: number, channelId: string): Promise<void>
  unfollowChannel(fid: number, channelId: string): Promise<void>
  invite(fid: number, invitation: Invitation): Promise<void>
  removeMember(fid: number, invitation: Invitation): Promise<void>
  answerInvite(invitation: Invitation, accept: boolean): Promise<void>
  block(fid: number, blockedFid: number): Promise<void>
  unblock(fid: number, blockedFid: number): Promise<void>
  /** Throws a Rejection when the operator has suspended the fid. */
  checkMayAct(fid: number): Promise<void>
  /** Resolves to the token of the new request, in hex. */
  createKeyRequest(request: KeyRequest): Promise<string>
  /** The request with this token, completed if the hub has its key; undefined once it is forgotten. */
  keyRequest(token: string): Promise<StoredKeyRequest | undefined>
  /** Where a user approves a request in a browser. */
  approvalUrl(token: string): string
  /** The caller of a request with a bearer token; throws a Rejection without one. */
  actorOf(request: RequestInfo): Promise<{ readonly fid: number; readonly key: Uint8Array }>
  /** Whether a key may sign such tokens for an account now. */
  isActiveKey(fid: number, key: Uint8Array): Promise<boolean>
}

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
