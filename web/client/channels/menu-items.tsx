import { useNavigate } from 'react-router'
import { t } from '../../shared/messages.ts'
import { tell } from '../act/notices.tsx'
import { useApp } from '../api.ts'
import { channelPath } from '../parts/channel-card.tsx'
import { handleOf, type Someone } from '../parts/person.tsx'
import { useConfirm } from '../parts/use-confirm.ts'
import { useSession } from '../session/session.tsx'
import type { Cast, Channel } from '../types.ts'
import {
  banCall,
  type ChannelCall,
  hideCall,
  inviteCall,
  moderates,
  ownerCall,
  pinCall,
  removeCall,
  roleIn,
  useChannelCall,
} from './use-channel-call.ts'

// What one can do with a channel, its casts and its people: items of menus.

type ItemProps = {
  text: string
  call: ChannelCall
  failed: string
  done: () => void
  /** What the button says when it has been pressed once, for what should not happen by chance. */
  confirm?: string
  succeeded?: () => void
}

function Item({ text, call, failed, done, confirm, succeeded }: ItemProps) {
  const run = useChannelCall()
  const act = async () => {
    done()
    if (await run(call, failed)) succeeded?.()
  }
  const { isAsked, buttonProps } = useConfirm(act)
  const isFirst = confirm !== undefined && !isAsked
  return (
    <button
      type="button"
      className={confirm ? 'danger' : undefined}
      {...(confirm ? buttonProps : { onClick: act })}
    >
      {isFirst ? `${text} …` : (confirm ?? text)}
    </button>
  )
}

/** Ends the own membership. An owner has to hand the channel over first. */
export function LeaveItem({ channel, done }: { channel: Channel; done: () => void }) {
  const { fid } = useSession()
  const navigate = useNavigate()
  const role = roleIn(channel)
  if (fid === undefined || (role !== 'member' && role !== 'moderator')) return null
  return (
    <Item
      text={t('Leave /{id}', { id: channel.id })}
      confirm={t('Leave /{id} now', { id: channel.id })}
      call={removeCall(channel.id, fid, 'member')}
      failed={t('You are still a {role} of /{id}.', { role, id: channel.id })}
      done={done}
      succeeded={() => navigate(channelPath(channel))}
    />
  )
}

/** For who moderates the channel of a cast: hide it there, pin it, ban its author. Asked when the menu opens. */
export default function CastChannelItems({ cast, done }: { cast: Cast; done: () => void }) {
  const { fid } = useSession()
  const id = cast.channel?.id
  const query = { id, type: 'id', viewer_fid: fid }
  const channel = useApp<{ channel: Channel }>('/channel', query, id !== undefined).data?.channel
  if (!channel || !moderates(channel)) return null
  const isPinned = channel.pinned_cast_hash === cast.hash
  const hiddenPath = `${channelPath(channel)}/hidden`
  return (
    <>
      {cast.parent_hash === null && (
        <Item
          text={
            isPinned
              ? t('Unpin from /{id}', { id: channel.id })
              : t('Pin in /{id}', { id: channel.id })
          }
          call={pinCall(cast.hash, !isPinned)}
          failed={isPinned ? t('The {post} is still pinned.') : t('The {post} is not pinned.')}
          done={done}
        />
      )}
      <Item
        text={t('Hide in /{id}', { id: channel.id })}
        call={hideCall(cast.hash, true)}
        failed={t('The {post} is not hidden.')}
        done={done}
        succeeded={() =>
          tell(t('The {post} is hidden in /{id}.', { id: channel.id }), {
            to: hiddenPath,
            text: t('Hidden {posts}'),
          })
        }
      />
      {cast.author.fid !== fid && <BanItem channel={channel} user={cast.author} done={done} />}
    </>
  )
}

type PersonProps = { channel: Channel; user: Someone; done: () => void }

function BanItem({ channel, user, done }: PersonProps) {
  const bannedPath = `${channelPath(channel)}/banned`
  const who = handleOf(user)
  // The owner can be banned by nobody, and moderators only by the owner.
  if (user.fid === channel.lead?.fid) return null
  if (channel.moderator_fids.includes(user.fid) && roleIn(channel) !== 'owner') return null
  return (
    <Item
      text={t('Ban {who} from /{id}', { who, id: channel.id })}
      confirm={t('Ban {who} now', { who })}
      call={banCall(channel.id, user.fid, true)}
      failed={t('{who} is not banned.', { who })}
      done={done}
      succeeded={() =>
        tell(t('{who} is banned from /{id}.', { who, id: channel.id }), {
          to: bannedPath,
          text: t('Banned people'),
        })
      }
    />
  )
}

/** For who moderates: what can be done with a member. */
export function MemberItems({ channel, user, done }: PersonProps) {
  const isOwner = roleIn(channel) === 'owner'
  const isModerator = channel.moderator_fids.includes(user.fid)
  const who = handleOf(user)
  const item = { failed: t('Nothing changed for {who}.', { who }), done }
  return (
    <>
      {isOwner &&
        (isModerator ? (
          <Item
            {...item}
            text={t('End being a moderator')}
            call={removeCall(channel.id, user.fid, 'moderator')}
          />
        ) : (
          <Item
            {...item}
            text={t('Invite to be a moderator')}
            call={inviteCall(channel.id, user.fid, 'moderator')}
            succeeded={() =>
              tell(t('{who} is asked to moderate /{id}.', { who, id: channel.id }), {
                to: `${channelPath(channel)}/invites`,
                text: t('Invites'),
              })
            }
          />
        ))}
      {isOwner && (
        <Item
          {...item}
          text={t('Make {who} the owner', { who })}
          confirm={t('Give /{id} to {who} for good', { id: channel.id, who })}
          call={ownerCall(channel.id, user.fid)}
        />
      )}
      <Item
        {...item}
        text={t('Remove {who}', { who }, 'all of it is seen')}
        confirm={t('Remove {who} now', { who })}
        call={removeCall(channel.id, user.fid, 'member')}
      />
      <BanItem channel={channel} user={user} done={done} />
    </>
  )
}
