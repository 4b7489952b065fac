import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { type BrowserKey, findKey } from '../act/key-store.ts'
import { callApp } from '../api.ts'
import { tokenOf } from '../moderation/calls.ts'
import { useSession } from '../session/session.tsx'
import type { Channel } from '../types.ts'
import { EVERY_MS, ownKey, readOwn } from './new-in-channels.ts'

// The channels of the account with what is new in each, which the server keeps for all devices. Each call is signed by the key of
// this browser.

export type OwnChannel = {
  readonly channel: Channel
  readonly new_count: number
  readonly has_read_rules: boolean
}
type Own = { readonly channels: readonly OwnChannel[] }

/** The server counts up to here. */
const MAX_NEW = 21

export const newText = (count: number): string => (count < MAX_NEW ? `${count}` : `${MAX_NEW - 1}+`)

const listKey = (fid: number | undefined) => [...ownKey(fid), 'all']

/** Those that the account follows or belongs to; those with something new first. */
export function useOwnChannels() {
  const { fid } = useSession()
  return useQuery({
    queryKey: listKey(fid),
    queryFn: () => readOwn<OwnChannel>(fid!, '/channel/own'),
    enabled: fid !== undefined,
    refetchInterval: EVERY_MS,
    // Who comes back to the list, or to the page, wants to know what is new now.
    refetchOnMount: 'always',
    refetchOnWindowFocus: true,
    retry: false,
  })
}

/** The rules of a channel that the account has not read; undefined without any. */
export function useUnreadRules(id: string): { rules: string | undefined; isPending: boolean } {
  const { fid } = useSession()
  const asked = useQuery({
    queryKey: rulesKey(fid, id),
    queryFn: () => readOwn<OwnChannel>(fid!, '/channel/own', { channel_id: id }),
    enabled: fid !== undefined && id !== '',
    retry: false,
  })
  const found = asked.data?.channels[0]
  return {
    rules: found && !found.has_read_rules ? found.channel.rules : undefined,
    isPending: asked.isLoading,
  }
}

const rulesKey = (fid: number | undefined, id: string) => ['own', 'channel', fid, id]

const markSeen = async (
  key: BrowserKey,
  body: { channel_id: string; seen_at?: number; rules?: string },
) => callApp('/channel/seen', { method: 'POST', body, token: await tokenOf(key) })

/** Says that the account has looked at a channel, up to the newest post that was shown (Unix seconds). What cannot be said now is said the next time. */
export function useLookedAt(): (id: string, seenAt: number | undefined) => Promise<void> {
  const { fid } = useSession()
  const queries = useQueryClient()
  return useCallback(
    async (id, seenAt) => {
      const key = fid === undefined ? undefined : await findKey(fid)
      if (!key) return
      const seen = seenAt === undefined ? {} : { seen_at: seenAt }
      await markSeen(key, { channel_id: id, ...seen }).catch(() => {})
      // What is on its way was counted before.
      await queries.cancelQueries({ queryKey: ownKey(fid) })
      queries.setQueryData<Own>(
        listKey(fid),
        (own) =>
          own && {
            channels: own.channels.map((one) =>
              one.channel.id === id ? { ...one, new_count: 0 } : one,
            ),
          },
      )
      // What has come since is new also here.
      await queries.invalidateQueries({ queryKey: ownKey(fid) })
    },
    [fid, queries],
  )
}

/** Keeps that the account has read the rules of a channel. */
export function useReadRules(): (key: BrowserKey, id: string, rules: string) => Promise<void> {
  const { fid } = useSession()
  const queries = useQueryClient()
  return async (key, id, rules) => {
    await markSeen(key, { channel_id: id, rules })
    queries.setQueryData<Own>(
      rulesKey(fid, id),
      (own) => own && { channels: own.channels.map((one) => ({ ...one, has_read_rules: true })) },
    )
  }
}
