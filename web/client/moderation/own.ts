import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { BrowserKey } from '../act/key-store.ts'
import { callApp } from '../api.ts'
import { useSession } from '../session/session.tsx'
import type { Cast, User } from '../types.ts'
import { callPlatform, keyOf, type OwnModeration, tokenOf } from './calls.ts'

// What screens ask for the account itself.

export type MuteTarget =
  | { readonly fid: number }
  | { readonly channel_id: string }
  | { readonly word: string }

export type OwnMutes = {
  readonly mutes: readonly { readonly muted: User }[]
  readonly channels: readonly { readonly id: string }[]
  readonly words: readonly { readonly word: string }[]
  readonly next: { readonly cursor: string | null }
}

export const setMuted = async (key: BrowserKey, target: MuteTarget, isOn: boolean) =>
  callApp('/mute/own', {
    method: isOn ? 'POST' : 'DELETE',
    body: target,
    token: await tokenOf(key),
  })

/** What an account asks for itself, once or every so many milliseconds; nothing for visitors. */
export function useOwn<T>(
  name: string,
  ask: (key: BrowserKey) => Promise<T>,
  { everyMs, which }: { everyMs?: number; which?: string } = {},
) {
  const { fid } = useSession()
  return useQuery({
    queryKey: ['own', name, fid, which],
    queryFn: async () => ask(await keyOf(fid)),
    enabled: fid !== undefined,
    retry: false,
    refetchInterval: everyMs ?? false,
    // Another filter leaves what is there until its answer comes.
    ...(which !== undefined && { placeholderData: keepPreviousData }),
  })
}

type ChannelReports = {
  readonly reports: readonly {
    readonly cast: Cast
    readonly reasons: readonly string[]
    readonly reported_at: string
  }[]
}

/** Reported casts of a channel that the account moderates. */
export const useChannelReports = (channelId: string) =>
  useOwn(`reports in ${channelId}`, async (key) =>
    callApp<ChannelReports>('/channel/report/list', {
      query: { channel_id: channelId },
      token: await tokenOf(key),
    }),
  )

export const useOwnMutes = () =>
  useOwn('mutes', async (key) => callApp<OwnMutes>('/mute/own', { token: await tokenOf(key) }))

export const useOwnModeration = () =>
  useOwn('moderation', async (key) => {
    const { result } = await callPlatform<{ result: OwnModeration }>(key, '/own-moderation')
    return result
  })
