import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { channelPath } from '../parts/channel-card.tsx'
import { nameOf, personPath } from '../parts/person.tsx'
import type { Invite } from '../types.ts'
import { answerCall, followCall, useChannelCall } from './use-channel-call.ts'

/** An invite to a channel, with its two answers. */
export function OwnInvite({ invite: { channel_id: id, role, inviter } }: { invite: Invite }) {
  const run = useChannelCall()
  const asked = role === 'moderator' ? role : 'member'
  const answer = async (accept: boolean) => {
    const isDone = await run(answerCall(id, asked, accept), 'Your answer did not arrive.')
    // Who joins wants to read it in Home as well.
    if (isDone && accept) await run(followCall(id), `You do not follow /${id}.`)
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
          {asked === 'moderator' ? (
            <>
              {who} invites you to moderate {where}.
            </>
          ) : (
            <>
              {who} invites you to join {where}.
            </>
          )}
        </p>
        <p className="buttons">
          <button type="button" className="primary" onClick={() => answer(true)}>
            {asked === 'moderator' ? 'Accept' : 'Join'}
          </button>
          <button type="button" className="secondary" onClick={() => answer(false)}>
            Decline
          </button>
        </p>
      </div>
    </article>
  )
}
