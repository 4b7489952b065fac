import { Link, useLocation } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { useSession } from '../session/session.tsx'
import { useMirror } from '../shell/mirror-line.tsx'
import { useComposePath } from './writing.ts'

/** The way to write; for visitors, the way in. */
export function AccountBox() {
  const { fid } = useSession()
  const composePath = useComposePath()
  // Messages are sent to the hub that is mirrored.
  if (useMirror()) return null
  return (
    <div className="account-box">
      {fid === undefined ? (
        <Link to="/join" className="primary">
          {t('Join or sign in')}
        </Link>
      ) : (
        <Link to={composePath} className="primary">
          <Icon name="pen" /> {t('Write')}
        </Link>
      )}
    </div>
  )
}

/** The same in one button, for phones. Where one writes it would be the second of its kind. */
export function JoinOrWrite() {
  const { fid } = useSession()
  const composePath = useComposePath()
  const isWriting = useLocation().pathname === '/compose'
  if (useMirror() || isWriting) return null
  return (
    <Link to={fid === undefined ? '/join' : composePath} className="primary join-or-write">
      {fid === undefined ? t('Join') : t('Write')}
    </Link>
  )
}
