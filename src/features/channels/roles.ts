import { linkSlot } from '../../kernel/protocol/slots.ts'
import { MessageType } from '../../kernel/protocol/wire/message_pb.js'
import type { Writer } from '../../kernel/storage/storage.ts'
import { applyChange, changeOf, readPair } from './apply-change.ts'
import {
  type Decision,
  decideAnswer,
  decideBan,
  decideInvite,
  decideRemoval,
  decideUnban,
  moderatorsOf,
  type Pair,
} from './channel-rules.ts'
import { type ChannelContext, getChannel } from './context.ts'
import { consumeInviteCall } from './quota.ts'
import { checkFid } from './request-checks.ts'
import type { InviteRole } from './tables/channels.ts'
import { channelRows } from './tables/channels.ts'

export type Invitation = {
  readonly channelId: string
  readonly fid: number
  readonly role: InviteRole
}

/** Members, moderators, and restricted or banned users. */
export function createRoles({ storage, accounts, clock, now }: ChannelContext) {
  /** Decides about a user and writes the change in one transaction. */
  const act = (
    actorFid: number,
    { channelId, fid }: Pick<Invitation, 'channelId' | 'fid'>,
    decide: (pair: Pair, tx: Writer) => Decision | Promise<Decision>,
  ): Promise<void> =>
    storage.write(`channel/${channelId}`, async (tx) => {
      const channel = await getChannel(tx, channelId)
      const { pair, status } = await readPair(tx, channel, actorFid, fid)
      const change = changeOf(await decide(pair, tx))
      if (change) await applyChange(tx, { channel, actorFid, fid, status, now: now() }, change)
    })

  /** Counts a call, also when it is refused later. Only for existing channels, so that there are no more counters. */
  const count = (fid: number, channelId: string): Promise<void> =>
    storage.write(`channel/${channelId}`, async (tx) => {
      const { id } = await getChannel(tx, channelId)
      await consumeInviteCall(tx, { fid, channelId: id }, clock.now())
    })

  return {
    /** Invites a user to be a member or a moderator. */
    async invite(actorFid: number, invitation: Invitation): Promise<void> {
      await count(actorFid, invitation.channelId)
      await checkFid(accounts, invitation.fid, 'inviteFid')
      await act(actorFid, invitation, async (pair, tx) =>
        decideInvite(pair, invitation.role, {
          acquainted: await isAcquainted(tx, pair),
          seatsTaken: await seatsTaken(tx, pair.channelId),
        }),
      )
    },
    /** Withdraws an invite or removes the role. */
    async remove(actorFid: number, invitation: Invitation): Promise<void> {
      await count(actorFid, invitation.channelId)
      await act(actorFid, invitation, (pair) => decideRemoval(pair, invitation.role))
    },
    answer: (invitation: Invitation, accept: boolean): Promise<void> =>
      act(invitation.fid, invitation, (pair) => decideAnswer(pair, invitation.role, accept)),
    async ban(actorFid: number, channelId: string, fid: number): Promise<void> {
      await checkFid(accounts, fid, 'banFid')
      await act(actorFid, { channelId, fid }, decideBan)
    },
    unban: (actorFid: number, channelId: string, fid: number): Promise<void> =>
      act(actorFid, { channelId, fid }, decideUnban),
  }
}

/** Whether the invited user follows the channel, or the caller by a link in the hub. */
async function isAcquainted(tx: Writer, { channelId, actorFid, fid }: Pair): Promise<boolean> {
  const [follow, link] = await Promise.all([
    tx.of(channelRows).follow(channelId, fid),
    tx.messages.bySlot(linkSlot(fid, 'follow', actorFid)),
  ])
  return follow !== undefined || link?.type === MessageType.LINK_ADD
}

async function seatsTaken(tx: Writer, channelId: string): Promise<number> {
  const channel = await getChannel(tx, channelId)
  return moderatorsOf(channel).length + (await tx.of(channelRows).moderatorInvites(channelId))
}
