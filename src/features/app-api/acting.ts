import type { PlatformContext } from '../../kernel/platform/context.ts'
import type { Blocks } from '../blocks/port.ts'
import type { Channels } from '../channels/port.ts'
import type { KeyRequestsPort } from '../key-requests/port.ts'

type Parts = {
  readonly channels: Channels
  readonly blocks: Blocks
  readonly keyRequests: KeyRequestsPort
}

/**
 * What users do on the client platform, for routes that know who acts. They check who it is; the platform checks what that
 * account may do.
 */
export const actingOn = (context: PlatformContext, { channels, blocks, keyRequests }: Parts) => ({
  followChannel: channels.follow,
  unfollowChannel: channels.unfollow,
  invite: channels.invite,
  removeMember: channels.remove,
  answerInvite: channels.answer,
  block: blocks.block,
  unblock: blocks.unblock,
  checkMayAct: context.checkMayAct,
  createKeyRequest: keyRequests.create,
  keyRequest: keyRequests.byToken,
  approvalUrl: keyRequests.approvalUrl,
  actorOf: context.actorOf,
  isActiveKey: context.isActiveKey,
})
