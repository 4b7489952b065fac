import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { queryText } from '../../shared/request.ts'
import { words } from '../../shared/words.ts'
import { useMailTerms } from '../account/mail.tsx'
import { clearOverrides } from '../act/overrides.ts'
import { FilterBox, hasWords } from '../parts/filter-box.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import { ThemeSwitch } from '../shell/theme-switch.tsx'
import { useReminder } from '../shell/use-reminder.ts'
import { type Known, useNow } from './settings-now.ts'
import './settings.css'

type Setting = {
  readonly label: string
  readonly what: string
  /** By which it is found what it is set to. */
  readonly known?: Known
  /** Where it leads: a screen of the client, or another page of the server. */
  readonly to?: string
  readonly href?: string
  readonly run?: () => void
  /** Only on servers that send mail. */
  readonly needsMail?: boolean
  /** Whether it says when the words are not saved. */
  readonly isOfWords?: boolean
  /** What stands here itself. */
  readonly part?: ReactNode
}
type Group = { readonly heading: string; readonly settings: readonly Setting[] }

const FOR_MEMBERS: readonly Group[] = [
  {
    heading: 'Profile',
    settings: [
      {
        label: 'Name, picture and bio',
        what: 'What others see on your profile',
        known: 'profile',
        to: '/profile',
      },
      {
        label: 'Change your @name',
        what: 'Once in 28 days',
        known: 'name',
        to: '/account#name',
      },
    ],
  },
  {
    heading: 'Account and security',
    settings: [
      { label: 'My account', what: 'Everything about your account and its key', to: '/account' },
      {
        label: 'Recovery words',
        what: 'Your 12 words and the recovery kit',
        known: 'words',
        to: '/account#words',
        isOfWords: true,
      },
      {
        label: 'Recovery address',
        what: 'Who may give a lost account back',
        known: 'recovery',
        to: '/account#recovery',
      },
      {
        label: 'E-mail address',
        what: 'Where you are told what touches your account',
        known: 'mail',
        to: '/account#mail',
        needsMail: true,
      },
      { label: 'Move to a wallet', what: 'Let a wallet own the account', to: '/account#move' },
      { label: 'Storage', what: `How much room your ${words.posts} have`, to: '/account#storage' },
      { label: 'Invite people', what: 'Links with which others may join', to: '/account#invites' },
    ],
  },
  {
    heading: 'Sign-in ways and devices',
    settings: [
      {
        label: 'Passkeys and password',
        what: 'How you sign in on other devices',
        to: '/account#ways',
      },
      {
        label: 'Devices and apps',
        what: 'Browsers and apps that may write for you',
        to: '/account#devices',
      },
    ],
  },
  {
    heading: 'Notifications',
    settings: [
      {
        label: 'Notifications and push',
        what: 'Which ones, and on which devices',
        to: '/notifications/settings',
      },
    ],
  },
  {
    heading: 'Muted and blocked',
    settings: [
      {
        label: 'Muted and blocked',
        what: 'People, channels and words that you do not want to see',
        to: '/muted',
      },
      {
        label: 'Reports',
        what: 'What you reported, decisions about you, and appeals',
        to: '/moderation',
      },
    ],
  },
]

const APPEARANCE: Group = {
  heading: 'Appearance',
  settings: [
    { label: 'Theme', what: 'Light, dark, or as your device says', part: <ThemeSwitch /> },
  ],
}

const appsOf = (fid: number | undefined): Group => ({
  heading: 'Connected apps',
  settings: [
    {
      label: 'Connected apps',
      what: 'Apps that have a key of your account',
      href: `/platform/~/apps${queryText({ fid })}`,
    },
    { label: 'Mini apps', what: 'Apps that open here, and what they may do', to: '/miniapps' },
  ],
})

const leaving = (signOut: () => void): Group[] => [
  {
    heading: 'My data',
    settings: [
      { label: 'Download my data', what: 'Everything of you in one zip file', to: '/account#data' },
      {
        label: 'Import my data',
        what: 'From the zip file of this or another Rookery',
        to: '/import',
      },
    ],
  },
  {
    heading: 'Leave',
    settings: [
      { label: 'Sign out', what: 'Of this browser', run: signOut },
      { label: 'Delete my account', what: 'And everything that you wrote', to: '/account#data' },
    ],
  },
]

const ABOUT: Group = {
  heading: 'Help',
  settings: [
    { label: 'Help', what: 'How to write, find, mute, report, move away', to: '/help' },
    { label: 'About this server', what: 'Who runs it, its rules, what is public', to: '/about' },
  ],
}

/** `/settings`: everything that somebody can set, in groups. */
export function Component() {
  const { fid, become } = useSession()
  const [typed, setTyped] = useState('')
  const mail = useMailTerms()
  const signOut = () => {
    clearOverrides()
    become(undefined)
  }
  const own = fid === undefined ? [] : FOR_MEMBERS
  const last = fid === undefined ? [] : leaving(signOut)
  const groups = [...own, APPEARANCE, appsOf(fid), ...last, ABOUT].flatMap(
    ({ heading, settings }) => {
      const found = settings.filter(
        ({ label, what, needsMail }) =>
          (!needsMail || mail.data?.isOn) && hasWords(typed, `${heading} ${label} ${what}`),
      )
      return found.length === 0 ? [] : [{ heading, settings: found }]
    },
  )
  return (
    <div className="form-screen">
      <Title>Settings</Title>
      <h1>Settings</h1>
      <FilterBox label="Search settings" value={typed} onChange={setTyped} />
      {fid === undefined && (
        <p>
          <Link to="/join">Join or sign in</Link> to see those of your account.
        </p>
      )}
      {groups.map((group) => (
        <Settings key={group.heading} {...group} />
      ))}
      {groups.length === 0 && <p role="status">No setting has all of these words.</p>}
    </div>
  )
}

function Settings({ heading, settings }: Group) {
  const id = heading.toLowerCase().replaceAll(' ', '-')
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      <ul className="settings-list">
        {settings.map((setting) => (
          <li key={setting.label}>
            <Entry {...setting} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Entry({ label, what, known, to, href, run, part, isOfWords = false }: Setting) {
  const now = useNow()
  const isDue = useReminder() !== undefined && isOfWords
  const texts = (
    <>
      <span>{label}</span>
      {known && now[known] && <bdi className="set-to">{now[known]}</bdi>}
      <span className="muted">{what}</span>
      {isDue && <span className="asked">Saved outside of this browser?</span>}
    </>
  )
  if (to !== undefined) return <Link to={to}>{texts}</Link>
  if (href !== undefined) return <a href={href}>{texts}</a>
  if (run) {
    return (
      <button type="button" onClick={run}>
        {texts}
      </button>
    )
  }
  return (
    <div>
      {texts}
      {part}
    </div>
  )
}
