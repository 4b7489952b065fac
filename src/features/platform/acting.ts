import type { Platform } from './platform.ts'

/**
 * What users do on the platform, for other services that know who acts. They check who it is; the platform
 * checks what that account may do.
 */
export const actingOn = ({ channels, blocks, keyRequests, context }: Platform) => ({
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
