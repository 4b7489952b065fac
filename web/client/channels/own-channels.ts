import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { type BrowserKey, findKey } from '../act/key-store.ts'
import { callApp } from '../api.ts'
import { tokenOf } from '../moderation/calls.ts'
import { useSession } from '../session/session.tsx'
import type { Channel } from '../types.ts'

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
const EVERY_MS = 2 * 60_000

export const newText = (count: number): string => (count < MAX_NEW ? `${count}` : `${MAX_NEW - 1}+`)

const listKey = (fid: number | undefined) => ['own', 'channels', fid]

const read = async (fid: number, query: { channel_id?: string }): Promise<Own> => {
  const key = await findKey(fid)
  // Browsers without the key of the account only look.
  return key ? callApp<Own>('/channel/own', { query, token: await tokenOf(key) }) : { channels: [] }
}

/** Those that the account follows or belongs to; those with something new first. */
export function useOwnChannels() {
  const { fid } = useSession()
  return useQuery({
    queryKey: listKey(fid),
    queryFn: () => read(fid!, {}),
    enabled: fid !== undefined,
    refetchInterval: EVERY_MS,
    retry: false,
  })
}

/** In how many channels something is new. */
export const useNewChannels = (): number =>
  (useOwnChannels().data?.channels ?? []).filter((one) => one.new_count > 0).length

/** The rules of a channel that the account has not read; undefined without any. */
export function useUnreadRules(id: string): { rules: string | undefined; isPending: boolean } {
  const { fid } = useSession()
  const asked = useQuery({
    queryKey: rulesKey(fid, id),
    queryFn: () => read(fid!, { channel_id: id }),
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

const markSeen = async (key: BrowserKey, body: { channel_id: string; rules?: string }) =>
  callApp('/channel/seen', { method: 'POST', body, token: await tokenOf(key) })

/** Says that the account has looked at a channel. What cannot be said now is said the next time. */
export function useLookedAt(): (id: string) => Promise<void> {
  const { fid } = useSession()
  const queries = useQueryClient()
  return useCallback(
    async (id) => {
      const key = fid === undefined ? undefined : await findKey(fid)
      if (!key) return
      await markSeen(key, { channel_id: id }).catch(() => {})
      queries.setQueryData<Own>(
        listKey(fid),
        (own) =>
          own && {
            channels: own.channels.map((one) =>
              one.channel.id === id ? { ...one, new_count: 0 } : one,
            ),
          },
      )
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
