import { useQuery } from '@tanstack/react-query'
import { type BrowserKey, findKey } from '../act/key-store.ts'
import { useSession } from '../session/session.tsx'

/** The key of the account in this browser; undefined while it is read, null without one. */
export function useKey(): BrowserKey | null | undefined {
  const { fid } = useSession()
  const { data } = useQuery({
    queryKey: ['browser key', fid],
    queryFn: async () => (fid === undefined ? null : ((await findKey(fid)) ?? null)),
    staleTime: 0,
  })
  return fid === undefined ? null : data
}
