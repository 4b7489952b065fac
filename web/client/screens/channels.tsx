import { Link } from 'react-router'
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
      <Title>Channels</Title>
      <header className="screen-head">
        <h1>Channels</h1>
        {!useMirror() && (
          <Link to="/channels/new" className="secondary">
            New channel
          </Link>
        )}
        <QueryBox label="Search channels" value={q} />
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
          Your channels
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
                {new_count > 0 && <span className="chip">{newText(new_count)} new</span>}
              </Link>
            </li>
          ))}
        </ul>
      </section>
      <h2 className="part-head">All channels</h2>
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
  if (screen.isPending) return <Loading what="Loading channels" />
  if (!screen.first) return <Failed error={screen.error!} retry={screen.refetch} />
  const channels = screen.pages.flatMap((page) => page.channels)
  if (channels.length === 0) {
    return q === '' ? (
      <Empty
        icon="channel"
        heading="There are no channels yet"
        action={{ text: 'New channel', to: '/channels/new' }}
      >
        <p>A channel is a place for one subject, which people follow and write in.</p>
      </Empty>
    ) : (
      <Empty
        icon="channel"
        heading="No channel matches"
        action={{ text: 'All channels', to: '/channels' }}
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
