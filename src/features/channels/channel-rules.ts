import { Rejection, type RejectionCode } from '../../kernel/protocol/rejection.ts'
import { fidsOf } from '../../kernel/storage/tables/table-json.ts'
import {
  type InviteRole,
  MAX_MODERATORS,
  type MembershipStatus,
  type StoredChannel,
} from './tables/channels.ts'

// The rules of roles in a channel, as pure decisions. A request for a state that already holds is not an error:
// clients repeat requests whose response was lost.

export type Role = 'owner' | 'moderator' | 'member' | 'none' | 'restricted' | 'banned'

/** The caller and the affected user in a channel. They may be the same user. */
export type Pair = {
  readonly channelId: string
  readonly actorFid: number
  readonly actor: Role
  readonly fid: number
  readonly role: Role
  /** The pending invite of the affected user. */
  readonly invited: InviteRole | undefined
}

/** What changes for the affected user. Absent properties do not change. */
export type Change = {
  readonly status?: MembershipStatus | 'none'
  readonly invite?: InviteRole | 'none'
  readonly moderator?: boolean
}

export type Decision =
  | { readonly outcome: 'change'; readonly change: Change }
  | { readonly outcome: 'nothing' }
  | { readonly outcome: 'refused'; readonly rejection: Rejection }

const NOTHING: Decision = { outcome: 'nothing' }
const change = (change: Change): Decision => ({ outcome: 'change', change })
const refused = (code: RejectionCode, text: string): Decision => ({
  outcome: 'refused',
  rejection: new Rejection(code, text),
})

export const moderatorsOf = ({ moderator_fids }: Pick<StoredChannel, 'moderator_fids'>): number[] =>
  fidsOf(moderator_fids)

type Ranks = Pick<StoredChannel, 'lead_fid' | 'moderator_fid' | 'moderator_fids'>

/** The highest role of a user. Owner and moderators are named in the channel's own row. */
export function roleOf(channel: Ranks, fid: number, status: MembershipStatus | undefined): Role {
  if (channel.lead_fid === fid) return 'owner'
  if (channel.moderator_fid === fid || moderatorsOf(channel).includes(fid)) return 'moderator'
  return status ?? 'none'
}

export const moderates = (role: Role): boolean => role === 'owner' || role === 'moderator'

/** Owner and moderators may invite members; only the owner may invite moderators. */
export function decideInvite(
  pair: Pair,
  asked: InviteRole,
  terms: {
    /** Whether the invited user follows the channel or the caller. */
    readonly acquainted: boolean
    /** Moderators and pending moderator invites. */
    readonly seatsTaken: number
  },
): Decision {
  const { channelId, actorFid, fid, role } = pair
  if (asked === 'member' ? !moderates(pair.actor) : pair.actor !== 'owner') {
    return notAllowed(pair, asked === 'member' ? 'invite' : 'appoint moderators')
  }
  if (moderates(role) || role === asked) return NOTHING
  if (role === 'banned') {
    return conflict(`FID ${fid} is banned from channel ${channelId}; lift the ban first`)
  }
  if (pair.invited === asked) return NOTHING
  if (asked === 'member') {
    if (!terms.acquainted) {
      return conflict(`FID ${fid} follows neither channel ${channelId} nor FID ${actorFid}`)
    }
    return change({ invite: 'member', ...(role === 'restricted' && { status: 'none' }) })
  }
  if (role !== 'member') return conflict(`FID ${fid} is not a member of channel ${channelId}`)
  if (terms.seatsTaken >= MAX_MODERATORS) {
    return conflict(`channel ${channelId} has ${MAX_MODERATORS} moderators or invites of some`)
  }
  return change({ invite: 'moderator' })
}

/** Withdraws an invite or removes a role. Users who leave by themselves do not become restricted. */
export function decideRemoval(pair: Pair, asked: InviteRole): Decision {
  const { channelId, fid, role, invited } = pair
  const leaves = pair.actorFid === fid
  const above = asked === 'moderator' || role === 'moderator'
  if (!leaves && !(above ? pair.actor === 'owner' : moderates(pair.actor))) {
    return notAllowed(pair, above ? 'remove moderators' : 'remove members')
  }
  if (role === 'owner') {
    return conflict(`FID ${fid} owns channel ${channelId}; hand it over first`)
  }
  if (asked === 'moderator') {
    if (role === 'moderator') return change({ moderator: false })
    return invited === 'moderator' ? change({ invite: 'none' }) : NOTHING
  }
  if (role === 'member' || role === 'moderator') {
    return change({ status: leaves ? 'none' : 'restricted', moderator: false, invite: 'none' })
  }
  return invited === 'member' ? change({ invite: 'none' }) : NOTHING
}

/** Accepts or declines an invite. The invited user is both users of the pair. */
export function decideAnswer(pair: Pair, asked: InviteRole, accept: boolean): Decision {
  const { channelId, fid, role, invited } = pair
  if (invited === asked) {
    if (!accept) return change({ invite: 'none' })
    return asked === 'member'
      ? change({ invite: 'none', status: 'member' })
      : change({ invite: 'none', moderator: true })
  }
  if (!accept || moderates(role) || role === asked) return NOTHING
  return refused('not_found', `FID ${fid} has no ${asked} invite to channel ${channelId}`)
}

export function decideBan(pair: Pair): Decision {
  const { channelId, fid, role } = pair
  if (!moderates(pair.actor)) return notAllowed(pair, 'ban')
  if (pair.actorFid === fid) return conflict('users cannot ban themselves')
  if (role === 'owner') return refused('unauthorized', `FID ${fid} owns channel ${channelId}`)
  if (role === 'moderator' && pair.actor !== 'owner') return notAllowed(pair, 'ban moderators')
  if (role === 'banned') return NOTHING
  return change({ status: 'banned', moderator: false, invite: 'none' })
}

/** A user whose ban is lifted becomes restricted. */
export function decideUnban(pair: Pair): Decision {
  if (!moderates(pair.actor)) return notAllowed(pair, 'lift bans')
  return pair.role === 'banned' ? change({ status: 'restricted' }) : NOTHING
}

/** Direct appointees of the owner or the operator become members; any pending invite is removed. */
export function decideAppointment({ channelId, fid, role }: Pair): Decision {
  if (role === 'banned') return conflict(`FID ${fid} is banned from channel ${channelId}`)
  return change({ status: 'member', invite: 'none' })
}

const notAllowed = ({ channelId, actorFid }: Pair, what: string): Decision =>
  refused('unauthorized', `FID ${actorFid} may not ${what} in channel ${channelId}`)

const conflict = (text: string): Decision => refused('bad_request.conflict', text)
