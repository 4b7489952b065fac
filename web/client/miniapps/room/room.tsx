import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Notice } from '../../../shared/page.tsx'
import type { BrowserKey } from '../../act/key-store.ts'
import { getTerms } from '../calls.ts'
import { domainOf } from '../domain.ts'
import { AppView } from '../host/app-view.tsx'
import { useAppHost } from '../host/use-app-host.ts'
import type { Launch } from '../launch.ts'
import { ContextPane } from './context-pane.tsx'
import { FaultsPane } from './faults-pane.tsx'
import { MessagesPane } from './messages-pane.tsx'
import { NotificationsPane } from './notices-pane.tsx'
import { ReportPane } from './report-pane.tsx'
import { RoomFrame } from './room-frame.tsx'
import { createRoomState, type RoomState } from './room-state.ts'
import { SnippetPane } from './snippet-pane.tsx'
import { WebhooksPane } from './webhooks-pane.tsx'
import '../host/host.css'

/** Where developers run their app: the app beside everything that it and the server tell each other. */
export const Component = () => (
  <RoomFrame
    title="Mini apps in development"
    heading="Your mini app"
    label="Address of your app"
    example="http://localhost:5173"
    chooseAccount="Choose the account that opens your app."
    open={(url, key) => <Bench key={`${url} ${key.fid}`} url={url} browserKey={key} />}
    otherwise={<SnippetPane />}
  />
)

/** The app with its panes. A change that the app reads at its start opens it anew. */
function Bench({ url, browserKey }: { url: string; browserKey: BrowserKey }) {
  const [room] = useState(createRoomState)
  const [run, setRun] = useState(0)
  const [at, setAt] = useState(url)
  return (
    <div className="room-bench">
      <RunningApp
        key={run}
        url={at}
        browserKey={browserKey}
        room={room}
        openApp={(next) => {
          setAt(next)
          setRun(run + 1)
        }}
      />
      <div className="room-panes">
        <ReportPane url={url} fid={browserKey.fid} />
        <MessagesPane room={room} />
        <ContextPane room={room} reopen={() => setRun(run + 1)} />
        <FaultsPane room={room} />
        <NotificationsPane browserKey={browserKey} domain={domainOf(url)} />
        <WebhooksPane browserKey={browserKey} domain={domainOf(url)} />
        <SnippetPane domain={domainOf(url)} />
      </div>
    </div>
  )
}

type RunningProps = {
  url: string
  browserKey: BrowserKey
  room: RoomState
  openApp: (url: string) => void
}

function RunningApp({ url, browserKey, room, openApp }: RunningProps) {
  const [launch] = useState<Launch>(() => ({
    id: crypto.randomUUID(),
    url,
    opening: { type: 'launcher' },
  }))
  const [isClosed, setClosed] = useState(false)
  const { host, state, app } = useAppHost({
    launch,
    browserKey,
    close: () => setClosed(true),
    showPage(path, { closes = false } = {}) {
      open(path, '_blank', 'noopener')
      setClosed(closes)
    },
    openApp: (next) => openApp(next.url),
    insets: room.insets,
    room: room.ports,
  })
  const size = room.useSize()
  const theme = room.useTheme()
  const { data: terms } = useQuery({ queryKey: ['mini app host'], queryFn: getTerms })
  useEffect(() => room.setHost(host), [room, host])
  return (
    <div className={`room-stage ${size}`} data-theme={theme}>
      {terms?.mode === 'off' && <Notice tone="bad">Mini apps are off (ROOKERY_MINI_APPS).</Notice>}
      {isClosed ? (
        <p className="room-closed">
          The app has closed itself.{' '}
          <button type="button" className="secondary" onClick={() => openApp(url)}>
            Open it again
          </button>
        </p>
      ) : (
        <AppView host={host} state={state} app={app} />
      )}
    </div>
  )
}
