import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Avatar } from '../../shared/avatar.tsx'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { cleanName } from '../../shared/text.ts'
import type { User, UserDehydrated } from '../types.ts'
import { doubtAbout } from './look-alike.ts'
import { Picture } from './picture.tsx'

export type Someone = Pick<UserDehydrated, 'fid' | 'username' | 'display_name' | 'pfp_url'> & {
  score?: number | undefined
}

/** `!7` stands for an account without a username. */
export const hasName = ({ username }: Someone): boolean =>
  username !== undefined && !username.startsWith('!')

export const personPath = ({ fid, username }: Someone): string =>
  hasName({ fid, username }) ? `/@${encodeURIComponent(username!)}` : `/@!${fid}`

export const nameOf = (user: Someone): string =>
  cleanName(user.display_name ?? '') ||
  (hasName(user) ? user.username! : t('Account {fid}', { fid: String(user.fid) }))

export const handleOf = (user: Someone): string =>
  hasName(user) ? `@${cleanName(user.username!)}` : t('account {fid}', { fid: String(user.fid) })

/** The profile picture, else one generated from the fid. */
export function Portrait({ user, size = 'm' }: { user: Someone; size?: 's' | 'm' | 'l' }) {
  return (
    <span className={`portrait portrait-${size}`}>
      <Picture
        url={user.pfp_url}
        width={size === 'l' ? 192 : 96}
        alt=""
        fallback={<Avatar fid={user.fid} />}
      />
    </span>
  )
}

/** Display name, with a mark when it looks like that of somebody else. */
export function Name({ user }: { user: Someone }) {
  const name = nameOf(user)
  const doubt = doubtAbout(name, user.username)
  return (
    <>
      <bdi className="name">{name}</bdi>
      {doubt && (
        <span className="doubt" title={doubt}>
          <Icon name="warning" />
          <span className="unseen">{doubt}</span>
        </span>
      )}
    </>
  )
}

/** Name and username, with a link to the profile. */
export const Byline = ({ user }: { user: Someone }) => (
  <Link to={personPath(user)} className="byline">
    <Name user={user} /> <bdi className="handle">{handleOf(user)}</bdi>
  </Link>
)

/** A person in a list. `end` is what one can do with them. */
export function PersonRow({ user, end }: { user: User; end?: ReactNode }) {
  const bio = cleanName(user.profile.bio.text)
  return (
    <article className="row">
      <Link to={personPath(user)} tabIndex={-1} aria-hidden="true">
        <Portrait user={user} />
      </Link>
      <div className="row-text">
        <Byline user={user} />
        {bio && (
          <p className="clamp" dir="auto">
            {bio}
          </p>
        )}
      </div>
      {end && <div className="row-end">{end}</div>}
    </article>
  )
}
