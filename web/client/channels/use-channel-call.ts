import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useAct } from '../act/actor.ts'
import type { Channel } from '../types.ts'

// Calls of the client platform about channels, in the name of the account.

export type ChannelCall = {
  readonly path: string
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body: object
}

/** Makes a call and reads what is shown again. Returns whether it succeeded; who acts reads why it did not. */
export function useChannelCall(): (call: ChannelCall, failed: string) => Promise<boolean> {
  const act = useAct()
  const queries = useQueryClient()
  return useCallback(
    ({ path, method, body }, failed) =>
      act(
        async (key) => {
          const { callPlatform } = await import('../act/platform.ts')
          await callPlatform(key, path, method, body)
          await queries.invalidateQueries()
        },
        { failed },
      ),
    [act, queries],
  )
}

export type Role = 'member' | 'moderator'

const invites = (method: ChannelCall['method'], body: object): ChannelCall => ({
  path: '/fc/channel-invites',
  method,
  body,
})

export const inviteCall = (channelId: string, inviteFid: number, role: Role): ChannelCall =>
  invites('POST', { channelId, inviteFid, role })

/** Withdraws an invite, removes a role, or leaves. */
export const removeCall = (channelId: string, removeFid: number, role: Role): ChannelCall =>
  invites('DELETE', { channelId, removeFid, role })

export const answerCall = (channelId: string, role: Role, accept: boolean): ChannelCall =>
  invites('PATCH', { channelId, role, accept })

export const followCall = (channelId: string): ChannelCall => ({
  path: '/fc/channel-follows',
  method: 'POST',
  body: { channelId },
})

export const banCall = (channelId: string, fid: number, isOn: boolean): ChannelCall => ({
  path: '/fc/channel-bans',
  method: isOn ? 'POST' : 'DELETE',
  body: { channelId, [isOn ? 'banFid' : 'unbanFid']: fid },
})

export const hideCall = (castHash: string, isHidden: boolean): ChannelCall => ({
  path: '/fc/moderated-casts',
  method: 'POST',
  body: { castHash, action: isHidden ? 'hide' : 'unhide' },
})

export const pinCall = (castHash: string, isPinned: boolean): ChannelCall => ({
  path: '/fc/pinned-casts',
  method: isPinned ? 'PUT' : 'DELETE',
  body: { castHash },
})

export const ownerCall = (channelId: string, ownerFid: number): ChannelCall => ({
  path: '/fc/channels',
  method: 'PATCH',
  body: { channelId, ownerFid },
})

export const roleIn = ({ viewer_context }: Channel) => viewer_context?.role

/** Whether the viewer may invite, hide and ban. */
export const moderates = (channel: Channel): boolean =>
  roleIn(channel) === 'owner' || roleIn(channel) === 'moderator'
