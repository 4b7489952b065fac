import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { Failed, Loading } from '../client/parts/states.tsx'
import { ThemeSwitch } from '../client/shell/theme-switch.tsx'
import { face } from '../shared/face.ts'
import { t } from '../shared/messages.ts'
import { Refusal } from '../shared/request.ts'
import { rich } from '../shared/rich.tsx'
import {
  enterAsAccount,
  getMetrics,
  isFrontDoor,
  isWrongToken,
  keepToken,
  storedToken,
} from './api.ts'
import { parseMetrics } from './metrics.ts'
import { SETTINGS_FILE, TOKEN } from './parts/machine-room.tsx'
import { AppsScreen } from './screens/apps.tsx'
import { BackupsScreen } from './screens/backups.tsx'
import { BadgesScreen } from './screens/badges.tsx'
import { CommandsScreen } from './screens/commands.tsx'
import { ErrorsScreen } from './screens/errors.tsx'
import { FaceScreen } from './screens/face.tsx'
import { FilesScreen } from './screens/files.tsx'
import { InvitesScreen } from './screens/invites.tsx'
import { JobsScreen } from './screens/jobs.tsx'
import { JoinRequestsScreen } from './screens/join-requests.tsx'
import { MiniAppsScreen } from './screens/mini-apps.tsx'
import { ModerationScreen } from './screens/moderation.tsx'
import { Overview } from './screens/overview.tsx'
import { PeopleScreen } from './screens/people.tsx'
import { RecoveryScreen } from './screens/recovery.tsx'
import { ServerScreen } from './screens/server.tsx'
import { SettingsScreen } from './screens/settings.tsx'
import { StaffScreen } from './screens/staff.tsx'
import { TranslatorScreen } from './screens/translator.tsx'
import { countText } from './text.ts'
import { hasLedger, metricsQuery, waitingOn } from './waiting.ts'

/** In groups, as the menu shows them. */
const GROUPS = {
  community: {
    overview: [t('Overview'), Overview],
    people: [t('People'), PeopleScreen],
    joining: [t('Requests to join'), JoinRequestsScreen],
    invites: [t('Invites'), InvitesScreen],
    moderation: [t('Moderation'), ModerationScreen],
    staff: [t('Moderators'), StaffScreen],
    recovery: [t('Recovery'), RecoveryScreen],
    badges: [t('Badges'), BadgesScreen],
  },
  server: {
    face: [t('About this server'), FaceScreen],
    settings: [t('Settings'), SettingsScreen],
    translator: [t('Translator'), TranslatorScreen],
    apps: [t('Apps'), AppsScreen],
    miniapps: [t('Mini apps'), MiniAppsScreen],
    files: [t('Files'), FilesScreen],
  },
  machine: {
    backups: [t('Backups'), BackupsScreen],
    jobs: [t('Jobs'), JobsScreen],
    errors: [t('Errors'), ErrorsScreen],
    server: [t('Server'), ServerScreen],
    commands: [t('Commands'), CommandsScreen],
  },
} as const
const GROUP_NAMES: Readonly<Record<string, string>> = {
  community: t('Community'),
  server: t('This server'),
  machine: t('Machine'),
}
const SCREENS = { ...GROUPS.community, ...GROUPS.server, ...GROUPS.machine }
type ScreenName = keyof typeof SCREENS

/** What an account with the role operator may do. The machine is for who has the token. */
const FOR_ACCOUNTS: readonly ScreenName[] = [
  ...(['overview', 'people', 'joining', 'invites', 'moderation', 'staff', 'recovery'] as const),
  ...(['face', 'settings'] as const),
]
/** Screens of a server that keeps its accounts itself, as a mirror does not. */
const OF_LEDGER: readonly ScreenName[] = ['joining', 'invites', 'recovery']

/** The screens that are open here, by what the server counts; those of a ledger, too, where it does not say. */
function openScreens(metrics: string | null): readonly ScreenName[] {
  const isWithLedger = metrics === null || hasLedger(parseMetrics(metrics))
  const names = isFrontDoor ? FOR_ACCOUNTS : (Object.keys(SCREENS) as ScreenName[])
  return names.filter((name) => isWithLedger || !OF_LEDGER.includes(name))
}

/** The groups of the menu with the screens that are open. */
const menuOf = (open: readonly ScreenName[]) =>
  Object.entries(GROUPS).flatMap(([group, all]) => {
    const screens = Object.entries(all).flatMap(([name, [text]]) =>
      open.includes(name as ScreenName) ? [{ name, text }] : [],
    )
    return screens.length === 0 ? [] : [{ group, screens }]
  })

/** The room at the front door, for the account of this browser. */
export function AccountRoom() {
  const access = useQuery({ queryKey: ['access'], queryFn: enterFirst, staleTime: Infinity })
  if (access.isSuccess) {
    return <Inside open={openScreens(access.data)} onLeave={() => location.assign('/')} />
  }
  return (
    <main className="room">
      {access.error ? (
        <>
          <Failed error={access.error} retry={() => void access.refetch()} isScreen />
          <p className="buttons">
            <a className="secondary" href="/join/sign-in">
              {t('Sign in')}
            </a>
          </p>
        </>
      ) : (
        <Loading what={t('Opening')} />
      )}
    </main>
  )
}

async function enterFirst(): Promise<string | null> {
  await enterAsAccount()
  return findMetrics()
}

/** Null when the server cannot count now, which keeps nobody out: it may be what the operator comes to mend. */
const findMetrics = (): Promise<string | null> =>
  getMetrics().catch((error: unknown) => {
    if (error instanceof Refusal && error.status !== 401 && error.status !== 403) return null
    throw error
  })

/** The room of the operator; its door first, when the server asks for a token. */
export function Room() {
  const queries = useQueryClient()
  const access = useQuery({ queryKey: ['access'], queryFn: findMetrics, staleTime: Infinity })
  const enter = (token: string | undefined) => {
    keepToken(token)
    queries.clear()
    void access.refetch()
  }
  if (access.isPending || (access.isFetching && access.error)) {
    return (
      <main className="room">
        <Loading what={t('Opening')} />
      </main>
    )
  }
  if (isWrongToken(access.error))
    return <Door isWrong={storedToken() !== undefined} onEnter={enter} />
  if (access.error) {
    return (
      <main className="room">
        <Failed error={access.error} retry={() => void access.refetch()} isScreen />
      </main>
    )
  }
  return (
    <Inside
      open={openScreens(access.data)}
      onLeave={storedToken() === undefined ? undefined : () => enter(undefined)}
    />
  )
}

function Door({ isWrong, onEnter }: { isWrong: boolean; onEnter: (token: string) => void }) {
  const [token, setToken] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onEnter(token.trim())
  }
  return (
    <main className="room door">
      <h1>{t('Operator')}</h1>
      <p className="muted">
        {rich(
          'Enter the token of this server ({token}, {file}). It is kept until this tab is closed.',
          { token: <code>{TOKEN}</code>, file: <code>{SETTINGS_FILE}</code> },
        )}
      </p>
      <form className="stacked" onSubmit={submit}>
        <label className="field">
          <span>{t('Token')}</span>
          <input
            required
            type="password"
            autoComplete="current-password"
            value={token}
            aria-invalid={isWrong}
            aria-describedby={isWrong ? 'wrong' : undefined}
            onChange={(event) => setToken(event.target.value)}
          />
        </label>
        {isWrong && (
          <p className="fault" id="wrong" role="alert">
            {t('The server does not accept this token.')}
          </p>
        )}
        <button type="submit" className="primary">
          {t('Enter', undefined, 'a button: go in')}
        </button>
      </form>
      <ThemeSwitch />
    </main>
  )
}

type InsideProps = {
  readonly open: readonly ScreenName[]
  readonly onLeave: (() => void) | undefined
}

function Inside({ open, onLeave }: InsideProps) {
  const screen = useScreen(open)
  const [title, Screen] = SCREENS[screen]
  useEffect(() => {
    document.title = t('{title} – Operator – {name}', { title, name: face.name })
  }, [title])
  return (
    <div className="room">
      <button type="button" className="skip" onClick={skip}>
        {t('To the content')}
      </button>
      <header className="room-head">
        <div>
          <p className="room-name">{isFrontDoor ? <a href="/">{face.name}</a> : face.name}</p>
          <h1>{title}</h1>
        </div>
        <div className="buttons">
          <ThemeSwitch />
          {onLeave && (
            <button type="button" className="quiet" onClick={onLeave}>
              {t('Leave', undefined, 'a button: go out of the room')}
            </button>
          )}
        </div>
      </header>
      <div className="room-body">
        <ScreenMenu screen={screen} open={open} />
        <main id="content" tabIndex={-1}>
          <Screen screens={open} />
        </main>
      </div>
    </div>
  )
}

/** A menu at the side; where there is no room for it, a field to choose from. */
function ScreenMenu({ screen, open }: { screen: ScreenName; open: readonly ScreenName[] }) {
  const menu = menuOf(open)
  const { data } = useQuery({ ...metricsQuery, refetchInterval: COUNTS_EVERY_MS })
  return (
    <nav aria-label={t('Screens')}>
      <div className="room-nav">
        {menu.map(({ group, screens }) => (
          <div key={group} className="room-group">
            <p className="muted">{GROUP_NAMES[group]}</p>
            {screens.map(({ name, text }) => (
              <a key={name} href={`#${name}`} aria-current={name === screen ? 'page' : undefined}>
                {text} <Count n={waitingOn(data, name)} />
              </a>
            ))}
          </div>
        ))}
      </div>
      <label className="field room-choice">
        <span className="unseen">{t('Screen')}</span>
        <select
          value={screen}
          onChange={({ target }) => {
            location.hash = target.value
          }}
        >
          {menu.map(({ group, screens }) => (
            <optgroup key={group} label={GROUP_NAMES[group]}>
              {screens.map(({ name, text }) => (
                <option key={name} value={name}>
                  {waitingOn(data, name) > 0 ? `${text} (${waitingOn(data, name)})` : text}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
    </nav>
  )
}

const COUNTS_EVERY_MS = 60_000

const Count = ({ n }: { n: number }) =>
  n > 0 && (
    <span className="count">
      {countText(n)}
      <span className="unseen"> {t('waiting')}</span>
    </span>
  )

const skip = () => document.getElementById('content')?.focus()

/** The screen that the address names. */
function useScreen(open: readonly ScreenName[]): ScreenName {
  const [name, setName] = useState(namedScreen)
  useEffect(() => {
    const change = () => setName(namedScreen())
    addEventListener('hashchange', change)
    return () => removeEventListener('hashchange', change)
  }, [])
  return open.find((one) => one === name) ?? 'overview'
}

const namedScreen = (): string => location.hash.slice(1)
