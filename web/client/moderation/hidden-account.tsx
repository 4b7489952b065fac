import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { callPlatform, useOwn } from './calls.ts'

type Found = { readonly people: readonly { readonly fid: number }[] }

/** Leads who moderates from a profile that nobody else is shown to what can be decided, or undone, about the account. */
export default function HiddenAccount({ username }: { username: string }) {
  const { data } = useOwn(
    'hidden account',
    (key) =>
      callPlatform<Found>(key, `/moderation/people?username=${encodeURIComponent(username)}`),
    { which: username },
  )
  const fid = data?.people[0]?.fid
  return (
    fid !== undefined && (
      <p className="state">
        <Link className="secondary" to={`/moderate/${fid}`}>
          <Icon name="shield" />
          {t('Moderate this account')}
        </Link>
      </p>
    )
  )
}
