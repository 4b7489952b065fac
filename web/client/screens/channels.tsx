import { Link } from 'react-router'
import { useScreen } from '../api.ts'
import { ChannelCard } from '../parts/channel-card.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { QueryBox, useQueryText } from '../parts/query-box.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
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
      <Grid key={q} q={q} />
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
    return <Empty heading={q === '' ? 'There are no channels yet' : 'No channel matches'} />
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
