import { useSession } from '../session/session.tsx'
import type { User } from '../types.ts'
import { useAct } from './actor.ts'
import { setOverride, useFact } from './overrides.ts'
import { follow } from './writes.ts'

type Followed = Pick<User, 'fid' | 'viewer_context'>

/** Follows an account or stops following it; nothing for one's own account. */
export function FollowButton({ user }: { user: Followed }) {
  const { fid } = useSession()
  const act = useAct()
  const isOn = useFact(`follow ${user.fid}`, user.viewer_context?.following ?? false)
  if (fid === user.fid) return null
  const toggle = () =>
    act((key) => follow(key, user.fid, !isOn), {
      apply: () => setOverride(`follow ${user.fid}`, !isOn),
      undo: () => setOverride(`follow ${user.fid}`, isOn),
      failed: isOn ? 'You still follow this account.' : 'You do not follow this account.',
    })
  return (
    <button
      type="button"
      className={isOn ? 'secondary follow' : 'primary follow'}
      aria-pressed={isOn}
      onClick={toggle}
    >
      {isOn ? 'Following' : 'Follow'}
    </button>
  )
}
