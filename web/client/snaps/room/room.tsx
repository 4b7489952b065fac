import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { Notice } from '../../../shared/page.tsx'
import { ActAs } from '../../act/development.tsx'
import type { BrowserKey } from '../../act/key-store.ts'
import { tell } from '../../act/notices.tsx'
import { AddressForm, addressOf } from '../../miniapps/room/address.tsx'
import { THEMES, type Theme } from '../../miniapps/room/room-state.ts'
import { useKey } from '../../miniapps/use-key.ts'
import { useOwnUser } from '../../parts/discover.tsx'
import { handleOf } from '../../parts/person.tsx'
import { Title } from '../../parts/title.tsx'
import { NotFound } from '../../screens/not-found.tsx'
import { isDevelopment } from '../../shell/development-panel.tsx'
import { SnapCard } from '../card.tsx'
import { createBench } from './bench.ts'
import { ContextPane, ExchangesPane, FaultsPane, HistoryPane } from './panes.tsx'
import '../../miniapps/room/room.css'
import './room.css'

/** Where developers see and press their snap, beside everything that its server is told and answers. */
export function Component() {
  const key = useKey()
  const user = useOwnUser()
  const [params, setParams] = useSearchParams()
  if (!isDevelopment()) return <NotFound />
  const given = params.get('url') ?? ''
  const url = addressOf(given)
  return (
    <div className="room">
      <Title>Snaps in development</Title>
      <header className="room-head">
        <h1>Your snap</h1>
        <AddressForm
          label="Address of your snap"
          placeholder="http://localhost:3003"
          given={given}
          open={(text) => setParams(text === '' ? {} : { url: text })}
        />
      </header>
      {given !== '' && !url && (
        <Notice tone="bad">That is no address. Write one such as http://localhost:3003.</Notice>
      )}
      <details className="room-pane" open={key === null}>
        <summary>
          {key ? `Acting as ${user ? handleOf(user) : `account ${key.fid}`}` : 'Act as an account'}
        </summary>
        {key === null && <p>Choose the account that presses.</p>}
        <ActAs />
      </details>
      {url && key && <Opened key={`${url} ${key.fid}`} url={url} browserKey={key} />}
    </div>
  )
}

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
