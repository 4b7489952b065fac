import { type Fragment, fragment } from '../../../kernel/storage/engines/fragment.ts'
import { condition, type ShownConditions } from '../../../kernel/storage/reads/shown.ts'

const IN_CHANNEL = `coalesce((select a.action from channel_moderation a
     where a.channel_id = :channel and a.cast_hash = substr(p.key, 5)
     order by a.id desc limit 1), '') <> 'hide'
   and (select 1 from channel_standing s
         where s.channel_id = :channel and s.fid = p.fid and s.standing = 'banned') is null`

/** What the moderators of a channel leave in it: no cast that they hide, and nothing of people whom they ban. */
export const SHOWN_CASTS: ShownConditions = {
  inChannel: IN_CHANNEL,
  ofMembers: `(select 1 from channel_standing s
     where s.channel_id = :channel and s.fid = p.fid and s.standing = 'member') is not null`,
}

const inChannel = condition(IN_CHANNEL)

/** The same as a condition on `view_post p`. */
export const isShownInChannel = (channelId: string): Fragment =>
  inChannel({ channel: fragment`${channelId}` })
