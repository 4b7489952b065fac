import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { channelPath } from '../parts/channel-card.tsx'
import { nameOf, personPath } from '../parts/person.tsx'
import type { Invite } from '../types.ts'
import { answerCall, followCall, useChannelCall } from './use-channel-call.ts'

/** An invite to a channel, with its two answers. */
export function OwnInvite({ invite: { channel_id: id, role, inviter } }: { invite: Invite }) {
  const run = useChannelCall()
  const asked = role === 'moderator' ? role : 'member'
  const answer = async (accept: boolean) => {
    const isDone = await run(answerCall(id, asked, accept), t('Your answer did not arrive.'))
    // Who joins wants to read it in Home as well.
    if (isDone && accept) await run(followCall(id), t('You do not follow /{id}.', { id }))
  }
  const who = (
    <Link to={personPath(inviter)} className="byline">
      <bdi className="name">{nameOf(inviter)}</bdi>
    </Link>
  )
  const where = (
    <Link to={channelPath({ id })}>
      <bdi>/{id}</bdi>
    </Link>
  )
  return (
    <article className="row unread">
      <span className="notice-icon">
        <Icon name="channel" />
      </span>
      <div className="row-text">
        <p>
          {asked === 'moderator'
            ? rich('{who} invites you to moderate {where}.', { who, where })
            : rich('{who} invites you to join {where}.', { who, where })}
        </p>
        <p className="buttons">
          <button type="button" className="primary" onClick={() => answer(true)}>
            {asked === 'moderator' ? t('Accept') : t('Join')}
          </button>
          <button type="button" className="secondary" onClick={() => answer(false)}>
            {t('Decline')}
          </button>
        </p>
      </div>
    </article>
  )
}
