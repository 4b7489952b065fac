import { useQueryClient } from '@tanstack/react-query'
import { t } from '../../shared/messages.ts'
import { ownKey } from '../channels/new-in-channels.ts'
import { useSession } from '../session/session.tsx'
import type { Channel, User } from '../types.ts'
import { useAct } from './actor.ts'
import type { BrowserKey } from './key-store.ts'
import { type Fact, setOverride, useFact } from './overrides.ts'
import { follow } from './writes.ts'

type Followed = Pick<User, 'fid' | 'viewer_context'>

/** Follows an account or stops following it; nothing for one's own account. */
export function FollowButton({ user }: { user: Followed }) {
  const { fid } = useSession()
  if (fid === user.fid) return null
  return (
    <FollowToggle
      fact={`follow ${user.fid}`}
      answered={user.viewer_context?.following ?? false}
      still={[t('You still follow this account.'), t('You do not follow this account.')]}
      write={(key, isOn) => follow(key, user.fid, isOn)}
    />
  )
}

/** Follows a channel or stops following it. */
export function FollowChannelButton({ channel }: { channel: Channel }) {
  const queries = useQueryClient()
  return (
    <FollowToggle
      fact={`channel ${channel.id}`}
      answered={channel.viewer_context?.following ?? false}
      still={[t('You still follow this channel.'), t('You do not follow this channel.')]}
      write={async (key, isOn) => {
        await (await import('./platform.ts')).followChannel(key, channel.id, isOn)
        void queries.invalidateQueries({ queryKey: ownKey(key.fid) })
      }}
    />
  )
}

type ToggleProps = {
  fact: Fact
  answered: boolean
  /** What is said when it could not be changed: of one who follows, and of one who does not. */
  still: readonly [isOn: string, isOff: string]
  write: (key: BrowserKey, isOn: boolean) => Promise<void>
}

function FollowToggle({ fact, answered, still, write }: ToggleProps) {
  const act = useAct()
  const isOn = useFact(fact, answered)
  const toggle = () =>
    act((key) => write(key, !isOn), {
      apply: () => setOverride(fact, !isOn),
      undo: () => setOverride(fact, isOn),
      failed: isOn ? still[0] : still[1],
    })
  return (
    <button
      type="button"
      className={isOn ? 'secondary follow' : 'primary follow'}
      aria-pressed={isOn}
      onClick={toggle}
    >
      {isOn ? t('Following', undefined, 'a button: you follow this account') : t('Follow')}
    </button>
  )
}
