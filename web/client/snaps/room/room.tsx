import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { BrowserKey } from '../../act/key-store.ts'
import { tell } from '../../act/notices.tsx'
import { RoomFrame } from '../../miniapps/room/room-frame.tsx'
import { THEMES, type Theme } from '../../miniapps/room/room-state.ts'
import { SnapCard } from '../card.tsx'
import { createBench } from './bench.ts'
import { ContextPane, ExchangesPane, FaultsPane, HistoryPane } from './panes.tsx'
import './room.css'

/** Where developers see and press their snap, beside everything that its server is told and answers. */
export const Component = () => (
  <RoomFrame
    title="Snaps in development"
    heading="Your snap"
    label="Address of your snap"
    example="http://localhost:3003"
    chooseAccount="Choose the account that presses."
    open={(url, key) => <Opened key={`${url} ${key.fid}`} url={url} browserKey={key} />}
  />
)

function Opened({ url, browserKey }: { url: string; browserKey: BrowserKey }) {
  const [bench] = useState(() => createBench(browserKey))
  const [theme, setTheme] = useState<Theme>('page')
  const { drawn, isInCast } = bench.use()
  const navigate = useNavigate()
  const [pressAs, setPressAs] = useState<number>()
  const read = useQuery({
    queryKey: ['snap report', url, browserKey.fid, pressAs],
    queryFn: () => bench.read(url, pressAs),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    placeholderData: (before) => before,
  })
  const { page: first, snapUrl = url, newerVersion } = read.data ?? {}
  const shown = drawn ?? (first && { id: 0, url: snapUrl, page: first })
  const fail = (error: Error) => tell(`That did not work. ${error.message}`)
  return (
    <div className="room-bench">
      <div className="room-card" data-theme={theme}>
        {shown ? (
          <SnapCard
            key={`${shown.id} ${isInCast} ${read.dataUpdatedAt}`}
            url={url}
            snap={{ url: shown.url, page: shown.page }}
            surface={bench.surface()}
            bench={bench}
          />
        ) : (
          read.data && (
            <p className="room-closed">
              {newerVersion
                ? `The page has version ${newerVersion}, which this client does not know.`
                : 'Readers see a plain link here.'}
            </p>
          )
        )}
        <p className="room-tools">
          <select
            aria-label="Colours"
            value={theme}
            onChange={({ target }) => setTheme(target.value as Theme)}
          >
            {Object.entries(THEMES).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
          <button
            type="button"
            className="secondary"
            onClick={() =>
              void navigate('/compose', { state: { given: { text: '', urls: [url] } } })
            }
          >
            Cast it
          </button>
        </p>
      </div>
      <div className="room-panes">
        <FaultsPane
          read={read}
          verify={() => (pressAs === undefined ? setPressAs(browserKey.fid) : void read.refetch())}
        />
        <HistoryPane bench={bench} first={snapUrl} />
        <ExchangesPane bench={bench} />
        <ContextPane bench={bench} view={() => bench.view(snapUrl).catch(fail)} />
      </div>
    </div>
  )
}
