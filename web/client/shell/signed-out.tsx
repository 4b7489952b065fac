import { Link, useLocation } from 'react-router'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { rich } from '../../shared/rich.tsx'
import { joinPath } from '../act/join-path.ts'
import { useSignOut } from '../act/use-sign-out.ts'

/** Above every screen once the account does not have the key of this browser any more. */
export default function SignedOut() {
  const signOut = useSignOut()
  const place = useLocation()
  // Where one signs in it is known.
  if (place.pathname.startsWith('/join')) return null
  return (
    <Notice tone="bad">
      <p>
        {t(
          'This device is signed out: its key was removed from your account, by yourself on another device or when the account was got back, or it was not used for 90 days. You can read, and nothing is sent from here before you sign in again.',
        )}
      </p>
      <p>
        {rich(
          'If that was not you, somebody else may have your account: <link>get it back</link>.',
          { link: (inner) => <Link to="/join/recover">{inner}</Link> },
        )}
      </p>
      <p className="buttons">
        <Link to={joinPath(place).replace('/join', '/join/sign-in')} className="primary">
          {t('Sign in again')}
        </Link>
        <button type="button" className="link" onClick={signOut}>
          {t('Sign out here')}
        </button>
      </p>
    </Notice>
  )
}
