import { useQuery } from '@tanstack/react-query'
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
          ? 'No report is open. '
          : n === 1
            ? '1 report is open. '
            : `${countText(n)} reports are open. `)}
      <a href="/moderate">
        {what === 'reports' ? 'Decide about reports' : 'Answer appeals'} under Moderate
      </a>
      , where posts, people and earlier decisions are beside them.
    </p>
  )
}
