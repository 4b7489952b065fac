import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { forgetRefusal } from '../act/key-gone.ts'
import { clearOverrides } from '../act/overrides.ts'
import { forgetPlace } from '../import/place.ts'
import { forgetLists, forgetOldLists } from '../kept-lists.ts'
import { SESSION_KEY, sessionFid } from './session-fid.ts'

// Who looks and acts. The fid decides whose feed and notifications are shown.

export type Session = {
  /** The account of the viewer; undefined for visitors. */
  readonly fid: number | undefined
  /** Remembers the account in this browser; undefined signs out. */
  readonly become: (fid: number | undefined) => void
}

const Context = createContext<Session>({ fid: undefined, become: () => {} })

export const useSession = (): Session => useContext(Context)

export function SessionProvider({ children }: { children: ReactNode }) {
  const [fid, setFid] = useState(sessionFid)
  const session = useMemo(() => {
    const become = (next: number | undefined) => {
      if (fid !== undefined && next !== fid) dropPushes()
      if (next !== fid) forgetPlace()
      forgetRefusal()
      writeFid(next)
      if (next !== fid) void forgetLists()
      setFid(next)
    }
    return { fid, become }
  }, [fid])
  // Who signs out in one page is signed out in all of them.
  useEffect(() => {
    const follow = ({ key }: StorageEvent) => {
      if (key !== SESSION_KEY && key !== null) return
      clearOverrides()
      void forgetLists()
      setFid(sessionFid())
    }
    addEventListener('storage', follow)
    void forgetOldLists()
    return () => removeEventListener('storage', follow)
  }, [])
  return <Context value={session}>{children}</Context>
}

/** A device tells nobody of an account that is signed out. The push service tells the server that it is gone. */
function dropPushes(): void {
  navigator.serviceWorker
    ?.getRegistration()
    .then((worker) => worker?.pushManager?.getSubscription())
    .then((subscription) => subscription?.unsubscribe())
    .catch(() => {})
}

/** Without storage, as in some private windows, the session ends with the page. */
function writeFid(fid: number | undefined): void {
  try {
    if (fid === undefined) localStorage.removeItem(SESSION_KEY)
    else localStorage.setItem(SESSION_KEY, String(fid))
  } catch {}
}
