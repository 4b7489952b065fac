import { useState } from 'react'
import { t } from '../../shared/messages.ts'
import { tell } from '../act/notices.tsx'
import { useApp } from '../api.ts'
import { channelPath } from '../parts/channel-card.tsx'
import { handleOf, PersonRow } from '../parts/person.tsx'
import { findUsers, PersonPicker } from '../parts/person-picker.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { useConfirm } from '../parts/use-confirm.ts'
import type { Channel, ChannelMember, User } from '../types.ts'
import { inviteCall, type Role, removeCall, useChannelCall } from './use-channel-call.ts'

/** Who moderates, for the owner, who asks members to and ends it. */
export function Moderators({
  channel,
  moderators,
}: {
  channel: Channel
  moderators: readonly User[]
}) {
  const [chosen, setChosen] = useState<User>()
  const others = moderators.filter(({ fid }) => fid !== channel.lead?.fid)
  return (
    <section aria-labelledby="moderators">
      <h2 id="moderators" className="part-head">
        {t('Moderators')}
      </h2>
      {others.map((user) => (
        <PersonRow
          key={user.fid}
          user={user}
          end={<RemoveButton channel={channel} user={user} />}
        />
      ))}
      <div className="form-screen">
        <PersonPicker
          label={t('Add a moderator')}
          help={t('Type a name. A member who is asked to moderate may accept or decline.')}
          without={moderators.map(({ fid }) => fid)}
          find={findUsers}
          choose={setChosen}
        />
      </div>
      {chosen && <Asked channel={channel} user={chosen} done={() => setChosen(undefined)} />}
    </section>
  )
}

type PersonProps = { channel: Channel; user: User }

/** Ends being a moderator, after a second press. */
function RemoveButton({ channel, user }: PersonProps) {
  const run = useChannelCall()
  const { isAsked, buttonProps } = useConfirm(() =>
    run(
      removeCall(channel.id, user.fid, 'moderator'),
      t('{who} still moderates.', { who: handleOf(user) }),
    ),
  )
  return (
    <button type="button" className={isAsked ? 'danger' : 'secondary'} {...buttonProps}>
      {isAsked ? (
        t('Remove {who} now', { who: handleOf(user) })
      ) : (
        <>
          {t('Remove …')}
          <span className="unseen"> {handleOf(user)}</span>
        </>
      )}
    </button>
  )
}

/** The one who was chosen: members are asked to moderate, others to become members first. */
function Asked({ channel, user, done }: PersonProps & { done: () => void }) {
  const run = useChannelCall()
  const query = { channel_id: channel.id, fid: user.fid }
  const found = useApp<{ members: ChannelMember[] }>('/channel/member/list', query)
  const { data } = found
  if (found.error) return <Failed error={found.error} retry={found.refetch} />
  if (!data)
    return (
      <Loading what={t('Looking whether {who} is a member', { who: handleOf(user) })} rows={1} />
    )
  const who = handleOf(user)
  const role: Role = data.members.length > 0 ? 'moderator' : 'member'
  const ask = async () => {
    if (!(await run(inviteCall(channel.id, user.fid, role), t('{who} was not invited.', { who }))))
      return
    done()
    const { id } = channel
    tell(
      role === 'moderator'
        ? t('{who} is asked to moderate /{id}.', { who, id })
        : t('{who} is invited to /{id}.', { who, id }),
      { to: `${channelPath(channel)}/invites`, text: t('Invites') },
    )
  }
  return (
    <>
      <PersonRow
        user={user}
        end={
          <>
            <button type="button" className="primary" onClick={ask}>
              {role === 'moderator' ? t('Ask to moderate') : t('Invite')}
            </button>
            <button type="button" className="secondary" onClick={done}>
              {t('Cancel')}
            </button>
          </>
        }
      />
      {role === 'member' && (
        <p className="part-empty">
          {t('{who} is not a member yet. Once {who} has joined, you can ask again here.', { who })}
        </p>
      )}
    </>
  )
}
