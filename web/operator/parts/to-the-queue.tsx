import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { metricsQuery, waitingOn } from '../waiting.ts'

const openText = (n: number): string =>
  n === 0
    ? t('No report is open.')
    : t('{n, plural, one {# report is open.} other {# reports are open.}}', { n })

const link = (inner: ReactNode) => <a href="/moderate">{inner}</a>

/** Cases are whole, with posts and people, in one place: the page of who moderates. */
export function ToTheQueue({ of }: { of: 'reports' | 'appeals' }) {
  const { data } = useQuery(metricsQuery)
  return (
    <p>
      {of === 'reports' && data && `${openText(waitingOn(data, 'moderation'))} `}
      {of === 'reports'
        ? rich(
            '<link>Decide about reports under Moderate</link>, where {posts}, people and earlier decisions are beside them.',
            { link },
          )
        : rich(
            '<link>Answer appeals under Moderate</link>, where {posts}, people and earlier decisions are beside them.',
            { link },
          )}
    </p>
  )
}
