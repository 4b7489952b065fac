import { lazy, Suspense } from 'react'
import { useApp } from '../api.ts'
import { useIsConsentAsked } from '../moderation/calls.ts'
import { useSession } from '../session/session.tsx'
import type { StorageNoticeReply } from '../types.ts'

const StorageText = lazy(async () => {
  const { StorageText } = await import('./storage-text.tsx')
  return { default: StorageText }
})

/** Tells the viewer what happens to the own account and its storage, and that the rules have changed. */
export function StorageNotice() {
  const { fid } = useSession()
  const { data } = useApp<StorageNoticeReply>('/screen/storage', { fid }, fid !== undefined)
  const isAsked = useIsConsentAsked()
  if (fid === undefined || !data) return null
  if (!data.moves_at && !data.notice && !isAsked && data.filling.length === 0) return null
  return (
    <Suspense>
      <StorageText fid={fid} data={data} isAsked={isAsked} />
    </Suspense>
  )
}
