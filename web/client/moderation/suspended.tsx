import { Link } from 'react-router'
import { Notice } from '../../shared/page.tsx'
import { rich } from '../../shared/rich.tsx'
import { useSuspendedUntil } from './calls.ts'
import { suspendedText } from './words.ts'

/** What a suspended account reads above Home, and where it would write: until when, and what it can do. */
export default function Suspended() {
  const until = useSuspendedUntil()
  return (
    <Notice tone="warn">
      <p>
        {suspendedText(until)}{' '}
        {rich(
          'You can <reasons>read why, and appeal</reasons>, and <data>download everything of you</data>.',
          {
            reasons: (inner) => <Link to="/moderation">{inner}</Link>,
            data: (inner) => <Link to="/account#data">{inner}</Link>,
          },
        )}
      </p>
    </Notice>
  )
}
