import { t } from '../../shared/messages.ts'
import { FollowChannelButton } from '../act/follow-button.tsx'
import { PeopleList } from '../parts/people-list.tsx'
import { Empty } from '../parts/states.tsx'
import { useSession } from '../session/session.tsx'
import type { Channel, ChannelScreen, User } from '../types.ts'
import type { List, Rows } from './channel-lists.ts'
import { Excluded, HiddenCasts, InviteButton, Invites, Members } from './lists.tsx'
import { Moderators } from './moderators.tsx'
import { Reported } from './reported.tsx'
import { moderates, roleIn } from './use-channel-call.ts'

type Props = {
  list: Exclude<List, 'casts'>
  channel: Channel
  screen: Parameters<typeof PeopleList>[0]['pages'] & {
    readonly pages: readonly Rows[]
    readonly first?: ChannelScreen | undefined
  }
}

/** A list of a channel other than its feed. */
export default function ListView({ list, channel, screen }: Props) {
  const { fid } = useSession()
  const all = <K extends keyof Rows>(kind: K) => screen.pages.map((page) => page[kind])
  const users = all('users').flat()
  switch (list) {
    case 'members': {
      const members = <Members channel={channel} members={all('members').flat()} pages={screen} />
      if (roleIn(channel) !== 'owner') return members
      return (
        <>
          <Moderators channel={channel} moderators={screen.first?.moderators ?? []} />
          <section aria-labelledby="members">
            <h2 id="members" className="part-head">
              {t('Members')}
            </h2>
            {members}
          </section>
        </>
      )
    }
    case 'followers': {
      const mayInvite = (user: User) => moderates(channel) && user.fid !== fid
      return (
        <PeopleList
          users={users}
          pages={screen}
          empty={
            <Empty heading={t('This channel has no followers yet')}>
              <p>{t('Who follows it reads it in Home.')}</p>
              <FollowChannelButton channel={channel} />
            </Empty>
          }
          endOf={(user) => mayInvite(user) && <InviteButton channel={channel} user={user} />}
        />
      )
    }
    case 'reported':
      return <Reported channel={channel} />
    case 'invites':
      return <Invites channel={channel} invites={all('invites').flat()} pages={screen} />
    case 'hidden':
      return <HiddenCasts channel={channel} casts={all('casts').flat()} pages={screen} />
    default:
      return (
        <Excluded channel={channel} users={users} pages={screen} isBanned={list === 'banned'} />
      )
  }
}
