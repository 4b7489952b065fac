import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { useSignOut } from '../act/use-sign-out.ts'
import { useOwnRole } from '../moderation/calls.ts'
import { useSession } from '../session/session.tsx'
import { isDevelopment } from './development-panel.tsx'
import { useMirror } from './mirror-line.tsx'
import { type Entry, Item, useOwn } from './nav-item.tsx'
import { ThemeSwitch } from './theme-switch.tsx'
import { useReminder } from './use-reminder.ts'

/** Wide windows have these helpers beside the content; others have them in the menu. */
const DEVELOPMENT: readonly Entry[] = isDevelopment()
  ? [{ to: '/development', icon: 'wrench', text: t('Development') }]
  : []

/** The account, and what is needed less; on phones also what stands beside the content elsewhere. */
export default function MenuItems({ close }: { close: () => void }) {
  const { fid } = useSession()
  const leave = useSignOut()
  const role = useOwnRole()
  const isMirror = useMirror() !== undefined
  const isDue = useReminder() === 'mark'
  const signOut = () => {
    close()
    void leave()
  }
  return (
    <>
      <Group className="phone-only" entries={useOwn()} />
      <Group className="without-aside" entries={DEVELOPMENT} />
      {fid === undefined && !isMirror && (
        <>
          <Item to="/join/sign-in" icon="person" text={t('Sign in')} />
          <Item to="/join" icon="plus" text={t('Join')} />
          <hr />
        </>
      )}
      {fid !== undefined && (
        <>
          <Item to="/lists" icon="edit" text={t('Edit lists')} />
          <Item to="/account" icon="lock" text={t('My account')} />
        </>
      )}
      <Item to="/settings" icon="settings" text={t('Settings')} isDue={isDue} />
      <ThemeSwitch className="nav-item" />
      <hr />
      <Item to="/help" icon="question" text={t('Help')} />
      <Item to="/about" icon="info" text={t('About')} />
      {role === 'operator' && (
        <a href="/room" className="nav-item">
          <Icon name="wrench" /> {t("Operator's room")}
        </a>
      )}
      {fid !== undefined && (
        <>
          <hr />
          <button type="button" className="nav-item" onClick={signOut}>
            <Icon name="leave" /> {t('Sign out')}
          </button>
        </>
      )}
    </>
  )
}

/** Entries that not every width needs here. */
function Group({ className, entries }: { className: string; entries: readonly Entry[] }) {
  if (entries.length === 0) return null
  return (
    <div className={className}>
      {entries.map((entry) => (
        <Item key={entry.to} {...entry} />
      ))}
      <hr />
    </div>
  )
}
