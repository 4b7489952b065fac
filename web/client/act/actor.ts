import { useCallback } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { t } from '../../shared/messages.ts'
import { useSession } from '../session/session.tsx'
import { joinPath, type Place } from './join-path.ts'
import { noteRefusal } from './key-gone.ts'
import { type BrowserKey, findKey } from './key-store.ts'
import { tell } from './notices.tsx'

// The account that acts: that of the session, with its key in this browser.

const SIGN_IN = { to: '/join/sign-in', text: t('Sign in again'), isBad: true }

/**
 * Runs what needs a key. Visitors are led to the page where one joins. `work` has shown its result already; when it
 * fails, `undo` takes that back and the viewer reads why.
 */
export function useAct(): (
  work: (key: BrowserKey) => Promise<unknown>,
  what: {
    readonly apply?: () => void
    readonly undo?: () => void
    readonly failed: string
    /** Where visitors come back to after joining; where they are unless given. */
    readonly back?: Place
  },
) => Promise<boolean> {
  const { fid } = useSession()
  const place = useLocation()
  const navigate = useNavigate()
  return useCallback(
    async (work, { apply, undo, failed, back = place }) => {
      // Read here, because a click may come before the key has been read.
      const key = fid === undefined ? undefined : await findKey(fid)
      if (!key) {
        navigate(joinPath(back))
        return false
      }
      apply?.()
      try {
        await work(key)
        return true
      } catch (error) {
        undo?.()
        const way = noteRefusal(error) ? SIGN_IN : undefined
        tell(`${failed} ${(error as Error).message}`.trim(), way)
        return false
      }
    },
    [fid, place, navigate],
  )
}
