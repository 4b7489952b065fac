import { lazy, Suspense } from 'react'
import { useIsKeyGone } from '../act/key-gone.ts'
import { useApp } from '../api.ts'
import { useIsConsentAsked } from '../moderation/calls.ts'
import { useSession } from '../session/session.tsx'
import type { StorageNoticeReply } from '../types.ts'

const StorageText = lazy(async () => {
  const { StorageText } = await import('./storage-text.tsx')
  return { default: StorageText }
})

const SignedOut = lazy(() => import('./signed-out.tsx'))

/** Tells the viewer what happens to the own account and its storage, and that the rules have changed. */
export function StorageNotice() {
  const { fid } = useSession()
  const { data } = useApp<StorageNoticeReply>('/screen/storage', { fid }, fid !== undefined)
  const isAsked = useIsConsentAsked()
  const isKeyGone = useIsKeyGone()
  if (fid !== undefined && isKeyGone) {
    return (
      <Suspense>
        <SignedOut />
      </Suspense>
    )
  }
  if (fid === undefined || !data) return null
  if (!data.moves_at && !data.notice && !isAsked && data.filling.length === 0) return null
  return (
    <Suspense>
      <StorageText fid={fid} data={data} isAsked={isAsked} />
    </Suspense>
  )
}
