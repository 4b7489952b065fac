import { Link, useLocation } from 'react-router'
import { t } from '../../shared/messages.ts'
import { putOff } from '../custody/reminder.ts'
import { useSession } from '../session/session.tsx'
import { useReminder } from './use-reminder.ts'
import './words-notice.css'

/** Above Home: reminds who can see the words in this browser of saving them outside of it. It can be put off. */
export function WordsNotice() {
  const { fid } = useSession()
  const { pathname } = useLocation()
  if (useReminder() !== 'line' || fid === undefined || pathname !== '/') return null
  return (
    <p className="words-notice">
      <span>
        <Link to="/account#words">{t('Save your recovery words')}</Link>
        <span className="wide-only"> {t('in case this device is lost')}</span>
      </span>
      <button type="button" className="link" onClick={() => putOff(fid)}>
        {t('Later')}
      </button>
    </p>
  )
}
