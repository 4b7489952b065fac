import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import type { Unseen } from '../../src/kernel/app-api/schemas.ts'
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
    queryFn: async ({ signal }) => {
      const path = '/notifications/unseen'
      const [{ unseen_notifications_count: count }, ofApps] = await Promise.all([
        callApp<Unseen>(path, { query: { fid }, signal }),
        unseenOfApps(fid!),
      ])
      return { unseen_notifications_count: count + ofApps }
    },
    enabled: fid !== undefined,
    refetchInterval: EVERY_MS,
    // The title of a page in the background is what people look at.
    refetchIntervalInBackground: true,
    refetchOnWindowFocus: true,
    retry: false,
  })
  return data?.unseen_notifications_count ?? 0
}

/** How many notices of mini apps are new. Only browsers with the key of the account may ask. */
async function unseenOfApps(fid: number): Promise<number> {
  const key = await findKey(fid)
  if (!key) return 0
  const { listNotices } = await import('./miniapps/calls.ts')
  return listNotices(key, 1).then(
    ({ unseen }) => unseen,
    () => 0,
  )
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
