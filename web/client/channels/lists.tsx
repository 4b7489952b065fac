import { type ReactNode, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { ActionMenu } from '../act/action-menu.tsx'
import { CastView } from '../parts/cast.tsx'
import { channelPath } from '../parts/channel-card.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { PeopleList } from '../parts/people-list.tsx'
import { handleOf, PersonRow } from '../parts/person.tsx'
import { findUsers, PersonPicker } from '../parts/person-picker.tsx'
import { Empty } from '../parts/states.tsx'
import { useSession } from '../session/session.tsx'
import type { Cast, Channel, ChannelMember, Invite, User } from '../types.ts'
import { MemberItems } from './menu-items.tsx'
import {
  banCall,
  type ChannelCall,
  hideCall,
  inviteCall,
  moderates,
  removeCall,
  roleIn,
  useChannelCall,
} from './use-channel-call.ts'

// The people of a channel, and what its moderators look after.

type Pages = Parameters<typeof MoreButton>[0]
type ListProps = { channel: Channel; pages: Pages }

const ROLES = { owner: t('Owner'), moderator: t('Moderator'), member: undefined } as const

/** Members with their roles; with menus for who moderates. */
export function Members({
  channel,
  members,
  pages,
}: ListProps & { members: readonly ChannelMember[] }) {
  const { fid } = useSession()
  const roles = new Map(members.map(({ user, role }) => [user.fid, role]))
  const mayChange = (user: User) =>
    moderates(channel) &&
    user.fid !== fid &&
    (roles.get(user.fid) === 'member' || roleIn(channel) === 'owner')
  return (
    <PeopleList
      users={members.map(({ user }) => user)}
      pages={pages}
      empty={
        <Empty
          icon="person"
          heading={t('This channel has no members yet')}
          {...(moderates(channel) && {
            action: { text: t('Invite somebody'), to: `${channelPath(channel)}/invites` },
          })}
        />
      }
      endOf={(user) => (
        <>
          {ROLES[roles.get(user.fid) ?? 'member'] && (
            <span className="chip">{ROLES[roles.get(user.fid) ?? 'member']}</span>
          )}
          {mayChange(user) && (
            <ActionMenu>
              {(close) => <MemberItems channel={channel} user={user} done={close} />}
            </ActionMenu>
          )}
        </>
      )}
    />
  )
}

/** A button beside a person or a cast. */
export function CallButton({
  text,
  call,
  failed,
}: {
  text: string
  call: ChannelCall
  failed: string
}) {
  const run = useChannelCall()
  const [isBusy, setBusy] = useState(false)
  const act = async () => {
    setBusy(true)
    await run(call, failed)
    setBusy(false)
  }
  return (
    <button type="button" className="secondary" disabled={isBusy} onClick={act}>
      {text}
    </button>
  )
}

/** Followers can be invited at once. */
export const InviteButton = ({ channel, user }: { channel: Channel; user: User }) => (
  <CallButton
    text={t('Invite')}
    call={inviteCall(channel.id, user.fid, 'member')}
    failed={t('{who} was not invited.', { who: handleOf(user) })}
  />
)

/** Invites that are not answered, below a field that finds people to invite. */
export function Invites({ channel, invites, pages }: ListProps & { invites: readonly Invite[] }) {
  return (
    <>
      <FindPeople channel={channel} invited={invites.map(({ invited }) => invited.fid)} />
      {invites.length === 0 && !pages.hasNextPage && (
        <Empty heading={t('No invite waits for an answer')} />
      )}
      {invites.map(({ invited, role, inviter }) => (
        <PersonRow
          key={invited.fid}
          user={invited}
          end={
            <>
              <span className="chip" title={t('Invited by {who}', { who: handleOf(inviter) })}>
                {role === 'moderator' ? t('As moderator') : t('As member')}
              </span>
              <CallButton
                text={t('Withdraw')}
                call={removeCall(channel.id, invited.fid, role === 'moderator' ? role : 'member')}
                failed={t('{who} is still invited.', { who: handleOf(invited) })}
              />
            </>
          }
        />
      ))}
      <MoreButton {...pages} />
    </>
  )
}

function FindPeople({ channel, invited }: { channel: Channel; invited: readonly number[] }) {
  const { fid = 0 } = useSession()
  const [chosen, setChosen] = useState<User>()
  return (
    <>
      <div className="form-screen">
        <PersonPicker
          label={t('Whom to invite')}
          help={t('Type a name. People can be invited when they follow this channel or you.')}
          without={[fid, ...invited]}
          find={findUsers}
          choose={setChosen}
        />
      </div>
      {chosen && !invited.includes(chosen.fid) && (
        <PersonRow user={chosen} end={<InviteButton channel={channel} user={chosen} />} />
      )}
    </>
  )
}

/** Banned people, or those who were removed. */
export function Excluded({
  channel,
  users,
  pages,
  isBanned,
}: ListProps & { users: readonly User[]; isBanned: boolean }) {
  const endOf = (user: User): ReactNode =>
    isBanned ? (
      <CallButton
        text={t('Lift the ban')}
        call={banCall(channel.id, user.fid, false)}
        failed={t('{who} is still banned.', { who: handleOf(user) })}
      />
    ) : (
      <InviteButton channel={channel} user={user} />
    )
  return (
    <PeopleList
      users={users}
      pages={pages}
      endOf={endOf}
      empty={
        isBanned ? (
          <Empty heading={t('Nobody is banned')}>
            <p>{t('{Posts} of banned people are hidden in this channel.')}</p>
          </Empty>
        ) : (
          <Empty heading={t('Nobody was removed')}>
            <p>
              {t(
                'People who were removed, or whose ban was lifted, are here until they are invited.',
              )}
            </p>
          </Empty>
        )
      }
    />
  )
}

/** Casts that moderators hide in the channel. */
export function HiddenCasts({ channel, casts, pages }: ListProps & { casts: readonly Cast[] }) {
  return (
    <>
      {casts.length === 0 && !pages.hasNextPage && (
        <Empty heading={t('No {post} is hidden')}>
          <p>{t('The menu of {aPost} hides it in this channel. Elsewhere it stays.')}</p>
        </Empty>
      )}
      {casts.map((cast) => (
        <div key={cast.hash} className="hidden-cast">
          <CastView cast={cast} />
          <p className="hidden-end">
            <CallButton
              text={t('Show again in /{id}', { id: channel.id })}
              call={hideCall(cast.hash, false)}
              failed={t('The {post} is still hidden.')}
            />
          </p>
        </div>
      ))}
      <MoreButton {...pages} />
    </>
  )
}
