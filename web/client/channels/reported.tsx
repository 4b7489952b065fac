import { t } from '../../shared/messages.ts'
import { cleanText } from '../../shared/text.ts'
import { useChannelReports } from '../moderation/own.ts'
import { CastView } from '../parts/cast.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import type { Channel } from '../types.ts'
import { CallButton } from './lists.tsx'
import { hideCall } from './use-channel-call.ts'

/** Casts of the channel that people report. */
export function Reported({ channel }: { channel: Channel }) {
  const { data, error, refetch } = useChannelReports(channel.id)
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading what={t('Loading reports')} rows={2} />
  if (data.reports.length === 0) {
    return (
      <Empty heading={t('No reports')}>
        <p>
          {t(
            'What people report in this channel appears here, and is also read by the server’s moderators.',
          )}
        </p>
      </Empty>
    )
  }
  return data.reports.map(({ cast, reasons }) => (
    <div key={cast.hash} className="hidden-cast">
      <CastView cast={cast} />
      <div className="hidden-end">
        <p>
          {t('{count, plural, one {Reported:} other {Reported # times:}}', {
            count: reasons.length,
          })}
        </p>
        <ul className="reasons">
          {[...new Set(reasons)].map((reason) => (
            <li key={reason}>
              <bdi>{cleanText(reason)}</bdi>
            </li>
          ))}
        </ul>
        <p className="buttons">
          <CallButton
            text={t('Hide in /{id}', { id: channel.id })}
            call={hideCall(cast.hash, true)}
            failed={t('The {post} was not hidden.')}
          />
          <CallButton
            text={t('Leave it')}
            call={hideCall(cast.hash, false)}
            failed={t('The report is still there.')}
          />
        </p>
      </div>
    </div>
  ))
}
