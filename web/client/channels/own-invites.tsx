import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { useApp } from '../api.ts'
import { channelPath } from '../parts/channel-card.tsx'
import { nameOf, personPath } from '../parts/person.tsx'
import { useSession } from '../session/session.tsx'
import type { Invite } from '../types.ts'
import { answerCall, useChannelCall } from './use-channel-call.ts'

/** An invite to a channel, with its two answers. */
export function OwnInvite({ invite: { channel_id: id, role, inviter } }: { invite: Invite }) {
  const run = useChannelCall()
  const asked = role === 'moderator' ? role : 'member'
  const answer = (accept: boolean) =>
    run(answerCall(id, asked, accept), 'Your answer did not arrive.')
  return (
    <article className="row unread">
      <span className="notice-icon">
        <Icon name="channel" />
      </span>
      <div className="row-text">
        <p>
          <Link to={personPath(inviter)} className="byline">
            <bdi className="name">{nameOf(inviter)}</bdi>
          </Link>{' '}
          invites you to {asked === 'moderator' ? 'moderate' : 'be a member of'}{' '}
          <Link to={channelPath({ id })}>
            <bdi>/{id}</bdi>
          </Link>
          .
        </p>
        <p className="buttons">
          <button type="button" className="primary" onClick={() => answer(true)}>
            Accept
          </button>
          <button type="button" className="secondary" onClick={() => answer(false)}>
            Decline
          </button>
        </p>
      </div>
    </article>
  )
}

const MAX_SHOWN = 20

/** Invites that wait for an answer of the viewer. */
export function OwnInvites() {
  const { fid } = useSession()
  const query = { invited_fid: fid, limit: MAX_SHOWN }
  const path = '/channel/member/invite/list'
  const { data } = useApp<{ invites: Invite[] }>(path, query, fid !== undefined)
  return data?.invites.map((invite) => (
    <OwnInvite key={`${invite.channel_id} ${invite.role}`} invite={invite} />
  ))
}
