import { useState } from 'react'
import type { Person } from '../types.ts'
import { Avatar } from './avatar.tsx'
import { Icon } from './icons.tsx'
import { webUrl } from './links.ts'
import { t } from './messages.ts'
import { queryText } from './request.ts'
import { handleOf, nameOf } from './text.ts'

type Props = { person: Person; small?: boolean; hasBadge?: boolean }

/** A person with picture, name and number. */
export function PersonLine({ person, small = false, hasBadge = false }: Props) {
  return (
    <div className="person">
      <ProfilePicture fid={person.fid} small={small} url={person.pictureUrl} />
      <div>
        <span className="person-name">
          <bdi>{nameOf(person)}</bdi>
          {hasBadge && (
            <span className="badge" title={t('Has a power badge')}>
              <Icon name="badge" />
              <span className="unseen">{t('Has a power badge')}</span>
            </span>
          )}
        </span>
        <bdi className="muted">{handleOf(person)}</bdi>
      </div>
    </div>
  )
}

/**
 * The front door, one level above the interface of the page, fetches pictures of other sites. Where there is none,
 * the picture is generated.
 */
function ProfilePicture({
  fid,
  small,
  url,
}: {
  fid: number
  small: boolean
  url?: string | undefined
}) {
  const [hasFailed, setFailed] = useState(false)
  const web = url && !hasFailed ? webUrl(url) : undefined
  if (!web) return <Avatar fid={fid} small={small} />
  return (
    <img
      className={small ? 'avatar avatar-small' : 'avatar'}
      src={`../../picture${queryText({ url: web.href, width: 96 })}`}
      alt=""
      onError={() => setFailed(true)}
    />
  )
}
