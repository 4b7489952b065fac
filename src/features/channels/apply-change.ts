import type { Writer } from '../../kernel/storage/storage.ts'
import { type Change, type Decision, moderatorsOf, type Pair, roleOf } from './channel-rules.ts'
import { nextVersion } from './context.ts'
import type { MembershipStatus, StoredChannel } from './tables/channels.ts'
import { channelRows } from './tables/channels.ts'

/** Reads the roles of both users, and the membership status of the second, which an owner or moderator has too. */
export async function readPair(
  tx: Writer,
  channel: StoredChannel,
  actorFid: number,
  fid: number,
): Promise<{ pair: Pair; status: MembershipStatus | undefined }> {
  const [own, other, invite] = await Promise.all([
    tx.of(channelRows).membership(channel.id, actorFid),
    tx.of(channelRows).membership(channel.id, fid),
    tx.of(channelRows).invite(channel.id, fid),
  ])
  const pair = {
    channelId: channel.id,
    actorFid,
    actor: roleOf(channel, actorFid, own?.standing),
    fid,
    role: roleOf(channel, fid, other?.standing),
    invited: invite?.role,
  }
  return { pair, status: other?.standing }
}

/** Returns the change that was decided, if any. Throws the rejection of a refusal. */
export function changeOf(decision: Decision): Change | undefined {
  if (decision.outcome === 'refused') throw decision.rejection
  return decision.outcome === 'change' ? decision.change : undefined
}

type Place = {
  readonly channel: StoredChannel
  readonly actorFid: number
  readonly fid: number
  readonly status: MembershipStatus | undefined
  readonly now: number
}

/** Writes a change of a user's role, including the channel's own row. */
export async function applyChange(tx: Writer, place: Place, change: Change): Promise<void> {
  const members = await applyMembership(tx, place, change)
  const { channel, fid } = place
  await rewrite(tx, channel, withModerator(channel, fid, change.moderator), members)
}

/** Writes a change of a user's role except for the channel's row. Returns the member-count delta. */
export async function applyMembership(
  tx: Writer,
  { channel, actorFid, fid, status, now }: Place,
  change: Change,
): Promise<number> {
  const { id } = channel
  if (change.invite === 'none') await tx.of(channelRows).removeInvite(id, fid)
  else if (change.invite) {
    const invite = { channel_id: id, invited_fid: fid, inviter_fid: actorFid, invited_at: now }
    await tx.of(channelRows).putInvite({ ...invite, role: change.invite })
  }
  const after = change.status === 'none' ? undefined : (change.status ?? status)
  if (after === undefined && status) await tx.of(channelRows).removeMembership(id, fid)
  if (after !== undefined && after !== status) {
    await tx.of(channelRows).putMemberships([{ channel_id: id, fid, standing: after, since: now }])
  }
  return Number(after === 'member') - Number(status === 'member')
}

/** Stores a channel's changed fields and member-count delta. Does nothing when nothing changed. */
export async function rewrite(
  tx: Writer,
  channel: StoredChannel,
  row: StoredChannel,
  members = 0,
): Promise<void> {
  const isChanged = keysOf(row).some((key) => row[key] !== channel[key])
  if (!isChanged && members === 0) return
  const version = await nextVersion(tx)
  if (isChanged) await tx.of(channelRows).put([row], version)
  if (members !== 0) await tx.of(channelRows).count([{ id: channel.id, members }], version)
}

const keysOf = (row: StoredChannel) => Object.keys(row) as (keyof StoredChannel)[]

export function withModerator(
  channel: StoredChannel,
  fid: number,
  is: boolean | undefined,
): StoredChannel {
  if (is === undefined) return channel
  const others = moderatorsOf(channel).filter((one) => one !== fid)
  return {
    ...channel,
    moderator_fids: (is ? [...others, fid] : others).join(),
    moderator_fid: channel.moderator_fid === fid ? null : channel.moderator_fid,
  }
}
