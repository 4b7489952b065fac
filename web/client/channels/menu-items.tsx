import { useNavigate } from 'react-router'
import { words } from '../../shared/words.ts'
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
      text={`Leave /${channel.id}`}
      confirm={`Leave /${channel.id} now`}
      call={removeCall(channel.id, fid, 'member')}
      failed={`You are still a ${role} of /${channel.id}.`}
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
          text={isPinned ? `Unpin from /${channel.id}` : `Pin in /${channel.id}`}
          call={pinCall(cast.hash, !isPinned)}
          failed={`The ${words.post} is ${isPinned ? 'still' : 'not'} pinned.`}
          done={done}
        />
      )}
      <Item
        text={`Hide in /${channel.id}`}
        call={hideCall(cast.hash, true)}
        failed={`The ${words.post} is not hidden.`}
        done={done}
        succeeded={() =>
          tell(`The ${words.post} is hidden in /${channel.id}.`, {
            to: hiddenPath,
            text: `Hidden ${words.posts}`,
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
      text={`Ban ${who} from /${channel.id}`}
      confirm={`Ban ${who} now`}
      call={banCall(channel.id, user.fid, true)}
      failed={`${who} is not banned.`}
      done={done}
      succeeded={() =>
        tell(`${who} is banned from /${channel.id}.`, { to: bannedPath, text: 'Banned people' })
      }
    />
  )
}

/** For who moderates: what can be done with a member. */
export function MemberItems({ channel, user, done }: PersonProps) {
  const isOwner = roleIn(channel) === 'owner'
  const isModerator = channel.moderator_fids.includes(user.fid)
  const who = handleOf(user)
  const item = { failed: `Nothing changed for ${who}.`, done }
  return (
    <>
      {isOwner &&
        (isModerator ? (
          <Item
            {...item}
            text="End being a moderator"
            call={removeCall(channel.id, user.fid, 'moderator')}
          />
        ) : (
          <Item
            {...item}
            text="Invite to be a moderator"
            call={inviteCall(channel.id, user.fid, 'moderator')}
            succeeded={() =>
              tell(`${who} is asked to moderate /${channel.id}.`, {
                to: `${channelPath(channel)}/invites`,
                text: 'Invites',
              })
            }
          />
        ))}
      {isOwner && (
        <Item
          {...item}
          text={`Make ${who} the owner`}
          confirm={`Give /${channel.id} to ${who} for good`}
          call={ownerCall(channel.id, user.fid)}
        />
      )}
      <Item
        {...item}
        text={`Remove ${who}`}
        confirm={`Remove ${who} now`}
        call={removeCall(channel.id, user.fid, 'member')}
      />
      <BanItem channel={channel} user={user} done={done} />
    </>
  )
}
