import { Link, useSearchParams } from 'react-router'
import { t } from '../../shared/messages.ts'
import { pathAfterJoining } from '../act/join-path.ts'
import { Door } from '../parts/door.tsx'
import { Title } from '../parts/title.tsx'
import { Unlock } from './unlock.tsx'
import { useEnter } from './use-enter.tsx'
import { WaitingRecovery } from './waiting-recovery.tsx'

/** The screen on which one signs in on another device. */
export function Component() {
  const [params] = useSearchParams()
  const { enter, waits } = useEnter()
  const to = params.has('recovered') ? '/account?recovered' : pathAfterJoining(params)
  return (
    <div className="form-screen">
      <Title>{t('Sign in')}</Title>
      <h1>{t('Sign in')}</h1>
      <Door />
      <WaitingRecovery />
      <Unlock isByWords={params.has('recovered')} onOpened={({ words }) => enter(words!, to)} />
      {waits}
      <p className="buttons">
        <Link to={`/join/wallet?${params}`} className="link">
          {t('Use a wallet')}
        </Link>
        <Link to="/join/recover" className="link">
          {t('Lost all of these?')}
        </Link>
        <Link to={`/join?${params}`} className="link">
          {t('You have no account yet? Join')}
        </Link>
      </p>
    </div>
  )
}
