import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useNavigate } from 'react-router'
import { useSession } from '../session/session.tsx'
import { type BrowserKey, findKey } from './key-store.ts'
import { tell } from './notices.tsx'

// The account that acts: that of the session, with its key in this browser.

const queryKey = (fid: number | undefined) => ['browser key', fid] as const

/** The key of the viewer's account in this browser; undefined for visitors and while it is read. */
export function useBrowserKey(): BrowserKey | undefined {
  const { fid } = useSession()
  const { data } = useQuery({
    queryKey: queryKey(fid),
    queryFn: async () => (fid === undefined ? null : ((await findKey(fid)) ?? null)),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data ?? undefined
}

/** To be called when an account got a key in this browser, or lost it. */
export function useKeyChanged(): (fid: number) => Promise<void> {
  const queries = useQueryClient()
  return useCallback((fid) => queries.invalidateQueries({ queryKey: queryKey(fid) }), [queries])
}

/**
 * Runs what needs a key. Visitors are led to the page where one joins. `work` has shown its result already; when it
 * fails, `undo` takes that back and the viewer reads why.
 */
export function useAct(): (
  work: (key: BrowserKey) => Promise<unknown>,
  what: { readonly apply?: () => void; readonly undo?: () => void; readonly failed: string },
) => Promise<boolean> {
  const { fid } = useSession()
  const navigate = useNavigate()
  return useCallback(
    async (work, { apply, undo, failed }) => {
      // Read here, because a click may come before the key has been read.
      const key = fid === undefined ? undefined : await findKey(fid)
      if (!key) {
        navigate('/join')
        return false
      }
      apply?.()
      try {
        await work(key)
        return true
      } catch (error) {
        undo?.()
        tell(`${failed} ${(error as Error).message}`)
        return false
      }
    },
    [fid, navigate],
  )
}
