import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { useApp } from '../api.ts'
import { Byline, Portrait } from '../parts/person.tsx'
import { useSession } from '../session/session.tsx'
import { useMirror } from '../shell/mirror-line.tsx'
import type { User } from '../types.ts'
import { clearOverrides } from './overrides.ts'
import { useComposePath } from './writing.ts'

/** Who acts, with ways to write, to edit the profile and to sign out; for visitors, the way in. */
export function AccountBox() {
  const { fid, become } = useSession()
  const composePath = useComposePath()
  // Messages are sent to the hub that is mirrored.
  if (useMirror()) return null
  if (fid === undefined) {
    return (
      <div className="account-box">
        <Link to="/join" className="primary">
          Join or sign in
        </Link>
      </div>
    )
  }
  const signOut = () => {
    clearOverrides()
    become(undefined)
  }
  return (
    <div className="account-box">
      <Link to={composePath} className="primary">
        <Icon name="pen" /> Write
      </Link>
      <Who fid={fid} />
      <p className="account-links">
        <button type="button" className="link" onClick={signOut}>
          Sign out
        </button>
      </p>
    </div>
  )
}

function Who({ fid }: { fid: number }) {
  const { data } = useApp<{ users: User[] }>('/user/bulk', { fids: fid })
  const user = data?.users[0]
  if (!user) return <p className="muted">Account {fid}</p>
  return (
    <p className="who-acts">
      <Portrait user={user} size="s" />
      <Byline user={user} />
    </p>
  )
}

/** The same in one button, for phones. */
export function JoinOrWrite() {
  const { fid } = useSession()
  const composePath = useComposePath()
  if (useMirror()) return null
  return (
    <Link to={fid === undefined ? '/join' : composePath} className="primary join-or-write">
      {fid === undefined ? 'Join' : 'Write'}
    </Link>
  )
}
