import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { ask, type Invite, isFrontDoor } from '../api.ts'
import type { Metrics } from '../metrics.ts'
import { hasLedger } from '../waiting.ts'
import { Section } from './section.tsx'

// What the owner of a fresh server does first, ticked off as it is done.

const KEY = 'rookery.first-steps'
/** So many people make a beginning. */
const FIRST_INVITES = 5

type Setting = { readonly variable: string; readonly value: string; readonly off?: string }
type Known = {
  readonly texts: { readonly texts: { readonly rules: string; readonly picture: string } }
  readonly staff: { readonly staff: readonly { readonly role: string }[] }
  readonly invites: { readonly invites: readonly Invite[] }
  readonly settings: { readonly settings: readonly Setting[] }
  readonly mail: { readonly server: string | null }
}
/** What could not be asked, such as invites where accounts are kept elsewhere, is no step. */
type Found = { readonly [K in keyof Known]?: Known[K] }

const PATHS: Readonly<Record<keyof Known, string>> = {
  texts: '/server/texts',
  staff: '/moderation/staff',
  invites: '/accounts/invites',
  settings: '/server/settings',
  mail: '/app/mail',
}

async function findAll(): Promise<Found> {
  const found = Object.entries(PATHS).map(async ([name, path]) => [
    name,
    await ask(path).catch(() => undefined),
  ])
  return Object.fromEntries(await Promise.all(found))
}

type Step = {
  readonly text: string
  readonly how: string
  /** Where it is done: a screen, or a path of the client; none: on the machine. */
  readonly screen?: string
  readonly path?: string
  /** Undefined: it is no step here. */
  readonly isDone: boolean | undefined
}

const RECOVERY = 'ROOKERY_RECOVERY_DAYS'

function stepsOf({ texts, staff, invites, settings, mail }: Found, metrics: Metrics): Step[] {
  // The first invite of the server is for its operator.
  const invited = invites?.invites.reduce(
    (sum, { uses, role }) => (role === 'operator' ? sum : sum + uses),
    0,
  )
  const recovery = settings?.settings.find(({ variable }) => variable === RECOVERY)
  const count = (name: string) => (metrics.get(name) ?? 0) > 0
  const isJoined = hasLedger(metrics)
  // Nobody joins or writes there.
  const isMirror = metrics.has('rookery_mirror_stopped')
  return [
    {
      text: t('Join'),
      how: t(
        'with the link that rookery init, or rookery invite create --role operator, has printed',
      ),
      isDone: isJoined ? count('rookery_accounts') : undefined,
    },
    {
      text: t('Give yourself the role operator'),
      how: t('who joins by the link of rookery init has it; nobody gets it by being first'),
      screen: 'staff',
      isDone: isJoined ? staff?.staff.some(({ role }) => role === 'operator') : undefined,
    },
    {
      text: t('Write the rules'),
      how: t('members agree to them when they join'),
      screen: 'face',
      isDone: isMirror ? undefined : texts && texts.texts.rules !== '',
    },
    {
      text: t('Choose a picture'),
      how: t('it is on the page where people join, and on their home screens'),
      screen: 'face',
      isDone: texts && texts.texts.picture !== '',
    },
    {
      text: t('Make the first channel'),
      how: t('a place with a name, in which people meet'),
      path: '/channels',
      isDone: isMirror ? undefined : count('rookery_channels'),
    },
    {
      text: t('Invite five people'),
      how: t('each invite is a link with a QR code'),
      screen: 'invites',
      isDone: invited === undefined ? undefined : invited >= FIRST_INVITES,
    },
    {
      text: t('Turn on the recovery of lost accounts'),
      how: t('seven days are recommended; without it a lost password is a lost account'),
      screen: 'settings',
      // Unset it is empty, and that is off, too.
      isDone: isJoined ? recovery && !['', recovery.off].includes(recovery.value) : undefined,
    },
    {
      text: t('Set up e-mail'),
      how: t('members are told what touches their account, and a lost one comes back by a link'),
      screen: 'settings',
      isDone: isMirror ? undefined : mail && mail.server !== null,
    },
    {
      text: t('Have backups made'),
      how: metrics.has('rookery_backup_interval_seconds')
        ? t('the first is made within minutes of the start; copy them to another machine')
        : t('with ROOKERY_BACKUP_DIR on the machine; copy them to another one'),
      screen: 'backups',
      isDone: count('rookery_backups_kept'),
    },
  ]
}

const isHidden = (): boolean => {
  try {
    return localStorage.getItem(KEY) === 'hidden'
  } catch {
    return false
  }
}

/** Nothing when all is done, or the owner has put it aside in this browser. */
export function FirstSteps({
  metrics,
  screens,
}: {
  metrics: Metrics
  /** Those that are open here. */
  screens: readonly string[]
}) {
  const [isAside, setAside] = useState(isHidden)
  const { data } = useQuery({ queryKey: ['first steps'], queryFn: findAll, enabled: !isAside })
  if (isAside || !data) return null
  const steps = stepsOf(data, metrics).filter(({ isDone }) => isDone !== undefined)
  const done = steps.filter(({ isDone }) => isDone).length
  if (done === steps.length) return null
  const hide = () => {
    setAside(true)
    try {
      localStorage.setItem(KEY, 'hidden')
    } catch {}
  }
  return (
    <Section
      heading={t('First steps')}
      note={
        isFrontDoor
          ? t(
              '{count, plural, one {You are an operator of this server. {done} of # step is done, and each is ticked off by itself.} other {You are an operator of this server. {done} of # steps are done, and each is ticked off by itself.}}',
              { done, count: steps.length },
            )
          : t(
              '{count, plural, one {You run this server. {done} of # step is done, and each is ticked off by itself.} other {You run this server. {done} of # steps are done, and each is ticked off by itself.}}',
              { done, count: steps.length },
            )
      }
    >
      <ul className="first-steps">
        {steps.map(({ text, how, isDone, ...one }) => (
          <li key={text} className={isDone ? 'done' : undefined}>
            {isDone ? <Icon name="check" /> : <span className="dot" aria-hidden="true" />}
            <span>
              <Way {...one} screens={screens} text={text} />
              {isDone && <span className="unseen"> {t('(done)')}</span>}
              <span className="muted detail">{how}</span>
            </span>
          </li>
        ))}
      </ul>
      <p>
        <button type="button" className="quiet" onClick={hide}>
          {t('Hide this list')}
        </button>
      </p>
    </Section>
  )
}

/** The way to where a step is done, if there is one from here. */
function Way({
  text,
  screen,
  path,
  screens,
}: Pick<Step, 'text' | 'screen' | 'path'> & { screens: readonly string[] }) {
  if (screen && screens.includes(screen)) return <a href={`#${screen}`}>{text}</a>
  return path && isFrontDoor ? <a href={path}>{text}</a> : text
}
