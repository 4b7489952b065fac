import { cleanText } from '../../shared/text.ts'
import { words } from '../../shared/words.ts'
import { useChannelReports } from '../moderation/calls.ts'
import { CastView } from '../parts/cast.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import type { Channel } from '../types.ts'
import { CallButton } from './lists.tsx'
import { hideCall } from './use-channel-call.ts'

/** Casts of the channel that people report. */
export function Reported({ channel }: { channel: Channel }) {
  const { data, error, refetch } = useChannelReports(channel.id)
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading what="Loading reports" rows={2} />
  if (data.reports.length === 0) {
    return (
      <Empty heading="No reports">
        <p>
          What people report in this channel appears here, and is also read by the server’s
          moderators.
        </p>
      </Empty>
    )
  }
  return data.reports.map(({ cast, reasons }) => (
    <div key={cast.hash} className="hidden-cast">
      <CastView cast={cast} />
      <div className="hidden-end">
        <p>Reported{reasons.length > 1 && ` ${reasons.length} times`}:</p>
        <ul className="reasons">
          {[...new Set(reasons)].map((reason) => (
            <li key={reason}>
              <bdi>{cleanText(reason)}</bdi>
            </li>
          ))}
        </ul>
        <p className="buttons">
          <CallButton
            text={`Hide in /${channel.id}`}
            call={hideCall(cast.hash, true)}
            failed={`The ${words.post} was not hidden.`}
          />
          <CallButton
            text="Leave it"
            call={hideCall(cast.hash, false)}
            failed="The report is still there."
          />
        </p>
      </div>
    </div>
  ))
}
