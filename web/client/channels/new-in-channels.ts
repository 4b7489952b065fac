import { useQuery } from '@tanstack/react-query'
import { findKey } from '../act/key-store.ts'
import { callApp } from '../api.ts'
import { tokenOf } from '../moderation/calls.ts'
import { useSession } from '../session/session.tsx'

// In how many of the own channels something is new: all that every screen needs of them (own-channels.ts has the rest).

export const EVERY_MS = 2 * 60_000

/** Of everything that is known of the own channels. */
export const ownKey = (fid: number | undefined) => ['own', 'channels', fid]

/** The own channels, as a path of the app API has them. */
export async function readOwn<T>(
  fid: number,
  path: string,
  query = {},
): Promise<{ channels: readonly T[] }> {
  const key = await findKey(fid)
  // Browsers without the key of the account only look.
  return key ? callApp(path, { query, token: await tokenOf(key) }) : { channels: [] }
}

/** In how many channels something is new. */
export function useNewChannels(): number {
  const { fid } = useSession()
  const { data } = useQuery({
    queryKey: [...ownKey(fid), 'new'],
    queryFn: () => readOwn<{ channel_id: string }>(fid!, '/channel/own/new'),
    enabled: fid !== undefined,
    refetchInterval: EVERY_MS,
    refetchOnWindowFocus: true,
    retry: false,
  })
  return data?.channels.length ?? 0
}
