import { useSyncExternalStore } from 'react'
import { Link, useLocation } from 'react-router'
import { Notice } from '../../shared/page.tsx'
import { hasUnsavedWords } from '../custody/kept.ts'
import { useSession } from '../session/session.tsx'

const follow = (changed: () => void) => {
  addEventListener('rookery-words', changed)
  return () => removeEventListener('rookery-words', changed)
}

/** Reminds who has made an account in this browser of saving its words outside of it. */
export function WordsNotice() {
  const { fid } = useSession()
  const { pathname } = useLocation()
  const isUnsaved = useSyncExternalStore(follow, () => fid !== undefined && hasUnsavedWords(fid))
  if (!isUnsaved || /^\/(?:join|account)/.test(pathname)) return null
  return (
    <Notice tone="warn">
      You have not saved your recovery words yet. Without them a lost device can mean a lost
      account. <Link to="/account">Save them now</Link>
    </Notice>
  )
}
