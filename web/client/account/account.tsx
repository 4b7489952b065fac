import { useEffect, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'react-router'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { rich } from '../../shared/rich.tsx'
import { findFid } from '../act/account-calls.ts'
import { useApp } from '../api.ts'
import type { Opened } from '../custody/open.ts'
import { RecoveryKit } from '../custody/recovery-kit.tsx'
import { noteSaved } from '../custody/reminder.ts'
import { Unlock } from '../custody/unlock.tsx'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import { useReminder } from '../shell/use-reminder.ts'
import type { User } from '../types.ts'
import { Devices } from './devices.tsx'
import { InvitePeople } from './invite-people.tsx'
import { Mail } from './mail.tsx'
import { NameChange } from './name-change.tsx'
import { OwnData } from './own-data.tsx'
import type { PartProps } from './part.ts'
import { Move, Recovery } from './recovery.tsx'
import { SignInWays } from './sign-in-ways.tsx'
import { Storage } from './storage.tsx'
import { WalletUnlock } from './wallet-unlock.tsx'
import '../custody/custody.css'

/** The screen about the own account: its keys, its data, and the ways to it. */
export function Component() {
  const { fid } = useSession()
  const found = useApp<{ users: User[] }>('/user/bulk', { fids: fid }, fid !== undefined)
  if (fid === undefined) {
    return (
      <Shown isScreen icon="person" heading={t('Sign in to see your account')}>
        <p>
          <Link to="/join" className="primary">
            {t('Join or sign in')}
          </Link>
        </p>
      </Shown>
    )
  }
  if (found.isPending) return <Loading isScreen what={t('Loading your account')} rows={2} />
  if (found.error) return <Failed error={found.error} retry={found.refetch} isScreen />
  const user = found.data.users[0]
  return <Account fid={fid} username={user?.username ?? `!${fid}`} />
}

function Account({ fid, username }: Omit<PartProps, 'opened'>) {
  const [opened, setOpened] = useState<Opened>()
  useAskedPart(opened)
  const isRecovered = useSearchParams()[0].has('recovered')
  const part = { fid, username, opened }
  return (
    <div className="form-screen">
      <Title>{t('My account')}</Title>
      <h1>{t('My account')}</h1>
      <p>
        <bdi>@{username}</bdi> · <Link to="/profile">{t('Edit profile')}</Link>
      </p>
      {isRecovered && <Recovered />}
      {opened ? (
        <Notice tone="good">{t('Unlocked until you leave this page.')}</Notice>
      ) : (
        <UnlockAccount fid={fid} isRecovered={isRecovered} onOpened={setOpened} />
      )}
      {opened?.words && <OwnWords fid={fid} words={opened.words} name={username} />}
      {opened && <SignInWays {...part} opened={opened} />}
      <Mail {...part} />
      <NameChange {...part} />
      <Devices {...part} />
      <Storage fid={fid} />
      <InvitePeople fid={fid} />
      <Recovery {...part} />
      {opened && <Move {...part} opened={opened} />}
      <OwnData {...part} />
    </div>
  )
}

/** What to do after the account came back to new words. */
const Recovered = () => (
  <Notice tone="good">
    <p>{t('You have your account back. Two things are left to do:')}</p>
    <ul>
      <li>
        {rich(
          '<link>Unlock it</link> with your new words and set a password or a passkey: the old ones open nothing any more.',
          { link: (inner) => <Link to="?recovered#unlock">{inner}</Link> },
        )}
      </li>
      <li>
        {rich('<link>Remove the device that you have lost</link>: it may still post.', {
          link: (inner) => <Link to="?recovered#devices">{inner}</Link>,
        })}
      </li>
    </ul>
  </Notice>
)

/** Shows the part that the address names: some are there only when the account is unlocked. */
function useAskedPart(opened: Opened | undefined) {
  const { hash } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: unlocking adds parts
  useEffect(() => {
    const heading = hash && document.getElementById(hash.slice(1))
    if (heading) heading.scrollIntoView()
  }, [hash, opened])
}

type UnlockProps = { fid: number; isRecovered: boolean; onOpened: (opened: Opened) => void }

function UnlockAccount({ fid, isRecovered, onOpened }: UnlockProps) {
  const [isAsked, setAsked] = useState(false)
  const isUnsaved = useReminder() !== undefined
  const check = async (opened: Opened) => {
    if ((await findFid(opened.connection.address)) !== fid) {
      throw new Error(t('That is the key of another account.'))
    }
    onOpened(opened)
  }
  return (
    <section className="account-part" aria-labelledby="unlock">
      <h2 id="unlock">{isUnsaved ? t('Are your recovery words saved?') : t('Change something')}</h2>
      <p>{t('To see your recovery words or change what is below, show that it is you.')}</p>
      {isAsked ? (
        <>
          <Unlock fid={fid} isByWords={isRecovered} onOpened={check} />
          <WalletUnlock onOpened={check} />
        </>
      ) : (
        <p className="buttons">
          <button type="button" className="primary" onClick={() => setAsked(true)}>
            {t('Unlock')}
          </button>
          {isUnsaved && (
            <button type="button" className="secondary" onClick={() => noteSaved(fid)}>
              {t('I have saved them')}
            </button>
          )}
        </p>
      )}
    </section>
  )
}

function OwnWords({ fid, words, name }: { fid: number; words: string; name: string }) {
  const [isShown, setShown] = useState(false)
  return (
    <section className="account-part" aria-labelledby="words">
      <h2 id="words">{t('Recovery words')}</h2>
      {isShown ? (
        <RecoveryKit words={words} name={name} onSaved={() => noteSaved(fid)} />
      ) : (
        <button type="button" className="secondary" onClick={() => setShown(true)}>
          {t('Show my 12 words')}
        </button>
      )}
    </section>
  )
}
