import { useQuery } from '@tanstack/react-query'
import { t } from '../../shared/messages.ts'
import { countText } from '../text.ts'
import { metricsQuery, waitingOn } from '../waiting.ts'

/** Cases are whole, with posts and people, in one place: the page of who moderates. */
export function ToTheQueue({ what }: { what: 'reports' | 'appeals' }) {
  const { data } = useQuery(metricsQuery)
  const n = waitingOn(data, 'moderation')
  return (
    <p>
      {what === 'reports' &&
        data &&
        (n === 0
          ? `${t('No report is open.')} `
          : t('{n, plural, one {1 report is open. } other {{count} reports are open. }}', {
              count: countText(n),
              n,
            }))}
      <a href="/moderate">
        {what === 'reports' ? 'Decide about reports' : 'Answer appeals'} under Moderate
      </a>
      , where posts, people and earlier decisions are beside them.
    </p>
  )
}
