import { Link } from 'react-router'
import { t } from '../../shared/messages.ts'
import { cleanName, cleanText } from '../../shared/text.ts'
import type { Channel, ChannelDehydrated } from '../types.ts'
import { Picture } from './picture.tsx'
import { compactNumber } from './tabs.tsx'

export const channelPath = ({ id }: Pick<Channel, 'id'>): string =>
  `/channel/${encodeURIComponent(id)}`

/** The picture of a channel, else its first letter. */
export const ChannelPicture = ({
  channel,
}: {
  channel: Pick<ChannelDehydrated, 'id' | 'image_url'>
}) => (
  <span className="portrait channel-picture">
    <Picture
      url={channel.image_url}
      width={96}
      alt=""
      fallback={<span aria-hidden="true">{channel.id.slice(0, 1).toUpperCase()}</span>}
    />
  </span>
)

/** A channel in a grid or a list. */
export function ChannelCard({ channel }: { channel: Channel }) {
  return (
    <article className="channel-card">
      <Link to={channelPath(channel)}>
        <ChannelPicture channel={channel} />
        <span className="channel-name">
          <bdi className="name">{cleanName(channel.name) || channel.id}</bdi>
          <bdi className="handle">/{channel.id}</bdi>
        </span>
      </Link>
      {channel.description && (
        <p className="clamp" dir="auto">
          {cleanText(channel.description)}
        </p>
      )}
      <p className="muted">
        {t('{n, plural, one {{amount} follower} other {{amount} followers}}', {
          n: channel.follower_count,
          amount: compactNumber(channel.follower_count),
        })}{' '}
        ·{' '}
        {t('{n, plural, one {{amount} member} other {{amount} members}}', {
          n: channel.member_count,
          amount: compactNumber(channel.member_count),
        })}
      </p>
    </article>
  )
}
