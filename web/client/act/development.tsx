import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { fetchJson } from '../../shared/request.ts'
import { dateText } from '../../shared/text.ts'
import { useSession } from '../session/session.tsx'
import { importKey } from './key-store.ts'
import { tell } from './notices.tsx'
import { clearOverrides } from './overrides.ts'
import { useSignOut } from './use-sign-out.ts'

// Helpers of a development network: act as any account, move the clock, begin anew. Servers for people have none.

type DevelopmentAccount = {
  readonly fid: number
  readonly name: string
  /** Public: everybody may know it. */
  readonly appPrivateKey: string
}

const DAY_SECONDS = 86_400
const STEPS = { '1 hour': 3_600, '1 day': DAY_SECONDS, '28 days': 28 * DAY_SECONDS } as const
const MAX_SHOWN = 12

const useAccounts = () =>
  useQuery({
    queryKey: ['development accounts'],
    queryFn: () =>
      fetchJson<{ accounts: DevelopmentAccount[]; forkedFrom?: string }>('/dev/accounts'),
    retry: false,
    // More are made while the page is open.
    staleTime: 0,
  })

export const DevelopmentTools = () => (
  <>
    <ActAs />
    <Clock />
    <Reset />
  </>
)

export function ActAs() {
  const { data } = useAccounts()
  const accounts = data?.accounts ?? []
  const id = useId()
  const { fid, become } = useSession()
  const [sought, setSought] = useState('')
  const text = sought.trim().toLowerCase()
  const found = accounts.filter((one) => one.name.includes(text) || String(one.fid) === text)
  const isOwn = found.some((one) => one.name === text || String(one.fid) === text)
  const actAs = async ({ fid: next, appPrivateKey }: DevelopmentAccount) => {
    const seed = Uint8Array.from(appPrivateKey.slice(2).match(/../g)!, (pair) => parseInt(pair, 16))
    await (await importKey(seed)).keepFor(next)
    clearOverrides()
    become(next)
  }
  const actAsForked = async () =>
    actAs(
      await fetchJson<DevelopmentAccount>('/dev/act-as', {
        method: 'POST',
        body: { account: sought.trim() },
      }),
    )
  return (
    <div className="field">
      <label htmlFor={id}>{t('Act as')}</label>
      <input
        id={id}
        type="search"
        placeholder={t('Name or number')}
        value={sought}
        onChange={({ target }) => setSought(target.value)}
      />
      <ul className="act-as">
        {found.slice(0, MAX_SHOWN).map((account) => (
          <li key={account.fid}>
            <button
              type="button"
              aria-pressed={account.fid === fid}
              onClick={() => actAs(account).catch((error) => tell(error.message))}
            >
              <bdi>{account.name}</bdi>
            </button>
          </li>
        ))}
      </ul>
      {data?.forkedFrom && text !== '' && !isOwn && (
        <button
          type="button"
          className="link"
          onClick={() => actAsForked().catch((error) => tell(error.message))}
        >
          {t('Act as {sought} of the forked network', { sought: sought.trim() })}
        </button>
      )}
      {found.length > MAX_SHOWN && (
        <p className="help">
          {t(
            '{count, plural, one {# more: type a part of the name.} other {# more: type a part of the name.}}',
            { count: found.length - MAX_SHOWN },
          )}
        </p>
      )}
    </div>
  )
}

type Time = { readonly unixSeconds: number; readonly aheadSeconds: number }

function Clock() {
  const queries = useQueryClient()
  const { data } = useQuery({
    queryKey: ['development clock'],
    queryFn: () => fetchJson<Time>('/dev/clock'),
  })
  const advance = async (advanceSeconds: number) => {
    await fetchJson('/dev/clock', { method: 'POST', body: { advanceSeconds } })
    await queries.invalidateQueries()
  }
  return (
    <div className="field">
      <p>
        {t('Clock')}
        {data && <>: {dateText(data.unixSeconds)}</>}
      </p>
      <p className="account-links">
        {Object.entries(STEPS).map(([text, seconds]) => (
          <button
            key={text}
            type="button"
            className="link"
            onClick={() => advance(seconds).catch((error) => tell(error.message))}
          >
            + {text}
          </button>
        ))}
      </p>
    </div>
  )
}

function Reset() {
  const [isAsked, setAsked] = useState(false)
  const signOut = useSignOut()
  const reset = async () => {
    await fetchJson('/dev/reset', { method: 'POST' })
    await signOut()
    location.assign('/')
  }
  return (
    <button
      type="button"
      className="link"
      onClick={isAsked ? () => reset().catch((error) => tell(error.message)) : () => setAsked(true)}
    >
      {isAsked ? t('Delete everything and begin anew') : t('Reset the network …')}
    </button>
  )
}
