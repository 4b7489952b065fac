import { t } from '../../shared/messages.ts'
import { useApp } from '../api.ts'
import type { StorageNoticeReply } from '../types.ts'

type Amount = { readonly used: number; readonly capacity: number }
type Usage = { readonly casts: Amount; readonly reactions: Amount; readonly links: Amount }

const KINDS = {
  casts: t('{Posts}'),
  reactions: t('Likes and {reposts}'),
  links: t('Follows'),
} as const

/** How much of its room the account uses. */
export function Storage({ fid }: { fid: number }) {
  const { data } = useApp<Usage>('/storage/usage', { fid })
  const { data: notice } = useApp<StorageNoticeReply>('/screen/storage', { fid })
  return (
    <section className="account-part" aria-labelledby="storage">
      <h2 id="storage">{t('Storage')}</h2>
      <dl className="amounts">
        {data &&
          Object.entries(KINDS).map(([kind, text]) => {
            const { used, capacity } = data[kind as keyof Usage]
            return (
              <div key={kind}>
                <dt>{text}</dt>
                <dd>{t('{used} of {capacity}', { used, capacity })}</dd>
              </div>
            )
          })}
      </dl>
      {notice && (
        <p className="muted">
          {notice.grows
            ? t('Your storage grows by itself: nothing that you write is removed to make room.')
            : t('When a kind is full, each new one removes your oldest one.')}
        </p>
      )}
    </section>
  )
}
