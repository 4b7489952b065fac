import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { t } from '../../shared/messages.ts'
import { queryText } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { hasKnownMail } from '../account/kept-mail.ts'
import { useMailTerms } from '../account/mail.tsx'
import { useSignOut } from '../act/use-sign-out.ts'
import { FilterBox } from '../parts/filter-box.tsx'
import { hasWords } from '../parts/has-words.ts'
import { LanguageSelect } from '../parts/language-select.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import { ThemeSwitch } from '../shell/theme-switch.tsx'
import { useReminder } from '../shell/use-reminder.ts'
import { ReadingLanguages } from '../translation/reading-languages.tsx'
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
  /** Only on servers that send mail, or for who has an address. */
  readonly needsMail?: boolean
  readonly isForMembers?: boolean
  /** Whether it says when the words are not saved. */
  readonly isOfWords?: boolean
  /** What stands here itself. */
  readonly part?: ReactNode
}
type Group = { readonly heading: string; readonly settings: readonly Setting[] }

const FOR_MEMBERS: readonly Group[] = [
  {
    heading: t('Profile'),
    settings: [
      {
        label: t('Name, picture and bio'),
        what: t('What others see on your profile'),
        known: 'profile',
        to: '/profile',
      },
      {
        label: t('Change your @name'),
        what: t('Once in 28 days'),
        known: 'name',
        to: '/account#name',
      },
    ],
  },
  {
    heading: t('Account and security'),
    settings: [
      {
        label: t('My account'),
        what: t('Everything about your account and its key'),
        to: '/account',
      },
      {
        label: t('Recovery words'),
        what: t('Your 12 words and the recovery kit'),
        known: 'words',
        to: '/account#words',
        isOfWords: true,
      },
      {
        label: t('Recovery address'),
        what: t('Who may give a lost account back'),
        known: 'recovery',
        to: '/account#recovery',
      },
      {
        label: t('E-mail address'),
        what: t('Where you are told what touches your account'),
        known: 'mail',
        to: '/account#mail',
        needsMail: true,
      },
      {
        label: t('Move to a wallet'),
        what: t('Let a wallet own the account'),
        to: '/account#move',
      },
      { label: t('Storage'), what: t('How much room your {posts} have'), to: '/account#storage' },
      {
        label: t('Invite people'),
        what: t('Links with which others may join'),
        to: '/account#invites',
      },
    ],
  },
  {
    heading: t('Sign-in ways and devices'),
    settings: [
      {
        label: t('Passkeys and password'),
        what: t('How you sign in on other devices'),
        to: '/account#ways',
      },
      {
        label: t('Devices and apps'),
        what: t('Browsers and apps that may write for you'),
        to: '/account#devices',
      },
    ],
  },
  {
    heading: t('Notifications'),
    settings: [
      {
        label: t('Notifications and push'),
        what: t('Which ones, and on which devices'),
        to: '/notifications/settings',
      },
    ],
  },
  {
    heading: t('Muted and blocked'),
    settings: [
      {
        label: t('Muted and blocked'),
        what: t('People, channels and words that you do not want to see'),
        to: '/muted',
      },
      {
        label: t('Reports'),
        what: t('What you reported, decisions about you, and appeals'),
        to: '/moderation',
      },
    ],
  },
]

const APPEARANCE: Group = {
  heading: t('Appearance'),
  settings: [
    {
      label: t('Language'),
      what: t('On all your devices, and in what this server writes to you'),
      part: <LanguageSelect />,
    },
    {
      label: t('Languages I read'),
      what: t(
        'In lists for everybody, {posts} of strangers in other languages are folded. None chosen: you read all. Nobody else sees your choice.',
      ),
      isForMembers: true,
      part: <ReadingLanguages />,
    },
    { label: t('Theme'), what: t('Light, dark, or as your device says'), part: <ThemeSwitch /> },
  ],
}

const appsOf = (fid: number | undefined): Group => ({
  heading: t('Connected apps'),
  settings: [
    {
      label: t('Connected apps'),
      what: t('Apps that have a key of your account'),
      href: `/platform/~/apps${queryText({ fid })}`,
    },
    {
      label: t('Mini apps'),
      what: t('Apps that open here, and what they may do'),
      to: '/miniapps',
    },
  ],
})

const leaving = (signOut: () => void): Group[] => [
  {
    heading: t('My data'),
    settings: [
      {
        label: t('Download my data'),
        what: t('Everything of you in one zip file'),
        to: '/account#data',
      },
      {
        label: t('Import my data'),
        what: t('From the zip file of this or another Rookery'),
        to: '/import',
      },
    ],
  },
  {
    heading: t('Leave'),
    settings: [
      { label: t('Sign out'), what: t('Of this browser'), run: signOut },
      {
        label: t('Delete my account'),
        what: t('And everything that you wrote'),
        to: '/account#data',
      },
    ],
  },
]

const ABOUT: Group = {
  heading: t('Help'),
  settings: [
    { label: t('Help'), what: t('How to write, find, mute, report, move away'), to: '/help' },
    {
      label: t('About this server'),
      what: t('Who runs it, its rules, what is public'),
      to: '/about',
    },
  ],
}

/** `/settings`: everything that somebody can set, in groups. */
export function Component() {
  const { fid } = useSession()
  const signOut = useSignOut()
  const [typed, setTyped] = useState('')
  const mail = useMailTerms().data
  const hasMail = mail?.isOn || (mail?.keepsAddresses && fid !== undefined && hasKnownMail(fid))
  const own = fid === undefined ? [] : FOR_MEMBERS
  const last = fid === undefined ? [] : leaving(signOut)
  const groups = [...own, APPEARANCE, appsOf(fid), ...last, ABOUT].flatMap(
    ({ heading, settings }) => {
      const found = settings.filter(
        ({ label, what, needsMail, isForMembers }) =>
          (!needsMail || hasMail) &&
          (!isForMembers || fid !== undefined) &&
          hasWords(typed, `${heading} ${label} ${what}`),
      )
      return found.length === 0 ? [] : [{ heading, settings: found }]
    },
  )
  return (
    <div className="form-screen">
      <Title>{t('Settings')}</Title>
      <h1>{t('Settings')}</h1>
      <FilterBox label={t('Search settings')} value={typed} onChange={setTyped} />
      {fid === undefined && (
        <p>
          {rich('<link>Join or sign in</link> to see those of your account.', {
            link: (inner) => <Link to="/join">{inner}</Link>,
          })}
        </p>
      )}
      {groups.map((group) => (
        <Settings key={group.heading} {...group} />
      ))}
      {groups.length === 0 && <p role="status">{t('No setting has all of these words.')}</p>}
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
      {isDue && <span className="asked">{t('Saved outside of this browser?')}</span>}
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
