import { Link, useLocation } from 'react-router'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
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
        {rich('<link>Save your recovery words</link> <wide>in case this device is lost</wide>', {
          link: (inner) => <Link to="/account#words">{inner}</Link>,
          wide: (inner) => <span className="wide-only">{inner}</span>,
        })}
      </span>
      <button type="button" className="link" onClick={() => putOff(fid)}>
        {t('Later')}
      </button>
    </p>
  )
}
