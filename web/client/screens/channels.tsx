import { Link } from 'react-router'
import { t } from '../../shared/messages.ts'
import { cleanName } from '../../shared/text.ts'
import { useScreen } from '../api.ts'
import { newText, useOwnChannels } from '../channels/own-channels.ts'
import { ChannelCard, ChannelPicture, channelPath } from '../parts/channel-card.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { QueryBox, useQueryText } from '../parts/query-box.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import './channels.css'
import { useMirror } from '../shell/mirror-line.tsx'
import type { Channel, Page } from '../types.ts'

type Channels = Page<'channels', Channel>

export function Component() {
  const q = useQueryText()
  return (
    <>
      <Title>{t('Channels')}</Title>
      <header className="screen-head">
        <h1>{t('Channels')}</h1>
        {!useMirror() && (
          <Link to="/channels/new" className="secondary">
            {t('New channel')}
          </Link>
        )}
        <QueryBox label={t('Search channels')} value={q} />
      </header>
      {q === '' && <OwnChannels />}
      <Grid key={q} q={q} />
    </>
  )
}

/** Those of the account, with what is new in each. */
function OwnChannels() {
  const channels = useOwnChannels().data?.channels ?? []
  if (channels.length === 0) return null
  return (
    <>
      <section aria-labelledby="own-channels">
        <h2 id="own-channels" className="part-head">
          {t('Your channels')}
        </h2>
        <ul className="own-channels">
          {channels.map(({ channel, new_count }) => (
            <li key={channel.id}>
              <Link to={channelPath(channel)} className="own-channel">
                <ChannelPicture channel={channel} />
                <span className="channel-name">
                  <bdi className="name">{cleanName(channel.name) || channel.id}</bdi>
                  <bdi className="handle">/{channel.id}</bdi>
                </span>
                {new_count > 0 && (
                  <span className="chip">{t('{new} new', { new: newText(new_count) })}</span>
                )}
              </Link>
            </li>
          ))}
        </ul>
      </section>
      <h2 className="part-head">{t('All channels')}</h2>
    </>
  )
}

function Grid({ q }: { q: string }) {
  const { fid: viewer } = useSession()
  const call =
    q === ''
      ? { path: '/channel/list', query: { viewer_fid: viewer, limit: 50 } }
      : { path: '/channel/search', query: { q: q.toLowerCase(), viewer_fid: viewer, limit: 50 } }
  const screen = useScreen<Channels, Channels>(call.path, call.query, {
    pageOf: (first) => first,
    more: () => call,
  })
  if (screen.isPending) return <Loading what={t('Loading channels')} />
  if (!screen.first) return <Failed error={screen.error!} retry={screen.refetch} />
  const channels = screen.pages.flatMap((page) => page.channels)
  if (channels.length === 0) {
    return q === '' ? (
      <Empty
        icon="channel"
        heading={t('There are no channels yet')}
        action={{ text: t('New channel'), to: '/channels/new' }}
      >
        <p>{t('A channel is a place for one subject, which people follow and write in.')}</p>
      </Empty>
    ) : (
      <Empty
        icon="channel"
        heading={t('No channel matches')}
        action={{ text: t('All channels'), to: '/channels' }}
      />
    )
  }
  return (
    <>
      <div className="channel-grid">
        {channels.map((channel) => (
          <ChannelCard key={channel.id} channel={channel} />
        ))}
      </div>
      <MoreButton {...screen} />
    </>
  )
}
