import { lazy, Suspense } from 'react'
import { useApp } from '../api.ts'
import { useSession } from '../session/session.tsx'
import type { StorageNoticeReply } from '../types.ts'

const StorageText = lazy(async () => {
  const { StorageText } = await import('./storage-text.tsx')
  return { default: StorageText }
})

/** Tells the viewer what happens to the storage of the own account, when there is something to tell. */
export function StorageNotice() {
  const { fid } = useSession()
  const { data } = useApp<StorageNoticeReply>('/screen/storage', { fid }, fid !== undefined)
  if (fid === undefined || !data) return null
  if (!data.moves_at && !data.notice && !data.consent && data.filling.length === 0) return null
  return (
    <Suspense>
      <StorageText fid={fid} data={data} />
    </Suspense>
  )
}
