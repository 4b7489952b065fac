import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import type { Unseen } from '../../src/app-api/schemas.ts'
import { findKey } from './act/key-store.ts'
import { callApp } from './api.ts'
import { useSession } from './session/session.tsx'

// How many notifications are new. The server keeps up to when they were seen, so that all devices agree.

const EVERY_MS = 60_000
const keyOf = (fid: number | undefined) => ['unread', fid]

export function useUnread(): number {
  const { fid } = useSession()
  const { data } = useQuery({
    queryKey: keyOf(fid),
    queryFn: ({ signal }) => callApp<Unseen>('/notifications/unseen', { query: { fid }, signal }),
    enabled: fid !== undefined,
    refetchInterval: EVERY_MS,
    // The title of a page in the background is what people look at.
    refetchIntervalInBackground: true,
    refetchOnWindowFocus: true,
    retry: false,
  })
  return data?.unseen_notifications_count ?? 0
}

export const unreadText = (count: number): string => (count > 99 ? '99+' : String(count))

/** Shows the number at the icon of the installed page. */
export function useIconBadge(): void {
  const count = useUnread()
  useEffect(() => {
    const shown = count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.()
    shown?.catch(() => {})
  }, [count])
}

/** Says that all were seen. Browsers without the key of the account only look. */
export function useMarkSeen(): () => Promise<void> {
  const { fid } = useSession()
  const queries = useQueryClient()
  return useCallback(async () => {
    const key = fid === undefined ? undefined : await findKey(fid)
    if (!key) return
    const { markSeen } = await import('./act/platform.ts')
    await markSeen(key)
    queries.setQueryData(keyOf(fid), { unseen_notifications_count: 0 })
  }, [fid, queries])
}
