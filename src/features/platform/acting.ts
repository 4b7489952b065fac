import type { RequestInfo } from '../../kernel/http/route.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { block, unblock } from '../blocks/blocks.ts'
import type { Invitation } from '../channels/roles.ts'
import { createKeyRequest, type NewKeyRequest } from '../key-requests/create.ts'
import { settled } from '../key-requests/gasless.ts'
import { approvalUrlOf } from '../key-requests/request-json.ts'
import { keyRequestRows } from '../key-requests/tables/key-requests.ts'
import { NOTIFICATIONS_PATH, type SignedEvent, type WantedEvent } from '../mini-apps/events.ts'
import type { Notification } from '../mini-apps/notices.ts'
import type { StoredMiniApp } from '../mini-apps/tables/mini-apps.ts'
import { checkNotSuspended, type Platform } from './platform.ts'

/**
 * What users do on the platform, for other services that know who acts. They check who it is; the platform
 * checks what that account may do.
 */
export const actingOn = ({ channels, context }: Pick<Platform, 'channels' | 'context'>) => ({
  followChannel: channels.follow,
  unfollowChannel: channels.unfollow,
  invite: channels.invite,
  removeMember: channels.remove,
  answerInvite: (invitation: Invitation, accept: boolean) => channels.answer(invitation, accept),
  block: (fid: number, blocked: number) => block(context, fid, blocked),
  unblock: (fid: number, blocked: number) => unblock(context, fid, blocked),
  checkMayAct: (fid: number) => checkNotSuspended(context.storage, fid),
  /** Resolves to the token of the new request, in hex. */
  createKeyRequest: async (request: NewKeyRequest): Promise<string> =>
    toHex((await createKeyRequest(context, request)).token),
  keyRequest: async (token: string) => {
    const found = await context.storage.of(keyRequestRows).byToken(fromHex(token)!)
    return found && (await settled(context, [found]))[0]
  },
  approvalUrl: (token: string) => approvalUrlOf(context, token),
  actorOf: (request: RequestInfo) => context.actorOf(request),
  isActiveKey: context.isActiveKey,
})

/** What other services do with mini apps. */
export const miniAppsOf = ({ miniApps, context }: Pick<Platform, 'miniApps' | 'context'>) => ({
  prepare: (fid: number, wanted: WantedEvent, terms?: { readonly byUser: boolean }) =>
    miniApps.events.prepare(fid, wanted, terms),
  complete: (fid: number, signed: SignedEvent) => miniApps.events.complete(fid, signed),
  completeSigned: (
    domain: string,
    signed: { readonly header: string; readonly payload: string; readonly signature: string },
  ) => miniApps.events.completeSigned(domain, signed),
  send: (notification: Notification, tokens: readonly string[]) =>
    miniApps.notices.send(notification, tokens),
  mayNotifyFor: (app: StoredMiniApp, fid: number) => miniApps.catalogue.mayActFor(app, fid),
  appsOf: (fid: number, limit: number) => miniApps.catalogue.appsOf(fid, limit),
  notificationsUrl: () => `${context.publicUrl()}${NOTIFICATIONS_PATH}`,
})
