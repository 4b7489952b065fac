import { useState } from 'react'
import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { AboutYou } from '../act/about-you.tsx'
import type { User } from '../types.ts'
import { Suggestions, useOwnUser } from './discover.tsx'
import { nameOf } from './person.tsx'
import { Empty } from './states.tsx'
import './welcome.css'

const WELCOMED = 'rookery.welcomed'

/** The first minute of an account that follows nobody: people, channels, and a line about oneself. */
export function Welcome() {
  const user = useOwnUser()
  const [isDone, setDone] = useState(false)
  const [shown, setShown] = useState<User>()
  if (user && shown?.fid !== user.fid && user.following_count === 0 && !wasWelcomed(user.fid)) {
    setShown(user)
    setDone(false)
  }
  if (!user || shown?.fid !== user.fid || isDone) return null
  const finish = () => {
    keepWelcomed(user.fid)
    setDone(true)
  }
  return (
    <section className="welcome" aria-labelledby="welcome">
      <div className="welcome-head">
        <h2 id="welcome">{t('Welcome, {name}', { name: nameOf(user) })}</h2>
        <button
          type="button"
          className="icon-button"
          aria-label={t('Put the welcome away')}
          onClick={finish}
        >
          <Icon name="cross" />
        </button>
      </div>
      <p className="muted">
        {t('Follow a few people and channels: what they write is under Following and Channels.')}
      </p>
      <Suggestions />
      {!user.profile.bio.text && <AboutYou />}
      <p className="welcome-end">
        <button type="button" className="secondary" onClick={finish}>
          {t('Done')}
        </button>
        <Link to="/profile">{t('Picture and profile')}</Link>
      </p>
    </section>
  )
}

function wasWelcomed(fid: number): boolean {
  try {
    return localStorage.getItem(WELCOMED) === String(fid)
  } catch {
    return false
  }
}

function keepWelcomed(fid: number): void {
  try {
    localStorage.setItem(WELCOMED, String(fid))
  } catch {}
}

/** In place of the feed of those one follows. */
export function FollowingNobody() {
  const user = useOwnUser()
  if (user && user.following_count > 0) {
    return (
      <Empty
        icon="person"
        heading={t('Nobody whom you follow has written yet')}
        action={{ text: t('Read what is new'), to: '/' }}
      />
    )
  }
  return (
    <>
      <Empty icon="person" heading={t('You follow nobody yet')}>
        <p>{t('What people write whom you follow appears here. These are some of them:')}</p>
      </Empty>
      <Suggestions />
    </>
  )
}
