import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { callPlatform } from './calls.ts'
import { useOwn } from './own.ts'

type Found = { readonly people: readonly { readonly fid: number }[] }

/** On the profile of a suspended account, which nobody else can see: a link for moderators to the page where decisions are made and undone. */
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
